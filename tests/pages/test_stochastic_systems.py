"""Every page shows a study with a stochastic system, and the Python beside a table contains its noise."""

import pytest

from fairviz import Settings, open_study
from fairviz.output.recipes import recipe, summarised
from tests.evaluation.test_draws_everywhere import drawn_study
from tests.pages.test_first_run import PAGES, html_of
from tests.pages.test_group_names import shown


@pytest.mark.parametrize("page", [page for page in PAGES if page != "label.py"])  # which has no frame, so no study
def test_every_page_shows_a_stochastic_system(page: str) -> None:
    test = shown(page, drawn_study(), system="pl")
    assert not test.exception
    assert not [error.value for error in test.error]


@pytest.mark.parametrize("tab", ["Differences", "Over α or k", "Ranks", "Chance and range"])
def test_every_tab_of_the_trade_off_shows_it(tab: str) -> None:
    test = shown("tradeoff.py", drawn_study(), tradeoff_tab=tab, system="pl")
    assert not test.exception
    assert "fv-error" not in html_of(test)


def test_the_python_beside_the_overview_has_the_noise_of_the_ranker() -> None:
    code = recipe(summarised(drawn_study(), Settings(), ["CWEx@10"])).python
    assert "by_draw=True" in code
    assert "by_draw" not in recipe(summarised(open_study("newswire"), Settings(), ["CWEx@10"])).python
