"""Settings, into the address and back, and addresses that hold nonsense; which measures a page asks for, whose labels
stand behind a figure, and how many places have one."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import fairviz
from fairviz.annotation.voters import votes_of
from fairviz.comparison.family import how_on_pages
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation import exports, questions
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import CHOICES, GROUPS, SHOWN_ONLY, Settings, from_query, to_query
from fairviz.evaluation.study_facts import disagreement_text, labels_note, speakers, told_voters, unused_people_labels
from fairviz.measures import MEASURES
from fairviz.measures.gsr import DEPTHS, LIST_WEIGHTS
from fairviz.measures.sums import UNLABELLED
from fairviz.output.report import report
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels, make_study, with_kinds
from fairviz.study.tables import TIES
from fairviz.words.genderedness import DEBIASINGS
from fairviz.words.gsr_words import QUERY_TERMS
from fairviz.words.tokenizers import TOKENIZERS
from tests.conftest import refused
from tests.fresh import settings_drawn
from tests.made import labels_of, runs_of

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


def test_an_address_holds_what_differs_and_nonsense_is_ignored_and_told_in_a_few_lines() -> None:
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
    for query, line in (
        *(({name: ["1"]}, no_setting(name[:80])) for name in ("colour", "y" * 1000, "\0\n")),
        ({"position_bias": ["custom"]},
         "The address sets position_bias to 'custom' without weights; the default was used."),
    ):  # fmt: skip
        assert from_query({**query, "ties": ["trec_eval"]}) == (Settings(ties="trec_eval"), [line])


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


def test_a_system_is_named_once_and_alpha_may_be_all_of_its_range(football: Study) -> None:
    told = "systems names 'left' twice\nName each system once."
    with refused(told):
        Settings(systems=("left", "right", "left"))
    with refused(told):
        fairviz.evaluate(football, "CWEx@4", systems=("left", "left"))
    line = "The address sets systems to 'left, left' (systems names 'left' twice); the default was used."
    assert from_query({"systems": ["left", "left"]}) == (Settings(), [f"{line} Name each system once."])
    # 0 asks for equal exposure alone, 1 for neutrality alone: both ends of the slider.
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


def test_choices_have_the_values_that_the_code_computes_with_and_say_who_reads_them() -> None:
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


EACH = [ask(measure, Settings()) for measure in (*MEASURES, "nDCG")]


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


RUN, LABELS = runs_of({"s": "d"}), labels_of({"d": "male"})


def test_pages_ask_for_the_measures_that_a_study_can_feed_and_those_of_the_settings(football: Study) -> None:
    settings = Settings(cutoff=4)
    assert questions.tradeoff(football, settings).texts == ("CWEx(alpha=0.5)@4", "NFaiRR(tau=1)@4", "TExFAIR@4")
    labelled = make_study("s", runs=RUN, labels=LABELS)
    asked = questions.tradeoff(labelled, settings)
    assert asked.texts == ("CWEx(alpha=0.5)@4", "AWRF@4", "AbsExposureGap@4")
    assert [name for name, _ in asked.missing] == ["NFaiRR", "TExFAIR"]
    assert questions.tradeoff(make_study("s", runs=RUN), settings).questions == ()
    asked = questions.overview(labelled, Settings(columns=("CWEx", "NFaiRR")))
    assert (asked.texts, [name for name, _ in asked.missing]) == (("CWEx(alpha=0.5)@10",), ["NFaiRR"])
    # Offered as they are written, and else by name.
    chosen = Settings(study="football", cutoff=4, columns=COLUMNS)
    assert questions.overview(football, chosen).texts == ("CWEx(alpha=0.3)@4", "AWRF@2")
    assert questions.overview(football, chosen.reset("columns")) == questions.overview(football, Settings(cutoff=4))
    assert from_query(to_query(chosen)) == (chosen, [])
    page = report(football, settings=chosen)
    assert "AWRF@2" in page
    assert "TExFAIR@4" not in page
    across = Settings(tests="maxT(family='measures')", columns=COLUMNS)
    assert how_on_pages(football, across).chosen == ("CWEx(alpha=0.3)@10", "AWRF@2")
    assert how_on_pages(football, across.reset("columns")).chosen == questions.overview(football, Settings()).texts
    offered, written = (questions.offered_columns(football, one) for one in (Settings(), chosen))
    assert {"CWEx", "AWRF", "TED", "nDCG"} <= set(offered)
    assert "GSR" not in offered
    assert set(COLUMNS) <= set(written)
    assert len(written) == len(offered)


def test_questions_are_asked_as_they_are_and_scored_as_their_text(football: Study) -> None:
    question = questions.ask("NFaiRR", Settings(tau=2))
    assert questions.ask(question, Settings(cutoff=3, background="collection")) is question
    own = questions.ask("GSR", Settings(stop_words="the a"))
    with pytest.raises(UsageError, match="takes a stop list of your own, and there is none"):
        questions.ask(own, Settings())
    assert questions.questions_of(["CWEx", "CWEx(alpha=0.5)", question, question], Settings()) == [
        questions.ask("CWEx@10", Settings()),
        question,
    ]
    study, settings = football, Settings(cutoff=3, alpha=0.2)
    asked = questions.overview(study, settings).questions
    pd.testing.assert_frame_equal(
        fairviz.evaluate(study, asked, settings),
        fairviz.evaluate(study, [question.text for question in asked], Settings()),
    )
    (one,) = fairviz.evaluate(study, asked[0])["measure"].unique()
    assert one == "CWEx(alpha=0.2)@3"


COLUMNS = ("CWEx(alpha=0.3)", "AWRF@2")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("Foo",), "unknown measure 'Foo'"),
        (("CWEx", "CWEx(alpha=2)"), "alpha in 'CWEx(alpha=2)' is 2"),
        (("CWEx", "CWEx(alpha=0.3)"), "columns names CWEx twice"),
        (("GSR",), "GSR has no value for one query"),
        (("CWEx",) * 51, "columns holds 51 measures"),
    ],
)
def test_an_invalid_column_is_refused_and_ignored_in_a_link(columns: tuple[str, ...], message: str) -> None:
    with pytest.raises(FairvizError) as error:
        Settings(columns=columns)
    assert error.value.message == message
    settings, ignored = from_query({"columns": list(columns)})
    shown = ", ".join(columns)[:80]
    assert settings == Settings()
    assert ignored[0].startswith(f"The address sets columns to {shown!r} ({message}); the default was used. ")


# --- whose labels, and of how many places


def study_of(*names: str, **kinds: str) -> Study:
    labels = [("d", name, "male") for name in (*names, *kinds)]
    made = make_study("made-up", labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label"], dtype="str"))
    named = {name: Annotator(name, kind) for name, kind in kinds.items()}  # type: ignore[arg-type]
    return replace(made, annotators={**made.annotators, **named})


@pytest.mark.parametrize(
    ("study", "annotator", "told"),
    [
        (study_of(gold="person"), "gold", "gold (people)"),
        (study_of(project="mixed"), "project", "project (model with a reader)"),
        (study_of(gpt="model"), "gpt", "gpt (language model)"),
        (study_of(words="rule"), "words", "words (rule)"),
        (study_of("somebody"), "somebody", "somebody (kind not named)"),
        (study_of(a="person", b="person"), "majority", "majority of a and b (people)"),
        (study_of(a="person", b="mixed", c="rule"), "dawid-skene", "dawid-skene of a (people)"),
        (study_of("a", b="mixed", c="rule"), "dawid-skene",
         "dawid-skene of a and b (kind not named, model with a reader)"),
        (study_of(m="model", n="model", c="rule"), "majority", "majority of m and n (language model)"),
        (study_of(a="person", b="person", c="person", d="person"), "majority", "majority of 4 annotators (people)"),
        (study_of("adjudicated", a="person"), "adjudicated", "adjudicated (a reader's decisions), else a (people)"),
        (study_of("adjudicated"), "adjudicated", "adjudicated (a reader's decisions)"),
        (study_of("adjudicated"), "majority", "majority of nobody"),
        (study_of("majority"), "majority", "majority (kind not named)"),
        (study_of(), "", ""),
    ],
)  # fmt: skip
def test_who_speaks(study: Study, annotator: str, told: str) -> None:
    assert speakers(study, annotator) == told


def test_a_count_of_disagreement_names_who_votes() -> None:
    said = {"anna": "mmf", "ben": "mff", "cleo": "mf-"}
    rows = [(f"d{n}", who, label) for who, labels in said.items() for n, label in enumerate(labels) if label != "-"]
    rows += [(f"e{n}", name, "n") for n, name in enumerate(("gpt", "other"))]
    made = make_study("made-up", labels=pd.DataFrame(rows, columns=["doc_id", "annotator", "label"], dtype="str"))
    study = with_kinds(made, dict.fromkeys(said, "human") | {"gpt": "model"})

    def told(*voters: str) -> str:
        return disagreement_text(votes_of(study, voters))

    assert told() == "anna, ben and cleo disagree on 1 of 3 documents"
    assert told("all") == "5 annotators disagree on 1 of 3 documents"
    assert told("gpt", "anna") == "gpt and anna labelled no document in common"
    assert told("ben") == "only ben votes, and one annotator cannot disagree"
    assert unused_people_labels(study, Settings()) == 0, "the majority is of all people"
    assert unused_people_labels(study, Settings(annotator="anna")) == 5
    assert unused_people_labels(study, Settings(annotator="gpt")) == 8
    assert unused_people_labels(study, Settings(voters=("anna", "ben"))) == 2
    study = study_of(a="person", b="person", c="rule")
    assert speakers(study, "majority", ["a", "c"]) == "majority of a and c (people, rule)"
    assert told_voters(study, ["a", "b", "c"]) == "a, b and c (people, rule)"


def noted(study: Study, **choices: object) -> str:
    settings = Settings().changed(**choices)
    return labels_note(study, settings, fairviz.evaluate(study, ["CWEx", "Exposure(group='male')"], settings))


def test_how_many_ranks_are_labelled_whose_and_in_which_systems_least_and_most(
    newswire: Study, football: Study
) -> None:
    assert noted(newswire, systems=("random",)) == ("400 of 400 ranks labelled: project (model with a reader).")
    assert (
        noted(newswire, systems=("random", "w2v_add"), annotator="lexicon")
        == "400 of 400 ranks labelled: lexicon (rule)."
    )
    assert noted(newswire, systems=("random",), annotator="majority", cutoff=5) == (
        "200 of 200 ranks labelled: majority of project (model with a reader)."
    )
    study = add_labels(football, pd.DataFrame({"doc_id": ["m1"], "annotator": ["gpt"], "label": ["male"]}))
    told = noted(study, annotator="gpt", systems=("right",), cutoff=1)
    assert told.startswith("1 of 1 ranks labelled: gpt (kind not named).")
    of_words = fairviz.evaluate(football, ["TExFAIR@4"])
    assert labels_note(football, Settings(), of_words) == "", "measures of words have no labels to speak of"
    for systems, told in (
        ({"one": "x z", "two": "x y", "three": "w z"}, "0 (three) to 2 (two) of 2 ranks"),
        ({"one": "x z", "two": "x y z"}, "1 of 2 (one) to 2 of 3 (two) ranks"),
        ({"one": "x", "two": "x y"}, "all ranks (1 to 2 per system)"),
    ):
        assert noted(lists(["x", "y"], **systems)).startswith(f"{told} labelled: a (people). No label")
    long = lists(["x"], one=["x", *(f"d{number}" for number in range(1169))])
    assert noted(long, cutoff=2000).startswith("1 of 1,170 ranks labelled: a (people).")
    study = lists(["x"], one=["x", "z"])  # two cutoffs differ by their ranks
    told = labels_note(study, Settings(), fairviz.evaluate(study, ["CWEx@1", "CWEx@2"]))
    assert told.startswith("1 of 2 (one) to 1 of 1 (one) ranks labelled: a (people).")


def lists(labels: list[str], **systems: list[str]) -> Study:
    people = {"a": Annotator("a", "person")}
    labels = labels_of(dict.fromkeys(labels, "male"), "a")
    return make_study("lists", runs=runs_of(systems), labels=labels, annotators=people)
