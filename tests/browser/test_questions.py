"""Questions of newcomers and of reviewers: each answer is found on the page, by at most four clicks where clicks are
counted, and is what fairviz itself computes."""

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fairviz
from fairviz.analyses.what_if.bench import fewest_swaps
from fairviz.annotation.forms.forms import links
from fairviz.cli.main import main
from fairviz.comparison.compare import by_query
from fairviz.comparison.curves import best_at, over_cutoffs
from fairviz.evaluation.gsr import direction_of, gsr, gsr_points, influence
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.study.record import Study
from fairviz.words.sentences import number
from tests.browser.conftest import Visitor, running, started, visiting
from tests.browser.test_links import screen, shows
from tests.model_server import model_server
from tests.pages.conftest import first_run

pytestmark = pytest.mark.browser

MAIN = ("CWEx(alpha=0.7)@5", "NFaiRR(tau=1)@5", "TExFAIR@5", "nDCG@5")
PARTED = ("NFaiRR", "TExFAIR")
BROKEN = "q1 Q0 d1 1 2 mine\nq1 Q0 d2 2 1.5\n"


@pytest.fixture(scope="module")
def reader(browser, server) -> Visitor:
    """One person at the app for all ten."""
    visitor = Visitor(browser, server, permissions=["clipboard-read", "clipboard-write"])
    yield visitor
    visitor.assert_well()
    visitor.context.close()


@cache
def newswire() -> Study:
    return fairviz.open_study("newswire")


@cache
def scores() -> pd.DataFrame:
    return fairviz.evaluate(newswire(), list(MAIN))


def texts_of_queries() -> dict[str, str]:
    return dict(zip(newswire().queries["query_id"], newswire().queries["text"], strict=True))


def signed(value: float, digits: int = 3) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


def notice(visitor: Visitor) -> str:
    """The finding, also where it is folded."""
    return " ".join(visitor.page.locator(".fv-notice").first.text_content().split())


def choose(visitor: Visitor, label: str, option: str) -> None:
    box = visitor.page.get_by_test_id("stMain").get_by_role("combobox", name=label, exact=True).first
    box.scroll_into_view_if_needed()
    visitor.still(box)
    box.click()
    with visitor.asking():
        visitor.page.get_by_role("option", name=option, exact=True).click()


def fill(visitor: Visitor, label: str, text: str) -> None:
    visitor.page.get_by_role("textbox", name=label, exact=True).fill(text)
    with visitor.asking():
        visitor.page.keyboard.press("Enter")


def test_1_the_fairest_system_at_alpha_07_and_k_5_with_its_lead_and_p(reader):
    reader.open("/tradeoff?alpha=0.7&cutoff=5")
    found = fairviz.compare(scores())
    rows = found[found["measure"] == MAIN[0]]
    behind, same = (rows[rows["verdict"] == verdict] for verdict in ("behind", "not significantly different"))
    sentence = notice(reader).partition("NFaiRR:")[0]
    told = re.match(r"CWEx: (\S+) is ahead of .+? \((\S+?) to (\S+?), p ≤ (\.\d+)\)", sentence)
    best, least, most, p = told.groups()
    assert best == set(rows["baseline"]).pop()
    leads = -behind["difference"]
    assert (least, most) == (signed(leads.min()), signed(leads.max()))
    assert np.ceil(behind["p_corrected"].max() * 1000) / 1000 == pytest.approx(float(p))
    told = sentence.partition("not significantly different from")[2]
    named = {name for name in same["system"] if re.search(rf"\b{name}\b", told)}
    more = re.search(r"(\d+) (?:more|systems)", told)
    assert len(named) + (int(more[1]) if more else 0) == len(same)


def agreed_and_not(settings: Settings) -> tuple[set[int], set[int]]:
    """The cutoffs at which the best by NFaiRR and by TExFAIR are the same system, and those where they are not."""
    curves = over_cutoffs(newswire(), [f"{name}@10" for name in PARTED], settings)
    nfairr, texfair = (best_at(curves, parse(f"{name}@10")) for name in PARTED)
    apart = {k for k in nfairr if not nfairr[k] & texfair[k]}
    return set(nfairr) - apart, apart


def said_cutoffs(sentence: str, deepest: int) -> set[int]:
    """`… disagree at k = 2, 3, 5 to 8 and from 10 on.` as cutoffs."""
    said: set[int] = set()
    for start, first, last, one in re.findall(r"from (\d+) on|(\d+) to (\d+)|(\d+)", sentence):
        ends = (int(start), deepest) if start else (int(first or one), int(last or one))
        said |= set(range(ends[0], ends[1] + 1))
    return said


@pytest.mark.parametrize("bias", ["log2", "reciprocal"])
def test_2_and_3_where_nfairr_and_texfair_disagree(reader, bias):
    chosen = "" if bias == "log2" else f"&position_bias={bias}"
    reader.open(f"/tradeoff?tradeoff_curve=over+k{chosen}&tradeoff_measures=NFaiRR&tradeoff_measures=TExFAIR")
    sentence = reader.page.get_by_text("NFaiRR and TExFAIR disagree at k = ").first.inner_text()
    agreed, apart = agreed_and_not(Settings(position_bias=bias))
    assert said_cutoffs(sentence.partition(". ")[0], max(agreed | apart)) == apart
    shaded = (
        reader.page.locator(".js-plotly-plot")
        .filter(has_text="at every cutoff")
        .locator(".layer-below .shapelayer path")
    )
    assert shaded.count() == len([k for k in apart if k - 1 not in apart])


def test_4_the_query_on_which_the_two_best_differ_most(reader):
    reader.open("/tradeoff?alpha=0.7&cutoff=5")
    links = reader.page.locator(".st-key-tradeoff_most").inner_text()
    for text, rows in by_query(scores()).groupby("measure"):
        first = rows.iloc[0]
        gap = number(abs(first["difference"]))
        assert f"{parse(str(text)).name} “{texts_of_queries()[first['query_id']]}” {gap}" in links
        wide = scores()[scores()["measure"] == text].pivot(index="query_id", columns="system", values="value")
        apart = (wide[first["baseline"]] - wide[first["system"]]).abs()
        assert apart.max() == pytest.approx(apart[first["query_id"]])


def test_5_how_many_places_are_labelled_and_by_whom(reader):
    reader.open("/?cutoff=5")
    counted = scores()[scores()["measure"] == MAIN[0]].groupby("system")[["labelled", "places"]].sum()
    assert (counted["labelled"] == counted["places"]).all()
    least, most = (int(count) for count in (counted["places"].min(), counted["places"].max()))
    told = f"All ranks ({least} to {most} per system) labelled: project (model with a reader)."
    assert reader.page.get_by_text(told).count() == 1


def test_6_a_document_on_which_lexicon_and_reader_disagree(reader):
    reader.open("/read")
    choose(reader, "Which documents?", "project ≠ lexicon")
    given = newswire().labels.pivot(index="doc_id", columns="annotator", values="label")
    disagreed = given[given["project"] != given["lexicon"]]
    assert f"{len(disagreed)} of {len(given)} documents" in reader.text()
    name = reader.page.locator(".fv-doc bdi").inner_text()
    row = disagreed.loc[name]
    labels = reader.page.locator(".fv-labels > span")
    for annotator in ("project", "lexicon"):
        line = labels.filter(has=reader.page.locator("bdi", has_text=re.compile(f"^{annotator}$")))
        assert re.search(rf"\b{row[annotator]}$", line.locator(".fv-chip").inner_text())


def ticked_row(visitor: Visitor, column: str) -> dict[str, str]:
    """The cells of the selected row, by head, of the table that has this column, as a screen reader is told them."""
    held = visitor.page.locator("thead th", has_text=re.compile(f"^{column}$"))
    held.first.wait_for(state="attached")
    grid = visitor.page.get_by_test_id("stDataFrame").filter(has=held).first
    row = grid.locator("tbody tr[aria-selected=true]")
    row.wait_for(state="attached")
    heads, cells = (place.all_text_contents() for place in (grid.locator("thead th"), row.locator("td")))
    return dict(zip(heads, cells, strict=True))


def test_7_gsr_of_two_systems_and_the_query_that_pulls_each_most(reader):
    points = gsr_points(newswire(), Settings())
    lines, pulls = gsr(points).set_index("system"), influence(points)
    for system in ("bm25", "w2v_add"):
        reader.open(f"/gsr?system={system}")
        shown = ticked_row(reader, "GSR")
        assert shown["system"] == system
        assert float(shown["GSR"].replace("−", "-")) == pytest.approx(lines.loc[system, "slope"], abs=5e-4)
        mine = pulls[pulls["system"] == system].set_index("query_id")["change"]
        query = texts_of_queries()[str(mine.abs().idxmax())]
        picker = reader.page.get_by_test_id("stMain").get_by_role("combobox", name="Query, from female to male")
        assert picker.input_value() == f"the one that moves the slope most: {query}"
        assert f"(1st of {len(mine)} queries by influence)" in reader.text()


def test_8_nurse_and_plumber(reader):
    reader.open("/words")
    fill(reader, "My words", "nurse, plumber")
    direction = direction_of(Settings())
    for word, g in zip(("nurse", "plumber"), direction.of(["nurse", "plumber"]), strict=True):
        found = re.search(rf"{word} .+ from the average word; g = (\S+)\)\.", reader.text())
        assert found.group(1) == signed(g, 2)


def test_9_the_link_shows_the_same_to_somebody_else(reader, another_visitor):
    reader.open("/tradeoff?alpha=0.7&cutoff=5")
    choose(reader, "Differences to", "bm25")
    seen = screen(reader)
    reader.share()
    reader.page.get_by_role("button", name="Copy link").click()
    reader.page.get_by_role("button", name="Copied").wait_for()
    link = reader.page.evaluate("() => navigator.clipboard.readText()")
    assert "baseline=bm25" in link
    another_visitor.open(link.removeprefix(reader.address))
    shows(another_visitor, seen)
    assert "bm25 is behind" in seen[1]


def test_10_a_broken_run_is_named_and_the_mended_one_opens(reader, home):
    folder = home / "studies" / "own"
    (folder / "runs").mkdir(parents=True)
    run = folder / "runs" / "mine.run"
    run.write_text(BROKEN)
    (folder / "labels.csv").write_text("doc_id,label\nd1,female\nd2,male\n")
    reader.page.goto(f"{reader.address}/?study=own")
    reader.page.locator(".fv-error").wait_for()
    told = reader.page.locator(".fv-error").inner_text()
    assert told.startswith("runs/mine.run:2: expected 6 columns, found 5: 'q1 Q0 d2 2 1.5'")
    run.write_text(BROKEN.replace("1.5", "1.5 mine"))
    reader.open("/?study=own")
    assert reader.page.locator(".fv-error").count() == 0
    assert "1 system" in reader.text()


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


@pytest.mark.parametrize(("condition", "verdict"), [("CWEx falls by 0.02", "passed"), ("CWEx below 0", "not passed")])
def test_the_report_of_a_gate(visitor: Visitor, tmp_path, condition: str, verdict: str) -> None:
    clicks = Clicks(visitor)
    page = visitor.page
    clicks.count += 1
    visitor.go("Data")
    clicks.on(page.get_by_test_id("stTab").get_by_text("Download"))
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
    assert main(["gate", "newswire", *options]) == {"passed": 0, "not passed": 3}[verdict]
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == by_command.read_text(encoding="utf-8")
    assert clicks.count <= MOST_CLICKS


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
