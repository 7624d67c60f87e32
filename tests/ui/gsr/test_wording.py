import numpy as np
import pandas as pd

from fairviz.comparison.family import How
from fairviz.statistics.families import parse_tests
from fairviz.ui.gsr import wording as stereotypes_text
from fairviz.words.sentences import plain

NAN = float("nan")
HOW = How()


def lines(*rows):
    return pd.DataFrame(rows, columns=["system", "slope", "ci_low", "ci_high"])


def curves(**slopes):
    rows = [(system, number, slope) for system, row in slopes.items() for number, slope in enumerate(row)]
    return pd.DataFrame(rows, columns=["system", "left_out", "slope"])


POINTS = pd.DataFrame({"system": [], "query_id": [], "query": [], "list": []}).astype({"system": "str"})


def told(table, curve, left_out=0, shown=None, points=POINTS, how=HOW):
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


def test_a_slope_is_called_the_most_where_it_is_significantly_higher_than_all_others():
    table = lines(("a", 0.3, 0.2, 0.4), ("b", 0.1, 0.05, 0.25), ("random", 0.4, 0.1, 0.6))
    curve = curves(a=[0.3], b=[0.1], random=[0.4])
    text = told(table, curve, points=points(a=0.3, b=0.1, random=0.4, noise=0.001))
    assert text == (
        "Slope of the line = GSR. a reinforces most: slope 0.30. There is no slope of relevant documents to set it "
        "against. It is significantly different from the other system (p = .002; 1 pair, maxT)."
    )


def test_a_slope_that_is_not_significantly_higher_is_only_the_highest():
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


def test_without_a_perfect_system_slopes_are_told_as_they_are():
    table = lines(("bm25", 0.1, -0.05, 0.25), ("qlm", 0.05, 0.0, 0.1))
    assert told(table, curves(bm25=[0.1, 0.05, 0.04], qlm=[0.05] * 3)) == (
        "Slope of the line = GSR. bm25 has the highest slope: 0.10; without the 2 queries that are most gendered, "
        "0.04. There is no slope of relevant documents to set it against. Its interval holds 0."
    )


def test_a_perfect_slope_that_may_be_0_is_not_divided_by():
    table = lines(("w2v", 0.3, 0.2, 0.4), ("perfect", 0.01, -0.1, 0.12))
    assert "times" not in told(table, curves(w2v=[0.3], perfect=[0.01]))


def test_with_queries_left_out_the_whole_is_told_beside():
    table = lines(("w2v", 0.2, 0.1, 0.3), ("qlm", 0.1, 0.05, 0.15))
    curve = curves(w2v=[0.3, 0.2], qlm=[0.1, 0.1])
    assert told(table, curve, 1) == (
        "Slope of the line = GSR. w2v has the highest slope: 0.20 without the most gendered query; with all, 0.30. "
        "There is no slope of relevant documents to set it against."
    )


def test_a_system_alone_is_not_called_the_most():
    assert "w2v is the only system: slope 0.30" in told(lines(("w2v", 0.3, 0.2, 0.4)), curves(w2v=[0.3]))


def test_a_slope_below_0_does_not_reinforce():
    assert "w2v does not reinforce: slope −0.30" in told(lines(("w2v", -0.3, -0.4, -0.2)), curves(w2v=[-0.3]))
    two = lines(("w2v", -0.3, -0.4, -0.2), ("qlm", -0.4, -0.5, -0.35))
    text = told(two, curves(w2v=[-0.3], qlm=[-0.4]))
    assert "w2v has the highest slope, and does not reinforce: slope −0.30" in text


def test_hidden_systems_are_not_spoken_of_but_for_the_perfect_one():
    table = lines(("bm25", 0.24, 0.2, 0.3), ("w2v", 0.3, 0.2, 0.4), ("perfect", 0.12, 0.1, 0.14))
    text = told(table, curves(bm25=[0.24], w2v=[0.3], perfect=[0.12]), shown=("bm25",))
    assert "bm25 is the only system: slope 0.24, 2.0 times" in text


def test_no_slope_is_said():
    assert told(lines(("w2v", NAN, NAN, NAN)), curves(w2v=[NAN])) == stereotypes_text.NOTHING
    assert told(lines(("perfect", 0.2, 0.1, 0.3)), curves(perfect=[0.2])) == stereotypes_text.NOTHING


def test_numbers_have_true_signs_and_no_negative_zero():
    assert stereotypes_text.number(-0.456) == "−0.46"
    assert stereotypes_text.number(NAN) == "undefined"
    assert stereotypes_text.interval(-0.1, 0.2) == "−0.10 to 0.20"
    assert stereotypes_text.interval(NAN, 0.2) == ""


def influences():
    rows = [("a", "q1", 0.25, -0.05), ("a", "q2", 0.31, 0.01), ("a", "q3", NAN, NAN), ("b", "q1", 0.1, 0.5)]
    return pd.DataFrame(rows, columns=["system", "query_id", "without", "change"])


def test_what_a_query_does_to_the_slope():
    text = stereotypes_text.query_influence(influences(), "a", "q2")
    assert text == "Without it the slope would be 0.310 instead of 0.300 (2nd of 3 queries by influence)."
    assert stereotypes_text.query_influence(influences(), "a", "q3") == ""
    assert stereotypes_text.query_influence(influences(), "a", "elsewhere") == ""
    assert stereotypes_text.most_influential(influences(), "a") == "q1"
    assert stereotypes_text.most_influential(influences(), "nobody") == ""


def test_ordinals():
    ordinals = [stereotypes_text._ordinal(place) for place in (1, 2, 3, 4, 11, 12, 13, 21, 112)]
    assert ordinals == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "112th"]


def test_the_finding_holds_on_real_slopes():
    generator = np.random.default_rng(0)
    table = lines(*((f"s{place}", *sorted(generator.normal(size=3))) for place in range(4)))
    assert told(table, curves(**{f"s{place}": [0.1] * 3 for place in range(4)})).startswith("Slope of the line = GSR.")
