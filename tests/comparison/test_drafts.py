"""Drafts, edited lists and references are shown and change no verdict, star or sentence of the others until ticked."""

import numpy as np
import pandas as pd
import pytest

from fairviz.comparison import finding, ranking_sentences
from fairviz.comparison.compare import by_query, compared_as, starred
from fairviz.comparison.family import How
from fairviz.comparison.ranking_sentences import family_text
from fairviz.evaluation.scores import summarise
from fairviz.measures import parse
from fairviz.statistics.families import parse_tests
from fairviz.words.sentences import plain
from tests.made import scores_of

CWEX, NFAIRR = "CWEx(alpha=0.5)@10", "NFaiRR(tau=1)@10"
QUESTIONS = tuple(parse(text) for text in (CWEX, NFAIRR))
WAVE = np.sin(np.arange(20)) / 20
VALUES = {"a": 0.5 + WAVE, "b": 0.49 - WAVE, "c": 0.1 + WAVE[::-1]}
DRAFT = {"mine": 0.9 - WAVE}
DRAFTS = How(outside=("mine",))


def scores(values: dict[str, np.ndarray]) -> pd.DataFrame:
    return pd.concat([scores_of(text, values) for text in (CWEX, NFAIRR)]).assign(labelled=10, places=10)


def told(values: dict[str, np.ndarray], how: How) -> str:
    """The sentence, and the notes below a table."""
    table = scores(values)
    found = compared_as(table, how)
    sentences = [plain(line) for line in finding.finding(summarise(table), QUESTIONS, found)]
    return "\n".join([*sentences, ranking_sentences.stars_note(found), family_text(found)])


def test_a_draft_changes_no_sentence_star_or_note_until_it_is_ticked() -> None:
    assert told(VALUES | DRAFT, DRAFTS) == told(VALUES, How())
    assert starred(compared_as(scores(VALUES | DRAFT), DRAFTS)) == starred(compared_as(scores(VALUES), How()))
    ticked = told(VALUES | DRAFT, How(outside=("mine",), ticked=("mine",)))
    assert ticked.startswith("CWEx: mine is ahead of a, b, c (+0.4")
    assert ticked.endswith("all 6 pairs, maxT")


def test_what_is_not_tested_is_named_once_and_never_among_the_two_best() -> None:
    found = compared_as(scores(VALUES | DRAFT | {"a, edited": 0.3 + WAVE, "random": WAVE}), DRAFTS)
    assert ranking_sentences.outside_note(found) == "Not tested: mine and a, edited."
    assert [found.how.labelled(name) for name in ("a", "mine", "a, edited", "random")] == [
        "a", "mine (not tested)", "a, edited (not tested)", "random (reference)",
    ]  # fmt: skip
    assert ranking_sentences.outside_note(compared_as(scores(VALUES), How())) == ""
    table = scores(VALUES | DRAFT | {"a, edited": 0.95 + WAVE})
    assert tuple(by_query(table, among=("a", "b", "c"))[["baseline", "system"]].iloc[0]) == ("a", "b")
    assert tuple(by_query(table)[["baseline", "system"]].iloc[0]) == ("mine", "a")  # edited lists never


@pytest.mark.parametrize(
    ("tests", "how", "why"),
    [
        ("maxT(baseline='z')", {}, "the baseline of the tests, z, is not shown"),
        ("maxT(baseline='mine')", {"outside": ("mine",)}, "the baseline of the tests, mine, is not in the family"),
        ("maxT", {"outside": ("a", "b", "c", "mine")}, "fewer than two of the systems shown are in the family"),
    ],
)
def test_where_nothing_is_tested_one_line_says_why(tests: str, how: dict, why: str) -> None:
    text = told(VALUES | DRAFT, How(parse_tests(tests), **how))
    assert f"\nNo difference is tested: {why}.\n" in text
    assert text.endswith(f"no pair was tested, as {why}")


@pytest.mark.parametrize("method", ["maxT", "holm", "bonferroni", "bh", "tukey", "none"])
def test_with_too_few_queries_that_is_the_reason(method: str) -> None:
    few = {name: held[:5] for name, held in VALUES.items()}
    why = "a verdict needs 10 queries, and half of all, that two systems both answer"
    assert told(few, How(parse_tests(method))).splitlines() == [
        "CWEx: a has the best mean, 0.511; not tested: too few queries.",
        "NFaiRR: a has the best mean, 0.511; not tested: too few queries.",
        f"No difference is tested: {why}.", f"No system is starred: {why}.", f"no pair was tested, as {why}",
    ]  # fmt: skip
    assert not any(starred(compared_as(scores(few), How(parse_tests(method)))).values())


def test_a_baseline_named_beforehand_is_whom_the_sentence_is_about_and_stars_nobody_but_where_it_is_best() -> None:
    against_c = How(parse_tests("maxT(baseline='c')"))
    sentence, _, tests, note, family = told(VALUES, against_c).splitlines()
    assert sentence.startswith("CWEx: c is behind a, b (")
    assert tests == "Tests: 2 pairs with c, maxT."
    assert note == "★ only where c is the best: no pair without it is tested."
    assert family == "2 pairs with c, maxT"
    assert not any(starred(compared_as(scores(VALUES), against_c)).values())
    best = compared_as(scores(VALUES), How(parse_tests("maxT(baseline='a')")))
    assert starred(best)[CWEX] == {"a", "b"}


def test_verdicts_that_rest_on_fewer_queries_are_counted() -> None:
    few = np.where(np.arange(20) < 15, 0.1 + WAVE, np.nan)
    found = compared_as(scores(VALUES | {"d": few}), How())
    assert ranking_sentences.warned_note(found) == ("2 of 6 differences are based on fewer queries than selected.")
    assert ranking_sentences.warned_note(compared_as(scores(VALUES), How())) == ""
