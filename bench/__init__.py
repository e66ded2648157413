"""Benchmarks of fpdb: named workloads, each measured beside its target and its limit. Not part of the package."""
