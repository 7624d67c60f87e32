"""Samples and suggestions of forms: kept with the form, told to nobody else, and recorded with the answers."""

import pytest

from fairviz.annotation.forms import forms
from fairviz.annotation.forms.answering import answer, question
from fairviz.annotation.forms.collecting import collect
from fairviz.annotation.forms.database import Sample, samples_of
from fairviz.annotation.forms.drawing import Plan
from fairviz.errors import FairvizError, UsageError
from tests.annotation.forms.small import saved

SAMPLE = Sample(
    "documents", "rule", ("bm25",), "Exposure(group='female')@10", 4, 1,
    {f"secret-{n}": 0.4 if n < 10 else 0.1 for n in range(20)}, ("secret-1", "secret-2", "secret-5", "secret-11"),
    ("secret-1", "secret-2", "secret-5", "secret-11"),
)  # fmt: skip


def test_a_sample_is_kept_with_its_form_and_asked_whole(tmp_path) -> None:
    study = saved(tmp_path)
    forms.make_form(study, Plan(5, 1, 0), "Read.")
    form = forms.make_form(study, Plan(4, 2, 4), "Read.", SAMPLE)
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
        forms.make_form(study, Plan(2, 1, 0), "Read.", sample)
    assert samples_of(study) == ()


def test_what_was_suggested_is_shown_and_recorded(tmp_path) -> None:
    study = saved(tmp_path)
    forms.make_form(study, Plan(9, 1, 4, suggested_by="expert"), "Read.")
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
    forms.make_form(study, Plan(9, 1, 4), "Read.")
    (link,) = forms.links(study)
    assert not any(question(link.token, number).suggestion for number in range(1, link.questions + 1))
    answer(link.token, 1, "label", "male")
    assert "suggested" not in collect(study, least_tests=0).labels


def test_a_sample_has_no_suggestions(tmp_path) -> None:
    study = saved(tmp_path)
    with pytest.raises(UsageError, match="would draw people's labels towards the machine"):
        forms.make_form(study, Plan(4, 1, 0, suggested_by="expert"), "Read.", SAMPLE)
    assert forms.links(study) == ()
