"""What every check promises: a study that triggers it, one that passes, one to which it does not apply, its texts."""

import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from fairviz.checks import CHECKS
from fairviz.checks.context import NEEDS, Context
from fairviz.checks.running import outcome
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.measures import MEASURES
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.state.registry import PAGES, keys_of
from tests.checks.cases import Case
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
def test_a_check_is_described_and_has_the_three_cases(module: str) -> None:
    assert {name for where, name in CASES if where == module} >= set(KINDS)
    check = OWN[module]
    assert re.fullmatch(r"FV\d{3}", check.code)
    assert check.question.endswith("?")
    assert not check.title.endswith(".")
    for text in (check.means, check.harmless, check.advice):
        assert text.endswith(".")


def test_a_case_is_of_a_check_and_codes_are_in_order() -> None:
    assert {module for module, _ in CASES} <= set(OWN)
    assert list(CHECKS.own) == sorted(CHECKS.own)


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
