"""Samples of queries or documents that people are to label, so that a machine's labels can be corrected."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from fairviz.annotation.forms.database import DESIGNS, Design, Sample
from fairviz.annotation.voters import annotator_names, is_machine, labels_of, members_of
from fairviz.declared import SAMPLE
from fairviz.errors import FairvizError, UsageError, expect, expect_whole
from fairviz.evaluation.choices import Resolved, align, selection_of
from fairviz.evaluation.questions import A_MEASURE, ask, chosen_settings
from fairviz.evaluation.scores import bias_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.position_bias import position_bias
from fairviz.measures.record import Measure
from fairviz.measures.sums import AlignedRankings, toy
from fairviz.parameters import check_parameters
from fairviz.statistics.corrected import draw_fixed, probabilities
from fairviz.study.record import Study
from fairviz.words.sentences import listed, out_of

Array = np.ndarray


def draw_sample(
    study: Study,
    design: Design,
    measure: str | Question,
    budget: int,
    *,
    systems: Sequence[str] = (),
    seed: int = 0,
    settings: Settings | None = None,
    **choices: object,
) -> Sample:
    """Draw what people are to label, so that `fairviz.corrected` can correct a machine's labels of all documents.

    Parameters
    ----------
    study : Study
        With runs, and labels by the machine.
    design : {'queries', 'documents'}
        A simple random sample of queries, of which the top documents of all systems are labelled, for every measure of
        labels; or documents in proportion to their attention and to the machine's doubt, with a tenth spread evenly,
        for Exposure and ExposureGap.
    measure : str or Question
        Its cutoff bounds the documents.
    budget : int
        The number of documents: exact for documents, expected for queries.
    systems : sequence of str
        Those to be measured; all by default.
    seed : int
        Equal seeds draw equal samples.
    settings : Settings, optional
        The choices, as annotator="lexicon", the machine.
    **choices
        Fields of Settings to change.

    Returns
    -------
    Sample
        The drawn queries or documents, with their probabilities.

    Raises
    ------
    UsageError
        For a design or measure that does not fit.
    FairvizError
        If the study lacks what it needs, or a document lacks the machine's label.

    Examples
    --------
    >>> import fairviz
    >>> sample = fairviz.draw_sample(fairviz.open_study("newswire"), "queries", "CWEx@10", 100, annotator="lexicon")
    >>> sample.text
    '3 of 40 queries'
    """
    expect("design", design, str, f"Use {' or '.join(DESIGNS)}.")
    expect("measure", measure, (str, Question), A_MEASURE)
    check_parameters({"budget": budget, "seed": seed}, SAMPLE)
    settings = with_machine(study, chosen_settings(study, settings, choices))
    question = ask(measure, settings)
    refuse_without_labels(question)
    Resolved(study, settings).refuse_missing([question])
    if design not in DESIGNS:
        raise UsageError(f"design is {design!r}", f"Use {' or '.join(DESIGNS)}.")
    expect("systems", systems, (list, tuple), "Give names of systems.")
    settings = settings.changed(systems=tuple(systems) or settings.systems)
    draw = _drawn_queries if design == "queries" else _drawn_documents
    chances, units, documents = draw(study, settings, question, budget, seed)
    systems = Resolved(study, settings).systems
    return Sample(design, settings.annotator, systems, question.text, int(budget), int(seed), chances, units, documents)


def with_machine(study: Study, settings: Settings) -> Settings:
    """Return the settings with the annotator to be corrected: the named one, else the study's only rule or model.

    Raises UsageError where it is not known, FairvizError for a study without labels.
    """
    if settings.annotator:
        return settings.changed(annotator=Resolved(study, settings).annotator)
    machines = [name for name in annotator_names(study) if is_machine(study, name)]
    if len(machines) != 1:
        remedy = f"Name one of {', '.join(machines)}." if machines else f"fairviz annotate {study.name} makes one."
        raise UsageError(f"{study.name} has {len(machines)} annotators that are rules or models", remedy)
    return settings.changed(annotator=machines[0])


def refuse_machine(study: Study, name: str, voters: Sequence[str] = ()) -> None:
    """Raise UsageError for labels by rules or models alone, which correct nothing. voters: of a consensus."""
    names = members_of(study, name, voters)
    if machines := [voter for voter in names if is_machine(study, voter)]:
        raise UsageError(f"{name} is a rule or a model, and people correct machines" if names == (name,)
                         else f"{name} counts {listed(machines)}, which are rules or models",
                         "Name whose labels are a person's as corrected_by.")  # fmt: skip


def refuse_without_labels(question: Question) -> None:
    """Raise UsageError for a measure that no labels can correct."""
    if question.family != "labels":
        raise UsageError(f"{question.text} reads no labels, so no labels can correct it", "Use CWEx or ExposureGap.")
    if question.background:
        raise UsageError(
            f"{question.text} reads labels of documents that are in no sample of lists", "Use CWEx or ExposureGap."
        )


def of_labels(questions: Sequence[Question]) -> list[Question]:
    """Return the measures of labels."""
    return [question for question in questions if question.family == "labels" and not question.background]


def is_linear(question: Question) -> bool:
    """Return whether a measure is a sum over documents of attention and a number of the label."""
    return bool(question.measure and question.measure.outer and question.measure.outer.additive)


def refuse_nonlinear(question: Question) -> None:
    """Raise UsageError for a measure that drawn documents cannot correct."""
    if not is_linear(question):
        raise UsageError(
            f"{question.text} is not a sum over documents: absolute values and ratios of corrected sums are biased",
            "Draw queries for it (--design queries), or take Exposure or ExposureGap.",
        )


def label_values(measure: Measure, parameters: Mapping[str, Any], rankings: AlignedRankings) -> Array:
    """Return the number of each label in a linear measure, neutral first: (1 + G,). Its value for one document."""
    one = position_bias("uniform", 1)
    lists = (
        replace(toy(labels=[name], groups=rankings.groups), neutral=rankings.neutral, protected=rankings.protected)
        for name in ("neutral", *rankings.groups)
    )
    return np.array([measure.compute(each, parameters, one, np.array([1])).item() for each in lists])


@dataclass(frozen=True, eq=False)
class Attention:
    """The attention to each document of a study's lists at a cutoff.

    share (S, Q, k): of the attention within each list by rank, 0 below its end; a stochastic system has the lists of
    its draws one after another, with equal parts. documents (S, Q, k): places in doc_ids. answered (S, Q): whether a
    system has a list.
    """

    share: Array
    documents: Array
    answered: Array

    def weights(self, systems: Sequence[int], size: int) -> Array:
        """Return the mean share of each document over the queries that all these systems answer, (len(systems), D)."""
        both = self.answered[list(systems)].all(axis=0)
        table = np.zeros((len(systems), size))
        for row, system in enumerate(systems):
            np.add.at(table[row], self.documents[system, both].ravel(), self.share[system, both].ravel())
        return table / max(int(both.sum()), 1)


def attention_of(study: Study, settings: Settings, question: Question, rankings: AlignedRankings) -> Attention:
    """Return the attention to the documents of the systems and queries that the settings select."""
    selection = selection_of(study, settings, rankings)
    cutoff = question.cutoff or settings.cutoff
    depth = min(cutoff, rankings.lists.depth)
    bias = bias_of(rankings, settings, cutoff).weights(cutoff)[:depth]
    parts = [_of_draws(lists, bias) for lists in selection.take_draws(rankings.lists.documents[:depth])]
    width = max((share.shape[1] for share, _, _ in parts), default=depth)
    pad = [((0, 0), (0, width - share.shape[1])) for share, _, _ in parts]
    return Attention(
        np.stack([np.pad(share, rest) for (share, _, _), rest in zip(parts, pad, strict=True)]),
        np.stack([np.pad(documents, rest) for (_, documents, _), rest in zip(parts, pad, strict=True)]),
        np.stack([answered for _, _, answered in parts]),
    )


def _of_draws(lists: Array, bias: Array) -> tuple[Array, Array, Array]:
    """Return share, documents (Q, draws · k) and answered (Q,) of a system's lists (k, draws, Q), one after another.

    Each draw with a list for the query has the same part of the system's attention.
    """
    documents = lists.transpose(2, 1, 0)  # (Q, draws, k)
    weights = np.where(documents >= 0, bias, 0.0)
    total = weights.sum(axis=-1, keepdims=True)
    share = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    answered = (total > 0).sum(axis=1, keepdims=True)  # (Q, 1, 1)
    flat, share = (len(documents), -1), share / np.maximum(answered, 1)
    return share.reshape(flat), np.maximum(documents, 0).reshape(flat), answered[:, 0, 0] > 0


def _drawn_queries(
    study: Study, settings: Settings, question: Question, budget: int, seed: int
) -> tuple[dict[str, float], tuple[str, ...], tuple[str, ...]]:
    """Return the probabilities of queries, those drawn, and the documents to label."""
    rankings = align(study, settings)
    queries = selection_of(study, settings, rankings).queries
    attention = attention_of(study, settings, question, rankings)
    tops = [np.unique(attention.documents[:, place][attention.share[:, place] > 0]) for place in range(len(queries))]
    each = float(np.mean([len(top) for top in tops]))
    expect_whole("budget", budget, 1, max(round(each * len(queries)), 1))
    count = int(np.clip(round(budget / each), min(2, len(queries)), len(queries)))
    chosen = np.sort(np.random.default_rng(seed).choice(len(queries), count, replace=False))
    documents = np.unique(np.concatenate([tops[place] for place in chosen]))
    return (
        dict.fromkeys(queries, count / len(queries)),
        tuple(queries[place] for place in chosen),
        tuple(rankings.lists.doc_ids[documents]),
    )


def _drawn_documents(
    study: Study, settings: Settings, question: Question, budget: int, seed: int
) -> tuple[dict[str, float], tuple[str, ...], tuple[str, ...]]:
    """Return the probabilities of documents, and those drawn, twice."""
    rankings = align(study, settings)
    refuse_nonlinear(question)
    refuse_unlabelled(study, settings, question, rankings)
    attention = attention_of(study, settings, question, rankings)
    weights = attention.weights(range(len(attention.answered)), len(rankings.lists.doc_ids)).max(axis=0)
    names, weights = rankings.lists.doc_ids[weights > 0], weights[weights > 0]
    expect_whole("budget", budget, 2, max(len(names), 2))

    # The machine's doubt of each document: √(c (1 − c)) of its confidence c, or 1 without any.
    labels, doubt = labels_of(study, Resolved(study, settings).annotator), np.ones(len(names))
    if "confidence" in labels:
        confidence = pd.to_numeric(labels.set_index("doc_id")["confidence"], errors="coerce").reindex(names)
        confidences = confidence.clip(0, 1).fillna(0.5).to_numpy(dtype=np.float64)
        doubt = np.sqrt(confidences * (1 - confidences))
    chances = probabilities(weights, doubt, int(budget))
    drawn = tuple(names[draw_fixed(chances, seed)])
    return dict(zip(names, chances.tolist(), strict=True)), drawn, drawn


def refuse_unlabelled(study: Study, settings: Settings, question: Question, rankings: AlignedRankings) -> None:
    """Raise FairvizError for a ranked document without the machine's label: a sum over documents needs all of them."""
    attention = attention_of(study, settings, question, rankings)
    codes = rankings.labels.codes[attention.documents[attention.share > 0]]
    if (codes < 0).any():
        name = Resolved(study, settings).annotator
        raise FairvizError(
            f"{name} labelled {out_of(int((codes >= 0).sum()), codes.size, 'place')} of the top documents, and drawn "
            "documents correct a machine that labels all",
            f"Label the rest: fairviz annotate {study.name} --with {name}, or draw queries.",
        )
