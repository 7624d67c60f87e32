"""How errors read."""

import pytest

from fairviz.errors import BadLine, DataError, FairvizError, UsageError, display_path, expect_whole
from tests.conftest import refused


def test_a_remedy_stands_on_its_own_line() -> None:
    assert str(FairvizError("it is wrong", "Mend it.")) == "it is wrong\nMend it."
    assert str(UsageError("it is wrong")) == "it is wrong"


def test_a_bad_line() -> None:
    for line, text in (
        (BadLine("a.run", 2, "expected 6 columns, found 5", "1 Q0"), "a.run:2: expected 6 columns, found 5: '1 Q0'"),
        (BadLine("a.run", 0, "the file is empty"), "a.run: the file is empty"),
        (BadLine("a.run", 3, "odd", "x" * 120), "a.run:3: odd: '" + "x" * 120 + "'"),
        (BadLine("a.run", 3, "odd", "x" * 121), "a.run:3: odd: '" + "x" * 119 + "…'"),
        (BadLine("a.run", 3, "odd", ""), "a.run:3: odd: ''"),
    ):
        assert str(line) == text


@pytest.mark.parametrize(
    ("count", "ending"), [(20, ""), (21, "\n… and 1 more bad line"), (3020, "\n… and 3,000 more bad lines")]
)
def test_twenty_lines_are_shown_and_the_rest_counted(count: int, ending: str) -> None:
    error = DataError([BadLine("f", place, "odd") for place in range(1, count + 1)], ["Mend it.", "Mend it.", ""])
    shown = "\n".join(f"f:{place}: odd" for place in range(1, 21))
    assert str(error) == f"{shown}{ending}\nMend it."
    assert len(error.lines) == count


def test_paths_are_named_from_the_study_folder() -> None:
    assert display_path("/studies/mine/runs/a.run", "/studies/mine") == "runs/a.run"
    assert display_path("/other/a.run", "/studies/mine") == "/other/a.run"
    assert display_path("a.run") == "a.run"


def test_a_whole_number_is_within_its_ends() -> None:
    for value, high, text in (
        (0, None, "n is 0\nUse a whole number of 1 or more."),
        (2001, 2000, "n is 2001\nUse a whole number from 1 to 2,000."),
        (1.5, 2000, "n is 1.5\nUse a whole number from 1 to 2,000."),
        (True, None, "n is True\nUse a whole number of 1 or more."),
    ):
        expect_whole("n", 1, 1, high)
        with refused(text, UsageError):
            expect_whole("n", value, 1, high)
