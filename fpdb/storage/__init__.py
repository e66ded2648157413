"""Keep postings and documents in one LMDB file. Knows nothing of text."""
