"""Labelling forms on the Annotate page: made, watched, collected and closed."""

import pytest

import fairviz
from fairviz.annotation.forms.answering import answer
from fairviz.annotation.forms.forms import links
from fairviz.annotation.forms.serving import announce_address
from fairviz.home import SHARED
from tests.pages.conftest import first_run, html_of


def press(page, label: str):
    (button,) = [one for one in page.button if one.label == label]
    button.click().run()


def test_a_form_is_made_watched_collected_and_closed() -> None:
    page = first_run("annotate.py", study="newswire")
    page.number_input(key="form_documents").set_value(4)
    page.number_input(key="form_people").set_value(2)
    page.number_input(key="form_tests").set_value(0).run()
    with announce_address("http://localhost:8765"):
        press(page, "Make links")
    assert "Form 1: 2 links." in html_of(page)
    made = links(fairviz.open_study("newswire"))
    code = next(one.value for one in page.code if "token=" in one.value)
    assert code.splitlines() == [
        f"person-{number}: http://localhost:8765/label?token={link.token}" for number, link in enumerate(made, 1)
    ]
    for number in range(1, 5):
        answer(made[0].token, number, "label", "neutral")
    press(page, "Refresh")
    table = next(one.value for one in page.dataframe if "progress" in one.value)
    assert list(table["answered"]) == ["4 of 4", "0 of 4"]
    press(page, "Collect labels")
    assert "4 labels by 1 person collected." in html_of(page)
    assert "person-1" in set(fairviz.open_study("newswire").labels["annotator"])
    press(page, "Close form 1")
    assert "Form 1: 2 links closed. Answers stay." in html_of(page)
    assert not any("token=" in one.value for one in page.code)


def test_a_form_that_cannot_be_made_is_one_line() -> None:
    page = first_run("annotate.py", study="newswire")
    page.number_input(key="form_documents").set_value(5000).run()
    press(page, "Make links")
    assert "newswire has 343 documents with text" in html_of(page)


def test_on_a_shared_server_no_link_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SHARED, "1")
    page = first_run("annotate.py", study="newswire")
    assert "Links and answers are shown on the owner&#x27;s machine only." in html_of(page)
    assert not [one for one in page.button if one.label == "Make links"]
