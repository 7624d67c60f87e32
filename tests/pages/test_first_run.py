"""The first run of every page under AppTest, on both built-in studies; interactions are driven in a real browser."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from fairviz.ui.kit import jobs

ROOT = Path(__file__).parents[2]
PATIENCE = 600  # seconds for one run of a page, on a machine however busy
PAGES = sorted(path.name for path in (ROOT / "pages").glob("*.py"))


def framed(page):
    """A page inside its frame, as app.py runs it, but for the labelling page, which has none; without st.navigation,
    whose pages AppTest cannot choose between."""
    import contextlib
    import runpy

    from fairviz.ui.shell import frame

    with contextlib.nullcontext() if page.endswith("label.py") else frame.around():
        runpy.run_path(page)


def first_run(page, **query):
    test = AppTest.from_function(framed, args=(str(ROOT / "pages" / page),), default_timeout=PATIENCE)
    for name, value in query.items():
        test.query_params[name] = value
    return test.run()


def settled(test):
    """The page once all its jobs have ended."""
    for job in tuple(jobs._jobs().values()):
        job.wait()
    return test.run()


def html_of(test):
    return "\n".join(element.proto.body for element in test.get("html"))


def grid_of(test, key):
    """The values of the grid of this key, as the page shows them."""
    (found,) = [element.value for element in test.dataframe if element.key == key]
    return found


def numbers_of(test, key):
    """The numbers behind the button *Export* of the panel of this key."""
    (sheet,) = [block for block in test.main if isinstance(block, Block) and block.key == f"{key}_sheet"]
    (found,) = sheet.dataframe
    return found.value


@pytest.mark.parametrize("study", ["newswire", "football", "occupations"])
@pytest.mark.parametrize("page", PAGES)
def test_every_page_runs(page, study):
    test = first_run(page, study=study)
    assert not test.exception
    assert len(test.title) == 1
    assert "fv-error" not in html_of(test)


def test_the_app_opens_on_its_overview():
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()
    assert not test.exception
    assert test.title[0].value == "Newswire 2000\\-2001"
    assert "Do measures agree?" in test.markdown[0].value.replace("\\", "")
    assert test.selectbox(key="study").value == "newswire"


def test_the_address_sets_the_widgets():
    test = first_run(
        "overview.py",
        study="football",
        alpha="0.25",
        cutoff="3",
        position_bias="rbp(p=0.7)",
        tau="2",
        systems=["right"],
        unlabelled="strict",
    )
    assert test.slider(key="alpha").value == 0.25
    assert test.select_slider(key="cutoff").value == 3
    assert test.selectbox(key="position_bias").value == "rbp"
    assert test.slider(key="bias_parameter").value == 0.7
    assert test.number_input(key="tau").value == 2
    assert test.multiselect(key="systems").value == ["right"]
    assert test.selectbox(key="unlabelled").value == "strict"
    assert test.session_state["current"].settings.position_bias == "rbp(p=0.7)"


def test_what_the_address_gets_wrong_is_said_and_ignored():
    test = first_run("overview.py", systems=["right", "nobody"], colour="red", study="football", cutoff="0")
    assert not test.exception
    text = html_of(test)
    assert "The address holds &#x27;colour&#x27;, which is not a setting; it was ignored." in text
    assert "The address sets cutoff to &#x27;0&#x27;" in text
    assert "The address sets systems to &#x27;nobody&#x27;, not in this study; it was ignored." in text
    assert test.session_state["current"].settings.systems == ("right",)
    assert test.session_state["current"].settings.cutoff == 10


def test_a_study_that_is_not_here_is_replaced_and_that_is_said():
    test = first_run("overview.py", study="no-such-study")
    assert not test.exception
    assert "The study &#x27;no-such-study&#x27; is not here; newswire is shown." in html_of(test)
    assert test.session_state["current"].study.name == "newswire"


def test_the_address_keeps_the_study_and_what_differs_from_the_defaults():
    test = first_run("overview.py", alpha="0.25", cutoff="10")
    assert dict(test.query_params) == {"study": "newswire", "alpha": "0.25"}


def test_undefined_values_are_shown_as_such_and_counted():
    text = html_of(first_run("overview.py", study="football", background="candidates"))
    assert "NFaiRR is undefined for 2 rankings, which averages leave out: the ideal is 0, and 0/0 has no value" in text
    assert "NFaiRR is undefined" not in html_of(first_run("overview.py", study="football", background="collection"))


def test_figures_of_the_trade_off_page_hold_every_system():
    for tab in ("Differences", "Over α or k", "Ranks", "Chance and range"):
        test = first_run("tradeoff.py", study="occupations", tradeoff_tab=tab)
        figures = [element.proto.spec for element in test.get("plotly_chart")]
        order, *cards = [figure for figure in figures if "tozeroy" not in figure]  # all but that of the sidebar
        assert len(cards) == 3
        assert all('"title"' in figure for figure in cards)
        if tab == "Differences":
            differences = cards.pop()
            assert re.search(r'"ticktext": ?\["N", ?"S", ?"CS"\]', differences)  # by CWEx, the fairest first
        for figure in (order, *cards):
            assert all(re.search(f'"name": ?"{system}"', figure) for system in ("S", "N", "CS"))


def test_what_is_odd_in_a_study_is_counted_with_its_remedy():
    test = first_run("data.py", study="football")
    frames = [element.value for element in test.dataframe]
    odd = next(frame for frame in frames if "remedy" in frame.columns)
    assert odd[["part", "item", "count"]].to_numpy().tolist() == [["labels", "for documents in no run", 4]]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (
            {"filter_column": "query_id", "filter_values": ["nobody"]},
            "filter_values to &#x27;nobody&#x27;, not in this",
        ),
        ({"lexicon": "aliens:zorg;female:she"}, "lexicon to &#x27;aliens&#x27;, not in this study; it was ignored."),
        ({"lexicon": "female:<script>"}, ""),
        ({"study": "x" * 9000}, f"The study &#x27;{'x' * 80}&#x27; is not here; newswire is shown."),
        ({"study": "/etc"}, "The study &#x27;/etc&#x27; is not here; newswire is shown."),
        ({"study": "../../etc"}, "The study &#x27;../../etc&#x27; is not here; newswire is shown."),
        ({"study": "ir_datasets:vaswani"}, "The study &#x27;ir_datasets:vaswani&#x27; is not here; newswire is shown."),
        ({"words": "x" * 9000}, ""),
        ({f"colour{number}": "red" for number in range(900)}, "895 more of what the address holds were ignored."),
        (
            {f"colour{number}": "red" for number in range(1001)},
            "The address holds more than 1,000 settings or 524,288 characters; none of it was used.",
        ),
        ({"document": "x" * 600_000}, "The address holds more than 1,000 settings or 524,288 characters;"),
    ],
)
def test_what_an_address_asks_for_in_vain_is_a_line_each(query, told):
    test = first_run("overview.py", **query)
    assert not test.exception
    text = html_of(test)
    assert told in text
    assert ("fv-warning" in text) == bool(told)
    assert "<script>" not in text


def test_a_word_of_thousands_of_letters_is_no_word():
    test = AppTest.from_function(bounded, args=(str(ROOT / "pages" / "words.py"),), default_timeout=30)
    test.query_params["words"] = "x" * 9000
    text = html_of(test.run())
    assert "a word of 9,000 characters is too long" in text
    assert "xxx" not in text


def bounded(page):
    """A page as app.py runs it, errors told."""
    import runpy

    from fairviz.ui.kit.boundary import boundary
    from fairviz.ui.shell import frame

    with boundary(), frame.around():
        runpy.run_path(page)
