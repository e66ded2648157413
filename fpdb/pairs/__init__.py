"""Compare all documents with all: pairs, clusters, documents to drop, passages to cut."""
