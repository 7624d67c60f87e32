"""Rows of the editable list: text with marked gender words, label, omega and grade of each document."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairviz.analyses.what_if.experiment import NO_LABEL, changed, replaced_texts, restricted
from fairviz.evaluation.choices import chosen_lexicon, judgements
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import Theme, group_colour
from fairviz.measures.neutrality import neutrality
from fairviz.study.record import Study
from fairviz.ui.kit import highlight
from fairviz.ui.what_if.state import Bench
from fairviz.words.counting import document_text, find_entries

BEGINNING = 150  # characters shown of a document
AFTER = 8  # gender words shown of the remaining text
Piece = tuple[str, int]  # text, and the index of its gender group, -1 for none


def rows(bench: Bench, first: int) -> list[dict[str, Any]]:
    """Return the first documents of the edited list in the script's format; all texts are data."""
    experiment, study = bench.experiment, bench.study
    names = experiment.order[:first]
    column = np.array([bench.places.rankings.queries.index(experiment.query)])
    places = changed(study, bench.settings, restricted(bench.places, column), experiment)
    omega = neutrality(places, bench.settings.tau)
    at = places.rankings.doc_ids.get_indexer(pd.Index(names, dtype="str"))
    texts = texts_of(study, bench.settings, experiment.reworded, names)
    relevance = judgements(study).get(experiment.query, {})
    was = {name: rank for rank, name in enumerate(experiment.start, start=1)}
    labels = dict(experiment.known)
    return [
        {
            "id": name,
            "was": was[name],
            "label": experiment.label(name),
            "relabelled": name in experiment.relabelled,
            "before": labels.get(name, "") or NO_LABEL,
            "omega": "no text" if np.isnan(omega[row]) else f"ω {omega[row]:.2f}",
            "grade": graded(relevance.get(name)),
            "pieces": texts[name],
            "words": name in texts and bool(texts[name]),
            "reworded": name in experiment.reworded,
        }
        for name, row in zip(names, at.tolist(), strict=True)
    ]


def graded(relevance: int | None) -> str:
    """Return `★ 2` for a relevant document with its grade, `☆ 0` for one judged not relevant, "" without a
    judgement.
    """
    return "" if relevance is None else f"{'★' if relevance > 0 else '☆'} {relevance}".replace("-", "−")


def texts_of(
    study: Study, settings: Settings, reworded: frozenset[str], names: Sequence[str]
) -> Mapping[str, list[Piece]]:
    """Return the pieces shown of each document; none for one without text."""
    documents = study.documents[study.documents["doc_id"].isin(list(names))]
    text_by_id = dict(zip(documents["doc_id"].astype("str"), document_text(documents), strict=True))
    text_by_id |= replaced_texts(study, [name for name in names if name in reworded])
    lexicon = chosen_lexicon(study, settings)

    def pieces(text: object) -> list[Piece]:
        if not isinstance(text, str):
            return []
        found = find_entries(text, lexicon, settings.tokenizer, study.groups)
        marks = [(one.start, one.end, study.groups.index(one.group)) for one in found]
        return list(_pieces(text, marks))

    return {name: pieces(text_by_id.get(name)) for name in names}


def _pieces(text: str, marks: Sequence[tuple[int, int, int]]) -> Iterator[Piece]:
    """Yield the beginning of a text, and the first gender words of the rest."""
    end, at = len(highlight.cut(text, BEGINNING)), 0
    later_marks = [mark for mark in marks if mark[0] >= end]
    for start, stop, group in marks:
        if start >= end:
            break
        yield text[at:start], -1
        yield text[start:stop], group
        at = stop
    yield text[at:end] if at < end else "", -1
    if end < len(text):
        yield " … ", -1
    for start, stop, group in later_marks[:AFTER]:
        yield text[start:stop], group
        yield " … ", -1
    if len(later_marks) > AFTER:
        yield f"and {len(later_marks) - AFTER:,} more gender words", -1


def looks(study: Study, labels: Sequence[str], theme: Theme) -> dict[str, Any]:
    """Return the shape and colour of each label, and the marks of each group's words."""
    return {
        "labels": [
            {
                "name": name,
                "shape": highlight.shape(name, labels),
                "colour": group_colour(name, labels, theme),
            }
            for name in labels
        ],
        "groups": [
            {"line": highlight.line(group, study.groups), "colour": group_colour(group, study.groups, theme)}
            for group in study.groups
        ],
    }
