"""The page Overview: what the address sets and asks for in vain, its columns, badges and doors, narrow ranges, and the
numbers of Python and the command line, whatever is moved on the page."""

from collections.abc import Sequence

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.evaluation import exports
from fairviz.evaluation.settings import Settings
from fairviz.output.capsule import recorded_settings
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kit.pick import COLUMNS
from fairviz.ui.state import pins
from fairviz.ui.tradeoff.overview import pin_line
from tests.pages.conftest import OVERVIEW, Seen, drawn_by, first_run, grid_of, html_of, table_with


def test_the_address_sets_the_widgets_and_keeps_what_differs_from_the_defaults() -> None:
    test = first_run("overview.py", study="football", alpha="0.25", cutoff="3", position_bias="rbp(p=0.7)", tau="2",
                     systems=["right"], unlabelled="strict")  # fmt: skip
    assert test.slider(key="alpha").value == 0.25
    assert test.select_slider(key="cutoff").value == 3
    assert test.selectbox(key="position_bias").value == "rbp"
    assert test.slider(key="bias_parameter").value == 0.7
    assert test.number_input(key="tau").value == 2
    assert test.multiselect(key="systems").value == ["right"]
    assert test.selectbox(key="unlabelled").value == "strict"
    assert test.session_state["current"].settings.position_bias == "rbp(p=0.7)"
    test = drawn_by(empty_frame, alpha="0.25", cutoff="10")
    assert dict(test.query_params) == {"study": "newswire", "alpha": "0.25"}


def empty_frame() -> None:
    from fairviz.ui.shell import frame

    with frame.around():
        pass


def not_here(study: str) -> str:
    return f"The study &#x27;{study}&#x27; is not here; newswire is shown."


IN_VAIN = (
    ({"colour": "red"}, "The address holds &#x27;colour&#x27;, which is not a setting; it was ignored."),
    ({"cutoff": "0"}, "The address sets cutoff to &#x27;0&#x27;"),
    ({"study": "football", "systems": ["right", "nobody"]},
     "The address sets systems to &#x27;nobody&#x27;, not in this study; it was ignored."),
    ({"study": "newswire", "voters": ["lexicon", "nobody"]},
     "The address sets voters to &#x27;nobody&#x27;, not in this study; it was ignored."),
    ({"filter_column": "query_id", "filter_values": ["nobody"]}, "filter_values to &#x27;nobody&#x27;, not in this"),
    ({"lexicon": "aliens:zorg;female:she"}, "lexicon to &#x27;aliens&#x27;, not in this study; it was ignored."),
    ({"lexicon": "female:<script>"}, ""),
    ({"study": "no-such-study"}, not_here("no-such-study")),
    ({"study": "x" * 9000}, not_here("x" * 80)),
    ({"study": "/etc"}, not_here("/etc")),
    ({"study": "ir_datasets:vaswani"}, not_here("ir_datasets:vaswani")),
    ({"words": "x" * 9000}, ""),
    ({"study": "../../etc", "cutoff": "1e9", "alpha": "nan", "tau": "-1", "position_bias": "rbp(9)", "lexicon": "::",
      "annotator": "x", "background": "run:x", "filter_column": "zzz", "filter_values": "1", "systems": "",
      "custom_bias": "x", "effectiveness": "nDCG@0", "ties": "zz"}, not_here("../../etc")),
    ({f"colour{number}": "red" for number in range(900)}, "895 more of what the address holds were ignored."),
    ({f"colour{number}": "red" for number in range(1001)},
     "The address holds more than 1,000 settings or 524,288 characters; none of it was used."),
    ({"document": "x" * 600_000}, "The address holds more than 1,000 settings or 524,288 characters;"),
)  # fmt: skip


@pytest.mark.parametrize(("query", "told"), IN_VAIN, ids=[f"{next(iter(query))[:9]}" for query, _ in IN_VAIN])
def test_what_an_address_asks_for_in_vain_is_a_line_each(query: dict, told: str) -> None:
    """On every page: here, the frame alone."""
    test = drawn_by(empty_frame, **query)
    text = html_of(test)
    assert told in text
    assert ("fv-warning" in text) == bool(told)
    assert "<script>" not in text
    current = test.session_state["current"]
    assert current.study.name == ("football" if query.get("study") == "football" else "newswire")
    assert (current.settings.cutoff, current.settings.systems, current.settings.voters) == (
        10, ("right",) if query.get("systems") else (), ("lexicon",) if "voters" in query else (),
    )  # fmt: skip


def test_undefined_values_are_shown_as_such_and_counted(seen: Seen) -> None:
    text = html_of(seen("overview.py", study="football"))  # whose background is the candidates
    assert "NFaiRR is undefined for 2 rankings, which averages leave out: the ideal is 0, and 0/0 has no value" in text
    assert "NFaiRR is undefined" not in html_of(first_run("overview.py", study="football", background="collection"))


@pytest.mark.parametrize(
    ("study", "text"), [("newswire", ""), ("occupations", "On 20 of 20 queries, no order of candidates moves CWEx by")]
)
def test_a_line_tells_where_most_ranges_are_narrow(study: str, text: str, seen: Seen) -> None:
    lines = html_of(seen("overview.py", study=study))
    assert text in lines
    assert ("no order of candidates moves" in lines) == bool(text)


def use_words(page: AppTest) -> None:
    """What *Use these words* does with the words of the editor, which only a browser can fill."""
    page.session_state["lexicon"] = LEXICON


def of_the_paper(page: AppTest) -> None:
    """A click on the paper's own list."""
    next(one for one in page.button if one.label == "Appendix B of the GSR paper").click()


LEXICON = "female:she|her|woman|minister;male:he|his|man|company"
# What a person does on the page, one step after the other, and what is in the settings afterwards.
MOVES = (
    (lambda page: (page.slider(key="alpha").set_value(0.25), page.select_slider(key="cutoff").set_value(4),
                   page.number_input(key="tau").set_value(3), page.selectbox(key="position_bias").select("rbp")),
     {"alpha": 0.25, "cutoff": 4, "tau": 3, "position_bias": "rbp(p=0.8)"}),
    (lambda page: (page.slider(key="bias_parameter").set_value(0.5), page.selectbox(key="annotator").select("lexicon"),
                   use_words(page)),
     {"position_bias": "rbp(p=0.5)", "annotator": "lexicon", "lexicon": LEXICON}),
    (lambda page: (page.selectbox(key="annotator").select("majority"), page.number_input(key="tau").set_value(0),
                   page.selectbox(key="background").select("run:perfect"), of_the_paper(page)),
     {"annotator": "majority", "tau": 0, "background": "run:perfect", "lexicon": "gsr"}),
    (lambda page: (page.select_slider(key="cutoff").set_value(25),
                   page.selectbox(key="background").select("collection"),
                   page.selectbox(key="position_bias").select("linear"), page.slider(key="alpha").set_value(1.0)),
     {"cutoff": 25, "background": "collection", "position_bias": "linear", "alpha": 1.0}),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("without_ranges")
def test_every_control_moves_the_numbers_on_screen_to_those_of_python(newswire: Study) -> None:
    """Both tables of the page after each move: systems by measures, and all that is known of each value."""
    study, settings = newswire, Settings(systems=("bm25", "w2v_si", "perfect"))
    page = first_run("overview.py", study="newswire", systems=list(settings.systems))
    before = None
    for move, changed in MOVES:
        move(page)
        page.run()
        settings = settings.changed(**changed)
        expected = fairviz.summarise(fairviz.evaluate(study, OVERVIEW, settings))
        exact = table_with(page, "coverage").copy()
        for table in (exact, expected):
            table["measure"] = table["measure"].str.replace(r"\(.*\)", "", regex=True)  # how it is written is no number
        pd.testing.assert_frame_equal(exact, expected, check_dtype=False, check_index_type=False, rtol=1e-12)
        grid = next(element.value for element in page.dataframe if "ci_low" not in element.value)
        shown = [value for name in grid.columns[1:] for value in grid[name]]
        assert shown == pytest.approx(expected["value"].tolist(), nan_ok=True)
        assert before is None or exact["value"].tolist() != before, f"{changed} moved nothing"
        before = exact["value"].tolist()
    assert dict(page.query_params)["alpha"] in ("1.0", ["1.0"])


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


def test_pins_tables_capsules_and_stored_answers_contain_the_columns() -> None:
    assert pins.from_text(pins.to_text(CHOSEN)) == CHOSEN
    assert "columns=CWEx(alpha=0.3)|AWRF" in exports.other_settings(CHOSEN)
    assert recorded_settings(CHOSEN)["columns"] == CHOSEN.columns
    assert tables.plain(CHOSEN).columns == ()
    assert tables.of_all_systems(CHOSEN).columns == CHOSEN.columns
    line = "".join(span.text for span in pin_line(CHOSEN, CHOSEN.reset("columns"), ()))
    assert "Changed: columns → the default ones." in line


def test_columns_of_the_address_have_parameters_and_those_that_cannot_be_have_one_line() -> None:
    page = first_run("overview.py", study="football", columns=list(CHOSEN.columns))
    assert page.multiselect(key=COLUMNS).value == list(CHOSEN.columns)
    assert heads(page) == ["system", "CWEx", "AWRF"]
    assert "CWEx" not in page.multiselect(key=COLUMNS).options
    page = first_run("overview.py", study="football", columns="Foo")
    assert html_of(page).count("unknown measure") == 1
    assert len(page.multiselect(key=COLUMNS).value) > 2
    foreign = "NFaiRR(background='run:other')"
    pin = pins.to_text(CHOSEN.changed(columns=(foreign,)))
    page = first_run("overview.py", study="football", columns=[foreign, "AWRF"], pin=pin)
    assert page.multiselect(key=COLUMNS).value == ["AWRF"]
    assert html_of(page).count("The address sets columns to") == 1
    assert html_of(page).count("nothing is kept") == 1


def test_badges_and_doors_that_open_the_pair_and_the_query_with_the_largest_gap(newswire):
    page = first_run("overview.py", study="newswire")
    text = html_of(page)
    assert "labels: project (model with a reader)<" in text
    assert "9 systems" in text
    assert "w2v_add against bm25; largest gap: " in text
    scores = fairviz.evaluate(newswire, "CWEx", systems=("w2v_add", "bm25"))
    wide = scores.pivot(index="query_id", columns="system", values="value")
    page.button(key="door_why").click().run()
    state = page.session_state
    assert state["query"] == (wide["w2v_add"] - wide["bm25"]).abs().idxmax()
    assert (state["system"], state["baseline"]) == ("w2v_add", "bm25")
    page = first_run("overview.py", study="newswire")
    page.button(key="door_would").click().run()
    assert (page.session_state["system"], page.session_state["baseline"]) == ("w2v_add", "bm25")
