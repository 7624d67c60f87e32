"""The text of the setting `tests`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.statistics import families
from fairviz.statistics.families import (
    FAMILIES,
    FORM,
    STATISTICS,
    STEPWISE,
    parse_tests,
)

NAMES = st.text(max_size=12).filter(lambda name: name.isprintable())
STEPS = st.builds(
    families.Tests, st.sampled_from(STEPWISE), st.sampled_from(list(STATISTICS)), st.sampled_from(list(FAMILIES)), NAMES
)
SIMULTANEOUS = st.builds(families.Tests, st.just("maxT"), st.just("t"), st.sampled_from(list(FAMILIES)), NAMES)
TUKEY = st.builds(families.Tests, st.just("tukey"), st.just("t"), st.just("pairs"), NAMES)


@given(st.one_of(STEPS, SIMULTANEOUS, TUKEY))
def test_every_text_reads_back(tests: families.Tests) -> None:
    assert parse_tests(tests.text) == tests


@pytest.mark.parametrize(
    ("text", "record"),
    [
        ("maxT", families.Tests()),
        (" maxT ", families.Tests()),
        ("maxT()", families.Tests()),
        ("holm(statistic='wilcoxon')", families.Tests("holm", "wilcoxon")),
        ('maxT(family="measures", baseline="bm25")', families.Tests("maxT", "t", "measures", "bm25")),
    ],
)
def test_texts_by_hand(text: str, record: families.Tests) -> None:
    assert parse_tests(text) == record


def test_which_intervals_hold_for_the_whole_family() -> None:
    texts = ("maxT", "tukey", "bonferroni", "bonferroni(statistic='wilcoxon')", "holm", "bh", "none")
    assert [parse_tests(text).simultaneous for text in texts] == [True] * 3 + [False] * 4


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        ("", "cannot read the tests ''", FORM),
        ("maxT(", "cannot read the tests 'maxT('", FORM),
        ("maxT('bm25')", "cannot read the tests \"maxT('bm25')\"", FORM),
        ("a.b", "cannot read the tests 'a.b'", FORM),
        ("maxT(baseline=3)", "cannot read the tests 'maxT(baseline=3)'", FORM),
        ("maxT(baseline=a b)", "cannot read the tests 'maxT(baseline=a b)'", FORM),
        ("maxT(level='5')", "the tests \"maxT(level='5')\" have no 'level'", "Use baseline, family, statistic."),
        ("tukey(family='measures')", "tukey compares means on one scale, and measures have several",
         "Use maxT(family='measures')."),
        ("sidak", "method of the tests is 'sidak'", "Use one of maxT, holm, bonferroni, bh, tukey, none."),
        ("holm(statistic='sign')", "statistic of the tests is 'sign'", "Use one of t, wilcoxon, randomisation."),
        ("maxT(family='all')", "family of the tests is 'all'", "Use one of pairs, measures."),
        ("maxT(statistic='wilcoxon')", "maxT has a statistic of its own, not 'wilcoxon'",
         "Use holm, bonferroni, bh, none with statistic='wilcoxon'."),
    ],
)  # fmt: skip
def test_texts_that_cannot_be(text: str, what: str, remedy: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_tests(text)
    assert (error.value.message, error.value.remedy) == (what, remedy)
