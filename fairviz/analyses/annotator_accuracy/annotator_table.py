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
from fairviz.annotation.agreement.coefficients import DOCUMENTS, QUERIES, query_of, tables_by_query
from fairviz.annotation.agreement.pairs import VALUES, coefficients_of
from fairviz.annotation.agreement.votes import free_name, ordinary
from fairviz.annotation.voters import labels_beside, labels_of
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study

CLASS = "class"
ALL_CLASSES, BINARY = "all", "neutral or gendered"


def annotator_table(
    study: Study,
    names: Sequence[str],
    reference: str,
    by: str = "",
    settings: Settings | None = None,
    tried: Mapping[str, Sequence[str]] | None = None,
    documents: Sequence[str] | None = None,
    draw: str = DOCUMENTS,
) -> pd.DataFrame:
    """Return each annotator against the reference: annotator, classes, documents, accuracy and kappa with 95 %
    intervals, unlabelled, accuracy_of_all, and reason (of an undefined kappa, in words).

    documents: those that both labelled, without answers to test questions. tried: the documents presented to an
    annotator, by its name; those without a label from it are `unlabelled`, and count as wrong in `accuracy_of_all`.
    documents: these only.

    classes: `all` (tables 3 and 5), and `neutral or gendered` (table 4), with NFaiRR's neutrality as a further
    annotator, under the choices of its public code and with word tokens and τ = 0. by: `class` (of the reference), or a
    column such as stereotype (table 6), by whose values accuracy is reported instead, with `all` classes. Intervals:
    documents are drawn with replacement, 1,000 times; with draw `queries`, queries with all their documents, and a
    document without a query by itself. The settings' voters make a consensus. Raises FairvizError for an unknown
    reference or column.
    """
    settings = settings or Settings()
    if not len(ordinary(labels_of(study, reference, settings.voters))):
        raise FairvizError(f"{reference!r} gave no label in {study.name}", "Name another reference.")
    voters = settings.voters

    def truth_beside(name: str) -> pd.DataFrame:
        truth = ordinary(labels_beside(study, reference, name, voters))
        return truth if documents is None else truth[truth["doc_id"].isin(documents)]

    truth_by_name, labels_by_name = {}, {}
    for name in names:
        if name != reference:
            truth_by_name[name] = truth_beside(name)
            labels_by_name[name] = _presented_labels(ordinary(labels_of(study, name, voters)), (tried or {}).get(name))
    if by:
        return _rows_by(study, truth_by_name, labels_by_name, by, draw)
    rows = [
        _row(study, name, ALL_CLASSES, truth_by_name[name], table, domain(study), draw)
        for name, table in labels_by_name.items()
    ]
    two = domain(study, binary=True)
    compared = pd.concat([table["doc_id"] for table in labels_by_name.values()]) if labels_by_name else None
    for name, table in (labels_by_name | _neutrality(study, settings)).items():
        truth = truth_by_name[name] if name in truth_by_name else truth_beside(name)
        if compared is not None:  # the word list is compared on the annotators' documents
            truth = truth[truth["doc_id"].isin(compared)]
        binary_truth = neutral_or_gendered(truth, study)
        binary_table = neutral_or_gendered(table.dropna(subset=["label"]), study)
        presented = _presented_labels(binary_table, table["doc_id"].tolist())
        rows.append(_row(study, name, BINARY, binary_truth, presented, two, draw))
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


def _rows_by(
    study: Study, truth_by_name: dict[str, pd.DataFrame], labels_by_name: dict[str, pd.DataFrame], by: str, draw: str
) -> pd.DataFrame:
    """Return the table for each value of a column; `class` is the reference's label."""
    column = free_name(by, ("annotator", "classes", "documents", *VALUES))
    order = {label: place for place, label in enumerate(domain(study))} if by == CLASS else {}
    rows = []
    for name, table in labels_by_name.items():
        truth = truth_by_name[name]
        if by == CLASS:
            members = truth[["doc_id", "label"]].rename(columns={"label": "value"})
        else:
            members = groups_by(study, truth, by)
        for value, group in sorted(members.groupby("value"), key=lambda pair: (order.get(str(pair[0]), 0), pair[0])):
            group_truth = truth[truth["doc_id"].isin(group["doc_id"])]
            row = _row(study, name, ALL_CLASSES, group_truth, table, domain(study), draw)
            rows.append({"annotator": name, column: str(value), **row})
    return pd.DataFrame(rows)


def _row(
    study: Study,
    name: str,
    classes: str,
    truth: pd.DataFrame,
    annotator_labels: pd.DataFrame,
    labels: Sequence[str],
    draw: str,
) -> dict[str, object]:
    """Return a row of the table. Kappa is NaN if the reference has a single label: it would be 0 for any annotator."""
    pairs = truth[["doc_id", "label"]].merge(annotator_labels, on="doc_id", suffixes=("_true", "_said"))
    complete = pairs.dropna(subset=["label_said"])
    index = pd.Index(list(labels), dtype="str")
    true, answers = (index.get_indexer(pd.Index(complete[column])) for column in ("label_true", "label_said"))
    units = query_of(study, complete["doc_id"]) if draw == QUERIES else np.zeros(len(complete), dtype=int)
    by_unit = tables_by_query(units, true, answers, len(labels))  # (Q, L, L), one table where documents are drawn
    total = by_unit.sum(axis=0).astype(np.int64)
    by_query = (lambda _: by_unit) if draw == QUERIES else None
    table = coefficients_of(total[None], np.ones(1, dtype=bool), by_query=by_query)
    values = dict(zip(VALUES, table.iloc[0], strict=True))
    has_one_label = (total.sum(axis=1) > 0).sum() < 2
    if has_one_label:
        values |= dict.fromkeys(("kappa", "kappa_low", "kappa_high"), np.nan)
    too_few = f"fewer than 2 common {draw}" if np.isnan(values["accuracy_low"]) else ""
    reason = "one label only" if has_one_label else too_few
    correct = int((true == answers).sum())
    return {
        "annotator": name,
        "classes": classes,
        "documents": len(complete),
        **values,
        "unlabelled": len(pairs) - len(complete),
        "accuracy_of_all": correct / len(pairs) if len(pairs) else np.nan,
        "reason": reason if len(complete) else "no common documents",
    }
