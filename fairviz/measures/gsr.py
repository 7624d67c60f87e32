"""GSR: how far the genderedness of ranked lists follows that of their queries. A slope over queries, not per query."""

import numpy as np

from fairviz.measures.record import GSR_PAPER, Measure, Parameter

Array = np.ndarray

DEPTHS = ("cutoff", "relevant")
FLAT = 1e-14  # queries whose g varies less than this about its mean all have the same g: float32 vectors tell no more
DEPTH = Parameter(
    "depth",
    "choice",
    "cutoff",
    "cutoff: the top k; relevant: as many documents as are relevant to the query, the paper's way",
    choices=DEPTHS,
)


def slope(query: Array, lists: Array, weights: Array) -> Array:
    """Least-squares slope of the lists' genderedness on the queries', (…); GSR is that with every weight 1.

    slope = Σ w (g(q) - mean)(g(L) - mean) / Σ w (g(q) - mean)², means weighted too. query and lists (Q,): g of each
    query and of the list that answers it; weights (…, Q): how often a query counts, as a bootstrap draws it. Queries
    where either is NaN take no part. Unbounded; NaN where fewer than two take part, or all have the same g. GSR paper,
    equation 3.

    >>> query, lists = np.array([0.3, 0.1, -0.1]), np.array([0.05, 0.01, 0.0])
    >>> round(float(slope(query, lists, np.ones(3))), 6)  # means 0.1 and 0.02: (0.2 * 0.03 + 0.2 * 0.02) / 0.08
    0.125
    >>> round(float(slope(query, lists, np.array([1, 0, 1]))), 6)  # without the second: 0.05 / 0.4
    0.125
    """
    both = ~(np.isnan(query) | np.isnan(lists))
    weights = np.asarray(weights, dtype=np.float64)[..., both]
    if not both.any():
        return np.full(weights.shape[:-1], np.nan)
    x, y = query[both] - query[both].mean(), lists[both] - lists[both].mean()  # near 0, so that sums lose no digits
    count = weights.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x, mean_y = weights @ x / count, weights @ y / count
        variance = weights @ x**2 / count - mean_x**2
        return np.where(variance > FLAT, (weights @ (x * y) / count - mean_x * mean_y) / variance, np.nan)


GSR = Measure(
    name="GSR",
    summary="slope over queries of the ranked list's genderedness on the query's",
    compute=slope,
    parameters=(DEPTH,),
    needs=("queries", "documents"),
    direction="zero",
    bounds=(-np.inf, np.inf),
    formula=r"m_s=\frac{\sum_i (g(q_i)-\mu_q)(g_{q_i}(\mathcal{L}_i)-\mu_{q,\mathcal{L}})}"
    r"{\sum_i (g(q_i)-\mu_q)^2},\qquad g_q(\mathcal{L})=\frac{\sum_{i\le k} g_q(d_i)/\log_2(i+1)}"
    r"{\sum_{i\le k} 1/\log_2(i+1)}",
    paper=GSR_PAPER,
    equation="equations 1 to 3 (definitions 3.7 and 3.8)",
    decided="The gender direction is the first principal component of the ten pairs, each centred on its midpoint. A "
    "text's g is the mean g of its words that have a vector; stop words are out but for the gendered ones, and a "
    "document is taken without the query's words. Documents without g have no weight in the list. The weights "
    "1/log2(rank + 1) belong to the measure: position bias, tokenizer and lexicon play no part. 0 means that lists do "
    "not follow their queries; relevant documents alone have a positive slope in most collections, so set it beside "
    "the system `perfect`, as the paper does. It has no value for one query; scores hold its two parts, GSR.query and "
    "GSR.list, and its interval comes from drawing queries.",
    example="Queries of g 0.3, 0.1 and −0.1 answered by lists of g 0.05, 0.01 and 0: (0.2·0.03 + 0.2·0.02) / 0.08 = "
    "0.125.",
    uses_bias=False,
    per_query=False,
)
