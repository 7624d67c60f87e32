"""Rows of whole collections in tests over all verbs; see `tests/extension_rows.py`."""

BASE = {"score": ["none.tsv", "--out", "counts"]}
VERBS = {"PROCESSES": ["evaluate", "score"]}
OWN = {"--memory": "a size with its unit", "--part": "one of many"}  # options with a range of their own
