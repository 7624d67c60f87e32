"""Which measures a page asks for."""

import pandas as pd

import fairviz
from fairviz.evaluation import questions
from fairviz.evaluation.settings import Settings
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


def test_what_cannot_be_computed_is_not_replaced_by_something_else_that_cannot() -> None:
    assert questions.tradeoff(make_study("s", runs=RUN), Settings()).questions == ()
