"""The workloads, by what they exercise. A workload is a function that takes the run's `Room` and yields figures."""
