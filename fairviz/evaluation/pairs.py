"""All pairs of systems by all measures, tested in the families that the setting `tests` declares.

Axis letters: S systems, Q queries, P pairs of one measure.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from fairviz.evaluation.chances import listed
from fairviz.evaluation.points import FOLDED, Points, is_contender, is_reference
from fairviz.measures import Question
from fairviz.statistics.contrasts import differences
from fairviz.statistics.families import METHODS, Tests, method_text
from fairviz.statistics.paired import corrected, leaning
from fairviz.statistics.references import Student
from fairviz.statistics.signs import DRAWS
from fairviz.statistics.simultaneous import MOST_SKEWED, Tested, compare_families
from fairviz.statistics.stacks import Block

Array = np.ndarray
Part = tuple[str, Question, Points]  # slice, measure, values
FEWEST_QUERIES = 10  # intervals of fewer do not hold what they promise (benchmarks/README.md)
LEAST_SHARE = 0.5  # of the queries that both systems must have a value for
SIGNED = ("difference", "ci_low", "ci_high", "leans")
EVEN = ("p", "p_corrected", "error", "spread", "p_equivalent", "minimum_detectable")


@dataclass(frozen=True)
class How:
    """How systems are compared.

    tests: the families and the method. level: of intervals, and 1 − level of tests. draws and seed: of random signs.
    ticked: systems that are tested although they are references, edited or uploaded; outside: uploaded systems, which
    are not tested unless ticked. margins: how large a difference by a measure's text may be and not matter. power: for
    the minimum detectable difference, None for none. chosen: the measures that are one family where the tests are
    across measures, and any other measure is one of its own; empty where all measures are chosen.
    """

    tests: Tests = field(default_factory=Tests)
    level: float = 0.95
    draws: int = DRAWS
    seed: int = 0
    ticked: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    margins: Mapping[str, float] | None = None
    power: float | None = None
    chosen: tuple[str, ...] = ()

    @property
    def alpha(self) -> float:
        """The level of the tests, free of rounding: 0.05 for a level of 0.95."""
        return round(1 - self.level, 12)

    def is_tested(self, system: str) -> bool:
        """Return whether the system belongs to the families."""
        return system in self.ticked or (is_contender(system) and system not in self.outside)

    def family_of(self, measure: str) -> str:
        """Return the family of a measure: its own name, or no name for the one across measures."""
        across = self.tests.family == "measures" and (not self.chosen or measure in self.chosen)
        return "" if across else measure

    def method_text(self, questions: Sequence[Question]) -> str:
        """Return the method as captions show it; Tukey's ranges are of means, so that slopes and distances from a
        measure's fairest value are tested by maxT."""
        by_max_t = list(dict.fromkeys(question.name for question in questions if not _is_mean(question)))
        if self.tests.method != "tukey" or not by_max_t:
            return method_text(self.tests)
        if all(question.name in by_max_t for question in questions):
            return METHODS["maxT"]
        return f"{method_text(self.tests)} ({METHODS['maxT']} in {listed(by_max_t)})"

    def beside(self, measures: Collection[str]) -> tuple[str, ...]:
        """Return the measures that are tested together with these and are not among them."""
        together = any(not self.family_of(text) for text in measures)
        return tuple(text for text in self.chosen if text not in measures) if together else ()

    def labelled(self, system: str) -> str:
        """Return the system's name as tables show it: `perfect (reference)`, `draft (not tested)`."""
        if self.is_tested(system):
            return system
        return f"{system} ({'reference' if is_reference(system) else 'not tested'})"


def _is_mean(question: Question) -> bool:
    """Return whether systems are compared by their means, and not by slopes or distances."""
    return question.direction not in FOLDED and (question.measure is None or question.measure.per_query)


@dataclass(frozen=True, eq=False)
class Pairs:
    """One measure (within one slice of queries) with every pair of its systems.

    columns: (S, S) by name, [system, baseline]: SIGNED and EVEN; NaN on the diagonal and where there is nothing.
    queries (S, S): how many both have. family: how many pairs were tested in this measure. best: the system with the
    fairest mean of those that are tested, empty where there is none. skewed: that of `Tested`; above MOST_SKEWED no
    pair has a corrected p, and so no verdict.
    """

    text: str
    question: Question
    points: Points
    columns: Mapping[str, Array]
    queries: Array
    family: int
    best: str
    slice: str = ""
    skewed: float = 0.0


def compare_pairs(parts: Sequence[Part], how: How) -> list[Pairs]:
    """Return each part (slice, measure, values) with its pairs tested.

    Slices of one measure are one family; so are the chosen measures where the family is `measures`.
    """
    families: dict[str, list[int]] = {}
    for place, (_, question, _) in enumerate(parts):
        families.setdefault(how.family_of(question.text), []).append(place)
    held = compare_apart([[parts[place] for place in places] for places in families.values()], how)
    made = {
        place: pairs
        for places, row in zip(families.values(), held, strict=True)
        for place, pairs in zip(places, row, strict=True)
    }
    return [made[place] for place in range(len(parts))]


def compare_apart(families: Sequence[Sequence[Part]], how: How) -> list[list[Pairs]]:
    """Return the parts of each family with their pairs tested; together, many small families take less time."""
    blocks = [_blocks(parts, how) for parts in families]
    inside = [[block for block, _ in held if block.pairs] for held in blocks]
    tested = compare_families(inside, how.tests, how.draws, how.seed)
    rest = [block for held in blocks for _, block in held if block.pairs]
    # without a correction it does not matter that they are no family
    alone = iter(compare_families([[block] for block in rest], Tests("none"), how.draws, how.seed))
    made = []
    for parts, held, in_family in zip(families, blocks, tested, strict=True):
        by_block = iter(in_family)
        found = [next(by_block) if block.pairs else None for block, _ in held]
        others = [next(alone)[0] if block.pairs else None for _, block in held]
        equivalent = _equivalence(found, parts, how)
        made.append([_pairs(*row, how) for row in zip(parts, found, others, equivalent, strict=True)])
    return made


def _blocks(parts: Sequence[Part], how: How) -> list[tuple[Block, Block]]:
    """Return the pairs of each part that belong to its family, and all others."""
    # in the order of their ids, so that no other order matters; slices hold different ones
    queries = sorted({query for _, _, points in parts for query in points.queries})
    blocks = []
    for _, question, points in parts:
        inside = _tested_pairs(points, how)
        rest = sorted(set(combinations(range(len(points.systems)), 2)).difference(inside))
        estimates, is_folded = points.estimates(question, queries), question.direction in FOLDED
        blocks.append((Block(estimates, tuple(inside), is_folded), Block(estimates, tuple(rest), is_folded)))
    return blocks


def _pairs(part: Part, tested: Tested | None, alone: Tested | None, equal: Array | None, how: How) -> Pairs:
    name, question, points = part
    columns = _matrices(tested, alone, equal, len(points.systems), how)
    family = int((~np.isnan(columns["p_corrected"])).sum()) // 2
    best = points.best(question, [system for system in points.systems if how.is_tested(system)])
    skewed = 0.0 if tested is None else skewness_of(tested, how)
    return Pairs(question.text, question, points, columns, _common(points), family, best, name, skewed)


def _common(points: Points) -> Array:
    """Return how many queries two systems both have, (S, S)."""
    known = ~np.isnan(points.values)
    if points.is_slope:
        known &= ~np.isnan(points.query)
    counted = known.astype(np.float64)
    return np.rint(counted @ counted.T).astype(np.int64)


def _tested_pairs(points: Points, how: How) -> list[tuple[int, int]]:
    """Return the pairs that belong to the family, by the places of their systems."""
    members = [place for place, name in enumerate(points.systems) if how.is_tested(name)]
    common, named = _common(points).tolist(), how.tests.baseline
    return [
        (first, second)
        for first, second in combinations(members, 2)
        if not named or named in (points.systems[first], points.systems[second])
        if is_enough(common[first][second], len(points.queries))
    ]


def is_enough(common: int, queries: int) -> bool:
    """Return whether a verdict may rest on these common queries, of all."""
    return common >= FEWEST_QUERIES and common >= LEAST_SHARE * queries


def why_untested(pairs: Sequence[Pairs], how: How) -> str:
    """Return why no pair is tested, as part of a sentence."""
    systems = list(dict.fromkeys(name for held in pairs for name in held.points.systems))
    named = how.tests.baseline
    if named and named not in systems:
        return f"the baseline of the tests, {named}, is not shown"
    if named and not how.is_tested(named):
        return f"the baseline of the tests, {named}, is not in the family"
    if sum(map(how.is_tested, systems)) < 2:
        return "fewer than two of the systems shown are in the family"
    if any(held.skewed > MOST_SKEWED for held in pairs):
        return "differences are too skewed for a verdict on these queries"
    return f"a verdict needs {FEWEST_QUERIES} queries, and half of all, that two systems both answer"


def _matrices(
    tested: Tested | None, alone: Tested | None, equal: Array | None, systems: int, how: How
) -> dict[str, Array]:
    """Return SIGNED and EVEN as (S, S): of tested pairs in their family, of all others alone and without a verdict."""
    columns = {name: np.full((systems, systems), np.nan) for name in (*SIGNED, *EVEN)}
    if alone is not None:
        _fill(columns, alone, how, verdict=False)
    if tested is not None:
        certain = is_certain(tested, how)
        _fill(columns, tested, how, verdict=certain)
        if equal is not None and certain:
            _put(columns["p_equivalent"], _places(tested), equal)
    return columns


def skewness_of(tested: Tested, how: How) -> float:
    """Return how skewed the differences of a block are; 0 for signed ranks, which do not test a mean."""
    return 0.0 if how.tests.statistic == "wilcoxon" else tested.skewed


def is_certain(tested: Tested, how: How) -> bool:
    """Return whether a block's differences are regular enough for a verdict."""
    return skewness_of(tested, how) <= MOST_SKEWED


def _fill(columns: Mapping[str, Array], tested: Tested, how: How, *, verdict: bool) -> None:
    pairs, held, place = _places(tested), tested.contrasts, tested.governing
    low, high = tested.interval(how.level)
    difference = tested.difference
    few = held.queries[place] < FEWEST_QUERIES
    spread = held.error[place] * np.sqrt(held.queries[place])
    values = {
        "difference": difference,
        "p": np.where(few, np.nan, tested.p),
        "p_corrected": tested.p_corrected if verdict else np.full(len(difference), np.nan),
        "error": held.error[place],
        "spread": np.where(held.flat[place], np.nan, spread),
        "leans": leaning_of(tested, how),
    }
    if how.power is not None and verdict:
        values["minimum_detectable"] = tested.minimum_detectable(how.alpha, how.power)
    for name, column in values.items():
        _put(columns[name], pairs, column, -1.0 if name in SIGNED else 1.0)
    for name, near, far in (("ci_low", low, high), ("ci_high", high, low)):
        _put(columns[name], pairs, np.where(few, np.nan, near), other=np.where(few, np.nan, -far))


def _places(tested: Tested) -> Array:
    """Return the systems of each pair, (2, P)."""
    return np.array(tested.block.pairs).T


def _put(matrix: Array, pairs: Array, values: Array, sign: float = 1.0, other: Array | None = None) -> None:
    """Put a value for each pair into both of its places."""
    first, second = pairs
    matrix[first, second] = values
    matrix[second, first] = sign * values if other is None else other


def leaning_of(tested: Tested, how: How) -> Array:
    """Return which way each pair's test points, (P,): the way of the mean, or with Wilcoxon's of the signed ranks."""
    difference = np.sign(tested.difference)
    if how.tests.statistic != "wilcoxon" or tested.block.estimates.x is not None:
        return difference
    place = tested.governing
    apart = differences(tested.block.estimates, tested.block.rows)[place]
    agree = leaning(apart, "wilcoxon") * np.sign(tested.contrasts.value[place])
    return difference * np.where(agree == 0, 1, agree)


def _equivalence(found: Sequence[Tested | None], parts: Sequence, how: How) -> list[Array | None]:
    """Return the corrected p of equivalence of each block's pairs, (P,); None where there is no margin."""
    if how.margins is None:
        return [None] * len(found)
    p = []
    for tested, (_, question, _) in zip(found, parts, strict=True):
        margin = how.margins.get(question.text, np.nan)
        p.append(np.zeros(0) if tested is None else tested.equivalence(np.full(len(tested.block.pairs), margin)))
    held = next((tested for tested in found if tested is not None), None)
    if held is not None and isinstance(held.reference, Student) and how.tests.method in ("holm", "bh"):
        ends = np.cumsum([len(values) for values in p])[:-1]
        p = np.split(corrected(np.concatenate(p), how.tests.method), ends)
    return list(p)
