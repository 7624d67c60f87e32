"""The cache of the pages Read and Query."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from fairviz.analyses.annotator_accuracy import raters
from fairviz.analyses.label_effects.label_effects import label_bounds, label_effects
from fairviz.analyses.label_effects.replacing import label_noise, leave_one_annotator_out
from fairviz.analyses.reading import filters, occurrences
from fairviz.analyses.reading.occurrences import Occurrences
from fairviz.analyses.reading.side_by_side import By, order_of_queries
from fairviz.evaluation.choices import align_key, chosen_annotator, chosen_lexicon, chosen_queries
from fairviz.evaluation.contributions import Anatomy
from fairviz.evaluation.contributions import anatomy as taken_apart
from fairviz.evaluation.questions import wants_collection
from fairviz.evaluation.settings import Settings
from fairviz.figures import strip as strips
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kept.entries import Entries, kept
from fairviz.ui.kept.tables import SCORES, aligned

Array = np.ndarray
_READ = Entries("read", session=30, spinner="Laying out the documents …")
_QUERY = Entries("query", session=100)


def annotator_key(study: Study, settings: Settings) -> str:
    """Return the present annotator; empty without labels."""
    return chosen_annotator(study, settings) if study.has("labels") else ""


def _labels_key(study: Study, settings: Settings) -> tuple:
    return chosen_lexicon(study, settings), settings.tokenizer, settings.tau, settings.voters


catalogue = kept(_READ, _labels_key)(filters.catalogue)  # every document with its labels and the live word list


@kept(_READ, align_key)
def all_occurrences(study: Study, settings: Settings) -> Occurrences:
    """Return the ranks of each document in the lists."""
    return occurrences.occurrences(aligned(study, settings))


@kept(_READ, SCORES)
def exposure(study: Study, settings: Settings, query: str = "") -> Array:
    """The mean share of attention of each document, (D,)."""
    doc_ids = catalogue(study, settings).doc_ids
    return occurrences.exposure(study, settings, aligned(study, settings), doc_ids, query)


partly_empty = kept(_READ)(raters.partly_empty)
columns = kept(_READ)(filters.columns)


@kept(_READ, SCORES)
def effects(study: Study, settings: Settings, measure: str, first: str, second: str) -> pd.DataFrame:
    """Return the effect of each label on the difference of two systems, by priority."""
    return label_effects(study, settings, measure, first, second, rankings=aligned(study, settings))


@kept(_READ, SCORES)
def noise(study: Study, settings: Settings, measure: str, source: Literal["annotators", "dawid-skene"]) -> pd.DataFrame:
    """Return a mean of each system for each draw of the labels."""
    return label_noise(study, settings, measure, source=source, rankings=aligned(study, settings))


without_one = kept(_READ, SCORES)(leave_one_annotator_out)  # means of each system without each annotator in turn


@kept(_READ, SCORES)
def bounds(study: Study, settings: Settings, measure: str) -> pd.DataFrame:
    """Return the range of values that labels of the unlabelled documents could give."""
    return label_bounds(study, settings, measure, rankings=aligned(study, settings))


@kept(_QUERY, tables.SCORES)
def values(study: Study, settings: Settings, questions: Sequence[Question], systems: tuple[str, ...]) -> pd.DataFrame:
    """system, query_id, measure, value of these systems; of GSR what each query adds to a system's slope."""
    single = [question.text for question in questions if question.per_query]
    parts = []
    if single:
        scores = tables.scores(study, single, settings.changed(systems=systems))
        parts.append(scores[["system", "query_id", "measure", "value"]])
    slopes = [question for question in questions if question.text not in single]
    parts += [_added(study, settings, question, system) for question in slopes for system in systems]
    return pd.concat(parts, ignore_index=True)


def _added(study: Study, settings: Settings, question: Question, system: str) -> pd.DataFrame:
    """Return the part of each query in a system's slope, in place of values."""
    contributions = anatomy(study, settings, question, system, None, None).table.set_index("query_id")["contribution"]
    column = contributions.reindex(list(chosen_queries(study, settings)))
    return pd.DataFrame(
        {"system": system, "query_id": column.index.astype("str"), "measure": question.text, "value": column.to_numpy()}
    )


@kept(_QUERY, tables.SCORES)
def order(
    study: Study,
    settings: Settings,
    questions: Sequence[Question],
    systems: tuple[str, ...],
    by: By,
    question: Question,
    other: Question,
) -> pd.DataFrame:
    """The queries shown, as `order_of_queries` gives them."""
    ordered = order_of_queries(values(study, settings, questions, systems), by, question, systems, other)
    return ordered[ordered["query_id"].isin(chosen_queries(study, settings))].reset_index(drop=True)


@kept(_QUERY, tables.SCORES)
def strip(study: Study, settings: Settings, questions: Sequence[Question], systems: tuple[str, ...]) -> strips.Strip:
    """The strips of all queries, without one that is marked."""
    return strips.info(values(study, settings, questions, systems), questions, systems, "")


@kept(_QUERY, tables.SCORES)
def anatomy(
    study: Study, settings: Settings, measure: Question, system: str, query: str | None, against: str | None
) -> Anatomy:
    """The measure's value in its parts. Raises: see fairviz.evaluation.contributions.anatomy."""
    settings = settings.changed(cutoff=measure.cutoff or settings.cutoff)
    arrays = tables.aligned(study, settings, wants_collection([measure], settings))
    return taken_apart(study, measure.text, system, query, settings, against=against, rankings=arrays)
