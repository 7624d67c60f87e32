"""Which queries a bench counts: those that nothing was trained on."""

from collections.abc import Sequence

import numpy as np

from fairviz.audits.mitigations import Mitigation
from fairviz.study.study import Study

LEAST = 10  # queries; fewer are not split


def held_out_queries(
    study: Study, queries: Sequence[str], found: Sequence[Mitigation], share: float, seed: int
) -> tuple[tuple[str, ...], list[str]]:
    """The queries that count, in their order, and what to say of them.

    A share of the queries, drawn by the seed, queries of one text together; all of them where there are fewer than ten.
    """
    if share >= 1 or len(queries) < LEAST:
        few = "" if share >= 1 else f" Fewer than {LEAST} are not split."
        return tuple(queries), [f"All {len(queries):,} queries count.{few}"]
    written = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    texts = {name: " ".join(str(written.get(name, name)).lower().split()) for name in queries}
    different = sorted(set(texts.values()))
    order = np.random.default_rng(seed).permutation(len(different))
    kept = {different[place] for place in order[: max(2, round(share * len(different)))]}
    held = tuple(name for name in queries if texts[name] in kept)
    return held, [f"{len(held):,} of {len(queries):,} queries are held out and count, drawn by the seed {seed}."]
