"""Steps on one list: what they do, undo and redo, and as text in the address."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.analyses.what_if.experiment import MOST_CHARACTERS, Experiment, add_steps
from fairviz.errors import FairvizError, UsageError

LABELS = ("neutral", "female", "male")


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


def test_words_are_put_back_by_the_same_step() -> None:
    one = bare().words_replaced("a")
    assert one.words_replaced("a").reworded == frozenset()
    assert one.words_replaced("a").steps[-1].text == "gender words of a put back"
    assert one.words_replaced().reworded == {"a", "b", "c", "d"}
    assert one.words_replaced().words_replaced().reworded == frozenset()


def test_what_changes_nothing_is_no_step() -> None:
    held = bare()
    assert held.moved("d", 1) is held.moved("d", 0) is held.swapped("d", "d") is held.labelled("a", "female") is held
    assert held.undo().steps == held.redo().steps == ()
    assert Experiment("bm25", "q", ()).words_replaced().steps == ()
    assert held.moved("d", 99).order == ("c", "b", "a", "d")
    assert not held.labelled("a", "male").labelled("a", "female").changed


def test_what_cannot_be() -> None:
    with pytest.raises(UsageError) as caught:
        bare().moved("z", 1)
    assert str(caught.value) == "the list of the query 'q' holds no document 'z'\nCheck the id."
    with pytest.raises(UsageError) as caught:
        bare().labelled("a", "woman")
    assert str(caught.value) == "'woman' is not a label of this study\nUse one of neutral, female, male."


def test_the_text_of_the_steps() -> None:
    held = bare().moved("a", 1).swapped("d", "b").labelled("a", "male").labelled("a", "").words_replaced("b")
    assert held.words_replaced().text == f"{held.mark}.m0-1.s3-1.l0-2.l0-n.w1.wa"
    assert bare().text == ""
    assert bare("a b c d").mark == bare().mark  # the same documents by another rule for ties
    assert len({bare().mark, bare("a b").mark, Experiment("tfidf", "q", bare().start).mark}) == 3


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("moved"), st.sampled_from("abcd"), st.integers(0, 5)),
        st.tuples(st.just("swapped"), st.sampled_from("abcd"), st.sampled_from("abcd")),
        st.tuples(st.just("labelled"), st.sampled_from("abcd"), st.sampled_from(["", *LABELS])),
        st.tuples(st.just("words_replaced"), st.sampled_from(["a", "b", None])),
    ),
    max_size=12,
)


@given(STEPS)
@settings(max_examples=60, deadline=None)
def test_from_text_and_back(steps: list) -> None:
    held = bare()
    for name, *arguments in steps:
        held = getattr(held, name)(*arguments)
    again = add_steps(bare(), held.text or bare().mark)
    assert again == held
    assert again.order == held.order
    assert sorted(again.order) == list("abcd")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "they are of another list"),
        ("00000000.m0-1", "they are of another list"),
        ("{}.x", "'x' is not a step"),
        ("{}.m0-1.", "'' is not a step"),
        ("{}.m9-1", "'m9-1' is not a step of this list"),
        ("{}.m0-n", "'m0-n' is not a step of this list"),
        ("{}.l0-7", "'l0-7' is not a step of this list"),
        ("{}.<script>", "'<script>' is not a step"),
    ],
)
def test_a_text_that_is_none(text: str, message: str) -> None:
    with pytest.raises(FairvizError) as caught:
        add_steps(bare(), text.format(bare().mark))
    assert caught.value.message == message


def test_more_steps_than_the_address_holds() -> None:
    held = bare()
    while len(held.text) <= MOST_CHARACTERS - len(".m0-1"):
        held = held.moved("a", 2 if held.order[0] == "a" else 1)
    with pytest.raises(FairvizError) as caught:
        held.swapped("a", "b")
    assert caught.value.message == f"a list takes at most {len(held.steps):,} steps"
    assert held.undo().swapped("a", "b").order != held.order
