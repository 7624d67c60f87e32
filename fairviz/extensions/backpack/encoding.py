"""Texts as one vector for each sense, cached on disk: a text's vector is their weighted sum; the ranker `backpack` by
the cosine of these vectors."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from fairviz.errors import FairvizError, UsageError
from fairviz.extensions.backpack.corpus import LONGEST, Reading, reader
from fairviz.extensions.backpack.loading import Backpack, loaded
from fairviz.extensions.backpack.network import text_senses
from fairviz.extensions.backpack.words import GRADED, HIGHEST, POLICIES, SENSITIVE, Sensitivity, policy, sensitivities
from fairviz.models.sentence_encoder import MINILM, Encode, encoded, located, unread
from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker
from fairviz.words.vectors import unit

_BATCH = 256  # texts tokenised at once
WEIGHT, COUNT = 1.0, 2.0
LONG = f"Texts here are longer than {LONGEST} WordPieces: backpack reads their beginning, as MiniLM does."


def sense_vectors(texts: Sequence[str], model: Backpack, progress: Callable[[int, int], None]) -> np.ndarray:
    """Return each sense's part of each text's vector, (N, L, d) float32, from the cache where possible.

    A text is cut after 254 WordPieces, as in MiniLM. A text without a WordPiece is 0.
    """

    def load() -> Encode:
        read = reader()
        return lambda batch: _encode(read(batch), model)

    if not texts:
        return np.zeros((0, model.senses, model.size), dtype=np.float32)
    vectors = encoded(texts, located(MINILM), f"backpack-{model.key}", load, progress)
    return vectors.reshape(len(texts), model.senses, model.size)


def _encode(reading: Reading, model: Backpack) -> np.ndarray:
    """Return each sense's part of each text's vector, the senses of a text in one row, (B, L · d)."""
    import torch

    with torch.inference_mode():
        rows, tokens = torch.unique(reading.tokens, return_inverse=True)
        senses = text_senses(model.weights, tokens, model.vectors[rows], reading.states, reading.mask)
    return senses.reshape(len(senses), -1).numpy()


def cut_off(texts: Sequence[str], model: Backpack) -> Iterator[str]:
    """Yield the texts with more WordPieces than MiniLM reads, which are cut."""
    for start in range(0, len(texts), _BATCH):
        batch = list(texts[start : start + _BATCH])
        encodings = model.tokenizer.encode_batch(batch, add_special_tokens=False)
        yield from (text for text, pieces in zip(batch, encodings, strict=True) if len(pieces) > LONGEST)


def text_vectors(senses: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the texts' vectors under weights M of the senses: Σ_ℓ M(ℓ) · part ℓ, (N, d) from (N, L, d) and (L,);
    equation 5.

    With every weight 1 it is exactly the sum over the senses.
    """
    total = np.zeros((len(senses), senses.shape[2]), dtype=senses.dtype)
    for place, weight in enumerate(weights):
        total += senses.dtype.type(weight) * senses[:, place]
    return total


@lru_cache(maxsize=8)
def own_sensitivity(model: Backpack) -> Sensitivity:
    """Return the sensitivity of the model's senses over the packaged pairs, which the ranker uses."""
    return sensitivities(model)


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    """Encode queries with the documents, as one job. An empty text is not a query."""
    model = loaded(parameters["model"])
    weights = policy(parameters["policy"], own_sensitivity(model), int(parameters["senses"]), parameters["weight"])
    _refuse_unused(parameters)
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
    of_queries = zip(queries, vectors[len(texts.texts) :], strict=True)
    return texts.by_product(documents, has_vector, {text: vector for text, vector in of_queries if vector.any()})


def _unread(texts: Sequence[str], wordings: Sequence[str], parameters: Parameters) -> list[str]:
    """Return the texts that the model has not read yet; see `fairviz.rankers.record.Ranker`."""
    return unread(texts, located(MINILM), f"backpack-{loaded(str(parameters['model'])).key}")


def _refuse_unused(parameters: Parameters) -> None:
    """Raise UsageError for a parameter that the policy does not use."""
    name, defaults = parameters["policy"], {"weight": WEIGHT, "senses": COUNT}
    unused = ["weight", "senses"] if name not in POLICIES else ["senses"] if name == GRADED else []
    for parameter in unused:
        if parameters[parameter] != defaults[parameter]:
            subject = f"the policy {name}" if name in POLICIES else "a policy of weights that are written out"
            noun = "number of senses" if parameter == "senses" else parameter
            raise UsageError(f"backpack: {subject} takes no {noun}", f"Leave {parameter} out.")


BACKPACK = Ranker(
    name="backpack",
    summary="cosine of a Backpack's vectors of query and document, sums over the senses of their words, in which the "
    "senses that carry most gender count by the weight",
    prepare=_prepare,
    unread=_unread,
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
