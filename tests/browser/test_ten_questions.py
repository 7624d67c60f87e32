"""Ten questions that a newcomer asks: each answer is found on the page, and is what fairviz itself computes."""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import by_query
from fairviz.comparison.curves import best_at, over_cutoffs
from fairviz.evaluation.gsr import direction_of, gsr, gsr_points, influence
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse
from fairviz.study.record import Study
from fairviz.words.sentences import number
from tests.browser.conftest import Visitor
from tests.browser.test_links import screen, shows

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
    another_visitor.assert_well()


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
