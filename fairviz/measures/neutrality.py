"""FaiRR and NFaiRR: the neutrality of each document of a list."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from fairviz.measures.contributions import OneList, Parts, quotient_texts
from fairviz.measures.position_bias import PositionBias
from fairviz.measures.record import NFAIRR_PAPER, Bound, Measure, Reach, TiedEnds, WeightedSum
from fairviz.measures.sums import MOST_LAID_OUT, AlignedRankings
from fairviz.parameters import Parameter
from fairviz.words.sentences import significant

Array = np.ndarray

OF = Parameter("of", "words", "the evidence of a document's neutrality", choices=("words", "labels"))
TAU = Parameter("tau", 1, "gender words that a document may hold and still be neutral", 0, 1_000_000, whole=True)
BACKGROUND = Parameter(
    "background",
    "candidates",
    "candidates, collection or run:NAME; the setting unless given",
    names="background",
    pattern="candidates|collection|run:.+",
    remedy="Use 'candidates', 'collection' or 'run:NAME'.",
)


def neutrality(rankings: AlignedRankings, tau: int) -> Array:
    """Return omega of each document, (D,): 1 with at most tau gender words, else by the evenness of genders' shares.

    omega = 1 - sum over groups of |share - 1/G| / (2 (1 - 1/G)); in [0, 1], and for two groups the papers' formula.
    A document without text has omega 1 if it counts as neutral, else NaN.

    >>> from fairviz.measures.sums import toy
    >>> texts = toy(texts=["her brother", "he saw his father and mother", "a tree"])
    >>> neutrality(texts, 0).tolist()  # shares 1/2, 1/2; 1/4, 3/4; no gender word
    [1.0, 0.5, 1.0]
    """
    counts = rankings.words.counts.astype(np.float64)  # (D, G)
    groups = counts.shape[1]
    total = counts.sum(axis=1)
    shares = counts / np.maximum(total, 1)[:, None]
    uneven = np.abs(shares - 1 / groups).sum(axis=1) / (2 * (1 - 1 / groups))
    omega = np.where(total <= tau, 1.0, 1 - uneven)
    return np.where(rankings.words.known | (rankings.unlabelled == "neutral"), omega, np.nan)


@dataclass(frozen=True)
class Omega:
    """The neutrality that a measure sums. key: its name in caches. values (D,): NaN without evidence, which is a `text`
    or a `label`. known (D,): whether a document has it."""

    key: str
    values: Array
    evidence: Literal["label", "text"]
    known: Array


def omega(rankings: AlignedRankings, parameters: Mapping[str, Any]) -> Omega:
    """Return the neutrality of the documents by their words, or by their labels under of='labels'.

    By labels: 1 for a neutral document, 0 for a gendered one, the share of neutral for a document with shares of
    several groups. A document without a label has 1 if it counts as neutral, else NaN.

    >>> from fairviz.measures.sums import toy
    >>> omega(toy(labels=["neutral", "male", "-"]), {"of": "labels"}).values.tolist()
    [1.0, 0.0, nan]
    """
    if parameters.get("of") != "labels":
        tau = parameters["tau"]
        values = rankings.remembered(("omega", tau), lambda: neutrality(rankings, tau))
        return Omega(f"omega {tau}", values, "text", rankings.words.known)
    counted = rankings.labelled | (rankings.unlabelled == "neutral")
    shares = rankings.labels.belonging(0, 0 if rankings.unlabelled == "neutral" else -1).astype(np.float64)
    return Omega("omega of labels", np.where(counted, shares, np.nan), "label", rankings.labelled)


def fairr(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Fairness of retrieval results: sum over the top k of omega(d) * p(i); in [0, sum of p], (C, S, Q).

    NaN if no document within k has text; of labels, if none has a label. TExFAIR paper, equations 1 and 2.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> list_of_two = toy(texts=["his son", "a tree"])
    >>> fairr(list_of_two, {"tau": 1}, position_bias("reciprocal", 2), np.array([2])).item()  # 0 * 1 + 1 * 1/2
    0.5
    """
    own = omega(rankings, parameters)
    total = rankings.sums(own.key, lambda: np.nan_to_num(own.values), bias, cutoffs)
    attention = rankings.attention_counted(own.evidence, own.known, bias, cutoffs)
    return np.where(attention > 0, total, np.nan)


def nfairr(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """FaiRR over that of the best reordering of the background set, cut at k; (C, S, Q), the higher the fairer.

    In [0, 1] if the background contains the list's documents, else possibly above 1. NaN if the ideal is 0 or no
    document within k has text, or a label where it is of labels. TExFAIR paper, equation 3.

    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> list_of_two = toy(texts=["his son", "a tree"])
    >>> parameters = {"tau": 1, "background": "candidates"}
    >>> nfairr(list_of_two, parameters, position_bias("reciprocal", 2), np.array([1, 2])).ravel().tolist()
    [0.0, 0.5]
    >>> labelled = toy(labels=["male", "neutral", "-", "neutral"])  # the third is left out of value and ideal
    >>> of_labels = {"of": "labels", "background": "candidates"}
    >>> nfairr(labelled, of_labels, position_bias("reciprocal", 4), np.array([4])).item()  # (1/2 + 1/4) / (1 + 1/2)
    0.5
    """
    return fairr(rankings, parameters, bias, cutoffs) / ideal_fairr(rankings, parameters, bias, cutoffs)


def ideal_fairr(rankings: AlignedRankings, parameters: Mapping[str, Any], bias: PositionBias, cutoffs: Array) -> Array:
    """Return the largest FaiRR of any order of the background's documents at each cutoff: (C, 1 or S, Q), NaN for 0.

    The most neutral documents take the heaviest ranks. The ideal is not cut at the list's length. Under `skip`, a place
    whose document has no text, or no label, is left out, as in FaiRR.
    """
    own, background = omega(rankings, parameters), parameters["background"] or "candidates"
    depth = int(np.max(cutoffs))
    if bias.falling:  # no document is left below every list and the whole background
        depth = min(depth, rankings.lists.depth + max(map(len, rankings.background(background)), default=0))
    key = ("ideal", own.key, background, depth)
    best = rankings.remembered(key, lambda: _best_first(rankings, own.values, background, depth))

    has_gaps = (
        rankings.unlabelled == "skip"
        and (rankings.first_missing(own.evidence, own.known, rankings.reach(depth)) <= depth).any()
    )

    def ideal_of(systems: slice) -> Array:
        """Return the ideal for the lists of these systems, (C, S or 1, Q)."""
        # the ideal's possible places, (M, S, Q), or (M, 1, Q) if all are possible
        open_places = np.ones((depth, 1, rankings.shape[1]), dtype=bool)
        if has_gaps:
            documents = rankings.lists.documents[:depth, systems]
            open_places = np.ones((depth, *documents.shape[1:]), dtype=bool)
            open_places[: len(documents)] = np.append(own.known, True)[documents]

        def place_documents() -> Array:
            if open_places.all():  # every document is at its own place
                return best[:, None, :]
            number = np.cumsum(open_places, axis=0, dtype=np.int64) - 1  # (M, S, Q), of the document at the place
            return np.take_along_axis(best[:, None, :], np.maximum(number, 0), axis=0) * open_places

        if bias.falling:
            name = f"ideal {own.key} {background} {depth} {systems.start}"
            return rankings.sums_of(name, place_documents, bias, cutoffs)
        # under weights that may rise: the heaviest open ranks first
        weighed = [bias.weights(k)[:, None, None] * open_places[:k] for k in cutoffs.tolist()]  # (k, S or 1, Q)
        return np.stack([(-np.sort(-at_k, axis=0) * best[: len(at_k), None]).sum(axis=0) for at_k in weighed])

    if has_gaps and depth * rankings.lists.lengths.size > MOST_LAID_OUT:  # one system after the other
        ideal = np.concatenate([ideal_of(slice(row, row + 1)) for row in range(rankings.shape[0])], axis=1)
    else:
        ideal = ideal_of(slice(None))
    return np.where(ideal > 0, ideal, np.nan)


def _best_first(rankings: AlignedRankings, omega: Array, background: str, depth: int) -> Array:
    """Return the omegas of each query's background, highest first, padded by 0: (M, Q)."""
    lists = rankings.background(background)
    best = np.zeros((depth, len(lists)))
    for query, documents in enumerate(lists[:1] if background == "collection" else lists):
        values = omega[documents]
        neutral = min(int((values == 1).sum()), depth)
        best[:neutral, query] = 1
        below_one = -np.sort(-values[values < 1])[: depth - neutral]
        best[neutral : neutral + len(below_one), query] = below_one
    if background == "collection":  # the same for all queries
        best[:] = best[:, :1]
    return best


def _most(reach: Reach) -> float:
    """Return 1 for a background that contains every document of the list, as candidates do, else infinity."""
    return 1.0 if reach.parameters["background"] in (None, "candidates") else np.inf


def fairr_parts(one_list: OneList) -> Parts:
    """FaiRR: ω of the document."""
    values, reason = _omega(one_list)
    texts = tuple(map(significant, values.tolist()))
    return Parts(one_list.weights, values, texts, "Σ p(i) · ω(d)", undefined=reason)


def nfairr_parts(one_list: OneList) -> Parts:
    """NFaiRR: ω of the document over the ideal."""
    values, reason = _omega(one_list)
    ideals = ideal_fairr(one_list.rankings, one_list.parameters, one_list.bias, np.array([one_list.cutoff]))
    ideal = float(ideals[0, one_list.system if ideals.shape[1] > 1 else 0, one_list.query])
    reason = reason or ("" if ideal > 0 else "no document of the background is neutral to any part")
    texts = quotient_texts(values, ideal)
    formula = "Σ p(i) · ω(d) / ideal"
    return Parts(one_list.weights, values / ideal, texts, formula, terms={"ideal": ideal}, undefined=reason)


def _omega(one_list: OneList) -> tuple[Array, str]:
    """Return ω of each document, 0 without evidence, (n,); NaN if FaiRR is undefined, with the reason."""
    own = omega(one_list.rankings, one_list.parameters)
    values = np.nan_to_num(own.values[one_list.documents])
    _, reason = one_list.counted(own.evidence)
    return np.full(len(values), np.nan) if reason else values, reason


def _summands(rankings: AlignedRankings, parameters: Mapping[str, Any]) -> Array:
    """Return what each document adds to FaiRR at a weight of 1, (D,): its neutrality, 0 without one."""
    return np.nan_to_num(omega(rankings, parameters).values)


_OMEGA = (
    r"\omega(d)=\begin{cases}1&\text{at most }\tau\text{ gender words}\\"
    r"1-\dfrac{\sum_g\lvert \mathrm{share}_g(d)-\frac1G\rvert}{2(1-\frac1G)}&\text{otherwise}\end{cases}"
)
_OF_LABELS = (
    " `of='labels'`: ω is 1 for a document that is labelled neutral, 0 for a gendered one, and the share of neutral "
    "for one with shares of several groups; τ and the word list play no part."
)


_FAIRR = Measure(
    name="FaiRR",
    summary="attention that neutral documents receive, not normalised",
    compute=fairr,
    parameters=(OF, TAU),
    needs=("documents",),
    direction="higher",
    bounds=(0.0, Bound("Σ p(i)", lambda reach: reach.attention)),
    formula=r"\mathrm{FaiRR}@k=\sum_{i\le k}\omega(d_i)\,p(i),\qquad " + _OMEGA,
    paper=NFAIRR_PAPER,
    equation="as equations 1 and 2 of the TExFAIR paper restate it",
    decided="The divisor 2(1 − 1/G) is 1 for two groups, which is the paper's formula, and keeps ω in [0, 1] for more. "
    "Empty text is neutral. Missing text is treated as a missing label is. The papers' public code counts white-space "
    "tokens with τ = 1, which leaves “man,” uncounted; words and τ are controls here because they change conclusions."
    + _OF_LABELS,
    example="“his son” (ω 0), “a tree” (ω 1) under p = 1, 1/2: 0·1 + 1·1/2 = 0.5.",
    parts=fairr_parts,
    anatomy="A document adds p(i) · ω(d).",
    ties=TiedEnds(smallest=True, largest=True),
    weighted=WeightedSum(_summands, weights=lambda p: p),
)
_NFAIRR = Measure(
    name="NFaiRR",
    summary="neutrality of the documents, against the best order of a background set",
    compute=nfairr,
    parameters=(OF, TAU, BACKGROUND),
    needs=("documents",),
    direction="higher",
    bounds=(0.0, Bound("1 (with candidates)", _most)),
    formula=r"\mathrm{NFaiRR}@k=\frac{\mathrm{FaiRR}@k}{\mathrm{FaiRR}@k\text{ of the best order of the background}}",
    paper=NFAIRR_PAPER,
    equation="as equation 3 of the TExFAIR paper restates it",
    decided="Background `candidates`: every document that any system of the study retrieved for the query, so another "
    "system's run can move the value; `collection` and `run:NAME` are the alternatives. The ideal stays at k even for "
    "a shorter list. Where no background document is neutral at all the ideal is 0 and the value undefined. Above 1 is "
    "possible where the background lacks documents of the list." + _OF_LABELS,
    example="“his son”, “a tree” under p = 1, 1/2: 0.5 against the best order 1·1 + 0·1/2 = 1, so 0.5.",
    parts=nfairr_parts,
    anatomy="A document adds p(i) · ω(d) over the ideal, which is the same for the whole list.",
    ties=TiedEnds(smallest=True, largest=True),
    weighted=WeightedSum(_summands, weights=lambda p: p, divisor=ideal_fairr),
    beyond_list="background",
    undefined="the ideal is 0, and 0/0 has no value, because no document of the background is neutral to any degree; "
    "another background, such as collection, may hold neutral ones",
    column=True,
)


def _with_labels(record: Measure) -> Measure:
    """Return the record with its form of='labels', which rests on labels instead of words."""
    of_labels = replace(
        record,
        summary=record.summary.replace("neutral documents", "documents labelled neutral").replace(
            "neutrality of the documents", "neutrality of the documents by their labels"
        ),
        parameters=tuple(parameter for parameter in record.parameters if parameter is not TAU),
        needs=("labels",),
        ties=replace(record.ties, by_label=not record.beyond_list),
        undefined=record.undefined.replace("is neutral to any degree", "is labelled neutral"),
    )
    return replace(record, forms={"of='labels'": of_labels})


FAIRR, NFAIRR = map(_with_labels, (_FAIRR, _NFAIRR))
