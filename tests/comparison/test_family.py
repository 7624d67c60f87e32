"""One family across measures is that of the named measures: of a command or a call, and on pages the Overview's."""

import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import Comparison, compared_as
from fairviz.comparison.cube import cube
from fairviz.comparison.family import how_of, how_on_pages
from fairviz.comparison.ranking_sentences import family_text
from fairviz.errors import UsageError
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.output.recipes import comparison_recipe
from fairviz.output.report import report as report_of
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from tests.conftest import Call

ACROSS = "maxT(family='measures')"
SETTINGS = Settings(tests=ACROSS)
CWEX, OTHER = "CWEx(alpha=0.5)@10", "CWEx(alpha=0.3)@10"
CAPTION = "all 168 pairs in the 8 measures of the Overview, maxT"


def p_of(found: Comparison | pd.DataFrame, measure: str = CWEX) -> dict[str, float]:
    table = found if isinstance(found, pd.DataFrame) else found.against("bm25").table
    return table[table["measure"] == measure].set_index("system")["p_corrected"].round(9).dropna().to_dict()


@pytest.fixture(scope="module")
def expected(newswire: Study) -> dict[str, float]:
    """All measures of the Overview at once."""
    scores = evaluate(newswire, how_on_pages(newswire, SETTINGS).chosen, SETTINGS)
    return p_of(fairviz.compare(scores, "bm25", tests=ACROSS))


def test_on_pages_the_number_of_measures_that_are_shown_changes_no_p(
    newswire: Study, expected: dict[str, float]
) -> None:
    for measures in ([CWEX], [CWEX, "RaB"]):
        for page in (
            tables.comparison(newswire, measures, SETTINGS),
            tables.sliced_comparison(newswire, measures, SETTINGS),
        ):
            assert (p_of(page), family_text(page)) == (expected, CAPTION)


def test_in_a_command_and_in_python_the_family_is_of_the_measures_that_are_named(newswire: Study, call: Call) -> None:
    measures = ["NFaiRR", "CWEx(alpha=0.3)", "CWEx"]
    wanted = fairviz.compare(evaluate(newswire, measures), "bm25", tests=ACROSS)
    said = call("compare newswire", measures, ["--baseline", "bm25", "--tests", ACROSS, "--format", "csv"])
    for measure in wanted["measure"].unique():
        assert p_of(said.frame, measure) == p_of(wanted, measure)
    caption = "all 63 pairs in 3 measures"
    assert f"note: tests: {caption}, maxT; " in said.err
    assert f"Tests: {caption}, maxT." in report_of(newswire, measures, SETTINGS)
    wide = call("evaluate newswire", measures, ["--tests", ACROSS, "--wide", "--format", "latex"])
    assert f"from the best (p <= .05, {caption}, maxT); two bold ones may differ." in wide.out


def test_a_measure_that_the_overview_does_not_have_is_a_family_of_its_own(
    newswire: Study, expected: dict[str, float]
) -> None:
    own = p_of(compared_as(evaluate(newswire, [OTHER], SETTINGS), how_of(newswire, Settings())), OTHER)
    for found in (
        tables.comparison(newswire, [OTHER], SETTINGS),
        tables.sliced_comparison(newswire, [OTHER], SETTINGS),
    ):
        assert (p_of(found, OTHER), family_text(found)) == (own, "all 21 pairs, maxT")
    both = tables.comparison(newswire, [OTHER, CWEX], SETTINGS)
    assert (p_of(both, OTHER), p_of(both)) == (own, expected)
    assert family_text(both) == (
        "all 168 pairs in the 8 measures of the Overview and all 21 pairs in each other measure, maxT"
    )


def test_a_slider_moves_the_family_with_its_measures_and_all_must_be_there(
    newswire: Study, expected: dict[str, float]
) -> None:
    """Where alpha is 0.3 the Overview has CWEx with 0.3, not with 0.5."""
    how = how_on_pages(newswire, SETTINGS)
    made = cube(newswire, [CWEX, OTHER], SETTINGS, "alpha", how=how)
    here, there = made.comparison(made.present), made.comparison(30)
    assert (p_of(here), family_text(here)[:30]) == (expected, CAPTION[:30])
    moved = SETTINGS.changed(alpha=0.3)
    assert made.stops[30] == moved
    assert p_of(there, OTHER) == p_of(tables.comparison(newswire, ["CWEx"], moved), OTHER)
    assert family_text(there) == CAPTION
    kept = tables.cube(newswire, ["CWEx"], moved, "alpha").comparison(50)
    assert (p_of(kept), family_text(kept)) == (expected, CAPTION)
    scores = evaluate(newswire, [CWEX], SETTINGS)
    with pytest.raises(UsageError) as caught:
        fairviz.compare(scores, tests=ACROSS, chosen=[CWEX, OTHER])
    assert str(caught.value).splitlines()[0] == f"the scores do not hold the chosen measure '{OTHER}'"


def test_the_program_of_a_page_gives_its_table(newswire: Study) -> None:
    texts = [CWEX, OTHER]
    found = tables.sliced_comparison(newswire, texts, SETTINGS, "bm25")
    made: dict = {}
    exec(comparison_recipe(newswire, SETTINGS, texts, "bm25", found.how).python, made)
    for text in texts:
        assert p_of(made["table"], text) == p_of(found, text)
    assert list(dict.fromkeys(made["table"]["measure"])) == texts
