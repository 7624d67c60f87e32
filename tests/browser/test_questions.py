"""Questions of reviewers: each answer is found by at most four clicks, and is what fairviz itself computes."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import fairviz
from fairviz.analyses.what_if.bench import fewest_swaps
from fairviz.annotation.forms.forms import links
from fairviz.cli.main import main
from tests.browser.conftest import Visitor, running, started, visiting
from tests.model_server import model_server
from tests.pages.conftest import first_run

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
    assert [page.locator(f".st-key-{name} input").input_value() for name in ("pair_system", "baseline")] == [
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


def test_a_latex_table_has_the_marks_of_overview_and_the_report_of_a_gate_is_that_of_the_command(
    visitor: Visitor, tmp_path: Path
) -> None:
    clicks = Clicks(visitor)
    page = visitor.page
    clicks.count += 1
    visitor.go("Data")
    clicks.on(page.get_by_test_id("stTab").get_by_text("Download"))
    on_download = clicks.count
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

    for condition, verdict, status in (("CWEx falls by 0.02", "passed", 0), ("CWEx below 0", "not passed", 3)):
        clicks.count = on_download
        field = page.locator(".st-key-gate_conditions textarea")
        field.fill(condition)
        with visitor.asking():
            field.press("Control+Enter")
        visitor.shows(f"Gate {verdict}.")
        pair = [page.locator(f".st-key-gate_{role} input").input_value() for role in ("baseline", "candidate")]
        clicks.count += 1
        with page.expect_download() as download:
            page.get_by_role("button", name="Gate report").click()
        download.value.save_as(tmp_path / "page.html")
        by_command = tmp_path / "command.html"
        options = ["--baseline", pair[0], "--candidate", pair[1], "--fail-if", condition, "--report", str(by_command)]
        assert main(["gate", "newswire", *options]) == status
        assert (tmp_path / "page.html").read_text(encoding="utf-8") == by_command.read_text(encoding="utf-8")
        assert clicks.count <= MOST_CLICKS


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


@pytest.mark.lengthy
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


@pytest.mark.lengthy
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


@pytest.mark.lengthy
def test_a_model_behind_an_address_labels_the_study(browser, tmp_path, monkeypatch) -> None:
    with model_server() as server, running(tmp_path, NO_PROXY="127.0.0.1", FAIRVIZ_API_KEY="") as (address, _):
        server.answer = lambda prompt: "Female" if " she " in prompt.rpartition("<document>")[2] else "Neutral"
        visitor = Visitor(browser, address)
        page, clicks = visitor.page, Clicks(visitor)
        clicks.page("Annotate")
        clicks.on(page.get_by_text("Label with rules and models"))
        for name, value in (("Language model", "m"), ("Address of its server", server.address), ("First queries", "2")):
            field = page.locator(f".st-key-annotate_card input[aria-label='{name}']")
            field.fill(value)
            with visitor.asking():
                field.press("Enter")
        visitor.shows("questions to ask. About")
        host = server.address.split("/")[2]
        clicks.on(page.get_by_role("button", name=f"Send texts to {host} and label"))
        visitor.shows("questions sent now")
        assert clicks.count <= MOST_CLICKS
        visitor.assert_well()
        visitor.context.close()
        monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path))
        labels = fairviz.open_study("newswire").labels
        assert set(labels.loc[labels["annotator"] == "llm-model=m", "label"]) == {"neutral"}
        assert len(server.prompts()) == (labels["annotator"] == "llm-model=m").sum()


@pytest.fixture
def at_own_home(browser, monkeypatch) -> Iterator[Visitor]:
    """A visitor of a server with the data folder of this test, so that what either computes is there for the other."""
    home = Path(os.environ["FAIRVIZ_HOME"])
    home.mkdir(parents=True, exist_ok=True)
    with started(home) as address, visiting(browser, address, "") as visitor:
        yield visitor


def words_of(visitor: Visitor, place: str) -> str:
    """Return the text at a place of the page, also where it is folded."""
    return " ".join(visitor.page.locator(place).first.text_content().split())


@pytest.mark.lengthy
def test_the_fewest_swaps_for_a_list_saved_and_deleted_again(at_own_home: Visitor) -> None:
    visitor, page = at_own_home, at_own_home.page
    clicks = Clicks(visitor)
    clicks.page("What-if")
    page.locator("li[data-id]").nth(9).wait_for()
    (measure,) = [page.locator(".st-key-laboratory_measure input").input_value()]
    field = page.locator("[class*='st-key-laboratory_target'] input")
    target = float(field.get_attribute("placeholder").removeprefix("now ").replace("−", "-")) + 0.1
    field.fill(f"{target:.3f}")
    with visitor.asking():
        field.press("Enter")
    study = fairviz.open_study("newswire")
    system, query = study.systems[0], str(study.queries["query_id"].iloc[0])
    loss = float(page.locator(".st-key-laboratory_loss input").input_value())
    found = fewest_swaps(study, f"{measure}@10", system, query, round(target, 3), loss=loss)
    assert found.swaps
    ranks = [f"{first} ↔ {second}" for first, second in found.swaps]
    assert all(swap in words_of(visitor, ".st-key-laboratory_card_search") for swap in ranks)
    clicks.on(page.get_by_role("button", name="Take and save"))
    name = f"{system}, edited"
    visitor.shows(f"{name}: saved.")
    saved = fairviz.open_study("newswire").runs
    mine = saved[(saved["system"] == name) & (saved["query_id"] == query)].sort_values("rank")
    assert tuple(mine["doc_id"].astype("str"))[: len(found.doc_ids)] == found.doc_ids
    clicks.on(page.get_by_role("button", name="Delete it again"))
    visitor.shows(f"{name}: deleted.")
    assert name not in fairviz.open_study("newswire").systems
    assert clicks.count <= MOST_CLICKS
    visitor.assert_well()
