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
from fairviz.annotation.forms.database import Sample, corrected_machines, samples_of
from fairviz.annotation.forms.drawing import (
    FILE,
    MOST,
    SamplePlan,
    count_of_tests,
    draw,
    guideline,
    guideline_html,
    known_labels,
    read_guideline,
    study_guideline,
    whose_are_right,
)
from fairviz.errors import FairvizError
from fairviz.study.study import add_labels, with_kinds
from tests.annotation.forms.small import GROUPS, saved, small
from tests.conftest import refused


def test_what_a_batch_holds() -> None:
    """12 documents to be labelled and 4 known ones (one in four), the same for both people, in orders of their own."""
    for documents, every, tests in ((100, 10, 11), (9, 10, 1), (1, 10, 1), (90, 10, 10), (20, 2, 20), (100, 0, 0)):
        assert count_of_tests(documents, every) == tests
    drawing = draw(small(), SamplePlan(12, 2, 4))
    assert drawing == draw(small(), SamplePlan(12, 2, 4)) != draw(small(), SamplePlan(12, 2, 4, seed=1))
    ((first, second),) = drawing.batches
    assert set(first) == set(second)
    assert first != second
    assert len(first) == len(set(first)) == 16
    assert set(drawing.tests) < set(first)
    assert set(drawing.tests.values()) == set(GROUPS), "of every label"
    assert drawing.tests == {name: known_labels(small())[name] for name in drawing.tests}
    assert "empty" not in first
    for order in (first, second):  # each stretch of three documents has a test question beside them
        places = [place for place, name in enumerate(order) if name in drawing.tests]
        assert [place // 4 for place in places] == [0, 1, 2, 3]
    given = {name for name in drawing.doc_ids if name not in drawing.tests}
    assert given.isdisjoint(draw(small(), SamplePlan(9, 1, 4), given).doc_ids), "not drawn again"


@given(
    st.integers(4, 21), st.integers(1, 3), st.sampled_from((0, 2, 4)), st.sampled_from((0.01, 0.05, 0.13, 0.25)),
    st.integers(0, 99),
)  # fmt: skip
def test_repeats_are_late_and_far_from_the_first_showing(
    documents: int, people: int, every: int, share: float, seed: int
) -> None:
    """Each person's share, none a test question, with a quarter of the batch between."""
    study, plan = small(documents=60, known=24), SamplePlan(documents, people, every, repeat=share, seed=seed)
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


def test_queries_have_equal_parts_and_batches_are_few_and_equal() -> None:
    """A third of what was drawn is of each query; what belongs to none comes last."""
    drawing = draw(small(), SamplePlan(12, 1, 0))
    assert Counter(int(name.removeprefix("secret-")) % 3 for name in drawing.doc_ids) == {0: 4, 1: 4, 2: 4}
    assert "apart" not in draw(small(), SamplePlan(30, 1, 0)).doc_ids
    assert "apart" in draw(small(), SamplePlan(31, 1, 0)).doc_ids
    high = draw(small(), SamplePlan(6, 1, 0, top=2)).doc_ids
    assert {int(name.removeprefix("secret-")) for name in high} == set(range(6))
    drawing = draw(small(), SamplePlan(20, 2, 0, batch_size=7))
    assert [[len(order) for order in people] for people in drawing.batches] == [[6, 6], [7, 7], [7, 7]]
    assert len(drawing.doc_ids) == 20
    drawing = draw(small(), SamplePlan(12, 1, 4, batch_size=3))
    tests = [{name for name in people[0] if name in drawing.tests} for people in drawing.batches]
    assert [len(own) for own in tests] == [1, 1, 1, 1]
    assert all(one.isdisjoint(other) for one, other in pairwise(tests)), "of their own while there are any"


def test_whose_labels_are_right_answers() -> None:
    """People's and, before theirs, decisions, where people agree; a rule's only where it is named."""
    study = small()
    known = known_labels(study)
    (changed, *_) = known
    decided = add_labels(study, labels(ADJUDICATED, {changed: "male", "secret-0": "female"}))
    assert (known_labels(decided)[changed], known_labels(decided)["secret-0"]) == ("male", "female")
    assert whose_are_right(decided) == ("expert", ADJUDICATED)
    # of the nine known documents a second person calls six otherwise: one of each label is left
    other = {name: "female" if known[name] == "male" else "male" for name in [*known][:6]}
    study = with_kinds(add_labels(study, labels("bob", other)), {"bob": "human"})
    assert set(draw(study, SamplePlan(9, 1, 4, reference="expert")).tests) == set([*known][6:])
    alone = set(draw(study, SamplePlan(9, 1, 4, reference="expert", voters=("expert",))).tests)
    assert alone != set([*known][6:]), "one voter disagrees with nobody"
    assert known_labels(small(kind="rule")) == {}
    assert len(known_labels(small(kind="rule"), "expert")) == 9


def labels(annotator: str, of: dict[str, str]) -> pd.DataFrame:
    return pd.DataFrame({"doc_id": [*of], "annotator": annotator, "label": [*of.values()]})


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
        (replace(small(), documents=small().documents.assign(text=pd.Series([None] * 32, dtype="str"))),
         SamplePlan(9), "no document of small has text to label\nAdd documents.tsv with doc_id and text."),
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
    textless = replace(SAMPLE, drawn=("empty",), documents=("empty", "secret-1"))
    for sample, suggested_by, message in (
        (textless, "", "1 drawn document of small has no text to label: empty"),
        (SAMPLE, "expert", "would draw people's labels towards the machine"),
    ):
        with pytest.raises(FairvizError, match=message):
            forms.make_form(study, SamplePlan(4, 1, 0, suggested_by=suggested_by), "Read.", sample)
    assert (samples_of(study), corrected_machines(study)) == ((), frozenset())
    form = forms.make_form(study, SamplePlan(4, 2, 4), "Read.", SAMPLE)
    (kept,) = samples_of(study)
    assert kept.form == form == 2
    assert corrected_machines(study) == {SAMPLE.annotator}
    assert (kept.drawn, kept.frame, kept.measure) == (SAMPLE.drawn, SAMPLE.frame, SAMPLE.measure)
    made = forms.links(study, form=form)
    assert [link.questions for link in made] == [5, 5], "one test question, which is no drawn document"
    for link in made:
        texts = {question(link.token, number).text for number in range(1, link.questions + 1)}
        assert {f"text number {name.removeprefix('secret-')}" for name in SAMPLE.documents} <= texts


@pytest.mark.parametrize("suggested_by", ["expert", ""])
def test_what_was_suggested_is_shown_and_recorded(tmp_path, suggested_by: str) -> None:
    study = saved(tmp_path)
    forms.make_form(study, SamplePlan(9, 1, 4, suggested_by=suggested_by), "Read.")
    (link,) = forms.links(study)
    said = dict(zip(study.labels["doc_id"], study.labels["label"], strict=True)) if suggested_by else {}
    for number in range(1, link.questions + 1):
        shown = question(link.token, number)
        label = said.get(f"secret-{shown.text.rpartition(' ')[2]}", "")
        assert shown.suggestion == (f"{label} (by expert)" if label else "")
        answer(link.token, number, "label", "male")
    rows = collect(study, least_tests=0).labels
    recorded = dict(zip(rows["doc_id"], rows["suggested"], strict=True)) if "suggested" in rows else {}
    assert {name: label for name, label in recorded.items() if label} == {
        name: said[name] for name in rows["doc_id"] if name in said
    }
    assert any(recorded.values()) == bool(suggested_by)


# --- the guideline that people read: for any groups, or a file word for word


def test_the_guideline_is_the_papers_for_any_groups() -> None:
    study = small()
    text = guideline(study)
    for said in ("There are 3 answers: neutral, female, male.", "jewellery", "pronouns", "more than one in five",
                 '- "How to choose a dress for the bride." female'):  # fmt: skip
        assert said in text
    assert "{" not in text
    assert "one in five" not in guideline(study, tests=False)
    text = guideline(replace(study, groups=("women", "{men}", "non-binary"), neutral="none"))
    assert "There are 4 answers: none, women, {men}, non-binary." in text
    assert "bride" not in text
    examples = guideline(replace(study, groups=("Male", "Female"), neutral="N"))
    assert '- "How to choose a dress for the bride." Female' in examples


def test_a_guideline_from_a_file_is_taken_word_for_word_and_a_study_may_have_its_own(tmp_path: Path) -> None:
    path = tmp_path / "guideline.txt"
    for content, message in {
        None: "cannot be read (No such file or directory)\nName a text file.",
        b"\xff\xfea": "is not UTF-8 text\nSave it as UTF-8.",
        b" \n": "is empty\nWrite the instructions for annotators into it.",
        b"x" * (MOST + 1): "has 20,001 characters, more than 20,000\nShorten it.",
    }.items():
        if content is not None:
            path.write_bytes(content)
        with refused(f"the guideline {path} {message}"):
            read_guideline(path)
    path.write_text("\ufeff# Mine\n{neutral} stays\n", encoding="utf-8")
    assert read_guideline(path) == "# Mine\n{neutral} stays"
    study = replace(small(), folder=tmp_path)
    assert study_guideline(study) == guideline(study, tests=False)
    assert study_guideline(replace(study, label_kind="other")) == ""
    (tmp_path / FILE).write_text("# Ours\n", encoding="utf-8")
    assert study_guideline(study) == study_guideline(replace(study, label_kind="other")) == "# Ours"
    assert study_guideline(replace(study, folder=None)).startswith("# What is asked")


def test_a_guideline_has_headings_items_and_paragraphs_and_what_would_run_is_shown() -> None:
    assert guideline_html("# What\nRead.\n- one\n- two\n\nThen say.") == (
        '<div class="fv-guideline" dir="auto"><h4>What</h4><p>Read.</p><ul><li>one</li><li>two</li></ul>'
        "<p>Then say.</p></div>"
    )
    assert guideline_html("- last").endswith("<ul><li>last</li></ul></div>")
    assert "<h4>How</h4><p><b>Who?</b> and <b>male</b></p>" in guideline_html("## How\n**Who?** and `male`")
    shown = guideline_html("<script>x</script>\n- <img src=x onerror=1>\n# ![x](http://example.org)")
    assert "<script" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;x" in shown
