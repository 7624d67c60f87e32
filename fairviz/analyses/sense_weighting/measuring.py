"""The measures of every list: those that a study has data for, and their values for each query."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairviz.analyses.sense_weighting.lists import REFERENCES, Lists, Weighted
from fairviz.evaluation.choices import align, chosen_queries, missing_part, positions
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import values_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.rankings import Rankings
from fairviz.measures.record import Direction
from fairviz.measures.sums import AlignedRankings
from fairviz.study.record import Study

Array = np.ndarray
FAIR = ("RaB", "ARaB", "NFaiRR", "TExFAIR", "CWEx")
GAP = "gap"


@dataclass(frozen=True)
class Column:
    """A measure of the table. name: as in figures; text: canonical, `gap` for that of wordings; direction: its
    better end.
    """

    name: str
    text: str
    direction: Direction
    effective: bool = False


@dataclass(frozen=True, eq=False)
class Values:
    """Every measure's value for every query that the settings keep.

    models: for each model (M, P, W, Q); references (M, R, Q). missing: measures without data, and the reasons.
    """

    columns: tuple[Column, ...]
    queries: tuple[str, ...]
    models: tuple[Array, ...]
    references: Array
    missing: tuple[tuple[str, str], ...]


def chosen_measures(settings: Settings) -> list[Question]:
    """Return the settings' effectiveness, and the fairness measures of the paper and of this project, at the cutoff.

    The ideal of NFaiRR is that of the whole collection: the candidates would depend on the weights.
    """
    fixed_settings = settings if settings.background != "candidates" else settings.changed(background="collection")
    return [ask(name, fixed_settings) for name in (settings.effectiveness, *FAIR)]


def values(lists: Lists, settings: Settings) -> Values:
    """Return the measures of the lists under the settings. Raises FairvizError if they keep no query."""
    read = lists.read
    settings = settings.changed(systems=())
    if settings.background.startswith("run:"):
        settings = settings.changed(background="collection")
    reference_study = replace(read.study, runs=lists.runs, fingerprint="")
    all_questions = chosen_measures(settings)
    reasons = [missing_part(reference_study, question, settings) for question in all_questions]
    questions = [question for question, reason in zip(all_questions, reasons, strict=True) if not reason]
    missing = [(question.name, reason) for question, reason in zip(all_questions, reasons, strict=True) if reason]
    columns = [Column(one.name, one.text, one.direction, one.family == "effectiveness") for one in questions]
    if read.wordings.kind:
        columns.append(Column(GAP, GAP, "lower"))
    else:
        missing.append((GAP, "no document holds a word or name of the pairs of words."))
    queries = tuple(query for query in chosen_queries(read.study, settings) if query in set(read.queries))
    query_indices = positions(read.queries, queries)
    places = align(reference_study, settings, collection=True)
    models = tuple(
        _model_values(reference_study, lists, model, places, questions, settings)[..., query_indices]
        for model in lists.models
    )
    references = _reference_values(reference_study, lists, places, questions, settings)[..., query_indices]
    return Values(tuple(columns), queries, models, references, tuple(missing))


def _model_values(
    study: Study,
    lists: Lists,
    model: Weighted,
    places: AlignedRankings,
    questions: Sequence[Question],
    settings: Settings,
) -> Array:
    """Return the measures of a model's lists, (M, P, W, Q)."""
    depth, *shape = model.lists.shape
    flat_lists = model.lists.reshape(depth, -1, shape[-1])
    names = pd.Index(lists.read.documents, dtype="str")
    at = places.rankings.doc_ids.get_indexer(names)  # (D,)
    documents = np.where(flat_lists >= 0, at[flat_lists], -1).astype(np.int32)
    systems = tuple(f"{number}" for number in range(documents.shape[1]))
    lengths = (documents >= 0).sum(axis=0).astype(np.int32)
    rankings = Rankings(systems, lists.read.queries, places.rankings.doc_ids, documents, lengths)
    model_places = replace(places, rankings=rankings, made_of=())
    values_by_measure = [values_of(study, model_places, question, settings)[0].reshape(shape) for question in questions]
    return (
        np.stack([*values_by_measure, model.gap] if lists.read.wordings.kind else values_by_measure)
        if values_by_measure
        else model.gap[None]
    )


def _reference_values(
    study: Study, lists: Lists, places: AlignedRankings, questions: Sequence[Question], settings: Settings
) -> Array:
    """Return the measures of the references, (M, R, Q); NaN for queries without a list."""
    systems, query_index = places.rankings.systems, pd.Index(places.rankings.queries)
    rows = [systems.index(name) for name in REFERENCES if name in systems]
    indices = [place for place, name in enumerate(REFERENCES) if name in systems]
    columns = query_index.get_indexer(pd.Index(lists.read.queries))
    out = np.full((len(questions), len(REFERENCES), len(columns)), np.nan)
    for place, question in enumerate(questions):
        table = values_of(study, places, question, settings)[0][rows][:, columns]
        out[place, indices] = np.where(columns >= 0, table, np.nan)
    return np.concatenate([out, lists.reference_gap[None]]) if lists.read.wordings.kind else out
