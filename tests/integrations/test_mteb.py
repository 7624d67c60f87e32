"""MTEB on a small local task: its folder of predictions opens as a study and is compared."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz
from tests.conftest import Call
from tests.integrations.conftest import run_script

pytestmark = pytest.mark.integration
PREDICT = '''
import json
import zlib

import mteb
import numpy as np
from datasets import Dataset
from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.models import ModelMeta

import fairviz

study = fairviz.open_study("newswire")
UNKNOWN = ("date", "domains", "task_subtypes", "license", "annotations_creators", "dialect", "sample_creation",
           "bibtex_citation", "reference")


class Newswire(AbsTaskRetrieval):
    """newswire as a task of MTEB."""

    metadata = TaskMetadata(
        name="Newswire", description="newswire", type="Retrieval", category="t2t", modalities=["text"],
        eval_splits=["test"], eval_langs=["eng-Latn"], main_score="ndcg_at_10",
        dataset={"path": "none", "revision": "1"}, **dict.fromkeys(UNKNOWN),
    )

    def load_data(self, *_, **__):
        documents = study.documents[["doc_id", "title", "text"]].rename(columns={"doc_id": "id"})
        queries = study.queries[["query_id", "text"]].rename(columns={"query_id": "id"})
        relevant = {
            query: dict(zip(rows["doc_id"], rows["relevance"].tolist()))
            for query, rows in study.qrels.groupby("query_id")
        }
        self.dataset = {"default": {"test": {
            "corpus": Dataset.from_list(documents.to_dict("records")),
            "queries": Dataset.from_list(queries.to_dict("records")),
            "relevant_docs": relevant, "top_ranked": None,
        }}}
        self.data_loaded = True


class Hashed:
    """A bag of words of this many places."""

    def __init__(self, places):
        self.places = places
        self.mteb_model_meta = ModelMeta.create_empty({"name": f"local/hashed-{places}", "revision": "r1"})

    def encode(self, inputs, **_):
        vectors = []
        for batch in inputs:
            for text in batch["text"]:
                vector = np.zeros(self.places)
                for word in text.lower().split():
                    vector[zlib.crc32(word.encode()) % self.places] += 1
                vectors.append(vector / max(np.linalg.norm(vector), 1e-9))
        return np.array(vectors)

    def similarity(self, first, second):
        return np.asarray(first) @ np.asarray(second).T

    def similarity_pairwise(self, first, second):
        return (np.asarray(first) * np.asarray(second)).sum(axis=1)


scores = {}
for places in (64, 4096):
    result = mteb.evaluate(
        Hashed(places), Newswire(), cache=None, prediction_folder=f"predictions/{places}",
        overwrite_strategy="always", co2_tracker=False,
    )
    scores[f"hashed-{places}"] = result.task_results[0].scores["test"][0]["ndcg_at_10"]
print(json.dumps(scores))
'''


@pytest.fixture(scope="module")
def predicted(environment: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    """The folder of predictions of two models, and nDCG as MTEB computed it."""
    folder = tmp_path_factory.mktemp("mteb")
    scores = run_script(environment("mteb", "mteb==2.26.24"), PREDICT, folder)
    return folder / "predictions", scores


def test_a_folder_of_predictions_is_a_study(predicted: tuple[Path, dict]) -> None:
    folder, scores = predicted
    assert [path.name for path in sorted(folder.rglob("*.json"))] == ["Newswire_predictions.json"] * 2
    study = fairviz.open_study(folder)
    assert set(study.systems) == set(scores)
    assert study.cards["hashed-64"] == "local/hashed-64, revision r1; MTEB's predictions of Newswire."
    assert study.runs["query_id"].nunique() == 40
    rows = study.runs[study.runs["system"] == "hashed-64"]
    assert (rows.groupby("query_id", observed=True)["score"].apply(lambda score: (np.diff(score) <= 0).all())).all()


def test_predictions_are_compared_with_texts_and_labels_beside_them(predicted: tuple[Path, dict], call: Call) -> None:
    folder, scores = predicted
    newswire = fairviz.open_study("newswire")
    newswire.documents.to_parquet(folder / "documents.parquet")
    newswire.queries[["query_id", "text"]].to_csv(folder / "queries.csv", index=False)
    newswire.labels.to_csv(folder / "labels.csv", index=False)
    (folder / "qrels.txt").write_text(
        "".join(f"{query} 0 {name} {grade}\n" for query, name, grade in
                newswire.qrels[["query_id", "doc_id", "relevance"]].itertuples(index=False, name=None))
    )  # fmt: skip
    said = call(
        "compare", folder, "nDCG@10 CWEx@10 NFaiRR@10 --baseline hashed-64 --annotator project --ties trec_eval",
        "--format json --no-provenance",
    )  # fmt: skip
    rows = pd.DataFrame(said.json).set_index("measure")
    assert list(rows.index.str.partition("@").get_level_values(0).str.partition("(").get_level_values(0)) == [
        "nDCG", "CWEx", "NFaiRR",
    ]  # fmt: skip
    assert rows.loc["nDCG@10", "value"] == pytest.approx(scores["hashed-4096"], abs=1e-5)
