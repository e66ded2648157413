"""Workloads by what they exercise. A workload is a function that takes the `Workspace` and yields figures."""
