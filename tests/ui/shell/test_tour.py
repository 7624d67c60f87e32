"""The tour: offered on Overview until the offer is answered, at most six short steps, and always under Help."""

import hashlib
import re
from types import SimpleNamespace

import pytest

from fairviz.home import data_home
from fairviz.home.access import Visitor
from fairviz.ui.shell import menus
from tests.pages.conftest import first_run, html_of

ANN = hashlib.sha256(b"ann").hexdigest()[:16]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "home"))


def keys_of(page):
    return {button.key for button in page.button}


def test_six_steps_of_short_sentences():
    assert len(menus.STEPS) <= 6
    for step in menus.STEPS:
        assert all(len(sentence.split()) <= 15 for sentence in re.split(r"(?<=[.?;])\s", step.text)), step.text


@pytest.mark.parametrize("alpha", ["0.5", "0.25"], ids=["no changed choice", "a changed choice"])
def test_the_tour_goes_through_what_is_on_the_page_and_ends(alpha):
    page = first_run("overview.py", study="football", alpha=alpha)
    assert "tour_next" not in keys_of(page)
    page.button(key="tour_take").click().run()
    steps = [step for step in menus.STEPS if alpha != "0.5" or step.title != menus.CHANGED]
    for number, step in enumerate(steps, start=1):
        assert f"<b>{step.title}</b>" in html_of(page)
        assert f"{number} of {len(steps)}" in html_of(page)
        assert ("tour_next" in keys_of(page)) is (step is not steps[-1])
        page.button(key="tour_end" if step is steps[-1] else "tour_next").click().run()
    assert not {"tour_next", "tour_end", "tour_take"} & keys_of(page)


@pytest.mark.parametrize("key", ["tour_decline", "tour_take"])
def test_an_answer_is_kept_in_the_browser_and_not_in_the_data_folder(key):
    page = first_run("overview.py", study="football")
    page.button(key=key).click().run()
    assert "tour_take" not in keys_of(page)
    assert "fairviz_tour=answered; path=/" in html_of(page)
    assert not data_home().exists()
    page.run()
    assert "fairviz_tour" not in html_of(page), "stored once"


@pytest.mark.parametrize(
    ("cookie", "login", "answered"),
    [
        ("", None, False), ("answered", None, True), ("answered", "ann", False), (ANN, "ann", True),
        (f"{ANN}.answered", "ann", True), (ANN, "bob", False), (ANN, None, False),
    ],
)  # fmt: skip
def test_the_offer_is_made_once_to_each_login(cookie, login, answered, monkeypatch):
    context = SimpleNamespace(cookies={menus.COOKIE: cookie})
    monkeypatch.setattr(menus, "st", SimpleNamespace(session_state={}, context=context))
    monkeypatch.setattr(menus, "visitor", lambda: login and Visitor(login))
    assert menus.is_answered() is answered


def test_the_offer_and_the_card_are_on_overview_only(monkeypatch):
    monkeypatch.setattr(menus, "page_name", lambda: "methods")
    page = first_run("methods.py", study="football", data_tab="Rank")
    assert {"help_tour", "help_methods"} <= keys_of(page)
    assert "tour_take" not in keys_of(page)
    page.session_state[menus.STEP] = 1
    page.run()
    assert menus.STEP not in page.session_state
    assert "tour_next" not in keys_of(page)
