"""Names of authors as text, as rows of a table, and in sets of four."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import FairvizError, UsageError
from fairviz.words.author_names import (
    FEWEST_REMEDY,
    REMEDY,
    AuthorNames,
    format_names,
    names_of,
    packaged_names,
    parse_names,
)

NAME = st.text(alphabet="aé-%|:; '", min_size=1, max_size=8).map(lambda text: " ".join(f"a{text}b".split()))


def test_the_packaged_names() -> None:
    names = packaged_names()
    assert (len(names.female), len(names.male), len(names.sets)) == (100, 100, 50)
    assert names.sets[0] == ("Mary", "Patricia", "James", "John")
    assert not {name.lower() for name in names.female} & {name.lower() for name in names.male}
    assert parse_names(format_names(names)) == names
    assert names_of(names.rows) == names


@given(st.lists(NAME, min_size=4, max_size=8, unique_by=str.casefold))
def test_any_names_as_text_and_back(listed: list[str]) -> None:
    names = AuthorNames(tuple(listed[:2]), tuple(listed[2:]))
    assert parse_names(format_names(names)) == names


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the list has 0 female names"),
        ("female:Mary;male:James|John", "the list has 1 female name"),
        ("Mary,James", "the part 'Mary,James' of the list of names has no gender"),
        ("woman:Mary|Linda", "the name 'Mary' has the gender 'woman'"),
        ("female:Kim|Mary;male:James|kim", "the name 'kim' is of both genders"),
        ("female:Mary|77", "the female name '77' cannot be: there is no letter in the name"),
    ],
)
def test_text_that_is_no_names(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_names(text)
    assert str(caught.value) == f"{said}\n{REMEDY}"


def test_rows_of_a_table() -> None:
    rows = [("female", " Mary  Ann "), ("female", "Linda"), ("male", "James"), (None, None), ("male", "John")]
    assert names_of([*rows, ("female", "linda")]) == AuthorNames(("Mary Ann", "Linda"), ("James", "John"))
    with pytest.raises(FairvizError) as caught:
        names_of([("female", None)])
    assert str(caught.value) == "the female name '' cannot be: the name is empty\nGive a name a row."
    with pytest.raises(FairvizError) as caught:
        names_of(rows[:3])
    assert str(caught.value) == f"the list has 1 male name\n{FEWEST_REMEDY}"
