"""An analysis for the tests of the page that is made from a record."""

import threading

from fairviz.analyses.record import Analysis, Table
from fairviz.errors import FairvizError
from fairviz.parameters import Parameter

GATE = threading.Event()  # closed, the work waits


def count(study, settings, progress, *, top, name, reverse, broken, rankers):
    progress("counting queries", 3, 10)
    GATE.wait()
    progress("counting queries", 4, 10)
    if broken == "yes":
        raise FairvizError("it is broken", "Set broken to no.")
    return study.queries.sort_values("query_id", ascending=not reverse).head(top).assign(name=name)


def no_table(queries):
    raise FairvizError("there is no such table", "Use another study.")


SAMPLE = Analysis(
    name="tried",
    title="Tried",
    question="Does the page work?",
    summary="a trial",
    compute=count,
    parameters=(
        Parameter("top", 2, "how many", low=1, high=5, whole=True),
        Parameter("name", "a", "a text"),
        Parameter("reverse", False, "from the end"),
        Parameter("broken", "no", choices=("no", "yes")),
        Parameter("rankers", "bm25", names="rankers"),
    ),
    needs={"queries": "to count", "labels": ""},
    tables={"queries": Table(lambda queries: queries, "the queries"), "none": Table(no_table, "nothing")},
    sentences=lambda queries: [f"{len(queries)} queries, the first is {queries['query_id'].iloc[0]}."],
    notes=lambda queries: ["This is a note."],
)
