"""One verdict: every page, file and command that states one on a pair of systems in a measure states the same.

Ten pairs of five systems in CWEx@10, of which some are ahead, some behind and some not significantly different. All
systems of the study are shown and tested with them.
"""

import html
import io
import re
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path
from urllib.parse import urlencode

import pandas as pd
import pyarrow as pa
import pytest

import fairviz
from fairviz.cli.main import main
from fairviz.comparison.compare import compare
from fairviz.comparison.pairs import AHEAD, BEHIND, SAME
from fairviz.datasets import save_runs
from fairviz.evaluation.settings import Settings
from fairviz.output.report import report as report_of
from tests.browser.conftest import Visitor
from tests.pages.conftest import first_run

pytestmark = [pytest.mark.browser, pytest.mark.lengthy]

FIVE = ("bm25", "tfidf", "w2v_add", "w2v_si", "rrf")
ALL = (*FIVE, "qlm", "bi_encoder")
CWEX = "CWEx(alpha=0.5)@10"
MARKS = {"‡": AHEAD, "†": BEHIND}
POINTS = """figure => figure.data.filter(trace => trace.customdata)
  .flatMap(trace => trace.customdata.map(held => [held[0], held[2], held[3], held[4]]))"""
Verdicts = dict[tuple[str, str], str]  # by system and baseline


def of_five(found: Verdicts) -> Verdicts:
    """The verdicts on pairs of the five."""
    return {pair: verdict for pair, verdict in found.items() if set(pair) <= set(FIVE)}


def in_python(systems: tuple[str, ...] = ALL) -> Verdicts:
    scores = fairviz.evaluate(fairviz.open_study("newswire"), [CWEX], systems=systems)
    rows = (row for baseline in FIVE for row in compare(scores, baseline).itertuples())
    return of_five({(row.system, row.baseline): row.verdict for row in rows})


def on_the_command_line(capsys: pytest.CaptureFixture[str]) -> Verdicts:
    found: Verdicts = {}
    for baseline in FIVE:
        assert main(["compare", "newswire", "CWEx", "--baseline", baseline, "--format", "csv"]) == 0
        table = pd.read_csv(io.StringIO(capsys.readouterr().out))
        found |= {(row.system, row.baseline): row.verdict for row in table.itertuples()}
    return of_five(found)


def path(page: str, shown: Iterable[str], **choices: str | list[str]) -> str:
    return f"/{page}?{urlencode({'study': 'newswire', 'systems': list(shown), **choices}, doseq=True)}"


def on_trade_off(visitor: Visitor, shown: Iterable[str], baselines: Iterable[str]) -> Verdicts:
    """What the tooltips of the figure of differences say."""
    found: Verdicts = {}
    for baseline in baselines:
        visitor.open(path("tradeoff", shown, baseline=baseline))
        figure = visitor.page.locator(".st-key-tradeoff_differences .js-plotly-plot")
        told = [each for each in figure.evaluate(POINTS) if each[3] == CWEX and each[0] != each[2]]
        found |= {(system, against): text.rpartition(": ")[2] for system, text, against, _ in told}
    return found


def on_compare(visitor: Visitor, shown: Iterable[str], baselines: Iterable[str]) -> Verdicts:
    """What the marks of the table say, and that the sentence says the same of its pair."""
    found: Verdicts = {}
    for baseline in baselines:
        visitor.open(path("compare", shown, baseline=baseline, compare_tab="All systems against the baseline"))
        rows = cells(visitor, "compare_systems")
        found |= {
            (system, baseline): next((MARKS[mark] for mark in MARKS if mark in value), SAME)
            for system, value, *_ in rows
            if system != baseline and "(not tested)" not in system
        }
        said = visitor.page.locator(".fv-notice").inner_text()
        system, verdict = re.match(rf"(\S+) is (.+?) (?:of |from )?{baseline} in CWEx", said).groups()
        assert verdict == found[(system, baseline)], said
    return found


def says_tests(visitor: Visitor, text: str) -> None:
    """Waits until the details of *Two systems* have this on its tests."""
    visitor.page.get_by_role("button", name="Details").click()
    visitor.page.get_by_test_id("stPopoverBody").get_by_text(text).wait_for()


def cells(visitor: Visitor, key: str) -> list[list[str]]:
    """The rows of a table, as a screen reader is told them."""
    grid = visitor.page.locator(f".st-key-{key}").get_by_test_id("stDataFrame").first
    grid.scroll_into_view_if_needed()
    rows = grid.locator("table tbody tr")
    rows.first.wait_for(state="attached")
    return [[cell.text_content() for cell in row.locator("td").all()] for row in rows.all()]


def on_the_map(visitor: Visitor, shown: Iterable[str], pairs: Iterable[tuple[str, str]]) -> Verdicts:
    """What the sentence says of the present combination alone."""
    found: Verdicts = {}
    for system, other in pairs:
        of = {"system": system, "baseline": other}
        visitor.open(path("sensitivity", shown, **of, robustness_choices="alpha", robustness_alpha="0.5"))
        said = " ".join(visitor.page.locator(".st-key-robustness_words .fv-notice").text_content().split())
        fairer, count = re.match(r"(\S+) is fairer than .+ significant in (\d) of 1 tested", said).groups()
        found[(system, other)] = SAME if count == "0" else AHEAD if fairer == system else BEHIND
    return found


def with_the_best(visitor: Visitor, shown: tuple[str, ...], folder: Path) -> list[set[str]]:
    """The systems that the Overview, the LaTeX table of the Data page and the report mark in CWEx.

    A browser draws the Overview's table as an image, so that its stars are read from what the page sends. The report
    has the sentence of the Overview too.
    """
    (styled,) = [each for each in first_run("overview.py", study="newswire", systems=list(shown)).dataframe
                 if "CWEx ↑" in each.value]  # fmt: skip
    values = pa.ipc.open_stream(styled.proto.arrow_data.styler.display_values).read_pandas()["CWEx ↑"].astype("str")
    overview = {name for name, value in zip(styled.value["system"], values, strict=True) if value.endswith("★")}
    visitor.open(path("", shown))
    said = visitor.page.locator(".fv-notice div").all_text_contents()
    visitor.open(path("data", shown, data_tab="Download"))
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name="LaTeX: systems × measures").click()
    download.value.save_as(folder / "wide.tex")
    lines = [line.split(" & ") for line in (folder / "wide.tex").read_text(encoding="utf-8").splitlines()]
    latex = {line[0].replace(r"\_", "_") for line in lines if len(line) > 1 and r"\mathbf" in line[1]}
    report = report_of(fairviz.open_study("newswire"), (), Settings(systems=shown))
    report_text = html.unescape(re.sub("<[^>]+>", "", report))
    said = [line for line in said if not line.startswith("Cannot be separated")]  # not in the report
    assert said
    assert all(line in report_text for line in said)
    head, *rows = [
        [html.unescape(re.sub("<small>.*?</small>|<[^>]+>", "", cell)) for cell in re.findall("<t[hd].*?</t[hd]>", row)]
        for row in re.search(f"<table>(?:(?!<table>).)*?{re.escape(CWEX)}.*?</table>", report, re.S)[0].split("<tr")[1:]
    ]
    return [overview, latex, {row[0] for row in rows if row[head.index(CWEX)].endswith("★")}]


def starred_in_python(systems: tuple[str, ...] = ALL) -> set[str]:
    scores = fairviz.evaluate(fairviz.open_study("newswire"), [CWEX], systems=systems)
    table = compare(scores)
    return {table["baseline"][0], *table.loc[table["verdict"] == SAME, "system"]}


def against(verdicts: Verdicts, *baselines: str) -> Verdicts:
    return {pair: verdict for pair, verdict in verdicts.items() if pair[1] in baselines}


@pytest.fixture
def as_the_server(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """The data folder of the server in this process too."""
    monkeypatch.setenv("FAIRVIZ_HOME", str(home))


def test_ten_pairs_have_one_verdict_each_everywhere(
    visitor: Visitor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected, pairs = in_python(), list(combinations(FIVE, 2))
    assert {expected[pair] for pair in pairs} == {AHEAD, BEHIND, SAME}
    assert on_the_command_line(capsys) == expected
    most = against(expected, *FIVE[:-1])  # each pair one way round at least
    assert of_five(on_trade_off(visitor, ALL, FIVE[:-1])) == most
    assert of_five(on_compare(visitor, ALL, FIVE[:-1])) == most
    says_tests(visitor, "Tests: all 21 pairs, maxT")
    assert on_the_map(visitor, ALL, pairs) == {pair: expected[pair] for pair in pairs}
    assert with_the_best(visitor, ALL, tmp_path) == [starred_in_python()] * 3


def test_query_states_the_difference_of_two_lists_and_no_verdict(visitor: Visitor) -> None:
    """One query is no evidence: its lists and its values are shown, and no word of an order that was tested."""
    visitor.open(path("query", ("w2v_add", "bm25")))
    visitor.shows("w2v_add")
    words = (AHEAD, BEHIND, SAME, "significant", "significantly", "Tests:", *MARKS)  # ★ marks relevant documents here
    assert [word for word in words if re.search(rf"(?<!\w){word}(?!\w)", visitor.text())] == []


@pytest.mark.usefixtures("as_the_server")
def test_an_edited_list_changes_nothing_and_a_hidden_system_changes_all_alike(visitor: Visitor, tmp_path: Path) -> None:
    expected, starred = against(in_python(), "bm25"), starred_in_python()
    study = fairviz.open_study("newswire")
    run = study.runs[study.runs["system"] == "w2v_add"]
    added = ("w2v_add, edited",)
    files = [save_runs(study, run.assign(system=pd.Categorical([name] * len(run))))[0] for name in added]
    try:
        found = on_trade_off(visitor, (*ALL, *added), ["bm25"])
        assert of_five(found) == expected
        assert {found[(name, "bm25")] for name in added} == {"not in the family"}
        assert of_five(on_compare(visitor, (*ALL, *added), ["bm25"])) == expected
        says_tests(visitor, "Tests: all 21 pairs, maxT")
        pair = ("w2v_add", "bm25")
        assert on_the_map(visitor, (*ALL, *added), [pair]) == {pair: expected[pair]}
        assert with_the_best(visitor, (*ALL, *added), tmp_path) == [starred] * 3
    finally:
        for file in files:
            file.unlink()
    fewer = FIVE
    assert of_five(on_trade_off(visitor, fewer, ["bm25"])) == against(in_python(fewer), "bm25")
    assert of_five(on_compare(visitor, fewer, ["bm25"])) == against(in_python(fewer), "bm25")
    says_tests(visitor, "Tests: all 10 pairs, maxT")
    assert with_the_best(visitor, fewer, tmp_path) == [starred_in_python(fewer)] * 3
