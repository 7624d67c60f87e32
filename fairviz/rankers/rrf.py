"""Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009) of other runs."""

from collections import defaultdict

import numpy as np

from fairviz.errors import FairvizError, UsageError
from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Found, Lister, Parameters, Query, Ranker
from fairviz.study.record import EDITED
from fairviz.study.tables import ranked

LEFT_OUT = ("rrf", "perfect", "random")
REORDERED = (
    "neutral",
    "balanced",
    "detconstsort",
    "oracle",
)  # of another run, which would count twice; also an edited one


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    """Score by Σ over the runs that have the document of 1 / (k + its rank there)."""
    systems = _systems(collection, parameters["runs"])
    lists = ranked(collection.runs[collection.runs["system"].isin(systems)])
    points: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    columns = (lists[name].tolist() for name in ("query_id", "doc_id", "rank"))
    for query_id, document, rank in zip(*columns, strict=True):
        points[query_id][document] += 1 / (parameters["k"] + rank)
    collection.say(f"rrf: fused {', '.join(systems)}.")

    def find(query: Query) -> Found:
        fused = points.get(query.query_id, {})
        return Found(np.array(list(fused), dtype=object), np.array(list(fused.values()), dtype=float))

    return find


def _systems(collection: Collection, names: str) -> list[str]:
    """Return the runs to fuse: the names joined by +, or by default every search. Raises FairvizError."""
    systems = [str(system) for system in collection.runs["system"].cat.categories]
    if not names:
        fused = [system for system in systems if _is_search(system)]
        if not fused:
            raise FairvizError(
                f"rrf fuses other runs, and {collection.study.name} has none",
                "Name rankers before it, such as --with bm25,tfidf,rrf.",
            )
        return fused
    fused = [name.strip() for name in names.split("+")]
    missing = [name for name in fused if name not in systems]
    if missing:
        raise UsageError(
            f"{collection.study.name} has no run {missing[0]!r} for rrf",
            f"Its runs are {', '.join(systems) or 'none'}.",
        )
    return fused


def _is_search(system: str) -> bool:
    name = system.split("-")[0]
    is_reordered = EDITED in system or (name in REORDERED and "-run=" in system)
    return name not in LEFT_OUT and not is_reordered


RRF = Ranker(
    name="rrf",
    summary="reciprocal rank fusion of the study's other runs and of those made before it in the same command "
    "(without rrf, perfect, random and what reorders a run), or of those named",
    prepare=_prepare,
    parameters=(
        Parameter("k", 60.0, "how little the top ranks stand out", 0.0, 1e6),
        Parameter("runs", "", help="names of runs joined by +, such as 'bm25+tfidf'; empty for all others"),
    ),
    needs=("runs",),
    nothing="are in none of the fused runs",
)
