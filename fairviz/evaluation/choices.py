"""From a study and what was chosen to the arrays that measures read: which annotator, which words, which queries."""

from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary, ref

from fairviz.annotation.counted import counted_annotator, labels_of
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.measures.rankings import Rankings, align_runs, label_evidence, relevance_by_query, targets, word_evidence
from fairviz.measures.sums import Places
from fairviz.study.record import Study
from fairviz.study.references import EDITED, is_contender
from fairviz.words.counting import GSR_LEXICON, Lexicon, parse_lexicon

_ADDED: WeakKeyDictionary[Study, frozenset[str]] = WeakKeyDictionary()
_JUDGED: WeakKeyDictionary[Study, dict[str, dict[str, int]]] = WeakKeyDictionary()


def judgements(study: Study) -> dict[str, dict[str, int]]:
    """The relevance judgements as ir_measures takes them, laid out once a study: query to document to relevance."""
    if study not in _JUDGED:
        _JUDGED[study] = relevance_by_query(study.qrels)
    return _JUDGED[study]


def chosen_annotator(study: Study, settings: Settings) -> str:
    """The annotator whose labels count: the chosen one, else the study's, else the only one, else the majority of
    those that are neither rule nor model. Decisions of a reader count where they are chosen, and by default only in a
    study that has nothing else. Empty for a study without labels. Raises FairvizError for an unknown name."""
    return counted_annotator(study, settings.annotator)


def chosen_lexicon(study: Study, settings: Settings) -> Lexicon:
    """The gender words that count: those written in the settings, else the study's own, else the built-in ones."""
    if settings.lexicon == "gsr":
        return GSR_LEXICON
    if settings.lexicon:
        return parse_lexicon(settings.lexicon)
    return study.lexicon or GSR_LEXICON


def chosen_systems(study: Study, settings: Settings) -> tuple[str, ...]:
    """The systems shown. Raises FairvizError for a name that the study does not hold."""
    unknown = [name for name in settings.systems if name not in study.systems]
    if unknown:
        raise FairvizError(
            f"the study {study.name!r} has no system {unknown[0]!r}", f"Use one of {', '.join(study.systems)}."
        )
    return settings.systems or study.systems


def outsiders(study: Study) -> tuple[str, ...]:
    """Return the systems that are tested only when ticked: references, lists edited by hand, and added runs."""
    return tuple(name for name in study.systems if not is_contender(name) or name in study.drafts)


def added_systems(study: Study) -> tuple[str, ...]:
    """Return the systems that move no value of the others: added runs and lists edited by hand."""
    return tuple(name for name in study.systems if name in study.drafts or EDITED in name)


def aligned_runs(study: Study, settings: Settings, collection: Sequence[str]) -> Rankings:
    """Return the study's runs as arrays, with those that were added named. collection: as `align_runs` takes it."""
    rankings = align_runs(study.runs, settings.ties, collection)  # type: ignore[arg-type]
    return replace(rankings, added=added_systems(study))


def own_queries(study: Study, queries: Sequence[str]) -> Sequence[str]:
    """Return the queries without those that added systems alone answer."""
    added = added_systems(study)
    if not added or len(added) == len(study.systems):
        return queries
    if study not in _ADDED:
        later = study.runs["system"].isin(added)
        own, others = (set(study.runs.loc[rows, "query_id"].unique()) for rows in (~later, later))
        _ADDED[study] = frozenset(others - own)
    return [query for query in queries if query not in _ADDED[study]]


def chosen_queries(study: Study, settings: Settings, ranked: Sequence[str]) -> tuple[str, ...]:
    """Of the queries that any run answers, an added one aside, those that the settings' filter keeps.

    Raises FairvizError where the queries have no such column or the filter keeps none.
    """
    ranked = own_queries(study, ranked)
    if not settings.filter_column or not settings.filter_values:
        return tuple(ranked)
    if settings.filter_column not in study.queries.columns:
        raise FairvizError(
            f"the queries of {study.name!r} have no column {settings.filter_column!r}",
            f"Use one of {', '.join(study.queries.columns)}.",
        )
    column = study.queries[settings.filter_column].astype("str")
    kept = set(study.queries.loc[column.isin(settings.filter_values), "query_id"])
    queries = tuple(query for query in ranked if query in kept)
    if not queries:
        values = ", ".join(settings.filter_values)
        raise FairvizError(
            f"no query that a run answers has {values!r} in its column {settings.filter_column!r}",
            "Choose another value, or all queries.",
        )
    return queries


_MADE_OF = ("study", "ties", "annotator", "lexicon", "tokenizer", "unlabelled")  # what align_key holds, by name


def align_key(study: Study, settings: Settings, collection: bool = False) -> tuple:
    """What the arrays of `align` depend on: equal keys, equal arrays."""
    return (
        study.fingerprint,
        settings.ties,
        chosen_annotator(study, settings),
        chosen_lexicon(study, settings),
        settings.tokenizer,
        settings.unlabelled,
        collection,
    )


def align(study: Study, settings: Settings, *, collection: bool = False) -> Places:
    """The study's rankings with their evidence, for all its systems and queries.

    collection: also documents that no run retrieved, which the background set `collection` needs.
    """
    made_of = _made_of(study, settings, collection)
    everything = study.documents["doc_id"].tolist() if collection else []
    rankings = aligned_runs(study, settings, everything)
    labels = labels_of(study, chosen_annotator(study, settings))
    words = word_evidence(
        study.documents, rankings.doc_ids, chosen_lexicon(study, settings), settings.tokenizer, study.groups
    )
    return Places(
        rankings,
        label_evidence(labels, rankings.doc_ids, study.neutral, study.groups),
        words,
        study.groups,
        study.neutral,
        study.groups.index(study.protected),
        targets(study),
        settings.unlabelled,  # type: ignore[arg-type]
        made_of,
    )


def _made_of(study: Study, settings: Settings, collection: bool) -> tuple:
    """The key of the arrays; a study without a fingerprint is known by being the same object."""
    return (study.fingerprint or ref(study), *align_key(study, settings, collection)[1:])


def aligned(study: Study, settings: Settings, places: Places | None, *, collection: bool = False) -> Places:
    """`places`, or fresh arrays where there are none. Raises FairvizError for those of another study, or of settings
    under which they would answer otherwise."""
    if places is None:
        return align(study, settings, collection=collection)
    asked = _made_of(study, settings, collection)
    made = places.made_of or (None,) * len(asked)
    wrong = [name for name, ours, theirs in zip(_MADE_OF, asked, made, strict=False) if ours != theirs]
    if not wrong and collection and not made[-1]:
        wrong = ["background"]
    if not wrong:
        return places
    raise FairvizError(
        f"the places given for {study.name!r} were made for "
        + ("another study" if wrong[0] == "study" else f"another choice of {', '.join(wrong)}"),
        "Make them with align(study, settings), with collection=True for the background collection, or leave them out.",
    )


_NO_RUNS = (
    "it has no runs. Add runs/NAME.run (TREC format, 6 columns), or rank its documents with "
    "`fairviz rank {name} --with bm25`."
)
_NO_QRELS = "it has no relevance judgements. Add qrels.txt (TREC format: query 0 document relevance)."
_NO_TEXT = "it has no text of documents. Add documents.tsv with the columns doc_id and text."


def missing_part(study: Study, question: Question, settings: Settings) -> str:
    """What the study lacks for this question and how to add it, in one sentence; empty where it lacks nothing."""
    if not study.has("runs"):
        return _NO_RUNS.format(name=study.name)
    if question.measure is not None and not question.measure.per_query:
        return missing_for_gsr(study, question.parameters["depth"])
    if question.family == "effectiveness" and not study.has("qrels"):
        return _NO_QRELS
    if question.family == "labels":
        return _missing_labels(study, question)
    if question.family == "words":
        return _missing_words(study, settings)
    return ""


def missing_for_gsr(study: Study, depth: str) -> str:
    """What the study lacks for GSR at this depth (`cutoff` or `relevant`), as `missing_part` says it."""
    if not study.has("runs"):
        return _NO_RUNS.format(name=study.name)
    if not study.has("queries"):
        return "it has no text of queries. Add queries.tsv with the columns query_id and text."
    if not study.has("documents") or study.documents["text"].isna().all():
        return _NO_TEXT
    if depth == "relevant" and not study.has("qrels"):
        return _NO_QRELS
    return ""


def _missing_labels(study: Study, question: Question) -> str:
    if not study.has("labels"):
        return "it has no gender labels. Add labels.csv with the columns doc_id, annotator, label."
    if study.label_kind != "gender":
        return "its labels are not genders (labels = 'other' in study.toml)."
    for name in ("group", "protected"):
        group = question.parameters.get(name)
        allowed = study.groups if name == "protected" else (study.neutral, *study.groups)
        if group is not None and group not in allowed:
            return f"it has no group {group!r}. Use one of {', '.join(allowed)}."
    return ""


def _missing_words(study: Study, settings: Settings) -> str:
    if not study.has("documents") or study.documents["text"].isna().all():
        return _NO_TEXT
    lexicon = chosen_lexicon(study, settings)
    lacking = [group for group in study.groups if group not in lexicon.groups]
    if lacking:
        return (
            f"the word list {lexicon.name!r} has no words of the group {lacking[0]!r}. "
            "Add lexicon.csv with the columns word, group."
        )
    return ""
