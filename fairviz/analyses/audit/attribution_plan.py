"""The plan of an audit by authors' names, and the documents whose versions it compares."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np

from fairviz.analyses.audit.pairs import MOST_PER_QUERY, PER_QUERY, PairwisePlan, pairs_of, queries_with_text
from fairviz.annotation.voters import counted_annotator
from fairviz.errors import FairvizError, UsageError, expect, expect_whole, use_one_of
from fairviz.rankers.ranking import documents_with_text
from fairviz.study.record import Study
from fairviz.study.tables import ranked
from fairviz.words.author_names import AuthorNames, packaged_names

AUTO, PAIRS, RELEVANT = "auto", "pairs", "relevant"
SOURCES = (AUTO, PAIRS, RELEVANT)
TEMPLATE = "By {name}. {text}"
PLACES = ("{name}", "{text}")
LONGEST = 1_000  # characters of a template
Candidates = dict[str, list[str]]


@dataclass(frozen=True)
class AttributionPlan:
    """The versions to compare. candidates: `pairs` (the documents of the pairwise audit's pairs), `relevant` (those
    judged so), the name of a run (its top), or `auto`: the first of these that the study has. per_query: documents of
    each query, for `pairs` the pairs drawn for it; queries: only the first so many (0: all). names: the authors.
    template: the text of a version, with {name} and {text}. annotator: whose labels make the pairs. most_requests: to
    language models, all together (0: no limit). voters: of a consensus, as in `Settings.voters`. Raises UsageError."""

    candidates: str = AUTO
    per_query: int = PER_QUERY
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
        most = {"per_query": (1, MOST_PER_QUERY), "queries": (0, 10**9), "seed": (0, 2**32 - 1),
                "most_requests": (0, 10**12)}  # fmt: skip
        for name, (low, high) in most.items():
            expect_whole(name, getattr(self, name), low, high)


def _template_remedy() -> str:
    return f"Use a text with {' and '.join(PLACES)} in it, each once, as {TEMPLATE!r}."


def candidates_of(study: Study, plan: AttributionPlan) -> tuple[Candidates, tuple[str, ...]]:
    """Return the documents with text of each query that has any, and messages. Raises FairvizError for a study without
    queries or text, or without such documents; UsageError for an unknown source."""
    _check(study)
    if plan.candidates not in (*SOURCES, *study.systems):
        raise UsageError(f"candidates is {plan.candidates!r}", use_one_of([*SOURCES, *study.systems], plan.candidates))
    queries = queries_with_text(study, plan.queries)
    if plan.candidates == AUTO:
        candidates, messages = _first_of(study, plan, queries)
    else:
        candidates, messages = _from(study, plan, queries, plan.candidates)
    if not candidates:
        raise FairvizError(
            f"{study.name} has no document with text among the candidates {plan.candidates!r}",
            f"Choose others: {', '.join([*SOURCES[1:], *study.systems])}.",
        )
    return candidates, messages


def _check(study: Study) -> None:
    for part, file in (("queries", "queries.csv"), ("documents", "documents.tsv")):
        if not study.has(part) or getattr(study, part)["text"].isna().all():
            raise FairvizError(
                f"{study.name} has no text of {part}, so no version can be scored",
                f"Add {file} with the columns {'query_id' if part == 'queries' else 'doc_id'}, text.",
            )


def _first_of(study: Study, plan: AttributionPlan, queries: Sequence[str]) -> tuple[Candidates, tuple[str, ...]]:
    """Return the candidates of the first source that the study has. Raises FairvizError for an unknown annotator."""
    counted_annotator(study, plan.annotator)
    reason = ""
    for source in (PAIRS, RELEVANT, *study.systems[:1]):
        try:
            candidates, messages = _from(study, plan, queries, source)
        except FairvizError as error:  # no labels, or no pair
            reason = error.message
            continue
        if candidates:
            note = f"Candidates are {_text_of(source)}, as there are no pairs: {reason}." if reason else ""
            return candidates, tuple(filter(None, (note, *messages)))
    raise FairvizError(
        f"{study.name} has neither pairs, relevant documents nor runs, so no document belongs to a query",
        "Add qrels.txt to its folder, or rank it first.",
    )


def _text_of(source: str) -> str:
    return "the relevant documents" if source == RELEVANT else f"the top of {source}"


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
    cut: Callable[[str, list[str]], list[str]]
    if source == RELEVANT:
        rows, cut = study.qrels[study.qrels["relevance"] > 0], lambda query, names: _draw(plan, query, names)
    else:
        rows, cut = ranked(study.runs[study.runs["system"] == source]), lambda _, names: names[: plan.per_query]
    wanted = rows[rows["query_id"].isin(queries)].astype({"query_id": "str", "doc_id": "str"})
    texts = documents_with_text(study, wanted["doc_id"]).by_name
    wanted = wanted[wanted["doc_id"].isin([name for name, text in texts.items() if text.strip()])]
    groups = wanted.groupby("query_id", sort=False)["doc_id"]
    return {str(query): cut(str(query), part.tolist()) for query, part in groups}, ()


def _draw(plan: AttributionPlan, query: str, names: list[str]) -> list[str]:
    """Return as many names as the plan takes, drawn by lot."""
    generator = np.random.default_rng([plan.seed, crc32(query.encode())])
    names = sorted(names)
    return [names[place] for place in generator.permutation(len(names))[: plan.per_query].tolist()]
