"""Annotators that are rules or models: their references, cost, and disagreements."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from fairviz.analyses.annotator_accuracy.raters import default_reference
from fairviz.annotation.agreement import ordinary
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
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.models.replies import LABELLED, OUTCOMES
from fairviz.study.record import Study

MILLION = 1_000_000
REFERENCE, EACH_OTHER = "the reference", "each other"
LOST = tuple(outcome for outcome in OUTCOMES if outcome != LABELLED)
LOST_COLUMNS = tuple(outcome.replace(" ", "_") for outcome in LOST)
TOOK = ("tokens_in", "tokens_out", "cost", "seconds")


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
    rows = []
    for name in table["annotator"].astype("str"):
        account = accounts.get(name)
        kind = study.annotators[name].kind if name in study.annotators else ""
        row: dict[str, object] = {"kind": kind or "rule", **_sum_usage(account, price_in, price_out)}
        row |= {part: str(account.choice.values[part]) if account else "" for part in ("model", "prompt")}
        for outcome, column in zip(LOST, LOST_COLUMNS, strict=True):
            row[column] = float((account.outcomes["outcome"] == outcome).sum()) if account else np.nan
        rows.append(row)
    account_columns = pd.DataFrame(rows, index=table.index)
    head, last_names = ["kind", "model", "prompt"], [name for name in table if name != "annotator"]
    return pd.concat([table[["annotator"]], account_columns.reindex(columns=head), table[last_names],
                      account_columns.reindex(columns=[*LOST_COLUMNS, *TOOK])], axis=1)  # fmt: skip


def _sum_usage(account: Account | None, price_in: float | None, price_out: float | None) -> dict[str, float]:
    if account is None:
        return dict.fromkeys(TOOK, np.nan)
    has_price = price_in is not None or price_out is not None
    cost = (
        (account.tokens_in * (price_in or 0) + account.tokens_out * (price_out or 0)) / MILLION if has_price else np.nan
    )
    return {"tokens_in": account.tokens_in, "tokens_out": account.tokens_out, "cost": cost, "seconds": account.seconds}


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
        count = _from_each_other(labels)
    else:
        compared = label_by_name if reference else {}
        beside = {name: _labels_in(labels_beside(study, reference, name, voters)) for name in compared}
        expected = pd.DataFrame(beside, index=labels.index, columns=labels.columns, dtype="object")
        count = _from_reference(labels, expected)
    table = pd.DataFrame({"doc_id": labels.index, "reference": gold.fillna("").to_numpy(), "differing": count})
    for name in labels:
        table[f"label by {name}"] = labels[name].fillna("").to_numpy()
    result = table[table["differing"] > 0].sort_values("differing", ascending=False, kind="stable", ignore_index=True)
    texts = [name for name in result if name != "differing"]
    return result.astype(dict.fromkeys(texts, "str") | {"differing": "int64"})


def _labels_in(table: pd.DataFrame) -> pd.Series:
    labels = ordinary(table)
    return pd.Series(labels["label"].to_numpy(dtype=object), index=labels["doc_id"].to_numpy(dtype=object))


def _from_reference(labels: pd.DataFrame, expected: pd.DataFrame) -> np.ndarray:
    comparable = (expected.notna() & labels.notna()).to_numpy(dtype=bool)
    return (comparable & (labels.to_numpy() != expected.to_numpy())).sum(axis=1)


def _from_each_other(labels_by_name: pd.DataFrame) -> np.ndarray:
    """Return how many labels differ from the most frequent label."""
    is_labelled = labels_by_name.notna().to_numpy()
    labels = [label for label in pd.unique(labels_by_name.to_numpy().ravel()) if isinstance(label, str)]
    counts = np.array([(labels_by_name.to_numpy() == label).sum(axis=1) for label in labels]).reshape(
        len(labels), len(labels_by_name)
    )
    return is_labelled.sum(axis=1) - counts.max(axis=0, initial=0)
