import numpy as np
import pandas as pd

from fairviz.comparison import finding as narrative
from fairviz.comparison.compare import comparison
from fairviz.evaluation.scores import summarise
from fairviz.measures import parse
from fairviz.words.sentences import plain

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


def told(scores, questions=QUESTIONS, **choices):
    """The sentence of a scores table."""
    return plain(narrative.disagreement(summarise(scores), questions, comparison(scores, **choices)))


def scores(**systems):
    """CWEx and NFaiRR of each query: a list a system, NFaiRR the same plus 1."""
    rows = [
        (system, f"q{place}", question.text, value + shift)
        for shift, question in ((0, CWEX), (1, NFAIRR))
        for system, values in systems.items()
        for place, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"])


WAVE = np.array([0, 3, 1, 2, 4, 0, 2, 1, 3, 0, 1, 2]) / 100
HIGH, MIDDLE, *LOWS = (base + np.roll(WAVE, n) for n, base in enumerate((0.3, 0.2, 0.1, 0.1, 0.1, 0.1)))
LOW = LOWS[0]
NEAR = HIGH + np.array([-0.051, 0.05] * 6)


def test_how_many_systems_are_hidden_is_the_last_sentence():
    table = scores(bm25=MIDDLE, bi=HIGH)
    assert told(table) + " 2 of 4 systems are hidden." == plain(
        narrative.disagreement(summarise(table), QUESTIONS, comparison(table), "2 of 4 systems are hidden")
    )


def test_who_is_ahead_and_who_does_not_differ():
    table = scores(bm25=MIDDLE, bi=HIGH, tfidf=NEAR, perfect=[1.0, 0.9] * 6)
    assert told(table) == (
        "bi is ahead of bm25 in CWEx (+0.100, p = .001) and in NFaiRR (+0.100, p = .001) and not significantly "
        "different from tfidf. Starred in CWEx and NFaiRR alike: bi and tfidf. Tests: all 3 pairs, maxT."
    )


def test_a_lead_that_is_not_significant_is_not_an_order():
    table = scores(a=HIGH, b=NEAR)
    assert told(table, tests="none(statistic='wilcoxon')") == (
        "a has the best mean in CWEx and NFaiRR and is not significantly different from b. Starred in CWEx and NFaiRR "
        "alike: a and b. Tests: 1 pair, Wilcoxon signed ranks, no correction."
    )


def test_measures_that_part():
    table = scores(a=HIGH, b=LOW)
    table.loc[table["measure"] == NFAIRR.text, "value"] *= -1
    assert told(table) == (
        "a is ahead of b in CWEx (+0.200, p < .001); b is ahead of a in NFaiRR (+0.200, p < .001). No system is "
        "starred in CWEx and NFaiRR alike. Tests: 1 pair, maxT."
    )


def test_many_systems_are_counted_and_leaders_are_named_among_them():
    table = scores(a=HIGH, **dict(zip("bcde", LOWS, strict=True)))
    nfairr = table["measure"] == NFAIRR.text
    table.loc[nfairr & (table["system"] == "b"), "value"] += 1
    assert "a is ahead of b and 3 more in CWEx (+0.200, p ≤ .004); b is ahead of a and 3 more in NFaiRR (" in told(
        table
    )


def test_too_few_common_queries_are_said():
    text = told(scores(a=HIGH, b=LOW, c=[np.nan] * 11 + [0.1]))
    assert text.startswith(
        "a is ahead of b in CWEx (+0.200, p < .001) and in NFaiRR (+0.200, p < .001), and is not tested against c "
        "(too few common queries). Starred in CWEx and NFaiRR alike: a. "
    )


def test_one_query_tests_nothing():
    assert told(scores(a=[0.1], b=[0.2])) == (
        "No difference is tested: a verdict needs 10 queries, and half of all, that two systems both answer."
    )


def test_one_system_compares_with_nothing():
    need = ": a second system is needed to see whether measures agree."
    assert told(scores(a=HIGH)) == f"Only a is shown{need}"
    assert told(scores(a=HIGH, random=LOW)) == f"Only a is shown beside the reference{need}"
    assert told(scores(a=HIGH, random=LOW, perfect=LOW)) == f"Only a is shown beside references{need}"
    assert told(scores(random=LOW)) == "Only references are shown: a system is needed to see how fair it is."


def test_no_fairness_measure_at_all():
    table = scores(a=[np.nan], b=[np.nan])
    assert told(table) == "No fairness measure has a value here: see below what is missing."


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


def test_a_licence_that_ends_a_sentence_has_one_full_stop():
    assert narrative.source_note("The rest: MIT.", "") == "Licence: The rest: MIT."
    assert narrative.source_note("MIT", "Somebody.") == "Licence: MIT. Cite: Somebody."
