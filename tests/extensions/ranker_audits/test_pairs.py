"""Which pairs a study gives, and what it is told where it gives none."""

from dataclasses import replace

import pandas as pd

from fairviz.errors import UsageError
from fairviz.extensions.ranker_audits.pairs import BOTH, DRAWN, SAME, PairwisePlan, pairs_of
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.analyses.gender_swap.cases import triples
from tests.conftest import refused

ROWS = [
    ("f1", "q1", "female", 1), ("f2", "q1", "female", 1), ("m1", "q1", "male", 1), ("n1", "q1", "neutral", 1),
    ("f3", "q1", "female", 0), ("m2", "q1", "male", 0),
    ("f4", "q2", "female", 1), ("m3", "q2", "male", 1), ("m4", "q2", "male", 0),
    ("f5", "q3", "female", 1),
]  # fmt: skip


def judged() -> Study:
    """q1 has relevant and irrelevant pairs, q2 relevant ones, q3 no relevant one."""
    table = pd.DataFrame(ROWS, columns=["doc_id", "query_id", "label", "relevance"])
    return make_study(
        "judged",
        documents=pd.DataFrame({"doc_id": table["doc_id"], "title": "", "text": "A text on " + table["doc_id"]}),
        queries=pd.DataFrame({"query_id": ["q1", "q2", "q3"], "text": ["one", "two", "three"]}),
        labels=table[["doc_id", "label"]].assign(annotator="gold"),
        qrels=table[["query_id", "doc_id", "relevance"]],
    )


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
    assert not relevant["query_id"].eq("q3").any()
    assert made.messages == (
        "2 of 3 queries have no document of each group judged irrelevant: documents that are relevant to other queries "
        "replace them.",
        "1 of 3 queries have no pair of documents that are relevant.",
    )
    neutral = table[table["group"] == "neutral"]
    assert set(neutral["doc_id"]) == {"n1"}
    assert set(neutral["query_id"]) == {"q1", "q2", "q3"}


def test_a_third_group_that_nobody_is_in_forbids_no_pair_of_the_others() -> None:
    study = replace(judged(), groups=("female", "male", "non-binary"))
    made = pairs_of(study, PairwisePlan(per_query=10))
    pd.testing.assert_frame_equal(made.table, pairs_of(judged(), PairwisePlan(per_query=10)).table)
    assert made.messages[0] == (
        "judged has no document with text labelled 'non-binary' by gold: no pair holds one of that group."
    )
    assert made.messages[1:] == pairs_of(judged(), PairwisePlan(per_query=10)).messages


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


LABELS = judged().labels
BAD = [
    ({"labels": LABELS[:0]}, {}, "judged has no gender labels to build pairs by\n"
     "Add labels.csv with the columns doc_id, annotator, label, or see fairviz annotate."),
    ({"queries": judged().queries[:0]}, {},
     "judged has no queries to ask about\nAdd queries.csv with the columns query_id, text."),
    ({"documents": judged().documents.assign(text=None)}, {},
     "judged has no text of documents to compare\nAdd documents.tsv with the columns doc_id and text."),
    ({"labels": LABELS[LABELS["label"] != "male"]}, {},
     "judged has no document with text labelled 'male' by gold, and a pair needs one of each group\n"
     "Label documents of that group, or choose another annotator."),
    ({"qrels": judged().qrels[:0]}, {}, "judged has neither judgements nor runs, so no document belongs to a query\n"
     "Add qrels.txt to its folder, or rank it first."),
    ({"qrels": judged().qrels[-1:]}, {},
     "judged holds no pair: no query has documents of both groups with text and the same relevance\n"
     "Add judgements or labels, or draw from more queries."),
    ({}, {"source": SAME}, "judged has no documents that are one text in three wordings\n"
     "They are documents with a column query_id, judged alike for it, with a label of each gender and neutral. "
     "Draw pairs instead."),
]  # fmt: skip


def test_what_a_study_lacks_and_a_plan_that_cannot_be() -> None:
    for parts, plan, message in BAD:
        with refused(message):
            pairs_of(replace(judged(), **parts), PairwisePlan(**plan))
    with refused("source is 'all'\nUse one of auto, same text, drawn, both.", UsageError):
        PairwisePlan(source="all")
