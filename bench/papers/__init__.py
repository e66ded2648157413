"""The papers' experiments, one command a paper: `python -m bench.papers.winnowing`, and so on."""
