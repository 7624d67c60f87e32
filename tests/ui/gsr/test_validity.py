import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.gsr_validity.direct import Reliability
from fairviz.analyses.gsr_validity.parity import Parity
from fairviz.ui.gsr import validity as text
from fairviz.words.sentences import plain

NAN = float("nan")
CALLED = ("glove", "mine.bin")
QUERIES = pd.DataFrame({"query_id": ["q1", "q2"], "first": [0.1, NAN], "second": [0.2, 0.3]})
SYSTEMS = pd.DataFrame({"system": ["one", "two"], "first": [0.3, 0.2], "second": [0.1, 0.4]})


def agreement(r=0.5, interval=(0.2, 0.7), systems=SYSTEMS, spearman=NAN, p=NAN):
    return Reliability(QUERIES, r, 0.01, systems, spearman, p, interval)


def test_files_are_called_without_their_folder_unless_both_are_called_so():
    assert text.names("glove", "/data/mine.bin") == CALLED
    assert text.names("/a/mine.bin", "/b/mine.bin") == ("/a/mine.bin", "/b/mine.bin")


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
    assert plain(text.reliability(agreement(r, interval), CALLED)) == f"glove and mine.bin {told}{ends}"


def test_agreement_on_the_first_system_and_none_at_all():
    same = SYSTEMS.assign(second=[0.5, 0.4])
    assert plain(text.reliability(agreement(systems=same), CALLED)).endswith(" By both one has the highest GSR.")
    assert plain(text.reliability(agreement(systems=SYSTEMS[:1]), CALLED)).endswith("0.20 to 0.70.")
    assert plain(text.reliability(agreement(NAN), CALLED)) == (
        "glove and mine.bin cannot be compared: fewer than three common queries, or one never varies."
    )


def test_the_order_of_systems():
    assert text.spearman(agreement()) == "An order of systems needs 3 with different slopes by both; here are 2."
    known = text.spearman(agreement(spearman=0.95, p=0.0004))
    assert known.startswith("Order of 2 systems: Spearman's ρ 0.95, p < .001. Slopes by different vectors")
    assert "ρ −0.50, p = .017." in text.spearman(agreement(spearman=-0.5, p=0.0167))


def test_tables_name_the_vectors():
    table = text.queries_table(QUERIES, {"q1": "who"}, CALLED)
    assert list(table.columns) == ["query_id", "text", "glove", "mine.bin"]
    assert table.loc[0].tolist() == ["q1", "who", 0.1, 0.2]
    systems = SYSTEMS.assign(first_low=[0.2, NAN], first_high=[0.4, NAN], second_low=0.0, second_high=0.5)
    systems.loc[1, "first"] = NAN
    shown = text.systems_table(systems, CALLED)
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
    told = plain(text.direct(leanings((12, 20, 0.6, 0.45, 0.8), male), "one"))
    assert told.startswith(
        "one over-represents female documents for 60 % (45 % to 80 %) of the 20 queries that lean female, and for "
    )
    assert told.endswith(f" of the 10 that lean male: {verdict}.")


def test_queries_on_one_side_only():
    told = plain(text.direct(leanings((1, 2, 0.5, 0.1, 0.9), (0, 0, NAN, NAN, NAN)), "one"))
    assert told == "There are no queries on both sides of the vocabulary's mean."
    assert plain(text.direct(leanings((1, 2, 0.5, 0.1, 0.9), (0, 0, NAN, NAN, NAN)), "two")) == told


def test_parity_says_over_what():
    sample = pd.DataFrame({"gsr": [0.1, -0.2, 0.7], "stereotypical": [0.5, 0.5, 0.9]})
    found = Parity(0.849, 9, ("nurse", "maid"), ("driver",), sample)
    assert plain(text.parity(found)) == (
        "On the paper's toy data GSR follows the share of stereotypical documents (r = 0.85 over 9 answers; paper "
        "0.92)."
    )
    note = text.parity_note(found)
    assert "3^2 answers. r is exact over all of them. The figure shows 3, drawn at random with a fixed seed." in note
    assert "At equal shares GSR still runs from −0.20 to 0.10. Without a vector: driver." in note
    never = Parity(np.nan, 1, (), (), sample[:0])
    assert plain(text.parity(never)).startswith("With these vectors, GSR or the share")
    assert "equal shares" not in text.parity_note(never)
