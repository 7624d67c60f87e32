"""The pairs in the order in which they are trained on, and their scores by an encoder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fairviz.mending.losses import Scores

if TYPE_CHECKING:
    import torch

QUERIES = 8  # of a batch
Encode = Callable[[Sequence[str]], "torch.Tensor"]


@dataclass(frozen=True)
class Batch:
    """The texts of some queries (Q), of their pairs (P each) and of the neutral wordings; own: each pair's query by its
    place."""

    queries: list[str]
    female: list[str]
    male: list[str]
    neutral: list[str]
    own: list[int]

    @property
    def texts(self) -> list[str]:
        """All texts, one part after the other."""
        return [*self.queries, *self.female, *self.male, *self.neutral]


def batch_at(step: int, table: pd.DataFrame, queries: dict[str, str], seed: int) -> Batch:
    """What is trained on at a step, counted from 0: the same whether those before it were made in one go or not.

    table: the pairs, as `pairs.Pairs` has them. Every query comes once before any comes again, in another order.
    """
    names = sorted(table["query_id"].unique())
    size = min(QUERIES, len(names))
    wanted = range(step * size, (step + 1) * size)
    chosen = list(dict.fromkeys(_at(place, names, seed) for place in wanted))
    rows = table[table["query_id"].isin(chosen)]
    places = {name: place for place, name in enumerate(chosen)}
    neutral = [text for text in rows["neutral"].tolist() if text]
    own = [places[name] for name in rows["query_id"]]
    return Batch([queries[name] for name in chosen], rows["female"].tolist(), rows["male"].tolist(), neutral, own)


def _at(place: int, names: list[str], seed: int) -> str:
    turn, within = divmod(place, len(names))
    return names[int(np.random.default_rng([seed, turn]).permutation(len(names))[within])]


def scores_of(batch: Batch, vectors: "torch.Tensor", others: "torch.Tensor") -> Scores:
    """The scores of a batch from the unit vectors of its texts, in their order; others (O, n): those of queries whose
    scores stand below its own queries' scores."""
    import torch

    ends = np.cumsum([len(batch.queries), len(batch.female), len(batch.male)]).tolist()
    own, female, male, neutral = vectors.tensor_split(ends)
    queries = torch.cat([own, others])
    return Scores(queries @ female.T, queries @ male.T, queries @ neutral.T)


def encoding(encoder: Any) -> Encode:
    """Texts as unit vectors by a `SentenceTransformer`, through which gradients go."""
    import torch

    def encode(texts: Sequence[str]) -> "torch.Tensor":
        features = encoder.preprocess(list(texts))
        return torch.nn.functional.normalize(encoder(features)["sentence_embedding"], dim=1)

    return encode
