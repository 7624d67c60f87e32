"""The line on how little any order of the candidates could change a measure."""

import pandas as pd

from fairviz.evaluation.questions import Asked
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.orders.ranges import NARROW
from fairviz.study.record import Study
from fairviz.ui.kept.orders import ranges
from fairviz.ui.kit import html
from fairviz.words.sentences import counted

MOST_PLACES = 100_000  # of a study, up to which ranges take a second or two
DIRECTIONS = ("higher", "lower")  # of the others, ranges are of distances and not of values


def line(study: Study, settings: Settings, request: Asked) -> None:
    """Draw the sentence; nothing for a large study or where most ranges are wide."""
    texts = [question.text for question in request.questions if question.measure and question.direction in DIRECTIONS]
    if texts and len(study.runs) <= MOST_PLACES:
        html.quiet(sentence(ranges(study, texts, settings)))


def sentence(table: pd.DataFrame) -> str:
    """Return `On 31 of 40 queries, no order of candidates moves AWRF by more than 0.02.`

    It is of the measure with the most such queries, if they are more than half; empty if none has. A query counts if
    the ranges of all systems are narrow. table: of `fairviz.ranges`, a row a query.
    """
    defined = table.dropna(subset=["worst", "best"])
    by_query = defined.groupby(["measure", "query_id"], observed=True, sort=False)["narrow"].all()
    counts = by_query.groupby("measure", observed=True, sort=False).agg(["sum", "size"])
    most = counts[2 * counts["sum"] > counts["size"]].sort_values("sum", ascending=False, kind="stable")
    if most.empty:
        return ""
    text, narrow, queries = str(most.index[0]), int(most["sum"].iloc[0]), counted(int(most["size"].iloc[0]), "query")
    return f"On {narrow:,} of {queries}, no order of candidates moves {parse(text).name} by more than {NARROW:g}."
