"""The measures of every list: which a study can feed, and each one's value for each query."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairviz.evaluation.asking import ask
from fairviz.evaluation.choices import align, chosen_queries, missing_part
from fairviz.evaluation.scores import positions, values_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.rankings import Rankings
from fairviz.measures.record import Direction
from fairviz.measures.sums import Places
from fairviz.steering.lists import REFERENCES, Lists, Weighted
from fairviz.study.study import Study

Array = np.ndarray
FAIR = ("RaB", "ARaB", "NFaiRR", "TExFAIR", "CWEx")
GAP = "gap"


@dataclass(frozen=True)
class Column:
    """A measure of the table. name: as figures have it; text: canonical, `gap` for that of wordings; direction: where
    its better end lies."""

    name: str
    text: str
    direction: Direction
    effective: bool = False


@dataclass(frozen=True, eq=False)
class Values:
    """Every measure's value for every query that the settings keep.

    models: of each model (M, P, W, Q); references (M, R, Q). missing: what the study cannot feed, and why.
    """

    columns: tuple[Column, ...]
    queries: tuple[str, ...]
    models: tuple[Array, ...]
    references: Array
    missing: tuple[tuple[str, str], ...]


def chosen_measures(settings: Settings) -> list[Question]:
    """The settings' effectiveness, and the fairness measures of the paper and of this project, at the cutoff.

    The ideal of NFaiRR is that of the whole collection: the candidates would be whatever any weight retrieves.
    """
    beside = settings if settings.background != "candidates" else settings.changed(background="collection")
    return [ask(f"{name}@{settings.cutoff}", beside) for name in (settings.effectiveness, *FAIR)]


def values(lists: Lists, settings: Settings) -> Values:
    """The measures of the lists under the settings. Raises FairvizError where they keep no query."""
    read = lists.read
    settings = settings.changed(systems=())
    if settings.background.startswith("run:"):
        settings = settings.changed(background="collection")
    beside = replace(read.study, runs=lists.runs, fingerprint="")
    asked = chosen_measures(settings)
    reasons = [missing_part(beside, question, settings) for question in asked]
    questions = [question for question, reason in zip(asked, reasons, strict=True) if not reason]
    missing = [(question.name, reason) for question, reason in zip(asked, reasons, strict=True) if reason]
    columns = [Column(one.name, one.text, one.direction, one.family == "effectiveness") for one in questions]
    if read.wordings.kind:
        columns.append(Column(GAP, GAP, "lower"))
    else:
        missing.append((GAP, "no document holds a word or name of the pairs of words."))
    queries = chosen_queries(read.study, settings, read.queries)
    kept = positions(read.queries, queries)
    places = align(beside, settings, collection=True)
    models = tuple(_of_model(beside, lists, model, places, questions, settings)[..., kept] for model in lists.models)
    references = _of_references(beside, lists, places, questions, settings)[..., kept]
    return Values(tuple(columns), queries, models, references, tuple(missing))


def _of_model(
    study: Study, lists: Lists, model: Weighted, places: Places, questions: Sequence[Question], settings: Settings
) -> Array:
    """(M, P, W, Q)."""
    depth, *shape = model.lists.shape
    listed = model.lists.reshape(depth, -1, shape[-1])
    names = pd.Index(lists.read.documents, dtype="str")
    at = places.rankings.doc_ids.get_indexer(names)  # (D,)
    documents = np.where(listed >= 0, at[listed], -1).astype(np.int32)
    systems = tuple(f"{number}" for number in range(documents.shape[1]))
    lengths = (documents >= 0).sum(axis=0).astype(np.int32)
    rankings = Rankings(systems, lists.read.queries, places.rankings.doc_ids, documents, lengths)
    held = replace(places, rankings=rankings, made_of=())
    found = [values_of(study, held, question, settings)[0].reshape(shape) for question in questions]
    return np.stack([*found, model.gap] if lists.read.wordings.kind else found) if found else model.gap[None]


def _of_references(
    study: Study, lists: Lists, places: Places, questions: Sequence[Question], settings: Settings
) -> Array:
    """(M, R, Q): a query that neither of them answers has no value."""
    systems, known = places.rankings.systems, pd.Index(places.rankings.queries)
    rows = [systems.index(name) for name in REFERENCES if name in systems]
    there = [place for place, name in enumerate(REFERENCES) if name in systems]
    columns = known.get_indexer(pd.Index(lists.read.queries))
    out = np.full((len(questions), len(REFERENCES), len(columns)), np.nan)
    for place, question in enumerate(questions):
        table = values_of(study, places, question, settings)[0][rows][:, columns]
        out[place, there] = np.where(columns >= 0, table, np.nan)
    return np.concatenate([out, lists.reference_gap[None]]) if lists.read.wordings.kind else out
