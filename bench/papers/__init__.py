"""Repeat the experiments of the papers, one command for each paper: `python -m bench.papers.winnowing`, and so on."""
