"""The page, Python and the command line give the same number for the same question, whatever is moved on the page."""

import io

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.cli.main import main
from fairviz.evaluation.settings import Settings
from tests.pages.test_first_run import first_run

QUESTIONS = [
    "CWEx(alpha=0.3)@3",
    "NFaiRR(tau=0)@3",
    "TExFAIR@3",
    "ExposureGap@3",
    "AWRF@3",
    "RaB@3",
    "ARaB@3",
    "nDCG@3",
]
CHOICES = {"position_bias": "rbp(p=0.7)", "unlabelled": "strict", "background": "collection", "ties": "trec_eval"}
COLUMNS = ["value", "ci_low", "ci_high", "queries", "undefined", "coverage"]


@pytest.mark.parametrize("study", ["football", "occupations"])
def test_page_python_and_command_line_agree(study: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = first_run("overview.py", study=study, cutoff="3", alpha="0.3", tau="0", **CHOICES)
    on_page = next(element.value for element in page.dataframe if "coverage" in element.value)
    in_python = fairviz.summarise(fairviz.evaluate(fairviz.open_study(study), QUESTIONS, **CHOICES))
    options = [f"--{name.replace('_', '-')}={value}" for name, value in CHOICES.items()]
    assert main(["evaluate", study, *QUESTIONS, *options, "--format", "csv"]) == 0
    printed = pd.read_csv(io.StringIO(capsys.readouterr().out), dtype={"system": "str", "measure": "str"})
    for table in (on_page, printed):
        assert table["measure"].tolist() == in_python["measure"].tolist()
        assert table["system"].tolist() == in_python["system"].tolist()
        for column in COLUMNS:
            pd.testing.assert_series_equal(
                table[column], in_python[column], check_dtype=False, check_names=False, rtol=1e-12
            )
    assert in_python["value"].notna().sum() > 10


def press(page: AppTest, label: str) -> None:
    next(button for button in page.button if button.label == label).click()


def use_words(page: AppTest) -> None:
    """What *Use these words* does with the words of the editor, which only a browser can fill."""
    page.session_state["lexicon"] = LEXICON


MEASURES = ("CWEx", "NFaiRR", "TExFAIR", "ExposureGap", "AWRF", "RaB", "ARaB", "nDCG")
LEXICON = "female:she|her|woman|minister;male:he|his|man|company"
# What a person does on the Overview page, one thing after the other, and what stands in the settings afterwards.
MOVES = (
    (lambda page: page.slider(key="alpha").set_value(0.25), {"alpha": 0.25}),
    (lambda page: page.select_slider(key="cutoff").set_value(4), {"cutoff": 4}),
    (lambda page: page.number_input(key="tau").set_value(3), {"tau": 3}),
    (lambda page: page.selectbox(key="position_bias").select("rbp"), {"position_bias": "rbp(p=0.8)"}),
    (lambda page: page.slider(key="bias_parameter").set_value(0.5), {"position_bias": "rbp(p=0.5)"}),
    (lambda page: page.selectbox(key="annotator").select("lexicon"), {"annotator": "lexicon"}),
    (use_words, {"lexicon": LEXICON}),
    (lambda page: page.selectbox(key="annotator").select("majority"), {"annotator": "majority"}),
    (lambda page: page.number_input(key="tau").set_value(0), {"tau": 0}),
    (lambda page: page.select_slider(key="cutoff").set_value(25), {"cutoff": 25}),
    (lambda page: page.selectbox(key="background").select("run:perfect"), {"background": "run:perfect"}),
    (lambda page: page.selectbox(key="background").select("collection"), {"background": "collection"}),
    (lambda page: press(page, "Appendix B of the GSR paper"), {"lexicon": "gsr"}),
    (lambda page: page.selectbox(key="position_bias").select("linear"), {"position_bias": "linear"}),
    (lambda page: page.slider(key="alpha").set_value(1.0), {"alpha": 1.0}),
)


@pytest.mark.slow
def test_every_control_moves_the_numbers_on_screen_to_those_of_python() -> None:
    """Both tables of the page after each move: systems by measures, and all that is known of each value."""
    study, settings = fairviz.open_study("newswire"), Settings(systems=("bm25", "w2v_si", "perfect"))
    page = first_run("overview.py", study="newswire", systems=list(settings.systems))
    before = None
    for move, changed in MOVES:
        move(page)
        page.run()
        assert not page.exception
        settings = settings.changed(**changed)
        expected = fairviz.summarise(fairviz.evaluate(study, MEASURES, settings))
        exact = next(element.value for element in page.dataframe if "coverage" in element.value).copy()
        for table in (exact, expected):
            table["measure"] = table["measure"].str.replace(r"\(.*\)", "", regex=True)  # how it is written is no number
        pd.testing.assert_frame_equal(exact, expected, check_dtype=False, check_index_type=False, rtol=1e-12)
        grid = next(element.value for element in page.dataframe if "ci_low" not in element.value)
        shown = [value for name in grid.columns[1:] for value in grid[name]]
        assert shown == pytest.approx(expected["value"].tolist(), nan_ok=True)
        assert before is None or exact["value"].tolist() != before, f"{changed} moved nothing"
        before = exact["value"].tolist()
    assert dict(page.query_params)["alpha"] in ("1.0", ["1.0"])
