"""Which measures a page asks for."""

from functools import lru_cache

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import fairviz
from fairviz.comparison.compare import compared_as
from fairviz.comparison.cube import cube
from fairviz.comparison.family import how_of, how_on_pages
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation import questions
from fairviz.evaluation.settings import Settings, from_query, to_query
from fairviz.figures import differences, scatter
from fairviz.measures import grammar
from fairviz.output.report import report
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import labels_of, runs_of

RUN, LABELS = runs_of({"s": "d"}), labels_of({"d": "male"})


def test_the_trade_off_is_about_three_measures(football: Study) -> None:
    asked = questions.tradeoff(football, Settings(cutoff=4))
    assert asked.texts == ("CWEx(alpha=0.5)@4", "NFaiRR(tau=1)@4", "TExFAIR@4")


def test_where_only_labels_are_there_two_measures_of_labels_can_still_be_compared() -> None:
    asked = questions.tradeoff(make_study("s", runs=RUN, labels=LABELS), Settings(cutoff=4))
    assert asked.texts == ("CWEx(alpha=0.5)@4", "AWRF@4", "AbsExposureGap@4")
    assert [name for name, _ in asked.missing] == ["NFaiRR", "TExFAIR"]


def test_a_question_is_asked_as_it_is() -> None:
    question = questions.ask("NFaiRR", Settings(tau=2))
    assert questions.ask(question, Settings(cutoff=3, background="collection")) is question
    own = questions.ask("GSR", Settings(stop_words="the a"))
    with pytest.raises(UsageError, match="takes a stop list of your own, and there is none"):
        questions.ask(own, Settings())
    assert questions.questions_of(["CWEx", "CWEx(alpha=0.5)", question, question], Settings()) == [
        questions.ask("CWEx@10", Settings()),
        question,
    ]


def test_scores_of_a_question_are_those_of_its_text(football: Study) -> None:
    study, settings = football, Settings(cutoff=3, alpha=0.2)
    asked = questions.overview(study, settings).questions
    pd.testing.assert_frame_equal(
        fairviz.evaluate(study, asked, settings),
        fairviz.evaluate(study, [question.text for question in asked], Settings()),
    )
    (one,) = fairviz.evaluate(study, asked[0])["measure"].unique()
    assert one == "CWEx(alpha=0.2)@3"


@examples(max_examples=10)
@given(st.floats(0, 1), st.integers(1, 4))
def test_no_text_of_a_measure_is_parsed_twice_from_slider_to_figure(football: Study, alpha: float, cutoff: int) -> None:
    """None at all until the scores are there: a Question travels to them, and its text from them on."""
    study, settings = football, Settings(alpha=alpha, cutoff=cutoff)
    texts: list[str] = []

    def noted(text: str) -> object:
        texts.append(text)
        return read(text)

    read = grammar._read_text.__wrapped__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grammar, "_read_text", lru_cache(noted))
        asked = questions.overview(study, settings)
        scores = fairviz.evaluate(study, asked.questions, settings)
        cube(study, asked.questions, settings, "alpha")
        assert texts == [*(question.name for question in asked.questions[:-1]), settings.effectiveness]
        summary, found = fairviz.summarise(scores), compared_as(scores, how_of(study, settings))
        assert scatter.info(summary, asked.questions[-1], asked.questions[0]).points
        assert differences.info(found).panels
    assert len(texts) == len(set(texts))


def test_what_cannot_be_computed_is_not_replaced_by_something_else_that_cannot() -> None:
    assert questions.tradeoff(make_study("s", runs=RUN), Settings()).questions == ()


COLUMNS = ("CWEx(alpha=0.3)", "AWRF@2")


def test_the_columns_of_the_overview_are_those_of_the_settings(football: Study) -> None:
    chosen = Settings(study="football", cutoff=4, columns=COLUMNS)
    assert questions.overview(football, chosen).texts == ("CWEx(alpha=0.3)@4", "AWRF@2")
    assert questions.overview(football, chosen.reset("columns")) == questions.overview(football, Settings(cutoff=4))
    assert from_query(to_query(chosen)) == (chosen, [])
    assert "AWRF@2" in report(football, settings=chosen)
    assert "TExFAIR@4" not in report(football, settings=chosen)


def test_a_column_that_the_study_cannot_feed_is_missing() -> None:
    asked = questions.overview(make_study("s", runs=RUN, labels=LABELS), Settings(columns=("CWEx", "NFaiRR")))
    assert (asked.texts, [name for name, _ in asked.missing]) == (("CWEx(alpha=0.5)@10",), ["NFaiRR"])


def test_the_family_across_measures_is_that_of_the_columns(football: Study) -> None:
    study, settings = football, Settings(tests="maxT(family='measures')", columns=COLUMNS)
    assert how_on_pages(study, settings).chosen == ("CWEx(alpha=0.3)@10", "AWRF@2")
    assert how_on_pages(study, settings.reset("columns")).chosen == questions.overview(study, Settings()).texts


def test_columns_are_offered_as_they_are_written_and_else_by_name(football: Study) -> None:
    offered = questions.offered_columns(football, Settings())
    assert {"CWEx", "AWRF", "TED", "nDCG"} <= set(offered)
    assert "GSR" not in offered
    written = questions.offered_columns(football, Settings(columns=COLUMNS))
    assert set(COLUMNS) <= set(written)
    assert len(written) == len(offered)


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
