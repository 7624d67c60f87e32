"""What the list on the bench shows of a document: its text with gender words marked, label, omega and grade."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fairviz.evaluation.choices import chosen_annotator, chosen_lexicon, judgements
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import Theme
from fairviz.laboratory.experiment import NO_LABEL
from fairviz.laboratory.outcome import changed, replaced_texts, restricted
from fairviz.measures.neutrality import neutrality
from fairviz.measures.sums import Places
from fairviz.study.study import Study
from fairviz.ui.kit import highlight
from fairviz.ui.laboratory.state import Bench
from fairviz.words.counting import document_text

BEGINNING = 150  # characters of a document
AFTER = 8  # gender words that are shown of what follows
Piece = tuple[str, int]  # text, and the place of its gender group, -1 for none


def now_places(bench: Bench) -> Places:
    """The query's lists as the experiment leaves them."""
    column = np.array([bench.places.rankings.queries.index(bench.experiment.query)])
    return changed(bench.study, bench.settings, restricted(bench.places, column), bench.experiment)


def rows(bench: Bench, first: int) -> list[dict[str, Any]]:
    """The first documents of the list as it is now, as the script takes them; all texts are data."""
    held, study = bench.experiment, bench.study
    names = held.order[:first]
    places = now_places(bench)
    omega = neutrality(places, bench.settings.tau)
    at = places.rankings.doc_ids.get_indexer(pd.Index(names, dtype="str"))
    texts = texts_of(study, bench.settings, held.reworded, names)
    judged = judgements(study).get(held.query, {})
    was = {name: rank for rank, name in enumerate(held.start, start=1)}
    known = dict(held.known)
    return [
        {
            "id": name,
            "was": was[name],
            "label": held.label(name),
            "relabelled": name in held.relabelled,
            "before": known.get(name, "") or NO_LABEL,
            "omega": "no text" if np.isnan(omega[row]) else f"ω {omega[row]:.2f}",
            "grade": graded(judged.get(name)),
            "pieces": texts[name],
            "words": name in texts and bool(texts[name]),
            "reworded": name in held.reworded,
        }
        for name, row in zip(names, at.tolist(), strict=True)
    ]


def graded(relevance: int | None) -> str:
    """`★ 2`: relevant with its grade, `☆ 0`: judged not relevant; nothing where nobody judged it."""
    return "" if relevance is None else f"{'★' if relevance > 0 else '☆'} {relevance}".replace("-", "−")


def texts_of(
    study: Study, settings: Settings, reworded: frozenset[str], names: Sequence[str]
) -> Mapping[str, list[Piece]]:
    """The pieces that are shown of each document; none for one without text."""
    held = study.documents[study.documents["doc_id"].isin(list(names))]
    found = dict(zip(held["doc_id"].astype("str"), document_text(held), strict=True))
    found |= replaced_texts(study, settings, [name for name in names if name in reworded])
    lexicon = chosen_lexicon(study, settings)

    def pieces(text: object) -> list[Piece]:
        if not isinstance(text, str):
            return []
        tokens = highlight.tokens(text, settings.tokenizer)
        groups = highlight.group_of_tokens(tokens, lexicon, study.groups)
        marks = [
            (one.start, one.end, study.groups.index(name)) for one, name in zip(tokens, groups, strict=True) if name
        ]
        return list(_pieces(text, marks))

    return {name: pieces(found.get(name)) for name in names}


def _pieces(text: str, marks: Sequence[tuple[int, int, int]]) -> Iterator[Piece]:
    """The beginning of a text, and the first gender words of what follows it."""
    end, at = len(highlight.cut(text, BEGINNING)), 0
    after = [mark for mark in marks if mark[0] >= end]
    for start, stop, group in marks:
        if start >= end:
            break
        yield text[at:start], -1
        yield text[start:stop], group
        at = stop
    yield text[at:end] if at < end else "", -1
    if end < len(text):
        yield " … ", -1
    for start, stop, group in after[:AFTER]:
        yield text[start:stop], group
        yield " … ", -1
    if len(after) > AFTER:
        yield f"and {len(after) - AFTER:,} more gender words", -1


def looks(study: Study, labels: Sequence[str], theme: Theme) -> dict[str, Any]:
    """The shape and colour of each label, and how the words of each group are marked."""
    return {
        "labels": [
            {
                "name": name,
                "shape": highlight.shape(name, labels),
                "colour": highlight.label_colour(name, labels, theme),
            }
            for name in labels
        ],
        "groups": [
            {"line": highlight.line(group, study.groups), "colour": highlight.label_colour(group, study.groups, theme)}
            for group in study.groups
        ],
    }


def whose_labels(study: Study, settings: Settings) -> str:
    """Whose labels stand in the list."""
    return f"Labels: {chosen_annotator(study, settings)}. " if study.has("labels") else ""
