"""The command of an audit prints what the call computes; the verb's choices and controls are those of Python."""

import numpy as np
import pytest

import fairviz
from fairviz.extensions.ranker_audits.analysis import AUDITS
from fairviz.extensions.ranker_audits.auditing import ATTRIBUTION, LISTWISE, PAIRWISE
from fairviz.extensions.ranker_audits.pairs import SOURCES
from fairviz.output.recipes import call, command_of
from fairviz.study.record import Study
from fairviz.ui.state import registry
from tests.cli.test_hostile_arguments import verbs
from tests.output.test_commands import in_process
from tests.pages.test_panels import same


@pytest.mark.parametrize(
    ("options", "table"),
    [
        ({"queries": 3, "annotator": "mentions", "neutral": False}, "found.table"),
        ({"kind": "listwise", "queries": 3, "per_list": 10}, "found.by_attribute()"),
        ({"kind": "attribution", "queries": 2}, "found.table"),
    ],
    ids=("pairs", "lists", "names"),
)
def test_the_verb_prints_the_table(
    options: dict, table: str, newswire: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    made = call(fairviz.audit, newswire, "bm25", **options)
    expected = eval(table, {"found": made.function(*made.arguments, **made.keywords)})
    expected = expected.replace(np.inf, np.nan)  # which JSON does not have
    same(expected, in_process(command_of(made, table), capsys), command_of(made, table))


def test_there_is_no_command_for_numbers_that_no_verb_prints(newswire: Study) -> None:
    assert command_of(call(fairviz.audit, newswire, "bm25"), "found.by('category')") == ""


def test_choices_are_those_of_python() -> None:
    choices = {one.dest: one.choices for one in verbs()["audit"]._actions if one.choices}
    assert tuple(one.replace("-", " ") for one in choices["pairs"]) == SOURCES
    assert choices["kind"] == (PAIRWISE, LISTWISE, ATTRIBUTION)


def test_each_control_of_a_record_is_in_the_address() -> None:
    keys = {control.key for record in AUDITS.values() for control in record.controls}
    assert keys
    assert keys <= set(registry.CHOICES)
