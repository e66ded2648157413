"""The LMDB file: opening, locks, failures, page checks."""
