"""The computed combinations: the fairer system, its tests, and the choices that carry the difference."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.analyses.sensitivity.differences import COLUMNS, sign
from fairviz.analyses.sensitivity.grid import Branch, Grid
from fairviz.analyses.sensitivity.levels import level_text
from fairviz.analyses.sensitivity.shares import Part, Shares, shares_of
from fairviz.analyses.sensitivity.values import IN_TEXT, texts_of
from fairviz.statistics.contrasts import EQUAL, sign_of
from fairviz.statistics.references import within

Array = np.ndarray
EQUALLY = "neither"
UNREAD = "not read"  # of a choice that the row's measure does not read
THIN = 0.5  # a value for fewer than this share of the queries is marked


@dataclass(frozen=True)
class Counts:
    """Numbers of combinations: in all, computed, defined for both systems, without a value, with a value for fewer than
    half of the queries; those with A, B or neither fairer by the means; and those in which A, or B, is significantly
    fairer. family: the number tested; each is a family of its own."""

    all: int
    done: int
    defined: int
    undefined: int
    thin: int
    a: int
    b: int
    neither: int
    a_tested: int
    b_tested: int
    family: int


@dataclass(frozen=True, eq=False)
class ComputedGrid:
    """Two systems under every combination of a grid that is computed.

    done (N,): which of the grid's combinations those are. columns: COLUMNS of the work, (N,) each. queries: how many
    are shown.
    """

    grid: Grid
    columns: Mapping[str, Array]
    done: Array
    queries: int

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
        thin = self.defined & (self.columns["queries"] < THIN * self.queries)
        return Counts(
            self.grid.count, int(self.done.sum()), int(self.defined.sum()), int((self.done & ~self.defined).sum()),
            int(thin.sum()), int((self.ahead == 1).sum()), int((self.ahead == -1).sum()), int((self.ahead == 0).sum()),
            int((self.tested == 1).sum()), int((self.tested == -1).sum()), int((~np.isnan(self.p_corrected)).sum()),
        )  # fmt: skip

    @cached_property
    def shares(self) -> Shares:
        """The share of each choice in the size of the difference."""
        return self._shares(self.scale)

    @cached_property
    def order_shares(self) -> Shares:
        """The share of each choice in the order: 1 for A, -1 for B and 0 for neither."""
        return self._shares(self.ahead)

    def _shares(self, values: Array) -> Shares:
        starts = self.grid.ends - [branch.count for branch in self.grid.branches]
        parts = []
        for start, branch in zip(starts.tolist(), self.grid.branches, strict=True):
            codes = branch.codes(np.arange(branch.count))
            parts.append(Part(values[start : start + branch.count], dict(zip(branch.names, codes, strict=True))))
        touched = {name for branch in self.grid.branches for name in branch.names}
        sizes = {name: len(levels) for name, levels in self.grid.choices.items() if name in touched}
        return shares_of(parts, sizes)

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
        touched = {name for branch in self.grid.branches for name in branch.names}
        levels_by_choice = {"measure": tuple(branch.text for branch in self.grid.branches)} if self.standardised else {}
        for name, levels in self.grid.choices.items():
            if name in touched:
                levels_by_choice[name] = tuple(
                    level_text(self.grid.study, self.grid.settings, name, level) for level in levels
                )
        return levels_by_choice

    @cached_property
    def drawn(self) -> pd.DataFrame:
        """The data of the figures, a row for each computed combination: combination, the columns of `varied`, value,
        low and high on the scale of the map, fairer, chance, and tested, the system that is fairer by the corrected
        test."""
        low, high = self.bounds()
        names = np.array(["", self.pair[1], EQUALLY, self.pair[0]], dtype=object)
        tested = np.where(self.defined, self.tested, np.nan) + 2
        columns: dict[str, object] = {"combination": np.arange(self.grid.count)}
        whole = pd.concat([self._levels(branch) for branch in self.grid.branches], ignore_index=True)
        columns |= {name: whole[name] for name in self.varied}
        columns |= {"value": self.scale, "low": low, "high": high, "chance": self.columns["win"]}
        columns["fairer"] = pd.Series(names[np.nan_to_num(self.ahead + 2, nan=0).astype(int)], dtype="str")
        columns["tested"] = pd.Series(names[np.nan_to_num(tested, nan=0).astype(int)], dtype="str")
        return pd.DataFrame(columns)[self.done].reset_index(drop=True)

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each combination that is computed: measure, the choices that are varied (`not read` where the
        measure does not read one), system_a, system_b, value_a, value_b, difference (A less B; of the distances for a
        measure that is fairest at 0 or 1), ci_low, ci_high, p, p_corrected, effect_size, fairer (by the means, empty
        where undefined), chance (the share of resamples in which A is fairer), queries, combination (its number)."""
        rows = pd.concat([self._levels(branch) for branch in self.grid.branches], ignore_index=True)
        rows["measure"] = np.concatenate([self._texts(branch) for branch in self.grid.branches])
        rows = rows.astype({"measure": "str"})
        rows["system_a"], rows["system_b"] = self.pair
        for name in COLUMNS:
            rows[name] = self.columns[name]
        rows["p_corrected"] = self.p_corrected
        names = np.array(["", self.pair[1], EQUALLY, self.pair[0]], dtype=object)
        rows["fairer"] = pd.Series(names[np.nan_to_num(self.ahead + 2, nan=0).astype(int)], dtype="str")
        rows["combination"] = np.arange(self.grid.count)
        order = ["measure", *self.grid.choices, "system_a", "system_b", "value_a", "value_b", "difference", "ci_low",
                 "ci_high", "p", "p_corrected", "effect_size", "fairer", "win", "queries", "combination"]  # fmt: skip
        computed_rows = rows.loc[self.done, order].rename(columns={"win": "chance"})
        return computed_rows.astype({"queries": "Int64"}).reset_index(drop=True)

    def _texts(self, branch: Branch) -> Array:
        """The canonical text of the measure in each of its combinations, (N,)."""
        codes = dict(zip(branch.names, branch.codes(np.arange(branch.count)), strict=True))
        number = np.zeros(branch.count, dtype=np.int64)
        for name, levels in branch.axes:
            if name in IN_TEXT:
                number = number * len(levels) + codes[name]
        return np.array([*texts_of(branch, self.grid.settings).values()], dtype=object)[number]

    def _levels(self, branch: Branch) -> pd.DataFrame:
        """Return the requested measure and the levels of each of its combinations."""
        codes = dict(zip(branch.names, branch.codes(np.arange(branch.count)), strict=True))
        levels = dict(branch.axes)
        columns: dict[str, object] = {"measure": np.full(branch.count, branch.text, dtype=object)}
        for name in self.grid.choices:
            if name in levels:
                texts = [level_text(self.grid.study, self.grid.settings, name, level) for level in levels[name]]
                columns[name] = np.array(texts, dtype=object)[codes[name]]
            else:
                columns[name] = np.full(branch.count, UNREAD, dtype=object)
        return pd.DataFrame(columns).astype("str")
