"""Conditions of a gate, as they are written."""

import pytest

from fairviz.errors import UsageError
from fairviz.evaluation.conditions import FORM, read_condition
from fairviz.evaluation.settings import Settings

SETTINGS = Settings(cutoff=5)


@pytest.mark.parametrize(
    ("text", "measure", "sign", "limit"),
    [
        ("CWEx < -0.02", "CWEx(alpha=0.5)@5", "<", -0.02),
        ("CWEx<−0.02", "CWEx(alpha=0.5)@5", "<", -0.02),
        ("  NFaiRR(tau=0)@10 <= -1e-2 ", "NFaiRR(tau=0)@10", "<=", -0.01),
        ("TED ≥ 0.1", "TED@5", ">=", 0.1),
        ("RaB > 0", "RaB@5", ">", 0.0),
        ("Exposure(group='female') < 0", "Exposure(group='female')@5", "<", 0.0),
        ("nDCG@10 falls by 0.01", "nDCG@10", "<", -0.01),
        ("Exposure(group='female') rises by 0.2", "Exposure(group='female')@5", ">", 0.2),
        ("CWEx worse by 0.02", "CWEx(alpha=0.5)@5", "<", -0.02),
        ("CWEx better by 0.02", "CWEx(alpha=0.5)@5", ">", 0.02),
        ("TED worse by 0.02", "TED@5", ">", 0.02),  # less is fairer
        ("TED better by 0.02", "TED@5", "<", -0.02),
        ("RaB worse by 0.5", "RaB@5", ">", 0.5),  # fairest at 0: farther from it
        ("GroupExposureRatio worse by 0", "GroupExposureRatio@5", ">", 0.0),
        ("GSR@10 worse by 0.05", "GSR@10", ">", 0.05),
    ],
)
def test_what_a_condition_says(text: str, measure: str, sign: str, limit: float) -> None:
    found = read_condition(text, SETTINGS)
    assert (found.text, found.question.text, found.sign, found.limit) == (text, measure, sign, limit)
    assert found.below == sign.startswith("<")


def test_which_differences_lie_beyond() -> None:
    strict, closed = read_condition("CWEx < -0.02", SETTINGS), read_condition("CWEx <= -0.02", SETTINGS)
    assert [strict.beyond(value) for value in (-0.03, -0.02, 0.0, float("nan"))] == [True, False, False, False]
    assert [closed.beyond(value) for value in (-0.03, -0.02, 0.0)] == [True, True, False]
    assert [read_condition("TED >= 0.1", SETTINGS).beyond(value) for value in (0.1, 0.09)] == [True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CWEx", f"cannot read the condition 'CWEx'\n{FORM}"),
        ("", f"cannot read the condition ''\n{FORM}"),
        ("< 0.1", f"cannot read the condition '< 0.1'\n{FORM}"),
        ("CWEx < ", f"cannot read the number '' of the condition 'CWEx < '\n{FORM}"),
        ("CWEx < much", f"cannot read the number 'much' of the condition 'CWEx < much'\n{FORM}"),
        ("CWEx < -0.1 < 0", f"cannot read the number '-0.1 < 0' of the condition 'CWEx < -0.1 < 0'\n{FORM}"),
        ("CWEx < nan", f"the number of the condition 'CWEx < nan' is nan\n{FORM}"),
        ("CWEx < -inf", f"the number of the condition 'CWEx < -inf' is -inf\n{FORM}"),
        (
            "CWEx falls by -0.1",
            "the condition 'CWEx falls by -0.1' has a negative number after 'falls by'\nWrite it without the minus.",
        ),
        (
            "CWEx > -0.02",
            "the condition 'CWEx > -0.02' is met by a candidate that changes nothing\n"
            "Did you mean CWEx < -0.02? A limit of < is 0 or less, one of > is 0 or more.",
        ),
        (
            "CWEx <= 0",
            "the condition 'CWEx <= 0' is met by a candidate that changes nothing\n"
            "Did you mean CWEx < 0? A limit of < is 0 or less, one of > is 0 or more.",
        ),
        (
            "Exposure(group='female') worse by 0.1",
            "Exposure(group='female')@5 only describes: no value of it is worse than another "
            "(in \"Exposure(group='female') worse by 0.1\")\nWrite 'falls by' or 'rises by', or < or >.",
        ),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_condition(text, SETTINGS)
    assert str(caught.value) == message


def test_an_unknown_measure_is_named() -> None:
    with pytest.raises(UsageError, match=r"unknown measure 'CWx'.*\nDid you mean CWEx\?"):
        read_condition("CWx < -0.1", SETTINGS)
