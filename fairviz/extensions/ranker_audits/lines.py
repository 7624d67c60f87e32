"""The shell command that prints the numbers of a recipe; see `fairviz.output.recipes`."""

from collections.abc import Mapping
from typing import Any

from fairviz.evaluation.settings import Settings
from fairviz.extensions.ranker_audits.auditing import ATTRIBUTION, LISTWISE, PAIRWISE
from fairviz.extensions.ranker_audits.auditing import audit as public
from fairviz.output.recipes import Line, changed


def audit(given: Mapping[str, Any], table: str) -> Line | None:
    """Return the line of `fairviz.audit` with these values of its parameters."""
    tables = {
        PAIRWISE: {"found.table": "shares", "found.integrity": "integrity"},
        LISTWISE: {
            "found.by_attribute()": "exposure", "found.by_window()": "windows", "found.integrity": "integrity"
        },
        ATTRIBUTION: {"found.table": "names", "found.unnamed": "unnamed", "found.integrity": "integrity"},
    }  # fmt: skip
    name = tables[given["kind"]].get(table, "")
    if not name or given["embedding"] or given["names"]:
        return None
    numbers = ("kind", "per_query", "queries", "annotator", "window", "step", "per_list", "candidates", "template")
    options = changed(public, given, *numbers, "seed") | {"with": given["rankers"], "table": name}
    options |= {"no_neutral": not given["neutral"], "every_column": name in ("shares", "exposure", "windows")}
    options |= {"pairs": given["source"].replace(" ", "-")} if given["source"] != "auto" else {}
    return Line("audit", given["study"], Settings(), (), options)
