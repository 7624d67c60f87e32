"""A study's annotators from code and from models: whom they are set against, what they took, and where they part."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from fairviz.annotation.agreement import ordinary
from fairviz.annotation.annotators.accounts import Account
from fairviz.annotation.annotators.annotating import is_demonstration
from fairviz.annotation.annotators.record import LABELLED, OUTCOMES
from fairviz.annotation.consensus import CONSENSUSES
from fairviz.annotation.electorate import annotator_names, by_hand, electorate
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import is_consensus, labels_of
from fairviz.evaluation.settings import Settings
from fairviz.inspection.raters import default_reference
from fairviz.study.study import Study

MILLION = 1_000_000
REFERENCE, EACH_OTHER = "the reference", "each other"
LOST = tuple(outcome for outcome in OUTCOMES if outcome != LABELLED)
TOOK = ("tokens_in", "tokens_out", "cost", "seconds")


def labellers(study: Study) -> tuple[str, ...]:
    """The annotators that are rules or models, in order of appearance: none of them counts as a person."""
    return tuple(name for name in annotator_names(study) if not by_hand(study, name))


def references(study: Study) -> tuple[str, ...]:
    """Who can be a reference: those in whose labels people had a hand, their consensuses, then rules and models."""
    names = annotator_names(study)
    people = [name for name in names if by_hand(study, name)]
    made = [name for name in CONSENSUSES if is_consensus(study, name) and len(electorate(study)) > 1 and people]
    return tuple(dict.fromkeys([*people, *made, *names]))


def usual_reference(study: Study, settings: Settings) -> str:
    """The one to begin with: whose labels count, where people had a hand in them, else the first in whose they had;
    in a study without people whose labels count. Empty without labels."""
    offered = references(study)
    counted = default_reference(study, settings) if offered else ""
    if counted and (is_consensus(study, counted) or by_hand(study, counted)) and counted in offered:
        return counted
    return offered[0] if offered and by_hand(study, offered[0]) else counted


def demonstrations(accounts: Mapping[str, Account]) -> tuple[str, ...]:
    """Those of these annotators whose labels show the way and are no evidence."""
    return tuple(name for name, one in accounts.items() if is_demonstration(one.choice))


def with_accounts(
    table: pd.DataFrame,
    study: Study,
    accounts: Mapping[str, Account],
    price_in: float | None = None,
    price_out: float | None = None,
) -> pd.DataFrame:
    """The table of annotators with what each is and, where the answers on disk tell it, how many documents got no
    label and why, and what all answers took: tokens, seconds, and their cost in the currency of the prices of a million
    tokens. Missing for whom nobody was asked, and the cost where no price is given."""
    rows = []
    for name in table["annotator"].astype("str"):
        one = accounts.get(name)
        kind = study.annotators[name].kind if name in study.annotators else ""
        rows.append({"kind": kind or "rule", **_asked(one), **_lost(one), **_took(one, price_in, price_out)})
    beside = pd.DataFrame(rows, index=table.index)
    head, rest = ["kind", "model", "prompt"], [name for name in table if name != "annotator"]
    return pd.concat([table[["annotator"]], beside.reindex(columns=head), table[rest],
                      beside.reindex(columns=[*_columns(LOST), *TOOK])], axis=1)  # fmt: skip


def _columns(outcomes: Sequence[str]) -> list[str]:
    return [outcome.replace(" ", "_") for outcome in outcomes]


def _asked(one: Account | None) -> dict[str, str]:
    return {name: str(one.choice.values[name]) if one else "" for name in ("model", "prompt")}


def _lost(one: Account | None) -> dict[str, float]:
    return {column: float((one.outcomes["outcome"] == outcome).sum()) if one else np.nan
            for outcome, column in zip(LOST, _columns(LOST), strict=True)}  # fmt: skip


def _took(one: Account | None, price_in: float | None, price_out: float | None) -> dict[str, float]:
    if one is None:
        return dict.fromkeys(TOOK, np.nan)
    priced = price_in is not None or price_out is not None
    cost = (one.tokens_in * (price_in or 0) + one.tokens_out * (price_out or 0)) / MILLION if priced else np.nan
    return {"tokens_in": one.tokens_in, "tokens_out": one.tokens_out, "cost": cost, "seconds": one.seconds}


def shared_documents(study: Study, names: Sequence[str], tried: Mapping[str, Sequence[str]]) -> list[str]:
    """The documents that every one of these annotators labelled or, where it is known, was asked about; in the study's
    order, answers to test questions left out. tried: by annotator those that it was asked about."""
    asked = [{*ordinary(labels_of(study, name))["doc_id"], *tried.get(name, ())} for name in names]
    shared = set.intersection(*asked) if asked else set()
    return sorted(shared, key=_order(study))


def _order(study: Study) -> Callable[[str], tuple[int, str]]:
    """By which documents stand in the study's order, those that it does not list behind them."""
    place = {name: at for at, name in enumerate(study.documents["doc_id"])}
    return lambda name: (place.get(name, len(place)), name)


def lost_answers(accounts: Mapping[str, Account]) -> pd.DataFrame:
    """annotator, doc_id, outcome, text: every document that a model was asked about and that got no label."""
    parts = [one.outcomes[one.outcomes["outcome"] != LABELLED].assign(annotator=name) for name, one in accounts.items()]
    columns = ["annotator", "doc_id", "outcome", "text"]
    if not parts:
        return pd.DataFrame(columns=columns, dtype="str")
    return pd.concat(parts, ignore_index=True)[columns].astype("str")


def parting(study: Study, names: Sequence[str], reference: str, apart: str = REFERENCE) -> pd.DataFrame:
    """The documents on which annotators part: doc_id, reference (its label, empty without one), parting (how many of
    these say another label than it, or with `each other` than most of them), and a column `label by NAME` for each.

    Most parting first, then in the study's order; answers to test questions are left out. A document that only one of
    them labelled parts nobody; with `the reference`, neither does one without its label. Raises FairvizError for an
    unknown way to part.
    """
    if apart not in (REFERENCE, EACH_OTHER):
        raise FairvizError(f"annotators cannot part from {apart!r}", f"Use {REFERENCE} or {EACH_OTHER}.")
    said = {name: _label_of(study, name) for name in dict.fromkeys(names) if name != reference}
    known = _label_of(study, reference) if reference else pd.Series(dtype="str")
    wide = pd.DataFrame(said, dtype="object")
    wide = wide.loc[sorted(wide.index, key=_order(study))]
    gold = known.reindex(wide.index)
    count = _from_reference(wide, gold) if apart == REFERENCE else _from_each_other(wide)
    table = pd.DataFrame({"doc_id": wide.index, "reference": gold.fillna("").to_numpy(), "parting": count})
    for name in wide:
        table[f"label by {name}"] = wide[name].fillna("").to_numpy()
    found = table[table["parting"] > 0].sort_values("parting", ascending=False, kind="stable", ignore_index=True)
    texts = [name for name in found if name != "parting"]
    return found.astype(dict.fromkeys(texts, "str") | {"parting": "int64"})


def _label_of(study: Study, name: str) -> pd.Series:
    labels = ordinary(labels_of(study, name))
    return pd.Series(labels["label"].to_numpy(dtype=object), index=labels["doc_id"].to_numpy(dtype=object))


def _from_reference(wide: pd.DataFrame, gold: pd.Series) -> np.ndarray:
    known = gold.notna().to_numpy(dtype=bool)[:, None] & wide.notna().to_numpy(dtype=bool)
    return (known & (wide.to_numpy() != gold.to_numpy()[:, None])).sum(axis=1)


def _from_each_other(wide: pd.DataFrame) -> np.ndarray:
    """How many say something else than the label that most of them say."""
    given = wide.notna().to_numpy()
    labels = [label for label in pd.unique(wide.to_numpy().ravel()) if isinstance(label, str)]
    counts = np.array([(wide.to_numpy() == label).sum(axis=1) for label in labels]).reshape(len(labels), len(wide))
    return given.sum(axis=1) - counts.max(axis=0, initial=0)
