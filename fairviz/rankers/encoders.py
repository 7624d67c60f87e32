"""The rankers `bi_encoder` and `cross_encoder`, which read texts with a sentence encoder."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from fairviz.errors import FairvizError
from fairviz.models.sentence_encoder import MINILM, Encode, encoded, loaded, located, sentence_vectors, unread
from fairviz.parameters import Parameter
from fairviz.rankers.lexical import top_of_run
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker, list_scores
from fairviz.words.counterparts import packaged, swap_words
from fairviz.words.vectors import unit

MOST_PAIRS = 1000  # more pairs hardly change the first directions, and each costs an encoding
MOST_DIRECTIONS = 100
_NONE = 1e-6  # a direction along which the pairs differ by no more than rounding
_SEPARATOR = "\x1f"


def _prepare_bi_encoder(
    collection: Collection, parameters: Parameters, learnt_from: Sequence[str] | None = None
) -> Lister:
    """Encode queries with the documents, as one job. An empty text is not a query.

    learnt_from: the texts for directions of gender (default: the collection's).
    """
    texts, model, adapter = collection.texts, parameters["model"], parameters["adapter"]
    number, keep = int(parameters["project"]), parameters["keep"]
    queries = [text for text in dict.fromkeys(collection.study.queries["text"]) if text.strip()]
    encoded_texts = [*texts.texts, *queries]
    if number:
        pairs = counterparts_of_texts(texts.texts if learnt_from is None else learnt_from)
        wordings = [text for pair in pairs for text in pair]
        vectors = sentence_vectors([*encoded_texts, *wordings], model, collection.encoding, adapter)
        first, second = vectors[len(encoded_texts) :: 2], vectors[len(encoded_texts) + 1 :: 2]
        gender = directions_of(first - second, number, collection.study.name)
        collection.say(
            f"bi_encoder: {number:,} directions of gender from {gender.pairs:,} documents in both wordings hold "
            f"{gender.share:.0%} of what these differ by; the share {keep:g} of them is kept."
        )
        vectors = without(vectors[: len(encoded_texts)], gender.vectors, keep)
    else:
        if keep:
            collection.say(f"bi_encoder: keep={keep:g} does nothing without project.")
        vectors = sentence_vectors(encoded_texts, model, collection.encoding, adapter)

    documents = vectors[: len(texts.texts)]
    vectors_by_query = dict(zip(queries, vectors[len(texts.texts) :], strict=True))
    has_text = np.array([bool(text.strip()) for text in texts.texts])
    return texts.by_product(documents, has_text, vectors_by_query)


def _unread(texts: Sequence[str], wordings: Sequence[str], parameters: Parameters) -> list[str] | None:
    """Return the texts that MiniLM has not read yet; None for another model."""
    if parameters["model"] != MINILM or parameters["adapter"]:
        return None
    return unread([*texts, *(wordings if parameters["project"] else ())], located(MINILM), "bi")


BI_ENCODER = Ranker(
    name="bi_encoder",
    summary="cosine of a sentence encoder's vectors of query and document",
    prepare=_prepare_bi_encoder,
    unread=_unread,
    parameters=(
        Parameter("model", MINILM, help="minilm (all-MiniLM-L6-v2, installed), or any other's name or path"),
        Parameter(
            "project", 0.0, "how many directions of gender to take out of all vectors", 0.0, MOST_DIRECTIONS, whole=True
        ),
        Parameter("keep", 0.0, "the share of these directions that is kept", 0.0, 1.0),
        Parameter("adapter", "", help="the name or folder of what `fairviz finetuning` trained"),
    ),
    nothing="are empty",
    mitigates=("project", "adapter"),
    extent=("keep",),
    bench=("project=3,keep=0.5",),
    layer="models",
)


def learning_from(texts: Sequence[str]) -> Ranker:
    """Return the ranker with directions of gender from these texts only, such as those of training queries."""
    return replace(BI_ENCODER, prepare=partial(_prepare_bi_encoder, learnt_from=tuple(texts)))


# Directions of gender in sentence vectors, and their removal.
#
# The pairs are the study's documents and their copies with every gender word and first name replaced by its
# counterpart. Labels and judgements are not used, so that an evaluation by them is independent of the directions.


@dataclass(frozen=True, eq=False)
class Directions:
    """Unit vectors (p, n), by falling difference of the pairs. share: of the pairs' squared differences along all p;
    pairs: their number."""

    vectors: np.ndarray
    share: float
    pairs: int


def counterparts_of_texts(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return texts and their gender-swapped copies, of texts that change; at most MOST_PAIRS, drawn evenly.

    >>> counterparts_of_texts(["a woman", "a town"])
    [('a woman', 'a man')]
    """
    counterparts = packaged()
    pairs: list[tuple[str, str]] = []
    for place in np.random.default_rng(0).permutation(len(texts)).tolist():
        copy = swap_words(texts[place], counterparts)
        if copy != texts[place]:
            pairs.append((texts[place], copy))
        if len(pairs) == MOST_PAIRS:
            break
    return pairs


def directions_of(differences: np.ndarray, number: int, study: str) -> Directions:
    """Return the principal directions of differences between two wordings, (N, n). Raises FairvizError for too few.

    Each pair is centred on its own mean, as in Bolukbasi and others, so that the sign of a difference does not count
    and the mean difference is part of the first directions.
    """
    _, sizes, rows = (
        np.linalg.svd(differences, full_matrices=False) if differences.size else (None, np.zeros(0), np.zeros((0, 0)))
    )
    rank = int((sizes > _NONE * max(float(sizes.max(initial=0)), _NONE)).sum())
    if rank < number:
        raise FairvizError(
            f"{study} has {len(differences):,} documents that differ from their wording for the other gender, along "
            f"{rank:,} directions: {number:,} cannot be taken out",
            f"Use project={rank} or less." if rank else "Use project=0: its texts contain no gender word.",
        )
    return Directions(
        rows[:number].astype(np.float32), float((sizes[:number] ** 2).sum() / (sizes**2).sum()), len(differences)
    )


def without(vectors: np.ndarray, directions: np.ndarray, keep: float) -> np.ndarray:
    """Return unit vectors (N, n) with only the share `keep` left along the directions (p, n), rescaled to length 1; a
    zero stays zero.

    >>> without(np.array([[0.6, 0.8]]), np.array([[1.0, 0.0]]), 0.0).tolist()
    [[0.0, 1.0]]
    """
    return unit(vectors - (1 - keep) * (vectors @ directions.T) @ directions)


def _prepare_cross_encoder(collection: Collection, parameters: Parameters) -> Lister:
    model = located(parameters["model"])
    top = top_of_run(collection, "cross_encoder", parameters["run"], int(parameters["n"]))
    texts = collection.texts.by_name
    query_texts = dict(zip(collection.study.queries["query_id"], collection.study.queries["text"], strict=True))
    pairs = [(query, name) for query, names in top.items() if query in query_texts for name in names if name in texts]

    joined_pairs = [query_texts[query].replace(_SEPARATOR, " ") + _SEPARATOR + texts[name] for query, name in pairs]
    scores = encoded(joined_pairs, model, "cross", partial(_load_cross_encoder, model), collection.encoding).reshape(-1)
    if not np.isfinite(scores).all():
        raise FairvizError(f"the model {model} gives scores that are not finite", "Use another model.")
    scores_by_query: dict[str, dict[str, float]] = {}
    for (query_id, name), score in zip(pairs, scores.tolist(), strict=True):
        scores_by_query.setdefault(query_id, {})[name] = score
    return list_scores(scores_by_query)


def _load_cross_encoder(model: str | Path) -> Encode:
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
    prepare=_prepare_cross_encoder,
    parameters=(
        Parameter("model", "", help="the name or path of a CrossEncoder of sentence-transformers", required=True),
        Parameter("run", "bm25", help="the run whose top it reorders"),
        Parameter("n", 100.0, "how many documents of each list it reads", 1.0, 10_000.0, whole=True),
    ),
    needs=("queries", "documents", "runs"),
    nothing="have no document with text in that run",
    layer="models",
)
