"""Ids that nearly join, over all joins and in every way that they may differ."""

import pandas as pd
import pytest

import fairviz
from fairviz.datasets import BUILTIN
from fairviz.study.checks import check, near_misses
from fairviz.study.study import make_study
from tests.made import qrels_of, runs_of

NUMBERS = [str(number) for number in range(1, 41)]


def run_of(ids: list[str], query: str = "q", system: str = "a") -> pd.DataFrame:
    return runs_of({(system, query): ids})


def labels_of(ids: list[str], annotator: str = "x") -> pd.DataFrame:
    return pd.DataFrame({"doc_id": ids, "annotator": annotator, "label": "female"})


def documents_of(ids: list[str], titles: list[str] | None = None) -> pd.DataFrame:
    return pd.DataFrame({"doc_id": ids, "title": titles or "", "text": "she"})


def sentences(**parts: object) -> list[str]:
    return [miss.sentence for miss in near_misses(make_study("x", **parts))]


@pytest.mark.parametrize(
    ("ids", "way"),
    [
        (["7", "other"] + [f"{number}.0" for number in NUMBERS[7:]], "without .0 ('8.0', for '8' in the runs)"),
        ([f" {number} " for number in NUMBERS], "without blanks (' 1 ', for '1' in the runs)"),
        ([f"{number}\u200b" for number in NUMBERS], "without blanks"),
        ([f"00{number}" for number in NUMBERS], "without leading zeros ('001', for '1' in the runs)"),
        ([f'"{number}"' for number in NUMBERS], "without quotation marks"),
        ([f"doc-{number}" for number in NUMBERS], "without 'doc-' in front ('doc-1', for '1' in the runs)"),
        ([f"{number}.txt" for number in NUMBERS], "without '.txt' at the end ('1.txt', for '1' in the runs)"),
        (["".join(chr(0xFF10 + int(digit)) for digit in number) for number in NUMBERS], "in one Unicode form"),
    ],
)
def test_numbers_written_otherwise_are_named_with_their_count(ids: list[str], way: str) -> None:
    (sentence,) = sentences(runs=run_of(NUMBERS), labels=labels_of(ids))
    count = len([one for one in ids if one not in ("7", "other")])
    assert sentence.startswith(f"{count} of {len(ids)} doc_ids of the labels would match {way}")


def test_several_ways_are_counted_apart_and_together() -> None:
    ids, labelled = ["d1", "d2", "a_1", "b2"], ["d1 ", "D2", "a-1", "B2 "]
    start = "1 of 4 doc_ids of the labels would match"
    assert sentences(runs=run_of(ids), labels=labels_of(labelled)) == [
        f"{start} without blanks ('d1 ', for 'd1' in the runs).",
        f"{start} in lower case ('D2', for 'd2' in the runs).",
        f"{start} with the same signs between their parts ('a-1', for 'a_1' in the runs).",
        f"{start} without blanks and in lower case ('B2 ', for 'b2' in the runs).",
    ]


def test_titles_in_place_of_ids_swapped_columns_and_one_annotator_are_named() -> None:
    documents = documents_of(["d1", "d2"], ["Alpha", "Beta"])
    assert sentences(runs=run_of(["d1", "d2"]), documents=documents, labels=labels_of(["alpha", "Beta"])) == [
        "2 of 2 doc_ids of the labels would match by the title in place of the id ('alpha', of 'd1' in the documents)."
    ]
    assert sentences(runs=run_of(["d1", "d2"]), qrels=qrels_of({"d1": ["q"], "d2": ["q"]})) == [
        "2 of 2 rows of the qrels would match with query and document exchanged."
    ]
    labels = pd.concat([labels_of(NUMBERS, "good"), labels_of([f"D{number}" for number in NUMBERS], "bad")])
    (sentence,) = sentences(runs=run_of(NUMBERS), labels=labels)
    assert sentence.startswith("40 of 40 doc_ids of the labels by bad would match without 'D' in front")


@pytest.mark.parametrize(
    ("part", "parts"),
    [
        ("runs", {"runs": run_of(["D1", "D2"]), "documents": documents_of(["d1", "d2"])}),
        ("runs", {"runs": run_of(["d"], "Q"), "queries": pd.DataFrame({"query_id": ["q"], "text": "x"})}),
        ("runs", {"runs": [run_of(["d"], "Q"), run_of(["d"], "q", "b")]}),
        ("qrels", {"runs": run_of(["d"], "Q"), "qrels": qrels_of({"q": ["d"]})}),
        ("qrels", {"runs": run_of(["D"], "q"), "qrels": qrels_of({"q": ["d"]})}),
        ("labels", {"runs": run_of(["D"]), "labels": labels_of(["d"])}),
        ("labels", {"documents": documents_of(["D"]), "labels": labels_of(["d"])}),
    ],
)
def test_every_join_is_looked_at(part: str, parts: dict) -> None:
    found = near_misses(make_study("x", **parts))
    assert {miss.part for miss in found} == {part}
    assert all("in lower case" in miss.sentence for miss in found)


def test_ids_that_join_or_are_others_are_not_named() -> None:
    for labelled in (["x1", "x2"], ["d3"], ["d41", "d42"], [f"e{number}" for number in NUMBERS]):
        assert sentences(runs=run_of([f"d{number}" for number in NUMBERS]), labels=labels_of(labelled)) == []
    for name in BUILTIN:
        assert near_misses(fairviz.open_study(name)) == ()


def test_check_names_them_first_and_sends_to_them() -> None:
    study = make_study("x", runs=run_of(["D1", "D2"]), documents=documents_of(["d1", "d2"]))
    warned = check(study).query("remedy != ''")
    assert warned["item"].tolist()[0] == "ids that nearly match"
    assert warned["count"].tolist()[0] == 2
    assert "2 of 2 doc_ids of the runs would match in lower case" in warned["detail"].tolist()[0]
    assert set(warned["remedy"].iloc[1:]) == {"They nearly match: see above."}
    study = make_study("x", runs=run_of(["d1"]), qrels=qrels_of({"q": ["d1", "d2", "d3"]}))
    (row,) = check(study).query("item == 'judged documents that no run has'").to_dict("records")
    assert (row["count"], row["detail"], row["remedy"]) == (2, "d2, d3", "")
