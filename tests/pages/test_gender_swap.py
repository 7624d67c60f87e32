"""The page Counterfactuals under AppTest: what it says before a run, the command line's numbers after it, bad input."""

import pandas as pd
import pytest
import streamlit as st

from fairviz.ui.gender_swap import cards
from fairviz.ui.kept import flow
from fairviz.ui.kept import runs as kept
from fairviz.ui.kit import jobs
from tests.pages.conftest import Panels, first_run, html_of, put, run_as_printed, settled, table_with

QUERIES = "query_id,text\nq1,a car\nq2,the town\n"
DOCUMENTS = 'doc_id,text\n<b>1,The woman drove <script>her</script> car\nd2,The man is in town\nd3,"A car, a town"\n'


@pytest.fixture
def by_button(monkeypatch: pytest.MonkeyPatch) -> None:
    """No run begins without the button."""
    monkeypatch.setattr(flow, "AT_ONCE", 0.0)


@pytest.mark.usefixtures("by_button")
def test_a_run_gives_the_numbers_of_the_command_line_and_of_the_python_beside_them(printed, panels: Panels) -> None:
    name = put("small", queries=QUERIES, documents=DOCUMENTS)
    asked = {"counterfactual_ranker": "bm25,tfidf", "counterfactual_seeds": "1", "counterfactual_substitute": "words"}
    page = first_run("gender_swap.py", study=name, **asked)
    assert cards.WILL_SHOW in html_of(page)
    assert "4 rankings by 2 rankers; " in html_of(page)
    settled(page.button(key="counterfactual_run").click().run())
    text = html_of(page)
    assert "fv-error" not in text
    assert "<script>" not in text
    assert "bm25: " in text
    assert page.button(key="counterfactual_run").disabled
    table = printed(f"fairviz gender-swap {name} --ranker bm25,tfidf --seeds 1 --substitute words")
    numbers = ["value", "ci_low", "ci_high", "difference", "p"]
    shown = table_with(page, "p_corrected")[numbers]
    pd.testing.assert_frame_equal(shown, table[numbers], check_dtype=False, rtol=1e-9)
    assert set(panels) == {"counterfactual_table", "counterfactual_bars", "counterfactual_queries"}
    run_as_printed(panels)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"documents": DOCUMENTS}, "has no queries to rank for."),
        ({"queries": QUERIES}, "has no text of documents to replace words in."),
        ({"queries": QUERIES, "documents": "doc_id,text\nd1,A car\n"},
         "nothing changes: none of the 1 documents of lacking holds a word of the pairs"),
    ],
)  # fmt: skip
def test_what_a_study_lacks(files: dict[str, str], said: str) -> None:
    page = first_run("gender_swap.py", study=put("lacking", **files))
    assert said in html_of(page)


@pytest.mark.usefixtures("by_button")
@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"counterfactual_ranker": "bm52"}, "there is no ranker &#x27;bm52&#x27;"),
        ({"counterfactual_ranker": "cross_encoder"}, "cross_encoder needs model"),
        ({"counterfactual_words": "she"}, "&#x27;she&#x27; is not a pair of words"),
        ({"counterfactual_seeds": "7"}, "The address sets counterfactual_seeds to"),
        ({"counterfactual_words": "she-they", "counterfactual_names": "A-B"}, "They"),  # own pairs count
    ],
)
def test_choices_that_cannot_be(choices: dict[str, str], said: str) -> None:
    assert said in html_of(first_run("gender_swap.py", study="football", **choices))


@pytest.mark.parametrize(("seconds", "said"), [(61.0, "about 61 seconds."), (None, cards.UNKNOWN)])
def test_a_long_run_says_what_it_shows_and_waits(
    seconds: float | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    st.cache_resource.clear()  # of the same run by another test
    monkeypatch.setattr(kept, "run_seconds", lambda *_: seconds)
    page = first_run("gender_swap.py", study="football", counterfactual_seeds="1")
    assert f"4 rankings by 1 ranker; {said}" in html_of(page)
    assert not page.button(key="counterfactual_run").disabled
    assert not jobs._jobs()


def test_a_short_run_needs_no_button(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "run_seconds", lambda *_: 4.9)
    page = settled(first_run("gender_swap.py", study="football", counterfactual_seeds="1"))
    assert "bm25: CRBO is 1 by construction:" in html_of(page)
    assert "† 1 by construction, no query word was replaced: bm25, CRBO: " in html_of(page)
    assert page.button(key="counterfactual_run").disabled
