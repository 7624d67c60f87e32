"""Wrong conclusions seeded into copies of real studies: each is named by a check, in words that a new user reads. What
the made studies of `cases` have is not repeated."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.checks import CHECKS
from fairviz.checks.context import Context
from fairviz.checks.running import outcome
from fairviz.evaluation.settings import Settings
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_runs
from fairviz.words.counting import Lexicon

HYPHENS = Lexicon("hyphens", (("chair-woman*", "female"), ("mother-in-law", "female"), ("chair-man", "male")))


def of_top(study: Study, *systems: str) -> pd.Index:
    runs = study.runs[study.runs["system"].isin(systems) & (study.runs["rank"] <= 10)]
    return pd.Index(runs["doc_id"].astype(str).unique())


def at_random(study: Study) -> dict[str, Any]:
    """The labels, with those of another person who draws lots."""
    lots = np.random.default_rng(1).permutation(study.labels["label"].to_numpy())
    people = {name: Annotator(name, "person") for name in ("project", "second")}
    return {
        "labels": pd.concat([study.labels, study.labels.assign(annotator="second", label=lots)]), "annotators": people
    }  # fmt: skip


def texts_of_one_system(study: Study) -> dict[str, Any]:
    """Texts are empty outside the first ten ranks of bm25."""
    has_text = study.documents["doc_id"].isin(of_top(study, "bm25"))
    return {"documents": study.documents.assign(text=study.documents["text"].where(has_text, ""))}


def judged_with_zeros(study: Study) -> dict[str, Any]:
    """Queries are 1 to 40, and 01 to 40 in the judgements."""
    start = {"queries": "q0", "runs": "q0", "qrels": "q"}
    parts = {part: getattr(study, part) for part in start}
    return {part: t.assign(query_id=t["query_id"].astype(str).str.lstrip(start[part])) for part, t in parts.items()}


def a_tenth_not_answered(study: Study) -> dict[str, Any]:
    missed = study.runs["query_id"].isin(study.queries["query_id"][:5]) & (study.runs["system"] == "bm25")
    return {"runs": study.runs[~missed]}


def random_beside_bm25(study: Study) -> dict[str, Any]:
    runs = study.runs[study.runs["system"].isin(["bm25", "random"])]
    return {"runs": runs.assign(system=runs["system"].astype(str).replace("random", "neural"))}


class Seed(NamedTuple):
    """A wrong conclusion. change: the parts that differ in a copy. code: of what is found. says: words of its
    sentence."""

    change: Callable[[Study], dict[str, Any]]
    code: str
    says: str
    settings: Settings = Settings()
    study: str = "news"


SEEDS = {
    "labels of an old pool": Seed(
        lambda s: {"labels": s.labels[s.labels["doc_id"].isin(of_top(s, "bm25", "tfidf"))]},
        "FV102", "are labelled in w2v_add and 100 % in",
    ),
    "texts of one system": Seed(texts_of_one_system, "FV119", "100 % in bm25. Measures of words count empty"),
    "words with hyphens alone": Seed(lambda _: {"lexicon": HYPHENS}, "FV101", "every list looks fair"),
    "label ids in capitals": Seed(
        lambda s: {"labels": s.labels.assign(doc_id=s.labels["doc_id"].str.upper())},
        "FV109", "would match in lower case",
    ),
    "text ids in capitals": Seed(
        lambda s: {"documents": s.documents.assign(doc_id=s.documents["doc_id"].str.upper())}, "FV109", "of the runs"
    ),
    "judged queries with zeros": Seed(judged_with_zeros, "FV109", "without leading zeros"),
    "judgements exchanged": Seed(
        lambda s: {"qrels": s.qrels.rename(columns={"query_id": "doc_id", "doc_id": "query_id"})},
        "FV109", "query and document exchanged",
    ),
    "judgements of other documents": Seed(
        lambda s: {"qrels": s.qrels.assign(doc_id="other-" + s.qrels["doc_id"] + "x")}, "FV108", "nDCG is at the end"
    ),
    "runs of four queries": Seed(
        lambda s: {"runs": s.runs[s.runs["query_id"].isin(s.queries["query_id"][:4])]}, "FV103", "There are 4 quer"
    ),
    "a tenth not answered": Seed(a_tenth_not_answered, "FV103", "undefined for 5 of 40 queries in bm25"),
    "only the first rank": Seed(lambda _: {}, "FV108", "AWRF is at the end", Settings(cutoff=1)),
    "a leader under one annotator": Seed(
        at_random, "FV105", "annotator second, qlm has the fairest", Settings(annotator="project")
    ),
    "a random run as a system": Seed(random_beside_bm25, "FV107", "a ranker that knows nothing"),
    "published documents in another order": Seed(lambda _: {}, "FV106", "bm25 could lead", study="grep"),
    "published labels with a blank": Seed(
        lambda s: {"labels": s.labels.assign(doc_id=" " + s.labels["doc_id"])}, "FV109", "without blanks", study="grep"
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def news(newswire: Study) -> Study:
    """Newswire with the labels of its readers alone, without those of rules."""
    parts = {part: getattr(newswire, part) for part in ("queries", "documents", "runs", "qrels")}
    people = {"project": newswire.annotators["project"]}
    read = newswire.labels[newswire.labels["annotator"] == "project"]
    return fairviz.make_study("newswire", **parts, labels=read, annotators=people)


@pytest.fixture(scope="module")
def grep(grep_biasir: Study) -> Study:
    """Grep-BiasIR with runs of BM25 and TF-IDF."""
    return add_runs(grep_biasir, rank(grep_biasir, parse_rankers("bm25,tfidf")).runs)


@pytest.mark.parametrize("name", SEEDS)
def test_a_wrong_conclusion_is_named(name: str, request: pytest.FixtureRequest) -> None:
    seed = SEEDS[name]
    study = request.getfixturevalue(seed.study)
    parts = {part: getattr(study, part) for part in ("queries", "documents", "runs", "qrels", "labels", "annotators")}
    changed = fairviz.make_study(study.name, **parts | seed.change(study))
    found = outcome(CHECKS[seed.code], Context(changed, seed.settings), slow=True)
    assert found.finding is not None
    assert seed.says in found.text


def test_newswire_itself_has_none_of_them(newswire: Study) -> None:
    """Its background is of its runs, and one reader labelled it."""
    context = Context(newswire, Settings())
    codes = {seed.code for seed in SEEDS.values()} | {"FV104", "FV110", "FV113", "FV115"}
    found = {code for code in codes if outcome(CHECKS[code], context, slow=True).finding}
    assert found == {"FV110", "FV113"}
