"""Find the documents that share fingerprints with a query, and rank them."""
