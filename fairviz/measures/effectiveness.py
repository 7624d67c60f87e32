"""Effectiveness measures under the names of ir_measures: computed by fairviz.measures.judged from the places of the
judged documents, here from the grade at each rank, or by pytrec_eval.

By grade are the measures for which ir_measures calls optional programs. ERR is that of TREC's gdeval script, which
ir_measures runs through Perl and which accepts only numbers as query ids; RBP and SDCG those of cwl-eval; Compat and
Judged are ir_measures' own. Axis letters: K ranks, S systems, J judged documents of a query.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairviz.errors import FairvizError, UsageError
from fairviz.measures.judged import KERNELS as JUDGED_KERNELS
from fairviz.measures.judged import JudgedPlaces, by_places, document_places, judged_places
from fairviz.measures.rankings import Rankings

Array = np.ndarray
HIGHEST_GRADE = 4  # of gdeval's scale, for the probability of ERR
INSTEAD = "Use nDCG, RR, AP, P, R or Success."
_SUBTOPICS = "it needs judgements by subtopic, which a study does not hold"
_CWL = "it comes from the package cwl-eval, which is not part of fairviz"
WHY_NOT = {
    "Accuracy": "ir_measures 0.4.3 counts only the documents below the last relevant one, and can be below 0",
    **dict.fromkeys(("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "NRBP", "nNRBP"), _SUBTOPICS),
    **dict.fromkeys(("AP_IA", "P_IA", "StRecall"), _SUBTOPICS),
    **dict.fromkeys(("BPM", "INST", "INSQ", "NERR8", "NERR9", "NERR10", "NERR11"), _CWL),
}
_LOWEST = {"rel": 1, "min_rel": 0, "max_rel": 1}
_HIGHEST = 2_147_483_647  # the highest possible relevance of a judgement
_RANGES = {"p": (0, 1), "recall": (0, 1), "beta": (0.01, 100)}
_FLAGS = ("judged_only", "normalize", "relative")
_HIGHEST_GAIN = 1_000_000


@dataclass(frozen=True)
class JudgedLists:
    """The lists of one query. grades (K, S): of the document at each rank, NaN for an unjudged document and below the
    list's end. lengths (S,): number of documents of each list. judged (J,): the grade of every judged document."""

    grades: Array
    lengths: Array
    judged: Array


Kernel = Callable[[JudgedLists, Any, int | None], Array]


def err(lists: JudgedLists, measure: Any, cutoff: int | None) -> Array:
    """Expected reciprocal rank: sum over ranks of R(i) / i times the product of 1 - R above, R = (2^grade - 1) / 2^4.

    (S,), in [0, 15/16]. Chapelle and others, CIKM 2009, with the highest grade fixed at 4 as in gdeval. Raises
    FairvizError for judgements above 4, which gdeval rejects too.

    >>> one_list = JudgedLists(np.array([[1.0], [np.nan], [2.0]]), np.array([3]), np.array([1.0, 2.0]))
    >>> err(one_list, None, 3).tolist()  # 1/16, then 15/16 * 3/16 * 1/3
    [0.12109375]
    """
    highest = int(lists.judged.max())
    if highest > HIGHEST_GRADE:
        raise FairvizError(
            f"ERR takes relevance up to {HIGHEST_GRADE}, and a document is judged {highest}",
            "Use nDCG, or write the relevance on a scale from 0 to 4.",
        )
    grades = _positive(lists.grades[:cutoff])
    stops = (2**grades - 1) / 2**HIGHEST_GRADE  # (K, S): the probability that the reader stops here
    reached = np.cumprod(1 - stops, axis=0) / (1 - stops)
    return (reached * stops / _ranks(grades)).sum(axis=0)


def judged_share(lists: JudgedLists, measure: Any, cutoff: int | None) -> Array:
    """Share of judged documents among those within the cutoff; (S,)."""
    judged_counts = (~np.isnan(lists.grades[:cutoff])).sum(axis=0)
    document_counts = lists.lengths if cutoff is None else np.minimum(lists.lengths, cutoff)
    return judged_counts / np.maximum(document_counts, 1)


def rbp(lists: JudgedLists, measure: Any, cutoff: int | None) -> Array:
    """Rank-biased precision: (1 - p) times the sum of p^(rank - 1) over relevant documents; (S,), in [0, 1).

    Moffat and Zobel, TOIS 2008.
    """
    relevant = lists.grades[:cutoff] >= measure["rel"]
    persistence = float(measure["p"])
    return (1 - persistence) * (relevant * persistence ** (_ranks(relevant) - 1)).sum(axis=0)


def sdcg(lists: JudgedLists, measure: Any, cutoff: int | None) -> Array:
    """DCG of the grades on a scale from min_rel to max_rel, over that of a list of max_rel down to the cutoff; (S,)."""
    low, high = measure["min_rel"], measure["max_rel"]
    grades = np.nan_to_num(lists.grades[:cutoff], nan=low)
    gain = (np.clip(grades, low, high) - low) / (high - low)
    best = (1 / np.log2(1 + np.arange(1, (cutoff or len(grades)) + 1))).sum()
    return (gain / np.log2(1 + _ranks(gain))).sum(axis=0) / best


def compatibility(lists: JudgedLists, measure: Any, cutoff: int | None) -> Array:
    """Rank-biased overlap with the ideal list nearest to the ranking, over the ideal's own; (S,), in [0, 1].

    Clarke, Vtyurina and Smucker, TOIS 2021: the ideal has relevant documents by falling grade, equal ones in the
    ranking's order and missing ones last.
    """
    judged = lists.judged[lists.judged > 0]
    values = np.zeros(len(lists.lengths))
    for system, length in enumerate(lists.lengths.tolist() if len(judged) else ()):
        grades = lists.grades[:length, system]
        ranks = np.flatnonzero(grades > 0)  # (R,): retrieved relevant documents, counted from 0
        retrieved = grades[ranks]
        better = (judged[None, :] > retrieved[:, None]).sum(axis=1)
        ideal_ranks = better + np.tril(retrieved[:, None] == retrieved[None, :], -1).sum(axis=1)
        depths = np.arange(1, max(len(grades), len(judged)) + 1)
        common = np.cumsum(np.bincount(np.maximum(ranks, ideal_ranks), minlength=len(depths)))  # in both by each depth
        weights = float(measure["p"]) ** (depths - 1) / depths
        best = np.minimum(depths, len(judged)) if measure["normalize"] else depths
        values[system] = (weights * common).sum() / (weights * best).sum()
    return values


def _positive(grades: Array) -> Array:
    """Return the grades with 0 for a missing and for a negative one."""
    return np.maximum(np.nan_to_num(grades, nan=0.0), 0)


def _ranks(values: Array) -> Array:
    """Return 1, 2, … down the first axis, (K, 1)."""
    return np.arange(1, len(values) + 1, dtype=np.float64)[:, None]


KERNELS: dict[str, Kernel] = {
    "ERR": err,
    "Judged": judged_share,
    "RBP": rbp,
    "SDCG": sdcg,
    "Compat": compatibility,
}


def effectiveness_summary(name: str) -> str:
    """Return the one-line definition of ir_measures; empty for a measure without one."""
    from ir_measures.measures import registry

    return str(registry[name].SHORT_DESC or "").removesuffix(".") if name in registry else ""


@dataclass(frozen=True)
class Effectiveness:
    """An ir_measures measure, and whether it uses the cutoff."""

    measure: Any
    cutoff_used: bool

    @property
    def cutoff(self) -> int | None:
        return self.measure["cutoff"] if self.cutoff_used else None

    @property
    def depth(self) -> int | None:
        """The number of evaluated ranks; None for whole lists, also needed by measures that drop unjudged documents."""
        return None if self.measure.params.get("judged_only") else self.cutoff


def effectiveness_name(name: str) -> str:
    """Return the name in ir_measures with these letters in any case; `name` itself if it has none.

    >>> effectiveness_name("ndcg")
    'nDCG'
    """
    from ir_measures.measures import registry

    names = {record.NAME for known, record in registry.items() if known.casefold() == name.casefold()}
    return names.pop() if len(names) == 1 and name not in registry else name


def known_name(name: str) -> str:
    """Return the name or alias in ir_measures, as `MAP`, with these letters in any case; empty for none."""
    from ir_measures.measures import registry

    names = [*registry, *(record.NAME for record in registry.values())]
    return next((known for known in names if known.casefold() == name.casefold()), "")


def effectiveness_measure(name: str, parameters: Mapping[str, Any], cutoff: int | None) -> Effectiveness | None:
    """Return the measure of ir_measures by this name, parameters and cutoff; None for a name not in ir_measures.

    Raises UsageError for a measure that is not computed, for unknown, missing or excluding parameters and for invalid
    values.
    """
    from ir_measures.measures import registry

    if name not in registry:
        return None
    base = registry[name]
    if base.NAME in WHY_NOT:
        raise UsageError(f"{name} is not computed: {WHY_NOT[base.NAME]}", INSTEAD)
    supported = base.SUPPORTED_PARAMS
    values = {}
    for key, value in parameters.items():
        if key == "cutoff" or key not in supported:
            others = ", ".join(sorted(set(supported) - {"cutoff"})) or "none"
            raise UsageError(f"{name} has no parameter {key!r}", f"It takes {others}, and a cutoff as in {name}@10.")
        values[key] = _checked_value(name, key, value)
    cutoff_used = cutoff is not None and "cutoff" in supported
    if cutoff_used:
        values["cutoff"] = cutoff
    measure = base(**values)
    _check_parameters(name, measure)
    return Effectiveness(measure, cutoff_used)


def _check_parameters(name: str, measure: Any) -> None:
    """Raise UsageError for a missing parameter and for two that exclude each other."""
    needed = [key for key, description in measure.SUPPORTED_PARAMS.items() if description.required]
    needed += ["rel"] if measure.NAME == "RBP" else []  # cwl-eval's; undefined for grades
    missing = [key for key in needed if key not in measure.params]
    if missing == ["cutoff"]:
        raise UsageError(f"{name} has no cutoff", f"Write {name}@10, or give one for all.")
    if missing:
        cutoff_text = "@10" if "cutoff" in measure.SUPPORTED_PARAMS else ""
        raise UsageError(f"{name} needs the parameter {missing[0]!r}", f"Write {name}({missing[0]}=…){cutoff_text}.")
    if measure.NAME == "SDCG" and measure["min_rel"] >= measure["max_rel"]:
        raise UsageError(f"min_rel of {name} is {measure['min_rel']}", f"Use one below max_rel, {measure['max_rel']}.")
    if measure.NAME == "nDCG" and "gains" in measure.params and measure["dcg"] == "exp-log2":
        raise UsageError(
            f"{name} has both gains and dcg='exp-log2'", "Give one of them: each sets the gain of a grade."
        )


def _checked_value(name: str, key: str, value: Any) -> Any:
    """Return the value in the format of ir_measures. Raises UsageError for an invalid one."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    remedy = ""
    if key in _LOWEST and not (whole and _LOWEST[key] <= value <= _HIGHEST):
        remedy = f"Use a whole number from {_LOWEST[key]} to {_HIGHEST:,}."
    elif key in _FLAGS and not isinstance(value, bool):
        remedy = "Use True or False."
    elif key == "dcg" and value not in ("log2", "exp-log2")[: 1 if name == "SDCG" else 2]:
        remedy = "Use 'log2', or for nDCG 'exp-log2'."
    elif key == "gains":
        numbers = [number for pair in value.items() for number in pair] if isinstance(value, dict) else [None]
        if not all(type(number) is int and 0 <= number <= _HIGHEST_GAIN for number in numbers):
            remedy = (
                f"Write them as {{1: 1, 2: 10}}: a grade and what it gains, whole numbers from 0 to {_HIGHEST_GAIN:,}."
            )
    elif key in _RANGES:
        low, high = _RANGES[key]
        if not (whole or isinstance(value, float)) or not low <= value <= high:
            remedy = f"Use a number from {low} to {high}."
        elif key == "recall" and round(value, 2) != value:  # trec_eval would silently round to the nearest hundredth
            remedy = "Use a number with two decimals at most, such as 0.25."
    if remedy:
        raise UsageError(f"{key} of {name} is {value!r}", remedy)
    return float(value) if key in _RANGES else value


def effectiveness(
    rankings: Rankings,
    judged: Mapping[str, Mapping[str, int]],
    measures: Sequence[Effectiveness],
    places: JudgedPlaces | None = None,
    codes: np.ndarray | None = None,
) -> np.ndarray:
    """Return each measure of each ranking: (measures, S, Q).

    Documents are in the order of `rankings`, so ties break as everywhere else. A query without judgements is NaN; a
    judged query that a system lacks is 0. places: the places of the judged documents, if computed before; codes: their
    places in doc_ids, which many orders of the same documents share. Raises FairvizError for judgements outside a
    measure's scale.
    """
    values = np.full((len(measures), *rankings.lengths.shape), np.nan)
    for m, entry in enumerate(measures):
        if entry.measure.NAME in JUDGED_KERNELS:
            places = places or judged_places(rankings, judged, codes=codes)
            values[m] = by_places(places, entry.measure, None if entry.cutoff is None else np.array([entry.cutoff]))[0]
        else:
            values[m] = _query_by_query(rankings, judged, entry, codes)
    return values


def _query_by_query(
    rankings: Rankings, judged: Mapping[str, Mapping[str, int]], entry: Effectiveness, codes: np.ndarray | None
) -> np.ndarray:
    """Return a measure that is computed query by query, (S, Q)."""
    values = np.full(rankings.lengths.shape, np.nan)
    compute = _graded if entry.measure.NAME in KERNELS else _by_pytrec_eval
    queries = [(q, judged[query]) for q, query in enumerate(rankings.queries) if judged.get(query)]
    if codes is None:
        codes = document_places(rankings, [name for _, grades in queries for name in grades])
    ends = np.cumsum([len(grades) for _, grades in queries], dtype=np.int64)
    for (q, grades), judged_codes in zip(queries, np.split(codes, ends[:-1]), strict=False):
        of_query = compute(rankings, q, judged_codes, np.array(list(grades.values()), dtype=np.float64), entry)
        values[:, q] = np.where(rankings.lengths[:, q] > 0, of_query, 0)
    return values


def _graded(rankings: Rankings, query: int, codes: np.ndarray, grades: np.ndarray, entry: Effectiveness) -> np.ndarray:
    """Return the measure of each system's list for a query, (S,), by its grades; codes and grades (J,)."""
    documents = rankings.documents[: entry.depth, :, query]  # (K, S)
    order = np.argsort(codes)
    place = np.minimum(np.searchsorted(codes[order], documents), len(codes) - 1)
    is_judged = (codes[order][place] == documents) & (documents >= 0)
    grades_by_rank = np.where(is_judged, grades[order][place], np.nan)
    lists = JudgedLists(grades_by_rank, rankings.lengths[:, query], grades)
    return KERNELS[entry.measure.NAME](lists, entry.measure, entry.cutoff)


def _by_pytrec_eval(
    rankings: Rankings, query: int, codes: np.ndarray, grades: np.ndarray, entry: Effectiveness
) -> np.ndarray:
    """Return the measure of each system's list for a query, (S,), from pytrec_eval.

    Document ids are the numbers of their places, because C ends an id at a zero byte; grades are 1 for relevant and 0,
    because its tables are as long as the highest grade.
    """
    from ir_measures import pytrec_eval

    rel = entry.measure.params.get("rel", 1)
    names = [str(code) if code >= 0 else f"-{j}" for j, code in enumerate(codes.tolist())]
    binary = np.where(grades >= 0, grades >= rel, grades).astype(int)
    measure = entry.measure(rel=1) if "rel" in entry.measure.params else entry.measure
    evaluator = pytrec_eval.evaluator([measure], {"q": dict(zip(names, binary.tolist(), strict=True))})
    values = np.zeros(len(rankings.systems))
    for system, documents in enumerate(rankings.documents[: entry.depth, :, query].T):
        retrieved = documents[documents >= 0].tolist()
        run = {str(code): float(-rank) for rank, code in enumerate(retrieved)}
        values[system] = next(iter(evaluator.iter_calc({"q": run}))).value if run else 0
    return np.nan_to_num(values, nan=0.0)  # IPrec divides by 0 for a list without judged documents
