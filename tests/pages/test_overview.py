"""The page Overview: what an address sets and asks for in vain, its columns, badges and doors, narrow ranges, the
numbers of Python, whatever is moved on the page, and the card *Checks*."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.checks import CHECKS
from fairviz.checks.looked import LOOKED
from fairviz.datasets import studies_folder
from fairviz.evaluation import exports
from fairviz.evaluation.settings import Settings
from fairviz.output.capsule import recorded_settings
from fairviz.study.loaders.metadata import Claim
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kit.pick import COLUMNS
from fairviz.ui.state import pins
from fairviz.ui.tradeoff.overview import pin_line
from tests.checks.cases import CASES, only, sound
from tests.pages.conftest import (
    EVERY_CHECK,
    OVERVIEW,
    Seen,
    drawn_by,
    first_run,
    grid_of,
    html_of,
    kept,
    press,
    put,
    settled,
    table_with,
)


def test_the_address_sets_the_widgets_and_keeps_what_differs_from_the_defaults() -> None:
    test = first_run("methods.py", study="football", alpha="0.25", cutoff="3", position_bias="rbp(p=0.7)", tau="2",
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


def test_a_session_read_by_single_values_has_those_that_streamlit_would_copy(seen: Seen) -> None:
    session = seen("tradeoff.py", study="football")._session_state
    assert dict(session.filtered_state) == session._state.filtered_state
    assert len(session.filtered_state) == len(session._state.filtered_state) > 100


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
    ({"study": "x" * 9000}, not_here("x" * 80)),
    ({"study": "/etc"}, not_here("/etc")),
    ({"study": "ir_datasets:vaswani"}, not_here("ir_datasets:vaswani")),
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
                   page.selectbox(key="background").select("run:perfect"), of_the_paper(page),
                   page.select_slider(key="cutoff").set_value(25), page.selectbox(key="position_bias").select("linear"),
                   page.slider(key="alpha").set_value(1.0)),
     {"annotator": "majority", "tau": 0, "background": "run:perfect", "lexicon": "gsr", "cutoff": 25,
      "position_bias": "linear", "alpha": 1.0}),
)  # fmt: skip


@pytest.mark.slow
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
    page = first_run("overview.py", study="newswire", columns="CWEx")
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
    page = first_run("overview.py", study="newswire", columns="CWEx")
    page.button(key="door_would").click().run()
    assert (page.session_state["system"], page.session_state["baseline"]) == ("w2v_add", "bm25")


def test_a_broken_run_is_named_and_the_mended_one_opens() -> None:
    put("own", labels="doc_id,label\nd1,female\nd2,male\n")
    run = studies_folder() / "own" / "runs" / "mine.run"
    run.parent.mkdir()
    for last, told in (("1.5", "runs/mine.run:2: expected 6 columns, found 5: &#x27;q1 Q0 d2 2 1.5&#x27;"),
                       ("1.5 mine", "1 system")):  # fmt: skip
        run.write_text(f"q1 Q0 d1 1 2 mine\nq1 Q0 d2 2 {last}\n")
        text = html_of(first_run("overview.py", bounded=True, study="own"))
        assert told in text
        assert ("fv-error" in text) == (last == "1.5")


# The card Checks: findings, the others by their state, what *Show* opens, and slow checks in a job


MARK = ":material/error:"


@pytest.fixture(autouse=True)
def three() -> Iterator[None]:
    """The program has the first three checks alone."""
    with only(*(check for check in EVERY_CHECK if check.code < "FV104")):
        yield


def test_a_finding_opens_to_its_sentence_and_the_others_to_their_reasons() -> None:
    test = first_run("overview.py", study="football", columns="CWEx")
    assert "<b>Checks: 1 issue</b>" in html_of(test)
    assert ":material/error: Few queries, or other ones for each system" in [one.label for one in test.expander]
    shown = html_of(test)
    assert "There is 1 query" in shown
    assert CHECKS["FV103"].harmless in shown
    assert CHECKS["FV101"].question in shown


def test_a_muted_finding_is_among_the_others_with_its_reason() -> None:
    case = CASES["label_coverage"]["triggers"]()
    name = kept(replace(case.study, muted={"FV102": "The pool of 2019."}))
    test = first_run("overview.py", study=name, columns="CWEx")
    assert "Checks: no finding" in html_of(test)
    test.segmented_control(key="overview_checks").set_value("muted").run()
    assert "Muted in study.toml: The pool of 2019." in html_of(test)
    name = kept(sound(muted={"FV999": "Nothing."}), "wrong")
    assert "study.toml mutes &#x27;FV999&#x27;" in html_of(first_run("overview.py", study=name, columns="CWEx"))


def test_figures_of_a_finding_are_marked_below_the_verdict_on_a_claim_and_show_opens_what_its_link_chooses() -> None:
    claim = Claim("CWEx(alpha=0.5)@10", "left", ("right",), "2026-11-01")
    name = kept(replace(CASES["label_coverage"]["triggers"]().study, claim=claim))
    test = first_run("overview.py", study=name, cutoff="5")
    shown = html_of(test)
    assert "left is fairer than right in CWEx(alpha=0.5)@10." in shown
    assert shown.index("All else is exploratory.") < shown.index("<b>Checks: ")
    (mark,) = [one for one in test.button if one.key == "overview_answer_marks"]
    assert mark.label == MARK
    assert "50 % are labelled in third" in mark.help.replace("\\", "")
    assert not [one for one in test.button if one.key == "overview_ties_marks"]  # a table without these measures
    other = first_run("tradeoff.py", study=name, cutoff="5")
    marked = [one for one in other.button if str(one.key).endswith("_marks")]
    marked[0].click().run()
    press(test, "Show")
    assert test.session_state["robustness_choices"] == ["unlabelled"]
    assert test.session_state["cutoff"] == 5


def test_a_slow_check_waits_for_a_press_and_runs_in_a_job() -> None:
    slow = replace(CHECKS["FV102"], slow=True)
    with only(CHECKS["FV101"], slow, CHECKS["FV103"]):
        test = first_run("overview.py", study=kept(CASES["label_coverage"]["triggers"]().study), columns="CWEx")
        assert "Checks: no finding" in html_of(test)
        assert "1 not run, 2 others" in [one.label for one in test.expander]
        assert "FV102 Are the lists of all systems labelled alike? It takes longer" in html_of(test)
        test = settled(press(test, "Run them"))
        assert "Checks: 1 issue" in html_of(test)
        assert "50 % are labelled in third" in html_of(test)


def test_what_was_found_before_other_settings_were_on_screen_is_not_shown_as_found_now() -> None:
    with only(LOOKED):
        test = first_run("overview.py", study=kept(CASES["looked"]["triggers"]().study), cutoff="3", columns="CWEx")
        test = settled(press(test, "Run them"))
        assert "1 other" in [one.label for one in test.expander]
        for cutoff in (2, 1, 3):
            test.select_slider(key="cutoff").set_value(cutoff).run()
        assert [one.cutoff for one in test.session_state["looked"]] == [3, 2, 1]
        assert "1 not run" in [one.label for one in test.expander]
        test = settled(press(test, "Run them"))
        assert "You looked at 3 settings of 1 measure" in html_of(test)


def test_checks_run_once_for_the_same_study_and_settings() -> None:
    runs = []
    counting = replace(CHECKS["FV102"], run=lambda context: runs.append(context.settings.cutoff))
    with only(counting):
        test = first_run("overview.py", study="football", cutoff="5", columns="CWEx")
        test.run()
        test.select_slider(key="cutoff").set_value(3).run()
        test.run()
    assert runs == [5, 3]
