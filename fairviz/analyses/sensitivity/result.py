"""A map of choices: a grid that is computed, and the sentence about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from fairviz.analyses.sensitivity.grid import Branch, Grid
from fairviz.analyses.sensitivity.levels import LABELS, level_text
from fairviz.analyses.sensitivity.shares import Part, Shares, shares_of
from fairviz.analyses.sensitivity.work import COLUMNS, sign
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Level
from fairviz.statistics.contrasts import EQUAL, sign_of
from fairviz.statistics.references import within
from fairviz.words.sentences import agreeing, counted, decimal, listed

Array = np.ndarray
EQUALLY = "neither"
IN_TEXT = ("background", "tau", "cutoff", "alpha")  # choices that a measure's text holds
UNREAD = "not read"  # of a choice that the row's measure does not read
THIN = 0.5  # a value for fewer than this share of the queries is marked
Spans = list[tuple[str, bool]]  # pieces of a sentence; names of systems are strong
MOST = 0.5  # a choice with more than this share decides most


@dataclass(frozen=True)
class Counts:
    """Numbers of combinations: in all, computed, defined for both systems, without a value, with a value for fewer than
    half of the queries; those with A or B fairer by the means; and those in which A, or B, is significantly
    fairer. family: the number tested; each is a family of its own."""

    all: int
    done: int
    defined: int
    undefined: int
    thin: int
    a: int
    b: int
    a_tested: int
    b_tested: int
    family: int


@dataclass(frozen=True, eq=False)
class Robustness:
    """Two systems under every combination of a grid that is computed.

    done (N,): which of the grid's combinations those are. columns: COLUMNS of the work, (N,) each. queries: how many
    are shown.
    """

    grid: Grid
    columns: Mapping[str, Array]
    done: Array
    queries: int

    @cached_property
    def sentence(self) -> str:
        """Return the finding in a sentence or two."""
        return "".join(text for text, _ in sentence(self))

    @property
    def pair(self) -> tuple[str, str]:
        """The systems, A and B."""
        return self.grid.pair

    @cached_property
    def signs(self) -> Array:
        """(N,) 1 where a greater difference favours A, -1 where a smaller one does."""
        return np.concatenate([np.full(branch.count, sign(branch.question)) for branch in self.grid.branches])

    @cached_property
    def lead(self) -> Array:
        """(N,) the difference, turned so that more than 0 means that A is fairer; in the measure's own unit."""
        return self.columns["difference"] * self.signs

    @cached_property
    def defined(self) -> Array:
        """(N,) whether both systems have a value, so that the combination counts."""
        return self.done & ~np.isnan(self.columns["difference"])

    @cached_property
    def thin(self) -> Array:
        """(N,) whether the values are of fewer than half of the queries."""
        return self.defined & (self.columns["queries"] < THIN * self.queries)

    @cached_property
    def ahead(self) -> Array:
        """(N,) who is fairer by the means: 1 A, -1 B, 0 neither; NaN where undefined."""
        order = sign_of(self.lead)
        return np.where(self.defined, order, np.nan)

    @cached_property
    def p_corrected(self) -> Array:
        """(N,) p in each combination's family, all pairs of the systems shown; NaN where the pair is not tested."""
        return np.where(self.defined, self.columns["p_corrected"], np.nan)

    @cached_property
    def tested(self) -> Array:
        """(N,) which system is significantly fairer: 1 A, -1 B, 0 neither."""
        sure = within(np.nan_to_num(self.p_corrected, nan=1.0), self.grid.how.alpha)
        return np.where(sure, np.nan_to_num(self.ahead), 0.0)

    @cached_property
    def standardised(self) -> bool:
        """True if the figures use a scale that several measures share: the lead over the standard deviation of its
        differences by query."""
        return len(self.grid.branches) > 1

    @cached_property
    def scale(self) -> Array:
        """(N,) the lead as it is drawn and taken apart; NaN where it is undefined, or cannot be standardised."""
        values = self.columns["effect_size"] * self.signs if self.standardised else self.lead
        return np.where(self.defined, values, np.nan)

    def bounds(self) -> tuple[Array, Array]:
        """(N,) both ends of the 95 % interval, on the scale that is drawn."""
        low, high = (self.columns[name] * self.signs for name in ("ci_low", "ci_high"))
        low, high = np.minimum(low, high), np.maximum(low, high)
        if not self.standardised:
            return low, high
        spread = np.where(self.columns["spread"] > EQUAL, self.columns["spread"], np.nan)
        return low / spread, high / spread

    @cached_property
    def counts(self) -> Counts:
        """The numbers of combinations by kind."""
        kinds = {
            "done": self.done,
            "defined": self.defined,
            "undefined": self.done & ~self.defined,
            "thin": self.thin,
            "a": self.ahead == 1,
            "b": self.ahead == -1,
            "a_tested": self.tested == 1,
            "b_tested": self.tested == -1,
            "family": ~np.isnan(self.p_corrected),
        }
        return Counts(self.grid.count, **{name: int(rows.sum()) for name, rows in kinds.items()})

    @cached_property
    def shares(self) -> Shares:
        """The share of each choice in the size of the difference."""
        return self._shares(self.scale)

    @cached_property
    def order_shares(self) -> Shares:
        """The share of each choice in the order: 1 for A, -1 for B and 0 for neither."""
        return self._shares(self.ahead)

    def _shares(self, values: Array) -> Shares:
        parts = [
            Part(values[start : start + branch.count], branch.codes)
            for start, branch in zip(self.grid.starts, self.grid.branches, strict=True)
        ]
        return shares_of(parts, {name: len(self.grid.choices[name]) for name in self.grid.touched})

    @cached_property
    def share_table(self) -> pd.DataFrame:
        """choice, share (of the variance of the difference), with_interactions, share_of_order: the choices from the
        largest share on, last the interactions; the shares of a column sum to 1."""
        size, order = self.shares, self.order_shares
        names = [*size.alone] or [*order.alone]
        rows = [
            (name, size.alone.get(name, np.nan), size.totals.get(name, np.nan), order.alone.get(name, np.nan))
            for name in names
        ]
        rows.sort(key=lambda row: -np.nan_to_num(row[1]))
        if names:
            left = (size.together if size.alone else np.nan, order.together if order.alone else np.nan)
            rows.append(("interactions", left[0], np.nan, left[1]))
        kinds = {"choice": "str", "share": "f8", "with_interactions": "f8", "share_of_order": "f8"}
        return pd.DataFrame(rows, columns=list(kinds)).astype(kinds)

    @cached_property
    def varied(self) -> dict[str, tuple[str, ...]]:
        """The choices that differ between combinations, by their names in figures and tables, and the measure if there
        are several, each with its levels in order."""
        measures = {"measure": tuple(branch.text for branch in self.grid.branches)} if self.standardised else {}
        return measures | {name: self._level_texts(name, self.grid.choices[name]) for name in self.grid.touched}

    @cached_property
    def drawn(self) -> pd.DataFrame:
        """The data of the figures, a row for each computed combination: combination, the columns of `varied`, value,
        low and high on the scale of the map, fairer, chance, and tested, the system that is fairer by the corrected
        test."""
        low, high = self.bounds()
        columns: dict[str, object] = {"combination": np.arange(self.grid.count)}
        columns |= {name: self._levels[name] for name in self.varied}
        columns |= {"value": self.scale, "low": low, "high": high, "chance": self.columns["win"]}
        columns["fairer"] = self._names(self.ahead)
        columns["tested"] = self._names(np.where(self.defined, self.tested, np.nan))
        return pd.DataFrame(columns)[self.done].reset_index(drop=True)

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each combination that is computed: measure, the choices that are varied (`not read` where the
        measure does not read one), system_a, system_b, value_a, value_b, difference (A less B; of the distances for a
        measure that is fairest at 0 or 1), ci_low, ci_high, p, p_corrected, effect_size, fairer (by the means, empty
        where undefined), chance (the share of resamples in which A is fairer), queries, combination (its number)."""
        rows = self._levels
        rows = rows.assign(measure=np.concatenate([self._canonical(branch) for branch in self.grid.branches]))
        rows = rows.astype({"measure": "str"})
        rows["system_a"], rows["system_b"] = self.pair
        for name in COLUMNS:
            rows[name] = self.columns[name]
        rows["p_corrected"] = self.p_corrected
        rows["fairer"] = self._names(self.ahead)
        rows["combination"] = np.arange(self.grid.count)
        order = ["measure", *self.grid.choices, "system_a", "system_b", "value_a", "value_b", "difference", "ci_low",
                 "ci_high", "p", "p_corrected", "effect_size", "fairer", "win", "queries", "combination"]  # fmt: skip
        computed_rows = rows.loc[self.done, order].rename(columns={"win": "chance"})
        return computed_rows.astype({"queries": "Int64"}).reset_index(drop=True)

    def _names(self, fairer: Array) -> pd.Series:
        """Return the name of the fairer system, (N,): A for 1, B for -1, `neither` for 0; empty for NaN."""
        names = np.array(["", self.pair[1], EQUALLY, self.pair[0]], dtype=object)
        return pd.Series(names[np.nan_to_num(fairer + 2, nan=0).astype(int)], dtype="str")

    @cached_property
    def _levels(self) -> pd.DataFrame:
        """The requested measure of each combination, and its level of each choice in words."""
        tables = []
        for branch in self.grid.branches:
            columns: dict[str, object] = {"measure": np.full(branch.count, branch.text, dtype=object)}
            columns |= {name: np.full(branch.count, UNREAD, dtype=object) for name in self.grid.choices}
            for name, levels in branch.axes:
                columns[name] = np.array(self._level_texts(name, levels), dtype=object)[branch.codes[name]]
            tables.append(pd.DataFrame(columns).astype("str"))
        return pd.concat(tables, ignore_index=True)

    def _level_texts(self, name: str, levels: Sequence[Level]) -> tuple[str, ...]:
        return tuple(level_text(self.grid.study, self.grid.settings, name, level) for level in levels)

    def _canonical(self, branch: Branch) -> Array:
        """Return the canonical text of the measure in each of its combinations, with its parameters there."""
        axes = {name: levels for name, levels in branch.axes if name in IN_TEXT}
        number = np.zeros(branch.count, dtype=np.int64)
        for name, levels in axes.items():
            number = number * len(levels) + branch.codes[name]
        chosen = (dict(zip(axes, levels, strict=True)) for levels in product(*axes.values()))
        texts = [ask(branch.text, self.grid.settings.changed(**levels)).text for levels in chosen]
        return np.array(texts, dtype=object)[number]


def sentence(results: Robustness) -> Spans:
    """`A is fairer than B under 412 of 540 combinations; the tokenizer decides most of the rest (61 % …). …`."""
    counts, (leader, other), won, lost = results.counts, results.pair, results.counts.a, results.counts.b
    if not counts.defined:
        none = (
            "None of the combinations has a value" if counts.done else "No combination is computed yet that has a value"
        )
        return [(f"{none} for both systems, so they cannot be compared.", False)]
    if won < lost:
        leader, other, won, lost = other, leader, lost, won
    so_far = "" if counts.done == counts.all else " computed so far"
    where = f"under {won:,} of {counted(counts.defined, 'combination')}{so_far}"
    # The choice that decides the exceptions; without exceptions, the one that moves the size of the difference.
    if won < counts.defined:
        text = decides(results.order_shares, "the rest", "of the variance of the order")
        rest = f"{text[0].upper()}{text[1:]}."
    elif results.shares.alone:
        rest = f"No choice reverses the order; {decides(results.shares, 'its size', 'of the variance')}."
    else:
        rest = "No choice moves the difference."
    between, verdict = (" and ", " are each fairer") if won == lost else (" is fairer than ", "")
    return [
        (leader, True),
        (between, False),
        (other, True),
        (f"{verdict} {where}", False),
        (f". {rest} {_tested(results, leader)}", False),
    ]


def decides(shares: Shares, what: str, of: str) -> str:
    """Return the choice that decides most of this, in words: one, two together, or none alone."""
    ranked = sorted(shares.alone.items(), key=lambda each: -each[1])
    if not ranked:
        return f"no choice decides {what}"
    first, one = ranked[0]
    if one > MOST:
        return f"{LABELS[first]} decides most of {what} ({percent(one)} {of})"
    if len(ranked) > 1 and one + ranked[1][1] > MOST:
        second, other = ranked[1]
        return f"{LABELS[first]} and {LABELS[second]} together decide most of {what} ({percent(one)} and " \
               f"{percent(other)} {of})"  # fmt: skip
    if shares.together > MOST:
        return f"no choice alone decides {what}; combinations of choices do ({percent(shares.together)} {of})"
    return f"no choice decides most of {what}: {LABELS[first]} comes first ({percent(one)} {of})"


def percent(share: float) -> str:
    """`61 %`; `under 1 %` for what is not 0."""
    return "under 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


def _tested(results: Robustness, leader: str) -> str:
    """Return the number of combinations with a significant order, in words."""
    counts = results.counts
    untested = next((name for name in results.pair if not results.grid.how.is_tested(name)), "")
    named = results.grid.how.tests.baseline
    if untested:
        return f"By the means only: {untested} is not tested."
    if named and named not in results.pair:
        return f"By the means only: the tests are of differences to {named}."
    if not counts.family:
        return "By the means only: too few common queries for a test."
    same, opposite = (
        (counts.a_tested, counts.b_tested) if leader == results.pair[0] else (counts.b_tested, counts.a_tested)
    )
    where = f"of {counted(counts.family, 'tested combination')}"
    if not same and not opposite:
        return f"The difference is significant in 0 {where}. This describes; it does not test."
    return (
        f"The difference is significant in {same:,} {where}, and reversed in {opposite:,}. This describes; it does "
        "not test."
    )


def lines(results: Robustness) -> list[str]:
    """Return notes: the count of combinations, and the undefined ones by choice."""
    grid, counts = results.grid, results.counts
    notes = [combinations_text(results)]
    if counts.family:  # what is tested together: of a family across measures too each combination has one measure
        how, others = grid.how, len(grid.systems) - 1
        named = f" with {how.tests.baseline}" if how.tests.baseline else f" of {counted(others + 1, 'system')}"
        pairs = "1 pair" if others == 1 else f"all pairs{named}"
        method = how.method_text([branch.question for branch in grid.branches])
        notes.append(f"Each combination is a family of its own: {pairs} in one measure, {method}.")
    values = results.scale[results.defined & ~np.isnan(results.scale)]
    if len(values):
        unit = "in standard deviations of its differences by query" if results.standardised else "in the measure's unit"
        low, high = (decimal(value, sign="+") for value in (values.min(), values.max()))
        note = f"By how much {grid.pair[0]} is fairer runs from {low} to {high}, {unit}."
        if not results.standardised:
            first, second = (results.columns[name][results.defined] for name in ("value_a", "value_b"))
            spans = [f"from {decimal(each.min())} to {decimal(each.max())}" for each in (first, second)]
            note += f" {grid.branches[0].question.name} of {grid.pair[0]} runs {spans[0]}, "
            note += f"that of {grid.pair[1]} {spans[1]}."
        notes.append(note)
    if counts.undefined:
        have, do = ("has", "does") if counts.undefined == 1 else ("have", "do")
        notes.append(
            f"{counts.undefined:,} of {counts.done:,} computed combinations {have} no value for one system and {do} "
            f"not count{_blamed(results, results.done & ~results.defined)}."
        )
    if counts.thin:
        notes.append(
            f"{counted(counts.thin, 'combination')} {agreeing(counts.thin, 'rests', 'rest')} on fewer than half of "
            f"the {results.queries:,} queries{_blamed(results, results.thin)}."
        )
    return notes


def combinations_text(results: Robustness) -> str:
    """Return the number of distinct combinations, the choices without effect, and those with one level, in words."""
    grid = results.grid
    single = [LABELS[name] for name, levels in grid.choices.items() if len(levels) < 2]
    idle = [LABELS[name] for name, levels in grid.choices.items() if name not in grid.touched and len(levels) > 1]
    text = f"{counted(grid.count, 'distinct combination')}"
    if grid.asked > grid.count:
        text += f" of {grid.asked:,}: a choice that a measure does not read does not multiply its combinations"
    if idle:
        text += f"; nothing here changes with {listed(idle)}"
    if single:
        text += f"; there is one level alone of {listed(single)}"
    return f"{text}."


def _blamed(results: Robustness, marked: np.ndarray) -> str:
    """`, all of them with unlabelled=strict`: the levels that all marked combinations share, where some are not."""
    table, rows = results.drawn, marked[results.done]
    shared = {name: set(table.loc[rows, name]) for name in results.varied}
    named = [
        f"{name}={next(iter(levels))}" for name, levels in shared.items() if len(levels) == 1 and UNREAD not in levels
    ]
    return f", all of them with {' and '.join(named)}" if named and not rows.all() else ""
