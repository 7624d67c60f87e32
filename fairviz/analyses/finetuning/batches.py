"""Training batches of pairs in their order, and their scores by an encoder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from fairviz.analyses.finetuning.losses import Scores

if TYPE_CHECKING:
    import torch

QUERIES = 8  # of a batch
Encode = Callable[[Sequence[str]], "torch.Tensor"]


@dataclass(frozen=True)
class Batch:
    """The texts of Q queries, of their P pairs and of the neutral wordings; own: the index of each pair's query."""

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
    """Return the batch of a step, from 0; it does not depend on earlier steps.

    table: the pairs: see `pairs.Pairs`. Every query is used once per epoch, each epoch in another order.
    """
    names = sorted(table["query_id"].unique())
    size = min(QUERIES, len(names))
    positions = range(step * size, (step + 1) * size)
    query_ids = list(dict.fromkeys(_query_at(place, names, seed) for place in positions))
    rows = table[table["query_id"].isin(query_ids)]
    places = {name: place for place, name in enumerate(query_ids)}
    neutral = [text for text in rows["neutral"].tolist() if text]
    query_indices = [places[name] for name in rows["query_id"]]
    return Batch(
        [queries[name] for name in query_ids], rows["female"].tolist(), rows["male"].tolist(), neutral, query_indices
    )


def _query_at(place: int, names: list[str], seed: int) -> str:
    turn, within = divmod(place, len(names))
    return names[int(np.random.default_rng([seed, turn]).permutation(len(names))[within])]


def scores_of(batch: Batch, vectors: "torch.Tensor", others: "torch.Tensor") -> Scores:
    """Return the scores of a batch from the unit vectors of its texts; others (O, n): vectors of further queries,
    whose scores are appended to those of its own queries.
    """
    import torch

    ends = np.cumsum([len(batch.queries), len(batch.female), len(batch.male)]).tolist()
    query_part, female, male, neutral = vectors.tensor_split(ends)
    queries = torch.cat([query_part, others])
    return Scores(queries @ female.T, queries @ male.T, queries @ neutral.T)


def make_encode(encoder: Any) -> Encode:
    """Return a function from texts to unit vectors with gradients, by a `SentenceTransformer`."""
    import torch

    def encode(texts: Sequence[str]) -> "torch.Tensor":
        features = encoder.preprocess(list(texts))
        return torch.nn.functional.normalize(encoder(features)["sentence_embedding"], dim=1)

    return encode
