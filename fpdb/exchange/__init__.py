"""Whole documents in and out: exports, imports, merged databases."""
