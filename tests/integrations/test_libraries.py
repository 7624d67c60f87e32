"""Other libraries in environments of their own: their runs, pipelines and predictions as studies, ours as theirs, and
the same numbers; and the package of docs/template, installed by pip."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.rankers import parse_rankers
from fairviz.study.record import Study
from tests.conftest import Call
from tests.integrations.conftest import run_script
from tests.template import PACKAGE, TEMPLATE
from tests.test_notebook import blocks

pytestmark = pytest.mark.integration
# LensKit requires pandas 2; without its dependencies it works with pandas 3, and these are the others that it imports.
NEEDED = (
    "lenskit==2025.8.1", "lazy-loader", "structlog", "deepmerge", "humanize", "prettytable", "psutil", "py-cpuinfo",
    "pydantic", "pydantic-core", "annotated-types", "typing-inspection", "pydantic-settings", "python-dotenv", "pyzmq",
    "rich", "xopen", "isal", "zlib-ng", "backports.zstd", "more-itertools", "wcwidth", "markdown-it-py", "mdurl",
)  # fmt: skip
LIBRARIES: dict[str, dict[str, Any]] = {  # by the heading in docs/how-to/integrations.md
    "ranx": {"packages": ["ranx==0.3.21"]},
    "LensKit": {"packages": NEEDED, "options": ("--no-deps",)},
    "PyTerrier": {"packages": ["pyterrier==1.1.2"]},
    "MTEB": {"packages": ["mteb==2.26.24"]},
    "template": {"packages": ["-e", str(TEMPLATE)], "options": ("--no-deps",)},
}


@pytest.fixture(scope="session")
def library(environment: Callable[..., Path]) -> Callable[[str], Path]:
    """The Python of the environment of a library; skips where it cannot be installed."""

    def python(name: str) -> Path:
        return environment(name.lower(), *LIBRARIES[name]["packages"], options=LIBRARIES[name].get("options", ()))

    return python


@pytest.mark.parametrize("name", ["PyTerrier", "ranx", "LensKit"])
def test_the_block_of_the_manual(name: str, library: Callable[[str], Path], tmp_path: Path) -> None:
    code = f"import warnings\nwarnings.simplefilter('ignore')\n{blocks()[name]}print('null')\n"
    run_script(library(name), code, tmp_path)


# --- ranx and LensKit -------------------------------------------------------------------------------------------

EXCHANGE = """
import json
import warnings

warnings.simplefilter("ignore")  # of numba and scipy inside ranx
import ranx

import fairviz

study = fairviz.open_study("newswire")
qrels, runs = study.to_ranx(keep_order=True)
table = ranx.compare(qrels, runs, ["ndcg@10", "precision@5"])
means = {run.name: run.mean_scores["ndcg@10"] for run in runs}
back = fairviz.make_study("back", runs=runs, qrels=qrels, documents=study.documents, labels=study.labels)
values = fairviz.summarise(fairviz.evaluate(back, ["nDCG@10", "CWEx@10"], annotator="project"))
compared = fairviz.compare(fairviz.ranx.scores(runs), baseline="bm25")
print(json.dumps({
    "means": means, "systems": list(back.systems), "values": values["value"].tolist(),
    "differences": dict(zip(compared["system"] + " " + compared["measure"], compared["difference"])),
}))
"""


def test_runs_go_there_and_come_back(library: Callable[[str], Path], newswire: Study, tmp_path: Path) -> None:
    found = run_script(library("ranx"), EXCHANGE, tmp_path)
    assert found["systems"] == list(newswire.systems)
    wanted = fairviz.summarise(fairviz.evaluate(newswire, ["nDCG@10", "CWEx@10"]))
    assert found["values"] == pytest.approx(wanted["value"].tolist(), rel=1e-12)
    assert list(found["means"].values()) == pytest.approx(wanted["value"].tolist()[: len(newswire.systems)], rel=1e-9)
    assert found["differences"]["rrf nDCG@10"] == pytest.approx(found["means"]["rrf"] - found["means"]["bm25"])


ANALYSE = """
import json
import warnings

warnings.simplefilter("ignore")
from lenskit.data import ItemList, ItemListCollection
from lenskit.metrics import RunAnalysis

import fairviz

study = fairviz.open_study("newswire")
lists = ItemListCollection.empty(["user_id"])
for query, rows in study.runs[study.runs["system"] == "bm25"].groupby("query_id", observed=True):
    items = ItemList(item_ids=rows["doc_id"].tolist(), scores=rows["score"].tolist(), ordered=True)
    lists.add(items, user_id=str(query))
metrics = [fairviz.lenskit.Exposure(name, study) for name in ("CWEx(alpha=0.7)@10", "AWRF@5")]
table = RunAnalysis(*metrics).measure(lists, lists).list_metrics().sort_index()
refused = []
for measure in ("NFaiRR@10", "nDCG@10"):
    try:
        fairviz.lenskit.Exposure(measure, study)
    except fairviz.FairvizError as error:
        refused.append(error.message)
made = fairviz.make_study("made", runs=lists, labels=study.labels)
print(json.dumps({
    "values": [table[name].tolist() for name in table], "refused": refused, "rows": len(made.runs),
}))
"""


def test_exposure_as_a_metric(library: Callable[[str], Path], newswire: Study, tmp_path: Path) -> None:
    found = run_script(library("LensKit"), ANALYSE, tmp_path)
    for measure, values in zip(("CWEx(alpha=0.7)@10", "AWRF@5"), found["values"], strict=True):
        wanted = fairviz.evaluate(newswire, measure, systems=("bm25",)).astype({"query_id": "str"})
        wanted = wanted.sort_values("query_id")
        assert values == pytest.approx(wanted["value"].tolist(), rel=1e-12, nan_ok=True)
    assert [text.partition(" is ")[2] for text in found["refused"]] == ["not a measure of labels"] * 2
    assert found["rows"] == (newswire.runs["system"] == "bm25").sum()


# --- PyTerrier --------------------------------------------------------------------------------------------------

MITIGATED = "balanced-run=bm25-loss=0.1"
EXPERIMENT = """
import json

import pyterrier as pt
from ir_measures import nDCG

import fairviz

study = fairviz.open_study(folder)
fair, Balanced = fairviz.ir_measures, fairviz.pyterrier.Balanced
fair.bind(study)
CWEx, NFaiRR = fair.CWEx, fair.NFaiRR
topics, qrels, corpus, runs = study.to_pyterrier()
bm25 = pt.Transformer.from_df(runs["bm25"])
table = pt.Experiment(
    [bm25, bm25 >> Balanced(loss=0.1)], topics, qrels, [nDCG @ 10, CWEx(alpha=0.5) @ 10, NFaiRR @ 10], baseline=0
)
study = fairviz.from_experiment({"bm25": bm25, "ours": bm25 >> Balanced(loss=0.1)}, topics, qrels, study=study)
scores = fairviz.summarise(fairviz.evaluate(study, ["nDCG@10", "CWEx@10"]))
print(json.dumps({
    "values": {name.split("(")[0].split("@")[0]: table[name].tolist() for name in table if name.endswith("@10")},
    "p": {name.split("(")[0].split("@")[0]: table[name].iloc[1] for name in table if name.endswith("p-value")},
    "from": scores["value"].tolist(), "systems": list(study.systems), "corpus": len(list(corpus)),
}))
"""
RERANKERS = """
import json

import pandas as pd
import pyterrier as pt

import fairviz

study = fairviz.open_study("newswire")
topics, qrels, corpus, runs = study.to_pyterrier()
bm25 = pt.Transformer.from_df(runs["bm25"].assign(note="kept"))
lists = {}
for name, stage in {
    "balanced(run='bm25')": fairviz.pyterrier.Balanced(study),
    "neutral(run='bm25',weight=0.4)": fairviz.pyterrier.Neutral(study, weight=0.4),
    "detconstsort(run='bm25')": fairviz.pyterrier.DetConstSort(study),
}.items():
    results = (bm25 >> stage)(topics)
    assert set(results["note"]) == {"kept"}
    assert results["rank"].min() == 0
    results = results.sort_values(["qid", "rank"])
    lists[name] = results.groupby("qid")["docno"].agg(list).to_dict()
empty = fairviz.pyterrier.Balanced(study)(runs["bm25"].head(0))
said = []
for make in (lambda: fairviz.pyterrier.Reranker("bm25"), lambda: fairviz.pyterrier.Balanced(study, losss=1),
             lambda: fairviz.pyterrier.Balanced()(runs["bm25"]), lambda: fairviz.pyterrier.Balanced(study)(topics)):
    try:
        make()
    except fairviz.FairvizError as error:
        said.append(error.message)
print(json.dumps({"lists": lists, "empty": len(empty), "said": said}))
"""


def test_an_experiment_has_the_numbers_of_compare(
    library: Callable[[str], Path], newswire: Study, tmp_path: Path, call: Call
) -> None:
    """Newswire with the mitigated run is a study of its own."""
    folder = fairviz.save_study(fairviz.rank(newswire, "balanced(run='bm25',loss=0.1)"), tmp_path / "study")
    found = run_script(library("PyTerrier"), EXPERIMENT, tmp_path, folder=str(folder))
    measures = ["nDCG@10", "CWEx(alpha=0.5)@10", "NFaiRR@10"]
    asked = [*measures, "--baseline", "bm25", "--tested", MITIGATED, "--tests", "none", "--format", "json"]
    content = call("compare", folder, asked).json
    rows = pd.DataFrame(content["rows"] if isinstance(content, dict) else content)
    rows = rows[rows["system"] == MITIGATED].set_index("measure")
    by_name = {name.partition("(")[0].partition("@")[0]: row for name, row in rows.iterrows()}
    for name in ("nDCG", "CWEx", "NFaiRR"):
        before, after = found["values"][name]
        assert after == pytest.approx(by_name[name]["value"], rel=1e-12)
        assert after - before == pytest.approx(by_name[name]["difference"], rel=1e-9)
        assert found["p"][name] == pytest.approx(by_name[name]["p"], rel=1e-6)
    assert found["systems"] == ["bm25", "ours"]
    assert found["from"] == pytest.approx([*found["values"]["nDCG"], *found["values"]["CWEx"]], rel=1e-12)
    assert found["corpus"] == 343


def test_rerankers_order_as_the_program_does(library: Callable[[str], Path], newswire: Study, tmp_path: Path) -> None:
    found = run_script(library("PyTerrier"), RERANKERS, tmp_path)
    ranked = fairviz.rank(newswire, ",".join(found["lists"]))
    for text, lists in found["lists"].items():
        system = parse_rankers(text)[0].system
        rows = ranked.runs[ranked.runs["system"] == system].astype({"query_id": "str", "doc_id": "str"})
        assert rows.groupby("query_id")["doc_id"].agg(list).to_dict() == lists
    assert found["empty"] == 0
    assert found["said"] == [
        "there is no re-ranker 'bm25'", "balanced has no parameter 'losss'",
        "no study is bound, so there are no labels and texts", "the frame has no column 'docno'",
    ]  # fmt: skip


# --- MTEB -------------------------------------------------------------------------------------------------------

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
def predicted(library: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    """The folder of predictions of two models, and nDCG as MTEB computed it."""
    folder = tmp_path_factory.mktemp("mteb")
    scores = run_script(library("MTEB"), PREDICT, folder)
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


def test_predictions_are_compared_with_texts_and_labels_beside_them(
    predicted: tuple[Path, dict], newswire: Study, call: Call
) -> None:
    folder, scores = predicted
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


# --- the template -----------------------------------------------------------------------------------------------

RECORDS = """
import json

import fairviz
from fairviz.annotation.annotators import METHODS
from fairviz.installed import faults
from fairviz.measures import MEASURES
from fairviz.rankers import RANKERS
from fairviz.study.loaders import loaders

values = fairviz.evaluate(fairviz.open_study("football"), "Presence@4")["value"].tolist()
records = [MEASURES["Presence"], RANKERS["longest"], METHODS["pronoun"], loaders()[-1]]
print(json.dumps({"packages": [record.package for record in records], "values": values, "faults": faults()}))
"""


def test_the_template_is_installed_and_used(library: Callable[[str], Path], tmp_path: Path) -> None:
    found = run_script(
        library("template"), RECORDS, tmp_path
    )  # football: both genders in the left list, men in the right one
    assert found == {"packages": [PACKAGE] * 4, "values": [1.0, 0.5], "faults": []}
