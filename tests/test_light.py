"""The light layer without an environment of its own: a process in which the packages of the layers cannot be imported.

`make test-installed` installs the wheel without them (tests/integrations/test_light.py).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairviz.installed import LAYERS
from tests.conftest import ROOT
from tests.extension_rows import rows

pytestmark = pytest.mark.whole

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
OF_LAYERS = ["fairviz.lenskit", "fairviz.pyterrier", "fairviz.study.loaders.compiled_runs",
             "fairviz.words.compiled"]  # fmt: skip
LAYER = 'Run: pip install "fairviz[models]"\n'
PAGES = """
import json
import re

from streamlit.testing.v1 import AppTest


def framed(page):
    import runpy
    from pathlib import Path
    from fairviz.ui.shell import frame
    from fairviz.ui.state.registry import PAGES
    with frame.around():
        path = Path(f"pages/{page}.py")
        runpy.run_path(str(path)) if path.exists() else PAGES[page].draw()

found = {}
for name in names:
    page = AppTest.from_function(framed, args=(name,), default_timeout=600).run()
    html = "".join(element.proto.body for element in page.get("html"))
    boxes = re.findall(r'<div class="fv-box fv-(error|info)"[^>]*>(.*?)</div>', html)
    found[name] = {"exceptions": [str(error.value) for error in page.exception], "boxes": boxes}
print(json.dumps(found))
"""
READERS = rows("READERS")  # pages of rankers that need the layer
OTHERS = "".join(f" and {name}" for name in READERS)
NEEDS = {"mitigations": f"bi_encoder{OTHERS} need{'' if OTHERS else 's'}", **READERS, **rows("NEEDS")}


@pytest.fixture(scope="module")
def variables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment variables of a process without the layers."""
    folder = tmp_path_factory.mktemp("light")
    (folder / "sitecustomize.py").write_text(SITE)
    path = os.pathsep.join([str(folder), str(ROOT)])
    return {**os.environ, "PYTHONPATH": path, "FAIRVIZ_HOME": str(folder / "home"), "FAIRVIZ_STUDY": "football"}


def done(variables: dict[str, str], *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=variables, capture_output=True, text=True)


def test_every_module_is_imported(variables: dict[str, str]) -> None:
    """But for those that others import after they have seen the layer."""
    paths = (path.relative_to(ROOT) for path in (ROOT / "fairviz").rglob("*.py") if path.name[:2] != "__")
    names = sorted(".".join(path.with_suffix("").parts) for path in paths)
    code = f"""
import importlib
for name in {names!r}:
    try:
        importlib.import_module(name)
    except Exception:
        print(name)
"""
    answer = done(variables, "-c", code)
    assert answer.stdout.split() == OF_LAYERS, answer.stderr


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
        (
            ("rank", "football", "--with", "bm25,bi_encoder,cross_encoder(model='m')"),
            "bi_encoder and cross_encoder need",
        ),
        *(((name, "football"), needs) for name, needs in rows("NEEDS").items()),
    ],
)
def test_a_ranker_with_a_model_names_its_layer(variables: dict[str, str], command: tuple[str, ...], needs: str) -> None:
    answer = done(variables, "-m", "fairviz", *command)
    assert answer.stderr == f"{needs} the layer [models], which is not installed\n{LAYER}"
    assert (answer.returncode, answer.stdout) == (1, "")


def test_pages_of_rankers_open_with_what_is_installed(variables: dict[str, str], tmp_path: Path) -> None:
    script = tmp_path / "pages.py"  # the source of a page under test is read from a file
    script.write_text(f"names = {[*NEEDS]!r}\n{PAGES}")
    answer = done(variables, str(script))
    assert answer.returncode == 0, answer.stderr
    for name, page in json.loads(answer.stdout.splitlines()[-1]).items():
        assert page["exceptions"] == [], name
        assert {kind for kind, _ in page["boxes"]} == {"info"}, name
        sentence = f"{NEEDS[name]} the layer [models], which is not installed."
        assert any(text.startswith(sentence) for _, text in page["boxes"]), name
