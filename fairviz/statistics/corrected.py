"""Means from a machine's labels, corrected by people's labels of a drawn sample.

Prediction-powered inference (Angelopoulos and others 2023, arXiv:2301.09633; with the weight λ 2023, arXiv:2311.01453)
and design-based supervised learning (Egami and others 2023, arXiv:2306.04746). λ is how far the machine is trusted; 0
is people alone. For each drawn item it is estimated from the others, and so independent of the item's own error.

Axis letters: S systems, Q queries, n drawn queries, D documents.
"""

from dataclasses import dataclass

import numpy as np

from fairviz.statistics.intervals import mean_interval

Array = np.ndarray
FEWEST = 2  # drawn items for an interval
DOUBT = 2.0  # of λ: a weak machine is not trusted, and λ from few items costs less than it may gain
TINY = 1e-12
FEWEST_ERRORS = 6  # of the machine, among the drawn queries: fewer give no idea of its errors elsewhere
NOTICED = 0.5  # standard deviations of people's values: errors far below this hardly count
SKEW = 2.0  # queries: an interval for these queries alone is 1 + SKEW / n times as wide as Student's t
PSEUDO = 2.0  # documents that an interval of a sum adds to the drawn ones (Agresti and Min 2005)
UNIFORM = 0.1  # share of the budget that is spread evenly: a machine may be wrong where it is sure


@dataclass(frozen=True, eq=False)
class CorrectedMeans:
    """Corrected means of S systems.

    values (S, Q): of each query to first order. Their means are the corrected means, and Student's t over them, or a
    test of paired differences, has the right error for queries like these. gaps, own, slips (S, n): of each drawn
    query, what people's labels add to λ times the machine's, people's values, and these minus the machine's, all around
    their mean. counts (S,): drawn queries with a value. weight: the mean λ, 0 to 1. total: Q. others_like_them: whether
    the target is the mean over queries like these. level: of the intervals. NaN for fewer than two drawn queries with a
    value.
    """

    values: Array
    gaps: Array
    own: Array
    slips: Array
    counts: Array
    weight: float
    total: int
    others_like_them: bool
    level: float

    def interval(self, signs: Array) -> tuple[float, float, float]:
        """Return the sum of sign · mean over systems, and both ends of its interval. signs: (S,).

        Student's t over `values`. For these queries alone: t with as many degrees of freedom as drawn queries with a
        value, less one, times the error from the labels, times 1 + SKEW / n for skewed values.
        """
        from scipy.special import stdtrit

        values = _combined(self.values, signs)
        value = float(values.mean())
        if self.others_like_them:
            low, high = mean_interval(values, self.level)
            return value, float(low), float(high)
        if self.gaps.shape[1] == self.total:
            return value, value, value
        count = self.counts[np.flatnonzero(signs)].min()
        if count < FEWEST:
            return value, np.nan, np.nan
        half = float(stdtrit(count - 1, (1 + self.level) / 2)) * (1 + SKEW / count) * self.errors(signs)[0]
        return value, value - half, value + half

    def errors(self, signs: Array) -> tuple[float, float]:
        """Return the standard error of the sum of sign · mean over systems, in two parts. signs: (S,).

        The first is from having people's labels of a sample alone, the second from having these queries and not others
        like them, 0 where these are the target. A machine that is rarely wrong may be right on all drawn queries and
        wrong on others. Where fewer than FEWEST_ERRORS errors were drawn, the first part is for these queries as large
        as both parts together, or as with people's labels alone, whichever is smaller.
        """
        sample_size = self.gaps.shape[1]
        if sample_size < FEWEST:
            return np.nan, np.nan
        labels, people = (_combined(part, signs).var(ddof=1) for part in (self.gaps, self.own))
        missing = 1 / sample_size - 1 / self.total
        labels, queries = missing * labels, people / self.total
        if self.others_like_them:
            return float(np.sqrt(labels)), float(np.sqrt(queries))
        if _effective_errors(_combined(self.slips, signs), people) < FEWEST_ERRORS:
            labels = max(labels, min(labels + queries, missing * people))
        return float(np.sqrt(labels)), 0.0


def _combined(parts: Array, signs: Array) -> Array:
    """Return the sum of sign · part over the systems that have a sign. parts: (S, …)."""
    places = np.flatnonzero(signs)
    return signs[places] @ parts[places]


def _effective_errors(slips: Array, variance: float) -> float:
    """Return the effective number of errors: k for k equal ones, fewer where some dominate, or all are small beside
    people's values. slips: (n,) around their mean. variance: of people's values."""
    squares = slips**2
    total = squares.sum()
    return float(total**2 / ((squares**2).sum() + NOTICED**2 * variance * total)) if total > TINY else 0.0


def corrected_means(
    machine: Array, people: Array, is_drawn: Array, *, others_like_them: bool = True, level: float = 0.95
) -> CorrectedMeans:
    """Return the means over queries of a measure under people's labels, from the machine's for all Q and people's of n.

    machine, people: (S, Q), the measure under either set of labels; NaN where it is undefined. people is read where
    is_drawn (Q,), a simple random sample without replacement. others_like_them: the target is the mean over queries
    like these, else over these Q alone. level: of the intervals.

        mean over drawn of h + (1 − n/Q) · mean over drawn of λ · (mean over the others of f − f)

    for people's h and the machine's f, which is λ · (mean of f over all) + mean over drawn of (h − λ f) for one λ. λ of
    a query is one for all systems: the covariance of h and f over the other drawn queries, by the variance of f over
    them or over all queries, whichever is larger; less where that is uncertain, from 0 to 1. Where queries are
    undefined, the sum of values and the number of defined queries are corrected separately, by one λ. The value of a
    query is λ f, for a drawn one with (Q/n) · (h − λ f) beside it, linearised; deviations are widened by the ratio of
    t with one less than the drawn queries with a value, and with Q − 1 degrees of freedom.

    >>> f, h = np.array([[0.0, 1.0, 0.0, 1.0]]), np.array([[0.1, 0.9, np.nan, np.nan]])
    >>> float(corrected_means(f, h, np.array([True, True, False, False])).values.mean().round(3))
    0.5
    """
    is_drawn = np.asarray(is_drawn, dtype=bool)
    sample_size, total = int(is_drawn.sum()), machine.shape[1]
    if sample_size < FEWEST:
        nothing = np.full((len(machine), sample_size), np.nan)
        return CorrectedMeans(
            np.full(machine.shape, np.nan), nothing, nothing, nothing, np.zeros(len(machine)), np.nan, total,
            others_like_them, level,
        )  # fmt: skip
    has_own, has_value = ~np.isnan(people[:, is_drawn]), ~np.isnan(machine)
    own, values = np.nan_to_num(people[:, is_drawn]), np.nan_to_num(machine)
    middle = (own.sum(axis=1) / np.maximum(has_own.sum(axis=1), 1))[:, None]
    weight = _weights_of_the_others(
        np.where(has_value, values - middle, 0), np.where(has_own, own - middle, 0), is_drawn
    )
    sums = _corrected(values, own, is_drawn, weight)
    sizes = _corrected(has_value * 1.0, has_own * 1.0, is_drawn, weight)
    size = np.where(sizes > 0, sizes, np.nan)[:, None]
    means = sums[:, None] / size
    residuals = np.where(has_value, values - means, 0)  # of the machine, around the mean
    own_residuals = np.where(has_own, own - means, 0)
    gap = own_residuals - weight * residuals[:, is_drawn]
    gap = gap - gap.mean(axis=1, keepdims=True)
    unbiased = np.sqrt(sample_size / (sample_size - 1) * (total - 1) / total)  # as if all Q had the gaps of the n
    influence = weight.mean() * (residuals - residuals.mean(axis=1, keepdims=True))
    influence[:, is_drawn] += gap * unbiased * total / sample_size
    slips = own_residuals - residuals[:, is_drawn]
    slips = slips - slips.mean(axis=1, keepdims=True)
    counts = has_own.sum(axis=1)
    widening = _widening(counts, total, level)
    return CorrectedMeans(
        means + widening[:, None] * influence / size, gap / size, own_residuals / size, slips / size, counts,
        float(weight.mean()), total, others_like_them, level,
    )  # fmt: skip


def _widening(counts: Array, total: int, level: float) -> Array:
    """Return the ratio of Student's t with one less than these counts, and with total − 1, degrees of freedom; NaN for
    counts below FEWEST."""
    from scipy.special import stdtrit

    freedom = np.where(counts >= FEWEST, counts - 1.0, np.nan)
    return stdtrit(freedom, (1 + level) / 2) / stdtrit(total - 1, (1 + level) / 2)


def _corrected(machine: Array, people: Array, is_drawn: Array, weight: Array) -> Array:
    """Return the corrected means of values without gaps, (S,). people: (S, n)."""
    own, left = machine[:, is_drawn], machine[:, ~is_drawn]
    others = left.mean(axis=1, keepdims=True) if left.shape[1] else 0.0
    share_left = left.shape[1] / machine.shape[1]
    return people.mean(axis=1) + share_left * (weight * (others - own)).mean(axis=1)


def _weights_of_the_others(machine: Array, people: Array, is_drawn: Array) -> Array:
    """Return λ of each drawn query by the other drawn ones (n,), from 0 to 1; 0 for fewer than three others.

    slope · max(0, 1 − DOUBT / t²) of people's values over the machine's, pooled over systems. machine: (S, Q) around
    people's mean. people: (S, n). t: the slope over its error, of which the queries are the independent parts.
    """
    count = people.shape[1] - 1
    if count < 3:
        return np.zeros(count + 1)
    usual = ((machine - machine.mean(axis=1, keepdims=True)) ** 2).sum() / (machine.shape[1] - 1) * count
    x, y = (one - one.mean(axis=1, keepdims=True) for one in (machine[:, is_drawn], people))
    # Around the mean of the others, x of query j is x_j + x_i / count where query i is left out.
    squares = np.maximum((x * x).sum() - (1 + 1 / count) * (x * x).sum(axis=0), usual)
    varies = squares > TINY
    products = (x * y).sum() - (1 + 1 / count) * (x * y).sum(axis=0)
    slope = np.divide(products, squares, out=np.zeros(count + 1), where=varies)
    xx, xy = x.T @ x / count, x.T @ y / count  # (i, j)
    of_products = (x * y).sum(axis=0) + xy + xy.T + (np.diag(xy) / count)[:, None]
    of_squares = (x * x).sum(axis=0) + 2 * xx + (np.diag(xx) / count)[:, None]
    parts = of_products - slope[:, None] * of_squares
    np.fill_diagonal(parts, 0)
    doubt = np.divide((parts**2).sum(axis=1), squares**2, out=np.zeros(count + 1), where=varies) * count / (count - 2)
    keep = 1 - np.divide(DOUBT * doubt, slope**2, out=np.ones(count + 1), where=slope > 0)
    return np.where(varies, np.clip(slope * np.maximum(keep, 0), 0, 1), 0.0)


@dataclass(frozen=True)
class Estimate:
    """A corrected sum. value: without bias. low, high: both ends of its interval, not symmetric around it. error: its
    standard error. weight: the mean λ, 0 to 1. drawn: documents that people labelled. NaN for fewer than two."""

    value: float
    low: float
    high: float
    error: float
    weight: float
    drawn: int


def corrected_sum(
    weights: Array, machine: Array, people: Array, probabilities: Array, is_drawn: Array, *,
    steps: Array | None = None, level: float = 0.95,
) -> Estimate:  # fmt: skip
    """Return Σ c · h over documents, from the machine's f of all D and people's h of those drawn.

    weights: c (D,). machine, people: f and h (D,), people read where is_drawn (D,). probabilities: of being drawn (D,),
    above 0 and up to 1, in a draw of fixed size (`draw_fixed`). steps: the values that h and
    f may take; those that they do take unless given.

        Σ over certain of c · h  +  mean λ · Σ over others, not drawn, of c · f
        + Σ over others, drawn, of (λ · c · f + c · (h − λ · f) / probability)

    λ of a document minimises Hájek's variance (1964) as estimated from the other drawn ones, less where that is
    uncertain, from 0 to 1. The interval is Student's t around the mean of the drawn documents and PSEUDO more, spread
    evenly over the pairs of values that h and f may take: without them, it is far too short where few errors of the
    machine are among the drawn (benchmarks/README.md). It stays open where the machine was right on all of them.

    >>> c, f, h = np.full(4, 0.25), np.array([1.0, 0, 1, 0]), np.array([1.0, 0, np.nan, np.nan])
    >>> corrected_sum(c, f, h, np.full(4, 0.5), np.array([True, True, False, False])).value  # λ = 0: two drawn
    0.5
    """
    from scipy.special import stdtrit

    is_drawn, is_certain = np.asarray(is_drawn, dtype=bool), probabilities >= 1 - TINY
    is_chance, is_left = is_drawn & ~is_certain, ~is_drawn & ~is_certain
    sample_size, count = int(is_drawn.sum()), int(is_chance.sum())
    certain = float((weights * people)[is_certain].sum())
    if not is_left.any() and not count:
        return Estimate(certain, certain, certain, 0.0, 0.0, sample_size)
    if count < FEWEST:
        return Estimate(np.nan, np.nan, np.nan, np.nan, np.nan, sample_size)
    chance, scale = probabilities[is_chance], (weights / probabilities)[is_chance]
    f, h = machine[is_chance], people[is_chance]
    hajek_weights = 1 - chance  # weights of Hájek's variance
    lambdas = _ratios_of_the_others(scale * f, scale * h, hajek_weights)
    mean_lambda = float(lambdas.mean())
    gaps = scale * (h - lambdas * f)
    value = (
        certain
        + mean_lambda * (weights * machine)[is_left].sum()
        + (lambdas * (weights * machine)[is_chance] + gaps).sum()
    )

    steps = np.unique(np.concatenate([f, h])) if steps is None else np.asarray(steps, dtype=np.float64)
    pairs = (steps[:, None] - mean_lambda * steps).ravel() * (hajek_weights * np.abs(scale)).sum() / hajek_weights.sum()
    pairs = np.concatenate([pairs, -pairs]) if (scale < 0).any() and (scale > 0).any() else np.sign(scale.sum()) * pairs
    size = hajek_weights.sum()
    extra = PSEUDO * size / count
    mean = (hajek_weights * gaps).sum() / size
    middle = ((hajek_weights * gaps).sum() + extra * pairs.mean()) / (size + extra)
    spread = ((hajek_weights * (gaps - middle) ** 2).sum() + extra * ((pairs - middle) ** 2).mean()) / (size + extra)
    centre = value + count * (middle - mean)
    half = float(stdtrit(count + PSEUDO - 1, (1 + level) / 2)) * np.sqrt(spread * size * count / (count + PSEUDO))
    error = np.sqrt(count / (count - 1) * (hajek_weights * (gaps - mean) ** 2).sum())
    return Estimate(float(value), float(centre - half), float(centre + half), float(error), mean_lambda, sample_size)


def _ratios_of_the_others(x: Array, y: Array, left: Array) -> Array:
    """Return λ of each of n documents by the others, (n,): the slope of y over x with weights, less where uncertain."""
    count = len(x) - 1
    if count < 3:
        return np.zeros(len(x))

    def others(values: Array) -> Array:
        return (left * values).sum() - left * values

    size = others(np.ones(len(x)))
    mean_x, mean_y = others(x) / size, others(y) / size
    products = others(x * y) - size * mean_x * mean_y
    squares_x, squares_y = others(x * x) - size * mean_x**2, others(y * y) - size * mean_y**2
    varies = squares_x > TINY * max(float((left * x * x).sum()), TINY)
    slope = np.divide(products, squares_x, out=np.zeros(len(x)), where=varies)
    explained = slope * products
    unexplained = np.maximum(squares_y - explained, 0) / (count - 2)
    keep = np.divide(explained - DOUBT * unexplained, explained, out=np.zeros(len(x)), where=explained > 0)
    return np.clip(slope * np.maximum(keep, 0), 0, 1)


def probabilities(weights: Array, uncertainty: Array, budget: int) -> Array:
    """Return the probability of each item to be drawn (D,), above 0 and up to 1; they sum to the budget, D at most.

    0.9 of the budget in proportion to |weight| · uncertainty, 0.1 evenly. Items that would be above 1 are certain, and
    the rest of the budget goes to the others by the same rule. weights (D,); uncertainty (D,), at least 0.

    >>> probabilities(np.array([8.0, 1.0, 1.0]), np.ones(3), 2).round(3)
    array([1. , 0.5, 0.5])
    """
    size, count = np.abs(weights) * uncertainty, len(weights)
    even = np.full(count, 1 / count)
    share = (1 - UNIFORM) * size / size.sum() + UNIFORM * even if size.sum() > 0 else even
    result, is_certain = np.zeros(count), np.zeros(count, dtype=bool)
    while not is_certain.all():
        rest = min(budget, count) - is_certain.sum()
        result = np.where(is_certain, 1.0, rest * share / share[~is_certain].sum())
        if not (result[~is_certain] > 1).any():
            break
        is_certain |= result > 1
    return np.minimum(result, 1.0)


def draw_fixed(chance: Array, seed: int) -> Array:
    """Return whether each item is drawn (D,): as many as the probabilities sum to, which is a whole number.

    Systematic sampling in random order (Hartley and Rao 1962). Equal seeds draw equal items.

    >>> int(draw_fixed(np.full(10, 0.3), seed=1).sum())
    3
    """
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(chance))
    ends = np.cumsum(chance[order])
    points = np.arange(round(float(ends[-1]))) + generator.random()
    is_drawn = np.zeros(len(chance), dtype=bool)
    is_drawn[order[np.minimum(np.searchsorted(ends, points, side="right"), len(chance) - 1)]] = True
    return is_drawn


def expected_error(values: Array, chance: Array, multiple: float = 1.0) -> float:
    """Return about the standard error of Σ values / chance over drawn items, in a draw of fixed size (Hájek 1964).

    values, chance: (D,), of all items, or of a fair part of them, `multiple` times fewer.

    >>> round(expected_error(np.array([0.0, 1.0, 0.0, 1.0]), np.full(4, 0.5)), 3)
    1.0
    """
    spread = chance * (1 - chance)
    if not spread.sum() > 0:
        return 0.0
    centre = ((1 - chance) * values).sum() / spread.sum()
    each = np.divide(values, chance, out=np.zeros(len(values)), where=chance > 0)
    return float(np.sqrt(multiple * (spread * (each - centre) ** 2).sum()))
