"""The light layer without an environment of its own: a process in which the packages of the layers cannot be imported.

`make integrations` installs the wheel without them (tests/integrations/test_light.py).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairviz.installed import LAYERS

ROOT = Path(__file__).parent.parent
BLOCKED = sorted({*(module for modules in LAYERS.values() for module in modules), "transformers", "tokenizers",
                  "safetensors", "dask"})  # fmt: skip
# Python imports it at the start of every process, so that those that the commands start are without them too.
SITE = f"""
from importlib.machinery import PathFinder

BLOCKED, find = {BLOCKED!r}, PathFinder.find_spec


def find_spec(name, path=None, target=None):
    return None if name.partition(".")[0] in BLOCKED else find(name, path, target)


PathFinder.find_spec = staticmethod(find_spec)
"""
LAYER = 'Run: pip install "fairviz[models]"\n'
PAGE = """
import json
import re

from streamlit.testing.v1 import AppTest

page = AppTest.from_file("app.py", default_timeout=60).run()
page.switch_page("pages/audit.py").run()
html = "".join(element.proto.body for element in page.get("html"))
print(json.dumps({
    "errors": [str(error.value) for error in page.exception],
    "boxes": re.findall(r'<div class="fv-box fv-(error|info)"[^>]*>(.*?)</div>', html),
}))
"""


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment variables of a process without the layers."""
    folder = tmp_path_factory.mktemp("light")
    (folder / "sitecustomize.py").write_text(SITE)
    path = os.pathsep.join([str(folder), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "FAIRVIZ_HOME": str(folder / "home"), "FAIRVIZ_STUDY": "football"}


def done(variables: dict[str, str], *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=variables, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("command", "begins"),
    [
        (("evaluate", "football", "CWEx", "--format", "csv"), "system,measure,value"),
        (
            ("compare", "newswire", "CWEx@10", "--baseline", "bm25", "--tests", "none", "--format", "csv"),
            "measure,system",
        ),
    ],
)
def test_verbs_without_a_model(variables: dict[str, str], command: tuple[str, ...], begins: str) -> None:
    answer = done(variables, "-m", "fairviz", *command)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith(begins)


@pytest.mark.parametrize(
    ("command", "needs"),
    [
        (("rank", "football", "--with", "bm25,bi_encoder,backpack"), "bi_encoder and backpack need"),
        (("audit", "football"), "bi_encoder needs"),
    ],
)
def test_a_ranker_with_a_model_names_its_layer(variables: dict[str, str], command: tuple[str, ...], needs: str) -> None:
    answer = done(variables, "-m", "fairviz", *command)
    assert answer.stderr == f"{needs} the layer [models], which is not installed\n{LAYER}"
    assert (answer.returncode, answer.stdout) == (1, "")


def test_a_page_whose_default_has_a_model_opens(variables: dict[str, str]) -> None:
    answer = done(variables, "-c", PAGE)
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout.splitlines()[-1])
    assert found["errors"] == []
    kind, text = found["boxes"][0]
    assert kind == "info"
    assert text.startswith("bi_encoder needs the layer [models], which is not installed.")
    assert "error" not in [kind for kind, _ in found["boxes"]]
