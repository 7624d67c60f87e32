"""The plan of an audit by authors' names, and the documents whose versions it compares."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from zlib import crc32

import numpy as np
import pandas as pd

from fairviz.annotation.voters import counted_annotator
from fairviz.errors import FairvizError, UsageError, expect, use_one_of
from fairviz.extensions.ranker_audits.author_names import GENDERS, AuthorNames, packaged_names
from fairviz.extensions.ranker_audits.declared import AUDIT
from fairviz.extensions.ranker_audits.pairs import PairwisePlan, pairs_of, queries_with_text
from fairviz.parameters import check_parameters
from fairviz.rankers.ranking import documents_with_text
from fairviz.rankers.record import analyser
from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, conform, ranked
from fairviz.words.sentences import counted
from fairviz.words.tokenizers import written_words

AUTO, PAIRS, RELEVANT = "auto", "pairs", "relevant"
SOURCES = (AUTO, PAIRS, RELEVANT)
TEMPLATE = "By {name}. {text}"
PLACES = ("{name}", "{text}")
LONGEST = 1_000  # characters of a template
Candidates = dict[str, list[str]]
FEMALE, MALE = GENDERS
GENDER, PLACEBO = "gender", "placebo"
NO_NAME = "no name"
SLOTS = (0, 1, 2, 3)  # two female names, then two male ones
NONE = 4  # the place of the document as it is, behind them
CONTRASTS = (GENDER, GENDER, PLACEBO, PLACEBO, FEMALE, MALE)
COMPARISONS = ((0, 2), (1, 3), (0, 1), (2, 3), (0, NONE), (2, NONE))
COLUMNS = (
    "pair", "query_id", "document", "set", "contrast", "group", "other", "doc_id", "other_doc_id", "in_query",
    "in_text",
)  # fmt: skip
Array = np.ndarray


@dataclass(frozen=True)
class AttributionPlan:
    """The versions to compare. candidates: `pairs` (the documents of the pairwise audit's pairs), `relevant` (those
    judged so), the name of a run (its top), or `auto`: the first of these that the study has. per_query: documents of
    each query, for `pairs` the pairs drawn for it; queries: only the first so many (0: all). names: the authors.
    template: the text of a version, with {name} and {text}. annotator: whose labels make the pairs. most_requests: to
    language models, all together (0: no limit). voters: of a consensus, as in `Settings.voters`. Raises UsageError."""

    candidates: str = AUTO
    per_query: int = AUDIT["per_query"].default
    queries: int = 0
    names: AuthorNames = field(default_factory=packaged_names)
    template: str = TEMPLATE
    annotator: str = ""
    seed: int = 0
    most_requests: int = 0
    voters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("candidates", "annotator"):
            expect(name, getattr(self, name), str, "Use a name.")
        expect("names", self.names, AuthorNames, "Give the names of either gender.")
        expect("template", self.template, str, _template_remedy())
        if len(self.template) > LONGEST or any(self.template.count(place) != 1 for place in PLACES):
            raise UsageError(f"template is {self.template[:60]!r}", _template_remedy())
        check_parameters(self, AUDIT)


def _template_remedy() -> str:
    return f"Use a text with {' and '.join(PLACES)} in it, each once, as {TEMPLATE!r}."


def candidates_of(study: Study, plan: AttributionPlan) -> tuple[Candidates, tuple[str, ...]]:
    """Return the documents with text of each query that has any, and messages. Raises FairvizError for a study without
    queries or text, or without such documents; UsageError for an unknown source or annotator."""
    _refuse_without_text(study)
    if plan.candidates not in (*SOURCES, *study.systems):
        raise UsageError(f"candidates is {plan.candidates!r}", use_one_of([*SOURCES, *study.systems], plan.candidates))
    queries = queries_with_text(study, plan.queries)
    if plan.candidates == AUTO:
        return _from_first_source(study, plan, queries)
    candidates, messages = _from(study, plan, queries, plan.candidates)
    if not candidates:
        raise FairvizError(
            f"{study.name} has no document with text among the candidates {plan.candidates!r}",
            f"Choose others: {', '.join([*SOURCES[1:], *study.systems])}.",
        )
    return candidates, messages


def _refuse_without_text(study: Study) -> None:
    for part, file in (("queries", "queries.csv"), ("documents", "documents.tsv")):
        if not study.has(part) or getattr(study, part)["text"].isna().all():
            raise FairvizError(
                f"{study.name} has no text of {part}, so no version can be scored",
                f"Add {file} with the columns {'query_id' if part == 'queries' else 'doc_id'}, text.",
            )


def _from_first_source(
    study: Study, plan: AttributionPlan, queries: Sequence[str]
) -> tuple[Candidates, tuple[str, ...]]:
    """Return the candidates from the first source that the study has."""
    counted_annotator(study, plan.annotator)
    reason = ""
    for source in (PAIRS, RELEVANT, *study.systems[:1]):
        try:
            candidates, messages = _from(study, plan, queries, source)
        except FairvizError as error:  # no labels, or no pair
            reason = error.message
            continue
        if candidates:
            what = "the relevant documents" if source == RELEVANT else f"the top of {source}"
            note = f"Candidates are {what}, as there are no pairs: {reason}." if reason else ""
            return candidates, tuple(filter(None, (note, *messages)))
    raise FairvizError(
        f"{study.name} has neither pairs, relevant documents nor runs, so no document belongs to a query",
        "Add qrels.txt to its folder, or rank it first.",
    )


def _from(
    study: Study, plan: AttributionPlan, queries: Sequence[str], source: str
) -> tuple[Candidates, tuple[str, ...]]:
    """Return the candidates of one source, and messages."""
    if source == PAIRS:
        pairs = pairs_of(study, PairwisePlan(per_query=plan.per_query, queries=plan.queries, annotator=plan.annotator,
                                             seed=plan.seed, voters=plan.voters))  # fmt: skip
        by_query = {
            str(query): list(dict.fromkeys([*part["doc_id"], *part["other_doc_id"]]))
            for query, part in pairs.table.groupby("query_id", sort=False)
        }
        return by_query, pairs.messages
    if source == RELEVANT:
        rows = study.qrels[study.qrels["relevance"] > 0]
    else:
        rows = ranked(study.runs[study.runs["system"] == source])
    wanted = rows[rows["query_id"].isin(queries)].astype({"query_id": "str", "doc_id": "str"})
    texts = documents_with_text(study, wanted["doc_id"]).by_name
    wanted = wanted[wanted["doc_id"].isin([name for name, text in texts.items() if text.strip()])]
    candidates: Candidates = {}
    for query, part in wanted.groupby("query_id", sort=False)["doc_id"]:
        names = part.tolist()
        if source == RELEVANT:  # no order: drawn by lot
            generator = np.random.default_rng([plan.seed, crc32(str(query).encode())])
            names = sorted(names)
            names = [names[place] for place in generator.permutation(len(names)).tolist()]
        candidates[str(query)] = names[: plan.per_query]
    return candidates, ()


@dataclass(frozen=True, eq=False)
class Versions:
    """study: with the versions as further documents. names: their ids. pairs: COLUMNS, six rows for each query and
    document: a comparison of two versions, `group` and `other` being their names, in the order of CONTRASTS; `set` is
    the number of the document's set of names, in_query and in_text whether a word of these is in the query or text."""

    study: Study
    names: frozenset[str]
    pairs: pd.DataFrame
    messages: tuple[str, ...]


@dataclass(frozen=True)
class VersionTexts:
    """The texts of all versions, and the numbers of their documents and queries."""

    texts: tuple[str, ...]
    documents: int
    queries: int


def version_texts_of(study: Study, plan: AttributionPlan) -> VersionTexts:
    """Return the texts of all versions, without the study around them. Raises: see `versions_of`."""
    versions = versions_of(study, plan)
    texts = documents_with_text(versions.study, versions.names).texts
    return VersionTexts(tuple(texts), versions.pairs["document"].nunique(), versions.pairs["query_id"].nunique())


def written(template: str, name: str, text: str) -> str:
    """Return a version of the text.

    >>> written("By {name}. {text}", "Mary", "On {name}.")
    'By Mary. On {name}.'
    """
    values = {"{name}": name, "{text}": text}
    return re.sub(r"\{name\}|\{text\}", lambda match: values[match[0]], template)


def versions_of(study: Study, plan: AttributionPlan) -> Versions:
    """Return the study with four versions of each candidate, and their comparisons.

    A document has one set of names in all queries. Sets are dealt to the documents by lot, each as often as another.
    Which name comes first in the placebo is drawn for each set and gender. Raises: see `candidates_of`.
    """
    candidates, messages = candidates_of(study, plan)
    documents = sorted({name for names in candidates.values() for name in names})
    generator = np.random.default_rng([plan.seed, len(documents)])
    sets = plan.names.sets
    dealt = np.resize(generator.permutation(len(sets)), len(documents))[generator.permutation(len(documents))]
    set_of = dict(zip(documents, dealt.tolist(), strict=True))
    turned = generator.integers(2, size=(len(sets), 2)).astype(bool)
    ids = _version_ids(study, documents)
    pairs = _pairs(study, plan, candidates, set_of, turned, ids)
    new_ids = frozenset(name for versions in ids.values() for name in versions[:NONE])
    study_with_versions = _with_versions(study, plan, set_of, ids)
    return Versions(study_with_versions, new_ids, pairs, (*messages, *_messages(plan, pairs)))


def _version_ids(study: Study, documents: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the ids of the four versions of each document, which no document has, and its own."""
    mark = "@"
    existing_ids = set(study.documents["doc_id"])
    while any(f"{name}{mark}{slot}" in existing_ids for name in documents for slot in SLOTS):
        mark += "@"
    return {name: (*(f"{name}{mark}{slot}" for slot in SLOTS), name) for name in documents}


def _with_versions(
    study: Study, plan: AttributionPlan, set_of: Mapping[str, int], ids: Mapping[str, tuple[str, ...]]
) -> Study:
    """Return the study with the versions behind its documents."""
    originals = study.documents[study.documents["doc_id"].isin(set_of)]
    names, texts = originals["doc_id"].tolist(), originals["text"].tolist()
    parts = [study.documents]
    for slot in SLOTS:
        new_texts = []
        for name, text in zip(names, texts, strict=True):
            author = plan.names.sets[set_of[name]][slot]
            new_texts.append(written(plan.template, author, text))
        parts.append(originals.assign(doc_id=[ids[name][slot] for name in names], text=new_texts))
    documents = conform(pd.concat(parts, ignore_index=True), DOCUMENTS)
    return replace(study, documents=documents, fingerprint="")


def _messages(plan: AttributionPlan, pairs: pd.DataFrame) -> list[str]:
    """Return how versions read, in how many pairs a name is a word anyway, and how many names are not used."""
    firsts = pairs.iloc[:: len(CONTRASTS)]
    either = int((firsts["in_query"] | firsts["in_text"]).sum())
    lines = [f"Versions read {written(plan.template, 'NAME', 'TEXT')!r}; the collection holds them all at once."]
    if either:
        lines.append(
            f"In {either:,} of {counted(len(firsts), 'query-document pair')} a name is a word of the query "
            f"({int(firsts['in_query'].sum()):,}) or of the document ({int(firsts['in_text'].sum()):,}). There the "
            "name is a term to match, which confounds gender."
        )
    spare = len(plan.names.rows) - 4 * len(plan.names.sets)
    if spare:
        lines.append(
            f"{counted(spare, 'name is', 'names are')} not used: sets take two names of either gender, in their order."
        )
    return lines


def _pairs(
    study: Study, plan: AttributionPlan, candidates: Candidates, set_of: Mapping[str, int], turned: Array,
    ids: Mapping[str, tuple[str, ...]],
) -> pd.DataFrame:  # fmt: skip
    """Return the comparisons, six for each query and document: COMPARISONS, with the names of the placebo turned round
    where this is so for a set and gender, (sets, 2)."""
    terms = analyser()

    def words(text: str) -> frozenset[str]:
        return frozenset([*terms(text), *written_words(text.casefold())])

    query_texts = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    texts = documents_with_text(study, set_of).by_name
    words_of_set = [words(" ".join(names)) for names in plan.names.sets]
    words_of_document = {name: words(text) for name, text in texts.items()}
    sets = [(*names, NO_NAME) for names in plan.names.sets]
    rows: list[tuple] = []
    for query, documents in candidates.items():
        words_of_query = words(query_texts[query])
        for name in documents:
            number = set_of[name]
            in_query, in_text = (
                bool(words_of_set[number] & part) for part in (words_of_query, words_of_document[name])
            )
            for place, (contrast, (first, second)) in enumerate(zip(CONTRASTS, COMPARISONS, strict=True)):
                if contrast == PLACEBO and turned[number, place - CONTRASTS.index(PLACEBO)]:
                    first, second = second, first
                rows.append((len(rows), query, name, number, contrast, sets[number][first], sets[number][second],
                             ids[name][first], ids[name][second], in_query, in_text))  # fmt: skip
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    return table.astype(dict.fromkeys(("query_id", "document", "doc_id", "other_doc_id"), "str"))
