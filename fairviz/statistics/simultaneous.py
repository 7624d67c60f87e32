"""Families of comparisons: p, corrected p and intervals that agree with them.

The default is single-step maxT (Westfall and Young 1993) of paired t statistics, with the wild bootstrap: each draw
gives the centred values of every query one random sign, the same for all systems. The dependence of systems is used,
and intervals follow from the same draws. Axis letters: P pairs, C contrasts, B draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from fairviz.statistics.contrasts import (
    EQUAL,
    SLACK,
    Block,
    Contrasts,
    Mask,
    clustered,
    contrasts_of,
    differences,
    folded,
    folded_interval,
    least_without_one,
    without_each,
)
from fairviz.statistics.families import STEPWISE, Statistic, Tests
from fairviz.statistics.paired import corrected, p_of_signed, p_values
from fairviz.statistics.references import (
    DRAWS,
    FEW,
    Drawn,
    Ranges,
    Reference,
    Student,
    bend,
    drawn_shares,
    draws_for,
    largest_ranges,
    narrowed,
    resampled_t,
    share_of,
    signs,
    t_squared,
    within,
)

Array = np.ndarray
FEWEST_CLUSTERS = 10  # for maxT
MOST_UNITS = 1e9  # no larger number of queries is named
FARTHEST = 1e5  # errors: no larger difference is looked for
FAR = 1.5  # times the critical |t|: a pair beyond it without any one query is not examined


@dataclass(frozen=True, eq=False)
class Tested:
    """The pairs of one block after their tests.

    p and p_corrected: (P,), of each pair alone and in its family; NaN where nothing can be tested. contrasts: what
    these rest on, and contrast_p the corrected p of each (C,). reference: the distribution behind p and intervals.
    """

    block: Block
    contrasts: Contrasts
    p: Array
    p_corrected: Array
    contrast_p: Array
    reference: Reference

    @property
    def difference(self) -> Array:
        """The estimate of the first system minus that of the second, (P,); of distances where the block is folded."""
        values, count = self.contrasts.value, len(self.block.pairs)
        return folded(values[:count], values[count:]) if self.block.folded else values

    @property
    def governing(self) -> Array:
        """The place of the contrast that decides each pair, (P,): of its difference and sum the less certain one."""
        count = len(self.block.pairs)
        if not self.block.folded:
            return np.arange(count)
        sizes = np.abs(self.contrasts.value)
        return np.where(sizes[:count] <= sizes[count:], np.arange(count), np.arange(count) + count)

    def interval(self, level: float) -> tuple[Array, Array]:
        """Return both ends of each difference's interval, (P,) each.

        A contrast that is the same on every query is its own interval where its corrected p is small enough, and has
        none elsewhere.
        """
        alpha, contrasts = 1 - level, self.contrasts
        certain = np.where(within(self.contrast_p, alpha) | (np.abs(contrasts.value) <= EQUAL), 0.0, np.nan)
        widths = self.reference.widths(contrasts, alpha)
        below, above = (np.where(contrasts.flat, certain, width) for width in widths)
        low, high = contrasts.value - below, contrasts.value + above
        if not self.block.folded:
            return low, high
        count = len(self.block.pairs)
        return folded_interval((low[:count], high[:count]), (low[count:], high[count:]))

    def equivalence(self, margin: Array) -> Array:
        """Return the p of a difference within ± margin, (P,); margin (P,), NaN for none.

        At most alpha where the interval at 1 − 2·alpha is inside the margin (two one-sided tests, simultaneous as the
        family's intervals are).
        """
        contrasts, count = self.contrasts, len(self.block.pairs)
        margins = np.concatenate([margin, margin]) if self.block.folded else margin
        room = margins - np.abs(contrasts.value)
        with np.errstate(divide="ignore", invalid="ignore"):
            from_ends = [self.reference.p_at(contrasts, contrasts.value + end) for end in (margins, -margins)]
            p = np.where(room > 0, np.maximum(*from_ends) / 2, 1.0)
        p = np.where(contrasts.flat, np.where(room > 0, 0.5 ** np.minimum(contrasts.units, 1000), 1.0), p)
        p = np.where(np.isnan(room) | np.isnan(self.contrast_p), np.nan, p)
        return np.minimum(p[:count], p[count:]) if self.block.folded else p

    def minimum_detectable(self, alpha: float, power: float) -> Array:
        """Return the smallest difference that these queries show in the family with this power, (P,).

        By Student's t at the level per test that the family's critical value amounts to, from the observed standard
        deviation.
        """
        place, contrasts = self.governing, self.contrasts
        error, freedom = contrasts.error[place], contrasts.freedom[place]
        return detectable(error, freedom, self.reference.level_per_test(contrasts, alpha)[place], power)

    def falsely_significant(self, alpha: float, table: Array) -> Array:
        """Return in which draws of signs any pair is significant at alpha although none differs, (B,).

        table: signs (B, Q). Each draw gives the centred values of every query its sign, and |t| of what comes of it is
        compared with the critical value of each pair in its family, as it is for the observed values. Of a pair whose
        distances are compared only the less certain contrast is drawn, as if the other one differed from 0.
        """
        from scipy.special import stdtrit

        contrasts, found = self.contrasts, np.zeros(len(table), dtype=bool)
        level = self.reference.level_per_test(contrasts, alpha)
        with np.errstate(invalid="ignore"):
            critical = stdtrit(np.maximum(contrasts.freedom, 1), level / 2) ** 2
            least = np.sqrt(share_of(critical * (1 + SLACK), contrasts.freedom))  # NaN where nothing is significant
        decides = np.zeros(len(level), dtype=bool)
        decides[self.governing] = True
        for places, draws, roots in drawn_shares(self.block.masks(), table, self.block.family_of_contrasts):
            found[draws] |= (roots[decides[places]] >= least[places][decides[places], None]).any(axis=0)
        return found

    def p_of_signs(self, statistic: Statistic, table: Array, draws: int, seed: int) -> Array:
        """Return the p of each pair alone in each draw of signs, (P, B): NaN where nothing is tested.

        table: signs (B, Q), which each query's centred value gets. draws and seed: of the randomisation test. Of a pair
        whose distances are compared the less certain contrast counts, as in `falsely_significant`.
        """
        from scipy.special import stdtr

        contrasts, out = self.contrasts, np.full((len(self.contrasts.value), len(table)), np.nan)
        if statistic == "t" or self.block.estimates.x is not None:
            for places, of, roots in drawn_shares(self.block.masks(), table, self.block.family_of_contrasts):
                freedom = contrasts.freedom[places][:, None]
                out[places, of] = 2 * stdtr(np.maximum(freedom, 1), -np.sqrt(t_squared(roots * roots, freedom)))
        else:
            rows = differences(self.block.estimates, self.block.rows)
            tested = np.flatnonzero(~contrasts.flat & contrasts.known)
            centred = rows[tested] - np.nanmean(rows[tested], axis=1, keepdims=True)
            out[tested] = p_of_signed(centred, table, statistic, draws, seed)
        return out[self.governing]

    def deciding(self, alpha: float) -> Array:
        """Return the query without which a significant pair is not significant at alpha, (P,): its place; -1 for none.

        Of several the one without which least is left. Each query in turn is left out of the pair, and what remains is
        compared with the draws of all queries. Slopes are not examined, nor pairs whose |t| is far too large.
        """
        count, out = len(self.block.pairs), np.full(len(self.block.pairs), -1)
        places = np.flatnonzero(within(self.p_corrected, alpha))
        if self.block.estimates.x is not None or not len(places):
            return out
        rows = np.stack([places, places + count] if self.block.folded else [places])
        points = differences(self.block.estimates, self.block.rows[rows.ravel()])
        with np.errstate(divide="ignore", invalid="ignore"):
            critical = _critical(self.reference, self.contrasts, alpha) / self.contrasts.error
        is_near = least_without_one(points) < FAR * critical[rows.ravel()]
        kept = np.flatnonzero(is_near.reshape(rows.shape).any(axis=0))
        places, rows = places[kept], rows[:, kept]
        left = without_each(points.reshape(len(rows), -1, points.shape[1])[:, kept].reshape(-1, points.shape[1]))
        reference = self.reference.at(np.repeat(rows.ravel(), points.shape[1]))
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.abs(left.value) / _critical(reference, left, alpha)  # over 1: significant without this query too
        room = np.where(left.flat, np.where(np.abs(left.value) <= EQUAL, 0.0, np.inf), room)
        room = np.where((left.units < 2) & ~np.isnan(left.value), 0.0, room)  # one alone shows nothing
        room = np.where(np.isnan(room), np.inf, room).reshape(*rows.shape, points.shape[1]).min(axis=0)
        for place, of_queries in zip(places, room, strict=True):
            if of_queries.min(initial=np.inf) < 1:
                out[place] = of_queries.argmin()
        return out


def _critical(reference: Reference, contrasts: Contrasts, alpha: float) -> Array:
    """Return the size beyond which each contrast is significant at alpha, (C,)."""
    return np.where(contrasts.value > 0, *reference.widths(contrasts, alpha))


def compare_blocks(blocks: Sequence[Block], tests: Tests, draws: int = DRAWS, seed: int = 0) -> list[Tested]:
    """Return the blocks' pairs tested, a Tested for each block; pairs with the same number are one family.

    blocks: their estimates have the same queries in the same order, (S, Q), and the same clusters; NaN where a query
    takes no part. tests:
    method and statistic; `tukey` needs means of one measure, so that folded blocks and slopes are tested by maxT. The
    single tests of slopes are always Student's t. Where there are fewer than FEWEST_CLUSTERS clusters, Bonferroni's
    correction of t takes the place of maxT: signs of so few have too few patterns, and t of clusters is conservative
    (Ibragimov and Mueller, Journal of Business and Economic Statistics 28, 2010).
    """
    if not blocks:
        return []
    is_ranked = all(not block.folded and block.estimates.x is None for block in blocks)
    if tests.method == "tukey" and is_ranked:
        return _by_ranges(blocks, draws, seed)
    if tests.method not in ("maxT", "tukey"):
        return _stepwise(blocks, tests, draws, seed)
    if blocks[0].estimates.clusters is not None and blocks[0].estimates.units < FEWEST_CLUSTERS:
        return _stepwise(blocks, replace(tests, method="bonferroni"), draws, seed)
    return _by_max_t(blocks, draws, seed)


def _by_max_t(blocks: Sequence[Block], draws: int, seed: int) -> list[Tested]:
    """Test by single-step maxT.

    p = (1 + draws in which a contrast's own |t| reaches the observed one, `narrowed` for skewness) / (1 + draws), by
    the contrast's own skewness, so that no other system matters; p_corrected the same with the largest |t| of the
    family and a skewness of at least the family's median, in small families the larger one of this and of resampled
    queries (`Drawn`). Of a pair that is a family alone both are the same. A contrast of 0 on every query has p 1; one
    that is the same on every query has the exact p of equal signs, 2 / 2^n, times the number of contrasts, and is
    otherwise left out.
    """
    masks, families = [block.masks() for block in blocks], [block.family_of_contrasts for block in blocks]
    parts = [contrasts_of(held, len(numbers)) for held, numbers in zip(masks, families, strict=True)]
    varying = [part.known & ~part.flat & ~np.isnan(part.error) for part in parts]
    count = _families(blocks)
    sizes, few, pairs = np.zeros((3, count))  # of each family: its contrasts, those that vary, and their pairs
    for block, part, varies, numbers in zip(blocks, parts, varying, families, strict=True):
        sizes += np.bincount(numbers, part.known, count)
        few += np.bincount(numbers, varies, count)
        pairs += np.bincount(block.family_of_pairs, varies.reshape(1 + block.folded, -1).any(axis=0), count)

    draws_of = np.array([draws_for(int(size), draws) for size in sizes])
    table = signs(blocks[0].estimates.units, int(draws_of.max()), seed, draws)
    tops: dict[tuple[int, float], Array] = {}
    singles = [_single_p(*row, table, draws, tops) for row in zip(masks, parts, families, strict=True)]
    ordered = [np.zeros(min(most, len(table))) for most in draws_of.tolist()]
    for (family, freedom), roots in tops.items():
        largest = t_squared(roots * roots, freedom)[: len(ordered[family])]
        np.maximum(ordered[family], largest, out=ordered[family])
    ordered = [np.sort(row) for row in ordered]

    typical = _median_skewness(parts, varying, families, count)
    tested = []
    for block, held, contrasts, varies, numbers, single in zip(
        blocks, masks, parts, varying, families, singles, strict=True
    ):
        resampled = _resampled(held, np.where(varies & (few[numbers] <= FEW), draws_of[numbers], 0), seed)
        reference = Drawn(ordered, numbers, typical[numbers], resampled)
        together, exact = reference.p_at(contrasts, contrasts.value), flat_p(contrasts)
        exact_together = np.where(exact < 1, np.minimum(exact * sizes[numbers], 1.0), exact)
        p, is_flat = np.where(pairs[numbers] == 1, together, single), ~np.isnan(exact)
        p, together = np.where(is_flat, exact, p), np.where(is_flat, exact_together, together)
        tested.append(_tested(block, contrasts, p, together, reference))
    return tested


def _single_p(
    masks: Sequence[Mask], contrasts: Contrasts, families: Array, table: Array, count: int,
    tops: dict[tuple[int, float], Array],
) -> Array:  # fmt: skip
    """Return the p of each contrast by its own signs and skewness, (C,), and raise the tops to the draws.

    count: draws that p is counted in, the first of the table, since a larger family has more of them. tops: by family
    and degrees of freedom the largest root of a share in each draw, (B,): |t| rises with it.
    """
    squared = narrowed(contrasts.t, bend(contrasts)) ** 2
    least = np.sqrt(share_of(squared * (1 - SLACK), contrasts.freedom))
    hits = np.zeros(len(least))
    for places, draws, roots in drawn_shares(masks, table, families):
        key = int(families[places[0]]), float(contrasts.freedom[places[0]])
        if key not in tops:
            tops[key] = np.zeros(len(table))
        np.maximum(tops[key][draws], roots.max(axis=0), out=tops[key][draws])
        counted = roots[:, : max(count - draws.start, 0)]
        hits[places] += [np.count_nonzero(row) for row in counted >= least[places, None]]
    return np.where(np.isnan(squared), np.nan, (1 + hits) / (1 + min(count, len(table))))


def _median_skewness(
    parts: Sequence[Contrasts], varying: Sequence[Array], families: Sequence[Array], count: int
) -> Array:
    """Return the median of skewness² over the contrasts of each of `count` families that vary, (F,); 0 without any."""
    numbers = np.concatenate([of[varies] for of, varies in zip(families, varying, strict=True)])
    squares = np.concatenate([part.skewness[varies] ** 2 for part, varies in zip(parts, varying, strict=True)])
    order = np.argsort(numbers, kind="stable")
    ends = np.cumsum(np.bincount(numbers, minlength=count))[:-1]
    return np.array([np.median(one) if len(one) else 0.0 for one in np.split(squares[order], ends)])


def _resampled(masks: Sequence[Mask], draws: Array, seed: int) -> dict[int, Array]:
    """Return t under resampled queries, (B,) ascending, of contrasts, by their places. draws: B of each, (C,); 0 for
    those that are left out."""
    found: dict[int, Array] = {}
    for mask in masks:
        of_members = draws[mask.members]
        for count in np.unique(of_members[of_members > 0]).tolist():
            rows = np.flatnonzero(of_members == count)
            found |= zip(mask.members[rows].tolist(), resampled_t(mask.points(rows), count, seed), strict=True)
    return found


def _families(blocks: Sequence[Block]) -> int:
    return 1 + max(int(block.family_of_pairs.max(initial=0)) for block in blocks)


def _by_ranges(blocks: Sequence[Block], draws: int, seed: int) -> list[Tested]:
    """Test by randomised Tukey HSD: p = (1 + draws whose largest difference of two systems reaches the observed one) /
    (1 + draws), the largest in any of a family's blocks, which are slices of one measure; a pair alone is tested by
    Student's t."""
    ranges = np.zeros((_families(blocks), draws))
    for block in blocks:
        pairs = np.array(block.pairs, dtype=np.int64)
        for family in np.unique(block.family_of_pairs):
            values = clustered(block.estimates.values, block.estimates.clusters)
            values = values[np.unique(pairs[block.family_of_pairs == family])]
            np.maximum(ranges[family], largest_ranges(values, draws, seed), out=ranges[family])
    ordered = list(np.sort(ranges, axis=1))
    tested = []
    for block in blocks:
        contrasts, reference = block.contrasts(), Ranges(ordered, block.family_of_pairs)
        distance, exact = np.abs(contrasts.value), flat_p(contrasts)
        p = np.where(np.isnan(exact), Student(1).p_at(contrasts, distance), exact)
        tested.append(_tested(block, contrasts, p, reference.p_at(contrasts, distance), reference))
    return tested


def _stepwise(blocks: Sequence[Block], tests: Tests, draws: int, seed: int) -> list[Tested]:
    """Test every contrast by the statistic and correct the p of pairs over the family."""
    contrasts, of_pairs = [block.contrasts() for block in blocks], []
    for block, observed in zip(blocks, contrasts, strict=True):
        if block.estimates.x is None and tests.statistic != "t":
            p = p_values(differences(block.estimates, block.rows), tests.statistic, draws, seed)
        else:
            exact = flat_p(observed)
            p = np.where(np.isnan(exact), Student(1).p_at(observed, np.abs(observed.value)), exact)
        of_pairs.append(_of_pairs(block, p))
    families = np.concatenate([block.family_of_pairs for block in blocks])
    together = corrected_within(np.concatenate(of_pairs), families, tests.method)
    sizes_by_family = np.bincount(families, ~np.isnan(together), _families(blocks))
    parts = np.split(together, np.cumsum([len(p) for p in of_pairs])[:-1])
    tested = []
    for block, observed, p, part in zip(blocks, contrasts, of_pairs, parts, strict=True):
        sizes = sizes_by_family[block.family_of_contrasts]
        reference = Student(sizes if tests.method == "bonferroni" else 1, 1 if tests.method == "none" else sizes)
        of_contrasts = np.concatenate([part, part]) if block.folded else part
        tested.append(Tested(block, observed, p, part, of_contrasts, reference))
    return tested


def falsely_called(family: Sequence[Tested], tests: Tests, alpha: float, table: Array, draws: int, seed: int) -> Array:
    """Return in which draws of signs any pair of a family is significant although none differs, (B,).

    family: its blocks after `compare_blocks` with these tests. table: signs (B, Q).
    """
    if tests.method not in STEPWISE or (tests.statistic == "t" and tests.method != "bh"):
        return np.any([one.falsely_significant(alpha, table) for one in family], axis=0)
    p = np.concatenate([one.p_of_signs(tests.statistic, table, draws, seed) for one in family])
    p = np.sort(p[~np.isnan(p).all(axis=1)], axis=0)
    sizes = np.concatenate([one.p for one in family])
    count = max(int((~np.isnan(sizes)).sum()), 1)
    ranks = np.arange(1, len(p) + 1)[:, None]
    levels: dict[str, float | Array] = {"none": alpha, "bh": alpha * ranks / count}
    return np.any(within(p, levels.get(tests.method, alpha / count)), axis=0)


def corrected_within(p: Array, families: Array, method: str) -> Array:
    """Return `corrected` of each family, (P,)."""
    if method == "none":
        return corrected(p, method)
    out = np.full(len(p), np.nan)
    for family in np.unique(families):
        of = families == family
        out[of] = corrected(p[of], method)
    return out


def _tested(block: Block, contrasts: Contrasts, p: Array, corrected_p: Array, reference: Reference) -> Tested:
    return Tested(block, contrasts, _of_pairs(block, p), _of_pairs(block, corrected_p), corrected_p, reference)


def _of_pairs(block: Block, p: Array) -> Array:
    """Return the p of pairs, (C,) to (P,): where distances are compared the larger one of difference and sum."""
    count = len(block.pairs)
    return np.maximum(p[:count], p[count:]) if block.folded else p


def flat_p(contrasts: Contrasts) -> Array:
    """Return the p of contrasts that are the same on every query, (C,); NaN for all others.

    1 where there is no difference, else 2 / 2^n, the chance of n equal signs.
    """
    exact = np.where(np.abs(contrasts.value) <= EQUAL, 1.0, 2.0 ** (1 - np.minimum(contrasts.units, 1000)))
    return np.where(contrasts.flat & contrasts.known, exact, np.nan)


def power_of(difference: float, error: float, freedom: float, alpha: float) -> float:
    """The chance that a two-sided t test at alpha finds this difference, where its error is as given."""
    from scipy.special import nctdtr, stdtrit

    # of the lower tail: 1 - alpha / 2 is 1 for a level below 1e-16, and no difference would be found
    critical, centre = -stdtrit(freedom, alpha / 2), abs(difference) / error
    wrong_side = nctdtr(freedom, centre, -critical)  # NaN where it is too small for scipy to compute
    return float(1 - nctdtr(freedom, centre, critical) + np.nan_to_num(wrong_side))


def noncentrality_interval(t: float, freedom: float, level: float = 0.95) -> tuple[float, float]:
    """Return both ends of the interval of the non-centrality of an observed t, as a ratio of a mean and its error.

    >>> [round(end, 2) for end in noncentrality_interval(2.0, 1e6)]  # as of a normal one, t ± 1.96
    [0.04, 3.96]
    """
    from scipy.optimize import brentq
    from scipy.special import nctdtr

    tail = (1 - level) / 2

    def below(centre: float) -> float:
        """Return the chance of a smaller t. Of negative centres scipy has none, and NaN where it is too small."""
        if centre < 0:
            return 1 - float(np.nan_to_num(nctdtr(freedom, -centre, -t)))
        return float(np.nan_to_num(nctdtr(freedom, centre, t)))

    def end(share: float) -> float:
        low, high = t - 10, t + 10
        while below(high) > share:
            high += 10 + abs(t)
        while below(low) < share:
            low -= 10 + abs(t)
        return float(brentq(lambda centre: below(centre) - share, low, high))

    return end(1 - tail), end(tail)


def units_needed(ratio: float, level: float, lost: int = 1) -> float:
    """Return the smallest number N of units with ratio · √N ≥ the critical t with N − lost degrees of freedom: infinite
    where the ratio, of a difference and the standard deviation, is not above 0; NaN without a level.

    >>> units_needed(0.5, 0.05)  # 0.5 · √18 = 2.12, and t with 17 degrees of freedom is 2.11
    18.0
    """
    from scipy.special import stdtrit

    if not level > 0:
        return float("nan")

    def is_enough(units: float) -> bool:
        return bool(ratio * np.sqrt(units) >= -stdtrit(units - lost, level / 2))

    low, high = float(lost), float(lost + 1)  # too few, and a number to try
    while not is_enough(high):
        low, high = high, 2 * high
        if high > MOST_UNITS:
            return float("inf")
    while high - low > 1:
        middle = np.floor((low + high) / 2)
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return float(high)


class Needed(NamedTuple):
    """How many queries would decide: at the observed difference and spread, and at both ends of the 95 % interval of
    their ratio; infinite where no number would, NaN where there is no error."""

    number: float
    low: float
    high: float


def queries_needed(apart: float, error: float, freedom: float, units: float, queries: float, level: float) -> Needed:
    """Return how many queries would show that an estimate is beyond a limit, from which it is so far apart.

    error, freedom: of the estimate, from so many queries in so many units (queries, or clusters of as many queries as
    now). level: the two-sided level of the test. The interval is that of the non-centrality of t (Hedges and Olkin,
    Statistical Methods for Meta-Analysis, 1985, chapter 5): it counts the error of the difference and of the spread.
    Half of all samples of the number find a difference of this size.

    >>> queries_needed(0.5, 0.25, 15, 16, 16, 0.05)  # a standard deviation of 1
    Needed(number=18.0, low=7.0, high=inf)
    """
    if not (error > EQUAL and level > 0 and freedom >= 1):
        return Needed(np.nan, np.nan, np.nan)
    t = abs(apart) / error
    low, high = noncentrality_interval(t, freedom)
    found = [units_needed(size / units**0.5, level, int(units - freedom)) for size in (t, high, low)]
    return Needed(*(float(np.ceil(number * queries / units)) for number in found))


def detectable(error: Array, freedom: Array, alpha: float | Array, power: float) -> Array:
    """Return the smallest difference that a two-sided t test at alpha finds with this power, (N,): in units of the
    measure.

    error: standard errors (N,). freedom: degrees of freedom (N,). alpha: one level, or one for each difference (N,). It
    solves for the non-centrality of t, as statsmodels' TTestPower does for the effect size, and multiplies by the
    error. NaN where error is NaN or 0 (queries that all differ by the same have no spread), where alpha is NaN or 0,
    and where scipy has no value of so large a t.
    """
    from scipy.optimize import brentq

    def lacking(centre: float, freedom: float, level: float) -> float:
        return power_of(centre, 1.0, freedom, level) - power

    out = np.full(len(error), np.nan)
    levels = np.broadcast_to(np.asarray(alpha, dtype=np.float64), len(error))
    centres: dict[tuple[float, float], float] = {}  # the non-centralities at which the test has this power
    for place in np.flatnonzero((error > EQUAL) & (freedom >= 1) & (levels > 0)):
        key = (float(freedom[place]), float(levels[place]))
        if key not in centres:
            above = 1.0
            while above < FARTHEST and lacking(above, *key) < 0:
                above *= 2
            centres[key] = float(brentq(lacking, 0.0, above, args=key)) if lacking(above, *key) >= 0 else np.nan
        out[place] = centres[key] * error[place]
    return out
