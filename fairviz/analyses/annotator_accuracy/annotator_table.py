"""Quality of annotators against a reference: the CWEx paper's tables 3 to 6, for any annotators of a study."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from fairviz.analyses.annotator_accuracy.raters import (
    PUBLISHED,
    can_count_words,
    domain,
    groups_by,
    neutral_or_gendered,
    word_list_labels,
)
from fairviz.annotation.agreement.clusters import query_of, tables_by_query
from fairviz.annotation.agreement.coefficients import accuracy, cohen_kappa, interval
from fairviz.annotation.agreement.known_answers import ordinary
from fairviz.annotation.agreement.votes import free_name
from fairviz.annotation.counted import labels_of
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.statistics.bootstrap import RESAMPLES, resampling_weights
from fairviz.study.record import Study

Array = np.ndarray
CLASS = "class"
ALL_CLASSES, BINARY = "all", "neutral or gendered"
VALUES = ("accuracy", "accuracy_low", "accuracy_high", "kappa", "kappa_low", "kappa_high")


def annotator_table(
    study: Study,
    names: Sequence[str],
    reference: str,
    by: str = "",
    settings: Settings | None = None,
    tried: Mapping[str, Sequence[str]] | None = None,
    documents: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return each annotator against the reference: annotator, classes, documents, accuracy and kappa with 95 %
    intervals, unlabelled and accuracy_of_all.

    documents: those that both labelled, without answers to test questions. tried: the documents presented to an
    annotator, by its name; those without a label from it are `unlabelled`, and count as wrong in `accuracy_of_all`.
    documents: these only.

    classes: `all` (tables 3 and 5), and `neutral or gendered` (table 4), with NFaiRR's neutrality as a further
    annotator, under the choices of its public code and with word tokens and τ = 0. by: `class` (of the reference), or a
    column such as stereotype (table 6), by whose values accuracy is reported instead, with `all` classes. Intervals:
    queries are drawn with replacement, 1,000 times, each with all its documents; a document without a query is drawn by
    itself. Raises FairvizError for an unknown reference or column.
    """
    truth = ordinary(labels_of(study, reference))
    if not len(truth):
        raise FairvizError(f"{reference!r} gave no label in {study.name}", "Name another reference.")
    if documents is not None:
        truth = truth[truth["doc_id"].isin(documents)]
    labels_by_name = {
        name: _presented_labels(ordinary(labels_of(study, name)), (tried or {}).get(name))
        for name in names
        if name != reference
    }
    if by:
        return _rows_by(study, truth, labels_by_name, by)
    rows = [_row(study, name, ALL_CLASSES, truth, table, domain(study)) for name, table in labels_by_name.items()]
    binary_truth = neutral_or_gendered(truth, study)
    two = domain(study, binary=True)
    if labels_by_name:  # the word list is compared on the annotators' documents
        binary_truth = binary_truth[
            binary_truth["doc_id"].isin(pd.concat([table["doc_id"] for table in labels_by_name.values()]))
        ]
    for name, table in (labels_by_name | _neutrality(study, settings or Settings())).items():
        binary_table = neutral_or_gendered(table.dropna(subset=["label"]), study)
        rows.append(
            _row(study, name, BINARY, binary_truth, _presented_labels(binary_table, table["doc_id"].tolist()), two)
        )
    return pd.DataFrame(rows)


def _presented_labels(labels: pd.DataFrame, tried: Sequence[str] | None) -> pd.DataFrame:
    """Return doc_id, label of the documents presented to an annotator, the label missing where it gave none."""
    labels = labels[["doc_id", "label"]]
    if tried is None:
        return labels
    return pd.DataFrame({"doc_id": pd.Series(list(tried), dtype="str")}).merge(labels, on="doc_id", how="left")


def _neutrality(study: Study, settings: Settings) -> dict[str, pd.DataFrame]:
    """Return NFaiRR's neutrality as an annotator: neutral if ω is 1, else gendered."""
    if not can_count_words(study, settings):
        return {}
    lexicon = chosen_lexicon(study, settings)
    return {
        f"NFaiRR's ω ({tokenizer} tokens, τ = {tau})": word_list_labels(study, lexicon, tokenizer, tau)
        for tokenizer, tau in reversed(PUBLISHED)
    }


def _rows_by(study: Study, truth: pd.DataFrame, labels_by_name: dict[str, pd.DataFrame], by: str) -> pd.DataFrame:
    """Return the table for each value of a column; `class` is the reference's label."""
    if by == CLASS:
        members = truth[["doc_id", "label"]].rename(columns={"label": "value"})
        order = {label: place for place, label in enumerate(domain(study))}
    else:
        members, order = groups_by(study, truth, by), {}
    column = free_name(by, ("annotator", "classes", "documents", *VALUES))
    rows = []
    for name, table in labels_by_name.items():
        for value, group in sorted(members.groupby("value"), key=lambda pair: (order.get(str(pair[0]), 0), pair[0])):
            group_truth = truth[truth["doc_id"].isin(group["doc_id"])]
            row = _row(study, name, ALL_CLASSES, group_truth, table, domain(study))
            rows.append({"annotator": name, column: str(value), **row})
    return pd.DataFrame(rows)


def _row(
    study: Study, name: str, classes: str, truth: pd.DataFrame, annotator_labels: pd.DataFrame, labels: Sequence[str]
) -> dict[str, object]:
    pairs = truth[["doc_id", "label"]].merge(annotator_labels, on="doc_id", suffixes=("_true", "_said"))
    complete = pairs.dropna(subset=["label_said"])
    index = pd.Index(list(labels), dtype="str")
    true, answers = (index.get_indexer(pd.Index(complete[column])) for column in ("label_true", "label_said"))
    tables = tables_by_query(query_of(study, complete["doc_id"]), true, answers, len(labels))
    values = dict(zip(VALUES, score_tables(tables), strict=True))
    correct = int((true == answers).sum())
    return {
        "annotator": name,
        "classes": classes,
        "documents": len(complete),
        **values,
        "unlabelled": len(pairs) - len(complete),
        "accuracy_of_all": correct / len(pairs) if len(pairs) else np.nan,
    }


def score_tables(tables: Array) -> list[float]:
    """Return VALUES of the documents counted by query, reference's label and annotator's, (Q, L, L).

    Kappa is NaN if the reference has a single label: it would be 0 for any annotator.
    """
    total = tables.sum(axis=0)
    values = [float(accuracy(total)), np.nan, np.nan, float(cohen_kappa(total)), np.nan, np.nan]
    if len(tables) > 1:
        resamples = np.tensordot(resampling_weights(len(tables), RESAMPLES), tables, axes=1)  # (B, L, L)
        values[1:3], values[4:6] = interval(accuracy(resamples)), interval(cohen_kappa(resamples))
    if (total.sum(axis=1) > 0).sum() < 2:
        values[3:] = [np.nan] * 3
    return values
