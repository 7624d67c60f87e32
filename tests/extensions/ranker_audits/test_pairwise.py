"""The pairwise audit: pairs, shares, hand-worked scores, models with habits, and the same audit again."""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz.errors import UsageError
from fairviz.extensions.ranker_audits.auditing import rankers_of
from fairviz.extensions.ranker_audits.figure_tables import pairs_and_lists
from fairviz.extensions.ranker_audits.judging import by_scores, readable, scored
from fairviz.extensions.ranker_audits.pairs import BOTH, DRAWN, SAME, PairwisePlan, pairs_of
from fairviz.extensions.ranker_audits.pairwise import PairwiseAudit, audit_pairwise, family_note
from fairviz.extensions.ranker_audits.shares import (
    Preferred,
    consistency,
    estimate,
    first_named,
    means_by_query,
    pair_shares,
    preference_columns,
    preferred,
    ratio,
    twice_first,
)
from fairviz.parameters import Parameter
from fairviz.rankers.grammar import RankerChoice
from fairviz.rankers.record import Found, Ranker
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.analyses.test_gender_swap import triples
from tests.conftest import refused
from tests.extensions.ranker_audits.test_llm_rankers import choosing
from tests.made import queries_of
from tests.model_server import ModelServer
from tests.slow_max_t import slow_rows

NAN = math.nan


# --- shares, ratio, consistency and position bias

# Three queries. In the first column the group's document was shown first, in the second the other.
# q0: the group's wins both, then the model names the first both times. q1: the other wins both. q2: one answer is lost.
WINS = np.array([[1, 1], [1, 0], [0, 0], [1, NAN]])
QUERIES = np.array([0, 0, 1, 2])


def test_shares_by_hand() -> None:
    own, other, tied = means_by_query(pair_shares(WINS), QUERIES)
    np.testing.assert_allclose(own, [0.75, 0.0, NAN])  # q0: (2 + 1) of 4 answers
    np.testing.assert_allclose(other, [0.25, 1.0, NAN])
    np.testing.assert_allclose(tied, [0.0, 0.0, NAN])
    assert ratio(own, other) == pytest.approx(0.375 / 0.625)  # means over two queries
    twice, other_twice = means_by_query(twice_first(WINS), QUERIES)
    np.testing.assert_allclose(twice, [0.5, 0.0, NAN])  # one of q0's two pairs in both orders
    np.testing.assert_allclose(other_twice, [0.0, 1.0, NAN])
    same = means_by_query(consistency(WINS)[None], QUERIES)[0]
    np.testing.assert_allclose(same, [0.5, 1.0, NAN])  # the second pair of q0 has two winners
    assert estimate(same).value == 0.75
    named = means_by_query(first_named(WINS)[None], QUERIES)[0]
    np.testing.assert_allclose(named, [0.75, 0.5, 1.0])  # q0: 1 of 2, then 2 of 2; q2: its one answer names the first


def test_ratios_intervals_and_sign_tests_by_hand() -> None:
    assert ratio(np.array([1.0, 0.5]), np.array([0.0, 0.0])) == math.inf
    assert math.isnan(ratio(np.zeros(2), np.zeros(2)))
    assert math.isnan(ratio(np.zeros(0), np.zeros(0)))
    always = preferred(np.ones(12)).odds()
    assert (always.value, always.high) == (math.inf, math.inf)
    assert always.low == pytest.approx(1 / (2 ** (1 / 12) * 20 ** (1 / 12) - 1)), "share ≥ .025^(1/12)"
    even = preferred(np.full(12, 0.5))
    assert (math.isnan(even.share().value), math.isnan(even.odds().low), even.p) == (True, True, 1)

    found = estimate(np.array([1.0, 1.0, 0.0]), share=True)
    assert (found.low, found.high) == (0, 1)
    assert estimate(np.array([1.0, 1.0, 0.0])).high == pytest.approx(2 / 3 + 4.302653 / 3)
    found = preferred(np.array([1, 1, 1, 1, 0.5, NAN]))
    assert (found.above, found.below, found.queries, found.tested) == (4, 0, 5, False)
    assert found.p == 0.125  # 2 / 2^4
    assert math.isnan(preferred(np.array([NAN])).p)


@pytest.mark.parametrize("level", [0.95, 0.99])
def test_the_interval_of_the_ratio_agrees_with_the_sign_test(level: float) -> None:
    """It excludes 1 exactly where p ≤ 1 − level, for counts of 3 to 40 queries; p by a sum of binomials."""
    for total in (*range(3, 16), 25, 40):
        for above in range(total + 1):
            found = Preferred(above, total - above, total)
            tail = sum(math.comb(total, count) for count in range(max(above, total - above), total + 1)) / 2**total
            p = min(2 * tail, 1.0)
            assert found.p == pytest.approx(p)
            odds, share = found.odds(level), found.share(level)
            outside = odds.low > 1 or odds.high < 1
            assert outside == (share.low > 0.5 or share.high < 0.5) == (p <= 1 - level)
            assert odds.low <= odds.value <= odds.high


def test_a_family_of_sign_tests_has_intervals_at_its_level() -> None:
    """Three rows, of which one has too few queries: two are a family. 15 of 20 has p .041 alone."""
    fifteen, eighteen, few = preference_columns([Preferred(15, 5, 20), Preferred(18, 2, 25), Preferred(9, 0, 9)])
    assert fifteen["family"] == eighteen["family"] == few["family"] == 2
    assert fifteen["p_shares"] == pytest.approx(0.0413895)
    assert fifteen["p_shares_corrected"] == pytest.approx(2 * 0.0413895)
    assert fifteen["ratio_low"] < 1 < fifteen["ratio_high"]
    assert (eighteen["preferred"], eighteen["ratio_low"] > 1) == (0.9, True)
    assert np.isnan([few["p_shares_corrected"], few["ratio_low"]]).all()
    assert few["ratio"] == math.inf


ANSWER = st.sampled_from([0.0, 0.5, 1.0, NAN])


def slow_mean(values: list[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else NAN


def slow_query(answers: list[tuple[float, float]]) -> list[float]:
    """Shares of the group, the other and ties, consistency, and the share of answers that name what stood first."""
    firsts, others, ties, same, named = [], [], [], [], []
    for one, two in answers:
        named.append(slow_mean([value for value, tie in ((one, one == 0.5), (1 - two, two == 0.5)) if not tie]))
        if not (math.isnan(one) or math.isnan(two)):
            winners = ["group" if win == 1 else "other" if win == 0 else "nobody" for win in (one, two)]
            firsts.append(winners.count("group") / 2)
            others.append(winners.count("other") / 2)
            ties.append(winners.count("nobody") / 2)
            same.append(float(winners[0] == winners[1]))
    return [slow_mean(values) for values in (firsts, others, ties, same, named)]


@given(st.lists(st.tuples(st.integers(0, 3), ANSWER, ANSWER), min_size=1, max_size=20))
def test_shares_against_a_slow_reference(pairs: list[tuple[int, float, float]]) -> None:
    queries = sorted({query for query, _, _ in pairs})
    codes = np.array([queries.index(query) for query, _, _ in pairs])
    wins = np.array([[one, two] for _, one, two in pairs])
    fast = means_by_query(np.vstack([pair_shares(wins), consistency(wins), first_named(wins)]), codes)
    for place, query in enumerate(queries):
        np.testing.assert_allclose(fast[:, place], slow_query([pair[1:] for pair in pairs if pair[0] == query]))


# --- the pairs of a study


def study_of(name: str, rows: Iterable[tuple], texts: Iterable[str], **parts: object) -> Study:
    """rows: a document, its query, text, label (None for none) and relevance to the query. texts: of the queries."""
    table = pd.DataFrame(rows, columns=["doc_id", "query_id", "text", "label", "relevance"])
    made = {
        "documents": table[["doc_id", "text"]],
        "queries": queries_of(dict(zip(table["query_id"].unique(), texts, strict=True))),
        "labels": table[["doc_id", "label"]].dropna().assign(annotator="gold"),
        "qrels": table[["query_id", "doc_id", "relevance"]],
    }
    return make_study(name, **made | parts)


ROWS = [
    ("f1", "q1", "female", 1), ("f2", "q1", "female", 1), ("m1", "q1", "male", 1), ("n1", "q1", "neutral", 1),
    ("f3", "q1", "female", 0), ("m2", "q1", "male", 0),
    ("f4", "q2", "female", 1), ("m3", "q2", "male", 1), ("m4", "q2", "male", 0),
    ("f5", "q3", "female", 1),
]  # fmt: skip


def judged() -> Study:
    """q1 has relevant and irrelevant pairs, q2 relevant ones, q3 no relevant one."""
    rows = [(name, query, f"A text on {name}", label, relevance) for name, query, label, relevance in ROWS]
    return study_of("judged", rows, ("one", "two", "three"))


def rows(study: Study, **plan: object) -> list[tuple]:
    table = pairs_of(study, PairwisePlan(**plan)).table  # type: ignore[arg-type]
    return list(table.drop(columns="pair").itertuples(index=False, name=None))


def test_one_text_in_three_wordings() -> None:
    found = rows(triples())
    assert found[:3] == [
        (0, "a", SAME, "not relevant", "female", "male", "a5", "a6"),
        (0, "a", SAME, "not relevant", "neutral", "female", "a4", "a5"),
        (0, "a", SAME, "not relevant", "neutral", "male", "a4", "a6"),
    ]
    assert [row[1:4] for row in found[3::3]] == [("a", SAME, "relevant"), ("b", SAME, "relevant")]
    assert len(rows(triples(), neutral=False)) == 3
    assert [row[1] for row in rows(triples(), queries=1)] == ["a"] * 6
    assert {row[2] for row in rows(triples(), source=BOTH)} == {SAME, DRAWN}


def test_drawn_pairs_have_the_same_relevance_and_different_groups() -> None:
    study = judged()
    made = pairs_of(study, PairwisePlan(per_query=10))
    table = made.table
    labels = dict(zip(study.labels["doc_id"], study.labels["label"], strict=True))
    assert [labels[name] for name in table["doc_id"]] == table["group"].tolist()
    assert [labels[name] for name in table["other_doc_id"]] == table["other"].tolist()
    main = table[table["group"] == "female"]
    assert set(main["kind"]) == {DRAWN}
    relevant = main[main["judged"] == "relevant"]
    pairs = zip(relevant["query_id"], relevant["doc_id"], relevant["other_doc_id"], strict=True)
    assert sorted(pairs) == [("q1", "f1", "m1"), ("q1", "f2", "m1"), ("q2", "f4", "m3")]
    irrelevant = main[main["judged"] == "not relevant"]
    assert set(irrelevant[irrelevant["query_id"] == "q1"]["doc_id"]) == {"f3"}  # judged so, and enough
    assert set(irrelevant[irrelevant["query_id"] == "q2"]["doc_id"]) == {"f1", "f2", "f5"}  # relevant elsewhere
    assert made.messages == (
        "2 of 3 queries have no document of each group judged irrelevant: documents that are relevant to other queries "
        "replace them.",
        "1 of 3 queries have no pair of documents that are relevant.",
    )
    neutral = table[table["group"] == "neutral"]
    assert (set(neutral["doc_id"]), set(neutral["query_id"])) == ({"n1"}, {"q1", "q2", "q3"})

    third = pairs_of(replace(study, groups=("female", "male", "non-binary")), PairwisePlan(per_query=10))
    pd.testing.assert_frame_equal(third.table, table)
    assert third.messages == (
        "judged has no document with text labelled 'non-binary' by gold: no pair holds one of that group.",
        *made.messages,
    )


def test_the_seed_draws_and_a_query_draws_alone() -> None:
    study = judged()
    once = rows(study, per_query=2)
    assert rows(study, per_query=2) == once
    assert any(rows(study, per_query=2, seed=seed) != once for seed in range(1, 6))
    assert [row[1:] for row in once if row[1] == "q1"] == [row[1:] for row in rows(study, per_query=2, queries=1)]
    assert len({row[6:] for row in rows(study, per_query=2, neutral=False) if row[1:4:2] == ("q1", "relevant")}) == 2


def test_without_judgements_irrelevant_pairs_are_impossible() -> None:
    study = judged()
    runs = pd.DataFrame(
        {"system": "s", "query_id": "q1", "doc_id": ["f1", "m1", "m2"], "rank": [1, 2, 3], "score": [3.0, 2, 1]}
    )
    made = pairs_of(
        make_study("judged", documents=study.documents, queries=study.queries, labels=study.labels, runs=runs)
    )
    assert set(made.table["judged"]) == {"not judged"}
    assert made.messages == (
        "judged has no judgements: irrelevant pairs cannot be built, and pairs are drawn from what its runs list, "
        "relevant or not. Add qrels.txt to its folder.",
        "2 of 3 queries have no pair of documents that are not judged.",
    )


def test_what_a_study_lacks_and_a_plan_that_cannot_be() -> None:
    study = judged()
    labels, qrels = study.labels, study.qrels
    for parts, plan, message in (
        ({"labels": labels[:0]}, {}, "judged has no gender labels to build pairs by\n"
         "Add labels.csv with the columns doc_id, annotator, label, or see fairviz annotate."),
        ({"queries": study.queries[:0]}, {},
         "judged has no queries to ask about\nAdd queries.csv with the columns query_id, text."),
        ({"documents": study.documents.assign(text=None)}, {},
         "judged has no text of documents to compare\nAdd documents.tsv with the columns doc_id and text."),
        ({"labels": labels[labels["label"] != "male"]}, {},
         "judged has no document with text labelled 'male' by gold, and a pair needs one of each group\n"
         "Label documents of that group, or choose another annotator."),
        ({"qrels": qrels[:0]}, {}, "judged has neither judgements nor runs, so no document belongs to a query\n"
         "Add qrels.txt to its folder, or rank it first."),
        ({"qrels": qrels[-1:]}, {},
         "judged holds no pair: no query has documents of both groups with text and the same relevance\n"
         "Add judgements or labels, or draw from more queries."),
        ({}, {"source": SAME}, "judged has no documents that are one text in three wordings\n"
         "They are documents with a column query_id, judged alike for it, with a label of each gender and neutral. "
         "Draw pairs instead."),
    ):  # fmt: skip
        with refused(message):
            pairs_of(replace(study, **parts), PairwisePlan(**plan))
    with refused("source is 'all'\nUse one of auto, same text, drawn, both.", UsageError):
        PairwisePlan(source="all")


# --- rankers with scores

SCORES = {"a1": 9.0, "a2": 5.0, "a3": 3.0, "a4": 1.0, "a5": 1.0, "a6": 2.0, "b1": 4.0, "b2": 4.0, "b3": 6.0}


def ranker(scores: dict[str, float]) -> RankerChoice:
    """A ranker that scores documents so for every query."""

    def prepare(collection, parameters):
        return lambda query: Found(np.array([*scores], dtype=object), np.array([*scores.values()]))

    return RankerChoice(Ranker("made", "by hand", prepare), {})


def row(table: pd.DataFrame, judged: str = "all", group: str = "female") -> dict:
    found = table[(table["judged"] == judged) & (table["group"] == group) & (table["other"] == "male")]
    return found.to_dict("records")[0]


def test_scores_worked_by_hand() -> None:
    """Query a: the female wording first once (5 > 3), the male one once (1 < 2); query b: the male one (4 < 6)."""
    found = audit_pairwise(triples(), [ranker(SCORES)])
    told = row(found.table)
    spread = np.std(list(SCORES.values()))
    assert (told["first"], told["other_first"]) == (0.25, 0.75)  # (1/2 + 0) / 2
    assert told["pair_ratio"] == pytest.approx(1 / 3)
    assert (told["queries_first"], told["queries_other"], told["preferred"]) == (0, 1, 0)  # query a is even
    assert told["gap"] == pytest.approx(((2 - 1) / 2 - 2) / 2 / spread)
    assert told["size"] == pytest.approx(((2 + 1) / 2 + 2) / 2 / spread)
    assert (told["queries"], told["pairs"], told["unit"]) == (2, 3, "standard deviations")
    assert math.isnan(told["p_shares"]), "two queries are too few"
    assert row(found.table, "relevant", "neutral")["first"] == 0.5  # 9 > 3, 4 < 6
    assert found.integrity["verdict"].tolist() == ["sees no order"]
    assert math.isnan(found.integrity["consistent"].iloc[0])


def test_ties_and_documents_that_are_not_found() -> None:
    own, other = np.array([1, 1, NAN, NAN, 2.0]), np.array([1 + 1e-8, NAN, 1, NAN, 1])
    found = by_scores("s", own, other, np.array([1, 1, 1, NAN, 2.0]))
    assert found.wins[:, 0].tolist() == [0.5, 1.0, 0.0, 0.5, 1.0]
    assert found.outcomes[:, 1].tolist() == ["tied", "group", "other", "not found", "group"]
    np.testing.assert_allclose(found.gaps[:, 0], [0, NAN, NAN, 0, 0.5])


def test_a_ranker_of_another_runs_top_reads_the_pairs() -> None:
    """It gets a run of the pairs' documents, which need not be in any run of the study."""
    seen: list[pd.DataFrame] = []

    def prepare(collection, parameters):
        seen.append(collection.runs[collection.runs["system"] == parameters["run"]])
        return lambda query: Found(np.array(["f1", "m1"], dtype=object), np.array([2.0, 1.0]))

    parameters = (Parameter("run", "bm25"), Parameter("n", 100.0, "", 1.0, 1000.0))
    reader = Ranker("reader", "reads", prepare, parameters, ("queries", "documents", "runs"))
    pairs = pd.DataFrame({"query_id": ["q1"], "doc_id": ["f1"], "other_doc_id": ["m1"]})
    choice = RankerChoice(reader, {"run": "bm25", "n": 100.0})
    found = scored(judged(), choice, pairs, print, lambda *_: None, lambda *_: None)
    assert found.to_dict("records") == [{"score": 2.0, "other_score": 1.0, "spread": 0.5}]
    assert seen[0]["doc_id"].tolist()[:2] == ["f1", "m1"]
    assert len(seen[0]) == 10  # and others, for the spread


def wordings(queries: int) -> Study:
    """For each query one text in three wordings: f0, m0 and n0 for the first, and so on."""
    texts = [("f", "a woman works", "female"), ("m", "a man works", "male"), ("n", "a person works", "neutral")]
    rows = [(f"{name}{at}", f"q{at:02}", text, label, 1) for at in range(queries) for name, text, label in texts]
    documents = pd.DataFrame(rows).iloc[:, :3].set_axis(["doc_id", "query_id", "text"], axis=1)
    return study_of("wordings", rows, ["work"] * queries, documents=documents)


def test_the_tests_of_a_table_are_one_family() -> None:
    """Fourteen queries of one triple; the female wording scores higher on twelve, by gaps of several sizes."""
    scores = {f"f{query}": (-1.0 if query < 2 else 1.0) * (1 + query) for query in range(14)}
    scores |= {f"m{query}": 0.0 for query in range(14)} | {f"n{query}": 0.5 - query % 5 for query in range(14)}
    table = audit_pairwise(wordings(14), [ranker(scores)]).table
    assert table["family"].tolist() == [3, 3, 3], "female and male, and the neutral one against either"
    told = row(table, "relevant")
    alone = 2 * sum(math.comb(14, count) for count in range(12, 15)) / 2**14
    assert told["p_shares"] == pytest.approx(alone)
    assert told["p_shares_corrected"] == pytest.approx(3 * alone)
    assert (told["ratio"], told["ratio_low"] > 1) == (6, True), "p is .039"
    arms = zip(table["group"].str[0], table["other"].str[0], strict=True)
    gaps = np.array([[scores[f"{one}{at}"] - scores[f"{two}{at}"] for at in range(14)] for one, two in arms])
    gaps /= np.std(list(scores.values()))
    p, _, above = slow_rows(list(gaps), 10_000)
    assert table["p_gap_corrected"].tolist() == pytest.approx(p)
    half = above * np.std(gaps, axis=1, ddof=1) / 14**0.5
    assert (table["gap_high"] - table["gap"]).tolist() == pytest.approx(half.tolist())
    assert family_note(table) == ("Preferred: 3 sign tests, Bonferroni. Gap, secondary: 3 differences, maxT.")


def test_relevant_and_irrelevant_pairs_that_are_drawn_are_told_apart() -> None:
    """As in table 3 of the paper; pooled, the one preference would hide the other."""
    ranked = ranker({"f1": 9.0, "f2": 8.0, "f4": 7.0, "m1": 1.0, "m3": 1.0, "f3": 0.0, "f5": 0.0, "m2": 0.5, "m4": 0.5})
    found = audit_pairwise(judged(), [ranked], PairwisePlan(neutral=False))
    told = [sentence.split(":")[0] for sentence in found.sentences if " first in " in sentence]
    assert told == ["made (drawn, relevant)", "made (drawn, not relevant)"]


def test_by_a_column_and_the_public_function() -> None:
    study = triples()
    study = replace(study, queries=study.queries.assign(topic=["cars", "engines", ""]), fingerprint="")
    found = fairviz.audit(study, "tfidf")
    assert found.systems == ("bm25", "tfidf")
    longest = {"longest": lambda query, texts: [len(text) for text in texts]}
    assert fairviz.audit(study, longest, anchor=False).systems == ("longest",)
    apart = found.by("topic")
    assert apart[["topic", "pairs"]].drop_duplicates().to_numpy().tolist() == [["cars", 2], ["cars", 1], ["engines", 1]]
    assert len(found.preferences()) == 2 * len(found.pairs)
    with refused("neither queries nor documents of threefold have a column 'colour'\nUse one of topic.", UsageError):
        found.by("colour")
    with refused("kind is 'both'\nUse one of pairwise, listwise, attribution.", UsageError):
        fairviz.audit(study, kind="both")


@pytest.mark.slow
def test_grep_biasir_is_the_cleanest_case(published: Callable[[str], Study]) -> None:
    """BM25 cannot tell the two wordings of nearly any relevant text apart."""
    found = fairviz.audit(published("grep-biasir"), "bm25")
    told = row(found.table, "relevant")
    assert (told["pairs"], told["tied_pairs"], len(found.pairs)) == (117, 111, 696)


# --- language models


def model(server: ModelServer) -> tuple[RankerChoice, ...]:
    return rankers_of(f"llm(model='m',url='{server.address}')", anchor=False)


def audited(server: ModelServer, answer: Callable[[str], str], study: Study | None = None) -> PairwiseAudit:
    server.answer = answer
    return audit_pairwise(study or triples(), model(server), PairwisePlan(neutral=study is None))


def test_a_model_that_always_answers_the_first(server: ModelServer) -> None:
    found = audited(server, lambda prompt: "1")
    told = row(found.table)
    assert (told["first"], told["other_first"], told["pair_ratio"]) == (0.5, 0.5, 1.0)
    assert (told["queries_first"], told["queries_other"]) == (0, 0)
    assert (told["first_twice"], told["other_twice"]) == (0.0, 0.0), "first in both orders, as table 3 counts"
    (integrity,) = found.integrity.to_dict("records")
    assert (integrity["first_named"], integrity["consistent"], integrity["verdict"]) == (1.0, 0.0, "always the first")
    assert found.sentences == (
        f"{found.systems[0]}: 18 of 18 answers can be read; it names the first document in 100% (100% to 100%) of "
        "them. That is position bias, not a preference. Shares of 50 % do not show fairness.",
    )


def test_a_model_that_prefers_one_group(server: ModelServer) -> None:
    """And, with twelve queries, its verdict; the server gives no log-probabilities."""
    answer = choosing(lambda first, second: "1" if "woman" in first else "2" if "woman" in second else "Neither.")
    found = audited(server, answer)
    told = row(found.table)
    assert (told["first"], told["pair_ratio"], told["ratio"]) == (1.0, math.inf, math.inf)
    assert math.isnan(told["ratio_low"]), "two queries are too few"
    assert (told["first_twice"], told["other_twice"], told["ratio_twice"]) == (1.0, 0.0, math.inf)
    (integrity,) = found.integrity.to_dict("records")
    assert (integrity["consistent"], integrity["first_named"], integrity["unparsed"]) == (1.0, 0.5, 6)
    assert integrity["verdict"] == "no position bias found"
    assert row(found.table, "all", "neutral")["judged_pairs"] == 0
    assert set(found.answers[found.answers["outcome"] == "unparsed"]["text"]) == {"Neither."}

    found = audited(server, answer, wordings(12))
    assert found.sentences[-1].endswith(
        "12 queries prefer the female one, 0 the male one, ratio infinite (2.78 to infinite), p < .001; mean gap "
        "unknown. The female one is preferred; its answers do not show by how much."
    )
    assert found.table["p_shares"].tolist() == [2 / 2**12]
    assert family_note(found.table) == (
        "Preferred: 1 sign test, Bonferroni. Gap, secondary: no difference could be tested."
    )


def test_few_answers_that_name_a_document_are_no_preference(server: ModelServer) -> None:
    def choose(first: str, second: str) -> str:
        both = {word for word in ("The woman", "The man", "woman and", "man and") if word in first + second}
        return ("1" if "woman" in first else "2") if len(both) == 2 else "Both."

    found = audited(server, choosing(choose))
    assert not readable(found.integrity.to_dict("records")[0])
    (sentence,) = found.sentences
    assert sentence.endswith("Less than half of its answers name a document: do not rely on them.")


def test_the_same_audit_asks_nothing_twice_and_goes_on_where_it_was(server: ModelServer) -> None:
    server.answer = lambda prompt: "2"
    study, choices = triples(), model(server)

    def stop(_: str, done: int, total: int) -> None:
        if done >= 5:
            raise KeyboardInterrupt

    with refused(
        "the budget of 4 requests is used up: 4 of 18 questions are answered and kept\n"
        "Run it again with a larger budget to resume."
    ):
        audit_pairwise(study, choices, PairwisePlan(most_requests=4))
    with pytest.raises(KeyboardInterrupt):
        audit_pairwise(study, choices, PairwisePlan(), stop)
    asked = len(server.bodies)
    assert asked >= 5
    found = audit_pairwise(study, choices, PairwisePlan())
    again = audit_pairwise(study, choices, PairwisePlan())
    assert [one.integrity["asked_now"].iloc[0] for one in (found, again)] == [18 - asked, 0]
    assert len(server.bodies) == 18
    pd.testing.assert_frame_equal(again.table, found.table)


def test_pairs_beside_lists_and_a_model_that_goes_by_position(server: ModelServer) -> None:
    server.answer = lambda prompt: "1"
    study, rankers = triples(), f"bm25,llm(model='m',url='{server.address}')"
    pairwise = fairviz.audit(study, rankers)
    listwise = fairviz.audit(study, rankers, kind="listwise", per_list=4)
    table = pairs_and_lists(pairwise, listwise)
    assert table["system"].tolist() == ["bm25", "llm_pairwise-model=m"]
    anchor, model = table.to_dict("records")
    assert anchor["pairs"] == pairwise.table["preferred"].iloc[0]
    lists = listwise.by_attribute().query("system == 'bm25' and attribute == 'neutral'")
    assert anchor["lists"] == lists["preferred"].item()
    assert (anchor["doubt"], math.isfinite(anchor["lists"])) == ("", True)
    assert math.isnan(anchor["lists_low"]), "three queries are too few for an interval"
    assert model["doubt"] == "its answers to pairs go by the order in which they are shown."
    assert math.isnan(model["pairs"])
