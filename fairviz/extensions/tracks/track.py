"""The TREC Fair Ranking track's AWRF, nDCG and score of a study, beside this program's AWRF of the same lists."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.extensions.tracks.declared import COLUMN, TRACK
from fairviz.extensions.tracks.track_awrf import (
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
    exposure_target,
    mixed_target,
    soft_exposure,
    split,
    track_awrf,
    track_discount,
    track_expected_exposure,
    track_ndcg,
    work_exposure,
)
from fairviz.extensions.tracks.trec_fair_files import DIMENSIONS, QUALITIES
from fairviz.measures.rankings import Rankings, align_runs
from fairviz.measures.rankings import targets as study_targets
from fairviz.parameters import check_parameters
from fairviz.statistics.intervals import mean_interval, mean_over_queries
from fairviz.study.attributes import BETWEEN, SHARE_SIGN
from fairviz.study.record import Study
from fairviz.study.tables import system_of_run
from fairviz.words.sentences import first_listed, listed

Array = np.ndarray
Unknown = Literal["group", "out"]
Several = Literal["split", "whole"]
UNKNOWN = "unknown"
K = 500  # of the track of 2022; 1,000 in 2021, whose evaluation read the first 20
OURS = ("AWRF(distance='jsd')", "AWRF")
_SEQUENCE = re.compile(r"#[0-9]+$")
QUALITY = "quality"
LENGTH = 20  # of the sequences of 2022
GENDER = "gender"
REGIONAL = ("sub-geo", "src-geo")
WITH_UNKNOWN = "occ"  # beside those of heads
NONE_THERE = "Gender is the documents' only attribute of the track: no score is over an intersection."


@dataclass(frozen=True)
class TrackScores:
    """table: run, measure, value, ci_low, ci_high (over topics), topics, undefined. queries: run, query_id, sequences
    (the number of rankings averaged) and a column a measure. targets: query_id, and the target's share of each group.
    notes: sentences for the reader."""

    table: pd.DataFrame
    queries: pd.DataFrame
    targets: pd.DataFrame
    notes: tuple[str, ...]


def track_scores(
    study: Study,
    *,
    unknown: Unknown = "group",
    targets: str | Mapping[str, float] = "mixed",
    several: Several = "split",
    k: int = K,
    ideal: int | None = None,
) -> TrackScores:
    r"""Return nDCG, AWRF and their product as the track has them, over the top k, and our AWRF at k beside them.

    A file of sequences is averaged over them, topic by topic. If articles have qualities, the track's EE-L, EE-D and
    EE-R of 2022 for gender follow, of all sequences of a topic together. If they have regions or other attributes of
    2022, AWRF, its score and EE follow over the intersection of all attributes, under `group` and `mixed`.

    Parameters
    ----------
    study : Study
        From `read_trec_fair`.
    unknown : {'group', 'out'}
        Whether articles of unknown gender are a group of their own (2022) or are left out (2021).
    targets : str or mapping
        `mixed`, half the topic's relevant articles, half the study's targets; `uniform`, the same share for each group
        that counts; or a share for each of them.
    several : {'split', 'whole'}
        Whether an article of several genders is split between them, or counts whole for each, as in the track's code.
    k : int
        The cutoff, in ranks.
    ideal : int, optional
        The most relevant articles in the best list; k if None.

    Returns
    -------
    TrackScores
        With means and intervals over topics, and the values and targets of each topic.

    Raises
    ------
    UsageError
        For a choice that does not exist.
    FairvizError
        If the study lacks what is needed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import fairviz
    >>> folder = Path(tempfile.mkdtemp())
    >>> topics, run, articles = (folder / name for name in ("topics.jsonl", "mine.tsv", "articles.json"))
    >>> _ = topics.write_text('{"id": 1, "title": "Chemistry", "rel_docs": [11]}')
    >>> _ = run.write_text("id\tpage_id\n1\t11\n1\t12\n")
    >>> _ = articles.write_text('{"page_id": 11, "gender": ["female"]}\n{"page_id": 12, "gender": ["male"]}')
    >>> table = fairviz.track_scores(fairviz.read_trec_fair(topics, run, articles)).table
    >>> table.loc[table["measure"] == "track nDCG@500", "value"].tolist()
    [1.0]
    """
    _check(study, unknown, several, k, ideal, targets)
    rankings = align_runs(study.runs, "file", study.documents["doc_id"].tolist())
    groups = (*study.groups, UNKNOWN) if unknown == "group" else study.groups
    memberships = _memberships_of(study, rankings, groups)
    memberships = split(memberships) if several == "split" else memberships
    if unknown == "out":
        memberships = memberships[:, : len(groups)]
    relevant = relevant_places(study, rankings)
    target_shares = _target_shares(study, relevant, memberships, groups, targets)

    # The track's scores, and ours beside them.
    documents = rankings.documents[:k]
    fairness = track_awrf(soft_exposure(documents, memberships, k), target_shares)
    quality = _ndcg(study, rankings, documents, relevant, k if ideal is None else ideal)
    values = {f"track nDCG@{k}": quality, f"track AWRF@{k}": fairness, f"track score@{k}": quality * fairness}
    values = {name: np.where(rankings.lengths > 0, table, np.nan) for name, table in values.items()}
    levels = work_levels(study, rankings)
    runs = _runs(rankings)
    is_known = np.array([group != UNKNOWN for group in groups])
    values |= gender_exposure(study, rankings, memberships, is_known, runs, levels)
    notes: tuple[str, ...] = ()
    if unknown == "group" and targets == "mixed":
        lists = list(relevant.values())
        crossed, notes = intersectional_scores(study, rankings, memberships, lists, levels, runs, k, LENGTH)
        values |= crossed
        values |= {f"track intersectional score@{k}": quality * table for name, table in crossed.items()
                   if "AWRF" in name}  # fmt: skip
    if study.has("labels"):
        values |= _our_scores(study, rankings, k)
    return _by_run(study, rankings, values, pd.DataFrame(target_shares, columns=list(groups)), notes)


def _check(study: Study, unknown: object, several: object, k: object, ideal: object, targets: object) -> None:
    expect("study", study, Study, "Give a Study, as fairviz.read_trec_fair makes.")
    check_parameters({"unknown": unknown, "several": several, "k": k, "ideal": ideal}, TRACK)
    expect("targets", targets, (str, Mapping), f"Use mixed, uniform or a share for each of {', '.join(study.groups)}.")
    if not study.has("runs"):
        raise FairvizError(f"{study.name} has no runs", "Add runs first.")
    if COLUMN not in study.documents.columns:
        raise FairvizError(
            f"the documents of {study.name} have no column {COLUMN!r}, which holds an article's genders",
            "Make the study of the track's files: fairviz trec-fair FOLDER --topics … --runs … --attributes …",
        )


def _memberships_of(study: Study, rankings: Rankings, groups: Sequence[str]) -> Array:
    """(D, G + unknown where it is no group): 1 for each gender of a document; zeros for one without attributes."""
    columns = [*groups] if UNKNOWN in groups else [*groups, UNKNOWN]
    genders = study.documents[COLUMN].astype("str").str.split("|")
    rows = pd.DataFrame({"doc_id": study.documents["doc_id"], "group": genders}).explode("group")
    rows = rows[rows["group"].notna() & (rows["group"] != "")]
    unknown_genders = sorted(set(rows["group"]) - set(columns))
    if unknown_genders:
        raise FairvizError(
            f"the documents of {study.name} have the gender {unknown_genders[0]!r}, which is not a group of the study",
            f"Write genders as {', '.join(columns)}, several with | between them.",
        )
    out = np.zeros((len(rankings.doc_ids), len(columns)))
    places = rankings.doc_ids.get_indexer(pd.Index(rows["doc_id"]))
    out[places, pd.Index(columns).get_indexer(pd.Index(rows["group"]))] = 1
    return out


def _target_shares(
    study: Study,
    relevant: Mapping[str, Array],
    memberships: Array,
    groups: Sequence[str],
    targets: str | Mapping[str, float],
) -> Array:
    """The target of each topic, (Q, G). relevant: the places of relevant documents, by topic."""
    if targets == "mixed":
        return _mixed_shares(study, relevant, memberships, groups)
    if targets == "uniform":
        shares: Any = np.full(len(groups), 1 / len(groups))
    elif isinstance(targets, Mapping) and set(targets) == set(groups):
        shares = np.array([targets[group] for group in groups], dtype=np.float64)
    else:
        raise UsageError(f"targets is {targets!r}", f"Use mixed, uniform or a share for each of {', '.join(groups)}.")
    if not (shares >= 0).all() or abs(shares.sum() - 1) > 1e-6:
        raise UsageError(f"targets is {targets!r}", "Give shares of 0 or more that add up to 1.")
    return np.tile(shares, (len(relevant), 1))


def _mixed_shares(study: Study, relevant: Mapping[str, Array], memberships: Array, groups: Sequence[str]) -> Array:
    """The mixed target of each topic, (Q, G), of its relevant documents and the study's target shares."""
    if not study.has("qrels"):
        raise FairvizError(
            f"{study.name} has no relevance judgements, from which the mixed target is computed",
            "Name the file of topics with rel_docs, or use --targets uniform.",
        )
    is_known = np.array([group != UNKNOWN for group in groups])
    background = np.append(study_targets(study), 0.0)[: len(groups)]
    return np.stack([mixed_target(memberships[places], background, is_known) for places in relevant.values()])


def _ndcg(
    study: Study, rankings: Rankings, documents: Array, relevant: Mapping[str, Array], most_relevant: int
) -> Array:
    counts = study.qrels.loc[study.qrels["relevance"] > 0, "query_id"].value_counts()
    judged = np.array([int(counts.get(query, 0)) for query in rankings.queries], dtype=np.int64)
    gains = np.zeros(documents.shape)
    for column, places in enumerate(relevant.values()):
        gains[:, :, column] = np.isin(documents[:, :, column], places)
    return track_ndcg(gains, judged, most_relevant)


def _our_scores(study: Study, rankings: Rankings, k: int) -> dict[str, Array]:
    scores = evaluate(study, list(OURS), Settings(cutoff=k, systems=rankings.systems))
    wide = scores.pivot(index=["system", "query_id"], columns="measure", values="value")
    wide.index = pd.MultiIndex.from_tuples([(str(system), str(query)) for system, query in wide.index])
    wide = wide.reindex(pd.MultiIndex.from_product([rankings.systems, rankings.queries]))
    return {str(name): wide[name].to_numpy().reshape(rankings.lengths.shape) for name in wide.columns}


def _runs(rankings: Rankings) -> list[str]:
    """Return the run of each ranking, without its sequence: NAME/seed1, or NAME#1 in studies of earlier versions."""
    return [_SEQUENCE.sub("", system_of_run(system)) for system in rankings.systems]


def _by_run(
    study: Study, rankings: Rankings, values: dict[str, Array], target_table: pd.DataFrame, notes: tuple[str, ...]
) -> TrackScores:
    """Return the scores; those of each run's sequences are averaged topic by topic, (S, Q) to (R, Q)."""
    runs = _runs(rankings)
    names = list(dict.fromkeys(runs))
    sequences = [np.array([run == name for run in runs]) for name in names]  # of each run, (S,)
    averaged = {
        name: np.stack([mean_over_queries(table[rows].T) for rows in sequences]) for name, table in values.items()
    }
    stacked = np.stack(list(averaged.values()))  # (M, R, Q)
    low, high = mean_interval(stacked)
    topics = (~np.isnan(stacked)).sum(axis=-1)
    columns = {"value": mean_over_queries(stacked), "ci_low": low, "ci_high": high, "topics": topics}
    columns |= {"undefined": len(rankings.queries) - topics}
    table = _crossed(measure=list(averaged), run=names)[["run", "measure"]]
    table = table.assign(**{name: column.ravel() for name, column in columns.items()})
    counts = np.stack([(rankings.lengths[rows] > 0).sum(axis=0) for rows in sequences])
    queries = _crossed(run=names, query_id=list(rankings.queries)).assign(sequences=counts.ravel())
    queries = queries.assign(**{name: column.ravel() for name, column in averaged.items()})
    target_table.insert(0, "query_id", list(rankings.queries))
    return TrackScores(table, queries, target_table, (*_notes(study, rankings, runs, values), *notes))


def _crossed(**names: list[str]) -> pd.DataFrame:
    """Return a row for every combination, the last changing first."""
    return pd.MultiIndex.from_product(list(names.values()), names=list(names)).to_frame(index=False).astype("str")


def _notes(study: Study, rankings: Rankings, runs: Sequence[str], values: Mapping[str, Array]) -> list[str]:
    notes = []
    if len(set(runs)) < len(runs):
        notes.append(
            "A run of sequences is averaged over them, topic by topic; its intervals are over topics, not sequences."
        )
    if not any(name.startswith("AWRF") for name in values):
        notes.append("No article has exactly one known gender, so our AWRF is undefined.")
    if "track nDCG" in " ".join(values) and not study.has("qrels"):
        notes.append("Without relevance judgements there is neither nDCG nor a score.")
    if lacking := int((rankings.lengths == 0).sum()):
        notes.append(
            f"{lacking:,} rankings are missing (a run without a topic); means leave them out, as the track does."
        )
    return notes


def relevant_places(study: Study, rankings: Rankings) -> dict[str, Array]:
    """The places of the documents that are relevant for each query; those without a place left out."""
    judged = study.qrels[study.qrels["relevance"] > 0]
    judged_places = judged.assign(place=rankings.doc_ids.get_indexer(pd.Index(judged["doc_id"])))
    judged_places = judged_places[judged_places["place"] >= 0]
    places_by_query = {str(query): part["place"].to_numpy() for query, part in judged_places.groupby("query_id")}
    return {query: places_by_query.get(query, np.zeros(0, dtype=np.int64)) for query in rankings.queries}


def work_levels(study: Study, rankings: Rankings) -> Array | None:
    """Return the work that each document needs, (D,), 0 the most, -1 if unknown; None for a study without qualities."""
    if QUALITY not in study.documents.columns or not study.has("qrels"):
        return None
    levels = study.documents.set_index("doc_id")[QUALITY].map({name: at for at, name in enumerate(QUALITIES)})
    return levels.reindex(rankings.doc_ids).fillna(-1).to_numpy(dtype=np.int64)


def gender_exposure(
    study: Study, rankings: Rankings, memberships: Array, is_known: Array, runs: Sequence[str], level: Array | None
) -> dict[str, Array]:
    """Return EE-L, EE-D and EE-R of the track of 2022 for gender, (S, Q) each, equal for the sequences of a run; none
    for a study without qualities. Relevant articles alone receive exposure, down to rank LENGTH.

    memberships (D, G): the share of each article in each group. is_known (G,): False for the group of unknown gender.
    runs (S,): whose sequence a ranking is. level (D,): see `work_levels`.
    """
    if level is None:
        return {}
    background = np.append(study_targets(study), 0.0)[: len(is_known)]
    exposure = np.full((*rankings.lengths.shape, len(is_known)), np.nan)
    target = np.full((len(rankings.queries), len(is_known)), np.nan)
    for column, places in enumerate(relevant_places(study, rankings).values()):
        judged = places[level[places] >= 0]
        if len(judged):
            target[column] = exposure_target(memberships[judged], work_exposure(level[judged]), background, is_known)
        lists = rankings.documents[:LENGTH, :, column : column + 1]
        relevant_lists = np.where(np.isin(lists, places), lists, -1)
        exposure[:, column] = soft_exposure(relevant_lists, memberships, LENGTH)[:, 0]
    exposure[rankings.lengths == 0] = np.nan
    for run in dict.fromkeys(runs):  # of all sequences together
        rows = np.array(runs) == run
        exposure[rows] = mean_over_queries(np.moveaxis(exposure[rows], 0, -1))
    names = (f"track EE-L@{LENGTH}", f"track EE-D@{LENGTH}", f"track EE-R@{LENGTH}")
    return dict(zip(names, track_expected_exposure(exposure, target, LENGTH), strict=True))


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
    heads = {name: _regional_cells(columns[name], places) for name in REGIONAL if name in columns}
    heads[GENDER] = cells_of([{one: row[one] for one in np.flatnonzero(row).tolist()} for row in unknown_first])
    backgrounds = [people / people.sum()] * (len(heads) - 1) + [np.append(0.0, study_targets(study))]
    sizes = [len(places)] * (len(heads) - 1) + [genders.shape[1]]
    cells, tails = list(heads.values()), [name for name in columns if name not in REGIONAL]
    for name in tails:
        levels = _levels_of(columns[name], name == WITH_UNKNOWN)
        index = {level: place for place, level in enumerate(levels)}
        cells.append(cells_of([_shares(text, index, name == WITH_UNKNOWN) for text in columns[name]]))
        sizes.append(len(levels))
    crossed = reduce(lambda first, pair: cross(first, *pair), zip(cells[1:], sizes[1:], strict=True), cells[0])
    size = int(np.prod([1, *sizes[len(heads) :]], dtype=np.int64))
    return Intersection(crossed, tuple(backgrounds), size, _intersection_notes(columns, [*heads, *tails]))


def _regional_cells(texts: Sequence[str | None], places: Sequence[str]) -> Cells:
    index = {name: place for place, name in enumerate(places)} | dict.fromkeys(OCEANIA, places.index("Oceania"))
    return cells_of([_shares(text, index, True) for text in texts])


def _levels_of(texts: Sequence[str | None], has_unknown: bool) -> list[str]:
    levels = sorted({one for text in texts if text is not None for one in _named(text)})
    return ["", *levels] if has_unknown else levels


def _intersection_notes(columns: Mapping[str, Sequence[str | None]], names: Sequence[str]) -> tuple[str, ...]:
    texts = [text for name in REGIONAL for text in columns.get(name, ()) if text]
    unexpected = sorted({name for text in texts for name in _named(text)} - {*POPULATION, *OCEANIA, *NO_REGION})
    notes = [f"Intersectional scores are over {listed(names)}."]
    if unexpected:
        notes.append(f"Regions outside the track's list count as unknown: {first_listed(unexpected, 5)}.")
    return tuple(notes)


def intersectional_scores(
    study: Study, rankings: Rankings, genders: Array, relevant: Sequence[Array], level: Array | None,
    runs: Sequence[str], k: int, length: int,
) -> tuple[dict[str, Array], tuple[str, ...]]:  # fmt: skip
    """Return AWRF at k, and EE-L, EE-D and EE-R at `length` where level is not None, over the intersection, (S, Q)
    each; and notes. Without an attribute beside gender there is no score.

    AWRF is of the top k against the mean of the topic's relevant documents. Expected exposure, which relevant documents
    alone receive, is equal for the rankings of a run. level (D,): work needed, 0 the most, -1 without. runs (S,): whose
    sequence a ranking is. NaN for a missing list, for one without attributes, and for a topic without a target.
    """
    one = intersection_of(study, rankings, genders)
    if one is None:
        return {}, (NONE_THERE,)
    fairness = np.full(rankings.lengths.shape, np.nan)
    has_cells = np.diff(one.cells.starts) > 0
    for query, documents in enumerate(relevant):
        with_cells = documents[has_cells[documents]]
        target = one.target(with_cells, np.full(len(with_cells), 1 / max(len(with_cells), 1)))
        if target is None:
            continue
        for system in np.flatnonzero(rankings.lengths[:, query]).tolist():
            shown = rankings.documents[: min(k, rankings.lengths[system, query]), system, query]
            fairness[system, query] = cell_awrf(*one.cells.summed(shown, track_discount(len(shown))), target)
    values = {f"track intersectional AWRF@{k}": fairness}
    if level is None:
        return values, one.notes

    exposures = np.full((3, *rankings.lengths.shape), np.nan)
    rows_by_run = pd.Series(np.arange(len(runs))).groupby(np.array(runs)).apply(lambda rows: rows.to_numpy())
    for query, documents in enumerate(relevant):
        judged = documents[level[documents] >= 0]
        work = work_exposure(level[judged])
        target = one.target(judged, work / work.sum()) if len(judged) else None
        if target is None:
            continue
        for rows in rows_by_run:
            lists = [row for row in rows.tolist() if rankings.lengths[row, query]]
            if lists:
                # the mean exposure of cells by the lists, for relevant documents alone
                shown = rankings.documents[:length, lists, query]  # (K, n)
                rank, column = np.nonzero(np.isin(shown, documents))
                discounts = track_discount(len(shown))[rank] / len(lists)
                keys, amounts = one.cells.summed(shown[rank, column], discounts)
                exposures[:, rows, query] = np.array([cell_expected_exposure(keys, amounts, target, length)]).T
    names = [f"track intersectional {name}@{length}" for name in ("EE-L", "EE-D", "EE-R")]
    return values | dict(zip(names, exposures, strict=True)), one.notes


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
