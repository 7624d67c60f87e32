"""The ranker `backpack`: cosine of query and document as weighted sums of sense vectors."""

from functools import lru_cache

import numpy as np

from fairviz.errors import FairvizError, UsageError
from fairviz.parameters import Parameter
from fairviz.rankers.backpack.encoding import cut_off, sense_vectors, text_vectors
from fairviz.rankers.backpack.loading import Backpack, loaded
from fairviz.rankers.backpack.sensitivity import (
    GRADED,
    HIGHEST,
    POLICIES,
    SENSITIVE,
    Sensitivity,
    policy,
    sensitivities,
)
from fairviz.rankers.backpack.teacher import LONGEST
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker
from fairviz.words.vectors import unit


@lru_cache(maxsize=8)
def own_sensitivity(model: Backpack) -> Sensitivity:
    """Return the sensitivity of the model's senses over the packaged pairs, which the ranker uses."""
    return sensitivities(model)


WEIGHT, COUNT = 1.0, 2.0
LONG = f"Texts here are longer than {LONGEST} WordPieces: backpack reads their beginning, as MiniLM does."


def _weights(parameters: Parameters, scores: Sensitivity) -> np.ndarray:
    """Return the weight of each sense (L,). Raises UsageError for a parameter that the policy does not use; for other
    errors see `policy`."""
    name, defaults = parameters["policy"], {"weight": WEIGHT, "senses": COUNT}
    weights = policy(name, scores, int(parameters["senses"]), parameters["weight"])
    unused = ["weight", "senses"] if name not in POLICIES else ["senses"] if name == GRADED else []
    for parameter in unused:
        if parameters[parameter] != defaults[parameter]:
            subject = f"the policy {name}" if name in POLICIES else "a policy of weights that are written out"
            noun = "number of senses" if parameter == "senses" else parameter
            raise UsageError(f"backpack: {subject} takes no {noun}", f"Leave {parameter} out.")
    return weights


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    """Encode queries with the documents, as one job. An empty text is not a query."""
    model = loaded(parameters["model"])
    weights = _weights(parameters, own_sensitivity(model))
    texts = collection.texts
    queries = [text for text in dict.fromkeys(collection.study.queries["text"]) if text.strip()]
    senses = sense_vectors([*texts.texts, *queries], model, collection.encoding)
    if any(True for _ in cut_off([*texts.texts, *queries], model)):
        collection.say(LONG)
    vectors = unit(text_vectors(senses, weights))
    if not np.isfinite(vectors).all():
        raise FairvizError("the Backpack gives vectors that are not finite", "Use another model.")
    documents = vectors[: len(texts.texts)]
    has_vector = np.asarray(documents.any(axis=1))
    vectors_by_query = dict(zip(queries, vectors[len(texts.texts) :], strict=True))

    def find(query: Query) -> Found:
        vector = vectors_by_query.get(query.text)
        if vector is None or not vector.any():
            return texts.scored(np.zeros(len(has_vector)), np.zeros_like(has_vector))
        return texts.scored(documents @ vector, has_vector)

    return find


BACKPACK = Ranker(
    name="backpack",
    summary="cosine of a Backpack's vectors of query and document, sums over the senses of their words, in which the "
    "senses that carry most gender count by the weight",
    prepare=_prepare,
    parameters=(
        Parameter("weight", WEIGHT, "of the senses that carry most gender: 1 is the model as it is", 0.0, HIGHEST),
        Parameter("senses", COUNT, "how many senses get the weight", 1.0, 64.0, whole=True),
        Parameter(
            "policy", SENSITIVE, help=f"which senses get it: {', '.join(POLICIES)}; or a weight a sense: '1 1 0.5 …'"
        ),
        Parameter("model", "", help="one of `fairviz train-backpack`, or a folder; empty: the packaged one"),
    ),
    nothing="are empty or have no word in the model's vocabulary",
    mitigates=("weight", "policy"),
    extent=("senses",),
    bench=("weight=0",),
    layer="models",
)
