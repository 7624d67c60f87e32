"""The labelling page, and the card of forms on Annotate, at their first run."""

import re
from pathlib import Path

import pandas as pd
import pytest
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from fairviz.annotation.forms.answering import GONE, MOVED, answer, open_batch, rename
from fairviz.annotation.forms.forms import Link, close, links
from fairviz.datasets import studies_folder
from fairviz.evaluation.opening import open_study
from fairviz.study.record import Study
from fairviz.study.study import add_documents, make_study
from fairviz.ui.annotate.people import ELSEWHERE, UNSAVED
from fairviz.ui.state import going
from tests.annotation.forms.small import answer_all, bring_in, formed, small
from tests.pages.conftest import PATIENCE, ROOT, first_run, html_of, kept, table_with

HOSTILE = '<script>window.hacked = 1</script><img src=x onerror="alert(1)"> ![x](http://example.org/x.png)'


@pytest.fixture
def study() -> Study:
    """The small study, saved, with a title and texts that would run something if they were not escaped."""
    plain = small()
    documents = plain.documents.assign(title=HOSTILE, text=plain.documents["text"].add(HOSTILE))
    hostile = make_study("small", queries=plain.queries, documents=documents, runs=plain.runs, labels=plain.labels,
                         annotators=dict(plain.annotators))  # fmt: skip
    return open_study(str(studies_folder() / kept(hostile)))


def label(token: str, **state: object) -> AppTest:
    """The app, as a person's link opens it."""
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    test.query_params["token"] = token
    for key, value in state.items():
        test.session_state[key] = value
    return test.run()


def all_of(test: AppTest) -> str:
    """Everything that is sent to the browser."""

    def walk(block):
        for child in block.children.values():
            yield str(getattr(child, "proto", ""))
            if hasattr(child, "children"):
                yield from walk(child)

    return "\n".join(walk(test._tree))


def test_a_link_shows_its_batch_and_nothing_else(study: Study) -> None:
    link, other, _ = formed(study)
    answer(other.token, 1, "label", "male", "said by somebody else")
    test = label(link.token)
    assert [one.label for one in test.button] == [
        r"● neutral", r"■ female", r"▲ male", "I cannot decide", "Previous", "Next", "First without an answer",
    ]  # fmt: skip
    assert not test.sidebar.children
    assert not test.selectbox
    assert dict(test.query_params) == {"token": link.token}
    text = html_of(test)
    assert "Document 1 of 12" in text
    assert text.count("<script>") == 1, "the page's own"
    assert "&lt;script&gt;" in text
    assert "<img" not in text
    assert "Read, then say." in text


def test_no_part_of_the_page_tells_a_test_question_from_another(study: Study) -> None:
    """Nor what is right, what others said, which document it is, or whose study."""
    link, other, _ = formed(study)
    rename(other.token, "Somebody Else")
    answer_all(study, other, lambda *_: "male")
    sent = []
    for number in range(1, 13):
        page = all_of(label(link.token, labelling_at=number))
        assert "window.hacked" in page
        for hidden in ("secret-", "expert", "Somebody Else", "small", other.token, "test_label", "right_answer"):
            assert hidden not in page
        sent.append(re.sub(r"text number \d+|Document \d+ of|labelling_\d+_|labelling_comment_\d+|id: .*", "", page))
    assert len({page.replace("disabled: true\n", "") for page in sent}) == 1, "all look the same"


def test_a_batch_goes_on_where_it_stopped_and_says_where_an_answer_took_the_place_of_another(study: Study) -> None:
    (link, *_) = formed(study)
    page = label(link.token)
    answer(link.token, 1, "label", "male")
    page.button(key="labelling_1_2").click().run()
    told = "Document 1 was answered elsewhere with this link: male. Your answer has replaced it; "
    assert told in html_of(page)
    answer(link.token, 2, "undecided")
    page.button(key="labelling_2_undecided").click().run()
    assert "answered elsewhere" not in html_of(page), "who says the same takes nothing away"
    answer(link.token, 4, "label", "male")
    assert "Document 3 of 12" in html_of(label(link.token))
    answer_all(study, link, lambda *_: "female")
    page = label(link.token)
    assert "All 12 documents are answered and stored." in html_of(page)
    assert [button.label for button in page.button] == ["Change an answer"], "no key changes an answer by accident"
    page.button(key="labelling_again").click().run()
    page.button(key="labelling_12_3").click().run()
    assert "Stored: male." in html_of(page)
    assert "are answered and stored" not in html_of(page)
    page.button(key="labelling_first").click().run()
    assert "All 12 documents are answered and stored." in html_of(page)


def test_a_study_that_was_moved_is_told_to_who_labels_and_to_whose_it_is(study: Study) -> None:
    (link, *_) = formed(study)
    assert MOVED not in html_of(label(link.token))
    was = Path(str(study.folder))
    was.rename(was.with_name("elsewhere"))
    page = label(link.token)
    assert MOVED in html_of(page)
    assert str(was) not in all_of(page)
    page.button(key="labelling_1_2").click().run()
    assert open_batch(link.token).answered == {1}
    text = html_of(first_run("annotate.py", study="elsewhere"))
    assert f"Labelling form 1, with 1 answer, was made for a study in {was}, which is not there any more." in text
    assert f"fairviz study-form elsewhere --moved-from {was}" in text


def test_a_link_that_opens_nothing_is_a_line_and_a_server_for_labelling_shows_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for token in ("", "unknown", "x" * 5000):
        test = label(token)
        assert html_of(test).count('fv-info"') == 1
        assert GONE in html_of(test)
        assert not test.button
    monkeypatch.setenv("FAIRVIZ_ONLY_LABELLING", "1")
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    test.query_params["study"] = "newswire"
    test.run()
    assert GONE in html_of(test)
    assert not test.selectbox
    assert not test.sidebar.children


def test_the_card_shows_how_far_each_person_is_and_collects_the_labels(study: Study) -> None:
    shown: list[Link] = list(formed(study))
    for link, said in zip(shown, ("male", "neutral", "female"), strict=True):
        answer_all(study, link, lambda _, right, said=said: right or said)
    test = first_run("annotate.py", study="small")
    frame = table_with(test, "tests right")
    assert frame["answered"].tolist() == ["12 of 12"] * 3
    assert frame["tests right"].tolist() == ["3 of 3"] * 3
    code = next(one.value for one in test.code if "token=" in one.value)
    assert [line.split("token=")[1] for line in code.splitlines()] == [link.token for link in shown]
    assert not test.button(key="form_collect").disabled
    bring_in(study)
    test = first_run("annotate.py", study="small")
    assert "No majority of person-1, person-2 and person-3 (people) on 9 documents. Decide:" in html_of(test)
    was = test.session_state["current"].settings
    button = test.button(key="people_use")
    assert button.label == "Use these three people's labels"
    button.click().run()
    now = test.session_state["current"].settings
    assert (now.annotator, now.corrected_by) == ("majority", "")
    test.button(key="people_use_back").click().run()
    assert test.session_state["current"].settings == was
    next(one for one in test.button if (one.key or "").startswith("form_divided_")).click().run()
    assert test.session_state["inspect_disagreement"] == "tied"
    assert list(test.session_state["voters"]) == ["person-1", "person-2", "person-3"]
    assert links(study)[0].annotator == "person-1"


def test_people_with_few_right_test_answers_are_left_out_of_the_labels(study: Study) -> None:
    for link, right in zip(formed(study), (True, False, True), strict=True):
        answer_all(study, link, lambda _, known, right=right: "male" if known == "" or not right else known)
    page = first_run("annotate.py", study="small")
    page.slider(key="form_least").set_value(100).run()
    page.button(key="form_collect").click().run()
    assert "24 labels by 2 people collected." in html_of(page)


@pytest.fixture(params=["others can open the page", "a proxy forwards"])
def elsewhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A visitor who is not on the owner's machine."""
    if request.param == "a proxy forwards":
        monkeypatch.setattr(ContextProxy, "headers", {"x-forwarded-for": "192.0.2.1"})
    else:
        monkeypatch.setenv("FAIRVIZ_SHARED", "1")


def test_on_another_machine_neither_the_card_nor_the_app_has_a_link_but_a_server_for_labelling(
    study: Study, elsewhere: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, other, _ = formed(study)
    answer_all(study, link, lambda *_: "male")
    test = first_run("annotate.py", study="small")
    assert html_of(test).count(ELSEWHERE[0].replace("'", "&#x27;")) == 1
    assert "form_collect" not in [one.key for one in test.button]
    assert "Make links" not in [one.label for one in test.button]
    sent = all_of(test)
    assert link.token not in sent
    assert "12 of 12" not in sent
    test = label(other.token)
    assert "Labelling links do not open on this server." in html_of(test)
    assert not test.button
    assert "text number" not in all_of(test)
    monkeypatch.setenv("FAIRVIZ_ONLY_LABELLING", "1")
    assert "Document 1 of 12" in html_of(label(other.token))


@pytest.mark.parametrize("study", ["football", "small"])
def test_an_old_link_to_the_forms_opens_annotate(study: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(small(known=0))
    opened: list[str] = []
    monkeypatch.setattr(going.st, "switch_page", opened.append)
    page = first_run("agreement.py", study=study, agreement_tab="Labelling forms")
    assert opened == ["pages/annotate.py"]
    assert "Labelling forms" not in html_of(page)
    assert page.button(key="agreement_annotate")


def test_a_study_without_labels_has_the_card_too() -> None:
    study = open_study(str(studies_folder() / kept(small(known=0))))
    formed(study, test_every=0)
    close(study)  # before anybody answered: of no use to anybody
    (link, *_) = formed(study, test_every=0)
    answer_all(study, link, lambda *_: "male")
    test = first_run("annotate.py", study="small")
    frame = table_with(test, "answered")
    assert sorted(frame["answered"]) == ["0 of 9", "0 of 9", "9 of 9"]


def test_an_upload_is_to_be_saved_first() -> None:
    """Also one to a study that has a folder: the folder does not hold what was uploaded."""
    grown = add_documents(open_study("football"), pd.DataFrame({"doc_id": ["new"], "text": ["a text"]}))
    for study in (small(), grown):
        assert UNSAVED[0] in html_of(first_run("annotate.py", study))
