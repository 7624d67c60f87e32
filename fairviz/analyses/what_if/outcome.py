"""The effect of an experiment on every measure: for its query, and for the system's mean over queries.

Values are computed by the usual functions on a copy of the places that contains only the queries whose value can
change: the experiment's own, and those whose lists have a relabelled or reworded document. Axis letters: S systems, Q
queries, K ranks, D documents, M measures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fairviz.analyses.what_if.experiment import Experiment
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_lexicon, chosen_queries, positions
from fairviz.evaluation.questions import wants_collection
from fairviz.evaluation.scores import values_of
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.rankings import LabelEvidence, WordEvidence
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study
from fairviz.words.counterparts import packaged, swap_words
from fairviz.words.counting import count_groups, document_text

Array = np.ndarray
PARTS = ("before", "now", "difference")
COLUMNS = ("measure", *PARTS, *(f"mean_{part}" for part in PARTS))


def bare_experiment(study: Study, places: AlignedRankings, system: str, query: str) -> Experiment:
    """Return the unedited list of a system for a query. Raises FairvizError if there is none."""
    documents = places.rankings.list_of(system, query)
    if not len(documents):
        raise FairvizError(f"{system!r} has no list for the query {query!r}", "Choose another query or system.")
    names = tuple(map(str, places.rankings.doc_ids[documents]))
    labels = (places.neutral, *places.groups) if study.label_kind == "gender" and study.has("labels") else ()
    codes = places.labels.largest[documents].tolist()
    label_pairs = tuple((name, labels[code]) for name, code in zip(names, codes, strict=True) if code >= 0 and labels)
    return Experiment(system, query, names, labels, label_pairs)


def outcome(
    study: Study,
    settings: Settings,
    experiment: Experiment,
    questions: Sequence[Question],
    places: AlignedRankings,
    scores: pd.DataFrame,
) -> pd.DataFrame:
    """Return every measure before, now and the difference: of the query, and as mean_… of the system's mean over
    queries.

    questions: those with a value for one query. places: of the study under these settings. scores: from
    `fairviz.evaluate`, with the experiment's system. Returns a row per question: measure, before, now, difference,
    mean_before, mean_now, mean_difference; NaN if a value is undefined.
    """
    rankings = places.rankings
    query_names = chosen_queries(study, settings)
    reads_collection = wants_collection(questions, settings)
    was = restricted(places, affected(places, experiment, reads_collection), reads_collection)
    edited_places = changed(study, settings, was, experiment)
    queries = was.rankings.queries
    system, query = rankings.row_of(experiment.system), queries.index(experiment.query)
    columns = [place for place, name in enumerate(queries) if name in set(query_names)]
    at = positions(query_names, [queries[place] for place in columns])
    rows, values = [], values_of_system(scores, experiment.system)
    for question in questions:
        value_pair = np.stack(
            [values_of(study, one, question, settings)[0, system] for one in (was, edited_places)]
        )  # (2, q)
        means = np.tile(values[question.text].reindex(list(query_names)).to_numpy(), (2, 1))
        means[:, at] = value_pair[:, columns]
        before, after = value_pair[:, query].tolist()
        mean_before, mean_after = mean_over_queries(means).tolist()
        rows.append((question.text, before, after, after - before, mean_before, mean_after, mean_after - mean_before))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"measure": "str"})


def values_of_system(scores: pd.DataFrame, system: str) -> Mapping[str, pd.Series]:
    """Return the system's values by query for each measure in the scores."""
    mine = scores[scores["system"] == system]
    queries = pd.Index(mine["query_id"].astype("str"))
    codes, names = pd.factorize(mine["measure"])
    values = mine["value"].to_numpy(dtype=np.float64)
    return {str(name): pd.Series(values[codes == at], index=queries[codes == at]) for at, name in enumerate(names)}


def affected(places: AlignedRankings, experiment: Experiment, whole: bool = False) -> Array:
    """Return the positions of the queries whose values may change, ascending, always including the experiment's own.

    A changed text also affects queries with a shared ideal: of all lists, or of the `whole` collection, which affects
    every query.
    """
    rankings = places.rankings
    is_affected = np.zeros(len(rankings.queries), dtype=bool)
    is_affected[rankings.queries.index(experiment.query)] = True
    touched = {*experiment.relabelled, *experiment.reworded}
    if touched:
        rows = rankings.doc_ids.get_indexer(pd.Index(sorted(touched), dtype="str"))
        is_changed = np.zeros(len(rankings.doc_ids) + 1, dtype=bool)
        is_changed[rows[rows >= 0]] = True  # the last place, where -1 looks, is no document
        system = rankings.row_of(experiment.system)
        systems = slice(None) if experiment.reworded else slice(system, system + 1)  # others' labels move no ideal
        for documents in rankings.documents:  # a rank at a time, so that no array of all places is made
            is_affected |= is_changed[documents[systems]].any(axis=0)
    if experiment.reworded and whole:
        is_affected[:] = True
    return np.flatnonzero(is_affected)


def restricted(places: AlignedRankings, columns: Array, whole: bool = False) -> AlignedRankings:
    """Return the places of these queries in all systems, without other documents, unless the `whole` collection is
    read.
    """
    rankings, words = places.rankings, places.words
    documents = rankings.documents[:, :, columns]  # (K, S, q)
    document_rows = np.arange(len(rankings.doc_ids)) if whole else np.unique(documents[documents >= 0])
    place = np.full(len(rankings.doc_ids) + 1, -1, dtype=np.int32)
    place[document_rows] = np.arange(len(document_rows), dtype=np.int32)
    return replace(
        places,
        rankings=replace(
            rankings,
            queries=tuple(rankings.queries[column] for column in columns.tolist()),
            doc_ids=rankings.doc_ids[document_rows],
            documents=place[documents],
            lengths=rankings.lengths[:, columns],
        ),
        labels=places.labels.take(document_rows),
        words=WordEvidence(
            words.counts[document_rows],
            words.tokens[document_rows],
            words.known[document_rows],
            words.in_collection[document_rows],
        ),
        made_of=(),
    )


def changed(study: Study, settings: Settings, places: AlignedRankings, experiment: Experiment) -> AlignedRankings:
    """Return the places after the experiment: with its order, labels and word counts."""
    rankings = places.rankings
    at = rankings.row_of(experiment.system), rankings.queries.index(experiment.query)
    documents = rankings.documents.copy()
    order = rankings.doc_ids.get_indexer(pd.Index(experiment.order, dtype="str"))
    documents[: len(order), at[0], at[1]] = order
    return replace(
        places,
        rankings=replace(rankings, documents=documents),
        labels=_labels(places, experiment),
        words=_words(study, settings, places, experiment),
        made_of=(),
    )


def _labels(places: AlignedRankings, experiment: Experiment) -> LabelEvidence:
    names = {"": -1, **{name: code for code, name in enumerate((places.neutral, *places.groups))}}
    documents = places.rankings.doc_ids.get_indexer(pd.Index(list(experiment.relabelled), dtype="str"))
    codes = [names[label] for label in experiment.relabelled.values()]
    return places.labels.changed(dict(zip(documents.tolist(), codes, strict=True)))


def _words(study: Study, settings: Settings, places: AlignedRankings, experiment: Experiment) -> WordEvidence:
    evidence = places.words
    texts = replaced_texts(study, sorted(experiment.reworded))
    if not texts:
        return evidence
    group_counts = count_groups(list(texts.values()), chosen_lexicon(study, settings), settings.tokenizer, study.groups)
    rows = places.rankings.doc_ids.get_indexer(pd.Index(list(texts), dtype="str"))
    counts, tokens = evidence.counts.copy(), evidence.tokens.copy()
    counts[rows], tokens[rows] = group_counts.counts, group_counts.tokens
    return WordEvidence(counts, tokens, evidence.known, evidence.in_collection)


def replaced_texts(study: Study, names: Sequence[str]) -> Mapping[str, str]:
    """Return title and text of these documents with gender words replaced, by id, without documents lacking text."""
    if not names:
        return {}
    documents = study.documents[study.documents["doc_id"].isin(list(names))]
    words = packaged().only("words")
    pairs = zip(documents["doc_id"].tolist(), document_text(documents).tolist(), strict=True)
    return {str(name): swap_words(text, words) for name, text in pairs if isinstance(text, str)}
