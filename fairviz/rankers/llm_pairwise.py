"""A language model that is asked about each two documents of a short list in both orders, and orders it by wins."""

from itertools import combinations

import numpy as np

from fairviz.rankers.bm25 import BM25
from fairviz.rankers.candidates import top_or_bm25
from fairviz.rankers.pairwise_asking import Pair, compared
from fairviz.rankers.pairwise_prompt import PLAIN, PROMPTS
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker, RankerParameter

NAME = "llm_pairwise"


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    """All pairs of all queries are one piece of work, so that progress counts them together."""
    texts = dict(zip(collection.texts.names.tolist(), collection.texts.texts, strict=True))
    asked = dict(zip(collection.study.queries["query_id"], collection.study.queries["text"], strict=True))
    lists = {
        query: [name for name in names if name in texts]
        for query, names in top_or_bm25(collection, NAME, parameters["run"], int(parameters["n"])).items()
        if asked.get(query, "").strip()
    }
    places = [(query, one, other) for query, names in lists.items() for one, other in combinations(names, 2)]
    pairs = [Pair(asked[query], texts[one], texts[other]) for query, one, other in places]
    wins = np.nan_to_num(compared(pairs, parameters, collection.encoding).wins, nan=0.5).sum(axis=1)
    scores = {query: _by_place(names) for query, names in lists.items()}
    for (query, one, other), won in zip(places, wins.tolist(), strict=True):
        scores[query][one] += won
        scores[query][other] += 2 - won

    def found(query: Query) -> Found:
        held = scores.get(query.query_id, {})
        return Found(np.array([*held], dtype=object), np.array([*held.values()], dtype=np.float64))

    return found


def _by_place(names: list[str]) -> dict[str, float]:
    """Less than half a win for each document, more for those before: equal wins stand as the list has them."""
    return {name: 0.5 * (len(names) - place) / (len(names) + 1) for place, name in enumerate(names)}


LLM_PAIRWISE = Ranker(
    name=NAME,
    summary="a language model, asked which of each two of a list's first n documents is more relevant, in both orders",
    prepare=_prepare,
    parameters=(
        RankerParameter(
            "model", "", help="as its server calls it, smollm2 (extra llm), or the path of a .gguf file", required=True
        ),
        RankerParameter("url", "", help="the server's address, or openai (empty: FAIRVIZ_BASE_URL)", named=False),
        RankerParameter(
            "prompt", PLAIN, help=f"{', '.join(PROMPTS)}, or the path of a file with {{query}}, {{first}}, {{second}}"
        ),
        RankerParameter("run", BM25.name, help="the run whose top is compared; bm25 is made where there is none"),
        RankerParameter("n", 5.0, 2.0, 100.0, "how many documents of each list are compared", whole=True),
        RankerParameter("words", 300.0, 1.0, 10_000.0, "of each document, how many it is shown", whole=True),
        RankerParameter("logprobs", 1.0, 0.0, 1.0, "whether log-probabilities are asked for too", whole=True),
    ),
    needs=("queries", "documents", "runs"),
    nothing="have no document to compare",
)
