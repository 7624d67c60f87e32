"""What a ranker that orders another run anew starts from: the top of that run's lists."""

from fairviz.errors import UsageError
from fairviz.rankers.record import Collection
from fairviz.study.tables import ranked


def top_of_run(collection: Collection, ranker: str, system: str, n: int) -> dict[str, list[str]]:
    """The first n documents of each list of the run, by query. Raises UsageError where there is no such run."""
    held = [str(name) for name in collection.runs["system"].cat.categories]
    if system not in held:
        raise UsageError(
            f"{collection.study.name} has no run {system!r} for {ranker}",
            f"Its runs are {', '.join(held)}." if held else f'Name a ranker before it: --with "bm25,{ranker}(…)".',
        )
    lists = ranked(collection.runs[collection.runs["system"] == system])
    lists = lists[lists["rank"] <= n]
    top: dict[str, list[str]] = {}
    for query, name in zip(lists["query_id"].tolist(), lists["doc_id"].tolist(), strict=True):
        top.setdefault(query, []).append(name)
    return top
