"""Three annotators' labels, uploaded: in six clicks from Overview, disagreement, alpha and CWEx are by exactly them."""

from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.voters import votes_of
from fairviz.evaluation.study_facts import disagreement_text
from fairviz.study.loaders.labels import read_labels
from fairviz.study.study import add_labels, with_kinds
from tests.browser.conftest import Visitor
from tests.pages.test_uploaded_labels import NAMES, csv_of_three

pytestmark = pytest.mark.browser


def test_three_uploaded_annotators_count_in_six_clicks(visitor: Visitor, tmp_path: Path) -> None:
    files = {"labels": tmp_path / "three.csv", "run": tmp_path / "mine.run"}
    files["labels"].write_bytes(csv_of_three())
    newswire = fairviz.open_study("newswire")
    best = newswire.runs[newswire.runs["system"] == "bm25"]
    ten = best[best["rank"] <= 10]
    lines = [f"{row.query_id} Q0 {row.doc_id} {11 - row.rank} {row.rank} mine" for row in ten.itertuples()]
    files["run"].write_text("\n".join(lines) + "\n")
    page = visitor.page

    visitor.open("/?study=newswire")
    page.locator(".st-key-door_use button").click()  # 1
    visitor.arrived("Data")
    page.locator(".st-key-upload_labels input[type=file]").set_input_files(files["labels"])  # 2
    page.locator(".st-key-upload_kind_person button").click()  # 3
    visitor.shows("three.csv is in the study")
    page.locator(".st-key-upload_run input[type=file]").set_input_files(files["run"])  # 4
    visitor.shows("mine.run is in the study")
    visitor.go("Overview")  # 5 and 6

    study = with_kinds(add_labels(newswire, read_labels(files["labels"])), dict.fromkeys(NAMES, "human"))
    told = disagreement_text(votes_of(study, NAMES))
    assert f"{told}; Krippendorff's alpha 0." in visitor.text()
    assert "labels: majority of anna, ben and cleo (people)" in visitor.text()
    means = fairviz.summarise(fairviz.evaluate(study, "CWEx", annotator="majority")).set_index("system")["value"]
    grid = page.get_by_test_id("stDataFrame").first
    cells = grid.locator("tbody tr", has_text="w2v_add").locator("td").all_text_contents()
    row = dict(zip(grid.locator("thead th").all_text_contents(), cells, strict=True))
    assert float(row["CWEx ↑"].replace("−", "-")) == pytest.approx(means["w2v_add"], abs=5e-4)
    visitor.go("Agreement")
    assert f"{told} (" in visitor.text()
    visitor.assert_well()
