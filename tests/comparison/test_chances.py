import pytest

from fairviz.comparison.chances import chance, listed, naming, signed
from fairviz.words.rich_text import plain


@pytest.mark.parametrize(
    ("p", "several", "text"),
    [
        (0.0021, False, "p = .002"),
        (0.0009, False, "p < .001"),
        (0.0183, True, "p ≤ .019"),  # rounded up, so that it stays true
        (0.0499, False, "p < .05"),
        (0.0496, True, "p < .05"),
        (0.05, False, "p = .050"),
        (1.0, False, "p = 1.000"),
    ],
)
def test_a_chance_is_never_written_on_the_wrong_side(p: float, several: bool, text: str) -> None:
    assert chance(p, several=several) == text


def test_a_difference_has_a_true_sign_and_is_never_0_where_it_is_not() -> None:
    assert [signed(value) for value in (0.0751, -0.0751, 0.00004, 0.0)] == ["+0.075", "−0.075", "+4.0e−05", "+0.000"]


def test_few_names_are_named_and_many_counted() -> None:
    assert plain(naming(("a", "b", "c"), ())) == "a, b and c"
    assert plain(naming(("a", "b", "c", "d"), ())) == "4 systems"
    assert plain(naming(("a", "b", "c", "d"), ("d", "x"))) == "d and 3 more"
    assert listed(["a"]) == "a"
