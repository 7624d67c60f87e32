"""Rows of whole collections in tests over all verbs; see `tests/extension_rows.py`."""

BASE = {"score": ["none.tsv", "--out", "counts"]}
VERBS = {"PROCESSES": ["evaluate", "score"]}
IN_LITTLE_MEMORY = {"score": "score {texts} --out {out} --workers 1"}
OWN = {"--memory": "a size with its unit", "--part": "one of many"}  # options with a range of their own
