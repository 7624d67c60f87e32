"""Steps on one list: what they do, undo and redo, as text in the address, and every measure after them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.what_if.bench import edited_bench, front_of, pareto_front, swaps_of
from fairviz.analyses.what_if.experiment import (
    MOST_CHARACTERS,
    Experiment,
    add_steps,
    affected,
    bare_experiment,
    changed_labels,
    edited_name,
    edited_run,
    outcome,
    replaced_texts,
    suggested_name,
)
from fairviz.annotation.voters import labels_of
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align, chosen_annotator, missing_part
from fairviz.evaluation.questions import ask, wants_collection
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES
from fairviz.study.record import Study, is_reference
from fairviz.study.study import add_runs, make_study
from fairviz.study.tables import TIES
from tests.analyses.label_effects.cases import BIASES, CUSTOM, LEXICON, POLICIES
from tests.conftest import refused
from tests.made import qrels_of, runs_of

LABELS = ("neutral", "female", "male")
TEXTS = ("she saw", "he and he and a tree", "she and he", "a tree", None)
NAMES = [f"d{number}" for number in range(6)]
PAIRS = "she-tree, he-leaf"  # no pairs of gender words, so that neutrality moves too


def bare(documents: str = "d c b a") -> Experiment:
    return Experiment("bm25", "q", tuple(documents.split()), LABELS, (("a", "female"), ("b", "male")))


def test_each_step_says_itself_and_is_undone() -> None:
    held = bare().moved("a", 1).swapped("d", "b").labelled("a", "male").labelled("c", "neutral").words_replaced("b")
    held = held.labelled("a", "").words_replaced()
    assert held.order == ("a", "b", "c", "d")
    assert held.relabelled == {"a": "", "c": "neutral"}
    assert held.reworded == {"a", "b", "c", "d"}
    assert [step.text for step in held.steps] == [
        "a from rank 4 to 1",
        "d (rank 2) and b (rank 4) swapped",
        "a from female to male",
        "c from no label to neutral",
        "gender words of b replaced",
        "a from male to no label",
        "gender words of all documents of the list replaced",
    ]
    before = held.undo().undo()
    assert (before.reworded, before.label("a"), before.label("b")) == ({"b"}, "male", "male")
    assert before.redo().redo() == held
    assert held.reset().steps == ()
    assert not held.reset().changed
    again = held.reset()
    for _ in held.steps:
        again = again.redo()
    assert again == held
    assert again.undo().moved("c", 4).undone == ()


def test_steps_that_undo_themselves_change_nothing_or_cannot_be() -> None:
    one = bare().words_replaced("a")
    assert one.words_replaced("a").reworded == frozenset()
    assert one.words_replaced("a").steps[-1].text == "gender words of a put back"
    assert one.words_replaced().reworded == {"a", "b", "c", "d"}
    assert one.words_replaced().words_replaced().reworded == frozenset()
    held = bare()
    assert held.moved("d", 1) is held.moved("d", 0) is held.swapped("d", "d") is held.labelled("a", "female") is held
    assert held.undo().steps == held.redo().steps == ()
    assert Experiment("bm25", "q", ()).words_replaced().steps == ()
    assert held.moved("d", 99).order == ("c", "b", "a", "d")
    assert not held.labelled("a", "male").labelled("a", "female").changed
    with refused("the list of the query 'q' holds no document 'z'\nCheck the id.", UsageError):
        held.moved("z", 1)
    with refused("'woman' is not a label of this study\nUse one of neutral, female, male.", UsageError):
        held.labelled("a", "woman")


def test_the_text_of_the_steps() -> None:
    held = bare().moved("a", 1).swapped("d", "b").labelled("a", "male").labelled("a", "").words_replaced("b")
    assert held.words_replaced().text == f"{held.mark}.m0-1.s3-1.l0-2.l0-n.w1.wa"
    assert bare().text == ""
    assert bare("a b c d").mark == bare().mark  # the same documents by another rule for ties
    assert len({bare().mark, bare("a b").mark, Experiment("tfidf", "q", bare().start).mark}) == 3
    for text, message in (
        ("", "they are of another list"),
        ("00000000.m0-1", "they are of another list"),
        ("{}.x", "'x' is not a step"),
        ("{}.m0-1.", "'' is not a step"),
        ("{}.m9-1", "'m9-1' is not a step of this list"),
        ("{}.m0-n", "'m0-n' is not a step of this list"),
        ("{}.l0-7", "'l0-7' is not a step of this list"),
        ("{}.<script>", "'<script>' is not a step"),
    ):
        with pytest.raises(FairvizError) as caught:
            add_steps(bare(), text.format(bare().mark))
        assert caught.value.message == message
    held = bare()
    while len(held.text) <= MOST_CHARACTERS - len(".m0-1"):
        held = held.moved("a", 2 if held.order[0] == "a" else 1)
    with pytest.raises(FairvizError) as caught:
        held.swapped("a", "b")
    assert caught.value.message == f"a list takes at most {len(held.steps):,} steps"
    assert held.undo().swapped("a", "b").order != held.order


def steps(documents: Sequence[str], most: int) -> st.SearchStrategy[list]:
    """Steps on a list of these documents, as names of methods with their arguments."""
    document = st.sampled_from(documents)
    step = st.one_of(
        st.tuples(st.just("moved"), document, st.integers(0, 5)),
        st.tuples(st.just("swapped"), document, document),
        st.tuples(st.just("labelled"), document, st.sampled_from(["", *LABELS])),
        st.tuples(st.just("words_replaced"), st.one_of(st.none(), document)),
    )
    return st.lists(step, max_size=most)


def taken(held: Experiment, steps: list) -> Experiment:
    for name, *arguments in steps:
        held = getattr(held, name)(*arguments)
    return held


@given(steps("abcd", 12))
def test_from_text_and_back(steps: list) -> None:
    held = taken(bare(), steps)
    again = add_steps(bare(), held.text or bare().mark)
    assert again == held
    assert sorted(again.order) == list("abcd")


@st.composite
def studies(draw: st.DrawFn) -> Study:
    """Two systems, three queries, six documents in many lists; judged, labelled by two, with text."""
    rows = []
    for system in ("one", "two"):
        for query in ("q1", "q2", "q3"):
            listed = draw(st.permutations(NAMES))[: draw(st.integers(1, 5) if query == "q1" else st.integers(0, 2))]
            scores = draw(st.lists(st.sampled_from([1.0, 2.0]), min_size=len(listed), max_size=len(listed)))
            ranked = zip(listed, scores, strict=True)
            rows += [(system, query, name, rank, score) for rank, (name, score) in enumerate(ranked, start=1)]
    said = [(name, who, label) for name in NAMES for who in "xy" if (label := draw(st.sampled_from(["", *LABELS])))]
    texts = [draw(st.sampled_from(TEXTS)) for _ in NAMES]
    judged = [(query, name, draw(st.integers(0, 2))) for query in ("q1", "q2") for name in NAMES]
    return make_study(
        "drawn",
        runs=pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]),
        labels=pd.DataFrame([*said, ("d0", "z", "male")], columns=["doc_id", "annotator", "label"]),
        documents=pd.DataFrame({"doc_id": [*NAMES, "d9"], "text": [*texts, "he"]}),
        qrels=pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"]),
        lexicon=LEXICON,
    )  # fmt: skip


def really_changed(study: Study, chosen: Settings, held: Experiment) -> Study:
    """The study with the list, the counted labels and the texts of the experiment, made anew of plain frames."""
    runs = study.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    mine = (runs["system"] == held.system) & (runs["query_id"] == held.query)
    edited = [(held.system, held.query, name, rank, -float(rank)) for rank, name in enumerate(held.order, start=1)]
    labels = labels_of(study, chosen_annotator(study, chosen)).set_index("doc_id")["label"]
    said = {**labels.to_dict(), **held.relabelled}
    other = replaced_texts(study, sorted(held.reworded))
    rows = zip(study.documents["doc_id"], study.documents["text"], strict=True)
    documents = study.documents.assign(text=[other.get(name, text) for name, text in rows])
    return make_study(
        "changed",
        runs=pd.concat([runs[~mine], pd.DataFrame(edited, columns=list(runs.columns))]),
        labels=pd.DataFrame([(name, label) for name, label in said.items() if label], columns=["doc_id", "label"]),
        documents=documents,
        qrels=study.qrels,
        lexicon=study.lexicon,
    )


ASKED = [*(name for name, record in MEASURES.items() if record.per_query), "nDCG"]


@given(data=st.data())
@settings(max_examples=settings.default.max_examples * 3 // 5)
def test_as_evaluate_on_the_study_really_changed(data: st.DataObject) -> None:
    study = data.draw(studies())
    bias = data.draw(st.sampled_from(BIASES))
    chosen = Settings(
        cutoff=data.draw(st.integers(1, 6)),
        position_bias=bias,
        custom_bias=CUSTOM if bias == "custom" else (),
        unlabelled=data.draw(st.sampled_from(POLICIES)),
        background=data.draw(st.sampled_from(["candidates", "collection", "run:two"])),
        annotator=data.draw(st.sampled_from(["", "x", "majority"])),
        pairs=PAIRS,
        filter_column=data.draw(st.sampled_from(["", "query_id"])),
        filter_values=data.draw(st.sampled_from([("q1",), ("q2", "q1")])),
    )
    if chosen.filter_column:
        queries = pd.DataFrame({"query_id": ["q1", "q2", "q3"], "text": "words"})
        study = fairviz.study.record.with_fingerprint(replace(study, queries=queries))
    if chosen.annotator == "x" and "x" not in set(study.labels["annotator"]):
        return
    names = data.draw(st.lists(st.sampled_from(ASKED), min_size=3, max_size=4, unique=True))
    asked = (ask(f"{name}@{chosen.cutoff}", chosen) for name in {*names, "nDCG"})
    questions = [question for question in asked if not missing_part(study, question, chosen)]
    texts = [question.text for question in questions]
    rankings = align(study, chosen, collection=wants_collection(questions, chosen))
    bare = bare_experiment(study, rankings, "one", "q1")
    held = taken(bare, data.draw(steps(bare.start, 4)))
    found = outcome(study, chosen, held, questions, rankings, evaluate(study, texts, chosen)).set_index("measure")
    other = replace(really_changed(study, chosen, held), queries=study.queries)
    plain = chosen.changed(annotator="")
    for said, one in (("before", study), ("now", other)):
        scores = evaluate(one, texts, chosen if one is study else plain)
        mine = scores[(scores["system"] == "one") & (scores["query_id"] == "q1")].set_index("measure")["value"]
        means = fairviz.summarise(scores).query("system == 'one'").set_index("measure")["value"]
        for question in questions:
            text = question.text
            np.testing.assert_allclose(found.loc[text, said], mine[text], atol=1e-12, err_msg=text)
            np.testing.assert_allclose(found.loc[text, f"mean_{said}"], means[text], atol=1e-12, err_msg=text)
    if not held.changed:
        assert (found["difference"].dropna() == 0).all()
        assert (found["mean_difference"].dropna() == 0).all()


def by_hand() -> Study:
    """m m f n of one system, f m of another query; by reciprocal ranks."""
    labels = {"m1": "male", "m2": "male", "f1": "female", "n1": "neutral"}
    runs = runs_of({("one", "q"): "m1 m2 f1 n1", ("one", "r"): "f1 m1"})
    return make_study(
        "hand", runs=runs, labels=pd.DataFrame(labels.items(), columns=["doc_id", "label"]), qrels=qrels_of({"q": "m1"})
    )


def test_a_list_by_hand() -> None:
    """Exposure of women within 2: 0 of 1 + 1 before; f1 at rank 1 gives 1/2, the mean with r (1/2) goes from .25 to .5.
    f1 as a man: its query has none, and neither has r."""
    study, chosen = by_hand(), Settings(cutoff=2, position_bias="uniform")
    question, places = ask("Exposure(group='female')", chosen), align(study, chosen)
    scores = evaluate(study, question.text, chosen)
    held = bare_experiment(study, places, "one", "q").moved("f1", 1)
    (row,) = outcome(study, chosen, held, [question], places, scores).itertuples(index=False)
    assert row[1:] == (0.0, 0.5, 0.5, 0.25, 0.5, 0.25)
    assert affected(places, held).tolist() == [0]
    flipped = held.labelled("f1", "male")
    assert affected(places, flipped).tolist() == [0, 1]
    (row,) = outcome(study, chosen, flipped, [question], places, scores).itertuples(index=False)
    assert row[1:] == (0.0, 0.0, 0.0, 0.25, 0.0, -0.25)
    with refused("'one' has no list for the query 'z'\nChoose another query or system."):
        bare_experiment(study, places, "one", "z")


def test_the_bench_starts_from_the_list_as_it_is_now() -> None:
    study, chosen = by_hand(), Settings(cutoff=2, position_bias="uniform")
    rankings = align(study, chosen)
    held = bare_experiment(study, rankings, "one", "q").moved("f1", 1)
    found = swaps_of(edited_bench(study, chosen, held, "CWEx", "nDCG", rankings), 1.0, None)
    assert found.before == evaluate(add_runs(study, edited_run(study, held, "x")), "CWEx", chosen).query(
        "system == 'x' and query_id == 'q'"
    )["value"].item()  # fmt: skip
    bare = front_of(edited_bench(study, chosen, held.reset(), "CWEx", "nDCG", rankings))
    pd.testing.assert_frame_equal(bare.table, pareto_front(study, "CWEx", "one", "q", chosen).table)


@pytest.mark.parametrize("ties", TIES)
def test_the_saved_run_has_the_order_and_all_other_lists(ties: str, newswire: Study) -> None:
    chosen = Settings(ties=ties)
    rankings = align(newswire, chosen)
    held = bare_experiment(newswire, rankings, "bm25", "q02")
    held = held.moved(held.start[9], 1).swapped(held.start[0], held.start[-1])
    assert suggested_name(newswire, "bm25") == "bm25, edited"
    grown = add_runs(newswire, edited_run(newswire, held, "bm25, edited", ties))
    lists = align(grown, chosen).lists
    old, new = (lists.systems.index(name) for name in ("bm25", "bm25, edited"))
    at = lists.queries.index("q02")
    others = [place for place in range(len(lists.queries)) if place != at]
    assert (lists.documents[:, old][:, others] == lists.documents[:, new][:, others]).all()
    listed = lists.documents[: lists.lengths[new, at], new, at]
    assert tuple(lists.doc_ids[listed]) == held.order
    assert lists.lengths[new].tolist() == lists.lengths[old].tolist()
    assert suggested_name(grown, "bm25") == "bm25, edited 2"
    with refused("newswire has a run 'bm25, edited' already\n'bm25, edited 2' is free: save it under that name."):
        edited_run(grown, held, "bm25, edited")


def test_what_is_no_new_system() -> None:
    study = by_hand()
    held = bare_experiment(study, align(study, Settings()), "one", "q")
    with refused("the list is in the order that 'one' gives it\nMove a document, then save it."):
        edited_run(study, held.labelled("f1", "male"), "new, edited")
    with pytest.raises(FairvizError, match="cannot name the file of a system"):
        edited_run(study, held.moved("f1", 1), "../new")
    assert changed_labels(held.labelled("f1", "male").labelled("m1", ""), "me").values.tolist() == [
        ["f1", "me", "male"]
    ]


def test_names_say_what_was_edited_and_who_sees_the_judgements() -> None:
    assert edited_name(" mine ") == "mine, edited"
    assert edited_name("bm25, edited 2") == "bm25, edited 2"
    for system in ("oracle-run=bm25,loss=0.1", "oracle", "oracle, edited", "perfect, edited 2"):
        assert is_reference(system)
    for system in ("bm25, edited", "oracles", "balanced-run=bm25"):
        assert not is_reference(system)


def test_other_words_move_the_ideal_of_every_query_where_it_is_the_collections() -> None:
    study = make_study(
        "ideal",
        runs=runs_of({("one", "q"): "a", ("one", "r"): "b"}),
        documents=pd.DataFrame({"doc_id": ["a", "b"], "text": ["she and he and he and he", "he and he and he"]}),
    )
    chosen = Settings(cutoff=2, pairs="he-one", background="collection")
    question, places = ask("NFaiRR", chosen), align(study, chosen, collection=True)
    held = bare_experiment(study, places, "one", "q").words_replaced("a")
    assert affected(places, held).tolist() == [0]
    assert affected(places, held, whole=True).tolist() == [0, 1]
    (row,) = outcome(study, chosen, held, [question], places, evaluate(study, question.text, chosen)).itertuples()
    after = evaluate(really_changed(study, chosen, held), question.text, chosen.changed(pairs=""))["value"]
    assert row.mean_now == after.mean()
