"""Annotators against a reference: accuracy and kappa, cost, disagreements, and accuracy by confidence. Rules and models
above all, which label without people."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.analyses.annotator_accuracy.raters import (
    PUBLISHED,
    can_count_words,
    default_reference,
    domain,
    groups_by,
    neutral_or_gendered,
    word_list_labels,
)
from fairviz.annotation.agreement import ordinary
from fairviz.annotation.agreement.coefficients import DOCUMENTS, QUERIES, query_of, tables_by_query
from fairviz.annotation.agreement.pairs import VALUES, coefficients_of
from fairviz.annotation.agreement.votes import free_name
from fairviz.annotation.annotators.accounts import Account
from fairviz.annotation.annotators.annotating import is_demonstration
from fairviz.annotation.voters import (
    CONSENSUSES,
    annotator_names,
    is_consensus,
    is_machine,
    labels_beside,
    labels_of,
    voters_of,
)
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.models.replies import LABELLED, OUTCOMES
from fairviz.statistics.intervals import share_interval
from fairviz.study.record import Study

MILLION = 1_000_000
REFERENCE, EACH_OTHER = "the reference", "each other"
LOST = tuple(outcome for outcome in OUTCOMES if outcome != LABELLED)
LOST_COLUMNS = tuple(outcome.replace(" ", "_") for outcome in LOST)
TOOK = ("tokens_in", "tokens_out", "cost", "seconds")
CLASS = "class"
ALL_CLASSES, BINARY = "all", "neutral or gendered"
CONFIDENCE = "confidence"  # column of labels
BINS = 10
COLUMNS = ("low", "high", "documents", "confidence", "accuracy", "accuracy_low", "accuracy_high")


def labellers(study: Study) -> tuple[str, ...]:
    """Return the annotators that are rules or models, in order of appearance."""
    return tuple(name for name in annotator_names(study) if is_machine(study, name))


def references(study: Study, voters: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the possible references: annotators that are no rules or models alone, the voters' consensuses, then rules
    and models.
    """
    names = annotator_names(study)
    people = [name for name in names if not is_machine(study, name)]
    consensuses = [
        name for name in CONSENSUSES if is_consensus(study, name) and len(voters_of(study, voters)) > 1 and people
    ]
    return tuple(dict.fromkeys([*people, *consensuses, *names]))


def usual_reference(study: Study, settings: Settings) -> str:
    """Return the default reference: the annotator whose labels count, if people were involved, else the first with
    people.

    In a study without people, the annotator whose labels count. "" without labels.
    """
    offered = references(study, settings.voters)
    default = default_reference(study, settings) if offered else ""
    if default and (is_consensus(study, default) or not is_machine(study, default)) and default in offered:
        return default
    return offered[0] if offered and not is_machine(study, offered[0]) else default


def demonstrations(accounts: Mapping[str, Account]) -> tuple[str, ...]:
    """Return those of these annotators whose labels are demonstrations, not evidence."""
    return tuple(name for name, one in accounts.items() if is_demonstration(one.choice))


def with_accounts(
    table: pd.DataFrame,
    study: Study,
    accounts: Mapping[str, Account],
    price_in: float | None = None,
    price_out: float | None = None,
) -> pd.DataFrame:
    """Return the table of annotators with kind and, from stored answers, lost documents by reason, tokens, seconds and
    cost.

    The cost is in the currency of the prices per million tokens. Missing for annotators without stored answers, and the
    cost without prices.
    """
    has_price = price_in is not None or price_out is not None
    rows = []
    for name in table["annotator"].astype("str"):
        account = accounts.get(name)
        kind = study.annotators[name].kind if name in study.annotators else ""
        row: dict[str, object] = {"kind": kind or "rule", **dict.fromkeys((*TOOK, *LOST_COLUMNS), np.nan)}
        row |= {"model": "", "prompt": ""}
        if account is not None:
            row |= {part: str(account.choice.values[part]) for part in ("model", "prompt")}
            for outcome, column in zip(LOST, LOST_COLUMNS, strict=True):
                row[column] = float((account.outcomes["outcome"] == outcome).sum())
            row |= {name: getattr(account, name) for name in ("tokens_in", "tokens_out", "seconds")}
            if has_price:
                spent = account.tokens_in * (price_in or 0) + account.tokens_out * (price_out or 0)
                row["cost"] = spent / MILLION
        rows.append(row)
    account_columns = pd.DataFrame(rows, index=table.index)
    head, last_names = ["kind", "model", "prompt"], [name for name in table if name != "annotator"]
    return pd.concat([table[["annotator"]], account_columns.reindex(columns=head), table[last_names],
                      account_columns.reindex(columns=[*LOST_COLUMNS, *TOOK])], axis=1)  # fmt: skip


def shared_documents(
    study: Study, names: Sequence[str], tried: Mapping[str, Sequence[str]], voters: Sequence[str] = ()
) -> list[str]:
    """Return the documents that were labelled by or presented to all of these annotators, in the study's order.

    Answers to test questions are left out. tried: documents presented to each annotator. voters: of a consensus.
    """
    tables = {name: ordinary(labels_of(study, name, voters)) for name in names}
    doc_id_sets = [{*table["doc_id"], *tried.get(name, ())} for name, table in tables.items()]
    doc_ids = set.intersection(*doc_id_sets) if doc_id_sets else set()
    return sorted(doc_ids, key=_study_order(study))


def _study_order(study: Study) -> Callable[[str], tuple[int, str]]:
    """Return the sort key of documents: the study's order, unlisted ones last."""
    place = {name: at for at, name in enumerate(study.documents["doc_id"])}
    return lambda name: (place.get(name, len(place)), name)


def lost_answers(accounts: Mapping[str, Account]) -> pd.DataFrame:
    """Return annotator, doc_id, outcome, text of every document presented to a model without a resulting label."""
    tables = [
        one.outcomes[one.outcomes["outcome"] != LABELLED].assign(annotator=name) for name, one in accounts.items()
    ]
    columns = ["annotator", "doc_id", "outcome", "text"]
    if not tables:
        return pd.DataFrame(columns=columns, dtype="str")
    return pd.concat(tables, ignore_index=True)[columns].astype("str")


def disagreements(
    study: Study, names: Sequence[str], reference: str, apart: str = REFERENCE, voters: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the documents on which annotators disagree.

    Columns: doc_id, reference (its label, "" without one), differing (number of annotators with another label than it,
    or with `each other` than most), and `label by NAME` for each.

    Sorted by differing, then in the study's order; answers to test questions are left out. A document labelled by a
    single annotator is left out; with `the reference`, so is one without its label. voters: of a consensus. Raises
    FairvizError for an unknown `apart`.
    """
    if apart not in (REFERENCE, EACH_OTHER):
        raise FairvizError(f"annotators cannot part from {apart!r}", f"Use {REFERENCE} or {EACH_OTHER}.")
    label_by_name = {
        name: _labels_in(labels_of(study, name, voters)) for name in dict.fromkeys(names) if name != reference
    }
    labels = pd.DataFrame(label_by_name, dtype="object")
    labels = labels.loc[sorted(labels.index, key=_study_order(study))]
    gold = _labels_in(labels_of(study, reference, voters) if reference else study.labels.iloc[:0]).reindex(labels.index)
    if apart == EACH_OTHER:
        count = _count_unlike_most(labels)
    else:
        compared = label_by_name if reference else {}
        beside = {name: _labels_in(labels_beside(study, reference, name, voters)) for name in compared}
        expected = pd.DataFrame(beside, index=labels.index, columns=labels.columns, dtype="object")
        count = _count_unlike_expected(labels, expected)
    table = pd.DataFrame({"doc_id": labels.index, "reference": gold.fillna("").to_numpy(), "differing": count})
    for name in labels:
        table[f"label by {name}"] = labels[name].fillna("").to_numpy()
    result = table[table["differing"] > 0].sort_values("differing", ascending=False, kind="stable", ignore_index=True)
    texts = [name for name in result if name != "differing"]
    return result.astype(dict.fromkeys(texts, "str") | {"differing": "int64"})


def _labels_in(table: pd.DataFrame) -> pd.Series:
    labels = ordinary(table)
    return pd.Series(labels["label"].to_numpy(dtype=object), index=labels["doc_id"].to_numpy(dtype=object))


def _count_unlike_most(labels: pd.DataFrame) -> np.ndarray:
    """Return how many annotators' labels of each document differ from its most frequent label."""
    given = labels.to_numpy()
    distinct = [label for label in pd.unique(given.ravel()) if isinstance(label, str)]
    counts = np.array([(given == label).sum(axis=1) for label in distinct]).reshape(len(distinct), len(labels))
    return labels.notna().to_numpy(dtype=bool).sum(axis=1) - counts.max(axis=0, initial=0)


def _count_unlike_expected(labels: pd.DataFrame, expected: pd.DataFrame) -> np.ndarray:
    """Return how many annotators' labels of each document differ from the expected ones, where both are there."""
    comparable = (labels.notna() & expected.notna()).to_numpy(dtype=bool)
    return (comparable & (labels.to_numpy() != expected.to_numpy())).sum(axis=1)


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
        _row(study, name, ALL_CLASSES, _beside(truth_by_name[name], table), domain(study), draw)
        for name, table in labels_by_name.items()
    ]
    two = domain(study, binary=True)
    compared = pd.concat([table["doc_id"] for table in labels_by_name.values()]).unique() if labels_by_name else None
    for name, table in (labels_by_name | _neutrality(study, settings)).items():
        truth = truth_by_name[name] if name in truth_by_name else truth_beside(name)
        if compared is not None:  # the word list is compared on the annotators' documents
            truth = truth[truth["doc_id"].isin(compared)]
        binary_truth = neutral_or_gendered(truth, study)
        binary_table = neutral_or_gendered(table.dropna(subset=["label"]), study)
        presented = _presented_labels(binary_table, table["doc_id"].tolist())
        rows.append(_row(study, name, BINARY, _beside(binary_truth, presented), two, draw))
    return pd.DataFrame(rows)


def _neutrality(study: Study, settings: Settings) -> dict[str, pd.DataFrame]:
    """Return the labels of NFaiRR's neutrality as an annotator, by tokens and τ: neutral if ω is 1, else gendered."""
    if not can_count_words(study, settings):
        return {}
    lexicon = chosen_lexicon(study, settings)
    return {
        f"NFaiRR's ω ({tokenizer} tokens, τ = {tau})": word_list_labels(study, lexicon, tokenizer, tau)
        for tokenizer, tau in reversed(PUBLISHED)
    }


def _presented_labels(labels: pd.DataFrame, tried: Sequence[str] | None) -> pd.DataFrame:
    """Return doc_id, label of the documents presented to an annotator, the label missing where it gave none."""
    labels = labels[["doc_id", "label"]]
    if tried is None:
        return labels
    return pd.DataFrame({"doc_id": pd.Series(list(tried), dtype="str")}).merge(labels, on="doc_id", how="left")


def _rows_by(
    study: Study, truth_by_name: dict[str, pd.DataFrame], labels_by_name: dict[str, pd.DataFrame], by: str, draw: str
) -> pd.DataFrame:
    """Return the table for each value of a column; `class` is the reference's label."""
    column = free_name(by, ("annotator", "classes", "documents", *VALUES))
    order = {label: place for place, label in enumerate(domain(study))} if by == CLASS else {}
    rows = []
    for name, table in labels_by_name.items():
        truth = truth_by_name[name]
        pairs = _beside(truth, table)
        if by == CLASS:
            members = truth[["doc_id", "label"]].rename(columns={"label": "value"})
        else:
            members = groups_by(study, truth, by)
        for value, group in sorted(members.groupby("value"), key=lambda pair: (order.get(str(pair[0]), 0), pair[0])):
            row = _row(study, name, ALL_CLASSES, pairs[pairs["doc_id"].isin(group["doc_id"])], domain(study), draw)
            rows.append({"annotator": name, column: str(value), **row})
    return pd.DataFrame(rows)


def _beside(truth: pd.DataFrame, labels: pd.DataFrame) -> pd.DataFrame:
    """Return doc_id, label_true, label_said of the documents presented to both."""
    return truth[["doc_id", "label"]].merge(labels, on="doc_id", suffixes=("_true", "_said"))


def _row(
    study: Study, name: str, classes: str, pairs: pd.DataFrame, labels: Sequence[str], draw: str
) -> dict[str, object]:
    """Return a row of the table. Kappa is NaN if the reference has a single label: it would be 0 for any annotator."""
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


@dataclass(frozen=True, eq=False)
class Calibration:
    """bins: COLUMNS, a row for each tenth of confidence with documents. error: the expected calibration error, the mean
    over documents of |accuracy − confidence| of their bin. documents: labelled by both, with a confidence."""

    bins: pd.DataFrame
    error: float
    documents: int


def with_confidence(study: Study) -> tuple[str, ...]:
    """Return the annotators whose labels have a confidence."""
    if CONFIDENCE not in study.labels:
        return ()
    rows = study.labels[pd.to_numeric(study.labels[CONFIDENCE], errors="coerce").notna()]
    return tuple(rows["annotator"].astype("str").drop_duplicates())


def calibration(study: Study, annotator: str, reference: str, voters: Sequence[str] = ()) -> Calibration:
    """Return the accuracy of an annotator by its confidence, against a reference; intervals are exact (Clopper and
    Pearson 1934). voters: of a consensus. Raises FairvizError for an annotator without confidence, and without
    documents in common."""
    both = _both(study, annotator, reference, voters)
    place = np.clip(np.ceil(both[CONFIDENCE] * BINS) - 1, 0, BINS - 1).astype(int)
    rows = []
    for number, part in both.groupby(place):
        right, count = int(part["right"].sum()), len(part)
        ends = share_interval(right, count)
        rows.append([number / BINS, (number + 1) / BINS, count, part[CONFIDENCE].mean(), right / count, *ends])
    bins = pd.DataFrame(rows, columns=list(COLUMNS))
    gaps = (bins["accuracy"] - bins["confidence"]).abs()
    return Calibration(bins, float((gaps * bins["documents"]).sum() / len(both)), len(both))


def left_to_people(
    study: Study,
    annotator: str,
    reference: str,
    threshold: float,
    price: float = 0.0,
    voters: Sequence[str] = (),
) -> pd.Series:
    """Return the outcome where people label all documents with a confidence below the threshold, 0 to 1.

    Returns labels (to be given by people), cost (labels · price), kept (documents left to the machine), accuracy,
    accuracy_low and accuracy_high (of those left, against the reference), and checked (how many of these it has).
    """
    if not 0 <= threshold <= 1:
        raise UsageError(f"threshold is {threshold}", "Use a number from 0 to 1.")
    own = _own(study, annotator)
    both = _both(study, annotator, reference, voters)
    below, sure = int((own[CONFIDENCE] < threshold).sum()), both[both[CONFIDENCE] >= threshold]
    right, count = int(sure["right"].sum()), len(sure)
    accuracy = (right / count, *share_interval(right, count)) if count else (np.nan, np.nan, np.nan)
    names = ("labels", "cost", "kept", "accuracy", "accuracy_low", "accuracy_high", "checked")
    return pd.Series([below, below * price, len(own) - below, *accuracy, count], index=list(names))


def _own(study: Study, annotator: str) -> pd.DataFrame:
    names = with_confidence(study)
    if annotator not in names:
        raise FairvizError(
            f"the labels of {annotator} have no confidence",
            use_one_of(names, annotator) if names else "llm(samples=5) and logprob store one.",
        )
    own = study.labels[study.labels["annotator"] == annotator]
    numbers = pd.to_numeric(own[CONFIDENCE], errors="coerce")
    return own.assign(**{CONFIDENCE: numbers.clip(0, 1)}).dropna(subset=[CONFIDENCE])


def _both(study: Study, annotator: str, reference: str, voters: Sequence[str]) -> pd.DataFrame:
    """Return the annotator's labels with a confidence that the reference labelled too, with the column `right`."""
    others = labels_beside(study, reference, annotator, voters)[["doc_id", "label"]].rename(columns={"label": "true"})
    both = _own(study, annotator).merge(others, on="doc_id")
    if not len(both):
        raise FairvizError(f"{annotator} and {reference} labelled no document in common", "Choose another reference.")
    return both.assign(right=both["label"].astype("str") == both["true"].astype("str"))
