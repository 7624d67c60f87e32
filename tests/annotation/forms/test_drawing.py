"""Which documents are drawn, in which batches, and which test questions lie among them."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.forms import forms
from fairviz.annotation.forms.answering import answer, question
from fairviz.annotation.forms.collecting import collect
from fairviz.annotation.forms.database import Sample, samples_of
from fairviz.annotation.forms.drawing import (
    FILE,
    MOST,
    SamplePlan,
    count_of_tests,
    draw,
    guideline,
    known_labels,
    read_guideline,
    study_guideline,
    whose_are_right,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.study.study import add_labels, with_kinds
from tests.annotation.forms.small import GROUPS, saved, small
from tests.conftest import refused


def labels(annotator: str, **of: str) -> pd.DataFrame:
    return pd.DataFrame({"doc_id": [*of], "annotator": annotator, "label": [*of.values()]})


def test_the_same_seed_draws_the_same() -> None:
    study = small()
    assert draw(study, SamplePlan(9, 2, 4)) == draw(study, SamplePlan(9, 2, 4))
    assert draw(study, SamplePlan(9, 2, 4)) != draw(study, SamplePlan(9, 2, 4, seed=1))


@pytest.mark.parametrize(("documents", "every", "tests"), [(100, 10, 11), (9, 10, 1), (1, 10, 1), (90, 10, 10),
                                                           (20, 2, 20), (100, 0, 0)])  # fmt: skip
def test_one_question_in_so_many_is_a_test(documents: int, every: int, tests: int) -> None:
    assert count_of_tests(documents, every) == tests


def test_what_a_batch_holds() -> None:
    """12 documents to be labelled and 4 known ones (one in four), the same for both people, in orders of their own."""
    drawing = draw(small(), SamplePlan(12, 2, 4))
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


@given(
    st.integers(4, 21), st.integers(1, 3), st.sampled_from((0, 2, 4)), st.sampled_from((0.01, 0.05, 0.13, 0.25)),
    st.integers(0, 99),
)  # fmt: skip
def test_repeats_are_late_and_far_from_the_first_showing(
    documents: int, people: int, every: int, share: float, seed: int
) -> None:
    """Each person's share, none a test question, with a quarter of the batch between."""
    study = small(documents=60, known=24)
    plan = SamplePlan(documents, people, every, repeat=share, seed=seed)
    drawing = draw(study, plan)
    ((*orders,),) = drawing.batches
    assert set(orders[0]) == set(draw(study, replace(plan, repeat=0.0)).batches[0][0])
    for order in orders:
        again = [name for name, count in Counter(order).items() if count > 1]
        questions = len(order) - len(again)
        assert len(again) == max(1, round(share * documents))
        assert not set(again) & set(drawing.tests)
        for name in again:
            first, second = (place for place, other in enumerate(order) if other == name)
            assert first < questions / 2
            assert second - first - 1 >= questions // 4


def test_test_questions_are_of_every_label() -> None:
    drawing = draw(small(), SamplePlan(9, 1, 4))
    assert sorted(drawing.tests.values()) == sorted(GROUPS)
    assert drawing.tests == {name: known_labels(small())[name] for name in drawing.tests}


def test_where_people_part_nobody_is_tested() -> None:
    """Of the nine known documents a second person calls six otherwise: one of each label is left."""
    study = small()
    known = known_labels(study)
    other = {name: "female" if known[name] == "male" else "male" for name in [*known][:6]}
    study = with_kinds(add_labels(study, labels("bob", **other)), {"bob": "human"})
    assert set(draw(study, SamplePlan(9, 1, 4, reference="expert")).tests) == set([*known][6:])
    alone = set(draw(study, SamplePlan(9, 1, 4, reference="expert", voters=("expert",))).tests)
    assert alone != set([*known][6:]), "one voter disagrees with nobody"


def test_queries_have_equal_parts() -> None:
    """A third of what was drawn is of each query; what belongs to none comes last."""
    drawing = draw(small(), SamplePlan(12, 1, 0))
    assert Counter(int(name.removeprefix("secret-")) % 3 for name in drawing.doc_ids) == {0: 4, 1: 4, 2: 4}
    assert "apart" not in draw(small(), SamplePlan(30, 1, 0)).doc_ids
    assert "apart" in draw(small(), SamplePlan(31, 1, 0)).doc_ids


def test_only_what_stands_high() -> None:
    drawing = draw(small(), SamplePlan(6, 1, 0, top=2))
    assert {int(name.removeprefix("secret-")) for name in drawing.doc_ids} == set(range(6))


def test_batches_are_as_few_and_as_equal_as_may_be() -> None:
    drawing = draw(small(), SamplePlan(20, 2, 0, batch_size=7))
    assert [len(people[0]) for people in drawing.batches] == [6, 7, 7]
    assert len(drawing.doc_ids) == 20
    assert all(len(people) == 2 for people in drawing.batches)


def test_batches_have_test_questions_of_their_own_while_there_are_any() -> None:
    drawing = draw(small(), SamplePlan(12, 1, 4, batch_size=3))
    tests = [{name for name in people[0] if name in drawing.tests} for people in drawing.batches]
    assert [len(own) for own in tests] == [1, 1, 1, 1]
    assert all(one.isdisjoint(other) for one, other in pairwise(tests))


def test_earlier_documents_are_not_drawn_again() -> None:
    first = draw(small(), SamplePlan(9, 1, 4))
    given = {name for name in first.doc_ids if name not in first.tests}
    second = draw(small(), SamplePlan(9, 1, 4), given)
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
        (small(known=0), SamplePlan(9), "small has no document with text whose label is known, so it can have no test "
         "questions\nDecide some in the label room (page Read), name whose labels are right with --reference NAME, "
         "or go without test questions: --test-every 0"),
        (small(), SamplePlan(22, 3, 2),
         "small has 9 documents with text whose label is known, and a batch needs 22 test "
         "questions\nAsk fewer with a larger --test-every, give smaller batches with --batch-size, or go without: "
         "--test-every 0"),
        (small(), SamplePlan(100),
         "small has 31 documents with text; 100 were requested\nAsk for fewer: --documents 28"),
        (small(documents=1, known=0), SamplePlan(100), "small has 2 documents with text; 100 were requested\n"
         "Ask for fewer, without test questions: --documents 2 --test-every 0"),
        (small(known=30), SamplePlan(29, 3, 2), "small has 2 documents with text beside the test questions; 29 were "
         "requested\nAsk for fewer: --documents 15"),
        (small(), SamplePlan(31), "small has 28 documents with text beside the test questions; 31 were requested\n"
         "Ask for fewer: --documents 28"),
        (small(), SamplePlan(12, 3, 0, top=2),
         "small has 6 documents with text among the first 2 of a system beside the "
         "test questions; 12 were requested\nAsk for fewer: --documents 6"),
        (small(), SamplePlan(9, 3, 1), "test_every is 1: every question would be a test question\n"
         "Use 2 or more, or 0 for none."),
        (without_text(), SamplePlan(9),
         "no document of small has text to label\nAdd documents.tsv with doc_id and text."),
        (replace(small(), label_kind="other"), SamplePlan(9), "the labels of small are not genders, and forms collect "
         "genders\nOpen another study."),
        (replace(small(), runs=small().runs[:0]), SamplePlan(9, top=3), "small has no runs, so no document has a rank\n"
         "Leave out --top."),
        (small(), SamplePlan(9, reference="zoe"), "the study 'small' has no annotator 'zoe'\n"
         "Use one of expert, majority, dawid-skene."),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn(study, plan: SamplePlan, message: str) -> None:
    with refused(message):
        draw(study, plan)
    most = message.rpartition("Ask for fewer: --documents ")[2]
    if most.isdigit():  # what the remedy says can be done, and no more than that
        draw(study, replace(plan, documents=int(most)))
        with pytest.raises(FairvizError):
            draw(study, replace(plan, documents=int(most) + 1))


# --- samples and suggestions of forms: kept with the form, told to nobody else, and recorded with the answers


SAMPLE = Sample(
    "documents", "rule", ("bm25",), "Exposure(group='female')@10", 4, 1,
    {f"secret-{n}": 0.4 if n < 10 else 0.1 for n in range(20)}, ("secret-1", "secret-2", "secret-5", "secret-11"),
    ("secret-1", "secret-2", "secret-5", "secret-11"),
)  # fmt: skip


def test_a_sample_is_kept_with_its_form_and_asked_whole(tmp_path) -> None:
    study = saved(tmp_path)
    forms.make_form(study, SamplePlan(5, 1, 0), "Read.")
    form = forms.make_form(study, SamplePlan(4, 2, 4), "Read.", SAMPLE)
    (kept,) = samples_of(study)
    assert kept.form == form == 2
    assert (kept.drawn, kept.frame, kept.measure) == (SAMPLE.drawn, SAMPLE.frame, SAMPLE.measure)
    made = forms.links(study, form=form)
    assert len(made) == 2
    for link in made:
        texts = {question(link.token, number).text for number in range(1, link.questions + 1)}
        assert {f"text number {name.removeprefix('secret-')}" for name in SAMPLE.documents} <= texts
        assert link.questions == 5  # one test question, which is no drawn document


def test_a_document_without_text_cannot_be_drawn(tmp_path) -> None:
    study = saved(tmp_path)
    sample = Sample("documents", "rule", ("bm25",), "Exposure@10", 2, 1, {}, ("empty",), ("empty", "secret-1"))
    with pytest.raises(FairvizError, match="1 drawn document of small has no text to label: empty"):
        forms.make_form(study, SamplePlan(2, 1, 0), "Read.", sample)
    assert samples_of(study) == ()


def test_what_was_suggested_is_shown_and_recorded(tmp_path) -> None:
    study = saved(tmp_path)
    forms.make_form(study, SamplePlan(9, 1, 4, suggested_by="expert"), "Read.")
    (link,) = forms.links(study)
    shown = {number: question(link.token, number) for number in range(1, link.questions + 1)}
    expert = dict(zip(study.labels["doc_id"], study.labels["label"], strict=True))
    for number, one in shown.items():
        label = expert.get(f"secret-{one.text.rpartition(' ')[2]}", "")
        assert one.suggestion == (f"{label} (by expert)" if label else "")
        answer(link.token, number, "label", "male")
    labels = collect(study, least_tests=0).labels
    assert dict(zip(labels["doc_id"], labels["suggested"], strict=True)) == {
        name: expert.get(name, "") for name in labels["doc_id"]
    }
    assert any(labels["suggested"])


def test_a_suggestion_is_shown_only_where_the_form_says_so(tmp_path) -> None:
    study = saved(tmp_path)
    forms.make_form(study, SamplePlan(9, 1, 4), "Read.")
    (link,) = forms.links(study)
    assert not any(question(link.token, number).suggestion for number in range(1, link.questions + 1))
    answer(link.token, 1, "label", "male")
    assert "suggested" not in collect(study, least_tests=0).labels


def test_a_sample_has_no_suggestions(tmp_path) -> None:
    study = saved(tmp_path)
    with pytest.raises(UsageError, match="would draw people's labels towards the machine"):
        forms.make_form(study, SamplePlan(4, 1, 0, suggested_by="expert"), "Read.", SAMPLE)
    assert forms.links(study) == ()


# --- the guideline that people read: for any groups, or a file word for word


def test_it_says_what_the_papers_guideline_says() -> None:
    text = guideline(small())
    for said in ("There are 3 answers: neutral, female, male.", "jewellery", "pronouns", "more than one in five",
                 '- "How to choose a dress for the bride." female'):  # fmt: skip
        assert said in text
    assert "{" not in text
    assert "one in five" not in guideline(small(), tests=False)


def test_it_holds_for_any_groups() -> None:
    text = guideline(replace(small(), groups=("women", "{men}", "non-binary"), neutral="none"))
    assert "There are 4 answers: none, women, {men}, non-binary." in text
    assert "bride" not in text
    examples = guideline(replace(small(), groups=("Male", "Female"), neutral="N"))
    assert '- "How to choose a dress for the bride." Female' in examples


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "the guideline {0} cannot be read (No such file or directory)\nName a text file."),
        (b"\xff\xfea", "the guideline {0} is not UTF-8 text\nSave it as UTF-8."),
        (b" \n", "the guideline {0} is empty\nWrite the instructions for annotators into it."),
        (b"x" * (MOST + 1), "the guideline {0} has 20,001 characters, more than 20,000\nShorten it."),
    ],
)
def test_a_file_that_is_none(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "guideline.txt"
    if content is not None:
        path.write_bytes(content)
    with refused(message.format(path)):
        read_guideline(path)


def test_a_file_is_taken_word_for_word(tmp_path: Path) -> None:
    path = tmp_path / "guideline.txt"
    path.write_text("\ufeff# Mine\n{neutral} stays\n", encoding="utf-8")
    assert read_guideline(path) == "# Mine\n{neutral} stays"


def test_a_study_has_its_own_guideline_else_that_of_its_groups(tmp_path: Path) -> None:
    study = replace(small(), folder=tmp_path)
    assert study_guideline(study) == guideline(study, tests=False)
    assert study_guideline(replace(study, label_kind="other")) == ""
    (tmp_path / FILE).write_text("# Ours\n", encoding="utf-8")
    assert study_guideline(study) == study_guideline(replace(study, label_kind="other")) == "# Ours"
    assert study_guideline(replace(study, folder=None)).startswith("# What is asked")
