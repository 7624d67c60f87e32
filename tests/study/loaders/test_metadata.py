"""study.toml: every key, every slip, and back again."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import DataError
from fairviz.study.attributes import Attribute
from fairviz.study.loaders.metadata import KEYS, Metadata, format_metadata, read_metadata
from tests.conftest import refused
from tests.study.loaders.files import put

NO_KIND = "the kind of annotators.ann is not one of human, human with machine help, model, rule, unknown"
REMEDY = f"Its keys are {', '.join(KEYS)}."
FULL = """\
title = " A study "
description = '''two
lines'''
licence = "MIT"
citation = "Somebody (2024)"
groups = ["woman", "man", "other"]
neutral = "none"
protected = "man"
lexicon = "words.csv"
labels = "other"
annotator = "ann"
notices = ["Mind this."]
systems = ["b", "a"]
documents = "gensim:lee"

[targets]
woman = 0.5
other = 0.25
man = 0.25

[annotators.ann]
kind = "model"
description = "It guessed."

[annotators."a b"]

[attributes.h_index]
levels = ["low", "high"]
scale = "ordinal"
target = [0.25, 0.75]

[attributes."a b"]
levels = ["x", "y"]
"""


def test_every_key(tmp_path: Path) -> None:
    found = read_metadata(put(tmp_path, "study.toml", FULL))
    assert found == Metadata(
        title="A study",
        description="two\nlines",
        licence="MIT",
        citation="Somebody (2024)",
        groups=("woman", "man", "other"),
        neutral="none",
        protected="man",
        targets={"woman": 0.5, "man": 0.25, "other": 0.25},
        lexicon="words.csv",
        labels="other",
        annotator="ann",
        annotators={"ann": ("model", "It guessed."), "a b": ("", "")},
        notices=("Mind this.",),
        systems=("b", "a"),
        sources={"documents": "gensim:lee"},
        attributes={
            "h_index": Attribute(("low", "high"), "ordinal", (0.25, 0.75)),
            "a b": Attribute(("x", "y")),
        },
    )
    assert list(found.targets) == ["woman", "man", "other"], "targets stand in the order of the groups"
    assert read_metadata(put(tmp_path, "study.toml", format_metadata(found))) == found


def test_older_words_for_an_annotator_are_read_and_the_new_ones_written(tmp_path: Path) -> None:
    kinds = {"human": "person", "Human with machine help": "mixed", "project": "mixed", "unknown": ""}
    for written, read in (kinds | {kind: kind for kind in ("person", "model", "rule", "mixed")}).items():
        found = read_metadata(put(tmp_path, "study.toml", f"[annotators.ann]\nkind = '{written}'\n"))
        assert found.annotators == {"ann": (read, "")}
        assert not read or format_metadata(found) == f'\n[annotators."ann"]\nkind = "{read}"\n'


def test_what_is_left_out_and_several_slips_at_once(tmp_path: Path) -> None:
    for toml, found in (
        ("title = ''\n", Metadata()),
        ("groups = ['x', 'y']\n", Metadata(groups=("x", "y"), protected="x")),
        ("groups = ['male', 'female']\n", Metadata(groups=("male", "female"), protected="female")),
    ):
        assert read_metadata(put(tmp_path, "study.toml", toml)) == found
    assert format_metadata(Metadata()) == "\n"
    with pytest.raises(DataError) as error:
        read_metadata(put(tmp_path, "study.toml", "b = 1\ntitle = 1\na = 1\n"), tmp_path)
    assert [line.line for line in error.value.lines] == [1, 2, 3]


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20).map(str.strip)


@given(TEXT, st.lists(TEXT, max_size=3), st.dictionaries(TEXT, TEXT, max_size=3))
def test_any_text_comes_back(title: str, notices: list[str], people: dict[str, str]) -> None:
    import tempfile

    annotators = {name: ("rule", description) for name, description in people.items()}
    metadata = Metadata(title=title, notices=tuple(notices), annotators=annotators)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "study.toml")
        path.write_bytes(format_metadata(metadata).encode())
        assert read_metadata(path) == metadata


GROUPS = "groups must be two or more gender groups, the neutral one not among them"
LEVELS = "attributes.h: levels must be a list of texts without | and ="
BAD = [
    ("licens = 'MIT'\n", "1: unknown key: 'licens'"),
    ("\ntitle = 5\n", "2: title is not text: '5'"),
    ("groups = 'female'\n", "1: groups is not a list of texts: 'female'"),
    ("notices = [1]\n", "1: notices is not a list of texts: '[1]'"),
    ("targets = 1\n", "1: targets is not a table: '1'"),
    ("groups = ['female']\n", f"1: {GROUPS}"),
    ("groups = ['a', 'b']\nneutral = 'b'\n", f"1: {GROUPS}"),
    ("protected = 'x'\n", "1: protected is not one of the groups female, male: 'x'"),
    ("labels = 'x'\n", "1: labels is neither gender nor other: 'x'"),
    ("lexicon = '../words.csv'\n", "1: lexicon is not the name of a file in this folder: '../words.csv'"),
    ("title = 'x'\n[targets]\nfemale = 0.5\n",
     "2: targets must give a number for each of female, male: \"{'female': 0.5}\""),
    ("[targets]\nfemale = 0.5\nmale = 0.6\n",
     "1: targets must be above 0 and add up to 1: \"{'female': 0.5, 'male': 0.6}\""),
    ("[annotators.ann]\nkind = 'dog'\n", f"2: {NO_KIND}: 'dog'"),
    ("[annotators.ann]\nkind = ''\n", f"2: {NO_KIND}: ''"),
    ("[annotators.ann]\nknd = 'human'\n", "1: annotators.ann has an unknown key: 'knd'"),
    ("[annotators]\nann = 1\n", "1: annotators.ann is not a table of texts: '1'"),
    ("attributes = 1\n", "1: attributes is not a table: '1'"),
    ("[attributes]\nh = 1\n", "1: attributes.h is not a table: '1'"),
    ("title = ''\n[attributes.a]\nlevels = ['x', 'y']\n[attributes.b]\nlevels = ['x']\n",
     "4: attributes.b: levels must be two or more, each once: \"['x']\""),
    ("[attributes.h]\n", f"1: {LEVELS}"),
    ("[attributes.h]\nlevels = ['a|b', 'c']\n", f"1: {LEVELS}: \"['a|b', 'c']\""),
    ("[attributes.h]\nlevls = []\n", "1: attributes.h has an unknown key: 'levls'"),
    ("[attributes.h]\nlevels = ['a', 'b']\nscale = 'ratio'\n",
     "1: attributes.h: scale is neither nominal nor ordinal: 'ratio'"),
    ("[attributes.h]\nlevels = ['a', 'b']\ntarget = [0.5, 0.6]\n",
     "1: attributes.h: target must be 2 shares of 0 or more that add up to 1: '[0.5, 0.6]'"),
    ("\n[attributes.\"a+b\"]\nlevels = ['a', 'b']\n", "2: an attribute set is a column other than doc_id, title, text, "
     "without + and quotes in its name: 'a+b'"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BAD)
def test_slips(tmp_path: Path, content: str, message: str) -> None:
    with refused(f"study.toml:{message}\n{REMEDY}", DataError):
        read_metadata(put(tmp_path, "study.toml", content), tmp_path)


def test_no_toml(tmp_path: Path) -> None:
    with refused(
        'study.toml: not TOML: Invalid value (at line 1, column 9)\nWrite each line as: title = "My study".', DataError
    ):
        read_metadata(put(tmp_path, "study.toml", "title = My study\n"), tmp_path)
