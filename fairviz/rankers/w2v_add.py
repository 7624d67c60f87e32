"""The GSR paper's w2v_add: the cosine of the mean word vectors of query and document."""

from fairviz.rankers.record import Collection, Lister, Parameters, Ranker
from fairviz.rankers.word_vectors import DEBIAS, EMBEDDING, NOTHING, mean_cosine


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    return mean_cosine(collection, parameters, "w2v_add")


W2V_ADD = Ranker(
    name="w2v_add",
    summary="cosine of the mean word vectors of query and document (stop words out, no stemming)",
    prepare=_prepare,
    parameters=(EMBEDDING, DEBIAS),
    nothing=NOTHING,
)
