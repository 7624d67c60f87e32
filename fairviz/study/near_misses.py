"""Ids that nearly join: those of one part of a study that another part has in another spelling.

One function compares them over all joins: labels with runs, runs with documents and queries, judgements with both, and
runs with each other. `check`, uploads and the reasons of undefined values name what it finds.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.study.loaders.finding import find_files
from fairviz.study.record import Study
from fairviz.study.tables import list_numbers
from fairviz.words.sentences import listed, out_of

MOST_ANNOTATORS = 50  # whose ids are compared apart
FEWEST = 0.1  # share of the ids without a match, below which a likeness is chance
ALIKE = "Write them alike in both."
SWAPPED = "Exchange its columns of query and document."
_BY_TEXT = "by text"


@dataclass(frozen=True)
class NearMiss:
    """Ids, or rows, of a part that would be found in another part if they were written as there.

    column: of the ids, empty for rows. count: those that do not match and would. sentence: with an example.
    """

    part: str
    column: str
    count: int
    sentence: str
    remedy: str = ALIKE


@dataclass(frozen=True)
class _Join:
    """Distinct ids of a part, and those among which they are looked up; texts: by these, such as titles.

    name: of the ids in sentences, by default that of the part.
    """

    part: str
    column: str
    ids: pd.Index
    known_part: str
    known: pd.Index
    texts: pd.Series | None = None
    name: str = ""


Way = Callable[[Any], Any]  # from ids as they are to ids as they are compared, both as Arrow texts
_FOUND: WeakKeyDictionary[Study, tuple[NearMiss, ...]] = WeakKeyDictionary()


def near_misses(study: Study) -> tuple[NearMiss, ...]:
    """Return the ids of each part that another part has in another spelling; computed once a study."""
    if study not in _FOUND:
        swapped = tuple(_swapped(study))
        exchanged = {miss.part for miss in swapped}
        joins = (join for join in _joins(study) if join.part not in exchanged)
        _FOUND[study] = (*swapped, *(miss for join in joins for miss in _near_misses(study, join)))
    return _FOUND[study]


def near_miss_text(study: Study, part: str = "", column: str = "") -> str:
    """Return the sentences on ids that nearly join, by default of all parts and columns; empty for none."""
    found = near_misses(study)
    return " ".join(
        miss.sentence for miss in found if part in ("", miss.part) and (not column or miss.column in ("", column))
    )


def _joins(study: Study) -> Iterator[_Join]:
    """Yield every pair of parts whose ids should be the same."""
    documents, queries = pd.Index(study.documents["doc_id"]), pd.Index(study.queries["query_id"])
    ranked, asked = _distinct(study.runs["doc_id"]), _distinct(study.runs["query_id"])
    titles = study.documents.set_index("doc_id")["title"]
    texts = study.queries.set_index("query_id")["text"]
    shown: tuple[str, pd.Index] = ("runs", ranked) if len(ranked) else ("documents", documents)
    searched: tuple[str, pd.Index] = ("runs", asked) if len(asked) else ("queries", queries)
    if 1 < study.labels["annotator"].nunique() <= MOST_ANNOTATORS:
        for annotator, rows in study.labels.groupby("annotator", sort=False):
            yield _Join("labels", "doc_id", _distinct(rows["doc_id"]), *shown, titles, f"the labels by {annotator}")
    else:
        yield _Join("labels", "doc_id", _distinct(study.labels["doc_id"]), *shown, titles)
    yield _Join("runs", "doc_id", ranked, "documents", documents, titles)
    yield _Join("runs", "query_id", asked, "queries", queries, texts)
    yield _Join("qrels", "query_id", _distinct(study.qrels["query_id"]), *searched, texts)
    yield _Join("qrels", "doc_id", _distinct(study.qrels["doc_id"]), *shown, titles)
    if len(study.run_names) > 1 and not len(queries):
        yield from _joins_of_runs(study)
    if study.word_counts and len(ranked):
        yield _counted_join(study.word_counts, ranked)


def _joins_of_runs(study: Study) -> Iterator[_Join]:
    """Yield the queries of each run with those of the others."""
    queries = study.runs["query_id"].cat.categories
    has_list = np.zeros((len(study.run_names), len(queries)), dtype=bool)
    has_list.ravel()[list_numbers(study.runs)] = True
    for place, name in enumerate(study.run_names):
        others = np.flatnonzero(np.delete(has_list, place, axis=0).any(axis=0))
        yield _Join("runs", "query_id", queries[has_list[place]], "runs", queries[others], name=f"the run {name}")


def _counted_join(counts: Any, ranked: pd.Index) -> _Join:
    """Return the join of runs and word counts, whose ids can be looked up and not listed: other spellings are tried."""
    is_known: np.ndarray = counts.counts(ranked, ()).known
    missing = _arrow(ranked[~is_known])
    spelled = [pd.Index(pd.array(way(missing), dtype="str")) for way in _WAYS.values()]
    spellings = spelled[0].append(spelled[1:]).unique()
    spellings = spellings[counts.counts(spellings, ()).known]
    return _Join("runs", "doc_id", ranked, "word counts", ranked[is_known].append(spellings))


def _distinct(values: pd.Series) -> pd.Index:
    """Return the texts that occur in a column, each once."""
    if not isinstance(values.dtype, pd.CategoricalDtype):
        return pd.Index(values.unique(), dtype="str")
    texts = values.cat.categories
    return texts[np.bincount(values.cat.codes.to_numpy(), minlength=len(texts)) > 0]


def _replacing(pattern: str, sign: str = "") -> Way:
    def replace(texts: Any) -> Any:
        import pyarrow.compute as pc

        return pc.replace_substring_regex(texts, pattern, sign)

    return replace


def _lower(texts: Any) -> Any:
    import pyarrow.compute as pc

    return pc.utf8_lower(texts)


def _in_one_form(texts: Any) -> Any:
    import pyarrow.compute as pc

    return pc.utf8_normalize(texts, "NFKC")


_WAYS: dict[str, Way] = {
    "without .0": _replacing(r"([0-9])\.0+$", r"\1"),
    "without blanks": _replacing(r"[\s\p{Z}\p{Cf}]+"),
    "in lower case": _lower,
    "without leading zeros": _replacing(r"(^|[^0-9])0+([0-9])", r"\1\2"),
    "in one Unicode form": _in_one_form,
    "without quotation marks": _replacing("[\"'`´‘’“”«»„]+"),
    "with the same signs between their parts": _replacing("[-_/.:]+", "_"),
}


def _together(texts: Any) -> Any:
    for way in _WAYS.values():
        texts = way(texts)
    return texts


def _affixes(missing: Any, known: Any) -> dict[str, Way]:
    """Return the ways without what all ids of one side have in front or at the end."""
    import pyarrow.compute as pc

    ways = {}
    sides = [
        (_common_start(ids).rstrip("0123456789"), _common_start(pc.utf8_reverse(ids))[::-1].lstrip("0123456789"))
        if len(ids) > 1
        else ("", "")
        for ids in (missing, known)
    ]
    for (front, end), (other_front, other_end) in (sides, sides[::-1]):
        front, end = front.removesuffix(other_front), end.removeprefix(other_end)
        if front:
            ways[f"without {front!r} in front"] = _replacing(f"^{re.escape(front)}")
        if end:
            ways[f"without {end!r} at the end"] = _replacing(f"{re.escape(end)}$")
    return ways


def _common_start(texts: Any) -> str:
    """Return what all texts begin with: as much as the first and the last in their order have in common."""
    import pyarrow.compute as pc

    first, last = pc.min_max(texts).as_py().values()
    same = (place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(same, min(len(first), len(last)))]


def _arrow(ids: Any) -> Any:
    """Return the texts of an index or a column as Arrow."""
    import pyarrow as pa

    return ids if isinstance(ids, (pa.Array, pa.ChunkedArray)) else pa.array(ids.array, type=pa.large_string())


def is_among(ids: Any, known: Any) -> np.ndarray:
    """Return whether each id is one of the known ones, (N,); both an index or a column of texts."""
    import pyarrow.compute as pc

    return pc.is_in(_arrow(ids), _arrow(known)).to_numpy(zero_copy_only=False)


def _places(missing: Any, known: Any, way: Way) -> np.ndarray:
    """Return for each missing id the place of a known text that is the same in this way, (N,); -1 for none."""
    import pyarrow.compute as pc

    own, others = way(missing), way(known)
    if own.equals(missing) and others.equals(known):
        return np.full(len(missing), -1)
    places = pc.fill_null(pc.index_in(own, value_set=others), -1).to_numpy()
    return np.where(pc.equal(own, "").to_numpy(zero_copy_only=False), -1, places)


def _near_misses(study: Study, join: _Join) -> Iterator[NearMiss]:
    """Yield each way in which a tenth of the ids without a match, on the side that has fewer, would have one."""
    ids, known = _arrow(join.ids), _arrow(join.known)
    missing, spare = ids.filter(~is_among(ids, known)), known.filter(~is_among(known, ids))
    if not len(missing) or not len(known):
        return
    least = max(1.0, FEWEST * min(len(missing), len(spare) or len(missing)))
    ways = {**_WAYS, **_affixes(missing, known), "": _together}
    tries = [(how, known, known, way) for how, way in ways.items()]
    if join.texts is not None and len(join.texts):
        tries.append((_BY_TEXT, _arrow(join.texts.fillna("")), _arrow(join.texts.index), _together))
    for how, texts, names, way in tries:
        places = _places(missing, texts, way)
        is_match = places >= 0
        if is_match.sum() >= least:
            first = int(is_match.argmax())
            pair = missing[first].as_py(), names[int(places[first])].as_py()
            yield _told(study, join, int(is_match.sum()), how or _steps_text(*pair), *pair)
            missing = missing.filter(~is_match)


def _steps_text(*ids: str) -> str:
    """Return the ways that change any of the ids, one after another: `without blanks and in lower case`."""
    steps, texts = [], _arrow(pd.Index(ids, dtype="str"))
    for how, way in _WAYS.items():
        spelled = way(texts)
        steps += [] if spelled.equals(texts) else [how]
        texts = spelled
    return listed(steps)


def _told(study: Study, join: _Join, count: int, how: str, own: str, other: str) -> NearMiss:
    """Return the near miss with its sentence. own, other: an id, and that of the other part which it would match."""
    known_name = _name(study, join.known_part)
    how = f"{how} ({own!r}, for {other!r} in {known_name})"
    if how.startswith(_BY_TEXT):
        part, text = ("documents", "title") if join.column == "doc_id" else ("queries", "text")
        how = f"by the {text} in place of the id ({own!r}, of {other!r} in {_name(study, part)})"
    of_ids = f"{out_of(count, len(join.ids), join.column)} of {join.name or _name(study, join.part)}"
    return NearMiss(join.part, join.column, count, f"{of_ids} would match {how}.")


def _swapped(study: Study) -> Iterator[NearMiss]:
    """Yield judgements, or runs, whose queries are the documents of the other parts and the other way round."""
    queries, documents = pd.Index(study.queries["query_id"]), pd.Index(study.documents["doc_id"])
    ranked, asked = _distinct(study.runs["doc_id"]), _distinct(study.runs["query_id"])
    labelled = pd.Index(study.labels["doc_id"].unique(), dtype="str")
    known = {
        "qrels": (asked.append(queries), ranked.append(documents)),
        "runs": (queries, documents.append(labelled)),
    }
    for part, (known_queries, known_documents) in known.items():
        table = getattr(study, part)
        own = _distinct(table["query_id"])
        if 2 * is_among(own, known_documents).sum() <= len(own):  # also without any
            continue
        query, document = (_arrow(table[name].astype("str")) for name in ("query_id", "doc_id"))
        right = (is_among(query, known_queries) & is_among(document, known_documents)).sum()
        count = (is_among(query, known_documents) & is_among(document, known_queries)).sum()
        if 2 * right < len(table) <= 2 * count:
            rows = out_of(int(count), len(table), "row")
            sentence = f"{rows} of {_name(study, part)} would match with query and document exchanged."
            yield NearMiss(part, "", int(count), sentence, SWAPPED)


def _name(study: Study, part: str) -> str:
    """Return the words for a part: its file in a folder, `labels.csv`, else `the labels`."""
    if study.folder is not None:
        with suppress(FairvizError):
            if paths := find_files(study.folder).parts.get(part):
                return paths[0].name
    return f"the {part}"
