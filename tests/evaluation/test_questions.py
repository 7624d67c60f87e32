"""Which measures a page asks for."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import fairviz
from fairviz.comparison.compare import compared_as
from fairviz.comparison.cube import cube
from fairviz.comparison.family import how_of
from fairviz.errors import UsageError
from fairviz.evaluation import questions
from fairviz.evaluation.settings import Settings
from fairviz.figures import differences, scatter
from fairviz.measures import grammar
from fairviz.study.study import make_study

RUN = pd.DataFrame([("s", "q", "d", 1, 1.0)], columns=["system", "query_id", "doc_id", "rank", "score"])
LABELS = pd.DataFrame([("d", "a", "male")], columns=["doc_id", "annotator", "label"])


def test_the_trade_off_is_about_three_measures() -> None:
    asked = questions.tradeoff(fairviz.open_study("football"), Settings(cutoff=4))
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


def test_scores_of_a_question_are_those_of_its_text() -> None:
    study, settings = fairviz.open_study("football"), Settings(cutoff=3, alpha=0.2)
    asked = questions.overview(study, settings).questions
    pd.testing.assert_frame_equal(
        fairviz.evaluate(study, asked, settings),
        fairviz.evaluate(study, [question.text for question in asked], Settings()),
    )
    (one,) = fairviz.evaluate(study, asked[0])["measure"].unique()
    assert one == "CWEx(alpha=0.2)@3"


@examples(max_examples=10, deadline=None)
@given(st.floats(0, 1), st.integers(1, 4))
def test_no_text_of_a_measure_is_parsed_twice_from_slider_to_figure(alpha: float, cutoff: int) -> None:
    """None at all until the scores are there: a Question travels to them, and its text from them on."""
    study, settings = fairviz.open_study("football"), Settings(alpha=alpha, cutoff=cutoff)
    texts: list[str] = []

    def noted(text: str) -> tuple[str, str, str]:
        texts.append(text)
        return split(text)

    split = grammar._split_text
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grammar, "_split_text", noted)
        grammar._read_text.cache_clear()
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
