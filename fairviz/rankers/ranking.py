"""Rankings of a study's documents for its queries, and the time that they need for reading texts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from fairviz.declared import RANK
from fairviz.errors import FairvizError
from fairviz.measures.rankings import relevance_by_query
from fairviz.models.reading_time import read_seconds
from fairviz.rankers.encoders import counterparts_of_texts
from fairviz.rankers.grammar import RankerChoice, check_layers, demonstrations
from fairviz.rankers.record import Collection, Found, Lister, Part, Query, Texts, analyser, silent
from fairviz.study.loaders.runs import stack_runs
from fairviz.study.record import Study
from fairviz.study.tables import RUNS, conform, empty
from fairviz.words.counting import document_text
from fairviz.words.sentences import out_of

DEPTH = 100
Progress = Callable[[int, int], None]
Judged = Mapping[str, Mapping[str, int]]  # relevance by query and document
_LACKING: dict[Part, tuple[str, str]] = {
    part: (f"has no {part} to rank", f"Add {part}.csv (or .tsv, .jsonl, .parquet) to its folder.")
    for part in ("queries", "documents")
}
_LACKING["qrels"] = ("has no relevance to rank by", "Add qrels.txt to its folder.")
_LACKING["labels"] = ("has no gender labels to rank by", "Add labels.csv with the columns doc_id, annotator, label.")


@dataclass(frozen=True)
class Ranked:
    """Runs of one or more systems, and messages for the user."""

    runs: pd.DataFrame
    messages: tuple[str, ...]


def rank(
    study: Study,
    choices: Sequence[RankerChoice],
    depth: int = DEPTH,
    progress: Progress | None = None,
    encoding: Progress | None = None,
    *,
    candidates: str = "all",
) -> Ranked:
    """Rank the study's documents for every query.

    depth: the longest list. candidates: `all`, or `judged`, those with a relevance judgement for the query. A list has
    only the documents that the ranker finds, and may be short or absent. Tied scores are ordered by doc_id.
    progress(queries done, queries in all) counts over all systems; encoding(texts done, texts in all) is called while a
    model reads. A ranker of runs sees those of the study (except those of `choices`) and those before it in `choices`.
    Raises FairvizError where the study or the installation lacks what a ranker needs.
    """
    check_depth(depth)
    check_candidates(study, candidates)
    check_layers(choices)
    for choice in choices:
        check_parts(study, choice)
    messages = [*demonstrations(choices)]
    texts = texts_of(study, choices, messages)
    queries = queries_of(study)
    needs_runs = any("runs" in choice.ranker.needs for choice in choices)
    runs = _other_runs(study, choices) if needs_runs else empty(RUNS)
    judged = relevance_by_query(study.qrels) if candidates == "judged" else None
    frames: list[pd.DataFrame] = []
    for number, choice in enumerate(choices):
        collection = Collection(study, texts, runs, messages.append, encoding or silent)
        told = partial(_count_on, progress, number * len(queries), len(choices) * len(queries))
        frames.append(_run_of(choice, collection, queries, depth, judged, told))
        if needs_runs and len(frames[-1]):
            new = conform(frames[-1], RUNS)
            runs = stack_runs([runs, new]) if len(runs) else new
    return Ranked(conform(pd.concat(frames, ignore_index=True), RUNS), tuple(dict.fromkeys(messages)))


def check_depth(depth: object) -> None:
    """Raise UsageError for a longest list that is not a whole number of 1 or more."""
    RANK["depth"].check(depth)


def check_candidates(study: Study, candidates: object) -> None:
    """Raise UsageError for candidates that there are not, FairvizError for a study without judgements of them."""
    RANK["candidates"].check(candidates)
    if candidates == "judged" and not study.has("qrels"):
        raise FairvizError(f"{study.name} has no judged documents to rank", "Add qrels.txt, or rank all documents.")


def _other_runs(study: Study, choices: Sequence[RankerChoice]) -> pd.DataFrame:
    """Return the study's runs except those of the choices, which are made anew."""
    runs = study.runs[~study.runs["system"].isin([choice.system for choice in choices])]
    return runs.assign(system=runs["system"].cat.remove_unused_categories())


def _run_of(
    choice: RankerChoice,
    collection: Collection,
    queries: Sequence[Query],
    depth: int,
    judged: Judged | None,
    told: Callable[[int], None],
) -> pd.DataFrame:
    """Return the run of one ranker, and report how many of its lists are empty. told(queries done)."""
    lists = _lists(choice.ranker.prepare(collection, choice.parameters), queries, depth, judged, told)
    empty_count = len(queries) - lists["query_id"].nunique()
    nothing, share = choice.ranker.nothing, out_of(empty_count, len(queries), "query")
    if empty_count == len(queries):
        collection.say(f"{choice.system}: the queries {nothing} ({share}), so it has no run.")
    elif empty_count:
        collection.say(f"{choice.system}: {share} {nothing}; their lists are empty.")
    return lists.assign(system=choice.system)


def _lists(
    find: Lister, queries: Sequence[Query], depth: int, judged: Judged | None, told: Callable[[int], None]
) -> pd.DataFrame:
    """Return the list of each query, concatenated: query_id, doc_id, rank, score. judged: the candidates, None for
    all."""
    columns: dict[str, list] = {"query_id": [], "doc_id": [], "rank": [], "score": []}
    for done, query in enumerate(queries, start=1):
        hits = find(query)
        if judged is not None:
            own = np.isin(hits.documents.astype(str), list(judged.get(query.query_id, ())))
            hits = Found(hits.documents[own], hits.scores[own])
        rows = _best_rows(hits, depth)
        columns["query_id"] += [query.query_id] * len(rows)
        columns["doc_id"] += hits.documents[rows].tolist()
        columns["rank"] += range(1, len(rows) + 1)
        columns["score"] += hits.scores[rows].tolist()
        told(done)
    return pd.DataFrame(columns)


def _count_on(progress: Progress | None, before: int, total: int, done: int) -> None:
    """Report the queries that this ranker has done, after those of the rankers before it."""
    if progress:
        progress(before + done, total)


def _best_rows(hits: Found, depth: int) -> np.ndarray:
    """Return the rows of the documents with the highest scores, best first, tied scores by name; at most `depth`."""
    scores, rows = hits.scores, np.arange(len(hits.scores))
    if len(rows) > depth:
        least = np.partition(scores, len(rows) - depth)[len(rows) - depth]
        rows = rows[scores >= least]
    return rows[np.lexsort((hits.documents[rows].astype(str), -scores[rows]))][:depth]


def check_parts(study: Study, choice: RankerChoice) -> None:
    """Raise FairvizError where the study lacks what the ranker needs."""
    for part in choice.ranker.needs:
        if part in _LACKING and not study.has(part):
            problem, remedy = _LACKING[part]
            raise FairvizError(f"{study.name} {problem}", remedy)


def texts_of(study: Study, choices: Sequence[RankerChoice], messages: list[str]) -> Texts:
    """Return the documents with text. Raises FairvizError where a ranker reads documents and none has a word."""
    documents = documents_with_text(study)
    if not any("documents" in choice.ranker.needs for choice in choices):
        return documents
    if not any(documents.terms):
        raise FairvizError(f"no document of {study.name} holds a word to search for", "Give the documents' text.")
    if len(documents.names) < len(study.documents):
        messages.append(f"{len(study.documents) - len(documents.names):,} documents without text were not ranked.")
    return documents


def documents_with_text(study: Study, names: Iterable[str] | None = None) -> Texts:
    """Return the documents with text; those of the wanted ids, if given."""
    documents = study.documents if names is None else study.documents[study.documents["doc_id"].isin(names)]
    texts = document_text(documents)
    return Texts(documents["doc_id"][texts.notna()].to_numpy(dtype=object), tuple(texts.dropna()))


def queries_of(study: Study) -> list[Query]:
    """Return the study's queries; without any, those of its runs or judgements, which have no text."""
    terms = analyser()
    if study.has("queries"):
        rows = zip(study.queries["query_id"], study.queries["text"], strict=True)
        return [Query(name, text, tuple(terms(text))) for name, text in rows]
    names = study.answered if study.has("runs") else study.qrels["query_id"].unique()
    return [Query(str(name), "", ()) for name in names]


# The time that rankers need for reading texts with an encoder, estimated without reading any.


def reads(choice: RankerChoice) -> bool:
    """Return whether the ranker reads texts with a model."""
    return "model" in choice.parameters or choice.ranker.unread is not None


def both_wordings_of(study: Study) -> list[str]:
    """Return the documents that a swap of genders changes, each with its swapped text: those from which a bi-encoder
    learns directions of gender."""
    return [text for pair in counterparts_of_texts(documents_with_text(study).texts) for text in pair]


def unread_texts(
    study: Study, choice: RankerChoice, wordings: Sequence[str] = (), others: Sequence[str] = ()
) -> list[str] | None:
    """Return the texts that the ranker's model has not read yet; None where it does not tell, see `Ranker.unread`.

    wordings: other wordings of the documents, which a bi-encoder without directions of gender reads too. others: texts
    that every model reads too. Raises FairvizError without MiniLM.
    """
    if not reads(choice):
        return []
    if choice.ranker.unread is None:
        return None
    texts = [*documents_with_text(study).texts, *(text for text in study.queries["text"] if text.strip()), *others]
    unread = choice.ranker.unread(texts, wordings, choice.parameters)
    return None if unread is None else list(unread)


def reading_seconds(
    study: Study, choices: Sequence[RankerChoice], wordings: Sequence[str] = (), others: Sequence[str] = ()
) -> float | None:
    """Return the seconds in which these rankers read what they have not read yet; None where one is unknown.

    wordings, others: see `unread_texts`.
    """
    parts = [(choice.ranker.name, unread_texts(study, choice, wordings, others)) for choice in choices]
    if any(texts is None for _, texts in parts):
        return None
    by_model = dict.fromkeys((name, text) for name, texts in parts for text in texts or ())
    return read_seconds(text for _, text in by_model)
