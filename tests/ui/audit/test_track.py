"""The card of the TREC Fair Ranking track under AppTest: Python's numbers, and nothing for another study."""

import pandas as pd
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.datasets import studies_folder
from fairviz.evaluation.columns import cells
from fairviz.study.study import save_study
from fairviz.ui.audit import views
from tests.datasets.fair_track import track_files
from tests.pages.test_first_run import PATIENCE, html_of


def card():
    from fairviz.ui.audit import views
    from fairviz.ui.shell import frame

    with frame.around():
        views.others(*frame.current())


def opened(**query) -> AppTest:
    test = AppTest.from_function(card, default_timeout=PATIENCE)
    for name, value in query.items():
        test.query_params[name] = value
    return test.run()


def test_the_card_shows_what_python_gives(tmp_path):
    save_study(fairviz.read_trec_fair(**track_files(tmp_path)), studies_folder() / "track")
    page = opened(study="track", audit_track_unknown="out", audit_track_depth="20")
    assert not page.exception
    found = fairviz.track_scores(fairviz.open_study("track"), unknown="out", k=20)
    (grid,) = [element.value for element in page.dataframe if "run" in element.value and len(element.value) == 2]
    pd.testing.assert_frame_equal(grid, cells(found.table, views.TRACK_COLUMNS), check_dtype=False)
    code = next(block.value for block in page.code)
    made: dict = {}
    exec(code, made)
    pd.testing.assert_frame_equal(made["table"], found.table)


def test_another_study_has_no_such_card():
    page = opened(study="football")
    assert not page.exception
    assert "TREC Fair Ranking" not in html_of(page)
