"""How well annotators do against a reference: the CWEx paper's tables 3 to 6, for any annotators of a study."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.agreement.coefficients import accuracy, cohen_kappa, interval
from fairviz.annotation.agreement.known_answers import ordinary
from fairviz.annotation.agreement.votes import free_name
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_lexicon, labels_of
from fairviz.evaluation.settings import Settings
from fairviz.inspection.raters import (
    PUBLISHED,
    can_count_words,
    domain,
    groups_by,
    neutral_or_gendered,
    word_list_labels,
)
from fairviz.statistics.bootstrap import RESAMPLES, resampling_weights
from fairviz.study.study import Study

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
    """annotator, classes, documents, accuracy and kappa with 95 % intervals, unlabelled and accuracy_of_all: each
    annotator against the reference.

    documents: those that both labelled, answers to test questions left out. tried: the documents that an annotator was
    asked about, by its name; those that got no label from it are `unlabelled`, and count as wrong in
    `accuracy_of_all`. documents: these alone.

    classes: `all` (tables 3 and 5), and `neutral or gendered` (table 4), where the neutrality that NFaiRR gives a
    document stands beside them, under the choices of its public code and with word tokens and τ = 0. by: `class` (of
    the reference), or a column such as stereotype (table 6), in whose values accuracy is told instead, with `all`
    classes. Intervals: queries are drawn with replacement, 1,000 times, each with all its documents; a document that
    no query names is drawn for itself. Raises FairvizError for an unknown reference or column.
    """
    truth = ordinary(labels_of(study, reference))
    if not len(truth):
        raise FairvizError(f"{reference!r} gave no label in {study.name}", "Name another reference.")
    if documents is not None:
        truth = truth[truth["doc_id"].isin(documents)]
    said = {
        name: _told(ordinary(labels_of(study, name)), (tried or {}).get(name)) for name in names if name != reference
    }
    if by:
        return _by(study, truth, said, by)
    rows = [_row(study, name, ALL_CLASSES, truth, table, domain(study)) for name, table in said.items()]
    merged = neutral_or_gendered(truth, study)
    two = domain(study, binary=True)
    if said:  # the word list is told of the documents that the annotators were asked about
        merged = merged[merged["doc_id"].isin(pd.concat([table["doc_id"] for table in said.values()]))]
    for name, table in (said | _neutrality(study, settings or Settings())).items():
        known = neutral_or_gendered(table.dropna(subset=["label"]), study)
        rows.append(_row(study, name, BINARY, merged, _told(known, table["doc_id"].tolist()), two))
    return pd.DataFrame(rows)


def _told(labels: pd.DataFrame, tried: Sequence[str] | None) -> pd.DataFrame:
    """doc_id, label of the documents that an annotator was asked about, the label missing where it gave none."""
    labels = labels[["doc_id", "label"]]
    if tried is None:
        return labels
    return pd.DataFrame({"doc_id": pd.Series(list(tried), dtype="str")}).merge(labels, on="doc_id", how="left")


def _neutrality(study: Study, settings: Settings) -> dict[str, pd.DataFrame]:
    """NFaiRR's neutrality as an annotator: neutral where ω is 1, else gendered."""
    if not can_count_words(study, settings):
        return {}
    lexicon = chosen_lexicon(study, settings)
    return {
        f"NFaiRR's ω ({tokenizer} tokens, τ = {tau})": word_list_labels(study, lexicon, tokenizer, tau)
        for tokenizer, tau in reversed(PUBLISHED)
    }


def _by(study: Study, truth: pd.DataFrame, said: dict[str, pd.DataFrame], by: str) -> pd.DataFrame:
    """The table within each value of a column; `class` is the label that the reference gave."""
    if by == CLASS:
        members = truth[["doc_id", "label"]].rename(columns={"label": "value"})
        order = {label: place for place, label in enumerate(domain(study))}
    else:
        members, order = groups_by(study, truth, by), {}
    column = free_name(by, ("annotator", "classes", "documents", *VALUES))
    rows = []
    for name, table in said.items():
        for value, part in sorted(members.groupby("value"), key=lambda pair: (order.get(str(pair[0]), 0), pair[0])):
            own = truth[truth["doc_id"].isin(part["doc_id"])]
            row = _row(study, name, ALL_CLASSES, own, table, domain(study))
            rows.append({"annotator": name, column: str(value), **row})
    return pd.DataFrame(rows)


def _row(
    study: Study, name: str, classes: str, truth: pd.DataFrame, said: pd.DataFrame, labels: Sequence[str]
) -> dict[str, object]:
    asked = truth[["doc_id", "label"]].merge(said, on="doc_id", suffixes=("_true", "_said"))
    both = asked.dropna(subset=["label_said"])
    index = pd.Index(list(labels), dtype="str")
    true, given = (index.get_indexer(pd.Index(both[column])) for column in ("label_true", "label_said"))
    values = dict(
        zip(VALUES, scored(tables_by_query(query_of(study, both["doc_id"]), true, given, len(labels))), strict=True)
    )
    right = int((true == given).sum())
    return {
        "annotator": name,
        "classes": classes,
        "documents": len(both),
        **values,
        "unlabelled": len(asked) - len(both),
        "accuracy_of_all": right / len(asked) if len(asked) else np.nan,
    }


def scored(tables: Array) -> list[float]:
    """VALUES of the documents counted by query, reference's label and annotator's, (Q, L, L). Kappa is NaN where the
    reference gave one label alone: it would be 0 whatever the annotator says."""
    whole = tables.sum(axis=0)
    values = [float(accuracy(whole)), np.nan, np.nan, float(cohen_kappa(whole)), np.nan, np.nan]
    if len(tables) > 1:
        drawn = np.tensordot(resampling_weights(len(tables), RESAMPLES), tables, axes=1)  # (B, L, L)
        values[1:3], values[4:6] = interval(accuracy(drawn)), interval(cohen_kappa(drawn))
    if (whole.sum(axis=1) > 0).sum() < 2:
        values[3:] = [np.nan] * 3
    return values


def tables_by_query(queries: Array, true: Array, said: Array, labels: int) -> Array:
    """Documents by query, the reference's label and the annotator's, (Q, L, L); all three are codes (D,)."""
    places, _ = pd.factorize(queries)
    shape = (int(places.max(initial=-1)) + 1, labels, labels)
    if not len(places):
        return np.zeros((0, labels, labels))
    cells = np.ravel_multi_index((places, true, said), shape)
    return np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)


def query_of(study: Study, doc_ids: pd.Series) -> Array:
    """The query that each document is judged or else ranked for first, (D,); a document of none stands for itself."""
    table = study.qrels if study.has("qrels") else study.runs
    pairs = table[["doc_id", "query_id"]].astype("str").drop_duplicates("doc_id")
    found = doc_ids.map(dict(zip(pairs["doc_id"], pairs["query_id"], strict=True)))
    return np.where(found.isna(), "document " + doc_ids.astype("str"), "query " + found.astype("str"))
