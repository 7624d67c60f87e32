"""Conditions of a gate, as they are written."""

import pytest

from fairviz.comparison.conditions import QUANTITIES, form, read_condition
from fairviz.errors import UsageError
from fairviz.evaluation.settings import Settings
from tests.conftest import refused

SETTINGS = Settings(cutoff=5)


@pytest.mark.parametrize(
    ("text", "measure", "of", "sign", "limit"),
    [
        ("CWEx falls by 0.02", "CWEx(alpha=0.5)@5", "difference", "<", -0.02),
        ("nDCG@10 falls by 0.01", "nDCG@10", "difference", "<", -0.01),
        ("Exposure(group='female') rises by 0.2", "Exposure(group='female')@5", "difference", ">", 0.2),
        ("CWEx worse by 0.02", "CWEx(alpha=0.5)@5", "difference", "<", -0.02),
        ("CWEx better by 0.02", "CWEx(alpha=0.5)@5", "difference", ">", 0.02),
        ("TED worse by 0.02", "TED@5", "difference", ">", 0.02),  # less is fairer
        ("TED better by 0.02", "TED@5", "difference", "<", -0.02),
        ("RaB worse by 0.5", "RaB@5", "difference", ">", 0.5),  # fairest at 0: farther from it
        ("GroupExposureRatio worse by 0", "GroupExposureRatio@5", "difference", ">", 0.0),
        ("GSR@10 worse by 0.05", "GSR@10", "difference", ">", 0.05),
        ("CWEx below −0.02", "CWEx(alpha=0.5)@5", "value", "<", -0.02),
        ("  NFaiRR(tau=0)@10 below 1e-2 ", "NFaiRR(tau=0)@10", "value", "<", 0.01),
        ("TED above 0.3", "TED@5", "value", ">", 0.3),
    ],
)
def test_what_a_condition_means(text: str, measure: str, of: str, sign: str, limit: float) -> None:
    found = read_condition(text, SETTINGS)
    assert (found.text, found.question.text, found.of, found.sign, found.limit) == (text, measure, of, sign, limit)
    assert found.below == (sign == "<")


def test_which_numbers_are_beyond() -> None:
    fall, high = read_condition("CWEx falls by 0.02", SETTINGS), read_condition("TED above 0.1", SETTINGS)
    assert [fall.is_exceeded_by(value) for value in (-0.03, -0.02, 0.0, float("nan"))] == [True, False, False, False]
    assert [high.is_exceeded_by(value) for value in (0.11, 0.1, -0.2, float("nan"))] == [True, False, False, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CWEx", f"cannot read the condition 'CWEx'\n{form()}"),
        ("", f"cannot read the condition ''\n{form()}"),
        ("< 0.1", f"cannot read the condition '< 0.1'\n{form()}"),
        ("falls by 0.1", f"cannot read the condition 'falls by 0.1'\n{form()}"),
        ("CWEx falls by ", f"cannot read the number '' of the condition 'CWEx falls by '\n{form()}"),
        ("CWEx below much", f"cannot read the number 'much' of the condition 'CWEx below much'\n{form()}"),
        ("CWEx < -0.1 < 0", f"cannot read the number '-0.1 < 0' of the condition 'CWEx < -0.1 < 0'\n{form()}"),
        ("CWEx below nan", f"the number of the condition 'CWEx below nan' is nan\n{form()}"),
        ("CWEx below -inf", f"the number of the condition 'CWEx below -inf' is -inf\n{form()}"),
        (
            "CWEx falls by -0.1",
            "the condition 'CWEx falls by -0.1' has a negative number after 'falls by'\nWrite it without the minus.",
        ),
        (
            "CWEx < -0.02",
            "the condition 'CWEx < -0.02' can mean a difference or a value\n"
            "Write 'CWEx falls by 0.02' for the difference to the baseline, or 'CWEx below -0.02' for the candidate's "
            "value.",
        ),
        (
            "TED ≥ 0.1",
            "the condition 'TED ≥ 0.1' can mean a difference or a value\n"
            "Write 'TED rises by 0.1' for the difference to the baseline, or 'TED above 0.1' for the candidate's "
            "value.",
        ),
        (
            "Exposure(group='female') worse by 0.1",
            "Exposure(group='female')@5 only describes: no value of it is worse than another "
            "(in \"Exposure(group='female') worse by 0.1\")\nWrite 'falls by' or 'rises by'.",
        ),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with refused(message, UsageError):
        read_condition(text, SETTINGS)


def test_an_unknown_measure_is_named() -> None:
    with pytest.raises(UsageError, match=r"unknown measure 'CWx'.*\nDid you mean CWEx\?"):
        read_condition("CWx falls by 0.1", SETTINGS)
    with pytest.raises(UsageError, match="cannot read the measure 'never showns'"):  # it begins like a quantity
        read_condition("never showns rises by 0.05", SETTINGS)


# --- conditions of a gate on other quantities than measures, as they are written


QUANTITY_FORM = (
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
    with refused(f"{message}\n{QUANTITY_FORM}", UsageError):
        read_condition(text, SETTINGS)


@pytest.mark.parametrize("name", list(QUANTITIES))
def test_every_quantity_reads_its_own_example(name: str) -> None:
    condition = read_condition(QUANTITIES[name].example, SETTINGS)
    assert condition.question.name == name
