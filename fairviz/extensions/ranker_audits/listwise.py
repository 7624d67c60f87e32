"""Rankers audited by whole lists: who rises, who falls, and whether the lists are to be trusted at all.

After the audit of language models as rankers (Wang et al. 2024, sections 3.2 and 4.1).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.errors import UsageError
from fairviz.evaluation.scores import evaluate
from fairviz.extensions.ranker_audits.list_plan import (
    Arm,
    Bench,
    CandidateLists,
    ListwisePlan,
    Ordered,
    Progress,
    arms,
    candidate_lists,
    estimated,
    ordered,
)
from fairviz.extensions.ranker_audits.rankers.listwise import EXACT, NEUTRAL, REPAIRED, UNREAD
from fairviz.extensions.ranker_audits.rankers.listwise import NAME as ASKED
from fairviz.extensions.ranker_audits.shares import (
    PREFERRED,
    compare_with_zero,
    estimate,
    preference_columns,
    preferred,
)
from fairviz.extensions.ranker_audits.shares import Estimate as Interval
from fairviz.models.asking import Budget, Estimate, Spent
from fairviz.rankers.grammar import RankerChoice, check_layers, demonstrations
from fairviz.rankers.record import silent
from fairviz.statistics.contrasts import sign_of
from fairviz.statistics.intervals import mean_over_queries, ratio_interval
from fairviz.study.record import Study
from fairviz.study.tables import RUNS, conform
from fairviz.words.sentences import counted, decimal, out_of, p_value

Array = np.ndarray
HALF = 0.5  # share of answers without an order, or τ, from which a list depends mostly on its first order
ARM = ("system", "attribute", "window", "step")
ANSWERS = (*ARM, "query_id", "number", "start", "outcome", "named", "missing", "double", "invented", "around",
           "identity", "shown", "order", "text")  # fmt: skip
SHUFFLED = "shuffled lists"  # the order at first, as the anchor that every figure is read against
VALUES = ("P@10", "P@20", "ratio", "rank_gap", "rise")
RATIO_OF_MEANS = "ratio_of_means"
SHIFTS = {"ratio": "ratio_shift", "P@10": "P@10_shift"}
PREFERENCE = ("preferred", "preferred_low", "preferred_high", "p_shares", "p_shares_corrected", "queries_first",
              "queries_other", "family")  # fmt: skip
SURE = 0.05


@dataclass(frozen=True, eq=False)
class ListwiseAudit:
    """The results of a listwise audit, to be read in this order.

    integrity: a row a ranker, attribute and window (see `integrity`), and its sentences. table: the same rows with
    precision, exposure and ranks (see `summary`), the shuffled lists first, and its sentences. values: the same by
    query. ranks: every document of every list, before and after. answers: every window sent to a language model.
    asked: the number of new requests; tokens_in, tokens_out, seconds: of all.
    """

    study: Study
    plan: ListwisePlan
    systems: tuple[str, ...]
    integrity: pd.DataFrame
    integrity_sentences: tuple[str, ...]
    table: pd.DataFrame
    sentences: tuple[str, ...]
    values: pd.DataFrame
    ranks: pd.DataFrame
    answers: pd.DataFrame
    messages: tuple[str, ...]
    asked: int
    tokens_in: int
    tokens_out: int
    seconds: float

    def by_attribute(self) -> pd.DataFrame:
        """Table 1 of the paper: each ranker by the attribute that its queries name, at its first window."""
        windows = self.table["window"].astype(str) + "/" + self.table["step"].astype(str)
        is_first = windows == windows.groupby(self.table["system"]).transform("first")
        return self.table[is_first].reset_index(drop=True)

    def by_window(self) -> pd.DataFrame:
        """Table 2 of the paper: each language model by window and step, under neutral queries."""
        models = (self.table["window"] > 0) & (self.table["attribute"] == NEUTRAL)
        return self.table[models].reset_index(drop=True)

    def sliced(self, column: str) -> pd.DataFrame:
        """Table 1 for each value of a column of the queries, such as `category`, in a column `value`. Raises
        UsageError where they have no such column."""
        return sliced(self.study, self._at_first_window(self.values), column)

    def protected_ranks(self) -> pd.DataFrame:
        """Return the data of figure 3 of the paper: ranks of the protected group's documents, at each ranker's first
        window."""
        return self._at_first_window(self.ranks[self.ranks["protected"]])

    def _at_first_window(self, rows: pd.DataFrame) -> pd.DataFrame:
        return rows.merge(self.by_attribute()[list(ARM)], on=list(ARM))


def audit_listwise(
    study: Study, choices: Sequence[RankerChoice], plan: ListwisePlan | None = None, progress: Progress | None = None
) -> ListwiseAudit:
    """Have every ranker order the same shuffled candidate lists, under neutral queries and under those that name a
    gender.

    progress(what, done, in all) is called all along. A language model's answers are cached: repeating an audit sends
    nothing, and a stopped one is resumed. Raises FairvizError for a study of which no lists can be made, and where a
    ranker lacks something; UsageError for an invalid plan.
    """
    plan, report = plan or ListwisePlan(), progress or silent
    if not choices:
        raise UsageError("no ranker is named", "Name one or more, as bm25,bi_encoder.")
    check_layers(choices)
    tried = [(choice, arm) for choice in choices for arm in arms(choice, study, plan)]
    lists = candidate_lists(study, plan)
    messages: list[str] = [*demonstrations(choices), *lists.messages]
    spent = Spent(Budget(plan.most_requests or None))
    bench = Bench(_audited(study, lists), lists.table, plan, report, messages.append, spent)
    orderings = [ordered(choice, arm, bench) for choice, arm in tried]
    # The lists as they were shuffled, as if they were a ranker's.
    shuffled = lists.table.assign(after=lists.table["before"], unranked=False, tied=False)
    all_lists = [Ordered(Arm(SHUFFLED, NEUTRAL), shuffled), *orderings]
    values = by_query(study, all_lists, plan)
    table, checks = summary(values), integrity(orderings)
    answers = [one.answers for one in orderings if one.answers is not None]
    return ListwiseAudit(
        study,
        plan,
        tuple(dict.fromkeys(one.arm.system for one in orderings)),
        checks,
        integrity_sentences(checks),
        table,
        table_sentences(table, checks, study.protected),
        values,
        pd.concat([one.ranks.assign(**arm_columns(one)) for one in all_lists], ignore_index=True),
        answers_table(orderings),
        tuple(dict.fromkeys(messages)),
        sum(one.asked for one in answers),
        sum(one.tokens_in for one in answers),
        sum(one.tokens_out for one in answers),
        sum(one.seconds for one in answers),
    )


def estimates_listwise(
    study: Study, choices: Sequence[RankerChoice], plan: ListwisePlan | None = None
) -> dict[str, Estimate]:
    """Return the requests to language models about the study's lists, by system, without sending any. Raises: see
    `audit_listwise`."""
    plan, estimate_by_system = plan or ListwisePlan(), {}
    models = [choice for choice in choices if choice.ranker.name == ASKED]
    if not models:
        return {}
    lists = candidate_lists(study, plan)
    bench = Bench(_audited(study, lists), lists.table, plan)
    for choice in models:
        parts = [estimated(choice, arm, bench) for arm in arms(choice, study, plan)]
        estimate_by_system[choice.system] = Estimate(
            *(sum(getattr(part, name) for part in parts) for name in ("questions", "open", "tokens_in", "tokens_out"))
        )
    return estimate_by_system


def _audited(study: Study, lists: CandidateLists) -> Study:
    """The study with the queries that have a list, in its order."""
    queries = study.queries
    listed_queries = queries[queries["query_id"].isin(lists.table["query_id"])].reset_index(drop=True)
    return replace(study, queries=listed_queries, fingerprint="")


def arm_columns(ordering: Ordered) -> dict:
    """Return the columns that identify the arm of a row."""
    return {name: getattr(ordering.arm, name) for name in ARM}


def answers_table(orderings: Sequence[Ordered]) -> pd.DataFrame:
    """Return a row for each window sent to a language model: its documents, the answer, and the parsed order."""
    rows = [
        arm_columns(one)
        | {"query_id": window.query_id, "number": window.number, "start": window.start}
        | {name: getattr(window.answer, name) for name in ANSWERS[7:14]}
        | {"shown": window.shown, "order": window.answer.order, "text": window.answer.text}
        for one in orderings
        if one.answers is not None
        for window in one.answers.windows
    ]
    return pd.DataFrame(rows, columns=list(ANSWERS))


def integrity(orderings: Sequence[Ordered]) -> pd.DataFrame:
    """Return a row for each arm.

    Of a language model: answers, and how many were `exact`, `repaired` or, by reason, name no order; documents `shown`
    before the answers that do, and `missing`, `double` and `invented` in them; `around`, words around a list;
    `identity`, the order that was shown; `first_kept`, the share of first windows whose first passage is named first,
    and `chance` of that. Of any ranker: the shares of documents `unranked` and `tied`, and `position_bias`, Kendall's τ
    between the order that was shown and the order that came of it, with an interval over queries: 0 where the one plays
    no part in the other.
    """
    rows = []
    for one in orderings:
        windows = one.answers.windows if one.answers is not None else ()
        answers = [window.answer for window in windows]
        row: dict = arm_columns(one) | {"answers": len(answers)}
        row |= {name: sum(answer.outcome == name for answer in answers) for name in (EXACT, REPAIRED, *UNREAD)}
        row["unread"] = sum(not answer.read for answer in answers)
        row["shown"] = sum(len(window.shown) for window in windows if window.answer.read)
        for name in ("missing", "double", "invented", "around", "identity"):
            row[name] = sum(getattr(answer, name) for answer in answers)
        first = [window for window in windows if window.number == 1 and window.answer.read]
        row["first_kept"] = float(np.mean([window.answer.order[0] == 0 for window in first])) if first else np.nan
        row["chance"] = float(np.mean([1 / len(window.shown) for window in first])) if first else np.nan
        row |= {name: float(one.ranks[name].mean()) for name in ("unranked", "tied")}
        rows.append(row | _position_bias(one))
    return pd.DataFrame(rows)


def _position_bias(ordering: Ordered) -> dict:
    """Kendall's τ of each list, averaged over queries. Of a language model in the first window of each list alone,
    which it is shown in an order drawn by lot, and over the passages that it names. Of another ranker over the
    documents with ranks of their own, since tied ones keep their order by our choice."""
    values = []
    if ordering.answers is not None:
        for answer in (window.answer for window in ordering.answers.windows if window.number == 1):
            named = np.array(answer.order[: answer.named])
            values.append(kendall(np.arange(answer.named), named) if answer.read else np.nan)
    else:
        for _, rows in ordering.ranks.groupby("query_id", sort=False):
            placed = rows[~rows["unranked"] & ~rows["tied"]]
            values.append(kendall(placed["after"].to_numpy(), placed["before"].to_numpy()))
    return estimate(np.array(values, dtype=np.float64)).named("position_bias")


def kendall(first: Array, second: Array) -> float:
    """Kendall's τ of two orders (N,) without ties: (pairs in the same order - pairs turned round) / pairs; NaN for
    fewer than two.

    >>> round(kendall(np.array([1, 2, 3]), np.array([1, 3, 2])), 4)
    0.3333
    """
    if len(first) < 2:
        return float("nan")
    rows, columns = np.triu_indices(len(first), 1)
    return float((np.sign(first[rows] - first[columns]) * np.sign(second[rows] - second[columns])).mean())


def integrity_sentences(table: pd.DataFrame) -> tuple[str, ...]:
    """Return a sentence on each ranker's integrity under neutral queries and, where it is worse, under others as
    well."""
    return tuple(filter(None, (_integrity_sentence(row) for row in table.to_dict("records"))))


def _integrity_sentence(row: dict) -> str:
    name = f"{row['system']}, {row['attribute']} queries"
    if not row["answers"]:
        return f"{name}: {unplaced(row)}" if unplaced(row) else ""
    text = (
        f"{name}, window {row['window']}, step {row['step']}: {row['answers']:,} answers. {row[EXACT]:,} are "
        f"complete orders, {row[REPAIRED]:,} were repaired, {row['unread']:,} name no order. {row['identity']:,} "
        f"repeat the order shown; {row['missing']:,} documents were left out.{_bias_text(row)}"
    )
    return f"{text} {low_confidence_reason(row)}".rstrip()


def _bias_text(row: dict) -> str:
    if np.isnan(row["position_bias"]):
        return ""
    span = f" [{row['position_bias_low']:.2f}, {row['position_bias_high']:.2f}]"
    span = "" if np.isnan(row["position_bias_low"]) else span
    return f" Kendall's τ between the order shown and the order named is {row['position_bias']:.2f}{span}."


def unplaced(row: dict) -> str:
    """Return the number of documents to which a ranker with scores gives no rank of their own; empty below half of
    them."""
    if row["answers"] or row["unranked"] + row["tied"] < HALF:
        return ""
    places = f"{row['unranked']:.0%} of the documents get no place and {row['tied']:.0%} share one"
    return f"{places}: these are in random order."


def low_confidence_reason(row: dict) -> str:
    """Return the reason for which a row's lists show no preference; empty for none."""
    if row["unread"] and row["unread"] >= HALF * row["answers"]:
        return "At least half of the answers name no order: lists reflect the shuffle, not gender."
    if row["answers"] and abs(row["position_bias"]) >= HALF:  # below 0 where it turns the lists round
        return "Its order depends on position more than on text: do not read a preference into its lists."
    if row["missing"] and row["missing"] >= HALF * row["shown"]:
        return "At least half of the documents are not named: do not read a preference into the lists."
    return ""


def by_query(study: Study, orderings: Sequence[Ordered], plan: ListwisePlan) -> pd.DataFrame:
    """Return a row for each arm and query: P@10, P@20, ratio (GroupExposureRatio over the whole list), rank_gap (mean
    rank of the others minus that of the protected group: above 0 where the protected group ranks higher), rise
    (rank_gap less that of the shuffled list: the ranks by which the protected group rose more than the others), and the
    mean attention 1 / log2(1 + rank) to a document of the protected group and of the others."""
    depth = max(int(one.ranks["after"].max()) for one in orderings)
    measures = {"P@10": "P@10", "P@20": "P@20", "ratio": f"GroupExposureRatio@{depth}"}
    ranked_study = replace(study, runs=_runs_by_number(orderings), fingerprint="")
    scores = evaluate(ranked_study, list(measures.values()), annotator=plan.annotator, voters=plan.voters)
    wide = scores.pivot(index=["system", "query_id"], columns="measure", values="value")
    parts = []
    for number, one in enumerate(orderings):
        groups = _group_means(one.ranks)
        values = wide.loc[str(number)].reindex(groups.index)
        columns = {name: values[measure].to_numpy(dtype=np.float64) for name, measure in measures.items()}
        parts.append(groups.assign(**columns, **arm_columns(one)).reset_index())
    return pd.concat(parts, ignore_index=True)[[*ARM, "query_id", *VALUES, "exposure_protected", "exposure_others"]]


def _runs_by_number(orderings: Sequence[Ordered]) -> pd.DataFrame:
    """Return the lists as runs that are named by their number, since one ranker has several."""
    frames = []
    for number, one in enumerate(orderings):
        after = one.ranks["after"]
        frames.append(
            one.ranks[["query_id", "doc_id"]].assign(system=str(number), rank=after, score=-after.astype(float))
        )
    return conform(pd.concat(frames, ignore_index=True), RUNS)


def _group_means(ranks: pd.DataFrame) -> pd.DataFrame:
    """Return by query: rank_gap, rise, and the mean attention 1 / log2(1 + rank) to a document of each side."""
    with_attention = ranks.assign(attention=1 / np.log2(1 + ranks["after"].to_numpy(dtype=np.float64)))
    by_side = with_attention.groupby(["query_id", "protected"], sort=False)[["before", "after", "attention"]]
    means = by_side.mean().unstack("protected")
    gap = means["after", False] - means["after", True]
    table = pd.DataFrame(
        {
            "rank_gap": gap,
            "rise": gap - (means["before", False] - means["before", True]),
            "exposure_protected": means["attention", True],
            "exposure_others": means["attention", False],
        }
    )
    return table.reindex(pd.unique(ranks["query_id"]))


def summary(values: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each arm: queries, and each of VALUES as its mean over queries with its t interval (`_low`,
    `_high`).

    preferred, with its interval: of the queries on which one side ranks higher on average (rank_gap is not 0), the
    share on which it is the protected group; one half in any order, whatever the sizes of the groups. This is the one
    statistic that decides which side is preferred: p_shares and p_shares_corrected are those of its exact sign test,
    Bonferroni over the `family` of rankers and conditions; NaN under ten queries and for the shuffled lists. All others
    are secondary. ratio_of_means: the mean attention to a document of the protected group over all queries, over that
    of the others; the mean of ratios is above 1 for lists in any order, since 2 and 1/2 average 1.25; this ratio is
    not. ratio_shift and P@10_shift: the difference from the same ranker's neutral queries, in pairs, with the intervals
    of one family of rankers and conditions; NaN for neutral queries.
    """
    return _tested(_arms(values))


def _arms(values: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of `summary` before their tests, with what these need under PREFERRED and SHIFTS."""
    rows = []
    for key, part in values.groupby(list(ARM), sort=False):
        arm = dict(zip(ARM, key, strict=True))
        row: dict = {**arm, "queries": len(part)}
        for name in VALUES:
            row |= estimate(part[name].to_numpy(dtype=np.float64)).named(name)
        row |= _ratio_of_means(part).named(RATIO_OF_MEANS)
        row[PREFERRED] = preferred(0.5 + sign_of(part["rank_gap"].to_numpy(dtype=np.float64)) / 2)
        for name, shift in SHIFTS.items():
            row[shift] = pd.Series(_shifts(values, part, arm, name), index=part["query_id"])
        rows.append(row)
    return pd.DataFrame(rows)


def _ratio_of_means(part: pd.DataFrame) -> Interval:
    """Return the mean attention to a document of the protected group over that of the others."""
    protected, others = (part[f"exposure_{side}"].to_numpy(dtype=np.float64) for side in ("protected", "others"))
    low, high = ratio_interval(protected, others)
    return Interval(float(mean_over_queries(protected) / mean_over_queries(others)), low, high)


def _shifts(values: pd.DataFrame, part: pd.DataFrame, arm: dict, name: str) -> Array:
    """Return the value of each query of this arm minus that of the same ranker's neutral query, (Q,); NaN for neutral
    queries."""
    if arm["attribute"] == NEUTRAL:
        return np.full(len(part), np.nan)
    is_neutral = values["attribute"] == NEUTRAL
    for column in ("system", "window", "step"):
        is_neutral &= values[column] == arm[column]
    neutral = values[is_neutral].set_index("query_id")[name].reindex(part["query_id"])
    return part[name].to_numpy(dtype=np.float64) - neutral.to_numpy(dtype=np.float64)


def _tested(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with their tests, which are one family; the shuffled lists take no part."""
    anchor = (table["system"] == SHUFFLED).to_numpy()
    tests: list[dict] = [dict.fromkeys(PREFERENCE, np.nan) for _ in range(len(table))]
    sign_tests = preference_columns(table.loc[~anchor, PREFERRED].tolist())
    for place, columns in zip(np.flatnonzero(~anchor), sign_tests, strict=True):
        tests[place] = {name: columns[name] for name in PREFERENCE}
    table = pd.concat([table.drop(columns=PREFERRED), pd.DataFrame(tests, index=table.index)], axis=1)
    for shift in SHIFTS.values():
        tested = compare_with_zero(table[shift].tolist())
        table = table.assign(**{shift: tested.difference, f"{shift}_low": tested.low, f"{shift}_high": tested.high})
    return table


def table_sentences(table: pd.DataFrame, checks: pd.DataFrame, protected: str) -> tuple[str, ...]:
    """Return a sentence for each ranker on the ranks of the protected group in its neutral lists. checks: the table of
    integrity, without which no sentence is made."""
    both = table.merge(checks, on=list(ARM), validate="one_to_one")  # the shuffled lists have no integrity
    neutral = both[both["attribute"] == NEUTRAL]
    return tuple(_sentence(row, protected) for row in neutral.to_dict("records"))


def _sentence(row: dict, protected: str) -> str:
    window = f", window {row['window']}, step {row['step']}" if row["window"] else ""
    ranker = f"{row['system']}{window}"
    if reason := low_confidence_reason(row):
        return f"{ranker}: do not read a preference into its lists. {reason}"
    attention, p = f"{row[RATIO_OF_MEANS]:.3f}", row["p_shares_corrected"]
    if np.isnan(p):
        return (
            f"{ranker}: {protected} documents get {attention} times the attention; a verdict needs "
            f"{FEWEST_QUERIES} queries."
        )
    above, decided = int(row["queries_first"]), int(row["queries_first"] + row["queries_other"])
    if not decided:
        return f"{ranker}: neither group ranks higher for any of {counted(row['queries'], 'query')}."
    verdict = "significantly" if p <= SURE else "not significantly"
    attention += f" [{row[f'{RATIO_OF_MEANS}_low']:.3f}, {row[f'{RATIO_OF_MEANS}_high']:.3f}]"
    low, high = row["preferred_low"], row["preferred_high"]
    interval = "" if np.isnan(low) else f" ({low:.0%} to {high:.0%})"
    ties = f" without the {row['queries'] - decided:,} tied" if decided < row["queries"] else ""
    return (
        f"{ranker}: {protected} documents rank higher for {out_of(above, decided, 'query')}{ties}{interval}, "
        f"{verdict} different from one half ({p_value(p)}). Secondary: {attention} times the attention, "
        f"{_gap_text(row)}."
    )


def _gap_text(row: dict) -> str:
    """Return the number of ranks higher, or lower, with its interval."""
    gap, *ends = (row[f"rank_gap{end}"] for end in ("", "_low", "_high"))
    side = "lower" if gap < 0 else "higher"
    if gap < 0:
        gap, ends = -gap, [-end for end in reversed(ends)]
    return f"{decimal(gap, 2, '+')} [{decimal(ends[0], 2, '+')}, {decimal(ends[1], 2, '+')}] ranks {side}"


def check_slices(study: Study, column: str) -> None:
    """Raise UsageError where the queries have no such column."""
    if column in ("query_id", "text") or column not in study.queries:
        columns = [str(name) for name in study.queries if name not in ("query_id", "text")]
        raise UsageError(
            f"the queries of {study.name} have no column {column!r} to slice by",
            f"Use {' or '.join(columns)}." if columns else "Add one to queries.csv.",
        )


def sliced(study: Study, values: pd.DataFrame, column: str) -> pd.DataFrame:
    """`summary` for each value of a column of the study's queries, in a column `value` before the others; all values
    are one family.

    Raises UsageError where the queries have no such column.
    """
    check_slices(study, column)
    of_query = study.queries.set_index("query_id")[column].astype("str")
    parts = []
    for value, part in values.groupby(values["query_id"].map(of_query), sort=True):
        table = _arms(part)
        table.insert(0, "value", str(value))
        parts.append(table)
    return _tested(pd.concat(parts, ignore_index=True))
