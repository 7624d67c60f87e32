"""Conditions of a gate on other quantities than measures, as they are written."""

import pytest

from fairviz.comparison.conditions import QUANTITIES, read_condition
from fairviz.errors import UsageError
from fairviz.evaluation.settings import Settings

SETTINGS = Settings(cutoff=5)
FORM = (
    "Write 'never shown GROUP rises by X', or 'falls by', 'worse by', 'better by', 'below', 'above': "
    "'never shown female rises by 0.05'."
)


@pytest.mark.parametrize(
    ("text", "quantity", "of", "sign", "limit"),
    [
        ("never shown female rises by 0.05", "never shown female@5", "difference", ">", 0.05),
        ("never shown male falls by 0.05", "never shown male@5", "difference", "<", -0.05),
        ("never shown female worse by 0", "never shown female@5", "difference", ">", 0.0),  # less is fairer
        ("never shown female better by 0.1", "never shown female@5", "difference", "<", -0.1),
        ("never shown female above 0.3", "never shown female@5", "value", ">", 0.3),
        ("never shown  'non binary' below 1e-2", "never shown non binary@5", "value", "<", 0.01),
        ('never shown "rises by" above 0.3', "never shown rises by@5", "value", ">", 0.3),
    ],
)
def test_conditions_on_what_is_never_shown(text: str, quantity: str, of: str, sign: str, limit: float) -> None:
    condition = read_condition(text, SETTINGS)
    assert (condition.question.text, condition.of, condition.sign, condition.limit) == (quantity, of, sign, limit)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("never shown rises by 0.05", "cannot read the condition 'never shown rises by 0.05': it names no group"),
        (
            "never shown non binary rises by 0.05",
            "cannot read the condition 'never shown non binary rises by 0.05': a group of several words needs quotes",
        ),
    ],
)
def test_a_condition_without_a_group_is_refused_with_the_form(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_condition(text, SETTINGS)
    assert str(caught.value) == f"{message}\n{FORM}"


def test_a_word_that_only_begins_like_a_quantity_is_a_measure() -> None:
    with pytest.raises(UsageError, match="cannot read the measure 'never showns'"):
        read_condition("never showns rises by 0.05", SETTINGS)


@pytest.mark.parametrize("name", list(QUANTITIES))
def test_every_quantity_reads_its_own_example(name: str) -> None:
    condition = read_condition(QUANTITIES[name].example, SETTINGS)
    assert condition.question.name == name
