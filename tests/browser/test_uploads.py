"""What a person uploads from the Overview: a run, its verdict and the pair in view; three annotators' labels, by which
disagreement, alpha and CWEx are then computed."""

from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.voters import votes_of
from fairviz.evaluation.study_facts import disagreement_text
from fairviz.study.loaders.labels import read_labels
from fairviz.study.study import add_labels, with_kinds
from tests.browser.conftest import Visitor
from tests.browser.test_journeys import address, upload
from tests.pages.test_agreement import NAMES, csv_of_three

pytestmark = pytest.mark.browser


ABOUT = ".st-key-overview_order_head [data-testid=stMarkdown] [data-testid=stTooltipIcon]"  # how the figure is made


def tip(visitor: Visitor, place: str) -> str:
    """What the element of this place tells under the pointer."""
    visitor.page.locator(place).locator("visible=true").first.hover()
    shown = visitor.page.get_by_test_id("stTooltipContent")
    shown.wait_for()
    text = shown.inner_text()
    visitor.page.mouse.move(700, 890)
    shown.wait_for(state="detached")
    return text


def own_run() -> str:
    """The lists of N upside down, as a TREC run."""
    rows = fairviz.open_study("occupations").runs
    rows = rows[rows["system"] == "N"]
    lines = zip(rows["query_id"], rows["doc_id"], rows["rank"], strict=True)
    return "".join(f"{query} Q0 {document} {3 - rank} {rank} mine\n" for query, document, rank in lines)


def test_uploads_count_in_six_clicks_a_broken_run_is_refused_and_all_of_it_is_in_this_session_alone(
    visitor: Visitor, tmp_path: Path
) -> None:
    page, labels, label = visitor.page, tmp_path / "three.csv", "A run (TREC, JSON, a table)"
    labels.write_bytes(csv_of_three(study="occupations"))
    visitor.open("/?study=occupations")
    page.get_by_role("button", name="Use your own runs").click()  # 1
    visitor.arrived("Data")
    page.locator(".st-key-upload_labels input[type=file]").set_input_files(labels)  # 2
    page.locator(".st-key-upload_kind_person button").click()  # 3
    visitor.shows("three.csv is in the study")
    upload(visitor, label, "mine.run", own_run().replace("1 2 mine", "1 2", 1))
    visitor.shows("mine.run:2: expected 6 columns, found 5: ")
    assert page.get_by_test_id("stException").count() == 0
    upload(visitor, label, "mine.run", own_run())  # 4
    line = "mine is tested: 3 → 4 systems, 6 pairs; "
    visitor.shows(line)
    assert visitor.text().count(line) == 1
    visitor.go("Overview")  # 5 and 6

    assert visitor.text().count(line) == 1
    assert "all 6 pairs, maxT" in tip(visitor, ABOUT)
    study = add_labels(fairviz.open_study("occupations"), read_labels(labels))
    study = with_kinds(study, dict.fromkeys(NAMES, "human"))
    told = disagreement_text(votes_of(study, NAMES))
    assert f"{told}; Krippendorff's alpha 0." in tip(visitor, ".st-key-door_are button")
    assert "labels: majority of anna, ben and cleo (people)" in visitor.text()
    means = fairviz.summarise(fairviz.evaluate(study, "CWEx", annotator="majority")).set_index("system")["value"]
    grid = page.get_by_test_id("stDataFrame").first
    grid.scroll_into_view_if_needed()
    grid.locator("thead th", has_text="CWEx ↑").wait_for(state="attached")
    cells = grid.locator("tbody tr", has_text="CS").locator("td").all_text_contents()
    row = dict(zip(grid.locator("thead th").all_text_contents(), cells, strict=True))
    assert float(row["CWEx ↑"].replace("−", "-")) == pytest.approx(means["CS"], abs=5e-4)
    visitor.go("Agreement")
    assert f"{told} (" in visitor.text()

    visitor.assert_well()
    visitor.leave()
    visitor.open("/?study=occupations")  # somebody else
    assert "all 3 pairs, maxT" in tip(visitor, ABOUT)
    assert line not in visitor.text()
    assert "anna" not in visitor.text()


@pytest.mark.lengthy
def test_the_pair_goes_from_page_to_page_and_back(visitor) -> None:
    visitor.open("/compare?study=newswire&system=w2v_add&baseline=rrf&measure=RaB")
    pair = {"study": ["newswire"], "system": ["w2v_add"], "baseline": ["rrf"], "measure": ["RaB"]}
    for name in ("Measures", "Query", "Sensitivity", "Two systems"):
        visitor.page.mouse.move(700, 880)  # from a chip, whose tooltip would cover the menu
        visitor.go(name)
        boxes = visitor.page.get_by_test_id("stMain").get_by_test_id("stSelectbox")
        assert boxes.nth(0).locator("input").input_value() == "w2v_add"
        assert boxes.nth(1).locator("input").input_value() == "rrf"
        assert {key: value for key, value in address(visitor).items() if key in pair} == pair
    visitor.page.mouse.move(700, 880)
    visitor.go("Trade-off")
    assert address(visitor)["baseline"] == ["rrf"]
    visitor.page.mouse.move(700, 880)
    visitor.go("Read")
    assert address(visitor)["baseline"] == ["rrf"]
