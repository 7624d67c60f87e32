"""Tables of other libraries as tables of a study, and a study's tables for other libraries."""

from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pyarrow as pa
import pytest

import fairviz
from fairviz.errors import FairvizError, UsageError
from fairviz.study.record import Study

RESULTS = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"a": 0.5}}


class Ranx:
    """A run as ranx has it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def to_dataframe(self) -> pd.DataFrame:
        return pd.DataFrame({"q_id": ["q1", "q1"], "doc_id": ["a", "b"], "score": [1.0, 2.0]})


def rows(study: Study) -> list[list[str]]:
    return study.runs[["system", "query_id", "doc_id", "rank"]].astype("str").values.tolist()


@pytest.mark.parametrize(
    ("runs", "wanted"),
    [
        (RESULTS, [["run", "q1", "a", "2"], ["run", "q1", "b", "1"], ["run", "q2", "a", "1"]]),
        ({"z": {"q": {"a": 1}}, "b": {"q": {"a": 2}}}, [["z", "q", "a", "1"], ["b", "q", "a", "1"]]),
        ([Ranx("z"), Ranx("b")], [[name, "q1", doc, rank] for name in "zb" for doc, rank in (("a", "2"), ("b", "1"))]),
        (Ranx("mine"), [["mine", "q1", "a", "2"], ["mine", "q1", "b", "1"]]),
        (
            {"pt": pd.DataFrame({"qid": ["1"], "docno": ["d"], "docid": [7], "rank": [0], "score": [2.5]})},
            [["pt", "1", "d", "0"]],
        ),
        (pd.DataFrame({"user_id": [1, 1], "item_id": [5, 6], "rank": [1, 2]}),
         [["run", "1", "5", "1"], ["run", "1", "6", "2"]]),
    ],
)  # fmt: skip
def test_runs_of_other_libraries(runs: Any, wanted: list[list[str]]) -> None:
    study = fairviz.make_study("made", runs=runs)
    assert rows(study) == wanted
    assert list(study.systems) == list(dict.fromkeys(row[0] for row in wanted))


def test_rows_of_a_data_set_are_documents_and_relevance_of_terrier() -> None:
    """Arrow tables and Hugging Face datasets have to_pandas."""
    table = pa.table({"_id": ["a", "b"], "title": ["", "t"], "text": ["she", "he"], "year": [1, 2]})
    study = fairviz.make_study("made", documents=table, qrels={"q": {"a": 1}})
    assert study.documents.columns.tolist() == ["doc_id", "title", "text", "year"]
    assert study.qrels.values.tolist() == [["q", "a", 1]]
    qrels = pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [2]})
    study = fairviz.make_study("made", qrels=qrels, queries=pd.DataFrame({"qid": ["1"], "query": ["nurse"]}))
    assert study.qrels.values.tolist() == [["1", "d", 2]]
    assert study.queries.values.tolist() == [["1", "nurse"]]
    for part in ("queries", "documents", "runs", "qrels", "labels"):
        with pytest.raises(UsageError, match=rf"^{part} is 3\nGive a pandas DataFrame with the columns "):
            fairviz.make_study("made", **{part: 3})


def test_runs_written_for_trec_come_back(tmp_path: Path, football: Study) -> None:
    folder = football.to_trec(tmp_path / "new")
    again = fairviz.open_study(folder)
    pd.testing.assert_frame_equal(again.qrels, football.qrels)
    kept = ["system", "query_id", "doc_id", "rank", "score"]
    assert again.runs[kept].astype("str").values.tolist() == football.runs[kept].astype("str").values.tolist()
    with pytest.raises(FairvizError, match="is there already"):
        football.to_trec(folder)


def test_the_order_of_tied_documents_is_kept_where_asked() -> None:
    """trec_eval puts the larger id of two tied documents first, the file's rule the smaller rank."""
    runs = pd.DataFrame({"system": "s", "query_id": "q", "doc_id": ["a", "b"], "rank": [1, 2], "score": [1.0, 1.0]})
    study = fairviz.make_study("tied", runs=runs, qrels={"q": {"a": 1}})
    values = {}
    for keep_order in (False, True):
        qrels, lists = study.to_ir_measures(keep_order=keep_order)
        values[keep_order] = ir_measures.calc_aggregate([ir_measures.RR], qrels, lists["s"])[ir_measures.RR]
    assert values == {False: 0.5, True: 1.0}
    assert fairviz.evaluate(study, "RR")["value"].tolist() == [1.0]
    assert study.to_ir_measures(ties="trec_eval")[1]["s"]["doc_id"].tolist() == ["b", "a"]


def test_a_study_for_terrier_and_ranx(football: Study) -> None:
    terrier = football.to_pyterrier()
    assert terrier.runs["left"]["rank"].tolist() == list(range(len(terrier.runs["left"])))
    stored = football.runs[football.runs["system"] == "left"].set_index("doc_id")["score"]
    assert terrier.runs["left"]["score"].tolist() == stored.loc[terrier.runs["left"]["docno"]].tolist()
    assert set(terrier.runs["left"]["query"]) == set(football.queries["text"])
    assert list(terrier.qrels) == ["qid", "docno", "label"]
    for _ in range(2):  # a second iteration
        assert [row["docno"] for row in terrier.corpus] == football.documents["doc_id"].tolist()
    with pytest.raises(FairvizError, match="need the package ranx, which is not installed\nRun: pip install ranx"):
        football.to_ranx()
