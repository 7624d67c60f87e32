"""The ranker `cross_encoder`: a model that reads query and document together and reranks the top of another run."""

from functools import partial
from pathlib import Path

import numpy as np

from fairviz.errors import FairvizError
from fairviz.models.encodings import Encode, encoded
from fairviz.models.sentence_encoder import loaded, located
from fairviz.parameters import Parameter
from fairviz.rankers.candidates import top_of_run
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker, list_scores

_SEPARATOR = "\x1f"


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    model = located(parameters["model"])
    top = top_of_run(collection, "cross_encoder", parameters["run"], int(parameters["n"]))
    texts = collection.texts.by_name
    query_texts = dict(zip(collection.study.queries["query_id"], collection.study.queries["text"], strict=True))
    pairs = [(query, name) for query, names in top.items() if query in query_texts for name in names if name in texts]

    joined_pairs = [query_texts[query].replace(_SEPARATOR, " ") + _SEPARATOR + texts[name] for query, name in pairs]
    scores = encoded(joined_pairs, model, "cross", partial(_load, model), collection.encoding).reshape(-1)
    if not np.isfinite(scores).all():
        raise FairvizError(f"the model {model} gives scores that are not finite", "Use another model.")
    scores_by_query: dict[str, dict[str, float]] = {}
    for (query_id, name), score in zip(pairs, scores.tolist(), strict=True):
        scores_by_query.setdefault(query_id, {})[name] = score
    return list_scores(scores_by_query)


def _load(model: str | Path) -> Encode:
    """Return a function from pairs, each joined as one text, to their scores. Raises FairvizError for a model without
    a single score."""
    encoder = loaded("CrossEncoder", model)
    labels = encoder.config.num_labels
    if labels != 1:
        raise FairvizError(
            f"the model {model} gives {labels} numbers for a pair, not one score",
            "Use a cross-encoder that was trained to rank.",
        )
    return lambda batch: encoder.predict(
        [tuple(pair.split(_SEPARATOR, 1)) for pair in batch], batch_size=len(batch), show_progress_bar=False
    ).reshape(-1, 1)


CROSS_ENCODER = Ranker(
    name="cross_encoder",
    summary="a model that reads query and document together, over the top n of another run",
    prepare=_prepare,
    parameters=(
        Parameter("model", "", help="the name or path of a CrossEncoder of sentence-transformers", required=True),
        Parameter("run", "bm25", help="the run whose top it reorders"),
        Parameter("n", 100.0, "how many documents of each list it reads", 1.0, 10_000.0, whole=True),
    ),
    needs=("queries", "documents", "runs"),
    nothing="have no document with text in that run",
    layer="models",
)
