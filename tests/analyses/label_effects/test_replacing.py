"""One annotator's labels in place of another's: against `evaluate` under each, by hand, and the noise beside it."""

import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.label_effects.replacing import (
    noise_between_people,
    noise_of_errors,
    noise_ranges,
    order_in_draws,
    replaced,
    reversals,
)
from fairviz.errors import FairvizError
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study
from tests.analyses.label_effects.cases import study_of
from tests.conftest import refused
from tests.slow_max_t import slow_rows

LISTS = {
    ("one", "q1"): ["a", "b", "c"], ("one", "q2"): ["c", "d", "a"],
    ("two", "q1"): ["c", "a", "d"], ("two", "q2"): ["d", "b", "a"],
}  # fmt: skip
ANN = [("a", "ann", "female"), ("b", "ann", "male"), ("c", "ann", "neutral"), ("d", "ann", "neutral")]
RULE = [("a", "rule", "male"), ("b", "rule", "female"), ("c", "rule", "neutral"), ("d", "rule", "female")]
CWEX = "CWEx(alpha=0.5)@3"


def study(*more: tuple[str, str, str], kinds: dict[str, str] | None = None) -> Study:
    made = study_of(LISTS, [*ANN, *RULE, *more])
    known = {"ann": "person", "rule": "rule"} | (kinds or {})
    return make_study("made-up", runs=made.runs, labels=made.labels, lexicon=made.lexicon,
                      annotators={name: Annotator(name, kind) for name, kind in known.items()})  # fmt: skip


def slow(whole: Study, annotator: str) -> pd.DataFrame:
    """system by query, as every page computes it."""
    table = evaluate(whole, [CWEX], Settings(annotator=annotator))
    return table.pivot(index="system", columns="query_id", values="value")


def test_values_are_those_of_every_page_under_each_annotator() -> None:
    whole = study()
    table = replaced(whole, Settings(), CWEX, ["rule"], "ann").set_index("system")
    before, after = slow(whole, "ann"), slow(whole, "rule")
    for system in ("one", "two"):
        row = table.loc[system]
        assert row["before"] == pytest.approx(before.loc[system].mean())
        assert row["after"] == pytest.approx(after.loc[system].mean())
        change = (after.loc[system] - before.loc[system]).to_numpy()
        assert row["difference"] == pytest.approx(change.mean())
        assert np.isnan([row["ci_low"], row["ci_high"]]).all(), "two queries are too few"
        assert (row["queries"], row["labelled"], row["labelled_before"]) == (2, 1, 1)


def test_intervals_of_all_changes_are_those_of_one_family() -> None:
    """Twelve queries, two systems, two annotators: four changes, t tests and maxT."""
    generator = np.random.default_rng(0)
    documents, kinds = [f"d{place}" for place in range(8)], ["female", "male", "neutral"]
    lists = {
        (system, f"q{query:02}"): generator.permutation(documents)[:4].tolist()
        for system in ("one", "two")
        for query in range(12)
    }
    labels = [(name, who, str(generator.choice(kinds))) for who in ("ann", "rule", "other") for name in documents]
    made = study_of(lists, labels)
    whole = make_study("made-up", runs=made.runs, labels=made.labels, lexicon=made.lexicon,
                       annotators={name: Annotator(name, "rule") for name in ("ann", "rule", "other")})  # fmt: skip
    table = replaced(whole, Settings(), CWEX, ["rule", "other"], "ann")
    apart = [
        (slow(whole, who) - slow(whole, "ann")).loc[system].to_numpy()
        for who in ("rule", "other")
        for system in ("one", "two")
    ]
    _, below, above = slow_rows(apart, 10_000)
    error = np.std(apart, axis=1, ddof=1) / 12**0.5
    assert table["ci_low"].tolist() == pytest.approx((table["difference"] - below * error).tolist())
    assert table["ci_high"].tolist() == pytest.approx((table["difference"] + above * error).tolist())


def test_missing_labels_leave_queries_out_or_are_filled() -> None:
    whole = study(("c", "part", "male"), kinds={"part": "rule"})
    alone = replaced(whole, Settings(), CWEX, ["part"], "ann").set_index("system")
    assert alone["queries"].tolist() == [2, 1], "the second list of two holds no labelled document"
    assert alone["labelled"].tolist() == pytest.approx([2 / 6, 1 / 6])
    filled = replaced(whole, Settings(), CWEX, ["part"], "ann", fill=True)
    assert filled["queries"].tolist() == [2, 2]
    assert filled["labelled"].tolist() == [1, 1]
    with pytest.raises(FairvizError, match=r"^'nobody' gave no label in made-up\nName another annotator\.$"):
        replaced(whole, Settings(), CWEX, ["nobody"], "ann")


def test_noise_between_people_is_known_where_two_labelled_the_same() -> None:
    assert noise_between_people(study(), Settings(), CWEX) is None
    apart = study(("z", "bob", "male"), kinds={"bob": "person"})
    assert noise_between_people(apart, Settings(), CWEX) is None
    with refused(
        "rule and bob labelled no document in common, so their error rates are unknown\nChoose another reference."
    ):
        noise_of_errors(apart, Settings(), CWEX, "rule", "bob")
    both = study(("a", "bob", "male"), kinds={"bob": "person"})
    drawn = noise_between_people(both, Settings(), CWEX, 200)
    assert drawn is not None
    assert drawn.groupby("system")["value"].nunique().tolist() == [2, 2], "a is female or male, all else is settled"


def test_errors_are_drawn_as_often_as_they_were_seen() -> None:
    """rule says female of b (male) and d (neutral), each half of the time; male of a, which is female: always."""
    whole, female = study(), "Exposure(group='female')@3"
    drawn = noise_of_errors(whole, Settings(), female, "rule", "ann", 400)
    table = evaluate(whole, [female], Settings(annotator="ann"))
    share = float(table.loc[table["system"] == "one", "value"].mean())
    assert set(drawn.loc[drawn["system"] == "one", "value"].round(9)) == {round(share, 9)}, "only a is ever female"
    neutral = noise_of_errors(whole, Settings(), "Exposure(group='neutral')@3", "rule", "ann", 2000)
    two = neutral.loc[neutral["system"] == "two", "value"]
    assert two.nunique() == 4, "b and d, each male or neutral"
    ranges = noise_ranges(neutral).set_index("system").loc["two"]
    assert ranges[["low", "high"]].tolist() == [two.min(), two.max()]


def test_how_often_the_order_turns() -> None:
    ranks = {"rank_before": [1.0, 2.0, 3.0, 3.0, 1.0], "rank_after": [2.0, 1.0, 3.0, 2.0, 1.0]}
    table = pd.DataFrame({"annotator": "x", "system": ["a", "b", "c", "d", "perfect"], **ranks})
    assert reversals(table).to_numpy().tolist() == [["x", 5, 1, 1]], "c and d had none; perfect is no contender"
    means = replaced(study(), Settings(), CWEX, ["rule"], "ann").set_index("system")["before"]
    same, turned = means.to_numpy(), means.to_numpy()[::-1]
    values = np.array([same, turned, same, turned]).T.ravel()
    drawn = pd.DataFrame({"system": np.repeat(list(means.index), 4), "draw": [1, 2, 3, 4] * 2, "value": values})
    assert order_in_draws(study(), Settings(), CWEX, drawn, "ann") == (1, 0.5, 0.5)
