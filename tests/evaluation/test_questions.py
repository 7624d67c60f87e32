"""Which measures a page asks for."""

import pandas as pd
import pytest

import fairviz
from fairviz.comparison.family import how_on_pages
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation import questions
from fairviz.evaluation.settings import Settings, from_query, to_query
from fairviz.output.report import report
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import labels_of, runs_of

RUN, LABELS = runs_of({"s": "d"}), labels_of({"d": "male"})


def test_the_trade_off_is_about_three_measures_or_those_that_the_study_can_feed(football: Study) -> None:
    settings = Settings(cutoff=4)
    assert questions.tradeoff(football, settings).texts == ("CWEx(alpha=0.5)@4", "NFaiRR(tau=1)@4", "TExFAIR@4")
    labelled = make_study("s", runs=RUN, labels=LABELS)
    asked = questions.tradeoff(labelled, settings)
    assert asked.texts == ("CWEx(alpha=0.5)@4", "AWRF@4", "AbsExposureGap@4")
    assert [name for name, _ in asked.missing] == ["NFaiRR", "TExFAIR"]
    assert questions.tradeoff(make_study("s", runs=RUN), settings).questions == ()
    asked = questions.overview(labelled, Settings(columns=("CWEx", "NFaiRR")))
    assert (asked.texts, [name for name, _ in asked.missing]) == (("CWEx(alpha=0.5)@10",), ["NFaiRR"])


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


def test_the_columns_of_the_overview_are_those_of_the_settings(football: Study) -> None:
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
