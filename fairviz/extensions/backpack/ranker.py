"""The record of the ranker `backpack`; see `fairviz.rankers.record`."""

from collections.abc import Sequence

from fairviz.extensions.backpack.declared import COUNT, HIGHEST, POLICIES, SENSITIVE, WEIGHT
from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    from fairviz.extensions.backpack.encoding import prepare

    return prepare(collection, parameters)


def _unread(texts: Sequence[str], wordings: Sequence[str], parameters: Parameters) -> Sequence[str] | None:
    from fairviz.extensions.backpack.encoding import unread_texts

    return unread_texts(texts, wordings, parameters)


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
