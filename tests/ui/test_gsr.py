"""The cards of GSR: how it counts, what debiasing does, how far it can be trusted, and the finding in sentences."""

import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.gsr_validity.direct import MEASURES, Reliability
from fairviz.analyses.gsr_validity.parity import Parity
from fairviz.comparison.family import How
from fairviz.errors import DataError
from fairviz.statistics.families import parse_tests
from fairviz.ui.gsr import cards as debiasing
from fairviz.ui.gsr import validity
from fairviz.ui.gsr import wording as stereotypes_text
from fairviz.ui.gsr.cards import differences, stop_words_text
from fairviz.words.sentences import plain
from tests.conftest import refused

PLAIN = {"query_terms": "exact", "list_weights": "equation", "stop_words": ""}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, []),
        ({"query_terms": "lemma"}, ["lemmas"]),
        ({"list_weights": "code", "stop_words": "The"}, ["the code's weights", "1 stop word from a file"]),
        (
            {"query_terms": "lemma", "list_weights": "code", "stop_words": "the of"},
            ["lemmas", "the code's weights", "2 stop words from a file"],
        ),
    ],
)
def test_what_differs_from_the_paper_is_told(changed: dict[str, str], told: list[str]) -> None:
    assert differences({**PLAIN, **changed}) == told


def test_a_file_becomes_its_words() -> None:
    assert stop_words_text("../stop.txt", b" the\nOf\n") == "the of"
    with refused("stop.txt:1: expected 1 word, found 2: 'the of'\nWrite one word a line, and nothing else.", DataError):
        stop_words_text("stop.txt", b"the of\n")


RANKED = pd.DataFrame(
    [
        ("perfect", "perfect", ""),
        ("w2v_add", "w2v_add", "none"),
        ("w2v_add-debias=regular", "w2v_add", "regular"),
        ("w2v_add-debias=strong", "w2v_add", "strong"),
    ],
    columns=["system", "ranker", "debias"],
).assign(**dict.fromkeys(MEASURES, 0.5))
LINES = pd.DataFrame({"system": ["perfect", "w2v_add", "w2v_add · regular"], "slope": [0.2, 0.4, 0.3]})


def test_gsr_and_its_change_stand_beside_effectiveness_of_variants_called_by_ranker_and_kind():
    assert debiasing.system_names(RANKED, "regular") == {
        "perfect": "perfect",
        "w2v_add": "w2v_add",
        "w2v_add-debias=regular": "w2v_add · regular",
    }
    table = debiasing.before_and_after(LINES, RANKED, "regular")
    assert table["system"].tolist() == ["perfect", "w2v_add", "w2v_add · regular"]
    assert table["GSR"].tolist() == [0.2, 0.4, 0.3]
    assert np.allclose(table["change"], [np.nan, np.nan, -0.25], equal_nan=True)  # a number, so that it sorts as one
    assert [debiasing.change_text(value) for value in table["change"]] == ["", "", "−25 %"]
    assert list(table.columns) == ["system", "GSR", "change", *MEASURES]


def test_the_sentence_says_what_debiasing_does():
    assert plain(debiasing.debiasing_finding(LINES, "regular")) == (
        "Regular debiasing takes w2v_add from 0.40 to 0.30 (−25 %)."
    )
    both = pd.concat([LINES, pd.DataFrame({"system": ["w2v_si", "w2v_si · regular"], "slope": [0.2, 0.3]})])
    assert plain(debiasing.debiasing_finding(both, "regular")) == (
        "Regular debiasing takes w2v_add from 0.40 to 0.30 (−25 %) and w2v_si from 0.20 to 0.30 (+50 %)."
    )
    assert debiasing.debiasing_finding(LINES, "none") == ()
    assert debiasing.debiasing_finding(LINES.assign(slope=np.nan), "regular") == ()


NAN = float("nan")
CALLED = ("glove", "mine.bin")
QUERIES = pd.DataFrame({"query_id": ["q1", "q2"], "first": [0.1, NAN], "second": [0.2, 0.3]})
SYSTEMS = pd.DataFrame({"system": ["one", "two"], "first": [0.3, 0.2], "second": [0.1, 0.4]})


def agreement(r=0.5, interval=(0.2, 0.7), systems=SYSTEMS, spearman=NAN, p=NAN):
    return Reliability(QUERIES, r, 0.01, systems, spearman, p, interval)


@pytest.mark.parametrize(
    ("r", "interval", "told"),
    [
        (0.5, (0.2, 0.7), "agree on 1 query: Pearson's r 0.50, 95 % interval 0.20 to 0.70."),
        (0.1, (-0.2, 0.4), "do not clearly agree on 1 query: Pearson's r 0.10, 95 % interval −0.20 to 0.40."),
        (-0.5, (-0.7, -0.2), "contradict each other on 1 query: Pearson's r −0.50, 95 % interval −0.70 to −0.20."),
        (0.9, (NAN, NAN), "have no tested agreement on 1 query: Pearson's r 0.90."),
    ],
)
def test_agreement_is_what_its_interval_allows(r, interval, told):
    ends = " The highest GSR has one by the first, two by the second."
    assert plain(validity.reliability(agreement(r, interval), CALLED)) == f"glove and mine.bin {told}{ends}"


def test_agreement_on_the_first_system_none_at_all_and_the_order_of_systems():
    same = SYSTEMS.assign(second=[0.5, 0.4])
    assert plain(validity.reliability(agreement(systems=same), CALLED)).endswith(" By both one has the highest GSR.")
    assert plain(validity.reliability(agreement(systems=SYSTEMS[:1]), CALLED)).endswith("0.20 to 0.70.")
    assert plain(validity.reliability(agreement(NAN), CALLED)) == (
        "glove and mine.bin cannot be compared: fewer than three common queries, or one never varies."
    )
    assert validity.spearman(agreement()) == "An order of systems needs 3 with different slopes by both; here are 2."
    known = validity.spearman(agreement(spearman=0.95, p=0.0004))
    assert known.startswith("Order of 2 systems: Spearman's ρ 0.95, p < .001. Slopes by different vectors")
    assert "ρ −0.50, p = .017." in validity.spearman(agreement(spearman=-0.5, p=0.0167))


def test_tables_name_the_vectors_by_their_folder_only_if_both_are_called_so():
    assert validity.names("glove", "/data/mine.bin") == CALLED
    assert validity.names("/a/mine.bin", "/b/mine.bin") == ("/a/mine.bin", "/b/mine.bin")
    table = validity.queries_table(QUERIES, {"q1": "who"}, CALLED)
    assert list(table.columns) == ["query_id", "text", "glove", "mine.bin"]
    assert table.loc[0].tolist() == ["q1", "who", 0.1, 0.2]
    systems = SYSTEMS.assign(first_low=[0.2, NAN], first_high=[0.4, NAN], second_low=0.0, second_high=0.5)
    systems.loc[1, "first"] = NAN
    shown = validity.systems_table(systems, CALLED)
    assert list(shown.columns[1:4]) == ["glove", "glove from", "glove to"]
    assert np.allclose(shown[["glove", "glove from", "glove to"]], [[0.3, 0.2, 0.4], [NAN] * 3], equal_nan=True)
    assert shown["mine.bin"].tolist() == [0.1, 0.4]


def leanings(female, male):
    rows = [("one", leaning, "female", *values) for leaning, values in (("female", female), ("male", male))]
    rows += [("one", leaning, "male", 0, 9, 0.0, 0.0, 0.1) for leaning in ("female", "male")]
    return pd.DataFrame(rows, columns=["system", "leaning", "over", "count", "queries", "share", "ci_low", "ci_high"])


@pytest.mark.parametrize(
    ("male", "verdict"),
    [
        ((1, 10, 0.1, 0.02, 0.4), "it follows the stereotype (Fisher's exact test, p = .017)"),
        ((5, 10, 0.5, 0.3, 0.7), "the two shares are not significantly different (Fisher's exact test, p = .705)"),
        ((10, 10, 1.0, 0.9, 1.0), "it goes against the stereotype (Fisher's exact test, p = .029)"),
    ],
)
def test_direct_stereotypes_are_what_a_test_allows(male, verdict):
    told = plain(validity.direct(leanings((12, 20, 0.6, 0.45, 0.8), male), "one"))
    assert told.startswith(
        "one over-represents female documents for 60 % (45 % to 80 %) of the 20 queries that lean female, and for "
    )
    assert told.endswith(f" of the 10 that lean male: {verdict}.")
    for one_sided in ("one", "two"):
        table = leanings((1, 2, 0.5, 0.1, 0.9), (0, 0, NAN, NAN, NAN))
        assert plain(validity.direct(table, one_sided)) == (
            "There are no queries on both sides of the vocabulary's mean."
        )


def test_parity_says_over_what():
    sample = pd.DataFrame({"gsr": [0.1, -0.2, 0.7], "stereotypical": [0.5, 0.5, 0.9]})
    found = Parity(0.849, 9, ("nurse", "maid"), ("driver",), sample)
    assert plain(validity.parity(found)) == (
        "On the paper's toy data GSR follows the share of stereotypical documents (r = 0.85 over 9 answers; paper "
        "0.92)."
    )
    note = validity.parity_note(found)
    assert "3^2 answers. r is exact over all of them. The figure shows 3, drawn at random with a fixed seed." in note
    assert "At equal shares GSR still runs from −0.20 to 0.10. Without a vector: driver." in note
    never = Parity(np.nan, 1, (), (), sample[:0])
    assert plain(validity.parity(never)).startswith("With these vectors, GSR or the share")
    assert "equal shares" not in validity.parity_note(never)


def lines(*rows):
    return pd.DataFrame(rows, columns=["system", "slope", "ci_low", "ci_high"])


def curves(**slopes):
    rows = [(system, number, slope) for system, row in slopes.items() for number, slope in enumerate(row)]
    return pd.DataFrame(rows, columns=["system", "left_out", "slope"])


POINTS = pd.DataFrame({"system": [], "query_id": [], "query": [], "list": []}).astype({"system": "str"})


def told(table, curve, left_out=0, shown=None, points=POINTS, how=How()):  # noqa: B008
    return plain(stereotypes_text.finding(table, points, curve, shown or tuple(table["system"]), left_out, how))


def points(*, noise=0.0, **slopes):
    """Ten queries; each system's list lies on its line, odd and even queries off it by the noise times its place."""
    query = [n / 10 for n in range(10)]
    rows = [
        (system, f"q{n}", x, slope * x + noise * place * (-1) ** n)
        for place, (system, slope) in enumerate(slopes.items())
        for n, x in enumerate(query)
    ]
    return pd.DataFrame(rows, columns=["system", "query_id", "query", "list"])


def test_a_slope_is_called_the_most_only_where_it_is_significantly_higher_than_all_others():
    table = lines(("a", 0.3, 0.2, 0.4), ("b", 0.1, 0.05, 0.25), ("random", 0.4, 0.1, 0.6))
    curve = curves(a=[0.3], b=[0.1], random=[0.4])
    text = told(table, curve, points=points(a=0.3, b=0.1, random=0.4, noise=0.001))
    assert text == (
        "Slope of the line = GSR. a reinforces most: slope 0.30. There is no slope of relevant documents to set it "
        "against. It is significantly different from the other system (p = .002; 1 pair, maxT)."
    )
    table = lines(("a", 0.3, 0.2, 0.4), ("b", 0.29, 0.05, 0.25), ("c", 0.1, 0.05, 0.15))
    text = told(table, curves(a=[0.3], b=[0.29], c=[0.1]), points=points(a=0.3, b=0.29, c=0.1, noise=0.02))
    assert text.startswith("Slope of the line = GSR. a has the highest slope: 0.30. ")
    assert text.endswith(" It is not significantly different from b (all 3 pairs, maxT).")


def test_a_draft_is_in_no_sentence_and_a_baseline_named_beforehand_alone_is_tested():
    table = lines(("a", 0.3, 0.2, 0.4), ("b", 0.1, 0.05, 0.25), ("c", 0.05, 0.01, 0.1), ("mine", 0.4, 0.3, 0.5))
    slopes = {"a": 0.3, "b": 0.1, "c": 0.05}
    curve = curves(**{name: [slope] for name, slope in (slopes | {"mine": 0.4}).items()})
    held = points(**slopes, mine=0.4, noise=0.001)
    draft = How(outside=("mine",))
    text = told(table, curve, points=held, how=draft)
    assert text == told(table[:3], curve, points=points(**slopes, noise=0.001))
    assert text.startswith("Slope of the line = GSR. a reinforces most: slope 0.30. ")
    ticked = told(table, curve, points=held, how=How(outside=("mine",), ticked=("mine",)))
    assert ticked.startswith("Slope of the line = GSR. mine reinforces most: slope 0.40. ")
    against = told(table, curve, points=held, how=How(parse_tests("maxT(baseline='b')"), outside=("mine",)))
    assert "a has the highest slope: 0.30" in against
    assert "It is significantly different from b (p" in against
    gone = told(table, curve, points=held, how=How(parse_tests("maxT(baseline='gone')"), outside=("mine",)))
    assert gone.endswith(" No difference of slopes is tested: the baseline of the tests, gone, is not shown.")


def test_the_steepest_system_is_set_against_the_relevant_documents():
    table = lines(("bm25", 0.1, 0.05, 0.15), ("w2v", 0.3, 0.2, 0.4), ("perfect", 0.12, 0.1, 0.14))
    curve = curves(bm25=[0.1] * 6, w2v=[0.3, 0.3, 0.3, 0.3, 0.3, 0.25], perfect=[0.12] * 5 + [0.1])
    assert told(table, curve) == (
        "Slope of the line = GSR. w2v has the highest slope: 0.30, 2.5 times that of the relevant documents themselves "
        "(dashed); without the five queries that are most gendered, 2.5 times."
    )
    of_shown = told(table, curves(bm25=[0.1], w2v=[0.3], perfect=[0.12]), shown=("bm25",))
    assert "bm25 is the only system: slope 0.10, 0.8 times" in of_shown, "the hidden perfect one is spoken of"
    near_0 = lines(("w2v", 0.3, 0.2, 0.4), ("perfect", 0.01, -0.1, 0.12))
    assert "times" not in told(near_0, curves(w2v=[0.3], perfect=[0.01]))


def test_without_a_perfect_system_slopes_are_told_as_they_are():
    table = lines(("bm25", 0.1, -0.05, 0.25), ("qlm", 0.05, 0.0, 0.1))
    assert told(table, curves(bm25=[0.1, 0.05, 0.04], qlm=[0.05] * 3)) == (
        "Slope of the line = GSR. bm25 has the highest slope: 0.10; without the 2 queries that are most gendered, "
        "0.04. There is no slope of relevant documents to set it against. Its interval holds 0."
    )
    table = lines(("w2v", 0.2, 0.1, 0.3), ("qlm", 0.1, 0.05, 0.15))
    assert told(table, curves(w2v=[0.3, 0.2], qlm=[0.1, 0.1]), 1) == (
        "Slope of the line = GSR. w2v has the highest slope: 0.20 without the most gendered query; with all, 0.30. "
        "There is no slope of relevant documents to set it against."
    )


def test_a_system_alone_is_not_called_the_most_and_a_slope_below_0_does_not_reinforce():
    assert "w2v is the only system: slope 0.30" in told(lines(("w2v", 0.3, 0.2, 0.4)), curves(w2v=[0.3]))
    assert "w2v does not reinforce: slope −0.30" in told(lines(("w2v", -0.3, -0.4, -0.2)), curves(w2v=[-0.3]))
    two = lines(("w2v", -0.3, -0.4, -0.2), ("qlm", -0.4, -0.5, -0.35))
    text = told(two, curves(w2v=[-0.3], qlm=[-0.4]))
    assert "w2v has the highest slope, and does not reinforce: slope −0.30" in text
    assert told(lines(("w2v", NAN, NAN, NAN)), curves(w2v=[NAN])) == stereotypes_text.NOTHING
    assert told(lines(("perfect", 0.2, 0.1, 0.3)), curves(perfect=[0.2])) == stereotypes_text.NOTHING


def test_numbers_have_true_signs_and_no_negative_zero():
    assert [stereotypes_text.number(value) for value in (-0.456, NAN)] == ["−0.46", "undefined"]
    assert stereotypes_text.interval(-0.1, 0.2) == "−0.10 to 0.20"
    assert stereotypes_text.interval(NAN, 0.2) == ""


def test_what_a_query_does_to_the_slope():
    rows = [("a", "q1", 0.25, -0.05), ("a", "q2", 0.31, 0.01), ("a", "q3", NAN, NAN), ("b", "q1", 0.1, 0.5)]
    held = pd.DataFrame(rows, columns=["system", "query_id", "without", "change"])
    text = stereotypes_text.query_influence(held, "a", "q2")
    assert text == "Without it the slope would be 0.310 instead of 0.300 (2nd of 3 queries by influence)."
    assert stereotypes_text.query_influence(held, "a", "q3") == ""
    assert stereotypes_text.query_influence(held, "a", "elsewhere") == ""
    assert stereotypes_text.most_influential(held, "a") == "q1"
    assert stereotypes_text.most_influential(held, "nobody") == ""
    ordinals = [stereotypes_text._ordinal(place) for place in (1, 2, 3, 4, 11, 12, 13, 21, 112)]
    assert ordinals == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th"]
