"""Runs reordered towards the genders' target exposures at a bounded loss; `oracle` measures the loss by qrels."""

from collections.abc import Callable

import numpy as np

from fairviz.measures.rankings import relevance_by_query
from fairviz.parameters import Parameter
from fairviz.rankers.balancing import Balance, balanced_order, discounts
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker
from fairviz.rankers.reordering import (
    ANNOTATOR,
    BIAS,
    CUTOFF,
    NOTHING,
    RUN,
    InputList,
    bias_of,
    lists_of,
    reordered,
    report_unlabelled,
    with_labels,
)

Array = np.ndarray
Gains = Callable[[InputList], Array]
LOSS = Parameter("loss", 0.05, "the share of each list's discounted gain within k that may be lost", 0.0, 1.0)
GAIN = Parameter(
    "gain",
    "rank",
    "what a document is worth: rank, 1/log2(1 + its rank in the run); or score, the run's own",
    choices=("rank", "score"),
)


def _prepare(collection: Collection, parameters: Parameters) -> Lister:

    def gains(input_list: InputList) -> Array:
        return discounts(len(input_list)) if parameters["gain"] == "rank" else input_list.shares

    return _balanced(collection, "balanced", parameters, gains)


def _prepare_oracle(collection: Collection, parameters: Parameters) -> Lister:
    relevance = relevance_by_query(collection.study.qrels)

    def gains(input_list: InputList) -> Array:
        grades = relevance.get(input_list.query_id, {})
        return np.array([max(grades.get(str(name), 0), 0) for name in input_list.names], dtype=np.float64)

    return _balanced(collection, "oracle", parameters, gains)


def _balanced(collection: Collection, ranker: str, parameters: Parameters, gains: Gains) -> Lister:
    study, cutoff = collection.study, int(parameters["k"])
    lists = with_labels(lists_of(collection, ranker, parameters["run"]), study, parameters["annotator"])
    weights = bias_of(ranker, parameters).weights(cutoff)
    report_unlabelled(collection, ranker, lists, cutoff)
    codes, targets = lists.places.labels.codes, lists.places.targets

    def reorder(input_list: InputList) -> Array:
        return balanced_order(
            Balance(
                codes[input_list.documents], gains(input_list), weights, discounts(cutoff), targets, parameters["loss"]
            )
        )

    return reordered(lists, reorder)


BALANCED = Ranker(
    name="balanced",
    summary="another run reordered to give each gender its target's attention, by greedy swaps within k of bounded "
    "loss in the run's own discounted gain; sees labels, no judgements",
    prepare=_prepare,
    parameters=(RUN, LOSS, CUTOFF, GAIN, BIAS, ANNOTATOR),
    needs=("runs", "labels"),
    nothing=NOTHING,
    bench=("",),
)
ORACLE = Ranker(
    name="oracle",
    summary="as balanced, but the loss is of nDCG: it sees the judgements, and shows what balance costs at the least a "
    "greedy search finds",
    prepare=_prepare_oracle,
    parameters=(RUN, LOSS, CUTOFF, BIAS, ANNOTATOR),
    needs=("runs", "labels", "qrels"),
    nothing=NOTHING,
)
