"""What is to be trained, and on which pairs; no model is loaded here."""

import pandas as pd
from hypothesis import example, given
from hypothesis import strategies as st

import fairviz
from fairviz.extensions.finetuning.pairs import (
    COLUMNS,
    HELD_OUT,
    SUBSTITUTION,
    TRAIN,
    WORDINGS,
    FinetuningPlan,
    encoder_of,
    pairs_of,
)
from fairviz.extensions.finetuning.training import batch_at
from fairviz.models.sentence_encoder import is_adapter_name
from tests.conftest import refused
from tests.extensions.finetuning.cases import study

NAME = "Use letters, digits and . _ = + -, the first a letter or a digit, 100 at most."
ENCODER = "Give 'bi_encoder' or \"bi_encoder(model='…')\"."


def test_what_cannot_be_mended_is_said_in_one_line(football) -> None:
    for asked, message in (
        ({"rank": 3.5}, "rank is 3.5\nUse a whole number from 1 to 64."),
        ({"steps": True}, "steps is True\nUse a whole number from 1 to 10,000."),
        ({"strength": "1"}, "strength is '1'\nUse a number from 0 to 1,000."),
        ({"strength": float("nan")}, "strength is nan\nUse a number from 0 to 1,000."),
        ({"name": "../mine"}, f"name is '../mine'\n{NAME}"),
        ({"name": None}, "name is None\nGive a name as text."),
        ({"ranker": None}, f"ranker is None\n{ENCODER}"),
        ({"ranker": "bm25,tfidf"}, f"ranker is 'bm25,tfidf', and only one bi_encoder can be trained\n{ENCODER}"),
        (
            {"ranker": "bi_encoder(project=2)"},
            f"ranker is 'bi_encoder(project=2)', which is changed already, by project\n{ENCODER}",
        ),
        ({"progress": int}, "progress is <class 'int'>\nGive a function of what is done, how much, and in all."),
        ({"settings": 3}, "settings is 3\nGive a Settings, or its fields by name: cutoff=5, annotator='majority'."),
        ({"study": 3}, "study is 3\nGive a Study, as fairviz.open_study opens and fairviz.make_study makes."),
        ({}, "football has texts in the wordings of two genders for 1 query, too few to train on some and to hold out "
         "others\nUse a study with such texts, or texts with gender words, for 10 or more."),
    ):  # fmt: skip
        with refused(message):
            fairviz.mend(**{"study": football, **asked})


def test_a_name_is_made_of_the_study_the_plan_and_the_steps_done() -> None:
    assert FinetuningPlan(strength=0.5, seed=7).named("ir_datasets:my/ set").name == (
        "ir_datasets-my-set-rank4-strength0.5-steps40-seed7"
    )
    assert encoder_of("bi_encoder(model='a/b')") == "a/b"
    plan = FinetuningPlan().named("x")
    assert plan.minutes is None
    assert plan.after("x", 12).name == "x-rank4-strength1-steps12of40-seed0"
    assert plan.after("x", 40) == plan.after("x", 0) == plan
    assert FinetuningPlan(name="mine").named("x").after("x", 12).name == "mine"


@given(st.floats(0, 1000))
@example(1.2345678901234567e-05)
def test_an_adapter_is_named_by_the_very_strength(strength: float) -> None:
    name = (
        FinetuningPlan(strength=strength, rank=64, steps=10_000, seed=2**31 - 1)
        .named("a study of a long name " * 5)
        .name
    )
    assert is_adapter_name(name)
    assert float(name.partition("-strength")[2].partition("-steps")[0]) == strength


def test_the_digest_holds_all_but_name_and_minutes() -> None:
    digest = FinetuningPlan().digest("m", [["a"], ["b"]])
    assert FinetuningPlan(minutes=9, name="x").digest("m", [["a"], ["b"]]) == digest
    others = [FinetuningPlan(rank=2), FinetuningPlan(strength=2), FinetuningPlan(steps=2), FinetuningPlan(seed=2)]
    made = [one.digest("m", [["a"], ["b"]]) for one in others]
    made += [FinetuningPlan().digest("n", [["a"], ["b"]]), FinetuningPlan().digest("m", [["a", "b"]])]
    assert len({digest, *made}) == 7


def test_documents_in_three_wordings_are_the_pairs() -> None:
    made = pairs_of(study(), 0)
    assert (made.source, made.groups, made.shared) == (WORDINGS, ("female", "male"), 0)
    row = made.table[made.table["query_id"] == "q0"].iloc[0]
    assert [row[name] for name in COLUMNS] == [
        "q0",
        "The woman looked at the engine for a while",
        "The man looked at the engine for a while",
        "The person looked at the engine for a while",
    ]
    assert (len(made.of(TRAIN)), len(made.of(HELD_OUT))) == (10, 2)
    assert pairs_of(study(), 0).split == made.split
    assert pairs_of(study(), 1).split != made.split


def swapped_study(texts: list[str], **parts) -> fairviz.study.record.Study:
    ids = [f"d{place}" for place in range(len(texts))]
    queries = pd.DataFrame({"query_id": [f"q{place}" for place in range(len(texts))], "text": [*map(str, ids)]})
    documents = pd.DataFrame({"doc_id": ids, "title": "", "text": texts})
    qrels = pd.DataFrame({"query_id": queries["query_id"], "doc_id": ids, "relevance": 1})
    return fairviz.make_study("own", **{"queries": queries, "documents": documents, "qrels": qrels} | parts)


def test_elsewhere_a_document_is_paired_with_its_counterpart() -> None:
    texts = [f"A man sings song {place}" for place in range(10)] + ["She and her son met him", "A man and a woman", "x"]
    made = pairs_of(swapped_study(texts), 0)
    assert made.source == SUBSTITUTION
    rows = {row["query_id"]: (row["female"], row["male"], row["neutral"]) for row in made.table.to_dict("records")}
    assert rows["q3"] == ("A woman sings song 3", "A man sings song 3", "")
    assert set(rows) == {f"q{place}" for place in range(10)}  # what tells of both alike, or of none, is no wording


def test_no_query_of_one_text_stands_on_both_sides() -> None:
    texts = [f"A man sings song {place}" for place in range(24)]
    rows = [("q0", f"d{place}", 1) for place in range(12)] + [(f"q{place}", f"d{place}", 1) for place in range(12, 24)]
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"])
    pairs = pairs_of(swapped_study(texts, qrels=qrels), 0).table["query_id"].value_counts()
    assert pairs.to_dict() == {"q0": 10} | {f"q{place}": 1 for place in range(12, 24)}, "ten of a query at most"
    asked = [f"song  {place // 2}" if place % 2 else f"Song {place // 2}" for place in range(24)]
    queries = pd.DataFrame({"query_id": [f"q{place}" for place in range(24)], "text": asked})
    for seed in range(5):
        split = pairs_of(swapped_study(texts, queries=queries), seed).split
        assert [split[f"q{place}"] for place in range(0, 24, 2)] == [split[f"q{place}"] for place in range(1, 24, 2)]
        assert set(split.values()) == {TRAIN, HELD_OUT}


def test_a_text_of_a_held_out_query_is_not_trained_on() -> None:
    texts = [f"A man sings song {place}" for place in range(12)]
    everyone = [(f"q{query}", "d0", 1) for query in range(12)] + [
        (f"q{query}", f"d{query}", 1) for query in range(1, 12)
    ]
    judged = pd.DataFrame(everyone, columns=["query_id", "doc_id", "relevance"])
    made = pairs_of(swapped_study(texts, qrels=judged), 0)
    held = set(made.of(HELD_OUT)[["female", "male"]].to_numpy().ravel())
    assert "A man sings song 0" in held
    assert not held & set(made.of(TRAIN)[["female", "male"]].to_numpy().ravel())
    assert made.shared == sum(side == TRAIN for side in made.split.values())


def test_what_a_study_lacks() -> None:
    for part, columns in (("queries", "query_id, text"), ("documents", "doc_id, text")):
        parts = {"queries": study().queries, "documents": study().documents} | {part: None}
        with refused(f"bare has no {part} to train on\nAdd {part}.csv with the columns {columns}."):
            fairviz.mend(fairviz.make_study("bare", **parts))
    texts = [f"A man sings song {place}" for place in range(12)]
    judged = pd.DataFrame({"query_id": [f"q{place}" for place in range(12)], "doc_id": "d0", "relevance": 1})
    with refused(
        "own has pairs to train on for 0 queries, too few: 10 pairs have a text that a held-out query has too\n"
        "Use a study whose queries have texts of their own."
    ):
        pairs_of(swapped_study(texts, qrels=judged), 0)
    with refused(
        "own does not assign documents to queries\n"
        "Add qrels.txt, or rank its documents first: fairviz rank STUDY --with bi_encoder."
    ):
        pairs_of(swapped_study(texts, qrels=None), 0)


def test_every_query_is_trained_on_before_any_comes_again() -> None:
    made = pairs_of(study(), 0)
    batches = [batch_at(step, made.of(TRAIN), made.queries, 0) for step in range(5)]  # of 8 queries, of which 10 train
    seen = [text for batch in batches for text in batch.queries]
    assert len(set(seen[:10])) == 10
    assert {seen.count(text) for text in seen} <= {3, 4, 5}
    assert not set(seen) & {made.queries[name] for name, side in made.split.items() if side == HELD_OUT}
    for batch in batches:
        own = [batch.queries[place] for place in batch.own]
        assert all(query in text for query, text in zip(own, batch.female, strict=True))
        assert len(batch.female) == len(batch.male) == len(batch.neutral) == len(batch.own)
