"""Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009) of other runs."""

import re
from collections import defaultdict

from fairviz.errors import FairvizError, UsageError
from fairviz.parameters import Parameter
from fairviz.rankers.record import Collection, Lister, Parameters, Ranker, list_scores
from fairviz.study.record import EDITED
from fairviz.study.tables import ranked

LEFT_OUT = ("rrf", "perfect", "random")
_REORDERED = re.compile(r"[^-]+-run=")  # a re-ranker's run: the one that it reorders would count twice


def _prepare(collection: Collection, parameters: Parameters) -> Lister:
    """Score by Σ over the runs that have the document of 1 / (k + its rank there)."""
    systems = _systems(collection, parameters["runs"])
    lists = ranked(collection.runs[collection.runs["system"].isin(systems)])
    points: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    columns = (lists[name].tolist() for name in ("query_id", "doc_id", "rank"))
    for query_id, document, rank in zip(*columns, strict=True):
        points[query_id][document] += 1 / (parameters["k"] + rank)
    collection.say(f"rrf: fused {', '.join(systems)}.")
    return list_scores(points)


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
    return system.split("-")[0] not in LEFT_OUT and EDITED not in system and not _REORDERED.match(system)


RRF = Ranker(
    name="rrf",
    summary="reciprocal rank fusion of the named runs, else of the study's and those made earlier in the command "
    "(without rrf, perfect, random and rerankers)",
    prepare=_prepare,
    parameters=(
        Parameter("k", 60.0, "constant added to each rank; a larger one gives the top ranks less weight", 0.0, 1e6),
        Parameter("runs", "", help="names of runs joined by +, such as 'bm25+tfidf'; empty for all others"),
    ),
    needs=("runs",),
    nothing="are in none of the fused runs",
)
