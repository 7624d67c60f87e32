"""Names of authors: the packaged ones, lists as text, rows of a table and files."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import DataError, UsageError
from fairviz.extensions.ranker_audits import author_names
from fairviz.extensions.ranker_audits.author_names import (
    FEWEST_REMEDY,
    AuthorNames,
    format_names,
    names_of,
    packaged_names,
    parse_names,
    read_names,
)
from tests.conftest import refused
from tests.study.loaders.files import put

EMPTY = "the file is empty\nRemove it, or fill it."
NAMES = "Write a line as: gender,name, such as: female,Mary; a name in one gender alone."
FEW_NAMES = "Give two or more names of either gender: the placebo compares two of one."
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


def test_text_that_is_no_names() -> None:
    for text, said in {
        "": "the list has 0 female names",
        "female:Mary;male:James|John": "the list has 1 female name",
        "Mary,James": "the part 'Mary,James' of the list of names has no gender",
        "woman:Mary|Linda": "the name 'Mary' has the gender 'woman'",
        "female:Kim|Mary;male:James|kim": "the name 'kim' is of both genders",
        "female:Mary|77": "the female name '77' cannot be: there is no letter in the name",
    }.items():
        with refused(f"{said}\n{author_names.REMEDY}", UsageError):
            parse_names(text)


def test_rows_of_a_table_of_names() -> None:
    rows = [("female", " Mary  Ann "), ("female", "Linda"), ("male", "James"), (None, None), ("male", "John")]
    assert names_of([*rows, ("female", "linda")]) == AuthorNames(("Mary Ann", "Linda"), ("James", "John"))
    with refused("the female name '' cannot be: the name is empty\nGive a name a row."):
        names_of([("female", None)])
    with refused(f"the list has 1 male name\n{FEWEST_REMEDY}"):
        names_of(rows[:3])


def test_files_of_names_with_and_without_a_header_and_files_that_are_none(tmp_path: Path) -> None:
    for content in (
        "gender,name\nfemale,Mary  Ann\nmale,James\nfemale,Linda\nmale,John\n",
        "\ufefff\tMary Ann\nF\tLinda\n\nm\tJames\nMale\tJohn\nm\tjames\n",
    ):
        expected = AuthorNames(("Mary Ann", "Linda"), ("James", "John"))
        assert read_names(put(tmp_path, "names.csv", content), tmp_path) == expected
    for content, message in (
        ("", f"names.csv: {EMPTY}"),
        ("gender,name\n", f"names.csv: the list holds 0 female names\n{FEW_NAMES}"),
        ("female,Mary\nfemale,Linda\nmale,James\n", f"names.csv: the list holds 1 male name\n{FEW_NAMES}"),
        ("Mary\nfemale,\nfemale,1984\n", "names.csv:1: expected 2 columns, found 1: 'Mary'\n"
         "names.csv:2: the name is empty: 'female,'\n"
         f"names.csv:3: there is no letter in the name: 'female,1984'\n{NAMES}"),
        ("female,Kim\nwoman,Mary\nmale,KIM\n", "names.csv:2: unknown gender: 'woman,Mary'\n"
         f"names.csv:3: 'KIM' is female in line 1: 'male,KIM'\n{NAMES}"),
    ):  # fmt: skip
        with refused(message, DataError):
            read_names(put(tmp_path, "names.csv", content), tmp_path)
