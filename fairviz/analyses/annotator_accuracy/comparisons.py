"""Comparisons of a study's annotators and their tables, shared by the page and the command line."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from fairviz.analyses.annotator_accuracy.raters import (
    default_reference,
    domain,
    groups_by,
    labels_by,
    labels_with_consensuses,
    neutral_or_gendered,
    study_raters,
    with_alongside,
    with_word_list,
    without_empty,
)
from fairviz.annotation import agreement
from fairviz.annotation.alongside import annotators_alongside
from fairviz.annotation.consensus import CONSENSUSES, dawid_skene, open_ties
from fairviz.annotation.counted import is_consensus
from fairviz.annotation.voters import annotator_names, voters_of
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.words.sentences import first_listed

_BY = "by\0"  # no column that is read has a zero byte in its name


@dataclass(frozen=True)
class Comparison:
    """The choices of a comparison of annotators.

    reference: the annotator to compare with; "" for the one whose labels count. annotators: those whose overall
    agreement is computed; empty for the voters, or all if there are fewer than two. binary: neutral against gendered.
    by: the column whose values are reported separately; "" for none. without_empty: leave out labels whose column of
    this name is empty.
    """

    reference: str = ""
    annotators: tuple[str, ...] = ()
    binary: bool = False
    by: str = ""
    without_empty: str = ""


def compared_labels(
    study: Study, settings: Settings, comparison: Comparison, table: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return all labels of the comparison: annotators, consensuses, labels stored next to a built-in study, the word
    list.

    table: the labels of `raters.labels_with_consensuses`, if available.
    """
    if table is None:
        table = labels_with_consensuses(study, settings, (comparison.reference, *comparison.annotators))
    if comparison.without_empty:
        further = table[~table["annotator"].isin(annotator_names(study))]
        table = pd.concat([without_empty(study.labels, comparison.without_empty), further], ignore_index=True)
    labels = with_word_list(with_alongside(table, study), study, settings)
    return neutral_or_gendered(labels, study) if comparison.binary else labels


def reference_of(study: Study, settings: Settings, comparison: Comparison) -> str:
    """Return the annotator to compare with."""
    return comparison.reference or default_reference(study, settings)


def check_comparison(study: Study, labels: pd.DataFrame, comparison: Comparison) -> None:
    """Raise FairvizError if the study has no labels, or none by a named annotator."""
    if not study.has("labels"):
        raise FairvizError(
            f"{study.name!r} has no labels, so agreement is undefined",
            "Add labels.csv with the columns doc_id, annotator, label.",
        )
    names = list(dict.fromkeys(labels["annotator"]))
    for name in (comparison.reference, *comparison.annotators):
        if name and name not in names:
            raise FairvizError(f"{study.name!r} has no annotator {name!r}", f"Use {first_listed(names, 20)}.")


def table(
    study: Study, settings: Settings, comparison: Comparison, name: str, labels: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return one of TABLES. labels: the result of `compared_labels`, if available.

    Raises FairvizError if the study lacks labels or the requested ones.
    """
    if labels is None:
        labels = compared_labels(study, settings, comparison)
    check_comparison(study, labels, comparison)
    return TABLES[name](_Request(study, settings, comparison, labels))


@dataclass(frozen=True, eq=False)
class _Request:
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

    def drawing(self, make: Callable[..., pd.DataFrame]) -> Callable[..., pd.DataFrame]:
        """Return the function with the queries of documents, which its intervals draw."""
        return partial(make, queries=agreement.queries_of(self.study, self.labels["doc_id"]))

    def by_column(self, labels: pd.DataFrame, make: Callable[..., pd.DataFrame], *arguments: str) -> pd.DataFrame:
        """Return the table of these labels, `make(labels, *arguments, domain)`; by the column, where one is named."""
        column, domain = self.comparison.by, self.domain
        if not column:
            return make(labels, *arguments, domain)
        groups = groups_by(self.study, labels, column)
        return agreement.within(labels, groups, lambda part: make(part, *arguments, domain), column)


def _pairs_table(request: _Request) -> pd.DataFrame:
    """Return the table of pairs without consensuses and labels stored next to the study, which derive from the
    others.
    """
    consensuses = [name for name in CONSENSUSES if is_consensus(request.study, name)]
    consensuses += annotators_alongside(request.study)
    single = request.labels[~request.labels["annotator"].isin(consensuses)]
    return request.by_column(single, request.drawing(agreement.pairwise))


def _records_table(request: _Request) -> pd.DataFrame:
    voting = voters_of(request.study)
    record = agreement.records(request.labels, voting)
    failed_names = [name for name in voters_of(request.study, everyone=True) if name not in voting]
    record["dropped"] = record["annotator"].isin(failed_names)
    return record


def _estimated_table(request: _Request) -> pd.DataFrame:
    voting = labels_by(agreement.ordinary(request.study.labels), voters_of(request.study))
    if not len(voting):  # nobody votes, or they answered test questions alone
        return pd.DataFrame(columns=["annotator", "true", "said", "probability"])
    return dawid_skene(voting, everyone=True).confusions


TABLES: dict[str, Callable[[_Request], pd.DataFrame]] = {
    "overall": lambda request: request.by_column(request.rated, request.drawing(agreement.overall)),
    "against": lambda request: request.by_column(request.labels, request.drawing(agreement.against), request.reference),
    "pairs": _pairs_table,
    "confusion": lambda request: request.by_column(request.labels, agreement.confusions, request.reference),
    "annotators": _records_table,
    "documents": lambda request: request.by_column(request.rated, agreement.disagreements),
    "confused": lambda request: request.by_column(request.rated, agreement.confused),
    # all labels, as for the consensus: none left out or merged
    "ties": lambda request: open_ties(request.study.labels, voters_of(request.study)),
    "dawid-skene": _estimated_table,
}


def coefficients(study: Study, settings: Settings, comparison: Comparison) -> pd.DataFrame:
    """Return a row per coefficient: [the column of `by`,] annotator, reference, coefficient, value, ci_low, ci_high,
    documents, drawn (what the interval draws: queries or documents).

    First those of all annotators together (`all`, without a reference) if there are two or more, then accuracy and
    kappa of each annotator against the reference.
    """
    overall, single = (table(study, settings, comparison, what) for what in ("overall", "against"))
    if comparison.by:  # its column stands first, and may be called as any other
        overall, single = (each.rename(columns={each.columns[0]: _BY}) for each in (overall, single))
    if len(comparison.annotators or study_raters(study)) < 2:
        overall = overall.iloc[:0]
    overall = overall.assign(annotator="all", reference="").drop(columns=["annotators", "votes"])
    single = single.assign(reference=reference_of(study, settings, comparison))
    tables = []
    for name in ("accuracy", "kappa"):
        values = single.rename(columns={name: "value", f"{name}_low": "ci_low", f"{name}_high": "ci_high"})
        tables.append(values.assign(coefficient=name, place=np.arange(len(values))))
    lines = pd.concat(tables).sort_values("place", kind="stable")
    names = ["annotator", "reference", "coefficient", "value", "ci_low", "ci_high", "documents"]
    by = {_BY: agreement.free_name(comparison.by, names)} if comparison.by else {}
    rows = pd.concat([overall[[*by, *names]], lines[[*by, *names]]], ignore_index=True).rename(columns=by)
    return rows.assign(drawn=pd.Series([agreement.drawn(study, study.labels["doc_id"])] * len(rows), dtype="str"))
