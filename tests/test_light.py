"""The light layer without an environment of its own: a process in which the packages of the layers cannot be imported.

`make test-installed` installs the wheel without them (tests/integrations/test_light.py).
"""

import json
import os
import subprocess
import sys

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
SCRIPT = """
import contextlib
import importlib
import io
import json
import re

from fairviz.cli.main import main
from streamlit.testing.v1 import AppTest


def framed(page):
    import runpy
    from pathlib import Path
    from fairviz.ui.shell import frame
    from fairviz.ui.state.registry import PAGES
    with frame.around():
        path = Path(f"pages/{page}.py")
        runpy.run_path(str(path)) if path.exists() else PAGES[page].draw()


said, shown, missing = [], {}, []
for command in COMMANDS:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        status = main(command)
    said.append([status, out.getvalue(), err.getvalue()])
for name in PAGES:
    page = AppTest.from_function(framed, args=(name,), default_timeout=600).run()
    html = "".join(element.proto.body for element in page.get("html"))
    boxes = re.findall(r'<div class="fv-box fv-(error|info)"[^>]*>(.*?)</div>', html)
    shown[name] = {"exceptions": [str(error.value) for error in page.exception], "boxes": boxes}
for name in MODULES:
    try:
        importlib.import_module(name)
    except Exception:
        missing.append(name)
print(json.dumps([said, shown, missing]))
"""
READERS = rows("READERS")  # pages of rankers that need the layer
OTHERS = "".join(f" and {name}" for name in READERS)
NEEDS = {"mitigations": f"bi_encoder{OTHERS} need{'' if OTHERS else 's'}", **READERS, **rows("NEEDS")}


WORKING = {
    "evaluate football CWEx --format csv": "system,measure,value",
    "compare newswire CWEx@10 --baseline bm25 --tests none --format csv": "measure,system",
}
REFUSED = {
    "rank football --with bm25,bi_encoder,cross_encoder(model='m')": "bi_encoder and cross_encoder need",
    **{f"{name} football": needs for name, needs in rows("NEEDS").items()},
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, dict, list]:
    """What a process without the layers makes of all commands, pages and modules."""
    folder = tmp_path_factory.mktemp("light")
    (folder / "sitecustomize.py").write_text(SITE)
    paths = (path.relative_to(ROOT) for path in (ROOT / "fairviz").rglob("*.py") if path.name[:2] != "__")
    modules = sorted(".".join(path.with_suffix("").parts) for path in paths)
    commands = [command.split() for command in (*WORKING, *REFUSED)]
    script = folder / "pages.py"  # the source of a page under test is read from a file
    script.write_text(f"COMMANDS, PAGES, MODULES = {commands!r}, {[*NEEDS]!r}, {modules!r}\n{SCRIPT}")
    variables = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "FAIRVIZ_HOME": str(folder / "home")}
    done = subprocess.run(
        [sys.executable, str(script)], cwd=ROOT, env=os.environ | variables | {"FAIRVIZ_STUDY": "football"},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said, shown, missing = json.loads(done.stdout.splitlines()[-1])
    return dict(zip((*WORKING, *REFUSED), said, strict=True)), shown, missing


def test_every_module_is_imported(found: tuple[dict, dict, list]) -> None:
    """But for those that others import after they have seen the layer."""
    assert found[2] == OF_LAYERS


def test_verbs_without_a_model_work_and_others_name_the_layer(found: tuple[dict, dict, list]) -> None:
    for command, begins in WORKING.items():
        status, out, err = found[0][command]
        assert status == 0, err
        assert out.startswith(begins)
    for command, needs in REFUSED.items():
        said = f"{needs} the layer [models], which is not installed\n{LAYER}"
        assert found[0][command] == [1, "", said]


def test_pages_of_rankers_open_with_what_is_installed(found: tuple[dict, dict, list]) -> None:
    assert list(found[1]) == list(NEEDS)
    for name, page in found[1].items():
        assert page["exceptions"] == [], name
        assert {kind for kind, _ in page["boxes"]} == {"info"}, name
        sentence = f"{NEEDS[name]} the layer [models], which is not installed."
        assert any(text.startswith(sentence) for _, text in page["boxes"]), name
