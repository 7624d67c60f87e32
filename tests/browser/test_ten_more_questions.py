"""Questions of a reviewer, each answered from Overview by at most four clicks; what is on screen is what fairviz
itself computes."""

import re

import pyarrow as pa
import pytest

import fairviz
from fairviz.annotation.forms.forms import links
from tests.browser.conftest import Visitor, started
from tests.pages.test_first_run import first_run

pytestmark = pytest.mark.browser
MOST_CLICKS = 4


class Clicks:
    """Counts the clicks of a visitor who starts on Overview."""

    def __init__(self, visitor: Visitor, study: str = "newswire") -> None:
        self.visitor, self.count = visitor, 0
        visitor.open(f"/?study={study}")

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


def test_a_latex_table_of_three_measures_has_the_marks_of_overview(visitor: Visitor, tmp_path) -> None:
    clicks = Clicks(visitor)
    page = visitor.page
    clicks.count += 1
    visitor.go("Data")
    clicks.on(page.get_by_test_id("stTab").get_by_text("Download"))
    field = page.get_by_role("textbox", name="Measures, with a space between them")
    measures = ["CWEx", "NFaiRR", "nDCG"]
    field.fill(" ".join(measures))
    with visitor.asking():
        field.press("Enter")
    clicks.count += 1
    with page.expect_download() as download:
        page.get_by_role("button", name="LaTeX: systems × measures").click()
    download.value.save_as(tmp_path / "three.tex")
    lines = (tmp_path / "three.tex").read_text(encoding="utf-8").splitlines()
    rows = [line.removesuffix(r" \\").split(" & ") for line in lines if " & " in line]
    marked = {
        measure: {row[0].replace(r"\_", "_") for row in rows[1:] if "bf{" in row[column]}
        for column, measure in enumerate(measures, start=1)
    }
    assert marked == stars_of_overview(measures)
    assert all(marked.values())
    assert clicks.count <= MOST_CLICKS
    visitor.assert_well()


def stars_of_overview(measures: list[str]) -> dict[str, set[str]]:
    """The systems with a star in the columns of Overview's table, read from what the page sends to the browser."""
    tables = first_run("overview.py", study="newswire").dataframe
    (table,) = [each for each in tables if "CWEx ↑" in each.value]
    shown = pa.ipc.open_stream(table.proto.arrow_data.styler.display_values).read_pandas().astype("str")
    names = table.value["system"]
    return {
        measure: {name for name, value in zip(names, shown[f"{measure} ↑"], strict=True) if value.endswith("★")}
        for measure in measures
    }


def test_does_swapping_genders_move_a_ranker_more_than_its_placebo(visitor: Visitor) -> None:
    clicks = Clicks(visitor, "football")  # ten short texts: newswire takes minutes where nothing is encoded
    page = visitor.page
    clicks.page("Gender swap")
    rankers = page.locator(".st-key-counterfactual_ranker_picked").get_by_role("combobox")
    clicks.count += 1
    rankers.click()
    with visitor.asking():
        page.keyboard.type("bi_encoder")
        page.keyboard.press("Enter")
    page.keyboard.press("Escape")  # the list covers the button
    run = page.get_by_test_id("stMain").get_by_role("button", name="Run", exact=True)
    if run.is_enabled():  # what takes under five seconds runs by itself
        clicks.count += 1
        run.click()
    words = page.locator(".st-key-counterfactual_words")
    words.wait_for(state="attached")
    visitor.settle()
    study = fairviz.open_study("football")
    found = fairviz.counterfactual(study, "bm25,bi_encoder")
    told = " ".join(words.text_content().split())
    sentence = next(each for each in found.sentences if each.startswith("bi_encoder"))
    assert sentence in told
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
