"""What is asked about a study's annotators, and the tables that answer: the same for the page and the command line."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.annotation import agreement
from fairviz.annotation.alongside import annotators_alongside
from fairviz.annotation.consensus import CONSENSUSES, dawid_skene, open_ties
from fairviz.annotation.electorate import electorate
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import annotator_names, is_consensus
from fairviz.evaluation.settings import Settings
from fairviz.inspection.raters import (
    default_reference,
    domain,
    groups_by,
    labels_by,
    neutral_or_gendered,
    study_raters,
    told_labels,
    with_alongside,
    with_word_list,
    without_empty,
)
from fairviz.study.study import Study

_BY = "by\0"  # no column that is read has a zero byte in its name


@dataclass(frozen=True)
class Comparison:
    """The choices of a question about agreement.

    reference: whom the others are compared with; empty for the annotator whose labels count. annotators: those whose
    agreement as a whole is asked; empty for those who vote, or all where they are not two. binary: neutral against
    gendered. by: the column that tells documents apart; empty for none. without_empty: leave out labels whose column
    of this name is empty.
    """

    reference: str = ""
    annotators: tuple[str, ...] = ()
    binary: bool = False
    by: str = ""
    without_empty: str = ""


def compared_labels(
    study: Study, settings: Settings, comparison: Comparison, told: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Every label that the comparison is about: of annotators, consensuses, who lies beside a built-in study, and the
    word list. `told`: what `raters.told_labels` gave, where it is at hand."""
    if told is None:
        told = told_labels(study, settings, (comparison.reference, *comparison.annotators))
    if comparison.without_empty:
        others = told[~told["annotator"].isin(annotator_names(study))]
        told = pd.concat([without_empty(study.labels, comparison.without_empty), others], ignore_index=True)
    labels = with_word_list(with_alongside(told, study), study, settings)
    return neutral_or_gendered(labels, study) if comparison.binary else labels


def reference_of(study: Study, settings: Settings, comparison: Comparison) -> str:
    """The annotator that the others are compared with."""
    return comparison.reference or default_reference(study, settings)


def check_comparison(study: Study, labels: pd.DataFrame, comparison: Comparison) -> None:
    """Raises FairvizError where the study has no labels, or none by an annotator that is named."""
    if not study.has("labels"):
        raise FairvizError(
            f"{study.name!r} has no labels, so nobody can agree",
            "Add labels.csv with the columns doc_id, annotator, label.",
        )
    known = list(dict.fromkeys(labels["annotator"]))
    for name in (comparison.reference, *comparison.annotators):
        if name and name not in known:
            more = f" and {len(known) - 20:,} more" if len(known) > 20 else ""
            raise FairvizError(f"{study.name!r} has no annotator {name!r}", f"Use {', '.join(known[:20])}{more}.")


def table(
    study: Study, settings: Settings, comparison: Comparison, what: str, labels: pd.DataFrame | None = None
) -> pd.DataFrame:
    """One of TABLES. `labels`: what `compared_labels` gave, where it is at hand. Raises FairvizError where the study
    has no labels or not those that are asked for."""
    if labels is None:
        labels = compared_labels(study, settings, comparison)
    check_comparison(study, labels, comparison)
    return TABLES[what](_Asked(study, settings, comparison, labels))


@dataclass(frozen=True, eq=False)
class _Asked:
    study: Study
    settings: Settings
    comparison: Comparison
    labels: pd.DataFrame

    @property
    def domain(self) -> tuple[str, ...]:
        return domain(self.study, binary=self.comparison.binary)

    @property
    def raters(self) -> tuple[str, ...]:
        return self.comparison.annotators or study_raters(self.study)

    @property
    def rated(self) -> pd.DataFrame:
        return labels_by(self.labels, self.raters)

    @property
    def reference(self) -> str:
        return reference_of(self.study, self.settings, self.comparison)

    def told_apart(self, labels: pd.DataFrame, of: Callable[[pd.DataFrame], pd.DataFrame]) -> pd.DataFrame:
        """The table of these labels; by the column, where one is named."""
        column = self.comparison.by
        return agreement.within(labels, groups_by(self.study, labels, column), of, column) if column else of(labels)


def _overall(asked: _Asked) -> pd.DataFrame:
    return asked.told_apart(asked.rated, lambda labels: agreement.overall(labels, asked.domain))


def _against(asked: _Asked) -> pd.DataFrame:
    return asked.told_apart(asked.labels, lambda labels: agreement.against(labels, asked.reference, asked.domain))


def _pairs(asked: _Asked) -> pd.DataFrame:
    """Without consensuses, which are made of the others, and without who lies beside the study, which learnt from
    them."""
    made = [name for name in CONSENSUSES if is_consensus(asked.study, name)]
    made += annotators_alongside(asked.study)
    single = asked.labels[~asked.labels["annotator"].isin(made)]
    return asked.told_apart(single, lambda labels: agreement.pairwise(labels, asked.domain))


def _confusion(asked: _Asked) -> pd.DataFrame:
    return asked.told_apart(asked.labels, lambda labels: agreement.confusions(labels, asked.reference, asked.domain))


def _records(asked: _Asked) -> pd.DataFrame:
    voting = electorate(asked.study)
    record = agreement.records(asked.labels, voting)
    failed = [name for name in electorate(asked.study, everyone=True) if name not in voting]
    record["dropped"] = record["annotator"].isin(failed)
    return record


def _label_pairs(asked: _Asked) -> pd.DataFrame:
    return asked.told_apart(asked.rated, lambda labels: agreement.confused(labels, asked.domain))


def _disagreements(asked: _Asked) -> pd.DataFrame:
    return asked.told_apart(asked.rated, lambda labels: agreement.disagreements(labels, asked.domain))


def _ties(asked: _Asked) -> pd.DataFrame:
    """Of all labels, as the consensus itself: neither left out nor merged."""
    return open_ties(asked.study.labels, electorate(asked.study))


def _estimated(asked: _Asked) -> pd.DataFrame:
    voting = labels_by(agreement.ordinary(asked.study.labels), electorate(asked.study))
    if not len(voting):  # nobody votes, or they answered test questions alone
        return pd.DataFrame(columns=["annotator", "true", "said", "probability"])
    return dawid_skene(voting, everyone=True).confusions


TABLES: dict[str, Callable[[_Asked], pd.DataFrame]] = {
    "overall": _overall,
    "against": _against,
    "pairs": _pairs,
    "confusion": _confusion,
    "annotators": _records,
    "documents": _disagreements,
    "confused": _label_pairs,
    "ties": _ties,
    "dawid-skene": _estimated,
}


def coefficients(study: Study, settings: Settings, comparison: Comparison) -> pd.DataFrame:
    """One row a coefficient: [the column of `by`,] annotator, reference, coefficient, value, ci_low, ci_high,
    documents. First those of all annotators together (`all`, without a reference) where there are two or more, then
    accuracy and kappa of each annotator against the reference."""
    together, single = (table(study, settings, comparison, what) for what in ("overall", "against"))
    if comparison.by:  # its column stands first, and may be called as any other
        together, single = (each.rename(columns={each.columns[0]: _BY}) for each in (together, single))
    if len(comparison.annotators or study_raters(study)) < 2:
        together = together.iloc[:0]
    together = together.assign(annotator="all", reference="").drop(columns=["annotators", "votes"])
    single = single.assign(reference=reference_of(study, settings, comparison))
    parts = []
    for name in ("accuracy", "kappa"):
        values = single.rename(columns={name: "value", f"{name}_low": "ci_low", f"{name}_high": "ci_high"})
        parts.append(values.assign(coefficient=name, place=np.arange(len(values))))
    lines = pd.concat(parts).sort_values("place", kind="stable")
    wanted = ["annotator", "reference", "coefficient", "value", "ci_low", "ci_high", "documents"]
    by = {_BY: agreement.free_name(comparison.by, wanted)} if comparison.by else {}
    return pd.concat([together[[*by, *wanted]], lines[[*by, *wanted]]], ignore_index=True).rename(columns=by)


__all__ = ["CONSENSUSES", "TABLES", "Comparison", "coefficients", "compared_labels", "reference_of", "table"]
