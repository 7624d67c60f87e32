"""Questions of a reviewer, each answered from Overview by at most four clicks; what is on screen is what fairviz
itself computes."""

import re

import pytest

import fairviz
from fairviz.annotation.forms.forms import links
from tests.browser.conftest import Visitor, started

pytestmark = pytest.mark.browser
MOST_CLICKS = 4


class Clicks:
    """Counts the clicks of a visitor who starts on Overview."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor, self.count = visitor, 0
        visitor.open("/")

    def on(self, locator) -> None:
        """Click, and wait until the page stands."""
        self.count += 1
        locator.click()
        self.visitor.settle()

    def page(self, name: str) -> None:
        """Open a page of the menus: the menu, then its entry."""
        self.count += 2
        self.visitor.go(name)


def test_does_the_conclusion_hold_under_other_tokenizers_thresholds_and_word_lists(visitor: Visitor) -> None:
    clicks = Clicks(visitor)
    page = visitor.page
    clicks.on(page.get_by_role("button", name="Would other choices change it? →"))
    visitor.arrived("Sensitivity")
    assert [page.locator(f".st-key-robustness_{name} input").input_value() for name in ("system", "baseline")] == [
        "w2v_add", "bm25",
    ]  # fmt: skip
    measures = page.locator(".st-key-robustness_measures")
    clicks.on(measures.get_by_role("combobox"))
    clicks.on(page.get_by_role("option", name="NFaiRR", exact=True))
    page.keyboard.press("Escape")
    clicks.on(measures.get_by_role("button", name="Remove CWEx").or_(measures.get_by_label("Remove CWEx")).first)
    text = page.locator(".st-key-robustness_words").text_content()
    found = re.search(r"w2v_add is fairer than bm25 under (\d+) of (\d+) combinations", text)
    assert found, text
    study = fairviz.open_study("newswire")
    table = fairviz.robustness(study, ("w2v_add", "bm25"), ["NFaiRR"]).table
    assert (int(found[1]), int(found[2])) == (int((table["difference"] > 0).sum()), len(table))
    assert clicks.count <= MOST_CLICKS
    visitor.assert_well()


def test_two_people_label_by_links_that_are_made_in_the_browser(browser, tmp_path, monkeypatch) -> None:
    with started(tmp_path) as address:
        visitor = Visitor(browser, address)
        clicks = Clicks(visitor)
        clicks.page("Annotate")
        clicks.on(visitor.page.get_by_text("Label with people, by link"))
        for key, number in (("documents", "3"), ("people", "2")):
            field = visitor.page.locator(f".st-key-form_{key} input")
            field.fill(number)
            with visitor.asking():
                field.press("Enter")
        clicks.on(visitor.page.get_by_role("button", name="Make links", exact=True))
        visitor.shows("Form 1: 2 links.")
        addresses = re.findall(
            r"http://\S+token=\S+", visitor.page.locator(".st-key-annotate_people code").inner_text()
        )
        assert clicks.count <= MOST_CLICKS
        visitor.assert_well()
        monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path))
        made = links(fairviz.open_study("newswire"))
        assert addresses == [f"{address}/label?token={link.token}" for link in made]
        visitor.page.goto(addresses[0])
        visitor.page.get_by_text("Guideline").first.wait_for()
        visitor.context.close()


def test_the_python_of_a_page_is_in_its_menu(visitor: Visitor) -> None:
    clicks = Clicks(visitor)
    clicks.count += 1
    visitor.share()
    clicks.on(visitor.page.get_by_text("Python of this page"))
    code = visitor.page.locator("[data-testid=stPopoverBody] code").first.inner_text()
    assert "import fairviz" in code
    names: dict = {}
    exec(compile(code, "Overview", "exec"), names)  # what a person would paste
    study = fairviz.open_study("newswire")
    expected = fairviz.evaluate(study, ["CWEx"]).groupby("system")["value"].mean()
    scores = names["scores"]
    shown = scores[scores["measure"].str.startswith("CWEx")].groupby("system")["value"].mean()
    assert shown.sort_index().round(9).to_dict() == expected.sort_index().round(9).to_dict()
    assert clicks.count <= MOST_CLICKS
