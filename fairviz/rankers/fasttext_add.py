"""The GSR paper's ftt_add: w2v_add with fastText's vectors, which are built from the parts of a new word."""

from dataclasses import replace

from fairviz.errors import UsageError
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker
from fairviz.rankers.word_vectors import DEBIAS, EMBEDDING, NOTHING, mean_cosine
from fairviz.words.vectors import NAMES


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    source = parameters["embedding"]
    if source in NAMES:
        raise UsageError(
            f"fasttext_add cannot use {source}, which is not fastText's",
            "Give the path of a fastText .bin or .vec file, or use w2v_add.",
        )
    return mean_cosine(collection, parameters, "fasttext_add")


FASTTEXT_ADD = Ranker(
    name="fasttext_add",
    summary="as w2v_add with fastText's vectors: a .bin file has one for every word",
    prepare=_prepare,
    parameters=(replace(EMBEDDING, default="", required=True, help="the path of a fastText .bin or .vec file"), DEBIAS),
    nothing=NOTHING,
)
