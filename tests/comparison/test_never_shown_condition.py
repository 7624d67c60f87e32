"""The gate's condition on what is never shown, from the words to the verdict."""

import math

import pandas as pd
import pytest
from scipy import stats

import fairviz
from fairviz.comparison.conditions import read_condition
from fairviz.comparison.gate import BEYOND, POSSIBLE, UNDECIDED, WITHIN, Gate, gate
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.exports import origin
from fairviz.evaluation.settings import Settings
from fairviz.output.gate_page import page
from fairviz.study.record import Study

SETTINGS = Settings(cutoff=1)


def lists(queries: int, hidden: int, *, judged: bool = True, unanswered: int = 0) -> Study:
    """The relevant f first in all lists of the old system; below n, at rank 2, in `hidden` of the new one, which leaves
    the last queries unanswered."""
    rows, judgements = [], []
    for number in range(queries):
        query, female, neutral = f"q{number:02d}", f"f{number:02d}", f"n{number:02d}"
        order = [neutral, female] if number < hidden else [female, neutral]
        for system, names in (("old", [female, neutral]), ("new", order)):
            if system == "old" or number < queries - unanswered:
                rows += [(system, query, name, rank, -float(rank)) for rank, name in enumerate(names, start=1)]
        judgements.append((query, female, 1))
    labels = [(f"{letter}{number:02d}", label) for letter, label in (("f", "female"), ("n", "neutral"))
              for number in range(queries)]  # fmt: skip
    qrels = pd.DataFrame(judgements if judged else [], columns=["query_id", "doc_id", "relevance"])
    return fairviz.make_study(
        "lists", runs=pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]),
        qrels=qrels if judged else None, labels=pd.DataFrame(labels, columns=["doc_id", "label"]),
    )  # fmt: skip


def gated(study: Study, *texts: str, before: str = "old", after: str = "new", settings: Settings = SETTINGS) -> Gate:
    return gate(study, before, after, [read_condition(text, settings) for text in texts], settings)


def test_a_rise_by_hand() -> None:
    """The new system hides 9 of 20: nothing before, 0.45 after; the share that is 0 has the interval of 0 of 20."""
    result = gated(lists(20, 9), "never shown female rises by 0.05", "never shown female above 0.3")
    row, value = result.table.to_dict("records")
    assert row["measure"] == "never shown female@1"
    assert (row["baseline_value"], row["value"], row["difference"], row["queries"]) == (0, 0.45, 0.45, 20)
    low, high = stats.beta.ppf(0.025, 8.55, 11.45), stats.beta.ppf(0.975, 9.55, 10.45)  # 0.45 of 19 effective units
    assert (value["ci_low"], value["ci_high"]) == pytest.approx((low, high))
    none = 1 - 0.025 ** (1 / 20)  # the upper end of 0 of 20
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((0.45 - math.hypot(0.45 - low, none), high))
    assert (row["state"], value["state"], result.state) == (BEYOND, POSSIBLE, BEYOND)


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("never shown female rises by 0.1", BEYOND),
        ("never shown female worse by 0.1", BEYOND),
        ("never shown female rises by 0.3", POSSIBLE),
        ("never shown female rises by 0.5", WITHIN),
        ("never shown female better by 0.1", WITHIN),
        ("never shown female below 0.8", BEYOND),
        ("never shown female above 0.8", WITHIN),
        ("never shown neutral rises by 0.1", UNDECIDED),
    ],
)
def test_states(text: str, state: str) -> None:
    assert gated(lists(20, 9), text).table["state"].tolist() == [state]


def test_moved_are_the_documents_that_went_out_of_sight() -> None:
    result = gated(lists(12, 3), "never shown female rises by 0", "never shown female falls by 0")
    assert result.queries["query_id"].tolist() == ["q00", "q01", "q02"]
    assert result.queries["share"].tolist() == pytest.approx([1 / 12] * 3)
    first = result.documents.iloc[0]
    assert (first["doc_id"], first["rank_before"], first["rank_after"], first["attention"]) == ("f00", 1, 2, -1.0)
    assert result.table["moved"].tolist() == ["q00 (f00); q01 (f01); q02 (f02)", ""]
    back = gated(lists(12, 3), "never shown female falls by 0", before="new", after="old")
    assert back.table["moved"].tolist() == ["q00 (f00); q01 (f01); q02 (f02)"]


def test_only_queries_that_both_answer_count() -> None:
    """Four queries without a list of the new system would hide four more documents."""
    assert gated(lists(20, 9, unanswered=4), "never shown female above 0").table.loc[0, "value"] == 9 / 16


def test_measures_and_quantities_keep_the_order_of_the_conditions() -> None:
    texts = ["nDCG falls by 0.1", "never shown female rises by 0.05", "CWEx rises by 0.02"]
    result = gated(lists(20, 9), *texts)
    assert result.table["condition"].tolist() == texts
    assert result.queries["condition"].unique().tolist() == [texts[1], texts[0], texts[2]]
    html = page(result, origin(lists(20, 9), SETTINGS, tuple(result.table["measure"])))
    assert "never shown female rises by 0.05" in html
    assert "never shown female@1" in html


def test_few_queries_are_undecided() -> None:
    result = gated(lists(9, 9), "never shown female rises by 0.05")
    assert result.state == UNDECIDED
    assert result.table.loc[0, "warning"] == (
        "9 queries are too few for a verdict, which needs 10: only these have relevant documents labelled female"
    )
    none = gated(lists(12, 3), "never shown male rises by 0.05").table.loc[0]
    assert (none["state"], none["warning"]) == (UNDECIDED, "no relevant document is labelled male")


def test_unknown_groups_and_missing_judgements_are_refused() -> None:
    with pytest.raises(UsageError) as group:
        gated(lists(12, 3), "never shown woman rises by 0.05")
    with pytest.raises(FairvizError) as judgements:
        gated(lists(12, 3, judged=False), "never shown female rises by 0.05")
    with pytest.raises(UsageError) as corrected:
        gated(lists(12, 3), "never shown female rises by 0", settings=SETTINGS.changed(corrected_by="gold"))
    assert str(group.value) == "lists has no group 'woman'\nUse one of neutral, female, male."
    assert str(judgements.value).startswith("lists has no relevance judgements\n")
    assert str(corrected.value) == (
        "the condition 'never shown female rises by 0' cannot be corrected by labels of a sample\n"
        "Leave out --corrected-by."
    )
