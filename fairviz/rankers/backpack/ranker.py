"""Query and document as sums of sense vectors, some of which are turned down or up; compared by their cosine."""

from functools import lru_cache

import numpy as np

from fairviz.errors import FairvizError, UsageError
from fairviz.rankers.backpack.encoding import cut_off, sense_vectors, text_vectors, unit
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
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker, RankerParameter


@lru_cache(maxsize=8)
def own_sensitivity(model: Backpack) -> Sensitivity:
    """The sensitivity of the model's senses over the packaged pairs, which the ranker goes by."""
    return sensitivities(model)


WEIGHT, COUNT = 1.0, 2.0
LONG = f"Texts here are longer than {LONGEST} WordPieces: backpack reads their beginning, as MiniLM does."


def _weights(parameters: Parameters, scores: Sensitivity) -> np.ndarray:
    """The weight of each sense (L,). Raises UsageError as `policy`, and for a parameter that the policy has no use
    for."""
    name, held = parameters["policy"], {"weight": parameters["weight"], "senses": parameters["senses"]}
    found = policy(name, scores, int(held["senses"]), held["weight"])
    idle = ["weight", "senses"] if name not in POLICIES else ["senses"] if name == GRADED else []
    for given in idle:
        if held[given] != {"weight": WEIGHT, "senses": COUNT}[given]:
            which = f"the policy {name}" if name in POLICIES else "a policy of weights that are written out"
            what = "number of senses" if given == "senses" else given
            raise UsageError(f"backpack: {which} takes no {what}", f"Leave {given} out.")
    return found


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    """Queries are encoded with the documents, so that the whole is one piece of work. An empty text is no query."""
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
    held = np.asarray(documents.any(axis=1))
    asked = dict(zip(queries, vectors[len(texts.texts) :], strict=True))

    def found(query: Query) -> Found:
        vector = asked.get(query.text)
        if vector is None or not vector.any():
            return texts.scored(np.zeros(len(held)), np.zeros_like(held))
        return texts.scored(documents @ vector, held)

    return found


BACKPACK = Ranker(
    name="backpack",
    summary="cosine of a Backpack's vectors of query and document, sums over the senses of their words, in which the "
    "senses that carry most gender count by the weight",
    prepare=_prepare,
    parameters=(
        RankerParameter(
            "weight", WEIGHT, 0.0, HIGHEST, "of the senses that carry most gender: 1 is the model as it is"
        ),
        RankerParameter("senses", COUNT, 1.0, 64.0, "how many senses get the weight", whole=True),
        RankerParameter(
            "policy", SENSITIVE, help=f"which senses get it: {', '.join(POLICIES)}; or a weight a sense: '1 1 0.5 …'"
        ),
        RankerParameter("model", "", help="one of `fairviz train-backpack`, or a folder; empty: the packaged one"),
    ),
    nothing="are empty or hold no word that the model knows",
)
