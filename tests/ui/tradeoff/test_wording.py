import pandas as pd

from fairviz.measures import parse
from fairviz.ui.kit.html import plain
from fairviz.ui.tradeoff import wording as narrative

QUESTIONS = [parse(text) for text in ("CWEx@10", "NFaiRR@10", "TExFAIR@10", "nDCG@10")]
CWEX, NFAIRR, TEXFAIR, NDCG = QUESTIONS


def summary(width=0.0, coverage=0.5, **systems):
    rows = [
        (system, question.text, value, value - width, value + width, coverage, 0)
        for question, place in zip(QUESTIONS, range(4), strict=True)
        for system, values in systems.items()
        if (value := values[place]) is not None
    ]
    return pd.DataFrame(rows, columns=["system", "measure", "value", "ci_low", "ci_high", "coverage", "undefined"])


def test_who_is_fairest_by_what_and_where_measures_part():
    table = summary(MiniLM=(0.3, 0.9, 0.1, 0.8), BM25=(0.2, 0.8, 0.3, 0.7), RRF=(0.1, 0.7, 0.2, 0.6))
    sentence = narrative.disagreement(table, QUESTIONS)
    assert plain(sentence) == (
        "MiniLM is fairest by CWEx and NFaiRR and the most effective; BM25 is fairest by TExFAIR; "
        "by TExFAIR MiniLM comes third of three."
    )
    assert [span.text for span in sentence if span.strong] == ["MiniLM", "BM25", "MiniLM"]


def test_all_measures_agree():
    table = summary(a=(0.3, 0.9, 0.9, 0.5), b=(0.2, 0.8, 0.3, 0.7))
    assert plain(narrative.disagreement(table, QUESTIONS)) == ("a is fairest by all measures; b is the most effective.")


def test_a_measure_that_ties_all_systems_tells_nothing():
    table = summary(left=(0.3, 0.0, 0.9, 0.5), right=(0.2, 0.0, 0.3, 0.5))
    assert plain(narrative.disagreement(table, QUESTIONS)) == (
        "left is fairest by CWEx and TExFAIR; NFaiRR cannot tell the systems apart."
    )


def test_overlapping_intervals_are_said():
    table = summary(width=0.06, a=(0.3, 0.9, 0.9, 0.5), b=(0.2, 0.1, 0.1, 0.5))
    assert plain(narrative.disagreement(table, QUESTIONS)).endswith(
        ". By CWEx the interval of the first overlaps that of another system."
    )
    table = summary(width=0.04, a=(0.3, 0.9, 0.9, 0.5), b=(0.2, 0.1, 0.1, 0.5))
    assert "overlaps" not in plain(narrative.disagreement(table, QUESTIONS))


def test_one_system_compares_with_nothing():
    assert plain(narrative.disagreement(summary(a=(0.3, 0.9, 0.9, 0.5)), QUESTIONS)) == (
        "Only a is shown: a second system is needed to see whether measures agree."
    )


def test_no_fairness_measure_at_all():
    table = summary(a=(None, None, None, 0.5), b=(None, None, None, 0.4))
    assert plain(narrative.disagreement(table, QUESTIONS)) == (
        "No fairness measure has a value here: see below what is missing."
    )


def test_undefined_rankings_are_counted():
    table = summary(a=(0.1, 0.2, 0.3, 0.4)).assign(undefined=[0, 1200, 0, 0])
    assert narrative.undefined_note(table, QUESTIONS) == (
        "NFaiRR is undefined for 1,200 rankings, which averages leave out: the ideal is 0, and 0/0 has no value, "
        "because no document of the background is neutral to any degree; another background, such as collection, may "
        "hold neutral ones."
    )
    once = narrative.undefined_note(table.assign(undefined=[1, 0, 0, 0]), QUESTIONS)
    assert once == (
        "CWEx is undefined for 1 ranking, which averages leave out: no document in the top k has a label, "
        "or the system lacks the query."
    )
    assert narrative.undefined_note(table.assign(undefined=0), QUESTIONS) == ""
