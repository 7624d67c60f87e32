import re

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
    """The finding of a scores table in words."""
    return " ".join(map(plain, narrative.finding(summarise(scores), questions, comparison(scores, **choices))))


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


def test_each_measure_has_a_line_and_the_tests_one():
    table = scores(bm25=MIDDLE, bi=HIGH, tfidf=NEAR, perfect=[1.0, 0.9] * 6)
    rest = "is ahead of bm25 (+0.100, p = .002); not significantly different from tfidf."
    assert told(table) == f"CWEx: bi {rest} NFaiRR: bi {rest} Tests: all 3 pairs, maxT."


def test_a_lead_that_is_not_significant_is_not_an_order():
    table = scores(a=HIGH, b=NEAR)
    rest = "a has the best mean; not significantly different from b."
    assert told(table, tests="none(statistic='wilcoxon')") == (
        f"CWEx: {rest} NFaiRR: {rest} Tests: 1 pair, Wilcoxon signed ranks, no correction."
    )


def test_measures_that_part():
    table = scores(a=HIGH, b=LOW)
    table.loc[table["measure"] == NFAIRR.text, "value"] *= -1
    assert told(table) == (
        "CWEx: a is ahead of b (+0.200, p < .001). NFaiRR: b is ahead of a (+0.200, p < .001). Tests: 1 pair, maxT."
    )


def test_many_systems_are_counted():
    table = scores(a=HIGH, **dict(zip("bcde", LOWS, strict=True)))
    assert re.match(r"CWEx: a is ahead of \w, \w, \w and 1 more \(\+0.200, p ≤ .019\)", told(table))


def test_a_system_with_too_few_common_queries_is_in_no_clause():
    text = told(scores(a=HIGH, b=LOW, c=[np.nan] * 11 + [0.1]))
    assert text.startswith("CWEx: a is ahead of b (+0.200, p < .001); not tested against c. NFaiRR: a is ahead of b (")


def test_one_query_tests_nothing():
    assert told(scores(a=[0.1], b=[0.2])).endswith(
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
    assert told(table).startswith("No fairness measure has a value here: see below what is missing.")


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
