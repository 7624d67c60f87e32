"""Sentences on what a study lacks for a measure, with the remedy; empty where it lacks nothing."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from fairviz.errors import use_one_of
from fairviz.evaluation.crossing import Grouping
from fairviz.measures import Question
from fairviz.study.attributes import named_sets
from fairviz.study.draws import expanded
from fairviz.study.memberships import shares_of
from fairviz.study.near_misses import near_miss_text
from fairviz.study.record import Study
from fairviz.words.counting import Lexicon, document_text, documents_with_entries, no_hits
from fairviz.words.sentences import counted, first_listed, out_of

NAMED = 4  # systems that are named one by one
FEW = 0.05  # share of documents with a word of the list below which it is noted

NO_RUNS = (
    "it has no runs. Add runs/NAME.run (TREC format, 6 columns), or rank its documents with "
    "`fairviz rank {name} --with bm25`."
)
ALL_DRAWS = "it is of all draws of a system together. Name the system, not {}."
NO_ANSWERS = (
    "its runs answer none of its queries: they have {run!r}, and the queries {query!r}. Give both the same ids."
)
NO_QRELS = "it has no relevance judgements. Add qrels.txt (TREC format: query 0 document relevance)."
NO_TEXT = "it has no text of documents. Add documents.tsv with the columns doc_id and text."
NO_ORDER = (
    "its groups{column} have no order, and rnod is of ordinal groups. Write scale = 'ordinal' in study.toml if their "
    "order there is one, or use jsd."
)
NO_SETS = "Add [attributes.COLUMN] with levels = [...] to study.toml, and the column to the documents."
NO_CROSSED_WORDS = (
    "its groups are crossed with {column!r}, and gender words have no such column. Leave the crossing out."
)

_WITH_WORDS: WeakKeyDictionary[Study, dict[tuple[Lexicon, str], tuple[int, int]]] = WeakKeyDictionary()


def missing_runs(study: Study) -> str:
    """Return what the study lacks for any measure: runs, and a run's list for one of its queries."""
    if not study.has("runs"):
        return NO_RUNS.format(name=study.name)
    answered = study.runs["query_id"].cat.categories
    if study.has("queries") and not answered.isin(study.queries["query_id"]).any():
        reason = NO_ANSWERS.format(run=answered[0], query=study.queries["query_id"].iloc[0])
        return f"{reason} {near_miss_text(study, 'runs', 'query_id')}".rstrip()
    return ""


def near_miss_note(study: Study, scores: pd.DataFrame) -> str:
    """Return the ids that nearly join, with their count, where half of a measure's values are undefined or less than
    half of the ranks labelled; empty elsewhere. scores: of `fairviz.evaluate`."""
    undefined = scores["value"].isna().groupby(scores["measure"], observed=True).mean()
    is_bare = "labelled" in scores and 2 * scores["labelled"].sum() < scores["places"].sum()
    return near_miss_text(study) if is_bare or undefined.ge(0.5).any() else ""


def unanswered_note(study: Study, systems: Sequence[str], queries: Sequence[str]) -> str:
    """Return how many of these queries each system leaves unanswered, and what that means for its values; and how many
    queries of runs are not the study's. Empty where neither occurs."""
    runs = study.runs
    codes, names = runs["query_id"].cat.codes.to_numpy(), runs["query_id"].cat.categories
    has_list = np.zeros((len(study.run_names), len(names)), dtype=bool)
    has_list[runs["system"].cat.codes.to_numpy(), codes] = True
    answered = has_list[:, names.isin(queries)]
    row = {name: place for place, name in enumerate(study.run_names)}
    counts = {
        name: len(queries) - int(answered[[row[run] for run in expanded([name], study.run_names)]].any(axis=0).sum())
        for name in systems
    }
    lacking = [f"{name} {count:,}" for name, count in counts.items() if count]
    notes = []
    if lacking:
        notes.append(
            f"Unanswered of {counted(len(queries), 'query')}: {first_listed(lacking, NAMED)}; 0 for effectiveness, "
            "undefined for other measures."
        )
    if outside := int((has_list.any(axis=0) & ~names.isin(study.query_ids)).sum()):
        notes.append(f"{counted(outside, 'query')} of runs not among the study's: counted nowhere.")
    return " ".join(notes)


def missing_labels(study: Study, question: Question, grouping: Grouping) -> str:
    """Return what the study lacks for a measure of labels under this grouping."""
    if not study.has("labels"):
        return "it has no gender labels. Add labels.csv with the columns doc_id, annotator, label."
    if study.label_kind != "gender":
        return "its labels are not genders (labels = 'other' in study.toml)."
    for name in ("group", "protected"):
        group = question.parameters.get(name)
        allowed = grouping.groups if name == "protected" else (study.neutral, *grouping.groups)
        if group is not None and group not in allowed:
            return f"it has no group {group!r}. Use one of {('; ' if grouping.column else ', ').join(allowed)}."
    if question.parameters.get("distance") == "rnod" and not grouping.ordinal:
        return NO_ORDER.format(column=f" crossed with {grouping.column!r}" if grouping.column else "")
    return _missing_sets(study, question) or _missing_protected(question, grouping)


def _missing_sets(study: Study, question: Question) -> str:
    """Return the reason why the study lacks an attribute set that the question names."""
    names = named_sets(question.parameters.get("attributes") or "")
    for name in names:
        if name not in study.attributes:
            remedy = use_one_of(study.attributes, name) if study.attributes else NO_SETS
            return f"it has no attribute set {name!r}. {remedy}"
        if name not in study.documents:
            return f"its documents have no column {name!r}, which is an attribute set. Add it."
        if names.count(name) > 1:
            return f"the attribute set {name!r} is named twice. Name it once."
    return ""


def _missing_protected(question: Question, grouping: Grouping) -> str:
    """Return the reason why a measure that sets one protected group apart has no value for crossed groups."""
    measure = question.measure
    if not grouping.column or measure is None or not measure.protects or question.parameters.get("protected"):
        return ""
    takes_group = any(parameter.name == "protected" for parameter in measure.parameters)
    example = f"{measure.name if takes_group else 'GroupExposureRatio'}(protected={grouping.protected_name!r})"
    return (
        f"{grouping.column!r} makes {len(grouping.values)} groups of each gender, and only one can be protected. "
        f"{'Write' if takes_group else 'Use'} {example}, or leave the crossing out."
    )


def documents_with_words(study: Study, lexicon: Lexicon, tokenizer: str) -> tuple[int, int]:
    """Return the numbers of documents with a word of the list, counted up to FEW of all, and of all that have text.

    Kept for each study: a list of which much occurs is known after the first documents.
    """
    by_list = _WITH_WORDS.setdefault(study, {})
    if (lexicon, tokenizer) not in by_list:
        texts = document_text(study.documents)
        total = study.word_counts.documents if study.word_counts else int(texts.notna().sum())
        enough = int(np.ceil(FEW * total))
        if study.word_counts:
            found = study.word_counts.documents_with_words(study.groups, enough)
        else:
            found = documents_with_entries(texts, lexicon, tokenizer, study.groups, enough)
        by_list[lexicon, tokenizer] = found, total
    return by_list[lexicon, tokenizer]


def rare_words_note(
    study: Study, lexicon: Lexicon, tokenizer: str, questions: Sequence[Question], grouping: Grouping
) -> str:
    """Return in how few documents a word of the list occurs, and what that means for measures of words; empty if they
    are many or no question is of words."""
    is_asked = any(question.family == "words" for question in questions)
    if not is_asked or missing_words(study, lexicon, tokenizer, grouping):
        return ""
    found, total = documents_with_words(study, lexicon, tokenizer)
    if found >= FEW * total:
        return ""
    few = out_of(found, total, "document")
    return f"Words of the list {lexicon.name!r} are in {few} only; to measures of words the others are neutral."


def missing_words(study: Study, lexicon: Lexicon, tokenizer: str, grouping: Grouping) -> str:
    """Return what the study lacks for measures of words under this grouping."""
    if grouping.column:
        return NO_CROSSED_WORDS.format(column=grouping.column)
    if study.word_counts:
        refusal = ". ".join(study.word_counts.refusal(lexicon, tokenizer, study.groups))
        return refusal or missing_hits(study, lexicon, tokenizer)
    if not study.has("documents") or study.documents["text"].isna().all():
        return NO_TEXT
    lacking = [group for group in study.groups if group not in lexicon.groups]
    if lacking:
        return (
            f"the word list {lexicon.name!r} has no words of the group {lacking[0]!r}. "
            "Add lexicon.csv with the columns word, group."
        )
    return missing_hits(study, lexicon, tokenizer)


def missing_hits(study: Study, lexicon: Lexicon, tokenizer: str) -> str:
    """Return that no word of the list is in any document, by which every document would be neutral."""
    found, total = documents_with_words(study, lexicon, tokenizer)
    return "" if found or not total else ". ".join(no_hits(lexicon, total))


def missing_for_gsr(study: Study, depth: str) -> str:
    """Return what the study lacks for GSR at this depth (`cutoff` or `relevant`)."""
    if not study.has("runs"):
        return NO_RUNS.format(name=study.name)
    if not study.has("queries"):
        return "it has no text of queries. Add queries.tsv with the columns query_id and text."
    if study.word_counts:
        if refusal := study.word_counts.refusal_of_g():
            return ". ".join(refusal)
    elif not study.has("documents") or study.documents["text"].isna().all():
        return NO_TEXT
    if depth == "relevant" and not study.has("qrels"):
        return NO_QRELS
    return ""


def missing_for_label_changes(grouping: Grouping, labels: pd.DataFrame) -> str:
    """Return the reason why the effect of single labels cannot be computed under this grouping, or from these labels
    of an annotator."""
    if shares_of(labels, (*labels["label"].unique(),)) is not None:
        return "documents belong to several groups in shares. Choose an annotator without shares."
    if grouping.column:
        return f"its groups are crossed with {grouping.column!r}, and annotators give genders alone. Leave it out."
    return ""
