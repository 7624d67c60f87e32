"""Comparisons of a study's annotators and their tables, shared by the page and the command line."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from fairviz.analyses.annotator_accuracy.raters import (
    WORD_LIST,
    default_reference,
    domain,
    groups_by,
    neutral_or_gendered,
    with_alongside,
    with_word_list,
    without_empty,
)
from fairviz.annotation import agreement
from fairviz.annotation.voters import (
    CONSENSUSES,
    annotators_alongside,
    dawid_skene,
    is_consensus,
    open_ties,
    voters_of,
    voting_labels,
)
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.words.sentences import first_listed

_BY = "by\0"  # no column that is read has a zero byte in its name


@dataclass(frozen=True)
class Comparison:
    """The choices of a comparison of annotators; those who vote are `Settings.voters`.

    reference: the annotator to compare with; "" for the one whose labels count. binary: neutral against gendered.
    by: the column whose values are reported separately; "" for none. without_empty: leave out labels whose column of
    this name is empty. draw: what intervals draw, `documents` or `queries` with all their documents.
    """

    reference: str = ""
    binary: bool = False
    by: str = ""
    without_empty: str = ""
    draw: str = agreement.DOCUMENTS


def compared_labels(study: Study, settings: Settings, comparison: Comparison) -> pd.DataFrame:
    """Return all labels of the comparison: annotators, labels stored next to a built-in study, the word list."""
    own, column = study.labels, comparison.without_empty
    table = with_alongside(without_empty(own, column) if column else own, study)
    labels = with_word_list(table, study, settings, always=comparison.reference == WORD_LIST)
    return neutral_or_gendered(labels, study) if comparison.binary else labels


def reference_of(study: Study, settings: Settings, comparison: Comparison) -> str:
    """Return the annotator to compare with."""
    return comparison.reference or default_reference(study, settings)


def table(
    study: Study, settings: Settings, comparison: Comparison, name: str, labels: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return one of TABLES. labels: the result of `compared_labels`, if available.

    Raises FairvizError if the study has no labels, or none by the reference.
    """
    if not study.has("labels"):
        raise FairvizError(
            f"{study.name!r} has no labels, so agreement is undefined",
            "Add labels.csv with the columns doc_id, annotator, label.",
        )
    if labels is None:
        labels = compared_labels(study, settings, comparison)
    request = _Request(study, settings, comparison, labels)
    names = [*dict.fromkeys(labels["annotator"]), *request.consensuses]
    if comparison.reference and comparison.reference not in names:
        raise FairvizError(
            f"{study.name!r} has no annotator {comparison.reference!r}", f"Use {first_listed(names, 20)}."
        )
    return TABLES[name](request)


@dataclass(frozen=True, eq=False)
class _Request:
    study: Study
    settings: Settings
    comparison: Comparison
    labels: pd.DataFrame

    @property
    def voters(self) -> tuple[str, ...]:
        return voters_of(self.study, self.settings.voters)

    @property
    def votes(self) -> pd.DataFrame:
        return voting_labels(self.study, self.settings.voters, labels=self.labels)

    @property
    def consensuses(self) -> tuple[str, ...]:
        """The consensuses that are compared: all where several vote, else those that are named."""
        several, reference = len(self.voters) > 1, reference_of(self.study, self.settings, self.comparison)
        named = (reference, self.settings.annotator, self.study.annotator)
        return tuple(name for name in CONSENSUSES if is_consensus(self.study, name) and (several or name in named))

    def by_column(self, labels: pd.DataFrame, make: Callable[..., pd.DataFrame], **more: object) -> pd.DataFrame:
        """Return the table of these labels, `make(labels, domain=…)`; by the column, where one is named."""
        column = self.comparison.by
        make = partial(make, domain=domain(self.study, binary=self.comparison.binary), **more)
        if not column:
            return make(labels)
        return agreement.within(labels, groups_by(self.study, labels, column), make, column)

    def against_reference(self, make: Callable[..., pd.DataFrame], **more: object) -> pd.DataFrame:
        """Return the table of each annotator against the reference; consensuses leave out whom they are compared
        with."""
        reference = reference_of(self.study, self.settings, self.comparison)
        consensuses = {"voters": self.voters, "consensuses": self.consensuses}
        return self.by_column(self.labels, make, reference=reference, **consensuses, **more)

    @property
    def drawing(self) -> dict[str, object]:
        """The queries of documents, where intervals draw them."""
        return {"queries": agreement.queries_of(self.study, self.labels["doc_id"], self.comparison.draw)}


def _pairs_table(request: _Request) -> pd.DataFrame:
    """Return the table of pairs without labels stored next to the study, which derive from the others."""
    own = request.labels[~request.labels["annotator"].isin([*annotators_alongside(request.study)])]
    return request.by_column(own, agreement.pairwise, voters=request.voters, **request.drawing)


def _records_table(request: _Request) -> pd.DataFrame:
    record = agreement.records(request.labels, request.voters)
    everyone = voters_of(request.study, request.settings.voters, everyone=True)
    return record.assign(dropped=record["annotator"].isin({*everyone} - {*request.voters}))


def _estimated_table(request: _Request) -> pd.DataFrame:
    votes = voting_labels(request.study, request.settings.voters)
    if not len(votes):  # nobody votes, or they answered test questions alone
        return pd.DataFrame(columns=["annotator", "true", "said", "probability"])
    return dawid_skene(votes).confusions


TABLES: dict[str, Callable[[_Request], pd.DataFrame]] = {
    "overall": lambda request: request.by_column(request.votes, agreement.overall, **request.drawing),
    "against": lambda request: request.against_reference(agreement.against, **request.drawing),
    "pairs": _pairs_table,
    "confusion": lambda request: request.against_reference(agreement.confusions),
    "themselves": lambda request: request.by_column(request.labels, agreement.with_themselves),
    "annotators": _records_table,
    "documents": lambda request: request.by_column(request.votes, agreement.disagreements),
    "confused": lambda request: request.by_column(request.votes, agreement.confused),
    # all labels, as for the consensus: none left out or merged
    "ties": lambda request: open_ties(voting_labels(request.study, request.settings.voters)),
    "dawid-skene": _estimated_table,
}


def coefficients(study: Study, settings: Settings, comparison: Comparison) -> pd.DataFrame:
    """Return a row per coefficient: [the column of `by`,] annotator, reference, coefficient, value, ci_low, ci_high,
    documents, drawn (what the interval draws: queries or documents), reason (of an undefined value or interval).

    First those of the voters together (`all`, without a reference), then accuracy and kappa of each annotator against
    the reference, then the accuracy of each annotator with `themselves`, of documents shown twice.
    """
    overall, single, again = (table(study, settings, comparison, what) for what in ("overall", "against", "themselves"))
    if comparison.by:  # its column stands first, and may be called as any other
        overall, single, again = (each.rename(columns={each.columns[0]: _BY}) for each in (overall, single, again))
    again = again.assign(reference="themselves", coefficient="accuracy", reason="")
    overall = overall.assign(annotator="all", reference="").drop(columns=["annotators", "votes"])
    single = single.assign(reference=reference_of(study, settings, comparison))
    tables = []
    for name in ("accuracy", "kappa"):
        values = single.rename(columns={name: "value", f"{name}_low": "ci_low", f"{name}_high": "ci_high"})
        if name == "accuracy":  # which is defined for one label, too
            too_few = np.where(values["ci_low"].isna(), f"fewer than 2 common {comparison.draw}", "")
            values["reason"] = values["reason"].where(values["value"].isna(), too_few)
        tables.append(values.assign(coefficient=name, place=np.arange(len(values))))
    lines = pd.concat(tables).sort_values("place", kind="stable")
    names = ["annotator", "reference", "coefficient", "value", "ci_low", "ci_high", "documents"]
    by = {_BY: agreement.free_name(comparison.by, [*names, "drawn", "reason"])} if comparison.by else {}
    rows = pd.concat([each[[*by, *names, "reason"]] for each in (overall, lines, again) if len(each)])
    rows = rows.reset_index(drop=True)
    unit = agreement.drawn(study, study.labels["doc_id"], comparison.draw)
    rows.insert(len(rows.columns) - 1, "drawn", pd.Series([unit] * len(rows), dtype="str"))
    return rows.rename(columns=by)
