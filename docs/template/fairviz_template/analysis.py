"""Longest: which queries have most words? With its verb, its page and its call in Python."""

from typing import TYPE_CHECKING

from fairviz.analyses.record import Analysis, Progress, Table
from fairviz.evaluation.settings import Settings
from fairviz.parameters import Parameter
from fairviz.study.record import Study

if TYPE_CHECKING:
    import pandas as pd


def _longest(study: Study, settings: Settings, progress: Progress, top: int) -> "pd.DataFrame":
    """Return the queries with most words, the longest first: query_id, text, words."""
    queries = study.queries[["query_id", "text"]]
    return queries.assign(words=queries["text"].str.split().str.len()).nlargest(top, "words", keep="all")


LONGEST_QUERIES = Analysis(
    name="longest",
    title="Longest queries",
    question="Which queries have most words?",
    summary="list the queries with most words",
    compute=_longest,
    needs={"queries": "to count words in"},
    parameters=(Parameter("top", 3, "queries in the table", low=1, high=100, whole=True),),
    tables={"queries": Table(lambda queries: queries, "a row a query: query_id, text, words")},
    sentences=lambda queries: [f"The longest query has {queries['words'].max()} words."],
    quick=True,
)
