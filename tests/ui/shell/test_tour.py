"""The tour: offered on Overview until the offer is answered, at most six short steps, and always under Help."""

import re

import pytest

from fairviz.home import data_home
from fairviz.ui.shell import tour
from tests.pages.test_first_run import first_run, html_of


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "home"))


def keys_of(page):
    return {button.key for button in page.button}


def test_six_steps_of_short_sentences():
    assert len(tour.STEPS) <= 6
    for step in tour.STEPS:
        assert all(len(sentence.split()) <= 15 for sentence in re.split(r"(?<=[.?;])\s", step.text)), step.text


def test_the_tour_goes_through_its_steps_and_ends(monkeypatch):
    monkeypatch.setattr(tour, "is_owners_own", lambda: True)
    page = first_run("overview.py", study="football")
    assert "tour_next" not in keys_of(page)
    page.button(key="tour_take").click().run()
    for step in tour.STEPS:
        assert f"<b>{step.title}</b>" in html_of(page)
        assert ("tour_next" in keys_of(page)) is (step is not tour.STEPS[-1])
        page.button(key="tour_end" if step is tour.STEPS[-1] else "tour_next").click().run()
    assert not page.exception
    assert not {"tour_next", "tour_end", "tour_take"} & keys_of(page)


@pytest.mark.parametrize("key", ["tour_decline", "tour_take"])
def test_the_owner_is_asked_once(key, monkeypatch):
    monkeypatch.setattr(tour, "is_owners_own", lambda: True)
    page = first_run("overview.py", study="football")
    assert not data_home().exists()  # the offer itself writes nothing
    page.button(key=key).click().run()
    assert (data_home() / tour.FILE).exists()
    page = first_run("overview.py", study="football")
    assert "tour_take" not in keys_of(page)
    page.button(key="help_tour").click().run()
    assert "tour_next" in keys_of(page)


def test_a_visitor_is_asked_once_a_session_and_leaves_nothing(monkeypatch):
    monkeypatch.setattr(tour, "is_owners_own", lambda: False)
    page = first_run("overview.py", study="football")
    page.button(key="tour_decline").click().run()
    assert "tour_take" not in keys_of(page)
    assert not data_home().exists()


def test_a_folder_that_cannot_be_written_stops_nobody(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "file" / "home"))
    monkeypatch.setattr(tour, "is_owners_own", lambda: True)
    monkeypatch.setattr(tour.st, "session_state", {})
    tour.answer()
    assert tour.is_answered()
    monkeypatch.setattr(tour.st, "session_state", {})
    assert not tour.is_answered()


def test_the_offer_and_the_card_are_on_overview_only(monkeypatch):
    monkeypatch.setattr(tour, "page_name", lambda: "methods")
    page = first_run("methods.py", study="football", data_tab="Rank")
    assert {"help_tour", "help_methods"} <= keys_of(page)
    assert "tour_take" not in keys_of(page)
    page.session_state[tour.STEP] = 1
    page.run()
    assert tour.STEP not in page.session_state
    assert "tour_next" not in keys_of(page)
