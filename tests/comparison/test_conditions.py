"""Conditions of a gate, as they are written."""

import pytest

from fairviz.comparison.conditions import FORM, read_condition
from fairviz.errors import UsageError
from fairviz.evaluation.settings import Settings

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
        ("CWEx below -0.02", "CWEx(alpha=0.5)@5", "value", "<", -0.02),
        ("CWEx below −0.02", "CWEx(alpha=0.5)@5", "value", "<", -0.02),
        ("  NFaiRR(tau=0)@10 below 1e-2 ", "NFaiRR(tau=0)@10", "value", "<", 0.01),
        ("TED above 0.3", "TED@5", "value", ">", 0.3),
        ("Exposure(group='female') below 0.2", "Exposure(group='female')@5", "value", "<", 0.2),
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
        ("CWEx", f"cannot read the condition 'CWEx'\n{FORM}"),
        ("", f"cannot read the condition ''\n{FORM}"),
        ("< 0.1", f"cannot read the condition '< 0.1'\n{FORM}"),
        ("falls by 0.1", f"cannot read the condition 'falls by 0.1'\n{FORM}"),
        ("CWEx falls by ", f"cannot read the number '' of the condition 'CWEx falls by '\n{FORM}"),
        ("CWEx below much", f"cannot read the number 'much' of the condition 'CWEx below much'\n{FORM}"),
        ("CWEx < -0.1 < 0", f"cannot read the number '-0.1 < 0' of the condition 'CWEx < -0.1 < 0'\n{FORM}"),
        ("CWEx below nan", f"the number of the condition 'CWEx below nan' is nan\n{FORM}"),
        ("CWEx below -inf", f"the number of the condition 'CWEx below -inf' is -inf\n{FORM}"),
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
    with pytest.raises(UsageError) as caught:
        read_condition(text, SETTINGS)
    assert str(caught.value) == message


def test_an_unknown_measure_is_named() -> None:
    with pytest.raises(UsageError, match=r"unknown measure 'CWx'.*\nDid you mean CWEx\?"):
        read_condition("CWx falls by 0.1", SETTINGS)
