"""LensKit's RunAnalysis with measures of exposure, and its lists as a study."""

from collections.abc import Callable
from pathlib import Path

import pytest

import fairviz
from tests.integrations.conftest import run_block, run_script

pytestmark = pytest.mark.integration
# LensKit requires pandas 2; without its dependencies it works with pandas 3, and these are the others that it imports.
NEEDED = (
    "lenskit==2025.8.1", "lazy-loader", "structlog", "deepmerge", "humanize", "prettytable", "psutil", "py-cpuinfo",
    "pydantic", "pydantic-core", "annotated-types", "typing-inspection", "pydantic-settings", "python-dotenv", "pyzmq",
    "rich", "xopen", "isal", "zlib-ng", "backports.zstd", "more-itertools", "wcwidth", "markdown-it-py", "mdurl",
)  # fmt: skip
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


def test_exposure_as_a_metric(environment: Callable[..., Path], tmp_path: Path) -> None:
    python = environment("lenskit", *NEEDED, options=("--no-deps",))
    found = run_script(python, ANALYSE, tmp_path)
    study = fairviz.open_study("newswire")
    for measure, values in zip(("CWEx(alpha=0.7)@10", "AWRF@5"), found["values"], strict=True):
        wanted = fairviz.evaluate(study, measure, systems=("bm25",)).astype({"query_id": "str"}).sort_values("query_id")
        assert values == pytest.approx(wanted["value"].tolist(), rel=1e-12, nan_ok=True)
    assert [text.partition(" is ")[2] for text in found["refused"]] == ["not a measure of labels"] * 2
    assert found["rows"] == (study.runs["system"] == "bm25").sum()


def test_the_block_of_the_manual(environment: Callable[..., Path], tmp_path: Path) -> None:
    run_block(environment("lenskit", *NEEDED, options=("--no-deps",)), "LensKit", tmp_path)
