"""Which documents are drawn, in which batches, and which test questions lie among them."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pandas as pd
import pytest

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.forms.drawing import Plan, count_of_tests, draw, known_labels, whose_are_right
from fairviz.errors import FairvizError
from fairviz.study.study import add_labels, with_kinds
from tests.annotation.forms.small import GROUPS, small


def labels(annotator: str, **of: str) -> pd.DataFrame:
    return pd.DataFrame({"doc_id": [*of], "annotator": annotator, "label": [*of.values()]})


def test_the_same_seed_draws_the_same() -> None:
    study = small()
    assert draw(study, Plan(9, 2, 4)) == draw(study, Plan(9, 2, 4))
    assert draw(study, Plan(9, 2, 4)) != draw(study, Plan(9, 2, 4, seed=1))


@pytest.mark.parametrize(("documents", "every", "tests"), [(100, 10, 11), (9, 10, 1), (1, 10, 1), (90, 10, 10),
                                                           (20, 2, 20), (100, 0, 0)])  # fmt: skip
def test_one_question_in_so_many_is_a_test(documents: int, every: int, tests: int) -> None:
    assert count_of_tests(documents, every) == tests


def test_what_a_batch_holds() -> None:
    """12 documents to be labelled and 4 known ones (one in four), the same for both people, in orders of their own."""
    drawing = draw(small(), Plan(12, 2, 4))
    ((first, second),) = drawing.batches
    assert set(first) == set(second)
    assert first != second
    assert len(first) == len(set(first)) == 16
    assert set(drawing.tests) < set(first)
    assert len(drawing.tests) == 4
    assert "empty" not in first
    for order in (first, second):  # each stretch of three documents has a test question beside them
        places = [place for place, name in enumerate(order) if name in drawing.tests]
        assert [place // 4 for place in places] == [0, 1, 2, 3]


def test_test_questions_are_of_every_label() -> None:
    drawing = draw(small(), Plan(9, 1, 4))
    assert sorted(drawing.tests.values()) == sorted(GROUPS)
    assert drawing.tests == {name: known_labels(small())[name] for name in drawing.tests}


def test_where_people_part_nobody_is_tested() -> None:
    """Of the nine known documents a second person calls six otherwise: one of each label is left."""
    study = small()
    known = known_labels(study)
    other = {name: "female" if known[name] == "male" else "male" for name in [*known][:6]}
    study = with_kinds(add_labels(study, labels("bob", **other)), {"bob": "human"})
    assert set(draw(study, Plan(9, 1, 4, reference="expert")).tests) == set([*known][6:])
    alone = set(draw(study, Plan(9, 1, 4, reference="expert", voters=("expert",))).tests)
    assert alone != set([*known][6:]), "one voter disagrees with nobody"


def test_queries_have_equal_parts() -> None:
    """A third of what was drawn is of each query; what belongs to none comes last."""
    drawing = draw(small(), Plan(12, 1, 0))
    assert Counter(int(name.removeprefix("secret-")) % 3 for name in drawing.doc_ids) == {0: 4, 1: 4, 2: 4}
    assert "apart" not in draw(small(), Plan(30, 1, 0)).doc_ids
    assert "apart" in draw(small(), Plan(31, 1, 0)).doc_ids


def test_only_what_stands_high() -> None:
    drawing = draw(small(), Plan(6, 1, 0, top=2))
    assert {int(name.removeprefix("secret-")) for name in drawing.doc_ids} == set(range(6))


def test_batches_are_as_few_and_as_equal_as_may_be() -> None:
    drawing = draw(small(), Plan(20, 2, 0, batch_size=7))
    assert [len(people[0]) for people in drawing.batches] == [6, 7, 7]
    assert len(drawing.doc_ids) == 20
    assert all(len(people) == 2 for people in drawing.batches)


def test_batches_have_test_questions_of_their_own_while_there_are_any() -> None:
    drawing = draw(small(), Plan(12, 1, 4, batch_size=3))
    tests = [{name for name in people[0] if name in drawing.tests} for people in drawing.batches]
    assert [len(own) for own in tests] == [1, 1, 1, 1]
    assert all(one.isdisjoint(other) for one, other in pairwise(tests))


def test_earlier_documents_are_not_drawn_again() -> None:
    first = draw(small(), Plan(9, 1, 4))
    given = {name for name in first.doc_ids if name not in first.tests}
    second = draw(small(), Plan(9, 1, 4), given)
    assert given.isdisjoint(second.doc_ids)


def test_decisions_are_right_answers_and_go_before_others() -> None:
    study = small()
    (changed, *_) = known_labels(study)
    study = add_labels(study, labels(ADJUDICATED, **{changed: "male", "secret-0": "female"}))
    assert (known_labels(study)[changed], known_labels(study)["secret-0"]) == ("male", "female")
    assert whose_are_right(study) == ("expert", ADJUDICATED)


def test_a_word_list_is_right_only_where_it_is_named() -> None:
    study = small(kind="rule")
    assert known_labels(study) == {}
    assert len(known_labels(study, "expert")) == 9


def without_text() -> object:
    study = small()
    return replace(study, documents=study.documents.assign(text=pd.Series([None] * 32, dtype="str")))


@pytest.mark.parametrize(
    ("study", "plan", "message"),
    [
        (small(known=0), Plan(9), "small has no document with text whose label is known, so it can have no test "
         "questions\nDecide some in the label room (page Read), name whose labels are right with --reference NAME, "
         "or go without test questions: --test-every 0"),
        (small(), Plan(22, 3, 2), "small has 9 documents with text whose label is known, and a batch needs 22 test "
         "questions\nAsk fewer with a larger --test-every, give smaller batches with --batch-size, or go without: "
         "--test-every 0"),
        (small(), Plan(100), "small has 31 documents with text; 100 were requested\nAsk for fewer: --documents 28"),
        (small(documents=1, known=0), Plan(100), "small has 2 documents with text; 100 were requested\n"
         "Ask for fewer, without test questions: --documents 2 --test-every 0"),
        (small(known=30), Plan(29, 3, 2), "small has 2 documents with text beside the test questions; 29 were "
         "requested\nAsk for fewer: --documents 15"),
        (small(), Plan(31), "small has 28 documents with text beside the test questions; 31 were requested\n"
         "Ask for fewer: --documents 28"),
        (small(), Plan(12, 3, 0, top=2), "small has 6 documents with text among the first 2 of a system beside the "
         "test questions; 12 were requested\nAsk for fewer: --documents 6"),
        (small(), Plan(9, 3, 1), "test_every is 1: every question would be a test question\n"
         "Use 2 or more, or 0 for none."),
        (without_text(), Plan(9), "no document of small has text to label\nAdd documents.tsv with doc_id and text."),
        (replace(small(), label_kind="other"), Plan(9), "the labels of small are not genders, and forms collect "
         "genders\nOpen another study."),
        (replace(small(), runs=small().runs[:0]), Plan(9, top=3), "small has no runs, so no document has a rank\n"
         "Leave out --top."),
        (small(), Plan(9, reference="zoe"), "the study 'small' has no annotator 'zoe'\n"
         "Use one of expert, majority, dawid-skene."),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn(study, plan: Plan, message: str) -> None:
    with pytest.raises(FairvizError) as told:
        draw(study, plan)
    assert str(told.value) == message
    most = message.rpartition("Ask for fewer: --documents ")[2]
    if most.isdigit():  # what the remedy says can be done, and no more than that
        draw(study, replace(plan, documents=int(most)))
        with pytest.raises(FairvizError):
            draw(study, replace(plan, documents=int(most) + 1))
