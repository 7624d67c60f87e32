"""Docstrings of public functions: sections of numpydoc with every parameter, and examples that run."""

import doctest
import importlib
import inspect
import re
import sys
from pathlib import Path

import pytest

import fairviz
from tests.extension_rows import rows

FUNCTIONS = sorted(name for name in fairviz.__all__ if inspect.isfunction(getattr(fairviz, name)))
SECTIONS = ["Parameters", "Returns", "Raises", "Examples"]
EXAMPLES_NOT_RUN = {name for name, reason in rows("PUBLIC").items() if reason}
HEAD = re.compile(r"^(\w+)\n-+$", re.MULTILINE)


def sections(text: str) -> dict[str, str]:
    """The sections of a docstring by name, in order."""
    parts = HEAD.split(text)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def documented(section: str) -> list[str]:
    """The names of a section of parameters, in order."""
    heads = re.findall(r"^(\S[^:\n]*?)(?: : .+)?$", section, re.MULTILINE)
    return [name.lstrip("*") for head in heads for name in head.split(", ")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_has_every_section_and_every_parameter(name: str) -> None:
    function = getattr(fairviz, name)
    parts = sections(inspect.getdoc(function) or "")
    assert list(parts) == SECTIONS
    assert sorted(documented(parts["Parameters"])) == sorted(inspect.signature(function).parameters)
    assert all(text.strip() for text in parts.values())
    described = re.findall(r"^\S.*\n(.*)", parts["Parameters"], re.MULTILINE)
    assert all(line.startswith("    ") for line in described)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_examples_of_a_public_function_run(name: str) -> None:
    function = getattr(fairviz, name)
    (test,) = doctest.DocTestFinder(recurse=False).find(function, name, sys.modules[function.__module__])
    outcome = doctest.DocTestRunner(verbose=False).run(test)
    assert outcome.failed == 0
    assert len(test.examples) >= 2
    assert (outcome.attempted < len(test.examples)) is (name in EXAMPLES_NOT_RUN)


def test_the_examples_of_all_other_functions_run() -> None:
    """Of every file but the extensions, which test their own."""
    failed, root = [], Path(fairviz.__file__).parent
    public = {f"{getattr(fairviz, name).__module__}.{name}" for name in FUNCTIONS}
    files = [path for path in root.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8")]
    for path in sorted(path for path in files if "extensions" not in path.parts):
        name = ".".join(("fairviz", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        for test in doctest.DocTestFinder().find(importlib.import_module(name), name):
            if test.name not in public:
                doctest.DocTestRunner().run(test, out=failed.append)
    assert "".join(failed) == ""
