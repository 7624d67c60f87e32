"""Settings: into the address and back, and addresses that hold nonsense."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fairviz
from fairviz.evaluation import exports
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import CHOICES, GROUPS, SHOWN_ONLY, Settings, from_query, to_query
from fairviz.measures import MEASURES
from fairviz.measures.gsr import DEPTHS, LIST_WEIGHTS
from fairviz.measures.sums import UNLABELLED
from fairviz.study.record import Study
from fairviz.study.tables import TIES
from fairviz.words.genderedness import DEBIASINGS
from fairviz.words.gsr_words import QUERY_TERMS
from fairviz.words.tokenizers import TOKENIZERS
from tests.conftest import refused
from tests.fresh import settings_drawn

NAMES = st.text(min_size=1, max_size=8)
EMBEDDINGS = ("glove", "google-news-subset", "mine")
ODD = {
    **dict.fromkeys(("study", "filter_column", "annotator", "query"), NAMES),
    "systems": st.lists(NAMES, max_size=3, unique=True).map(tuple),
    "filter_values": st.lists(NAMES, max_size=3).map(tuple),
    "custom_bias": st.lists(st.floats(1e-300, 1e300), min_size=1, max_size=4).map(tuple),
    "alpha": st.floats(0, 1),
    "stop_words": st.just("don't ZEBRA"),
}


@given(settings_drawn(EMBEDDINGS), st.fixed_dictionaries({}, optional=ODD))
def test_an_address_reproduces_the_settings(drawn: Settings, odd: dict[str, object]) -> None:
    """Every field as `tests.fresh` draws it, and names and numbers as odd as can be."""
    chosen = drawn.changed(**odd)
    assume(chosen.position_bias != "custom" or chosen.custom_bias)
    assert from_query(to_query(chosen), EMBEDDINGS) == (chosen, [])


def no_setting(name: str) -> str:
    return f"The address holds {name!r}, which is not a setting; it was ignored."


def test_an_address_holds_what_differs_and_of_thousands_of_wrong_parameters_five_are_told() -> None:
    assert to_query(Settings()) == {"study": ["newswire"]}
    asked = {"study": ["newswire"], "cutoff": ["20"], "systems": ["a", "b"]}
    assert to_query(Settings(cutoff=20, systems=("a", "b"))) == asked
    five = list(map(no_setting, ("colour0", "colour1", "colour2", "colour3", "colour4")))
    for count, rest in (
        (5, []),
        (6, ["1 more of what the address holds was ignored."]),
        (10_000, ["9,995 more of what the address holds were ignored."]),
    ):
        wrong = {f"colour{number}": ["red"] for number in range(count)}
        assert from_query(wrong | {"cutoff": ["7"]}) == (Settings(cutoff=7), [*five, *rest])


@pytest.mark.parametrize(
    ("name", "texts", "reason"),
    [
        ("cutoff", ["0"], "cutoff is 0"),
        ("cutoff", ["ten"], "not a number"),
        ("cutoff", ["1" * 30], f"cutoff is {'1' * 30}"),
        ("cutoff", ["1e9"], "not a number"),
        ("cutoff", ["1000000000"], "cutoff is 1000000000"),
        ("cutoff", ["9" * 100_000], "not a number"),
        ("alpha", ["1.5"], "alpha is 1.5"),
        ("alpha", ["nan"], "alpha is nan"),
        ("alpha", ["1e400"], "alpha is inf"),
        ("left_out", ["-1"], "left_out is -1"),
        ("gsr_depth", ["all"], "gsr_depth is 'all'"),
        ("query_terms", ["stem"], "query_terms is 'stem'"),
        ("list_weights", ["1/r"], "list_weights is '1/r'"),
        ("stop_words", [" "], "the stop list holds no word"),
        ("tau", ["-1"], "tau is -1"),
        ("tau", ["1e400"], "not a number"),
        ("position_bias", ["steep"], "unknown position bias 'steep'"),
        ("position_bias", ["x" * 100_000], f"unknown position bias '{'x' * 137}…"),
        ("effectiveness", ["nDCG@0"], "effectiveness is 'nDCG@0'"),
        ("effectiveness", ["Fairness"], "effectiveness is 'Fairness'"),
        ("background", ["run:"], "background is 'run:'"),
        ("lexicon", ["she"], "the lexicon part 'she' has no group"),
        ("custom_bias", ["a"], "not a number"),
        *(("custom_bias", [text, "1"], "custom_bias is not a list of weights of 0 or more")
          for text in ("nan", "inf", "-1", "1e400")),
        ("custom_bias", ["1"] * 1_000_000, "longer than 200,000 characters"),
        ("custom_bias", ["1"] * 1001, "custom_bias holds 1,001 weights"),
        ("word_lists", ["jobs", "<b>x"], "there is no word list '<b>x'"),
        ("document", ["x" * 200_001], "longer than 200,000 characters"),
        ("embedding", [""], "embedding is empty"),
        *(("embedding", [source], "no vectors of that name are here; the Data page adds some")
          for source in ("/etc/passwd", "../../vectors", "~root/a", "\\\\server\\share", "file:///a", "a\0",
                         "x" * 999)),
    ],
)  # fmt: skip
def test_a_value_that_a_setting_cannot_have_is_reported_in_one_line(name: str, texts: list[str], reason: str) -> None:
    text = ", ".join(texts[:80])[:80]
    line = f"The address sets {name} to {text!r} ({reason}); the default was used."
    settings, ignored = from_query({name: texts, "ties": ["trec_eval"]})
    assert settings == Settings(ties="trec_eval")
    assert [told[: len(line)] for told in ignored] == [line]


def test_nonsense_is_ignored_and_reported_in_one_line() -> None:
    for query, line in (
        *(({name: ["1"]}, no_setting(name[:80])) for name in ("colour", "y" * 1000, "\0\n")),
        ({"position_bias": ["custom"]},
         "The address sets position_bias to 'custom' without weights; the default was used."),
    ):  # fmt: skip
        assert from_query({**query, "ties": ["trec_eval"]}) == (Settings(ties="trec_eval"), [line])


def test_a_system_is_named_once(football: Study) -> None:
    told = "systems names 'left' twice\nName each system once."
    with refused(told):
        Settings(systems=("left", "right", "left"))
    with refused(told):
        fairviz.evaluate(football, "CWEx@4", systems=("left", "left"))
    line = "The address sets systems to 'left, left' (systems names 'left' twice); the default was used."
    assert from_query({"systems": ["left", "left"]}) == (Settings(), [f"{line} Name each system once."])


def test_alpha_may_be_all_of_its_range_and_no_more() -> None:
    """0 asks for equal exposure alone, 1 for neutrality alone: both ends of the slider."""
    for alpha in (0.0, 1.0):
        assert from_query({"alpha": [f"{alpha:g}"]}) == (Settings(alpha=alpha), [])
    for alpha in (-0.01, 1.01):
        with refused(f"alpha is {alpha:g}\nUse a number from 0 to 1."):
            Settings(alpha=alpha)
    with refused("cutoff is 0\nUse a whole number from 1 to 100,000."):
        Settings().changed(cutoff=0)


@pytest.mark.parametrize("text", ["-7", "9" * 9])
@pytest.mark.parametrize("name", [name for name in CHOICES if isinstance(getattr(Settings, name), int | float)])
def test_a_number_out_of_range_in_an_address_is_told_with_the_range(name: str, text: str) -> None:
    _, (line,) = from_query({name: [text]})
    assert re.search(r"the default was used\. Use a (whole )?number from \d+ to [\d,]+\.$", line), line


def test_the_values_of_a_choice_are_those_that_the_code_computes_with() -> None:
    computed = {
        "gsr_depth": DEPTHS,
        "list_weights": LIST_WEIGHTS,
        "unlabelled": UNLABELLED,
        "ties": TIES,
        "tokenizer": TOKENIZERS,
        "debias": DEBIASINGS,
        "query_terms": QUERY_TERMS,
    }
    for name, values in computed.items():
        assert tuple(CHOICES[name].texts) == tuple(values)
        with refused(f"{name} is 'other'\nUse one of {', '.join(values)}."):
            Settings(**{name: "other"})


EACH = [ask(measure, Settings()) for measure in (*MEASURES, "nDCG")]


def test_records_of_choices_say_who_reads_them() -> None:
    assert {"system", "query", "document", "debias", "left_out", "word_lists", "words", "against"} <= set(SHOWN_ONLY)
    assert not {name for name in CHOICES if any(map(CHOICES[name].is_read_by, EACH))} & set(SHOWN_ONLY)
    assert {
        *("systems", "filter_column", "filter_values", "tokenizer", "lexicon", "background", "ties", "voters"),
        *("corrected_by", "crossed_with", "unlabelled", "columns", "embedding", "pairs", "gsr_depth"),
    } <= set(exports.OTHERS)
    assert not {"cutoff", "alpha", "position_bias", "tau", "annotator", *SHOWN_ONLY} & set(exports.OTHERS)
    assert {one.group for one in CHOICES.values()} <= set(GROUPS)
    for one in CHOICES.values():
        assert one.default == getattr(Settings, one.name)
        assert not one.help or f"{one.name}: {one.help}." in str(Settings.__doc__)


@pytest.mark.parametrize(
    ("measure", "read"),
    [
        ("CWEx", {"position_bias", "custom_bias", "ties", "annotator", "voters", "unlabelled", "crossed_with"}),
        ("NFaiRR", {"position_bias", "custom_bias", "ties", "tokenizer", "lexicon", "unlabelled"}),
        ("nDCG", {"ties"}),
        ("GSR", {"ties", "embedding", "pairs", "gsr_depth"}),
    ],
)
def test_a_measure_reads_what_its_record_says(measure: str, read: set[str]) -> None:
    question = ask(measure, Settings())
    told = {
        *("position_bias", "custom_bias", "ties", "annotator", "voters", "unlabelled", "crossed_with", "tokenizer"),
        *("lexicon", "embedding", "pairs", "gsr_depth"),
        *("study", "systems", "cutoff", "alpha", "tau", "background", "columns", "effectiveness", "tests", "query"),
    }
    assert {name for name in told if CHOICES[name].is_read_by(question)} == read
