"""Zipped studies, the honest and the hostile."""

import io
import shutil
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fairviz.errors import FairvizError
from fairviz.study.loaders import archive
from fairviz.study.loaders.archive import AGAIN, read_zip

QUERIES = "query_id,text\n1,x\n"


def zipped(members: Mapping[Any, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return stream.getvalue()


def refusal(content: bytes, folder: Path, **limits: int) -> str:
    with pytest.raises(FairvizError) as error:
        read_zip(content, folder, **limits)
    assert list(folder.iterdir()) == [], "nothing is left behind"
    return str(error.value)


def test_a_study_in_the_zip_or_in_one_folder_of_it(tmp_path: Path) -> None:
    flat = read_zip(zipped({"queries.csv": QUERIES, "runs/a.run": "x"}), tmp_path / "a")
    assert flat == tmp_path / "a" / "study"
    assert (flat / "runs" / "a.run").read_text() == "x"
    path = tmp_path / "upload.zip"
    path.write_bytes(zipped({"mine/queries.csv": QUERIES, "mine/runs/a.run": "x", "__MACOSX/mine/._a": "x"}))
    assert read_zip(path, tmp_path / "b") == tmp_path / "b" / "upload" / "mine"
    runs_only = read_zip(zipped({"runs/a.run": "x"}), tmp_path / "c")
    assert runs_only == tmp_path / "c" / "study"


def test_a_member_that_climbs_out_and_a_link(tmp_path: Path) -> None:
    for name in ("../evil.csv", "a/../../evil.csv", "/etc/evil.csv", "..\\evil.csv", "C:\\evil.csv", "a/b/../../../e"):
        content = zipped({"queries.csv": QUERIES, name: "x"})
        assert refusal(content, tmp_path) == f"the zip holds a member outside its folder: {name!r}\n{AGAIN}"
    member = zipfile.ZipInfo("queries.csv")
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    assert refusal(zipped({member: "/etc/passwd"}), tmp_path) == (
        "the zip holds a link: 'queries.csv'\nPut the file itself into the zip."
    )


def test_too_much_too_many_and_out_of_all_proportion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = zipped({"a.csv": "x" * 600, "b.csv": "x" * 600})
    message = "the zip unpacks to more than a study may hold\nKeep it below 2 GiB."
    assert refusal(content, tmp_path, most_bytes=1000) == message
    assert read_zip(content, tmp_path / "kept", most_bytes=1200).is_dir()
    shutil.rmtree(tmp_path / "kept")
    honest = zipped({"queries.csv": b"0" * 3_000_000})
    size = (3_000_000).to_bytes(4, "little")
    assert honest.count(size) == 2
    lying = honest.replace(size, (10).to_bytes(4, "little"))
    assert refusal(lying, tmp_path).startswith("the upload is not a sound zip file\n")
    monkeypatch.setattr(archive, "FREE_BYTES", 1_000_000)
    assert refusal(honest, tmp_path) == f"the zip unpacks out of all proportion: 'queries.csv'\n{AGAIN}"
    monkeypatch.setattr(archive, "MOST_FILES", 2)
    content = zipped({f"{place}.csv": "x" for place in range(3)})
    assert refusal(content, tmp_path) == "the zip holds 3 files\nA study has 2 at most."


def test_what_is_no_zip(tmp_path: Path) -> None:
    whole = zipped({"queries.csv": QUERIES * 100}, zipfile.ZIP_STORED)
    damaged = whole[:60] + b"\xff" + whole[61:]
    for content in (b"", b"query_id,text\n", whole[:-30], damaged):
        assert refusal(content, tmp_path) == f"the upload is not a sound zip file\n{AGAIN}"
    assert refusal(zipped({".DS_Store": "x"}), tmp_path) == f"the zip is empty\n{AGAIN}"
    encrypted = bytearray(whole)
    for start in (6, whole.index(b"PK\x01\x02") + 8):
        encrypted[start] |= 1
    assert refusal(bytes(encrypted), tmp_path) == ("the zip is encrypted: 'queries.csv'\nZip it without a password.")


def renamed(content: bytes, old: bytes, new: bytes, flag: int = 0) -> bytes:
    """The zip with a member's name of the same length, and bits of its flags set in both of its headers."""
    assert len(old) == len(new)
    assert content.count(old) == 2
    changed = bytearray(content.replace(old, new))
    for start, place in ((content.index(b"PK\x03\x04"), 6), (content.index(b"PK\x01\x02"), 8)):
        number = int.from_bytes(changed[start + place : start + place + 2], "little") | flag
        changed[start + place : start + place + 2] = number.to_bytes(2, "little")
    return bytes(changed)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_names_that_are_none_too_long_too_deep_or_there_twice(tmp_path: Path) -> None:
    hidden = renamed(zipped({"queries.csv": QUERIES}), b"queries.csv", b"\0ueries.csv")
    assert refusal(hidden, tmp_path) == f"the zip holds a file without a name\n{AGAIN}"
    undecodable = renamed(zipped({"queries.csv": QUERIES}), b"queries.csv", b"\xff\xfeeries.csv", 0x800)
    assert refusal(undecodable, tmp_path) == (
        f"the upload holds a file whose name is not UTF-8: b'\\xff\\xfeeries.csv'\n{AGAIN}"
    )
    assert refusal(zipped({"é" * 150 + ".csv": "x"}), tmp_path) == (
        f"the zip holds a name of 304 bytes: '{'é' * 80}'…\nKeep names to 255 bytes."
    )
    deep = "a/" * 1500 + "b.csv"
    assert refusal(zipped({deep: "x"}), tmp_path) == (
        f"the zip holds more than 20 folders inside one another: '{deep[:80]}'…\n{AGAIN}"
    )
    twice = zipped({zipfile.ZipInfo("queries.csv"): "x", "queries.csv": "y"})
    assert refusal(twice, tmp_path) == "the zip holds two files called 'queries.csv'\nKeep one of them."
    assert refusal(zipped({"a": "x", "a/b": "y"}), tmp_path).startswith("the upload cannot be unpacked (")


METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


@pytest.mark.parametrize("method", METHODS)
def test_damage_anywhere_is_one_line_and_leaves_nothing(tmp_path: Path, method: int) -> None:
    """Every byte in turn inverted, and the zip cut off here and there."""
    good = (QUERIES * 4, "doc_id,label\n1,f\n" * 4)
    whole = zipped(dict(zip(("q.csv", "l.csv"), good, strict=True)), method)
    cut = [whole[:place] for place in range(0, len(whole), 9)]
    inverted = [whole[:place] + bytes([byte ^ 0xFF]) + whole[place + 1 :] for place, byte in enumerate(whole)]
    for number, damaged in enumerate(cut + inverted):
        folder = tmp_path / str(number)
        folder.mkdir()
        told = ""
        try:
            read_zip(damaged, folder)
        except FairvizError as error:
            told = str(error)
        left = [path for path in folder.rglob("*") if path.is_file()]
        assert {path.read_text() for path in left} <= set(good)
        assert not (told and list(folder.iterdir())), "nothing is left behind"
        assert told.count("\n") == bool(told)


def test_an_interruption_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(archive, "_copy", stop)
    with pytest.raises(KeyboardInterrupt):
        read_zip(zipped({"queries.csv": QUERIES}), tmp_path)
    assert list(tmp_path.iterdir()) == []
