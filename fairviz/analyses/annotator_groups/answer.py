"""Groups of annotators: agreement within and between them, and each measure and verdict if only one group labelled.

Letters: V votes, A annotators, D documents, L labels, S systems, Q queries, B draws.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from fairviz.analyses.label_effects.lists import Lists, codes_under, lists_of
from fairviz.analyses.label_effects.replacing import all_together
from fairviz.annotation.agreement import majority, queries_of, read_votes
from fairviz.annotation.agreement.coefficients import cluster_codes
from fairviz.annotation.voters import labels_of, voters_of, voting_labels
from fairviz.comparison.compare import compared_as
from fairviz.comparison.family import how_of
from fairviz.comparison.pairs import UNTESTED, view
from fairviz.correction.sampling import of_labels
from fairviz.declared import ANNOTATOR_GROUPS
from fairviz.errors import FairvizError, use_one_of
from fairviz.evaluation.choices import missing_part
from fairviz.evaluation.questions import ask, chosen_settings, measures_of, overview
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.statistics.intervals import interval, mean_over_queries, resampling_weights
from fairviz.study.record import Annotator, Study
from fairviz.words.sentences import agreeing, counted, decimal, first_listed, number, percent

Array = np.ndarray
DRAWS, COLUMN, SEED = (ANNOTATOR_GROUPS[name] for name in ("draws", "column", "seed"))
FEW = 5  # people of a group below which draws of people tell little
MOST_NAMES = 4
MAJORITY = "majority"


@dataclass(frozen=True, eq=False)
class GroupComparison:
    """Groups of annotators compared.

    column: of the annotators. groups: their names by value. agreement, a row two groups: first, second, people_first,
    people_second, agreement, agreement_low, agreement_high, kappa, kappa_low, kappa_high, documents. values, a row a
    measure, group and system: measure, group, people, system, value, value_everyone, difference, ci_low, ci_high,
    queries, labelled, labelled_everyone. verdicts, a row a measure, group and pair: measure, group, system, baseline,
    verdict, verdict_everyone, changes, queries, queries_everyone. reasons: why a measure has no values.
    """

    column: str
    groups: Mapping[str, tuple[str, ...]]
    agreement: pd.DataFrame
    values: pd.DataFrame
    verdicts: pd.DataFrame
    reasons: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """Return the agreement within and between groups, the largest difference, and the verdicts that change."""
        texts, parts = [], []
        for row in self.agreement.dropna(subset=["agreement"]).to_dict("records"):
            first, second = row["first"], row["second"]
            where = f"within {first}" if first == second else f"between {first} and {second}"
            parts.append(f"{percent(row['agreement'])} {where}")
        if parts:
            texts.append(f"Agreement: {', '.join(parts[:MOST_NAMES])}.")
        for measure, rows in _by_measure(
            self.values.dropna(subset=["difference"]) if len(self.values) else self.values
        ):
            largest = rows.iloc[int(rows["difference"].abs().argmax())].to_dict()
            clear = int(((rows["ci_low"] > 0) | (rows["ci_high"] < 0)).sum())
            change, low, high = (decimal(largest[name], sign="+") for name in ("difference", "ci_low", "ci_high"))
            texts.append(
                f"{measure} changes most if only {largest['group']} labelled, for {largest['system']}: "
                f"{number(largest['value_everyone'])} to {number(largest['value'])} ({change}, 95 % {low} to {high}); "
                f"{clear} of {len(rows)} intervals exclude 0."
            )
        for measure, rows in _by_measure(self.verdicts):
            changed = rows[rows["changes"]].to_dict("records")
            if not changed:
                texts.append(f"No verdict by {measure} changes ({counted(len(rows), 'pair')} by group).")
            else:
                verb = agreeing(len(changed), "changes", "change")
                texts.append(f"{len(changed)} of {len(rows)} verdicts {verb}: {change_text(changed[0])}.")
        return texts

    @property
    def notes(self) -> list[str]:
        """Return notes on small groups, groups that labelled less, and measures without values."""
        lines = list(self.reasons)
        if few := [group for group, members in self.groups.items() if len(members) < FEW]:
            lines.append(
                f"Fewer than {FEW} people: {first_listed(few, MOST_NAMES)}. Intervals over so few tell little."
            )
        if len(self.values):
            less = self.values[self.values["labelled"] < self.values["labelled_everyone"] - 0.01]
            if groups := list(dict.fromkeys(less["group"])):
                who = first_listed(groups, MOST_NAMES)
                lines.append(f"{who} labelled fewer documents: part of a change is missing labels.")
        return lines


def annotator_columns(study: Study, voters: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the columns of annotators.csv that have two values or more among the voters, in the order of the file."""
    seen: dict[str, set[str]] = {}
    for name in voters_of(study, voters):
        for column, value in study.annotators.get(name, Annotator(name)).columns:
            seen.setdefault(column, set()).add(value)
    return tuple(column for column, values in seen.items() if len(values) > 1)


def groups_of(study: Study, column: str, voters: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    """Return the voters by their value of a column of annotators.csv; those without a value are in no group."""
    groups: dict[str, tuple[str, ...]] = {}
    for name in voters_of(study, voters):
        value = dict(study.annotators.get(name, Annotator(name)).columns).get(column, "")
        if value:
            groups[value] = (*groups.get(value, ()), name)
    return groups


def annotator_groups(
    study: Study,
    settings: Settings | None = None,
    *,
    column: str = COLUMN.default,
    measures: str | Sequence[str] = (),
    draws: int = DRAWS.default,
    seed: int = 0,
    **choices: object,
) -> GroupComparison:
    """Compare groups of annotators: their agreement, and each measure and verdict if only one group labelled.

    The labels of a group are the majority of its members, those of everyone the majority of all voters. Two people
    agree on a document if their labels are equal; agreement of two groups is the mean over documents of the share of
    their pairs that agree. kappa is (agreement - chance) / (1 - chance), with chance the sum over labels of the product
    of both groups' mean shares: within a group Fleiss' kappa, between groups that of Wong, Paritosh and Aroyo (2021,
    Cross-replication reliability, equation 5) with shares of documents.

    Parameters
    ----------
    study : Study
        With runs, labels by several annotators, and columns of annotators (annotators.csv).
    settings : Settings, optional
        The choices behind the values; `voters` are the annotators.
    column : str
        Of annotators.csv; empty for the first with two values.
    measures : str or sequence of str
        Of labels; empty for those of Overview.
    draws : int
        Of queries, for the intervals of agreement.
    seed : int
        Of the draws.
    **choices
        Fields of Settings to change.

    Returns
    -------
    GroupComparison
        agreement: a row two groups, agreement in [0, 1] and kappa at most 1 with 95 % intervals over queries, or over
        documents where none is of a query; NaN without pairs. values: a row a measure, group and system; difference is
        value - value_everyone over the queries with both, its 95 % interval over queries and annotators: a t interval
        with the two-way variance of Cameron, Gelbach and Miller (2011), annotators by the jackknife. verdicts: a
        row a measure, group and pair of systems; changes tells whether the verdict is another than with everyone.

    Raises
    ------
    FairvizError
        Without such a column, and where annotators of the study have the names of consensuses.
    UsageError
        For a measure that reads no labels, or an invalid number.

    Examples
    --------
    Two women and two men label four documents, which two systems rank:

    >>> import fairviz
    >>> import pandas as pd
    >>> from fairviz.study.record import Annotator
    >>> columns = {"ann": "w", "bea": "w", "cem": "m", "dan": "m"}
    >>> given = {"ann": "fmfm", "bea": "fmfm", "cem": "fmff", "dan": "fmnf"}
    >>> words = {"f": "female", "m": "male", "n": "neutral"}
    >>> rows = [(f"d{i}", who, words[x]) for who, text in given.items() for i, x in enumerate(text)]
    >>> labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label"])
    >>> runs = pd.DataFrame({"system": "one", "query_id": "q", "doc_id": ["d0", "d1", "d2", "d3"]})
    >>> runs = runs.assign(rank=[1, 2, 3, 4], score=[4.0, 3, 2, 1])
    >>> who = {name: Annotator(name, "person", columns=(("gender", value),)) for name, value in columns.items()}
    >>> study = fairviz.make_study("made", runs=runs, labels=labels, annotators=who)
    >>> found = fairviz.annotator_groups(study, draws=100)
    >>> found.agreement[["first", "second", "agreement"]].values.tolist()
    [['w', 'w', 1.0], ['w', 'm', 0.625], ['m', 'm', 0.75]]
    """
    settings = chosen_settings(study, settings, choices)
    COLUMN.check(column)
    DRAWS.check(draws)
    SEED.check(seed)
    columns = annotator_columns(study, settings.voters)
    if not columns:
        raise FairvizError(
            f"the voters of {study.name} are not in two groups by any column of annotators.csv",
            "Add annotators.csv with the columns annotator and, say, gender, and a value for each annotator.",
        )
    if column and column not in columns:
        message = f"no column {column!r} puts the voters of {study.name} in two groups"
        raise FairvizError(message, use_one_of(columns, column))
    column = column or columns[0]
    groups = groups_of(study, column, settings.voters)
    settings = all_together(study, settings).changed(annotator=MAJORITY)
    values, verdicts, reasons = [], [], []
    asked: Sequence[Any] = measures_of(measures) if measures else of_labels(overview(study, settings).questions)
    for one in asked:
        question = ask(one, settings) if isinstance(one, str) else one
        if reason := missing_part(study, question, settings):
            reasons.append(f"{question.text}: {reason}")
            continue
        lists = lists_of(study, settings, question.text)
        values.append(_values(study, settings, lists, groups))
        verdicts.append(_verdicts(study, settings, question, groups))
    agreement = _agreement(study, settings, groups, draws, seed)
    return GroupComparison(column, groups, agreement, _joined(values), _joined(verdicts), tuple(reasons))


def _joined(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


# --- Agreement within and between groups.


def _agreement(
    study: Study, settings: Settings, groups: Mapping[str, tuple[str, ...]], draws: int, seed: int
) -> pd.DataFrame:
    names = tuple(name for members in groups.values() for name in members)
    votes = read_votes(voting_labels(study, names), (), names)
    queries = queries_of(study, votes.doc_ids)
    clusters = np.arange(len(votes.doc_ids)) if queries is None else cluster_codes(votes.doc_ids, queries)
    weights = resampling_weights(int(clusters.max(initial=-1)) + 1, draws, seed)[:, clusters]
    weights = np.concatenate([np.ones((1, weights.shape[1])), weights])  # the first row: as they are
    counts = {
        group: votes.at(np.isin(np.array(votes.annotators, dtype=object)[votes.annotator], members)).counts
        for group, members in groups.items()
    }
    rows = []
    for place, first in enumerate(groups):
        for second in list(groups)[place:]:
            values, kappas, documents = _pair(counts[first], counts[second], weights, same=first == second)
            ends = (interval(table[1:]) if documents > 1 else (np.nan, np.nan) for table in (values, kappas))
            (low, high), (kappa_low, kappa_high) = ends
            rows.append(
                (first, second, len(groups[first]), len(groups[second]), values[0], low, high, kappas[0], kappa_low,
                 kappa_high, documents)
            )  # fmt: skip
    names_of = ["agreement", "agreement_low", "agreement_high", "kappa", "kappa_low", "kappa_high"]
    columns = ["first", "second", "people_first", "people_second", *names_of, "documents"]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(names_of, "float64"))


def _pair(first: Array, second: Array, weights: Array, *, same: bool) -> tuple[Array, Array, int]:
    """Return agreement and kappa of two groups under weights of the documents (B, D), and the documents with a pair.

    first, second: counts of votes, (D, L).
    """
    one, other = first.sum(axis=1), second.sum(axis=1)  # (D,)
    agreeing = (first * (second - same)).sum(axis=1)
    pairs = one * (other - same)
    has_pair = pairs > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(has_pair, agreeing / np.where(has_pair, pairs, 1), 0.0)
        value = (weights @ share) / (weights @ has_pair)
        shares = []
        for counts, total in ((first, one), (second, other)):
            is_labelled = total > 0
            by_document = counts / np.where(is_labelled, total, 1)[:, None]
            shares.append((weights @ by_document) / (weights @ is_labelled)[:, None])
        chance = (shares[0] * shares[1]).sum(axis=1)
        kappa = np.where(chance < 1 - 1e-12, (value - chance) / (1 - chance), np.nan)
    return value, kappa, int(has_pair.sum())


# --- Measures and verdicts if only one group labelled.


def _values(study: Study, settings: Settings, lists: Lists, groups: Mapping[str, tuple[str, ...]]) -> pd.DataFrame:
    names = voters_of(study, settings.voters)

    def by(members: Sequence[str]) -> tuple[Array, Array]:
        return _of(lists, codes_under(lists, labels_of(study, MAJORITY, members)))

    everyone = by(names)
    errors = _errors(study, lists, names, groups)
    tables = []
    for group, members in groups.items():
        (value, labelled), (all_value, all_labelled) = by(members), everyone
        is_both = ~np.isnan(value) & ~np.isnan(all_value)
        of_both = [mean_over_queries(np.where(is_both, table, np.nan)) for table in (value, all_value)]
        error, freedom = errors[group]
        half = error * stdtrit(np.maximum(freedom, 1), 0.975)
        table = {
            "measure": lists.question.text, "group": group, "people": len(members), "system": list(lists.systems),
            "value": of_both[0], "value_everyone": of_both[1], "difference": of_both[0] - of_both[1],
            "ci_low": of_both[0] - of_both[1] - half, "ci_high": of_both[0] - of_both[1] + half,
            "queries": is_both.sum(axis=1), "labelled": labelled, "labelled_everyone": all_labelled,
        }  # fmt: skip
        tables.append(pd.DataFrame(table).astype({"system": "str"}))
    return pd.concat(tables, ignore_index=True)


def _of(lists: Lists, codes: Array) -> tuple[Array, Array]:
    """Return each list's value (S, Q), and the share of each system's places with a label (S,)."""
    weight, count = lists.sums(codes)
    places = count.reshape(len(count), *lists.shape).sum(axis=2)
    total = places.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return lists.values(weight, count).reshape(lists.shape), 1 - places[0] / total


def _errors(
    study: Study, lists: Lists, names: Sequence[str], groups: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[Array, Array]]:
    """Return the standard error of each system's difference over queries and annotators, (S,), by group, and its
    degrees of freedom.

    The variance is that over queries, plus that over annotators, minus that over both together (Cameron, Gelbach and
    Miller, 2011), and no less than either. Annotators: the jackknife, each left out once, within his group.
    """
    votes = read_votes(voting_labels(study, names), lists.names, tuple(names))
    places = lists.doc_ids.get_indexer(pd.Index(votes.doc_ids, dtype="str"))[votes.document]
    is_ranked = places >= 0
    given = places[is_ranked] * len(votes.labels) + votes.label[is_ranked]
    giver, cells = votes.annotator[is_ranked], len(lists.doc_ids) * len(votes.labels)

    def value(counts: Array) -> Array:
        return lists.values(*lists.sums(majority(counts.reshape(-1, len(votes.labels))))).reshape(lists.shape)

    own = np.stack([np.bincount(given[giver == place], minlength=cells) for place in range(len(names))])  # (A, D · L)
    everyone = own.sum(axis=0)
    without = [value(everyone - own[place]) for place in range(len(names))]
    group_of = {name: group for group, members in groups.items() for name in members}
    strata = pd.factorize(np.array([group_of.get(name, "\0") for name in names], dtype=object))[0]
    found = {}
    for group, members in groups.items():
        is_member = np.isin(np.array(names, dtype=object), members)
        of_group = own[is_member].sum(axis=0)
        value_of_group = value(of_group)
        difference = value_of_group - value(everyone)  # (S, Q)
        is_defined = ~np.isnan(difference)
        queries = is_defined.sum(axis=1)
        weight = np.divide(is_defined, queries[:, None], out=np.zeros(difference.shape), where=queries[:, None] > 0)
        # How far the mean moves, query by query, where one annotator is left out, (A, S, Q).
        moved = np.empty((len(names), *difference.shape))
        for place, rest in enumerate(without):
            of_others = value(of_group - own[place]) if is_member[place] else value_of_group
            moved[place] = np.nan_to_num(difference - (of_others - rest)) * weight
        apart = (np.nan_to_num(difference) - mean_over_queries(difference)[:, None]) * weight
        with np.errstate(invalid="ignore", divide="ignore"):
            by_query = np.where(queries > 1, (apart**2).sum(axis=1) * queries / (queries - 1), np.nan)
        by_annotator, by_both = np.zeros(len(queries)), np.zeros(len(queries))
        for stratum in np.unique(strata):
            rows = moved[strata == stratum]
            centred, share = rows - rows.mean(axis=0), (len(rows) - 1) / len(rows)
            by_annotator += share * (centred.sum(axis=2) ** 2).sum(axis=0)
            by_both += share * (centred**2).sum(axis=(0, 2))
        variance = np.maximum(by_query + by_annotator - by_both, np.maximum(by_query, by_annotator))
        found[group] = np.sqrt(variance), np.minimum(queries, len(names)) - 1
    return found


def _verdicts(
    study: Study, settings: Settings, question: Question, groups: Mapping[str, tuple[str, ...]]
) -> pd.DataFrame:
    everyone = verdicts_under(study, settings, question)
    rows = []
    for group, members in groups.items():
        for pair, (verdict, queries) in verdicts_under(study, settings.changed(voters=members), question).items():
            before, queries_before = everyone.get(pair, (UNTESTED, 0))
            rows.append((question.text, group, *pair, verdict, before, verdict != before, queries, queries_before))
    columns = ["measure", "group", "system", "baseline", "verdict", "verdict_everyone", "changes", "queries",
               "queries_everyone"]  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def verdicts_under(study: Study, settings: Settings, question: Question) -> dict[tuple[str, str], tuple[str, int]]:
    """Return the verdict on each tested pair of systems, and its queries, by (system, baseline)."""
    how = how_of(study, settings)
    comparison = compared_as(evaluate(study, [question], settings), how)
    found = {}
    for pairs in comparison.pairs:
        systems = [name for name in pairs.points.systems if how.is_tested(name)]
        for place, baseline in enumerate(systems):
            for row in view(pairs, how, baseline):
                if row.system in systems[:place]:
                    found[row.system, baseline] = row.verdict, row.queries
    return found


# --- In words.


def change_text(row: Mapping[Any, Any]) -> str:
    """Return a verdict that changes: `CWEx@10, bm25 against rrf: ahead with everyone, not significantly different with
    women alone`."""
    return (
        f"{row['measure']}, {row['system']} against {row['baseline']}: {row['verdict_everyone']} with everyone, "
        f"{row['verdict']} with {row['group']} alone"
    )


def _by_measure(table: pd.DataFrame) -> Iterable[tuple[Any, pd.DataFrame]]:
    return table.groupby("measure", sort=False) if len(table) else ()
