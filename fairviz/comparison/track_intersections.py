"""The TREC Fair Ranking track's scores of 2022 over the intersection of attributes: AWRF, EE-L, EE-D and EE-R.

Attributes are gender, and those of DIMENSIONS that the documents have. Axis letters: S rankings, Q topics, D documents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
import pandas as pd

from fairviz.measures.rankings import Rankings
from fairviz.measures.rankings import targets as study_targets
from fairviz.measures.track_awrf import (
    NO_REGION,
    OCEANIA,
    POPULATION,
    Cells,
    CellTarget,
    cell_awrf,
    cell_expected_exposure,
    cell_target,
    cells_of,
    cross,
    track_discount,
    work_exposure,
)
from fairviz.study.attributes import BETWEEN, SHARE_SIGN
from fairviz.study.loaders.trec_fair import DIMENSIONS
from fairviz.study.record import Study
from fairviz.words.sentences import first_listed, listed

Array = np.ndarray
GENDER = "gender"
REGIONAL = ("sub-geo", "src-geo")
WITH_UNKNOWN = "occ"  # beside those of heads
NONE_THERE = "Gender is the documents' only attribute of the track: no score is over an intersection."


@dataclass(frozen=True, eq=False)
class Intersection:
    """The cells of documents, the backgrounds of the heads, the number of tails, and notes for the reader."""

    cells: Cells
    backgrounds: tuple[Array, ...]
    size: int
    notes: tuple[str, ...]

    def target(self, documents: Array, weights: Array) -> CellTarget | None:
        """Return the target by these relevant documents (n,) with weights that sum to 1; None without a cell."""
        keys, masses = self.cells.summed(documents, weights)
        return cell_target(keys, masses, self.backgrounds, self.size) if len(keys) else None


def intersection_of(study: Study, rankings: Rankings, genders: Array) -> Intersection | None:
    """Return the intersection over the documents of rankings, None if they have no attribute beside gender.

    genders (D, G + 1): the share of each document in each gender, unknown last; zeros without attributes.
    """
    columns = {name: _texts(study, rankings, name) for name in DIMENSIONS if name in study.documents}
    if not columns:
        return None
    unknown_first = np.roll(genders, 1, axis=1)
    places = ["Unknown", *sorted(POPULATION)]
    people = np.array([0.0, *(POPULATION[name] for name in places[1:])])
    heads = {name: _regional(columns[name], places) for name in REGIONAL if name in columns}
    heads[GENDER] = cells_of([{one: row[one] for one in np.flatnonzero(row).tolist()} for row in unknown_first])
    backgrounds = [people / people.sum()] * (len(heads) - 1) + [np.append(0.0, study_targets(study))]
    sizes = [len(places)] * (len(heads) - 1) + [genders.shape[1]]
    cells, tails = list(heads.values()), [name for name in columns if name not in REGIONAL]
    for name in tails:
        levels = sorted({one for text in columns[name] if text is not None for one in _named(text)})
        levels = ["", *levels] if name == WITH_UNKNOWN else levels
        index = {level: place for place, level in enumerate(levels)}
        cells.append(cells_of([_shares(text, index, name == WITH_UNKNOWN) for text in columns[name]]))
        sizes.append(len(levels))
    crossed = reduce(lambda first, pair: cross(first, *pair), zip(cells[1:], sizes[1:], strict=True), cells[0])
    size = int(np.prod([1, *sizes[len(heads) :]], dtype=np.int64))
    return Intersection(crossed, tuple(backgrounds), size, _notes(columns, [*heads, *tails]))


def intersectional_scores(
    study: Study,
    rankings: Rankings,
    genders: Array,
    relevant: Sequence[Array],
    level: Array | None,
    runs: Sequence[str],
    k: int,
    length: int,
) -> tuple[dict[str, Array], tuple[str, ...]]:
    """Return AWRF at k, and EE-L, EE-D and EE-R at `length` where level is not None, (S, Q) each; and notes.

    Without an attribute beside gender there is no score. For the arguments see the functions of this module.
    """
    one = intersection_of(study, rankings, genders)
    if one is None:
        return {}, (NONE_THERE,)
    values = {f"track intersectional AWRF@{k}": intersectional_awrf(one, rankings, relevant, k)}
    if level is not None:
        names = [f"track intersectional {name}@{length}" for name in ("EE-L", "EE-D", "EE-R")]
        values |= zip(names, intersectional_exposure(one, rankings, relevant, level, runs, length), strict=True)
    return values, one.notes


def _texts(study: Study, rankings: Rankings, name: str) -> list[str | None]:
    """Return the cell of each document in a column, None for a document without attributes."""
    column = study.documents.set_index("doc_id")[name].fillna("").astype("str").reindex(rankings.doc_ids)
    return [text if isinstance(text, str) else None for text in column.astype("object")]


def _named(text: str) -> dict[str, float]:
    """Return the weight of each name in a cell: its number, or 1."""
    parts = filter(None, text.split(BETWEEN))
    pairs = [part.rpartition(SHARE_SIGN) if SHARE_SIGN in part else (part, "", "1") for part in parts]
    return {name: float(number) for name, _, number in pairs}


def _shares(text: str | None, index: Mapping[str, int], has_unknown: bool) -> dict[int, float]:
    """Return the share of each level in a cell, of level 0 without one if the attribute has the level unknown.

    A name without a level counts as level 0. Without attributes, or without a level, there are no shares.
    """
    if text is None:
        return {}
    weights: dict[int, float] = {}
    for name, weight in _named(text).items():
        level = index.get(name, 0)
        weights[level] = weights.get(level, 0.0) + weight
    total = sum(weights.values())
    if not total > 0:
        return {0: 1.0} if has_unknown else {}
    return {level: weight / total for level, weight in weights.items() if weight > 0}


def _regional(texts: Sequence[str | None], places: Sequence[str]) -> Cells:
    index = {name: place for place, name in enumerate(places)} | dict.fromkeys(OCEANIA, places.index("Oceania"))
    return cells_of([_shares(text, index, True) for text in texts])


def _notes(columns: Mapping[str, Sequence[str | None]], names: Sequence[str]) -> tuple[str, ...]:
    region_names = {*POPULATION, *OCEANIA, *NO_REGION}
    texts = [text for name in REGIONAL for text in columns.get(name, ()) if text]
    unexpected_names = sorted({name for text in texts for name in _named(text)} - region_names)
    regions = (
        f"Regions outside the track's list count as unknown: {first_listed(unexpected_names, 5)}."
        if unexpected_names
        else ""
    )
    return tuple(filter(None, (f"Intersectional scores are over {listed(names)}.", regions)))


def intersectional_awrf(one: Intersection, rankings: Rankings, relevant: Sequence[Array], k: int) -> Array:
    """Return AWRF over the intersection, (S, Q): of the top k against the mean of the topic's relevant documents.

    NaN for a missing list, for one without attributes, and for a topic without relevant documents that have some.
    """
    values = np.full(rankings.lengths.shape, np.nan)
    has_cells = np.diff(one.cells.starts) > 0
    for query, documents in enumerate(relevant):
        with_cells = documents[has_cells[documents]]
        target = one.target(with_cells, np.full(len(with_cells), 1 / max(len(with_cells), 1)))
        if target is None:
            continue
        for system in np.flatnonzero(rankings.lengths[:, query]).tolist():
            listed_documents = rankings.documents[: min(k, rankings.lengths[system, query]), system, query]
            weights = track_discount(len(listed_documents))
            values[system, query] = cell_awrf(*one.cells.summed(listed_documents, weights), target)
    return values


def intersectional_exposure(
    one: Intersection, rankings: Rankings, relevant: Sequence[Array], level: Array, runs: Sequence[str], length: int
) -> Array:
    """Return EE-L, EE-D and EE-R over the intersection, (3, S, Q), equal for the rankings of a run.

    level (D,): work needed, 0 the most, -1 without. runs (S,): whose sequence a ranking is. Relevant documents alone
    receive exposure, down to rank `length`. NaN for missing lists and topics without a target.
    """
    values = np.full((3, *rankings.lengths.shape), np.nan)
    rows_by_run = pd.Series(np.arange(len(runs))).groupby(np.array(runs)).apply(lambda rows: rows.to_numpy())
    for query, documents in enumerate(relevant):
        judged = documents[level[documents] >= 0]
        exposure = work_exposure(level[judged])
        target = one.target(judged, exposure / exposure.sum()) if len(judged) else None
        if target is None:
            continue
        for rows in rows_by_run:
            lists = [row for row in rows.tolist() if rankings.lengths[row, query]]
            if lists:
                keys, amounts = _exposed(one, rankings.documents[:length, lists, query], documents)
                values[:, rows, query] = np.array([cell_expected_exposure(keys, amounts, target, length)]).T
    return values


def _exposed(one: Intersection, lists: Array, relevant: Array) -> tuple[Array, Array]:
    """Return the mean exposure of cells by these lists (K, n) of one topic, for relevant documents alone."""
    rank, column = np.nonzero(np.isin(lists, relevant))
    return one.cells.summed(lists[rank, column], track_discount(len(lists))[rank] / lists.shape[1])
