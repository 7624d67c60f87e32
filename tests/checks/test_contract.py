"""Promises of every check: a study that triggers it, one that passes, those to which it does not apply, its texts."""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from fairviz.checks import CHECKS
from fairviz.checks.context import NEEDS, Context
from fairviz.checks.running import outcome
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.measures import MEASURES
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study
from fairviz.ui.state.registry import PAGES, keys_of
from tests.checks.cases import LABELS, Case, labelled, sound
from tests.conftest import ROOT

KINDS = ("triggers", "passes", "does_not_apply")
CASES: dict[tuple[str, str], Callable[[], Case]] = {  # by the module of the check and the name of the function
    (path.stem, name): function
    for path in sorted((Path(__file__).parent / "cases").glob("[a-z]*.py"))
    for name, function in vars(import_module(f"tests.checks.cases.{path.stem}")).items()
    if name.startswith(KINDS)
}
OWN = {check.run.__module__.rpartition(".")[2]: check for check in CHECKS.own.values()}


@pytest.mark.parametrize("module", OWN)
def test_a_check_is_described_and_has_its_cases(module: str) -> None:
    assert {name for where, name in CASES if where == module} >= {"triggers", "passes"}
    check = OWN[module]
    assert re.fullmatch(r"FV\d{3}", check.code)
    assert check.question.endswith("?")
    assert not check.title.endswith(".")
    for text in (check.means, check.harmless, check.advice):
        assert text.endswith(".")


def test_a_case_is_of_a_check_and_codes_are_in_order() -> None:
    assert {module for module, _ in CASES} <= set(OWN)
    assert list(CHECKS.own) == sorted(CHECKS.own)


MACHINE = {"labels": labelled({"bot": LABELS}), "annotators": {"bot": Annotator("bot", "rule")}}
LACKS: dict[str, tuple[dict[str, Any], Settings, str]] = {  # to each need the changes of a study that lacks it
    "runs": ({"runs": None}, Settings(), "the study has no runs"),
    "two systems": ({}, Settings(systems=("left",)), "fewer than two systems are tested"),
    "measures": (dict.fromkeys(("labels", "documents", "qrels")), Settings(), "no measure has its data in this study"),
    "measures of labels": (MACHINE, Settings(columns=("NFaiRR",)), "no measure of labels has its data in this study"),
    "texts": ({"documents": None}, Settings(), "the study has no text of documents"),
    "labels": ({"labels": None}, Settings(), "the study has no gender labels"),
    "machine labels": ({}, Settings(), "no machine's labels count"),
    "several annotators": ({"labels": labelled({"ann": LABELS})}, Settings(), "fewer than two annotators vote"),
}


@pytest.mark.parametrize("need", LACKS)
def test_a_check_does_not_apply_where_what_it_needs_is_not_there(need: str) -> None:
    changes, settings, _ = LACKS[need]
    context = Context(sound(**changes), settings)
    checks = [check for check in CHECKS.own.values() if need in check.needs]
    assert checks
    for check in checks:
        found = outcome(check, context, slow=True)
        before = check.needs[: check.needs.index(need) + 1]  # the first that is lacking is named
        reasons = [LACKS[one][2][1:] for one in before]
        assert found.state == "not applicable", found
        assert any(reason in found.text for reason in reasons), found


@pytest.mark.parametrize(("module", "name"), CASES)
def test_a_check_does_what_its_case_is_for(module: str, name: str) -> None:
    """A finding has a sentence, numbers, a remedy and a place in the app."""
    case = CASES[module, name]()
    found = outcome(OWN[module], Context(case.study, case.settings, case.looked), slow=True)
    kind = next(kind for kind in KINDS if name.startswith(kind))
    expected = {"triggers": OWN[module].severity, "passes": "passed", "does_not_apply": "not applicable"}[kind]
    assert found.state == expected, found
    assert case.says in found.text
    finding = found.finding
    assert (finding is not None) == (kind == "triggers")
    if finding is None:
        return
    assert finding.sentence.endswith(".")
    assert finding.remedy.endswith(".")
    assert finding.numbers
    assert all(number == number for number in finding.numbers.values())
    page, choices = finding.link
    assert page in PAGES
    assert (ROOT / "pages" / f"{page}.py").is_file()
    assert set(choices) <= {*CHOICES, *keys_of(page)}
    assert finding.link.address(case.settings).startswith(f"{page}?")
    names = {*MEASURES, case.settings.effectiveness}  # by which figures are marked
    assert names.issuperset(finding.measures)


def test_what_a_study_has_leaves_no_check_out_and_what_it_lacks_is_named(newswire: Study) -> None:
    """Packages' checks may need what no check of ours does."""
    whole = Context(newswire, Settings(annotator="lexicon", voters=("lexicon", "mentions")))
    bare = Context(make_study("bare"), Settings())
    assert [NEEDS[name](whole) for name in NEEDS] == [""] * len(NEEDS)
    assert all(NEEDS[name](bare) for name in NEEDS)
    assert NEEDS["qrels"](bare) == "the study has no relevance judgements"
