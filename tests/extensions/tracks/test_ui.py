"""The card of the TREC Fair Ranking track has Python's numbers, for a study made of its files and for no other."""

import pandas as pd
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.datasets import studies_folder
from fairviz.evaluation.columns import cells
from fairviz.extensions.tracks.page import TRACK
from fairviz.extensions.tracks.ui import COLUMNS
from fairviz.study.study import save_study
from tests.extensions.tracks.fair_track import track_files
from tests.pages.conftest import drawn_by, html_of
from tests.pages.conftest import no_exception as no_exception


def card():
    from fairviz.extensions.tracks.page import TRACK
    from fairviz.ui.shell import frame

    with frame.around():
        TRACK.draw()


def opened(**query) -> AppTest:
    return drawn_by(card, **query)


def test_the_card_shows_what_python_gives(tmp_path):
    save_study(fairviz.read_trec_fair(**track_files(tmp_path)), studies_folder() / "track")
    assert TRACK.fits(fairviz.open_study("track"))
    page = opened(study="track", audit_track_unknown="out", audit_track_depth="20")
    found = fairviz.track_scores(fairviz.open_study("track"), unknown="out", k=20)
    (grid,) = [element.value for element in page.dataframe if "run" in element.value and len(element.value) == 2]
    pd.testing.assert_frame_equal(grid, cells(found.table, COLUMNS), check_dtype=False)
    code = next(block.value for block in page.code)
    made: dict = {}
    exec(code, made)
    pd.testing.assert_frame_equal(made["table"], found.table)


def test_another_study_has_no_such_card():
    assert not TRACK.fits(fairviz.open_study("football"))
    assert "football is not made of the track" in html_of(opened(study="football"))
