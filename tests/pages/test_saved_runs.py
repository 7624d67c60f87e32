"""Runs saved here, on the Data page: renamed, deleted and restored."""

import pandas as pd
import pytest

import fairviz
from fairviz.datasets.additions import rename_run, save_runs
from fairviz.errors import FairvizError
from fairviz.study.record import Study
from tests.pages.test_first_run import first_run, html_of


def added(name: str = "mine") -> Study:
    study = fairviz.open_study("football")
    rows = study.runs[study.runs["system"] == study.systems[0]]
    save_runs(study, rows.assign(system=pd.Categorical([name] * len(rows))))
    return fairviz.open_study("football")


def test_a_run_is_renamed_deleted_and_restored() -> None:
    before = added()
    page = first_run("data.py", study="football", data_tab="Add and save")
    assert page.selectbox(key="data_rename_name").options == ["mine"]  # none of the study's own
    page.text_input(key="data_rename_text").set_value("ours").run()
    page.button(key="data_rename").click().run()
    assert "mine is now ours. Rename it again to undo." in html_of(page)
    study = fairviz.open_study("football")
    assert [name for name in study.systems if name in ("mine", "ours")] == ["ours"]
    columns = ["query_id", "doc_id", "rank", "score"]
    old, new = (one.runs[one.runs["system"] == name] for one, name in ((before, "mine"), (study, "ours")))
    pd.testing.assert_frame_equal(old[columns].reset_index(drop=True), new[columns].reset_index(drop=True))
    page.button(key="data_delete").click().run()
    assert "ours" not in fairviz.open_study("football").systems
    page.button(key="data_restore").click().run()
    assert "ours" in fairviz.open_study("football").systems


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../x", "'../x' is no name of a run"),
        ("", "'' is no name of a run"),
        ("mine", "football has a run 'mine' already"),
    ],
)
def test_a_name_that_cannot_be_is_refused(name: str, message: str) -> None:
    study = added()
    with pytest.raises(FairvizError, match=message):
        rename_run(study, "mine", name)
    assert "mine" in fairviz.open_study("football").systems
