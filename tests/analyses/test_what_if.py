"""What if on one list: steps, undone and redone, as text in the address, and every measure after them; swaps and fronts
against every order of the list."""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairviz
from fairviz.analyses.what_if import bench
from fairviz.analyses.what_if import experiment as experiments
from fairviz.analyses.what_if.bench import Swaps, fewest_swaps, pareto_front, swaps_between
from fairviz.analyses.what_if.experiment import Experiment, add_steps, bare_experiment, outcome
from fairviz.annotation import voters
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align, chosen_annotator, missing_part
from fairviz.evaluation.questions import ask, wants_collection
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, unfairness
from fairviz.orders.candidates import all_orders
from fairviz.study.record import Study, is_reference
from fairviz.study.study import add_runs, make_study
from fairviz.study.tables import TIES
from tests.analyses.cases import BIASES, CUSTOM, LEXICON, POLICIES, choices
from tests.conftest import refused
from tests.made import documents_of, labels_by, labels_of, qrels_of, runs_of

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
    while len(held.text) <= experiments.MOST_CHARACTERS - len(".m0-1"):
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
    said = {who: {name: draw(st.sampled_from(["", *LABELS])) for name in NAMES} for who in "xy"}
    texts = {name: draw(st.sampled_from(TEXTS)) for name in NAMES}
    return make_study(
        "drawn",
        runs=pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]),
        labels=labels_by({**said, "z": {"d0": "male"}}),
        documents=documents_of({**texts, "d9": "he"}),
        qrels=qrels_of({query: {name: draw(st.integers(0, 2)) for name in NAMES} for query in ("q1", "q2")}),
        lexicon=LEXICON,
    )  # fmt: skip


def really_changed(study: Study, chosen: Settings, held: Experiment) -> Study:
    """The study with the list, the counted labels and the texts of the experiment, made anew of plain frames."""
    runs = study.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    mine = (runs["system"] == held.system) & (runs["query_id"] == held.query)
    edited = [(held.system, held.query, name, rank, -float(rank)) for rank, name in enumerate(held.order, start=1)]
    labels = voters.labels_of(study, chosen_annotator(study, chosen)).set_index("doc_id")["label"]
    said = {**labels.to_dict(), **held.relabelled}
    other = experiments.replaced_texts(study, sorted(held.reworded))
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
    labels = labels_of({"m1": "male", "m2": "male", "f1": "female", "n1": "neutral"})
    runs = runs_of({("one", "q"): "m1 m2 f1 n1", ("one", "r"): "f1 m1"})
    return make_study("hand", runs=runs, labels=labels, qrels=qrels_of({"q": "m1"}))


def test_a_list_by_hand() -> None:
    """Exposure of women within 2: 0 of 1 + 1 before; f1 at rank 1 gives 1/2, the mean with r (1/2) goes from .25 to .5.
    f1 as a man: its query has none, and neither has r."""
    study, chosen = by_hand(), Settings(cutoff=2, position_bias="uniform")
    question, places = ask("Exposure(group='female')", chosen), align(study, chosen)
    scores = evaluate(study, question.text, chosen)
    held = bare_experiment(study, places, "one", "q").moved("f1", 1)
    (row,) = outcome(study, chosen, held, [question], places, scores).itertuples(index=False)
    assert row[1:] == (0.0, 0.5, 0.5, 0.25, 0.5, 0.25)
    assert experiments.affected(places, held).tolist() == [0]
    flipped = held.labelled("f1", "male")
    assert experiments.affected(places, flipped).tolist() == [0, 1]
    (row,) = outcome(study, chosen, flipped, [question], places, scores).itertuples(index=False)
    assert row[1:] == (0.0, 0.0, 0.0, 0.25, 0.0, -0.25)
    with refused("'one' has no list for the query 'z'\nChoose another query or system."):
        bare_experiment(study, places, "one", "z")


def test_the_bench_starts_from_the_list_as_it_is_now() -> None:
    study, chosen = by_hand(), Settings(cutoff=2, position_bias="uniform")
    rankings = align(study, chosen)
    held = bare_experiment(study, rankings, "one", "q").moved("f1", 1)
    found = bench.swaps_of(bench.edited_bench(study, chosen, held, "CWEx", "nDCG", rankings), 1.0, None)
    assert found.before == evaluate(add_runs(study, experiments.edited_run(study, held, "x")), "CWEx", chosen).query(
        "system == 'x' and query_id == 'q'"
    )["value"].item()  # fmt: skip
    bare = bench.front_of(bench.edited_bench(study, chosen, held.reset(), "CWEx", "nDCG", rankings))
    pd.testing.assert_frame_equal(bare.table, pareto_front(study, "CWEx", "one", "q", chosen).table)


@pytest.mark.parametrize("ties", TIES)
def test_the_saved_run_has_the_order_and_all_other_lists(ties: str, newswire: Study) -> None:
    chosen = Settings(ties=ties)
    rankings = align(newswire, chosen)
    held = bare_experiment(newswire, rankings, "bm25", "q02")
    held = held.moved(held.start[9], 1).swapped(held.start[0], held.start[-1])
    assert experiments.suggested_name(newswire, "bm25") == "bm25, edited"
    grown = add_runs(newswire, experiments.edited_run(newswire, held, "bm25, edited", ties))
    lists = align(grown, chosen).lists
    old, new = (lists.systems.index(name) for name in ("bm25", "bm25, edited"))
    at = lists.queries.index("q02")
    others = [place for place in range(len(lists.queries)) if place != at]
    assert (lists.documents[:, old][:, others] == lists.documents[:, new][:, others]).all()
    listed = lists.documents[: lists.lengths[new, at], new, at]
    assert tuple(lists.doc_ids[listed]) == held.order
    assert lists.lengths[new].tolist() == lists.lengths[old].tolist()
    assert experiments.suggested_name(grown, "bm25") == "bm25, edited 2"
    with refused("newswire has a run 'bm25, edited' already\n'bm25, edited 2' is free: save it under that name."):
        experiments.edited_run(grown, held, "bm25, edited")


def test_what_is_no_new_system() -> None:
    study = by_hand()
    held = bare_experiment(study, align(study, Settings()), "one", "q")
    with refused("the list is in the order that 'one' gives it\nMove a document, then save it."):
        experiments.edited_run(study, held.labelled("f1", "male"), "new, edited")
    with pytest.raises(FairvizError, match="cannot name the file of a system"):
        experiments.edited_run(study, held.moved("f1", 1), "../new")
    assert experiments.changed_labels(held.labelled("f1", "male").labelled("m1", ""), "me").values.tolist() == [
        ["f1", "me", "male"]
    ]


def test_names_say_what_was_edited_and_who_sees_the_judgements() -> None:
    assert experiments.edited_name(" mine ") == "mine, edited"
    assert experiments.edited_name("bm25, edited 2") == "bm25, edited 2"
    for system in ("oracle-run=bm25,loss=0.1", "oracle", "oracle, edited", "perfect, edited 2"):
        assert is_reference(system)
    for system in ("bm25, edited", "oracles", "balanced-run=bm25"):
        assert not is_reference(system)


def test_other_words_move_the_ideal_of_every_query_where_it_is_the_collections() -> None:
    texts = {"a": "she and he and he and he", "b": "he and he and he"}
    study = make_study("ideal", runs=runs_of({("one", "q"): "a", ("one", "r"): "b"}), documents=documents_of(texts))
    chosen = Settings(cutoff=2, pairs="he-one", background="collection")
    question, places = ask("NFaiRR", chosen), align(study, chosen, collection=True)
    held = bare_experiment(study, places, "one", "q").words_replaced("a")
    assert experiments.affected(places, held).tolist() == [0]
    assert experiments.affected(places, held, whole=True).tolist() == [0, 1]
    (row,) = outcome(study, chosen, held, [question], places, evaluate(study, question.text, chosen)).itertuples()
    after = evaluate(really_changed(study, chosen, held), question.text, chosen.changed(pairs=""))["value"]
    assert row.mean_now == after.mean()


# --- swaps and fronts of one list, against every order of it


MEASURES = (
    "CWEx(alpha=0.3)", "Exposure(group='female')", "ExposureGap", "AbsExposureGap", "AWRF", "GroupExposureRatio",
    "NFaiRR(tau=0)", "NFaiRR(background='run:0')", "NFaiRR(background='collection')", "FaiRR", "TExFAIR", "RBDF", "RaB",
    "ARaB",
)  # fmt: skip


@st.composite
def every_order(draw: st.DrawFn) -> Study:
    """A system for each order of four documents, the first the list as it is; judged, labelled, with text.

    A document beyond the lists has a word of the word list, without which measures of words are refused.
    """
    names = ["d0", "d1", "d2", "d3"]
    labels = {name: draw(st.sampled_from([None, "neutral", "female", "male"])) for name in names}
    texts = {name: draw(st.sampled_from(TEXTS)) for name in names} | {"d8": "she", "d9": "a tree"}  # in no list
    return make_study(
        "orders",
        runs=runs_of({(str(number), "q"): order for number, order in enumerate(permutations(names))}),
        labels=labels_of(labels if any(labels.values()) else {"d0": "male"}),
        documents=documents_of(texts),
        qrels=qrels_of({"q": {name: draw(st.integers(0, 2)) for name in names}}),
        lexicon=LEXICON,
    )


def by_system(study: Study, text: str, chosen: Settings) -> tuple[np.ndarray, np.ndarray]:
    """The measure of each order, and its nDCG."""
    scores = evaluate(study, [text, "nDCG"], chosen)
    table = scores.assign(order=scores["system"].astype(int)).pivot(index="order", columns="measure", values="value")
    return table[ask(text, chosen).text].to_numpy(), table[ask("nDCG", chosen).text].to_numpy()


def swaps_by_search(length: int) -> dict[tuple[int, ...], int]:
    """The fewest swaps to each order, by breadth-first search."""
    start = tuple(range(length))
    found, waiting = {start: 0}, deque([start])
    while waiting:
        order = waiting.popleft()
        for first, second in combinations(range(length), 2):
            other = list(order)
            other[first], other[second] = other[second], other[first]
            if tuple(other) not in found:
                found[tuple(other)] = found[order] + 1
                waiting.append(tuple(other))
    return found


ORDERS = list(permutations(range(4)))
FEWEST = np.array([swaps_by_search(4)[order] for order in ORDERS])


def test_orders_and_the_swaps_between_them() -> None:
    assert all_orders(4).tolist() == [list(order) for order in ORDERS]
    assert swaps_between(all_orders(4)).tolist() == FEWEST.tolist()
    five = swaps_by_search(5)
    assert swaps_between(all_orders(5)).tolist() == [five[order] for order in permutations(range(5))]
    for order in all_orders(5):
        held, swaps = list(range(5)), list(bench.decompose_order(order))
        for first, second in swaps:
            held[first], held[second] = held[second], held[first]
        assert held == order.tolist()
        assert len(swaps) == five[tuple(order.tolist())]


@pytest.mark.slow
@given(
    study=every_order(),
    chosen=choices(),
    text=st.sampled_from(MEASURES),
    loss=st.sampled_from([None, 0.0, 0.1, 0.5]),
    share=st.sampled_from([0.0, 0.3, 0.9, 1.0, 1.2]),
    least=st.booleans(),
)
@settings(max_examples=settings.default.max_examples * 3 // 5)
def test_exact_is_brute_force_and_greedy_never_better(
    study: Study, chosen: Settings, text: str, loss: float | None, share: float, least: bool
) -> None:
    values, effects = by_system(study, text, chosen)
    if np.isnan(values[0]):
        return
    end = np.nanmin(values) if least else np.nanmax(values)
    target = float(values[0] + share * (end - values[0]) + (0 if share <= 1 else (-0.1 if least else 0.1)))
    asked = {"target": target, "loss": loss, "settings": chosen}
    exact = fewest_swaps(study, text, "0", "q", **asked)
    greedy = fewest_swaps(study, text, "0", "q", exact=False, **asked)
    sign = 1 if target >= values[0] else -1
    allowed = np.ones(24, dtype=bool) if loss is None else effects >= effects[0] - loss - 1e-9
    there = allowed & (np.nan_to_num(sign * values, nan=-np.inf) >= sign * target - 1e-9)
    assert exact.exact
    assert not greedy.exact
    assert exact.reached == bool(there.any())
    assert len(greedy.swaps) >= len(exact.swaps) or not greedy.reached
    assert exact.reached or not greedy.reached
    if there.any():
        assert len(exact.swaps) == FEWEST[there].min()
        best = effects[there & (FEWEST[there].min() == FEWEST)].max()
        assert exact.effect_after == pytest.approx(best, abs=1e-9)
    else:
        nearest = np.nanmax(np.where(allowed, sign * values, np.nan))
        assert sign * exact.after == pytest.approx(nearest, abs=1e-9)
    for found in (exact, greedy):
        _consistent(study, text, chosen, found, values, effects)
        assert loss is None or found.effect_after >= effects[0] - loss - 1e-9


def _consistent(study, text, chosen, found: Swaps, values: np.ndarray, effects: np.ndarray) -> None:
    """The swaps make the list, and the list has the values."""
    held = [0, 1, 2, 3]
    for first, second in found.swaps:
        held[first - 1], held[second - 1] = held[second - 1], held[first - 1]
    assert found.doc_ids == tuple(f"d{place}" for place in held)
    at = ORDERS.index(tuple(held))
    assert (found.before, found.effect_before) == pytest.approx((values[0], effects[0]), nan_ok=True)
    assert (found.after, found.effect_after) == pytest.approx((values[at], effects[at]), nan_ok=True)
    assert found.measure == ask(text, chosen).text


@pytest.mark.slow
@given(study=every_order(), chosen=choices(), text=st.sampled_from(MEASURES))
@settings(max_examples=settings.default.max_examples * 3 // 5)
def test_the_front_is_what_no_order_beats(study: Study, chosen: Settings, text: str) -> None:
    """Of the values that the bench has of each order, which are those of `evaluate`."""
    held = bench.bench_of(study, chosen, text, "0", "q")
    values, effects = by_system(study, text, chosen)
    np.testing.assert_allclose(held.values(all_orders(4)), values, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(held.effects(all_orders(4)), effects, rtol=1e-12)
    assert held.names == ("d0", "d1", "d2", "d3")
    if np.isnan(values[0]):
        return
    question = ask(text, chosen)
    fair = (values if question.direction == "none" else -unfairness(question, values)).round(9)
    pairs = {(f, e) for f, e in zip(fair, effects.round(9), strict=True) if not np.isnan(f)}
    expected = sorted((f, e) for f, e in pairs if not any(a >= f and b >= e and (a, b) != (f, e) for a, b in pairs))
    drawn = pareto_front(study, text, "0", "q", chosen)
    assert drawn.exact
    found = []
    for order, row in zip(drawn.orders, drawn.table.itertuples(), strict=True):
        at = ORDERS.index(tuple(int(name[1]) for name in order))
        assert (row.value, row.effectiveness) == pytest.approx((values[at], effects[at]), abs=1e-9)
        same = (fair == fair[at]) & (effects.round(9) == effects[at].round(9))
        assert row.swaps == FEWEST[same].min()
        found.append((fair[at], effects[at].round(9)))
    assert found == expected


def one_list(letters: str, relevant: str = "") -> Study:
    names = {"f": "female", "m": "male", "n": "neutral"}
    documents = [f"{letter}{rank}" for rank, letter in enumerate(letters, start=1)]
    labels = labels_of(dict(zip(documents, (names[letter] for letter in letters), strict=True)))
    qrels = qrels_of({"q": relevant}) if relevant else None
    return make_study("hand", runs=runs_of({"one": documents}), labels=labels, qrels=qrels)


def test_one_swap_by_hand() -> None:
    """m m f, k = 2, equal attention: CWEx −0.5, with f3 at rank 2 it is 0. m1 alone is relevant, and stays first."""
    study = one_list("mmf", "m1")
    found = fewest_swaps(study, "CWEx@2", "one", "q", 0, loss=0, position_bias="uniform")
    assert found == Swaps(
        "CWEx(alpha=0.5)@2", "nDCG@2", 0.0, ((2, 3),), ("m1", "f3", "m2"), -0.5, 0.0, 1.0, 1.0, True, True
    )
    nothing = fewest_swaps(study, "CWEx@2", "one", "q", -0.5, position_bias="uniform")
    assert (nothing.swaps, nothing.reached) == ((), True)
    never = fewest_swaps(study, "CWEx@2", "one", "q", 0.4, loss=0, position_bias="uniform")
    assert (never.swaps, never.after, never.reached) == (((2, 3),), 0.0, False)


def test_a_long_list_is_searched_greedily() -> None:
    study = one_list("m" * 30 + "f" * 5, "m1 m2")
    found = fewest_swaps(study, "AbsExposureGap@10", "one", "q", 0.2, loss=0.0)
    assert (found.reached, found.exact, found.effect_after) == (True, False, 1.0)
    assert found.doc_ids[:2] == ("m1", "m2")
    drawn = pareto_front(study, "AbsExposureGap@10", "one", "q")
    assert not drawn.exact
    assert drawn.table["effectiveness"].is_monotonic_decreasing
    assert drawn.table["value"].is_monotonic_decreasing  # less of a gap is fairer, and the fairest is last
    assert drawn.table["effectiveness"].iloc[0] == 1.0
    assert drawn.table["value"].iloc[0] <= found.after


def test_what_cannot_be_asked() -> None:
    no_fairness = "{} does not measure the fairness of one list\nUse a fairness measure such as NFaiRR@10."
    no_bound = "loss is {}\nUse a number of 0 or more, or None for no bound."
    study = one_list("mmmmmmmmm", "m1")
    for changes, message in (
        ({"measure": "nDCG@4"}, no_fairness.format("nDCG@4")),
        ({"measure": "GSR@4"}, no_fairness.format("GSR@4")),
        ({"effectiveness": "TED"}, "TED@4 is not a measure of effectiveness\nUse nDCG, RR, AP, P, R or Success."),
        ({"system": "up"}, "the study 'hand' has no system 'up'\nUse one of one."),
        ({"query": "q9"}, "no run of 'hand' answers the query 'q9'\nCheck the id."),
        ({"loss": -0.1}, no_bound.format("-0.1")),
        ({"loss": float("nan")}, no_bound.format("nan")),
        ({"target": "high"}, "target is 'high'\nGive the value to reach, such as 0.5."),
        ({"target": float("nan")}, "the target is not a number\nGive the value to reach."),
        ({"exact": True}, "the list has 9 documents, too many for an exact search\n"
         "Leave exact out: lists of up to 8 are searched exactly, longer ones greedily."),
        ({"measure": "GroupExposureRatio@4"},
         "GroupExposureRatio@4 is undefined for the list of the query 'q'\nChoose another list or measure."),
    ):  # fmt: skip
        asked = {"measure": "CWEx@4", "system": "one", "query": "q", "target": 0.2} | changes
        kind = FairvizError if "undefined" in message or "not a number" in message else UsageError
        with refused(message, kind):
            fewest_swaps(study, **asked)
    unjudged = one_list("mmf")
    with refused(
        "the query 'q' has no relevance judgements, so a loss of nDCG@2 has no bound\n"
        "Choose a query that has some, or loss=None for no bound."
    ):
        fewest_swaps(unjudged, "CWEx@2", "one", "q", 0)
    free = fewest_swaps(unjudged, "CWEx@2", "one", "q", 0, loss=None)
    assert free.reached is False  # under log2 a woman and a man leave a gap
    assert np.isnan(free.effect_after)
    with pytest.raises(FairvizError):
        pareto_front(unjudged, "CWEx@2", "one", "q")
