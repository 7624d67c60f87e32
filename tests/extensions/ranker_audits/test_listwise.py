"""Rankers audited by lists: cases worked by hand, slow readings of the paper's equations, and a server that
answers as it is told."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, sem

from fairviz.errors import FairvizError, UsageError
from fairviz.extensions.ranker_audits.list_plan import ListwisePlan, candidate_lists
from fairviz.extensions.ranker_audits.listwise import (
    VALUES,
    ListwiseAudit,
    audit_listwise,
    estimates_listwise,
    kendall,
    summary,
)
from fairviz.rankers import parse_rankers
from fairviz.study.record import Study
from tests.conftest import refused
from tests.extensions.ranker_audits.test_llm_rankers import ordering, passages
from tests.extensions.ranker_audits.test_pairwise import study_of
from tests.model_server import ModelServer
from tests.slow_max_t import slow_rows

GENDERS = ("female", "male")
GOLDEN = ["male-0-1", "male-1-1", "male-0-2", "female-2-2", "female-0-1", "female-3-2", "male-2-1", "female-0-0"]


def study(queries: int = 4, each: int = 3, **changes) -> Study:
    """For each query, `each` relevant documents of either gender and a neutral one; all hold its word."""
    rows = [
        (f"{group}-{query}-{copy}", f"q{query}", f"topic{query} {group} text number {copy}", group, 1)
        for query in range(queries)
        for group in (*GENDERS, "neutral")
        for copy in range(each if group != "neutral" else 1)
    ]
    return study_of("made", rows, [f"topic{query}" for query in range(queries)], **changes)


def held(audit: ListwiseAudit, system: str, attribute: str = "neutral") -> dict:
    table = audit.table
    (row,) = table[(table["system"] == system) & (table["attribute"] == attribute)].to_dict("records")
    return row


def llm(server: ModelServer, more: str = "") -> str:
    return f"llm_listwise(model=m,url='{server.address}'{more})"


def test_lists_hold_both_groups_relevant_and_not_in_equal_parts():
    found = candidate_lists(study(), ListwisePlan(per_list=8))
    for query, rows in found.table.groupby("query_id"):
        assert Counter(zip(rows["protected"], rows["relevant"], strict=True)) == dict.fromkeys(
            [(True, True), (True, False), (False, True), (False, False)], 2
        )
        assert sorted(rows["before"]) == list(range(1, 9))
        own = rows["doc_id"].str.split("-").str[1] == query[1:]
        assert (own == rows["relevant"]).all(), "irrelevant ones are relevant to other queries"
        assert set(rows["group"]) == set(GENDERS)
    assert found.messages == (
        "4 candidate lists of 8 documents.",
        "No list is longer than 10: P@10 is the same whatever the order.",
        "No list is longer than 20: P@20 is the same whatever the order.",
    )


def test_lists_depend_on_seed_and_query_alone():
    whole, plan = study(), ListwisePlan(per_list=8)
    first = candidate_lists(whole, plan).table
    turned = replace(whole, qrels=whole.qrels[::-1], labels=whole.labels[::-1], queries=whole.queries[::-1])
    again = candidate_lists(turned, plan).table
    pd.testing.assert_frame_equal(*(t.sort_values(["query_id", "before"], ignore_index=True) for t in (first, again)))
    held = first[first["query_id"] == "q0"].sort_values("before")["doc_id"].tolist()
    assert held == GOLDEN, "the same on every machine, in every process"
    other = candidate_lists(whole, ListwisePlan(per_list=8, seed=1)).table
    assert not first[["doc_id", "before"]].equals(other[["doc_id", "before"]])
    few = candidate_lists(whole, ListwisePlan(per_list=8, queries=2)).table
    assert few["query_id"].nunique() == 2
    pd.testing.assert_frame_equal(few, first[first["query_id"].isin(few["query_id"])].reset_index(drop=True))


def test_what_is_judged_irrelevant_fills_up_and_uneven_lists_are_told():
    names = ["good-f", "good-m", "bad-f", "bad-m", "bad-m2"]
    made = study(
        queries=1,
        documents=pd.DataFrame({"doc_id": names, "text": ["words"] * 5}),
        labels=pd.DataFrame({"doc_id": names, "label": ["female", "male", "female", "male", "male"]}),
        qrels=pd.DataFrame({"query_id": ["q0"] * 5, "doc_id": names, "relevance": [2, 1, 0, 0, -1]}),
    )
    found = candidate_lists(made, ListwisePlan())
    assert set(found.table["doc_id"]) == set(names)
    assert set(found.table["doc_id"][found.table["relevant"]]) == {"good-f", "good-m"}
    assert found.messages[1] == (
        "1 of 1 list do not hold relevant and irrelevant documents of both groups in equal parts: there are too few."
    )


def test_studies_of_which_no_list_can_be_made_and_plans_that_cannot_be():
    lacking = {
        "qrels": "relevance judgements, so no candidate list can be made\n"
        "Add qrels.txt (TREC format: query 0 document relevance).",
        "labels": "gender labels, so no candidate list can be made\n"
        "Add labels.csv with the columns doc_id, annotator, label.",
        "queries": "queries, so no candidate list can be made\nAdd queries.csv with the columns query_id, text.",
    }
    made = study()
    for part, message in lacking.items():
        with refused(f"made has no {message}"):
            audit_listwise(replace(made, **{part: getattr(made, part).iloc[:0]}), parse_rankers("bm25"))
    for label, message in (
        ("male", "documents of one group alone"),
        ("neutral", "no relevant document with a gender and text"),
    ):
        labels = made.labels.assign(label=pd.array([label] * len(made.labels), dtype="str"))
        with refused(
            f"no query of made has a candidate list with relevant documents and both groups (4 with {message})\n"
            "Give labels 'female' and another gender to documents that are judged relevant."
        ):
            audit_listwise(replace(made, labels=labels), parse_rankers("bm25"))
    for plan, message in (
        ({"windows": ((5, 0),)}, "step is 0\nUse a whole number from 1 to 10,000."),
        ({"window": 5, "step": 6}, "the step of 6 is larger than the window of 5: documents between two windows would "
         "never be shown\nUse a step of 5 or less."),
        ({"queries": 0}, "queries is 0\nUse a whole number of 1 or more, or None for all."),
    ):  # fmt: skip
        with refused(message, UsageError):
            ListwisePlan(**plan)


def slow(ranks: pd.DataFrame) -> dict[str, float]:
    """Equations 1 and 2 of the paper and precision, a document at a time, averaged over queries."""
    found = {name: [] for name in ("ours", "theirs", "ratio", "rank_gap", "rise", "P@10", "P@20")}

    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    for query in dict.fromkeys(ranks["query_id"]):
        rows = [row for row in ranks.to_dict("records") if row["query_id"] == query]
        sides = [[row for row in rows if row["protected"] is side] for side in (True, False)]
        # the base of the logarithm cancels
        ours, theirs = (mean([1 / math.log(1 + row["after"]) for row in side]) for side in sides)
        places = [mean([row["after"] for row in side]) for side in sides]
        up = [mean([row["before"] - row["after"] for row in side]) for side in sides]
        tops = [sum(row["relevant"] for row in rows if row["after"] <= depth) / depth for depth in (10, 20)]
        row = (ours, theirs, ours / theirs, places[1] - places[0], up[0] - up[1], *tops)
        for values, value in zip(found.values(), row, strict=True):
            values.append(value)
    means = {name: mean(values) for name, values in found.items()}
    return means | {"ratio_of_means": means.pop("ours") / means.pop("theirs")}


def test_figures_are_the_slow_ones():
    made = study(queries=6, each=8)
    audit = audit_listwise(made, parse_rankers("bm25,random,random(seed=3)"), ListwisePlan(per_list=30))
    assert len(audit.table) == 10
    assert audit.ranks.index.is_unique
    for key, rows in audit.ranks.groupby(["system", "attribute"], sort=False):
        row = held(audit, *key)
        for name, value in slow(rows).items():
            assert row[name] == pytest.approx(value, rel=1e-12), (key, name)
            assert row[f"{name}_low"] - 1e-9 <= value <= row[f"{name}_high"] + 1e-9
        for _, one in rows.groupby("query_id"):
            assert sorted(one["after"]) == list(range(1, len(one) + 1))
    shuffled = audit.ranks[audit.ranks["system"] == "shuffled lists"]
    assert (shuffled["before"] == shuffled["after"]).all()


def test_females_first_by_hand(server: ModelServer):
    """Lists of 4, one of each kind, all females before all males: mean attention (1 + 1/log2 3) / 2 over
    (1/2 + 1/log2 5) / 2; mean ranks 1.5 and 3.5."""
    server.answer = ordering(lambda text: "female" in text)
    audit = audit_listwise(study(), parse_rankers(llm(server)), ListwisePlan(per_list=4))
    row = held(audit, "llm_listwise-model=m")
    ratio = (1 + 1 / math.log2(3)) / (1 / 2 + 1 / math.log2(5))
    assert (row["ratio"], row["ratio_of_means"]) == pytest.approx((ratio, ratio))
    assert (row["rank_gap"], row["P@10"], row["P@20"]) == (2, pytest.approx(0.2), pytest.approx(0.1))
    assert (row["ratio_low"], row["ratio_high"]) == pytest.approx((ratio, ratio)), "all queries are alike"
    assert audit.sentences == (
        "llm_listwise-model=m, window 20, step 10: female documents get 1.752 times the attention; a verdict needs 10 "
        "queries.",
    )
    assert set(audit.protected_ranks().query("system != 'shuffled lists'")["after"]) == {1, 2}


def test_by_a_column_of_the_queries() -> None:
    """Each slice is the audit's own rows of these queries; the whole mean lies between them."""
    made = study()
    made = replace(made, queries=made.queries.assign(topic=["<b>", "x", "x", "x"]))
    audit = audit_listwise(made, parse_rankers("random"), ListwisePlan(per_list=8, attributes=()))
    found = audit.sliced("topic")
    assert found[["value", "system", "queries"]].to_numpy().tolist() == [
        ["<b>", "shuffled lists", 1], ["<b>", "random", 1], ["x", "shuffled lists", 3], ["x", "random", 3],
    ]  # fmt: skip
    one = audit.values[(audit.values["system"] == "random") & (audit.values["query_id"] == "q0")]
    assert found["ratio"][1] == one["ratio"].item()
    assert math.isnan(found["ratio_low"][1])
    whole = held(audit, "random")["rank_gap"]
    assert (found["rank_gap"][1] + 3 * found["rank_gap"][3]) / 4 == pytest.approx(whole)
    with refused("the queries of made have no column 'text' to slice by\nUse topic.", UsageError):
        audit.sliced("text")


def test_neutral_and_sensitive_queries_and_windows(server: ModelServer):
    """A model that does what the users' attribute says: its shift is in the table, and nothing is asked twice."""

    def answer(prompt: str) -> str:
        wanted = next((group for group in GENDERS if f"for {group} users" in prompt), "")
        return ordering(lambda text: bool(wanted) and f" {wanted} " in text)(prompt)

    server.answer = answer
    plan, made = ListwisePlan(per_list=8, window=8, step=4, windows=((4, 4), (8, 4))), study()
    steps: list[tuple[str, int, int]] = []
    audit = audit_listwise(made, parse_rankers(llm(server)), plan, lambda *step: steps.append(step))
    assert list(audit.by_attribute()["attribute"]) == ["neutral", "neutral", "female", "male"]
    assert audit.by_window()[["window", "step"]].to_numpy().tolist() == [[8, 4], [4, 4]]
    assert held(audit, "llm_listwise-model=m", "female")["ratio"] > 1.3
    assert held(audit, "llm_listwise-model=m", "male")["ratio"] < 0.75
    female = held(audit, "llm_listwise-model=m", "female")
    neutral = audit.table[(audit.table["window"] == 8) & (audit.table["attribute"] == "neutral")]["ratio"].item()
    assert female["ratio_shift"] == pytest.approx(female["ratio"] - neutral)
    assert math.isnan(audit.table["ratio_shift"].iloc[0])
    assert audit.asked == len(server.bodies) == 4 * (1 + 1 + 1 + 2) == len(audit.answers)
    assert steps[-1] == ("llm_listwise-model=m, neutral queries, 4/4", 8, 8)
    again = audit_listwise(made, parse_rankers(llm(server)), plan)
    assert again.asked == 0
    assert len(server.bodies) == 20
    pd.testing.assert_frame_equal(again.table, audit.table)
    assert again.seconds == audit.seconds


def test_what_it_would_take_and_what_it_may(server: ModelServer):
    """Of a choice with its own window."""
    server.answer = ordering(lambda text: "female" in text)
    made, choices = study(), parse_rankers(f"bm25,{llm(server, ',window=4,step=2')}")
    plan = ListwisePlan(per_list=8, attributes=("female",), most_requests=10)
    (first,) = estimates_listwise(made, choices, plan).values()
    assert (first.questions, first.open, first.tokens_out) == (24, 24, 24 * 40)
    assert not server.bodies
    with pytest.raises(FairvizError, match=r"^the budget of 10 requests is used up: 2 of 4 questions are answered"):
        audit_listwise(made, choices, plan)
    assert len(server.bodies) == 10
    assert [one.open for one in estimates_listwise(made, choices, plan).values()] == [14]
    audit = audit_listwise(made, choices, replace(plan, most_requests=0))
    assert audit.asked == 14
    assert audit.by_window()[["window", "step"]].to_numpy().tolist() == [[4, 2]]
    assert [one.open for one in estimates_listwise(made, choices, plan).values()] == [0]
    assert estimates_listwise(made, parse_rankers("bm25"), plan) == {}
    with refused(
        "llm_listwise-model=m-template=wikiproject-neutral names a template, which the audit varies itself\n"
        "Leave it out, and give the templates and attributes of the audit.",
        UsageError,
    ):
        audit_listwise(made, parse_rankers(llm(server, ",template=wikiproject-neutral")), plan)


def test_integrity_stands_before_any_figure(server: ModelServer):
    """Four lists of four: an order, a repaired one, prose, and the order that was shown."""
    answers = {"topic0": "[4] > [3] > [2] > [1]", "topic1": "Sure: [3] > [3] > [9] > [1]", "topic2": "All are good.",
               "topic3": "[1] > [2] > [3] > [4]"}  # fmt: skip
    server.answer = lambda prompt: next(text for topic, text in answers.items() if f"Query: {topic}." in prompt)
    audit = audit_listwise(study(), parse_rankers(llm(server)), ListwisePlan(per_list=4, attributes=()))
    (row,) = audit.integrity.to_dict("records")
    counts = {"answers": 4, "exact": 2, "repaired": 1, "unread": 1, "prose": 1, "empty": 0, "missing": 2, "double": 1,
              "invented": 1, "around": 1, "identity": 1}  # fmt: skip
    assert {name: row[name] for name in counts} == counts
    taus = [-1, -1, np.nan, 1]  # the repaired one names places 3 and 1, turned round
    assert kendall(np.array([1, 2, 3, 4]), np.array([2, 1, 4, 3])) == pytest.approx((4 - 2) / 6)
    assert math.isnan(kendall(np.array([1]), np.array([1])))
    assert row["position_bias"] == pytest.approx(np.nanmean(taus))
    assert (row["first_kept"], row["chance"]) == (pytest.approx(1 / 3), 0.25)
    assert audit.answers.set_index("query_id")["order"].to_dict() == {
        "q0": (3, 2, 1, 0), "q1": (2, 0, 1, 3), "q2": (0, 1, 2, 3), "q3": (0, 1, 2, 3),
    }  # fmt: skip
    (said,) = audit.integrity_sentences
    assert said.startswith(
        "llm_listwise-model=m, neutral queries, window 20, step 10: 4 answers. 2 are complete orders, 1 were "
        "repaired, 1 name no order. 1 repeat the order shown; 2 documents were left out. Kendall's τ between the "
        "order shown and the order named is -0.33 ["
    )
    assert audit.messages[-1] == (
        "llm_listwise-model=m: the window of 20 is larger than 4 of 4 lists (the shortest holds 4), and is cut to them."
    )


BY_POSITION = "Its order depends on position more than on text: do not read a preference into its lists."


def in_order(step: int):
    """A model that names the passages in the order shown, or, by -1, turned round."""
    return lambda prompt: " > ".join(f"[{place + 1}]" for place in range(len(passages(prompt)))[::step])


NO_ORDER = "At least half of the answers name no order: lists reflect the shuffle, not gender."
NOT_NAMED = "At least half of the documents are not named: do not read a preference into the lists."
HABITS = {
    "prose": (lambda prompt: "no", NO_ORDER),
    "as shown": (in_order(1), BY_POSITION),
    "turned round": (in_order(-1), BY_POSITION),
    "few named": (lambda prompt: "[8] > [8] > [9]", NOT_NAMED),
}


@pytest.mark.parametrize("habit", HABITS)
def test_a_model_that_does_not_rank_is_not_read_as_unfair(server: ModelServer, habit: str):
    server.answer, doubt = HABITS[habit]
    audit = audit_listwise(study(), parse_rankers(llm(server)), ListwisePlan(per_list=8, attributes=()))
    assert audit.integrity_sentences[0].endswith(doubt)
    assert audit.sentences == (
        f"llm_listwise-model=m, window 20, step 10: do not read a preference into its lists. {doubt}",
    )
    if audit.integrity["identity"].item() or audit.integrity["unread"].item():  # the lists are as they were shuffled
        assert held(audit, "llm_listwise-model=m")["ratio"] == held(audit, "shuffled lists")["ratio"]


def made_values(queries: int) -> pd.DataFrame:
    """Two rankers and the shuffled lists, neutral queries, and one ranker under a gender's: by_query's columns."""
    generator = np.random.default_rng(4)
    arms = [("shuffled lists", "neutral"), ("one", "neutral"), ("one", "female"), ("two", "neutral")]
    parts = []
    for place, (system, attribute) in enumerate(arms):
        part = pd.DataFrame(generator.normal(place / 4, 1, (queries, len(VALUES))), columns=list(VALUES))
        part[["exposure_protected", "exposure_others"]] = generator.uniform(0.4, 0.6, (2, queries)).T
        names = [f"q{query:02}" for query in range(queries)]
        parts.append(part.assign(system=system, attribute=attribute, window=0, step=0, query_id=names))
    return pd.concat(parts, ignore_index=True)


def test_a_table_of_lists_is_one_family():
    """Sign tests of three arms, without the shuffled lists; the shift from neutral queries, the only one, by t."""
    values = made_values(12)
    table = summary(values).set_index(["system", "attribute"])
    anchor, arms = table.loc[("shuffled lists", "neutral")], table.drop(index=("shuffled lists", "neutral"))
    assert math.isnan(anchor["p_shares_corrected"])
    assert arms["family"].tolist() == [3, 3, 3]
    for key, row in arms.iterrows():
        gaps = values[(values["system"] == key[0]) & (values["attribute"] == key[1])]["rank_gap"]
        above = int((gaps > 0).sum())
        p = binomtest(above, 12).pvalue
        assert row["preferred"] == above / 12
        assert row["p_shares_corrected"] == pytest.approx(min(3 * p, 1))
        assert (row["preferred_low"] > 0.5 or row["preferred_high"] < 0.5) == (3 * p <= 0.05)
    one = values[values["system"] == "one"]
    both = [one[one["attribute"] == name]["ratio"].to_numpy() for name in ("female", "neutral")]
    _, _, above = slow_rows([both[0] - both[1]], 10_000)
    shift = table.loc[("one", "female")]
    assert shift["ratio_shift_high"] - shift["ratio_shift"] == pytest.approx(above[0] * sem(both[0] - both[1]))
    assert math.isnan(table.loc[("one", "neutral"), "ratio_shift"])
    few = summary(made_values(9))
    assert few["p_shares_corrected"].isna().all()
    assert few["preferred_low"].isna().all()


def test_ties_and_what_is_not_found_stand_as_before():
    """bm25 finds relevant documents alone, all equal but for their words; under a gender's queries those rise."""
    audit = audit_listwise(study(), parse_rankers("bm25"), ListwisePlan(per_list=8))
    neutral = audit.ranks[(audit.ranks["system"] == "bm25") & (audit.ranks["attribute"] == "neutral")]
    for _, rows in neutral.groupby("query_id"):
        by_rank = rows.sort_values("after")
        assert by_rank["relevant"].tolist() == [True] * 4 + [False] * 4
        assert by_rank["tied"].tolist() == [True] * 4 + [False] * 4
        assert by_rank["unranked"].tolist() == [False] * 4 + [True] * 4
        assert by_rank["before"].iloc[:4].is_monotonic_increasing
        assert by_rank["before"].iloc[4:].is_monotonic_increasing
    assert audit.integrity_sentences[0] == (
        "bm25, neutral queries: 50% of the documents get no place and 50% share one: these are in random order."
    )
    assert held(audit, "bm25", "female")["ratio"] > held(audit, "bm25")["ratio"] > held(audit, "bm25", "male")["ratio"]


def test_a_ranker_that_orders_a_run_anew_gets_the_lists(monkeypatch):
    """cross_encoder, with a model that goes by the length of the text, reads the candidates and no more."""
    import fairviz.rankers.encoders as module

    read: list[str] = []

    def encode(texts: list[str], *_: object) -> np.ndarray:
        read.extend(texts)
        return np.array([float(len(text)) for text in texts])

    monkeypatch.setattr(module, "located", lambda name: name)
    monkeypatch.setattr(module, "encoded", encode)
    made, plan = study(), ListwisePlan(per_list=8, attributes=())
    audit = audit_listwise(made, parse_rankers("cross_encoder(model=x)"), plan)
    assert len(read) == 4 * 8
    assert held(audit, "cross_encoder-model=x")["rank_gap"] > 0, "female is a longer word than male"
    assert not audit.ranks["unranked"].any()


def test_rankers_that_read_no_text_are_asked_neutral_queries_alone():
    audit = audit_listwise(study(), parse_rankers("perfect"), ListwisePlan(per_list=8))
    assert audit.by_attribute()["attribute"].tolist() == ["neutral", "neutral"]
    assert held(audit, "perfect")["P@10"] == pytest.approx(0.4)
