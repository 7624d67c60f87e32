"""study.toml and annotators.csv: every key, every slip, and back again; the kinds of annotators and the claim."""

from dataclasses import replace
from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.voters import voters_of
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.study.attributes import Attribute
from fairviz.study.loaders.metadata import KEYS, Claim, Metadata, format_metadata, read_metadata
from fairviz.study.study import make_study, open_study_folder, save_study, with_kinds
from tests.checks.cases import sound
from tests.conftest import refused
from tests.study.loaders.files import fill, put, refusal

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
    """tests/test_round_trip.py draws any texts."""
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
    assert format_metadata(Metadata()) == "\n"


def test_what_is_left_out_and_older_words_for_an_annotator(tmp_path: Path) -> None:
    for toml, found in (
        ("title = ''\n", Metadata()),
        ("groups = ['x', 'y']\n", Metadata(groups=("x", "y"), protected="x")),
        ("groups = ['male', 'female']\n", Metadata(groups=("male", "female"), protected="female")),
    ):
        assert read_metadata(put(tmp_path, "study.toml", toml)) == found
    kinds = {"human": "person", "Human with machine help": "mixed", "project": "mixed", "unknown": ""}
    for written, read in (kinds | {kind: kind for kind in ("person", "model", "rule", "mixed")}).items():
        one = read_metadata(put(tmp_path, "study.toml", f"[annotators.ann]\nkind = '{written}'\n"))
        assert one.annotators == {"ann": (read, "")}
        assert not read or format_metadata(one) == f'\n[annotators."ann"]\nkind = "{read}"\n'


NO_KIND = "the kind of annotators.ann is not one of human, human with machine help, model, rule, unknown"
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
    ("b = 1\ntitle = 1\n", "1: unknown key: 'b'\nstudy.toml:2: title is not text: '1'"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "message"), BAD)
def test_slips(tmp_path: Path, content: str, message: str) -> None:
    with refused(f"study.toml:{message}\nIts keys are {', '.join(KEYS)}.", DataError):
        read_metadata(put(tmp_path, "study.toml", content), tmp_path)


def test_no_toml(tmp_path: Path) -> None:
    with refused(
        'study.toml: not TOML: Invalid value (at line 1, column 9)\nWrite each line as: title = "My study".', DataError
    ):
        read_metadata(put(tmp_path, "study.toml", "title = My study\n"), tmp_path)


# --- Annotators, from either file to the voters and back.

LABELS = "doc_id,annotator,label\n" + "".join(f"d1,{name},f\n" for name in ("ann", "ben", "gpt", "words", "new"))


def folder_of(place: Path, annotators: str = "", metadata: str = "") -> Path:
    files = {"labels.csv": LABELS, "annotators.csv": annotators, "study.toml": metadata}
    return fill(place, {name: text for name, text in files.items() if text})


def test_kinds_come_from_either_file_and_no_kind_is_guessed(tmp_path: Path) -> None:
    declared = "annotator,kind,age,description\nann,human,31,A student.\nben,Human with machine help,,\nwords,rule,,\n"
    study = open_study_folder(folder_of(tmp_path / "s", declared, "[annotators.gpt]\nkind = 'model'\n"))
    kinds = {name: who.kind for name, who in study.annotators.items()}
    assert kinds == {"ann": "person", "ben": "mixed", "gpt": "model", "words": "rule", "new": ""}
    assert study.annotators["ann"].description == "A student.; age: 31"
    assert study.annotators["ann"].columns == (("age", "31"),)
    assert study.annotators["gpt"].columns == ()
    assert voters_of(study) == ("ann",)
    assert voters_of(study, ["all but rules"]) == ("ann", "ben", "gpt", "new")
    other = open_study_folder(folder_of(tmp_path / "t", "annotator,kind\nann,unknown\nwords,rule\n"))
    assert voters_of(other) == ("ann", "ben", "gpt", "new"), "nobody is a person unless declared so"
    assert study.fingerprint != other.fingerprint
    assert open_study_folder(save_study(study, tmp_path / "saved")).annotators == study.annotators
    people = with_kinds(other, {"ann": "human", "ben": "human"})
    assert voters_of(people) == ("ann", "ben")
    assert people.fingerprint != other.fingerprint
    assert voters_of(other) == ("ann", "ben", "gpt", "new"), "the study is unchanged"
    with pytest.raises(FairvizError, match="has no annotator 'nobody'"):
        with_kinds(study, {"nobody": "human"})
    with pytest.raises(UsageError, match="the kind of the annotator 'ann' is 'dog'"):
        with_kinds(study, {"ann": "dog"})


def test_a_file_without_kinds_adds_columns_to_the_kinds_of_the_metadata(tmp_path: Path) -> None:
    declared = "annotator,team,from\nann,north,Oslo \nben,south,\nnobody,north,\n"
    metadata = "annotator = 'bob'\n[annotators.ann]\nkind = 'human'\n"
    study = open_study_folder(folder_of(tmp_path / "s", declared, metadata))
    ann, ben = study.annotators["ann"], study.annotators["ben"]
    assert (ann.kind, ann.columns) == ("person", (("team", "north"), ("from", "Oslo")))
    assert (ben.kind, ben.columns) == ("", (("team", "south"),))
    assert "annotators.csv: nobody gave no label; a name must be written as in labels.csv." in study.warnings
    assert "study.toml: annotator names 'bob', who gave no label." in study.warnings
    other = open_study_folder(folder_of(tmp_path / "t", declared.replace("north", "west"), metadata))
    assert study.fingerprint != other.fingerprint
    saved = open_study_folder(save_study(study, tmp_path / "saved"))
    assert saved.annotators["ann"].columns == ann.columns
    made = make_study("made", labels=study.labels, annotators=study.annotators)
    assert with_kinds(made, {"ben": "human"}).annotators["ben"].columns == (("team", "south"),)
    assert made.fingerprint != make_study("made", labels=study.labels, annotators=other.annotators).fingerprint


@pytest.mark.parametrize(
    ("annotators", "metadata", "message"),
    [
        ("annotator,kind\nann,dog\n", "", "annotators.csv:2: this is no kind of annotator: 'dog'\nUse one of human,"),
        ("annotator,kind\nann,rule\nann,rule\n", "", "annotators.csv:3: "),
        ("annotator,kind\nann,rule\n", "[annotators.ann]\ncolumns = {age = 31}\n",
         "study.toml:1: annotators.ann is not a table of texts"),
        ("who,kind\nann,rule\n", "", "annotators.csv:1: "),
        ("annotator,kind\nann,rule\n", "[annotators.ann]\nkind = 'human'\n",
         "annotators.csv: 'ann' has another kind than in study.toml\nDeclare it in one of the two files."),
    ],
)  # fmt: skip
def test_slips_about_annotators(tmp_path: Path, annotators: str, metadata: str, message: str) -> None:
    folder = folder_of(tmp_path / "s", annotators, metadata)
    assert refusal(open_study_folder, folder).startswith(message)
    (folder / "annotators.tsv").write_text("annotator\tkind\nben\thuman\n")
    with pytest.raises(DataError, match=r"annotators\.csv: a study has one file of annotators, and annotators\.tsv is"):
        open_study_folder(folder)


# --- What a study declares beforehand, in [claim].

GOOD = {"measure": '"CWEx"', "better": '"left"', "worse": '"right"', "date": "2026-11-01"}
EARLIER = Claim("CWEx@5", "left", (), "2026-10-01", 0.1, had_runs=())
CLAIM = Claim("CWEx(alpha=0.5)@10", "left", ("right",), "2026-11-01", had_runs=("left",), earlier=(EARLIER, EARLIER))
WORSE = {'"right"': ("right",), '["right", "other"]': ("right", "other"), '"others"': (), '["others"]': ("others",)}


def claiming(folder: Path, **lines: str) -> Path:
    """A file with these lines as its claim; those of an empty text are left out."""
    written = "".join(f"{key} = {text}\n" for key, text in lines.items() if text)
    return put(folder, "study.toml", f"[claim]\n{written}")


def test_a_claim_is_read_and_saved(tmp_path: Path) -> None:
    for worse, names in WORSE.items():
        lines = GOOD | {"worse": worse, "margin": "0.5", "annotator": '"ann"'}
        claim = read_metadata(claiming(tmp_path, **lines)).claim
        assert claim == Claim("CWEx", "left", names, "2026-11-01", 0.5, "ann")
    for one in (claim, CLAIM):
        saved = fairviz.save_study(sound(claim=one), tmp_path / one.measure)
        assert fairviz.open_study(saved).claim == one
    assert sound().claim is None


def test_a_wrong_claim_of_python_is_refused() -> None:
    with pytest.raises(FairvizError, match=r"claim\.margin is not a number of 0 or more"):
        sound(claim=replace(CLAIM, margin=-1))
    with pytest.raises(FairvizError, match="Give a Claim"):
        sound(claim="left")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"date": ""}, 'claim.date is missing; write as date = "2026-11-01"'),
        ({"date": '"1 May"'}, "claim.date is not a date, as 2026-11-01: '1 May'"),
        ({"date": "2026-11-01T10:00:00"}, "claim.date is not a date"),
        ({"measure": "3"}, "claim.measure is not a text, as \"CWEx(alpha=0.5)@10\": '3'"),
        ({"worse": "[]"}, "claim.worse is not a system, a list of different systems"),
        ({"worse": '["left", "right"]'}, "claim.worse names the system that is claimed to be better"),
        ({"margin": "-1"}, "claim.margin is not a number of 0 or more, in units of the measure: '-1'"),
        ({"margin": "nan"}, "claim.margin is not a number of 0 or more"),
        ({"beter": '"x"'}, "claim.beter is an unknown key; claim has measure, better, worse, date, margin"),
        ({"had_runs": '"left"'}, "claim.had_runs is not a list of systems"),
        ({"earlier": "[3]"}, "claim.earlier is not a list of tables, as [[claim.earlier]]"),
        ({"earlier": '[{measure = "CWEx"}]'}, "claim.earlier.date is missing"),
    ],
)
def test_a_wrong_claim_is_refused_with_its_line(tmp_path: Path, changes: dict[str, str], told: str) -> None:
    assert f"study.toml:1: {told}" in refusal(read_metadata, claiming(tmp_path, **GOOD | changes), tmp_path)
