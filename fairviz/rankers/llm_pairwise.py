"""The ranker `llm_pairwise`: a language model compares all pairs of a short list in both orders; sorted by wins."""

from itertools import combinations

import numpy as np

from fairviz.parameters import Parameter
from fairviz.rankers.candidates import texts_of_top
from fairviz.rankers.lexical import BM25
from fairviz.rankers.pairwise_asking import Pair, compared
from fairviz.rankers.pairwise_prompt import PLAIN, PROMPTS
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker, list_scores

NAME = "llm_pairwise"


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    """Compare all pairs of all queries as one job, so that progress counts them together."""
    texts = collection.texts.by_name
    query_texts, lists = texts_of_top(collection, NAME, parameters["run"], int(parameters["n"]))
    names_of_pairs = [(query, *pair) for query, names in lists.items() for pair in combinations(names, 2)]
    pairs = [Pair(query_texts[query], texts[first], texts[second]) for query, first, second in names_of_pairs]
    wins = np.nan_to_num(compared(pairs, parameters, collection.encoding).wins, nan=0.5).sum(axis=1)
    scores = {  # less than half a win for each, falling along the list, so that tied wins keep its order
        query: {name: 0.5 * (len(names) - place) / (len(names) + 1) for place, name in enumerate(names)}
        for query, names in lists.items()
    }
    for (query, first, second), win_count in zip(names_of_pairs, wins.tolist(), strict=True):
        scores[query][first] += win_count
        scores[query][second] += 2 - win_count
    return list_scores(scores)


LLM_PAIRWISE = Ranker(
    name=NAME,
    summary="a language model that compares the first n documents of a list for relevance, two by two, in both orders",
    prepare=_prepare,
    parameters=(
        Parameter(
            "model", "", help="as its server calls it, smollm2 (extra llm), or the path of a .gguf file", required=True
        ),
        Parameter("url", "", help="the server's address, or openai (empty: FAIRVIZ_BASE_URL)", named=False),
        Parameter(
            "prompt", PLAIN, help=f"{', '.join(PROMPTS)}, or the path of a file with {{query}}, {{first}}, {{second}}"
        ),
        Parameter("run", BM25.name, help="the run whose top is compared; bm25 is made where there is none"),
        Parameter("n", 5.0, "how many documents of each list are compared", 2.0, 100.0, whole=True),
        Parameter("words", 300.0, "of each document, how many it is shown", 1.0, 10_000.0, whole=True),
        Parameter("logprobs", 1.0, "1 to request log-probabilities too, 0 not to", 0.0, 1.0, whole=True),
    ),
    needs=("queries", "documents", "runs"),
    nothing="have no document to compare",
)
