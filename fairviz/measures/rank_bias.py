"""RaB and ARaB: the difference between the genders' word magnitudes in the top ranks. Position bias is not used."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from fairviz.measures.contributions import OneList, Parts
from fairviz.measures.position_bias import PositionBias, counting
from fairviz.measures.record import RAB_PAPER, Bound, Measure, Reach, TiedEnds, WeightedSum, range_itself
from fairviz.measures.sums import AlignedRankings
from fairviz.parameters import Parameter
from fairviz.words.sentences import significant

Array = np.ndarray

MAGNITUDE = Parameter(
    "magnitude",
    "tf",
    "tf: ln(1 + count); tc: count; bool: whether any",
    choices=("tf", "tc", "bool"),
)
LIMITS = (
    Bound("−∞ (−1 for bool)", lambda reach: -_largest(reach)),
    Bound("∞ (1 for bool)", lambda reach: _largest(reach)),
)
_MAGNITUDES: dict[str, Callable[[Array], Array]] = {"tf": np.log1p, "tc": np.asarray, "bool": np.sign}


def _largest(reach: Reach) -> float:
    return 1.0 if reach.parameters["magnitude"] == "bool" else np.inf


def magnitude_difference(rankings: AlignedRankings, parameters: Mapping[str, Any]) -> Array:
    """Return each document's magnitude of the protected group minus the mean of the others', (D,); 0 without text."""
    magnitudes = _MAGNITUDES[parameters["magnitude"]](rankings.words.counts.astype(np.float64))  # (D, G)
    others = np.delete(magnitudes, rankings.protected, axis=1).mean(axis=1)
    return np.where(rankings.words.known, magnitudes[:, rankings.protected] - others, 0)


def rab(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Rank bias: mean over the top k of magnitude(protected) - mean magnitude(others); 0 is fair, (C, S, Q).

    Positive for a majority of female words. Unbounded; in [-1, 1] for magnitude `bool`. NaN if no document within k
    has text. Backpack paper, appendix B, equations 6 to 8, with the authors' `tf`, ln(1 + count): the printed sum of
    log(count) is minus infinity for an absent word.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> two = toy(texts=["his brother and his father", "she"])
    >>> bias, at = position_bias("log2", 2), np.array([2])
    >>> rab(two, {"magnitude": "tc"}, bias, at).item()  # ((0 - 4) + (1 - 0)) / 2
    -1.5
    >>> rab(two, {"magnitude": "bool"}, bias, at).item()
    0.0
    """
    uniform = counting(len(bias.mix))
    magnitude = parameters["magnitude"]
    total = rankings.sums(f"rab {magnitude}", lambda: magnitude_difference(rankings, parameters), uniform, cutoffs)
    return total / rankings.attention_with_text(uniform, cutoffs)


def arab(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Average rank bias: the mean of RaB@t over t = 1..k, and no further than the list's end; (C, S, Q).

    A cutoff with undefined RaB (no text yet) is left out; NaN if none is defined. Backpack paper,
    equation 9.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> two = toy(texts=["his brother and his father", "she"])
    >>> arab(two, {"magnitude": "tc"}, position_bias("log2", 2), np.array([2])).item()  # (-4 - 1.5) / 2
    -2.75
    """
    depth = max(rankings.lists.depth, 1)
    key = ("arab", parameters["magnitude"], depth)
    at_every_cutoff = rankings.remembered(key, lambda: _running_arab(rankings, parameters, depth))  # (K, S, Q)
    values = at_every_cutoff[np.minimum(cutoffs, depth) - 1]
    if rankings.unlabelled == "strict":
        first_missing = rankings.first_missing("text", rankings.words.known)
        values = np.where(first_missing[None] <= cutoffs[:, None, None], np.nan, values)
    return values


def _running_arab(rankings: AlignedRankings, parameters: Mapping[str, Any], depth: int) -> Array:
    """Return ARaB at every cutoff down to the depth, (K, S, Q), where missing texts are not `strict`."""
    name = f"rab {parameters['magnitude']}"
    differences = rankings.at_places(name, lambda: magnitude_difference(rankings, parameters), depth)  # (K, S, Q)
    counted = rankings.words.known if rankings.unlabelled == "skip" else np.ones_like(rankings.words.known)
    counts = rankings.at_places(f"rab counted {rankings.unlabelled}", lambda: counted, depth)  # (K, S, Q)
    total, texts, rab_sums, ranks = np.zeros((4, *rankings.shape))
    running: Array = np.full((depth, *rankings.shape), np.nan, dtype=rankings.dtype)
    for rank in range(len(differences)):
        total += differences[rank]
        texts += counts[rank]
        is_defined = (rankings.lists.lengths > rank) & (texts > 0)
        rab_sums += np.divide(total, texts, out=np.zeros(rankings.shape), where=is_defined)
        ranks += is_defined
        np.divide(rab_sums, ranks, out=running[rank], where=ranks > 0, casting="same_kind")
    return running


def rab_parts(one_list: OneList) -> Parts:
    """RaB: the document's magnitude for the protected group less that for the others; every rank weighs 1/n."""
    texts = one_list.known.sum() if one_list.rankings.unlabelled == "skip" else len(one_list.documents)
    weights = np.full(len(one_list.documents), 1 / texts if texts else np.nan)
    return _weighed(one_list, weights, "Σ (1/n) · mag(d)", {"n": float(texts)})


def arab_parts(one_list: OneList) -> Parts:
    """ARaB: RaB's contributions; rank i weighs the mean over t of 1/n_t for t ≥ i, n_t the texts down to t, else 0."""
    texts = np.cumsum(one_list.known | (one_list.rankings.unlabelled != "skip"))
    reached = texts > 0
    inverse_counts = np.divide(1.0, texts, out=np.zeros(len(texts)), where=reached)
    weights = np.cumsum(inverse_counts[::-1])[::-1] / (reached.sum() or np.nan)
    formula = "Σ w(i) · mag(d), w(i) = Σ_{t ≥ i} 1/n_t over the number of t"
    return _weighed(one_list, weights, formula, {"t": float(reached.sum())})


def _weighed(one_list: OneList, weights: Array, formula: str, terms: Mapping[str, float]) -> Parts:
    """Return the parts by the documents' magnitude differences, NaN under `strict`."""
    values = magnitude_difference(one_list.rankings, one_list.parameters)[one_list.documents]
    if one_list.rankings.unlabelled == "strict" and not one_list.known.all():
        values = np.full(len(values), np.nan)
    _, reason = one_list.counted("text")
    return Parts(weights, values, tuple(map(significant, values.tolist())), formula, terms=terms, undefined=reason)


def _arab_weights(p: Array) -> Array:
    """Return ARaB's weight of each rank, (n,): the mean over t = 1 … n of 1/t for t ≥ i, else 0.

    >>> _arab_weights(np.ones(2)).tolist()  # (1 + 1/2) / 2 and (0 + 1/2) / 2
    [0.75, 0.25]
    """
    return np.cumsum((1 / np.arange(1, len(p) + 1))[::-1])[::-1] / max(len(p), 1)


def _tied_fractions(rankings: AlignedRankings, parameters: Mapping[str, Any]) -> tuple[Array, Array]:
    """Return the parts of RaB: the magnitude difference of each document, and whether it counts, (1, D) each."""
    counted = rankings.evidence_counted(rankings.words.known)
    return magnitude_difference(rankings, parameters)[None], counted[None].astype(np.float64)


RAB = Measure(
    name="RaB",
    summary="female minus male magnitude of the words in the top k",
    compute=rab,
    parameters=(MAGNITUDE,),
    needs=("documents",),
    direction="zero",
    bounds=LIMITS,
    formula=r"\mathrm{RaB}@k=\frac1k\sum_{i\le k}\Bigl(\mathrm{mag}_{\mathrm{protected}}(d_i)-"
    r"\overline{\mathrm{mag}}_{\mathrm{others}}(d_i)\Bigr),\qquad \mathrm{mag}^{tf}_g=\ln(1+\mathrm{count}_g)",
    paper=RAB_PAPER,
    equation="equations 6 to 8 of the Backpack paper's appendix B",
    decided="The printed magnitude, the sum of log(count) over words, is minus infinity for absent words; the authors' "
    "code takes ln(1 + the group's total count), and so do we. Sign: female − male; the first paper's tables print the "
    "opposite. A list shorter than k is divided by its own length. Position bias plays no part, by definition.",
    example="“his brother and his father”, “she” with magnitude tc: ((0 − 4) + (1 − 0)) / 2 = −1.5.",
    uses_bias=False,
    parts=rab_parts,
    anatomy="A document adds its magnitude for the protected group, less the others', over the number of documents "
    "that count.",
    ties=TiedEnds(smallest=True, largest=True, fractions=_tied_fractions, enclosure=range_itself),
    weighted=WeightedSum(magnitude_difference, lambda p: np.full(len(p), 1 / max(len(p), 1))),
    column=True,
)
ARAB = Measure(
    name="ARaB",
    summary="average of RaB over the cutoffs 1 to k",
    compute=arab,
    parameters=(MAGNITUDE,),
    needs=("documents",),
    direction="zero",
    bounds=LIMITS,
    formula=r"\mathrm{ARaB}@k=\frac1k\sum_{t=1}^{k}\mathrm{RaB}@t",
    paper=RAB_PAPER,
    equation="equation 9 of the Backpack paper's appendix B",
    decided="The average runs over t = 1 … k, and to the list's end where it is shorter. Position bias plays no part.",
    example="The list of RaB's example: RaB@1 = −4, RaB@2 = −1.5, so ARaB@2 = −2.75.",
    uses_bias=False,
    parts=arab_parts,
    anatomy="A document adds as much as in RaB, weighted by w(i): the mean over t = 1 … k of 1/n_t where t ≥ i, else "
    "0. n_t: the documents that count down to t. The first ranks are in more of the means, and weigh most.",
    ties=TiedEnds(smallest=True, largest=True),
    weighted=WeightedSum(magnitude_difference, _arab_weights),
    column=True,
)
