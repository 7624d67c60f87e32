"""All pairs of systems by all measures, tested in the families that the setting `tests` declares; their rows against a
baseline; and tables of paired differences whose rows are one family, as of experiments and audits.

Axis letters: S systems, Q queries, P pairs of one measure, R rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from fairviz.comparison.family import How
from fairviz.comparison.points import FOLDED, Points, Tables
from fairviz.measures import Question, unfairness
from fairviz.measures.front_distance import DPFR
from fairviz.statistics.contrasts import EQUAL, Block, Estimates, Mixture, differences
from fairviz.statistics.families import Tests, method_text
from fairviz.statistics.intervals import mean_over_queries
from fairviz.statistics.paired import leaning
from fairviz.statistics.references import signs, within
from fairviz.statistics.simultaneous import Tested, compare_blocks, corrected_within, falsely_called, queries_needed
from fairviz.study.record import is_reference
from fairviz.words.sentences import counted, listed

Array = np.ndarray
Part = tuple[str, Question, Points]  # slice, measure, values
FEWEST_QUERIES = 10  # intervals of fewer do not hold what they promise (benchmarks/README.md)
LEAST_SHARE = 0.5  # of the queries that both systems must have a value for
SIGNED = ("difference", "ci_low", "ci_high", "leans")
NEEDED = ("needed", "needed_low", "needed_high", "needed_alone", "needed_bonferroni")
ERRORS = ("error", "freedom", "units", "level")  # of the contrast behind a pair, and of its test; for `needed`
EVEN = ("p", "p_corrected", "spread", "p_equivalent", "minimum_detectable", *ERRORS)
AHEAD, BEHIND, SAME = "ahead", "behind", "not significantly different"
MIXED, UNTESTED, REFERENCE, OUTSIDE = "mean and test disagree", "too few queries", "reference", "not in the family"
NO_RANKS = (None, None)
WITHOUT = "without "  # begins a warning of a verdict that one query decides
LOST, UNEVEN = 0.1, 0.05  # shares of the queries: lost by the pair, and lost by one side more than by the other


@dataclass(frozen=True, eq=False)
class Pairs:
    """One measure (within one slice of queries) with every pair of its systems.

    columns: (S, S) by name, [system, baseline]: SIGNED and EVEN; NaN on the diagonal and where there is nothing.
    queries (S, S): how many both have. family: how many pairs were tested in this measure. best: the system with the
    fairest mean of those that are tested, empty where there is none. decisive: of a pair that is significantly
    different and without one query (or cluster) would not be, this one, by the places of both systems in either order.
    ranks: the first and the last rank that the tests leave to each system, by its name; none where no pair is tested.
    """

    text: str
    question: Question
    points: Points
    columns: Mapping[str, Array]
    queries: Array
    family: int
    best: str
    slice: str = ""
    decisive: Mapping[tuple[int, int], str] = field(default_factory=dict)
    ranks: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def compare_pairs(parts: Sequence[Part], how: How) -> list[Pairs]:
    """Return each part (slice, measure, values) with its pairs tested.

    Slices of one measure are one family; so are the chosen measures where the family is `measures`.
    """
    pairs_by_place: dict[int, Pairs] = {}
    for places in _families(parts, how):
        # in the order of their ids, so that no other order matters; slices hold different ones
        queries = sorted({query for place in places for query in parts[place][2].queries})
        tables = [_table(parts[place], queries, how) for place in places]
        pairs_by_place |= {place: pairs for place, (pairs,) in zip(places, _compare(tables, how, queries), strict=True)}
    return [pairs_by_place[place] for place in range(len(parts))]


def _families(parts: Sequence[Part], how: How) -> list[list[int]]:
    """Return the places of the parts of each family."""
    families: dict[str, list[int]] = {}
    for place, (_, question, _) in enumerate(parts):
        families.setdefault(how.family_of(question.text), []).append(place)
    return list(families.values())


def false_stars(settings: Sequence[tuple[Sequence[Part], How]], draws: int) -> list[Array]:
    """Return for each setting, and each of its families that is tested, in which draws of random signs some pair is
    significantly different although no pair differs, (families, B).

    settings: the parts of each, and how these are compared. draws: B, or fewer where the tests enumerate all signs. A
    query has the same sign in all systems, measures and settings of a draw, so that their dependence is kept.
    """
    queries, found = sorted({query for parts, _ in settings for _, _, held in parts for query in held.queries}), []
    for parts, how in settings:
        units = queries if how.clusters is None else how.clusters.names(queries)
        table, of_families = signs(len(units), draws, how.seed, how.draws), []
        for places in _families(parts, how):
            tables = [_table(parts[place], queries, how) for place in places]
            blocks = [one.block(_tested_pairs(one, how)) for one in tables]
            blocks = [block for block in blocks if len(block.pairs)]
            if tested := compare_blocks(blocks, how.tests, how.draws, how.seed):
                of_families.append(falsely_called(tested, how.tests, how.alpha, table, how.draws, how.seed))
        found.append(np.array(of_families, dtype=bool).reshape(-1, len(table)))
    return found


def _table(part: Part, queries: Sequence[str], how: How) -> Tables:
    """Return the values of a part at one setting. queries: ids of the columns."""
    name, question, points = part
    estimates = points.estimates(question, queries)
    clusters = None if how.clusters is None else how.clusters.codes(queries)
    return Tables(name, [question], [points], estimates.values[None], estimates.x, clusters=clusters)


def compare_apart(
    questions: Sequence[Question], points: Sequence[Points], how: How, mixture: Mixture | None = None
) -> list[Pairs]:
    """Return one measure's pairs at T settings, each a family of its own: together they take less time.

    questions: (T,) the measure at each. points: (T,), of the same systems and queries, means alone. mixture: of all
    their values, (T · S, K) and (K, Q).
    """
    order = np.argsort(points[0].queries, kind="stable")  # as in `compare_pairs`
    values = np.stack([held.values for held in points])[:, :, order]
    mixed = mixture and Mixture(mixture.weights, mixture.parts[:, order])
    queries = [points[0].queries[place] for place in order]
    clusters = None if how.clusters is None else how.clusters.codes(queries)
    tables = Tables("", questions, points, values, mixture=mixed, clusters=clusters)
    return _compare([tables], how, queries)[0]


def _compare(table_groups: Sequence[Tables], how: How, queries: Sequence[str]) -> list[list[Pairs]]:
    """Return the tables with their pairs tested. Pairs at the same one of the T settings are one family. queries: ids
    of the columns."""
    blocks = [tables.block(_tested_pairs(tables, how)) for tables in table_groups]
    tested = iter(compare_blocks([block for block in blocks if len(block.pairs)], how.tests, how.draws, how.seed))
    tests = [next(tested) if len(block.pairs) else None for block in blocks]
    equivalent = _equivalence(tests, table_groups, how)
    return [_pairs(*row, how, queries) for row in zip(table_groups, tests, equivalent, strict=True)]


def _tested_pairs(tables: Tables, how: How) -> Array:
    """Return the pairs of the families, (T, S, S); the first system of each comes before the second."""
    points = tables.points[0]
    return _wanted_pairs(points.systems, how) & is_enough(tables.common, len(points.queries))


def _equivalence(tests: Sequence[Tested | None], table_groups: Sequence[Tables], how: How) -> list[Array | None]:
    """Return the corrected p of equivalence of each block's pairs, (P,); None where there is no margin."""
    if how.margins is None:
        return [None] * len(tests)
    p, families = [], []
    for tested, tables in zip(tests, table_groups, strict=True):
        margins = np.array([how.margins.get(question.text, np.nan) for question in tables.questions])
        family_of_pairs = np.zeros(0, dtype=np.int64) if tested is None else tested.block.family_of_pairs
        p.append(np.zeros(0) if tested is None else tested.equivalence(margins[family_of_pairs]))
        families.append(family_of_pairs)
    if how.tests.method in ("holm", "bh"):
        stops = np.cumsum([len(values) for values in p])[:-1]
        p = np.split(corrected_within(np.concatenate(p), np.concatenate(families), how.tests.method), stops)
    return list(p)


def _pairs(tables: Tables, tested: Tested | None, equal: Array | None, how: How, queries: Sequence[str]) -> list[Pairs]:
    columns = _matrices(tables, tested, equal, how)
    decisive = _decisive(tested, how, queries, systems=tables.values.shape[1])
    family = (~np.isnan(columns["p_corrected"])).sum(axis=(1, 2)) // 2
    all_pairs = []
    for place, (question, points) in enumerate(zip(tables.questions, tables.points, strict=True)):
        best = points.best(question, [system for system in points.systems if how.is_tested(system)])
        of_place = {name: column[place] for name, column in columns.items()}
        all_pairs.append(
            Pairs(question.text, question, points, of_place, tables.common[place], int(family[place]), best,
                  tables.slice, decisive.get(place, {}), _ranks(question, points, of_place, how))
        )  # fmt: skip
    return all_pairs


def _ranks(question: Question, points: Points, columns: Mapping[str, Array], how: How) -> dict[str, tuple[int, int]]:
    """Return the first and the last rank that each tested system may have, 1 being the fairest; empty without a test.

    First: 1 + the systems significantly ahead of it; last: their number less those significantly behind it. Where the
    tests keep their level over all pairs at once, all ranks lie in these intervals at once, equal systems at each of
    the ranks that they share (Al Mohamad, Goeman and van Zwet, Simultaneous confidence intervals for ranks with
    application to ranking institutions, Biometrics 78, 2022).
    """
    p, difference = columns["p_corrected"], columns["difference"]
    if question.direction == "none" or np.isnan(p).all():
        return {}
    with np.errstate(invalid="ignore"):
        is_shown = within(p, how.alpha) & (columns["leans"] * difference > 0)
        ahead = is_shown & ((difference > 0) if question.direction == "higher" else (difference < 0))  # [ahead, behind]
    has_value = ~np.isnan(points.means)
    ranked = [place for place, name in enumerate(points.systems) if how.is_tested(name) and has_value[place]]
    return {
        points.systems[place]: (1 + int(ahead[:, place].sum()), len(ranked) - int(ahead[place].sum()))
        for place in ranked
    }


def _matrices(tables: Tables, tested: Tested | None, equal: Array | None, how: How) -> dict[str, Array]:
    """Return SIGNED and EVEN as (T, S, S): of pairs in families, and of all others alone and without a verdict."""
    count, systems = tables.values.shape[:2]
    columns = {name: np.full((count, systems, systems), np.nan) for name in (*SIGNED, *EVEN)}
    alone = _alone(tables, tested, how)
    if alone is not None:
        _fill(columns, alone, how, in_family=False)
    if tested is not None:
        _fill(columns, tested, how, in_family=True)
        if equal is not None:
            _put(columns["p_equivalent"], _places(tested, systems), equal)
    return columns


def _alone(tables: Tables, tested: Tested | None, how: How) -> Tested | None:
    """Return all pairs that are in no family, each by itself."""
    count, systems = tables.values.shape[:2]
    others = np.triu(np.ones((count, systems, systems), dtype=bool), 1)
    if tested is not None:
        others[_places(tested, systems)] = False
    return compare_blocks([tables.block(others)], Tests("none"), how.draws, how.seed)[0] if others.any() else None


def _decisive(
    tested: Tested | None, how: How, queries: Sequence[str], systems: int
) -> dict[int, dict[tuple[int, int], str]]:
    """Return for each setting the pairs that one query decides, in either order, and this query."""
    decisive: dict[int, dict[tuple[int, int], str]] = {}
    if tested is None or not how.tests.simultaneous:
        return decisive
    units = queries if how.clusters is None else how.clusters.names(queries)
    places, found = _places(tested, systems), tested.deciding(how.alpha)
    for place in np.flatnonzero(found >= 0).tolist():
        setting, first, second = (int(part[place]) for part in places)
        both = (first, second), (second, first)
        decisive.setdefault(setting, {}).update(dict.fromkeys(both, units[found[place]]))
    return decisive


def _wanted_pairs(systems: Sequence[str], how: How) -> Array:
    """Return which pairs are of tested systems, and of the baseline where the tests name one, (S, S), above the
    diagonal."""
    members = np.array([how.is_tested(name) for name in systems], dtype=bool)
    wanted = np.triu(members[:, None] & members, 1)
    if named := how.tests.baseline:
        against = np.array([name == named for name in systems], dtype=bool)
        wanted &= against[:, None] | against
    return wanted


def is_enough(common: int | Array, queries: int) -> bool | Array:
    """Return whether a verdict may rest on these common queries, of all."""
    return (common >= FEWEST_QUERIES) & (common >= LEAST_SHARE * queries)


def why_untested(pairs: Sequence[Pairs], how: How) -> str:
    """Return why no pair is tested, as part of a sentence."""
    systems = list(dict.fromkeys(name for held in pairs for name in held.points.systems))
    named = how.tests.baseline
    if named and named not in systems:
        return f"the baseline of the tests, {named}, is not shown"
    if named and not how.is_tested(named):
        return f"the baseline of the tests, {named}, is not in the family"
    if pairs and all(_is_without_ratio(held, how) for held in pairs):
        return "a mean of 0 is infinitely far from 1"
    if sum(map(how.is_tested, systems)) < 2:
        return "fewer than two of the systems shown are in the family"
    return f"a verdict needs {FEWEST_QUERIES} queries, and half of all, that two systems both answer"


def _is_without_ratio(pairs: Pairs, how: How) -> bool:
    """Return whether of two tested systems or more fewer than two have a mean above 0, by a measure fairest at 1."""
    means = mean_over_queries(pairs.points.values)
    tested = [float(mean) for name, mean in zip(pairs.points.systems, means, strict=True) if how.is_tested(name)]
    is_zero = [abs(mean) <= EQUAL for mean in tested]
    return pairs.question.direction == "one" and len(tested) > 1 and any(is_zero) and len(tested) - sum(is_zero) < 2


def why_no_verdict(pairs: Pairs, how: How) -> str:
    """Return why pairs of a measure that were to be tested have no verdict, in a few words."""
    missing = np.isnan(pairs.columns["p_corrected"]) & _wanted_pairs(pairs.points.systems, how)
    few = ~np.asarray(is_enough(pairs.queries, len(pairs.points.queries)))
    is_zero = np.abs(mean_over_queries(pairs.points.values)) <= EQUAL
    zero = (is_zero[:, None] | is_zero) if pairs.question.direction == "one" else np.zeros_like(few)
    alone = ~few & ~zero & _in_one_cluster(pairs, how)
    undefined = ~few & ~zero & ~alone
    reasons = {"too few queries": few, "a mean of 0": ~few & zero, "one cluster": alone, "undefined": undefined}
    return " or ".join(text for text, where in reasons.items() if (missing & where).any()) or "too few queries"


def _in_one_cluster(pairs: Pairs, how: How) -> Array:
    """Return of which pairs all common queries are in one cluster, (S, S): nothing is drawn against another there."""
    is_defined = ~np.isnan(pairs.points.values)
    if how.clusters is None:
        return np.zeros((len(is_defined), len(is_defined)), dtype=bool)
    codes, count = how.clusters.codes(pairs.points.queries), np.zeros((len(is_defined), len(is_defined)))
    for code in np.unique(codes):
        answered = is_defined[:, codes == code].astype(np.float64)
        count += answered @ answered.T > 0
    return count == 1


def _fill(columns: Mapping[str, Array], tested: Tested, how: How, *, in_family: bool) -> None:
    """Put a block's pairs into the columns. in_family: whether they have a corrected p."""
    pairs, contrasts, place = _places(tested, columns["p"].shape[1]), tested.contrasts, tested.governing
    low, high = tested.interval(how.level)
    few = contrasts.queries[place] < FEWEST_QUERIES
    values = {
        "difference": tested.difference,
        "p": np.where(few, np.nan, tested.p),
        "p_corrected": tested.p_corrected if in_family else np.full(len(few), np.nan),
        "error": contrasts.error[place],
        "spread": np.where(contrasts.flat[place], np.nan, contrasts.spread[place]),
        "leans": leaning_of(tested, how),
    }
    if how.power is not None and in_family:
        values["minimum_detectable"] = tested.minimum_detectable(how.alpha, how.power)
    if how.needed and in_family:
        level = tested.reference.level_per_test(contrasts, how.alpha)
        of_contrasts = (contrasts.error, contrasts.freedom, contrasts.units, level)
        values |= {name: column[place] for name, column in zip(ERRORS, of_contrasts, strict=True)}
    for name, column in values.items():
        _put(columns[name], pairs, column, -1.0 if name in SIGNED else 1.0)
    for name, near, far in (("ci_low", low, high), ("ci_high", high, low)):
        _put(columns[name], pairs, np.where(few, np.nan, near), mirrored=np.where(few, np.nan, -far))


def _places(tested: Tested, systems: int) -> tuple[Array, Array, Array]:
    """Return the setting and the two systems of each pair, (P,) each."""
    first, second = np.asarray(tested.block.pairs).T % systems
    return tested.block.family_of_pairs, first, second


def _put(
    matrices: Array, pairs: tuple[Array, Array, Array], values: Array, sign: float = 1.0, mirrored: Array | None = None
) -> None:
    """Put a value for each pair into both of its places."""
    setting, first, second = pairs
    matrices[setting, first, second] = values
    matrices[setting, second, first] = sign * values if mirrored is None else mirrored


def leaning_of(tested: Tested, how: How) -> Array:
    """Return which way each pair's test points, (P,): the way of the mean, or with Wilcoxon's of the signed ranks."""
    difference = np.sign(tested.difference)
    if how.tests.statistic != "wilcoxon" or tested.block.estimates.x is not None:
        return difference
    place = tested.governing
    apart = differences(tested.block.estimates, tested.block.rows)[place]
    agree = leaning(apart) * np.sign(tested.contrasts.value[place])
    return difference * np.where(agree == 0, 1, agree)


def queries_to_decide(pairs: Pairs, how: How, pair: tuple[int, int]) -> tuple[float, ...]:
    """Return NEEDED of two systems by their places: the queries that would decide in the family with both ends, alone,
    and by Bonferroni's correction, which is that of the strictest step of Holm and of Benjamini and Hochberg. NaN where
    the pair is decided, or not tested."""
    numbers = {name: float(pairs.columns[name][pair]) for name in ("p_corrected", "difference", *ERRORS)}
    if np.isnan(numbers["p_corrected"]) or within(np.array(numbers["p_corrected"]), how.alpha):
        return (np.nan,) * len(NEEDED)
    error, freedom, units, level = (numbers[name] for name in ERRORS)
    find = partial(queries_needed, numbers["difference"], error, freedom, units, float(pairs.queries[pair]))
    return (*find(level), find(how.alpha).number, find(how.alpha / max(pairs.family, 1)).number)


class Row(NamedTuple):
    """One system against the baseline by one measure; no wins, ties and losses for a slope or a distance of means.

    value and baseline_value: over the common queries; value_all and baseline_value_all: over all that each has.
    queries: the common ones; queries_all: those of the study. rank_low to rank_high: the ranks that the tests leave to
    the system, 1 being the fairest, and likewise to the baseline. warning: why the verdict rests on fewer queries, or
    that it rests on one, if it does.
    """

    measure: str
    system: str
    baseline: str
    value: float
    baseline_value: float
    difference: float
    ci_low: float
    ci_high: float
    p: float
    p_corrected: float
    effect_size: float
    wins: int | None
    ties: int | None
    losses: int | None
    queries: int
    queries_all: int
    value_all: float
    baseline_value_all: float
    rank_low: int | None
    rank_high: int | None
    baseline_rank_low: int | None
    baseline_rank_high: int | None
    verdict: str
    warning: str


def view(pairs: Pairs, how: How, baseline: str = "") -> list[Row]:
    """Return a row for every system against the baseline, or the best; nothing where there is no such system."""
    points, name = pairs.points, baseline or pairs.best
    if name not in points.systems:
        return []
    against = points.systems.index(name)
    others = [place for place in range(len(points.systems)) if place != against]
    columns = {key: matrix[others, against] for key, matrix in pairs.columns.items()}

    # The values of the systems and of the baseline, (N, Q) each, NaN where either has none, and their means or slopes.
    tables = points.values[others], np.broadcast_to(points.values[against], (len(others), len(points.queries)))
    undefined = np.isnan(tables[0]) | np.isnan(tables[1])
    system_values, against_values = (np.where(undefined, np.nan, table) for table in tables)
    values, baseline_values = (
        replace(points, values=table).means if points.is_slope else mean_over_queries(table)
        for table in (system_values, against_values)
    )

    # On how many queries each system is fairer than the baseline, as fair, and less fair.
    counts: list[tuple] = [(None, None, None)] * len(others)
    if not points.is_slope and pairs.question.name != DPFR.name:
        with np.errstate(invalid="ignore"):
            if pairs.question.direction in ("higher", "none"):
                farther = against_values - system_values
            else:
                farther = unfairness(pairs.question, system_values) - unfairness(pairs.question, against_values)
        signs = (farther < -EQUAL), (np.abs(farther) <= EQUAL), (farther > EQUAL)
        counts = list(zip(*(sign.sum(axis=1).tolist() for sign in signs), strict=True))

    means, total, rows = points.means, len(points.queries), []
    for row, place in enumerate(others):
        numbers = {key: float(column[row]) for key, column in columns.items()}
        common = int(pairs.queries[place, against])
        # The difference over the standard deviation of the differences; of a slope the correlation.
        effect = np.nan
        if numbers["spread"] > EQUAL and points.is_slope:
            t = numbers["difference"] / numbers["spread"] * np.sqrt(common)
            effect = t / np.sqrt(t**2 + common - 2)
        elif numbers["spread"] > EQUAL:
            effect = numbers["difference"] / numbers["spread"]
        verdict = _verdict(pairs, how, (points.systems[place], name), numbers)
        cells = (
            pairs.text, points.systems[place], name, float(values[row]), float(baseline_values[row]),
            *(numbers[key] for key in ("difference", "ci_low", "ci_high", "p", "p_corrected")), effect,
            *counts[row], common, total, float(means[place]), float(means[against]),
            *pairs.ranks.get(points.systems[place], NO_RANKS), *pairs.ranks.get(name, NO_RANKS),
            verdict, _warning(pairs, how, place, against, verdict),
        )  # fmt: skip
        rows.append(Row._make(cells))
    return rows


def _verdict(pairs: Pairs, how: How, pair: tuple[str, str], row: Mapping[str, float]) -> str:
    """Return what the test of a system against a baseline shows."""
    if any(is_reference(name) and not how.is_tested(name) for name in pair):
        return REFERENCE
    if not all(map(how.is_tested, pair)) or (how.tests.baseline and how.tests.baseline not in pair):
        return OUTSIDE
    p, difference = row["p_corrected"], row["difference"]
    if np.isnan(p):
        return UNTESTED
    if not within(np.array(p), how.alpha):
        return SAME
    if row["leans"] * difference <= 0:
        return MIXED
    low = pairs.question.direction in ("lower", "zero", "one")  # the fairest value lies low
    return AHEAD if (difference < 0) == low else BEHIND


def _warning(pairs: Pairs, how: How, place: int, against: int, verdict: str) -> str:
    """Return why there is no verdict, or it rests on few of the queries, on other ones for each side, or on one query;
    empty where none is so."""
    reasons = []
    total, common = len(pairs.points.queries), int(pairs.queries[place, against])
    is_whole = bool(is_enough(common, total))
    lost = [total - int(pairs.queries[each, each]) for each in (place, against)]
    if total and (total - common > LOST * total or abs(lost[0] - lost[1]) > UNEVEN * total):
        names = (pairs.points.systems[place], pairs.points.systems[against])
        parts = [f"{count} for {name}" for name, count in zip(names, lost, strict=True) if count]
        least = max(FEWEST_QUERIES, int(np.ceil(LEAST_SHARE * total)))
        needed = "" if is_whole else f"; a verdict needs {least}"
        reasons.append(f"{common} of {total} queries in common (undefined: {', '.join(parts)}){needed}")
    if verdict == UNTESTED and is_whole:
        means = mean_over_queries(pairs.points.values[[place, against]])
        both = zip((place, against), means, strict=True)
        zero = [pairs.points.systems[each] for each, mean in both if abs(mean) <= EQUAL]
        if pairs.question.direction == "one" and zero:
            reasons.append(f"the mean of {listed(zero)} is 0, which is infinitely far from 1")
        elif how.clusters is not None and _in_one_cluster(pairs, how)[place, against]:
            reasons.append(f"all queries in common are in one cluster by {how.clusters.column}")
        else:
            reasons.append("the difference is undefined")
    if verdict in (AHEAD, BEHIND) and (place, against) in pairs.decisive:
        reasons.append(f"{WITHOUT}{pairs.decisive[place, against]} not significant")
    return "; ".join(reasons)


@dataclass(frozen=True, eq=False)
class PairedRows:
    """The rows of a table after their tests, (R,) each.

    difference: the first value less the second, of distances for a measure that is fairest at 0 or 1. low and high: its
    interval, NaN under FEWEST_QUERIES common queries. p and p_corrected: alone and in the family; the latter is NaN
    where there are too few queries for a verdict. side: 1 where the family shows that the first is larger, -1 for the
    second, 0 for neither. queries: in common.
    """

    difference: Array
    low: Array
    high: Array
    p: Array
    p_corrected: Array
    side: Array
    queries: Array
    how: How

    @property
    def family(self) -> int:
        """The number of rows tested."""
        return int((~np.isnan(self.p_corrected)).sum())

    @property
    def caption(self) -> str:
        """Return the family and the method: `12 differences, maxT`."""
        singly = f", queries not clustered by {self.how.clusters.column}" if self.how.clusters else ""
        return f"{rows_text(self.family, self.how.tests)}{singly}"


def rows_text(family: int, tests: Tests) -> str:
    """Return the family and the method of rows as captions show them.

    >>> rows_text(12, Tests())
    '12 differences, maxT'
    """
    if not family:
        return "no difference could be tested"
    return f"{counted(family, 'difference')}, {method_text(_of_rows(tests))}"


def no_verdict(queries: int) -> str:
    """Return why a row of this many queries has no verdict, as the end of a sentence.

    >>> no_verdict(9)
    '9 queries are too few for a verdict, which needs 10'
    >>> no_verdict(40)
    '40 queries give no verdict: they are under half of all'
    """
    if queries >= FEWEST_QUERIES:
        return f"{queries:,} queries give no verdict: they are under half of all"
    noun = counted(queries, "query is", "queries are")
    return f"{noun} too few for a verdict, which needs {FEWEST_QUERIES}"


def _of_rows(tests: Tests) -> Tests:
    """Return the tests without a baseline and without Tukey's ranges, which are for pairs of systems only."""
    return replace(tests, baseline="", method="maxT" if tests.method == "tukey" else tests.method)


def compare_rows(
    first: Array,
    second: Array,
    how: How | None = None,
    *,
    directions: Sequence[str] = (),
    counts: Sequence[int] | None = None,
    members: Sequence[bool] | None = None,
) -> PairedRows:
    """Return each row's difference, tested with all others as one family.

    first and second: (R, Q), NaN where a query takes no part; queries are the same in all rows. directions: of each
    row's measure, none for values that are compared as they are. counts: the number of queries of each row (all Q); a
    row with fewer than FEWEST_QUERIES common ones, or fewer than half of its own, is in no family. members: whether
    each row is in the family, by default all.
    """
    how = how or How()
    how = replace(how, tests=_of_rows(how.tests))
    count, queries = first.shape
    kinds = [direction if direction in FOLDED else "" for direction in list(directions) or [""] * count]
    common = (~np.isnan(first) & ~np.isnan(second)).sum(axis=1)
    totals = [queries] * count if counts is None else list(counts)
    enough = np.array([is_enough(*pair) for pair in zip(common.tolist(), totals, strict=True)], dtype=bool)
    enough &= np.ones(count, dtype=bool) if members is None else np.array(members, dtype=bool)
    columns = {name: np.full(count, np.nan) for name in ("difference", "low", "high", "p", "p_corrected", "lean")}
    for places, tests in ((np.flatnonzero(enough), how.tests), (np.flatnonzero(~enough), Tests("none"))):
        groups = [places[[kinds[place] == kind for place in places]] for kind in dict.fromkeys(kinds)]
        groups = [group for group in groups if len(group)]
        if not groups:
            continue
        blocks = [_block_of_rows(first[group], second[group], kinds[group[0]]) for group in groups]
        tested = compare_blocks(blocks, tests, how.draws, how.seed)
        for group, block in zip(groups, tested, strict=True):
            _fill_rows(columns, group, block, how)
    columns["p_corrected"][~enough] = np.nan
    for name in ("low", "high", "p"):
        columns[name][common < FEWEST_QUERIES] = np.nan
    lean = columns.pop("lean")
    is_significant = within(columns["p_corrected"], how.alpha) & (lean * columns["difference"] > 0)
    side = np.where(is_significant, np.sign(columns["difference"]), 0).astype(np.int64)
    return PairedRows(**columns, side=side, queries=common, how=how)


def _block_of_rows(first: Array, second: Array, direction: str) -> Block:
    """Return rows of one direction, (R, Q) each, as a block in which each is compared with its own partner."""
    count = len(first)
    estimates = Estimates(np.concatenate([first, second]), None, direction == "one")
    return Block(estimates, tuple((row, count + row) for row in range(count)), direction in FOLDED)


def _fill_rows(columns: Mapping[str, Array], places: Array, tested: Tested, how: How) -> None:
    """Write the results of tested rows at their places in the columns."""
    columns["low"][places], columns["high"][places] = tested.interval(how.level)
    columns["difference"][places] = tested.difference
    columns["p"][places] = tested.p
    columns["p_corrected"][places] = tested.p_corrected
    columns["lean"][places] = leaning_of(tested, how)
