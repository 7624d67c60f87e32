"""Rows of the server in tests over all verbs; see `tests/extension_rows.py`."""

BASE = {"serve": ["none"], "backup": ["copy"]}
NOT_RUN = {
    "serve": "it needs a folder of studies, and runs until it is stopped",
}
