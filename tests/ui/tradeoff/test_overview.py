"""The Overview: its columns, chosen on the page and in the address, its badges and its doors."""

from collections.abc import Sequence

import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.evaluation import exports
from fairviz.evaluation.settings import Settings
from fairviz.output.capsule import recorded_settings
from fairviz.ui.kept import tables
from fairviz.ui.kit.pick import COLUMNS
from fairviz.ui.state import pins
from fairviz.ui.tradeoff.overview import pin_line
from tests.pages.conftest import first_run, grid_of, html_of

CHOSEN = Settings(study="football", columns=("CWEx(alpha=0.3)", "AWRF"))


def heads(page: AppTest) -> Sequence[str]:
    return [name.split()[0] for name in grid_of(page, "overview").columns if not name.endswith("95 %")]


def test_chosen_columns_are_those_of_the_table_and_of_the_address() -> None:
    page = first_run("overview.py", study="football")
    usual = page.multiselect(key=COLUMNS).value
    assert heads(page) == ["system", *usual]
    assert dict(page.query_params) == {"study": "football"}
    page.multiselect(key=COLUMNS).set_value(["CWEx", "TED"]).run()
    assert heads(page) == ["system", "CWEx", "TED"]
    assert page.query_params["columns"] == ["CWEx", "TED"]
    page.button(key="take_back_columns").click().run()
    assert page.multiselect(key=COLUMNS).value == usual
    page.multiselect(key=COLUMNS).set_value(["TED"]).run()
    page.multiselect(key=COLUMNS).set_value([]).run()
    assert page.multiselect(key=COLUMNS).value == usual
    assert dict(page.query_params) == {"study": "football"}


def test_columns_with_parameters_come_from_the_address() -> None:
    page = first_run("overview.py", study="football", columns=list(CHOSEN.columns))
    assert page.multiselect(key=COLUMNS).value == list(CHOSEN.columns)
    assert heads(page) == ["system", "CWEx", "AWRF"]
    assert "CWEx" not in page.multiselect(key=COLUMNS).options


def test_columns_that_the_study_cannot_feed_leave_the_control() -> None:
    page = first_run("overview.py", study="occupations", columns="CWEx")
    assert page.multiselect(key=COLUMNS).value == ["CWEx"]


def test_an_unknown_measure_in_a_link_has_one_line() -> None:
    page = first_run("overview.py", study="football", columns="Foo")
    assert html_of(page).count("unknown measure") == 1
    assert len(page.multiselect(key=COLUMNS).value) > 2


def test_pins_tables_capsules_and_stored_answers_contain_the_columns() -> None:
    assert pins.from_text(pins.to_text(CHOSEN)) == CHOSEN
    assert "columns=CWEx(alpha=0.3)|AWRF" in exports.other_settings(CHOSEN)
    assert recorded_settings(CHOSEN)["columns"] == CHOSEN.columns
    assert tables.plain(CHOSEN).columns == ()
    assert tables.of_all_systems(CHOSEN).columns == CHOSEN.columns
    line = "".join(span.text for span in pin_line(CHOSEN, CHOSEN.reset("columns"), ()))
    assert "Changed: columns → the default ones." in line


def test_a_column_with_a_background_of_another_study_has_one_line_in_address_and_pin() -> None:
    foreign = "NFaiRR(background='run:other')"
    page = first_run("overview.py", study="football", columns=[foreign, "AWRF"])
    assert page.multiselect(key=COLUMNS).value == ["AWRF"]
    assert html_of(page).count("The address sets columns to") == 1
    page = first_run("overview.py", study="football", pin=pins.to_text(CHOSEN.changed(columns=(foreign,))))
    assert html_of(page).count("nothing is kept") == 1


@pytest.mark.parametrize(
    ("name", "badge"), [("newswire", "labels: project (model with a reader)<"), ("football", "labels: ")]
)
def test_badges_say_what_the_labels_are(name, badge):
    text = html_of(first_run("overview.py", study=name))
    assert badge in text
    assert f"{len(fairviz.open_study(name).systems)} systems" in text


def test_a_door_opens_the_pair_and_the_query_with_the_largest_gap():
    page = first_run("overview.py", study="newswire")
    assert "w2v_add against bm25; largest gap: " in html_of(page)
    scores = fairviz.evaluate(fairviz.open_study("newswire"), "CWEx", systems=("w2v_add", "bm25"))
    wide = scores.pivot(index="query_id", columns="system", values="value")
    page.button(key="door_why").click().run()
    assert page.session_state["query"] == (wide["w2v_add"] - wide["bm25"]).abs().idxmax()
    assert page.session_state["system"] == "w2v_add"
    assert page.session_state["baseline"] == "bm25"
    page = first_run("overview.py", study="newswire")
    page.button(key="door_would").click().run()
    assert (page.session_state["system"], page.session_state["baseline"]) == ("w2v_add", "bm25")
