"""Runs: immutable sorted sequences of postings."""
