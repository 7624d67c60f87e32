"""TED, RBDF and TExFAIR: the attention to the words of each gender in the list as a whole."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from fairviz.measures.contributions import OneList, Parts, pulls, quotient_texts
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.rankings import WordEvidence
from fairviz.measures.record import (
    FARTHEST,
    TEXFAIR_PAPER,
    Measure,
    Reach,
    TiedEnds,
    WeightedSum,
    farthest,
    range_itself,
)
from fairviz.measures.sums import AlignedRankings
from fairviz.parameters import Parameter
from fairviz.words.sentences import significant

Array = np.ndarray

DISCOUNT = Parameter("rbdf", True, "whether documents without gender words discount the divergence (RBDF)")


def rbdf(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Share of the attention that goes to documents with at least one gender word; in [0, 1], (C, S, Q).

    NaN if no document within k has text. TExFAIR paper, equation 11. A list shorter than k is normalised by its
    own length.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> list_of_two = toy(texts=["a tree", "his hat"])
    >>> round(rbdf(list_of_two, {}, position_bias("reciprocal", 2), np.array([2])).item(), 6)  # 1/2 over 3/2
    0.333333
    """
    gendered = rankings.word_sums("gendered", lambda: rankings.words.counts.sum(axis=1) > 0, bias, cutoffs)
    return gendered / rankings.attention_with_text(bias, cutoffs)


def term_exposure(rankings: AlignedRankings, bias: PositionBias, cutoffs: Array) -> Array:
    """Exposure of each gender's words: sum of (count_g(d) / tokens(d)) * p(i), (G, C, S, Q); equation 8."""
    exposures = []
    for group in range(len(rankings.groups)):
        share = partial(_share, rankings.words, group)
        exposures.append(rankings.word_sums(f"share {group}", share, bias, cutoffs))
    return np.stack(exposures)


def _share(words: WordEvidence, group: int) -> Array:
    """Return the share of the group's words in each document, (D,)."""
    return words.counts[:, group] / np.maximum(words.tokens, 1)


def ted(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Term exposure-based divergence: sum over groups of |share of term exposure - target|, times RBDF on request.

    (C, S, Q), in [0, 2 (1 - smallest target)], 0 the fairest. A list without a gender word has TED 0; NaN if no
    document within k has text. TExFAIR paper, equation 12, or equation 10 with rbdf=False.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> mixed = toy(texts=["her hat fell down", "his hat fell down", "his hat fell down"])
    >>> bias = position_bias("uniform", 3)  # words: female 1/4, male 2/4; shares 1/3 and 2/3
    >>> round(ted(mixed, {"rbdf": False}, bias, np.array([3])).item(), 6)  # |1/3 - 1/2| + |2/3 - 1/2|
    0.333333
    """
    exposures = term_exposure(rankings, bias, cutoffs)  # (G, C, S, Q)
    total = exposures.sum(axis=0)  # (C, S, Q)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = exposures / total
    divergence = np.abs(shares - rankings.targets[:, None, None, None]).sum(axis=0)
    divergence = np.where(total > 0, divergence, 0)
    if parameters["rbdf"]:
        return divergence * rbdf(rankings, parameters, bias, cutoffs)
    return np.where(np.isnan(rankings.attention_with_text(bias, cutoffs)), np.nan, divergence)


def texfair(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Term exposure-based fairness: max(TED) - TED, the higher the fairer; (C, S, Q), in [0, max(TED)].

    max(TED) = 2 (1 - smallest target), 1 for two groups with equal targets. TExFAIR paper, equation 13.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> bias, at = position_bias("uniform", 2), np.array([2])
    >>> texfair(toy(texts=["his hat", "a tree"]), {"rbdf": True}, bias, at).item()  # 1 - 1 * 1/2
    0.5
    """
    return farthest(Reach(parameters, rankings.targets)) - ted(rankings, parameters, bias, cutoffs)


def rbdf_parts(one_list: OneList) -> Parts:
    """RBDF: 1/A for a document with a gender word."""
    values = (one_list.counts.sum(axis=1) > 0).astype(np.float64)
    attention, reason = one_list.counted("text")
    texts, formula = quotient_texts(values, attention), "Σ p(i) · 1[d has a gender word] / A"
    return Parts(one_list.weights, values / attention, texts, formula, terms={"A": attention}, undefined=reason)


def ted_parts(one_list: OneList) -> Parts:
    """TED: RBDF / T · Σ_g s_g (x_g − t_g x), with x_g the share of g's words in the document and x that of all.

    s_g is the sign of share − target, so a document of the prevailing group has a positive part and one of the other a
    negative part; a document without gender words has part 0 and lowers RBDF, a factor of every part.
    """
    attention, reason = one_list.counted("text")
    spread = rbdf_parts(one_list).value if one_list.parameters["rbdf"] else 1.0 + 0 * attention
    exposures = one_list.weights @ one_list.shares  # (G,)
    total = float(exposures.sum())
    shares = exposures / total if total > 0 else one_list.rankings.targets
    values = pulls(one_list.shares, shares, one_list.rankings.targets)
    factor = spread / (total if total > 0 else 1.0)
    part_texts = tuple(
        f"{significant(spread)} · {significant(value)} / {significant(total)}" if value else "0" for value in values
    )
    formula = "Σ p(i) · R · Σ_g s_g (x_g(d) − t_g x(d)) / T, s_g the sign of share − target"
    terms = {"R": float(spread), "T": total}
    terms |= {f"share of {name}": float(share) for name, share in zip(one_list.rankings.groups, shares, strict=True)}
    return Parts(one_list.weights, factor * values, part_texts, formula, terms=terms, undefined=reason)


def texfair_parts(one_list: OneList) -> Parts:
    """TExFAIR: max(TED) less the parts of TED."""
    ted = ted_parts(one_list)
    attention, reason = one_list.counted("text")
    constant = np.nan if np.isnan(attention) else farthest(Reach(one_list.parameters, one_list.rankings.targets))
    texts = tuple(text if text == "0" else f"−({text})" for text in ted.said)
    formula = "max(TED) − " + ted.formula
    return Parts(one_list.weights, -ted.contributions, texts, formula, constant, "max(TED)", ted.terms, reason)


_TED = (
    r"\mathrm{TED}@k=\sum_g\lvert p(g)-\hat p_g\rvert\cdot\mathrm{RBDF}@k,\qquad "
    r"p(g)=\frac{T_g}{\sum_h T_h},\quad T_g=\sum_{i\le k}\frac{\mathrm{count}_g(d_i)}{|d_i|}\,p(i)"
)


def _tied_fractions(rankings: AlignedRankings, parameters: Mapping[str, Any]) -> tuple[Array, Array]:
    """Return the parts of each group's share of word exposure and, last, of RBDF: two arrays (G + 1, D)."""
    words = rankings.words
    counts = np.where(words.known[:, None], words.counts, 0) / np.maximum(words.tokens, 1)[:, None]
    gendered = words.known & (words.counts.sum(axis=1) > 0)
    counted = rankings.evidence_counted(words.known)
    totals = [counts.sum(axis=1)] * counts.shape[1]
    return np.vstack([counts.T, gendered]), np.vstack([*totals, counted]).astype(np.float64)


def _tied_rbdf(rankings: AlignedRankings, parameters: Mapping[str, Any]) -> tuple[Array, Array]:
    """Return the parts of RBDF, (1, D) each."""
    numerators, denominators = _tied_fractions(rankings, parameters)
    return numerators[-1:], denominators[-1:]


def _enclose_ted(low: Array, high: Array, targets: Array, parameters: Mapping[str, Any]) -> tuple[Array, Array]:
    """Return bounds of TED: the divergence within the ranges of the shares times RBDF within its own."""
    wished = targets.reshape(-1, 1, 1)
    least = np.nan_to_num(np.abs(np.clip(wished, low[:-1], high[:-1]) - wished).sum(axis=0))
    most = np.nan_to_num(np.maximum(np.abs(low[:-1] - wished), np.abs(high[:-1] - wished)).sum(axis=0))
    most = np.minimum(most, 2 * (1 - targets.min()))
    if parameters["rbdf"]:
        return least * low[-1], most * high[-1]
    return np.where(low[-1] > 0, least, 0), most


def _enclose_texfair(low: Array, high: Array, targets: Array, parameters: Mapping[str, Any]) -> tuple[Array, Array]:
    """Return bounds of TExFAIR, which falls with TED."""
    largest = 2 * (1 - targets.min())
    least, most = _enclose_ted(low, high, targets, parameters)
    return largest - most, largest - least


TED = Measure(
    name="TED",
    summary="divergence of the genders' shares of word exposure from their targets",
    compute=ted,
    parameters=(DISCOUNT,),
    needs=("documents",),
    direction="lower",
    bounds=(0.0, FARTHEST),
    formula=_TED,
    paper=TEXFAIR_PAPER,
    equation="equation 12; equation 10 with rbdf=False",
    decided="A list without a gender word has TED 0: nothing diverges. |d| counts all tokens of the document.",
    example="Four-token documents with one word each, female, male, male, equal attention: |1/3 − 1/2| + |2/3 − 1/2| = "
    "0.333, times RBDF 1.",
    parts=ted_parts,
    anatomy="A document adds p(i) · R/T · Σ_g s_g (x_g − t_g x). x_g: the share of g's words in it; x: that of all "
    "gender words. T: the list's sum of p(i) x. R: its RBDF (1 with rbdf=False). s_g = ±1 for a share of the list "
    "above or below its target t_g. So words of the larger group add, and those of the other subtract. R is a factor "
    "of every part. Documents without gender words lower it and add 0: see RBDF for them.",
    ties=TiedEnds(fractions=_tied_fractions, enclosure=_enclose_ted),
)
RBDF = Measure(
    name="RBDF",
    summary="share of the attention that goes to documents with a gender word",
    compute=rbdf,
    parameters=(),
    needs=("documents",),
    direction="none",
    bounds=(0.0, 1.0),
    formula=r"\mathrm{RBDF}@k=\frac{\sum_{i\le k,\;d_i\text{ has a gender word}}p(i)}{\sum_{i\le k}p(i)}",
    paper=TEXFAIR_PAPER,
    equation="equation 11",
    decided="A list shorter than k is normalised by its own length.",
    example="“a tree”, “his hat” under p = 1, 1/2: 1/2 over 3/2 = 0.333.",
    parts=rbdf_parts,
    anatomy="A document with a gender word adds p(i)/A, with A the attention to all documents that count; others "
    "add 0.",
    ties=TiedEnds(smallest=True, largest=True, fractions=_tied_rbdf, enclosure=range_itself),
    weighted=WeightedSum(lambda rankings, parameters: (rankings.words.counts.sum(axis=1) > 0).astype(np.float64)),
)
TEXFAIR = Measure(
    name="TExFAIR",
    summary="balance of the genders' words over the list as a whole",
    compute=texfair,
    parameters=(DISCOUNT,),
    needs=("documents",),
    direction="higher",
    bounds=(0.0, FARTHEST),
    formula=r"\mathrm{TExFAIR}@k=\max(\mathrm{TED})-\mathrm{TED}@k,\qquad \max(\mathrm{TED})=2\,(1-\min_g\hat p_g),"
    r"\qquad " + _TED,
    paper=TEXFAIR_PAPER,
    equation="equations 8 to 13",
    decided="Targets are equal unless the study names others. A male document can make up for a female one anywhere "
    "in the list, which NFaiRR never allows: this is where the two part.",
    example="“his hat”, “a tree” under equal attention: shares (0, 1), divergence 1, RBDF 1/2, so 1 − 0.5 = 0.5.",
    parts=texfair_parts,
    anatomy="max(TED), less what each document adds to TED: words of the group that prevails take away, those of "
    "the other add.",
    ties=TiedEnds(fractions=_tied_fractions, enclosure=_enclose_texfair),
    column=True,
)
