"""What a person adds on a page changes no verdict, star or sentence of the other systems until it is ticked."""

import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest

import fairviz
from tests.pages.test_first_run import first_run, html_of, settled
from tests.pages.test_laboratory import bare, move, opened


def told(page: AppTest) -> tuple[str, pd.DataFrame]:
    """The sentence of the Overview, and the cells of its table by system, stars among them."""
    assert not page.exception
    (styled,) = [each for each in page.dataframe if "CWEx ↑" in each.value]
    shown = pa.ipc.open_stream(styled.proto.arrow_data.styler.display_values).read_pandas().astype("str")
    table = shown.set_axis(styled.value["system"]).iloc[:, 1:]
    (sentence,) = [line for line in html_of(page).splitlines() if "fv-notice" in line]
    return sentence, table


def test_saving_an_edited_list_and_ranking_change_nothing_until_ticked() -> None:
    sentence, table = told(first_run("overview.py", study="newswire"))
    laboratory = opened()
    move(laboratory, bare().start[6], 1)
    laboratory.button(key="laboratory_save").click().run()
    data = first_run("data.py", study="newswire", data_tab="Rank")
    data.text_input(key="rank_with").set_value("bm25(k1=0.4,b=0.4)").run()
    settled(data.button(key="rank_go").click().run())
    added = fairviz.open_study("newswire").drafts
    assert len(added) == 2
    after, grown = told(first_run("overview.py", study="newswire"))
    assert after == sentence
    assert grown.loc[table.index].equals(table)
    new = [name for name in grown.index if name not in table.index]
    assert all(name.endswith(" (not tested)") for name in new)
    assert not grown.loc[new].map(lambda cell: "★" in cell).any(axis=None)
    ticked = html_of(first_run("overview.py", study="newswire", tested=list(added)))
    assert "Tests: all 36 pairs, maxT." in ticked
