"""A file for each check, called as its module in fairviz/checks, with functions that return a Case.

triggers: a study in which the check finds something; passes: one in which it finds nothing; does_not_apply: one that
lacks a need that is the check's own. More of a kind are `triggers_NAME` and so on. `sound` makes a study to change one
thing in.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import pandas as pd

import fairviz
from fairviz.checks import CHECKS, Check
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from tests.made import labels_of, qrels_of, runs_of

QUERIES = [f"q{place:02}" for place in range(12)]
LABELS = {"f": "female", "m": "male", "n": "neutral"}
TEXTS = {"f": "She and her mother.", "m": "He and his father.", "n": "The weather."}
LISTS = {  # by system and query: two copies of a document of each kind
    (system, query): [f"{query}{document}" for document in order.split()]
    for system, order in {"left": "fa ma na fb mb nb", "right": "na ma fa fb nb mb"}.items()
    for query in QUERIES
}


class Case(NamedTuple):
    """A study under settings. says: words that the sentence, or the reason, contains. looked: settings looked at
    before."""

    study: Study
    settings: Settings = Settings()
    says: str = ""
    looked: tuple[Settings, ...] = ()


def labelled(by: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Labels of the documents of `sound` by annotator: what each calls the three kinds; one it leaves out has none."""
    documents = [f"{query}{kind}{copy}" for query in QUERIES for copy in "ab" for kind in LABELS]
    tables = [labels_of({name: of[name[3]] for name in documents if name[3] in of}, who) for who, of in by.items()]
    return pd.concat(tables, ignore_index=True)


@contextmanager
def only(*records: Check) -> Iterator[None]:
    """Let these be all checks of the program; by default the first three."""
    before = CHECKS._own
    chosen = records or [before[code] for code in ("FV101", "FV102", "FV103")]
    CHECKS._own = {check.code: check for check in chosen}
    vars(CHECKS).pop("_records", None)
    try:
        yield
    finally:
        CHECKS._own = before
        vars(CHECKS).pop("_records", None)


def sound(**changes: Any) -> Study:
    """Two systems, twelve queries with six documents each, whose texts and labels by two people agree. Two are
    relevant.

    changes: other parts, or other fields of the study.
    """
    documents = [f"{query}{kind}{copy}" for query in QUERIES for copy in "ab" for kind in LABELS]
    texts = [TEXTS[name[3]] for name in documents]
    parts: dict[str, Any] = {
        "queries": pd.DataFrame({"query_id": QUERIES, "text": [f"query {name}" for name in QUERIES]}),
        "documents": pd.DataFrame({"doc_id": documents, "text": texts}),
        "runs": runs_of(LISTS),
        "qrels": qrels_of({query: f"{query}fa {query}na" for query in QUERIES}),
        "labels": labelled({"ann": LABELS, "bob": LABELS}),
        "annotators": {name: Annotator(name, "person") for name in ("ann", "bob")},
    }
    return fairviz.make_study("made", **parts | changes)
