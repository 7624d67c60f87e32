"""What an experiment does to every measure: of its query, and of the mean over queries of its system.

Answers come from the functions that answer everywhere, on a copy of the places that holds only the queries whose value
can be another: the experiment's own, and those in whose lists stands a document with another label or other words.
Axis letters: S systems, Q queries, K ranks, D documents, M measures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_lexicon, chosen_queries
from fairviz.evaluation.scores import positions, values_of, wants_collection
from fairviz.evaluation.settings import Settings
from fairviz.laboratory.experiment import Experiment
from fairviz.measures import Question
from fairviz.measures.rankings import LabelEvidence, WordEvidence
from fairviz.measures.sums import Places
from fairviz.statistics.bootstrap import mean_over_queries
from fairviz.study.study import Study
from fairviz.words.counterparts import packaged
from fairviz.words.counting import count_groups, document_text
from fairviz.words.substitution import swap_words

Array = np.ndarray
PARTS = ("before", "now", "difference")
COLUMNS = ("measure", *PARTS, *(f"mean_{part}" for part in PARTS))


def bare_experiment(study: Study, places: Places, system: str, query: str) -> Experiment:
    """The list of a system for a query, untouched. Raises FairvizError where there is none."""
    rankings = places.rankings
    length = 0
    if system in rankings.systems and query in rankings.queries:
        at = rankings.systems.index(system), rankings.queries.index(query)
        length = int(rankings.lengths[at])
    if not length:
        raise FairvizError(f"{system!r} has no list for the query {query!r}", "Choose another query or system.")
    documents = rankings.documents[:length, at[0], at[1]]
    names = tuple(map(str, rankings.doc_ids[documents]))
    labels = (study.neutral, *study.groups) if study.label_kind == "gender" and study.has("labels") else ()
    codes = places.labels.codes[documents].tolist()
    known = tuple((name, labels[code]) for name, code in zip(names, codes, strict=True) if code >= 0 and labels)
    return Experiment(system, query, names, labels, known)


def outcome(
    study: Study,
    settings: Settings,
    experiment: Experiment,
    questions: Sequence[Question],
    places: Places,
    scores: pd.DataFrame,
) -> pd.DataFrame:
    """Every measure before, now and the difference: of the query, and as mean_… of the system's mean over queries.

    questions: those with a value for one query. places: of the study under these settings. scores: the study's, as
    fairviz.evaluate gives them, with the experiment's system in them. Returns a row a question: measure, before, now,
    difference, mean_before, mean_now, mean_difference; NaN where a value is undefined.
    """
    rankings = places.rankings
    asked = chosen_queries(study, settings, rankings.queries)
    whole = wants_collection(questions, settings)
    was = restricted(places, affected(places, experiment, whole), whole)
    now = changed(study, settings, was, experiment)
    queries = was.rankings.queries
    system, query = rankings.systems.index(experiment.system), queries.index(experiment.query)
    counted = [place for place, name in enumerate(queries) if name in set(asked)]
    at = positions(asked, [queries[place] for place in counted])
    rows, held = [], values_of_system(scores, experiment.system)
    for question in questions:
        both = np.stack([values_of(study, one, question, settings)[0, system] for one in (was, now)])  # (2, q)
        means = np.tile(held[question.text].reindex(list(asked)).to_numpy(), (2, 1))
        means[:, at] = both[:, counted]
        before, after = both[:, query].tolist()
        mean_before, mean_after = mean_over_queries(means).tolist()
        rows.append((question.text, before, after, after - before, mean_before, mean_after, mean_after - mean_before))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"measure": "str"})


def values_of_system(scores: pd.DataFrame, system: str) -> Mapping[str, pd.Series]:
    """The system's values by query of each measure in the scores, looked up once for all measures."""
    mine = scores[scores["system"] == system]
    queries = pd.Index(mine["query_id"].astype("str"))
    codes, names = pd.factorize(mine["measure"])
    values = mine["value"].to_numpy(dtype=np.float64)
    return {str(name): pd.Series(values[codes == at], index=queries[codes == at]) for at, name in enumerate(names)}


def affected(places: Places, experiment: Experiment, whole: bool = False) -> Array:
    """The places of the queries whose values can be others now, ascending; the experiment's own is always among them.

    A changed text can move what a list is set against too: the ideal made of all lists, or, where a measure reads the
    `whole` collection, that of every query.
    """
    rankings = places.rankings
    held = np.zeros(len(rankings.queries), dtype=bool)
    held[rankings.queries.index(experiment.query)] = True
    touched = {*experiment.relabelled, *experiment.reworded}
    if touched:
        rows = rankings.doc_ids.get_indexer(pd.Index(sorted(touched), dtype="str"))
        there = np.zeros(len(rankings.doc_ids) + 1, dtype=bool)
        there[rows[rows >= 0]] = True  # the last place, where -1 looks, is no document
        system = rankings.systems.index(experiment.system)
        systems = slice(None) if experiment.reworded else slice(system, system + 1)  # others' labels move no ideal
        for documents in rankings.documents:  # a rank at a time, so that no array of all places is made
            held |= there[documents[systems]].any(axis=0)
    if experiment.reworded and whole:
        held[:] = True
    return np.flatnonzero(held)


def restricted(places: Places, columns: Array, whole: bool = False) -> Places:
    """The places of these queries alone, in all systems. Documents that they do not hold are left out, save where the
    `whole` collection is read."""
    rankings, words = places.rankings, places.words
    documents = rankings.documents[:, :, columns]  # (K, S, q)
    kept = np.arange(len(rankings.doc_ids)) if whole else np.unique(documents[documents >= 0])
    place = np.full(len(rankings.doc_ids) + 1, -1, dtype=np.int32)
    place[kept] = np.arange(len(kept), dtype=np.int32)
    return replace(
        places,
        rankings=replace(
            rankings,
            queries=tuple(rankings.queries[column] for column in columns.tolist()),
            doc_ids=rankings.doc_ids[kept],
            documents=place[documents],
            lengths=rankings.lengths[:, columns],
        ),
        labels=LabelEvidence(places.labels.codes[kept]),
        words=WordEvidence(words.counts[kept], words.tokens[kept], words.known[kept], words.in_collection[kept]),
        made_of=(),
    )


def changed(study: Study, settings: Settings, places: Places, experiment: Experiment) -> Places:
    """The places as the experiment leaves them: the list in its order, labels and counts of words in their place."""
    rankings = places.rankings
    at = rankings.systems.index(experiment.system), rankings.queries.index(experiment.query)
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


def _labels(places: Places, experiment: Experiment) -> LabelEvidence:
    codes = places.labels.codes.copy()
    names = {"": -1, **{name: code for code, name in enumerate((places.neutral, *places.groups))}}
    for name, label in experiment.relabelled.items():
        codes[places.rankings.doc_ids.get_loc(name)] = names[label]
    return LabelEvidence(codes)


def _words(study: Study, settings: Settings, places: Places, experiment: Experiment) -> WordEvidence:
    held = places.words
    texts = replaced_texts(study, sorted(experiment.reworded))
    if not texts:
        return held
    found = count_groups(list(texts.values()), chosen_lexicon(study, settings), settings.tokenizer, places.groups)
    rows = places.rankings.doc_ids.get_indexer(pd.Index(list(texts), dtype="str"))
    counts, tokens = held.counts.copy(), held.tokens.copy()
    counts[rows], tokens[rows] = found.counts, found.tokens
    return WordEvidence(counts, tokens, held.known, held.in_collection)


def replaced_texts(study: Study, names: Sequence[str]) -> Mapping[str, str]:
    """Title and text of these documents with their gender words replaced, by id; those without text left out."""
    if not names:
        return {}
    held = study.documents[study.documents["doc_id"].isin(list(names))]
    words = packaged().only("words")
    pairs = zip(held["doc_id"].tolist(), document_text(held).tolist(), strict=True)
    return {str(name): swap_words(text, words) for name, text in pairs if isinstance(text, str)}
