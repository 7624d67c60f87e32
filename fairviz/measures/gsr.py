"""GSR: the slope of the genderedness of ranked lists on that of their queries, over queries, not per query."""

import numpy as np

from fairviz import declared
from fairviz.measures.record import GSR_PAPER, Measure
from fairviz.parameters import Parameter
from fairviz.words.gsr_words import QUERY_TERMS

Array = np.ndarray

DEPTHS = tuple(declared.GSR["depth"].choices)
LIST_WEIGHTS = ("equation", "code")
STOP_LISTS = ("built-in", "own")
FLAT = 1e-14  # variance of the queries' g below which float32 vectors cannot distinguish it from 0
DEPTH = Parameter(
    "depth",
    "cutoff",
    "cutoff: the top k; relevant: as many documents as are relevant to the query, the paper's way",
    choices=DEPTHS,
)
TERMS = Parameter(
    "query_terms",
    "exact",
    "what is dropped from documents. exact: the query's words; lemma: all that share a noun's lemma with one, as the "
    "authors' code does",
    choices=QUERY_TERMS,
)
WEIGHTS = Parameter(
    "weights",
    "equation",
    "of the list. equation: 1/log2(rank + 1), equation 2; code: 1/max(1, log2 rank), as the authors' code has it",
    choices=LIST_WEIGHTS,
)
STOP_WORDS = Parameter(
    "stop_words",
    "built-in",
    "built-in: scikit-learn's English ones; own: the list given with the settings, as --stop-words does. Gendered "
    "ones count with either",
    choices=STOP_LISTS,
)


def list_weights(ranks: Array, weights: str) -> Array:
    """Return the weight of a document in its list by its rank from 1, (…) for (…), before scaling to sum 1.

    equation: 1/log2(rank + 1), GSR paper, equation 2. code: 1/max(1, log2 rank), as in the authors' public code:
    the first two ranks have equal weights, and the third falls by more than a third.

    >>> list_weights(np.array([1, 2, 3, 4, 8]), "equation").round(3).tolist()
    [1.0, 0.631, 0.5, 0.431, 0.315]
    >>> list_weights(np.array([1, 2, 3, 4, 8]), "code").round(3).tolist()
    [1.0, 1.0, 0.631, 0.5, 0.333]
    """
    return 1 / (np.maximum(1, np.log2(ranks)) if weights == "code" else np.log2(ranks + 1))


def slope(query: Array, lists: Array, weights: Array) -> Array:
    """Return the least-squares slope of the lists' genderedness on the queries', (…); GSR has all weights 1.

    slope = Σ w (g(q) - mean)(g(L) - mean) / Σ w (g(q) - mean)², means weighted too. query and lists (Q,): g of each
    query and of its list; weights (…, Q): multiplicity of a query, as in a bootstrap draw. Queries with a NaN are left
    out. Unbounded; NaN for fewer than two queries or equal g of all. GSR paper, equation 3.

    >>> query, lists = np.array([0.3, 0.1, -0.1]), np.array([0.05, 0.01, 0.0])
    >>> round(float(slope(query, lists, np.ones(3))), 6)  # means 0.1 and 0.02: (0.2 * 0.03 + 0.2 * 0.02) / 0.08
    0.125
    >>> round(float(slope(query, lists, np.array([1, 0, 1]))), 6)  # without the second: 0.05 / 0.4
    0.125
    """
    complete = ~(np.isnan(query) | np.isnan(lists))
    weights = np.asarray(weights, dtype=np.float64)[..., complete]
    if not complete.any():
        return np.full(weights.shape[:-1], np.nan)
    x, y = (
        query[complete] - query[complete].mean(),
        lists[complete] - lists[complete].mean(),
    )  # near 0, so sums lose no digits
    count = weights.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x, mean_y = weights @ x / count, weights @ y / count
        variance = weights @ x**2 / count - mean_x**2
        return np.where(variance > FLAT, (weights @ (x * y) / count - mean_x * mean_y) / variance, np.nan)


GSR = Measure(
    name="GSR",
    summary="slope over queries of the ranked list's genderedness on the query's",
    compute=slope,
    parameters=(DEPTH, TERMS, WEIGHTS, STOP_WORDS),
    needs=("queries", "documents"),
    direction="zero",
    bounds=(-np.inf, np.inf),
    formula=r"m_s=\frac{\sum_i (g(q_i)-\mu_q)(g_{q_i}(\mathcal{L}_i)-\mu_{q,\mathcal{L}})}"
    r"{\sum_i (g(q_i)-\mu_q)^2},\qquad g_q(\mathcal{L})=\frac{\sum_{i\le k} g_q(d_i)/\log_2(i+1)}"
    r"{\sum_{i\le k} 1/\log_2(i+1)}",
    paper=GSR_PAPER,
    equation="equations 1 to 3 (definitions 3.7 and 3.8)",
    decided="The gender direction is the first principal component of the ten pairs, each centred on its midpoint. A "
    "text's g is the mean g of its words that have a vector. Stop words are left out, except gendered ones, and so are "
    "the query's words in documents. Documents without g have no weight in the list. The weights "
    "1/log2(rank + 1) belong to the measure: position bias, tokenizer and lexicon play no part. 0 means that lists do "
    "not follow their queries; relevant documents alone have a positive slope in most collections, so set it beside "
    "the system `perfect`, as the paper does. It has no value for one query; scores hold its two parts, GSR.query and "
    "GSR.list, and its interval comes from drawing queries. The defaults are the paper's text: query terms that "
    "“explicitly appear” in a document, and equation 2. Its authors' public code differs in three things, all "
    "offered here. It drops words that share a noun's lemma with the query (query_terms='lemma'). It weighs by "
    "1/max(1, log2 rank) (weights='code'). It takes Indri's stop words (stop_words='own', with that list). With all "
    "three, on Grep-BiasIR with the Google News subset and lists as deep as relevant documents, GSR of `perfect` is "
    "0.146. The paper gives 0.223, the authors' code 0.147; docs/fidelity.md has the rest. Lemmas are of English: a "
    "rule for plurals and a table of other nouns.",
    example="Queries of g 0.3, 0.1 and −0.1 answered by lists of g 0.05, 0.01 and 0: (0.2·0.03 + 0.2·0.02) / 0.08 = "
    "0.125.",
    uses_bias=False,
    per_query=False,
    anatomy="A query adds its lever (g(q) − mean)/Σ(g(q) − mean)² times the deviation of its list from the mean of "
    "lists. Within it a document adds lever · weight in the list · g. A word adds lever · weight · g · its share of "
    "the document's words. The part that the mean of lists subtracts is listed by itself. All words of all queries sum "
    "to the slope.",
)
