"""PyTerrier's own Experiment and pipelines of frames: the numbers of `fairviz compare`."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.rankers import parse_rankers
from tests.conftest import Call
from tests.integrations.conftest import run_block, run_script

pytestmark = pytest.mark.integration
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


@pytest.fixture(scope="session")
def python(environment: Callable[..., Path]) -> Path:
    return environment("pyterrier", "pyterrier==1.1.2")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """newswire with the mitigated run as a study of its own."""
    path = tmp_path_factory.mktemp("pyterrier") / "study"
    fairviz.save_study(fairviz.rank(fairviz.open_study("newswire"), "balanced(run='bm25',loss=0.1)"), path)
    return path


def test_an_experiment_has_the_numbers_of_compare(python: Path, folder: Path, tmp_path: Path, call: Call) -> None:
    found = run_script(python, EXPERIMENT, tmp_path, folder=str(folder))
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


def test_rerankers_order_as_the_program_does(python: Path, tmp_path: Path) -> None:
    found = run_script(python, RERANKERS, tmp_path)
    ranked = fairviz.rank(fairviz.open_study("newswire"), ",".join(found["lists"]))
    for text, lists in found["lists"].items():
        system = parse_rankers(text)[0].system
        rows = ranked.runs[ranked.runs["system"] == system].astype({"query_id": "str", "doc_id": "str"})
        assert rows.groupby("query_id")["doc_id"].agg(list).to_dict() == lists
    assert found["empty"] == 0
    assert found["said"] == [
        "there is no re-ranker 'bm25'", "balanced has no parameter 'losss'",
        "no study is bound, so there are no labels and texts", "the frame has no column 'docno'",
    ]  # fmt: skip


def test_the_block_of_the_manual(python: Path, tmp_path: Path) -> None:
    run_block(python, "PyTerrier", tmp_path)
