"""Ranks of each system whose document has text."""

import pandas as pd

from fairviz.evaluation.settings import Settings
from tests.checks.cases import LISTS, QUERIES, TEXTS, Case, sound
from tests.made import runs_of


def _with_third(unlabelled: str = "skip", cutoff: int = 10) -> Case:
    """A third system, whose second documents have no text."""
    third = {("third", query): [f"{query}fa", f"{query}new"] for query in QUERIES}
    return Case(sound(runs=runs_of(LISTS | third)), Settings(unlabelled=unlabelled, cutoff=cutoff))


def triggers() -> Case:
    says = "50 % have text in third and 100 % in right. Measures of words leave ranks without text out, so"
    return _with_third()._replace(says=says)


def triggers_as_neutral() -> Case:
    return _with_third("neutral")._replace(says="count ranks without text as neutral")


def triggers_in_strict_lists() -> Case:
    return _with_third("strict")._replace(says="have no value for lists with a rank without text")


def triggers_where_texts_are_empty() -> Case:
    """They are neutral whatever the policy is."""
    case = _with_third("strict")
    empty = pd.DataFrame({"doc_id": [f"{query}new" for query in QUERIES], "text": ""})
    changed = sound(runs=case.study.runs, documents=pd.concat([sound().documents[["doc_id", "text"]], empty]))
    return Case(changed, case.settings, "Measures of words count empty texts as neutral, so")


def passes() -> Case:
    return Case(sound())


def passes_above_the_cutoff() -> Case:
    return _with_third(cutoff=1)


def passes_where_all_lack_as_many() -> Case:
    names = [f"{query}{document}" for query in QUERIES for document in ("fa", "ma", "na", "fb", "mb")]
    return Case(sound(documents=pd.DataFrame({"doc_id": names, "text": [TEXTS[name[3]] for name in names]})))
