"""ranx: its runs as a study, a study as its runs, and its scores in a comparison."""

from collections.abc import Callable
from pathlib import Path

import pytest

import fairviz
from tests.integrations.conftest import run_block, run_script

pytestmark = pytest.mark.integration
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


def test_runs_go_there_and_come_back(environment: Callable[..., Path], tmp_path: Path) -> None:
    found = run_script(environment("ranx", "ranx==0.3.21"), EXCHANGE, tmp_path)
    study = fairviz.open_study("newswire")
    assert found["systems"] == list(study.systems)
    wanted = fairviz.summarise(fairviz.evaluate(study, ["nDCG@10", "CWEx@10"]))
    assert found["values"] == pytest.approx(wanted["value"].tolist(), rel=1e-12)
    assert list(found["means"].values()) == pytest.approx(wanted["value"].tolist()[: len(study.systems)], rel=1e-9)
    assert found["differences"]["rrf nDCG@10"] == pytest.approx(found["means"]["rrf"] - found["means"]["bm25"])


def test_the_block_of_the_manual(environment: Callable[..., Path], tmp_path: Path) -> None:
    run_block(environment("ranx", "ranx==0.3.21"), "ranx", tmp_path)
