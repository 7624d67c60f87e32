"""Every verb with pipes, devices, folders, endless names, bytes that are no UTF-8 and endless numbers as arguments."""

import argparse
import functools
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairviz.analyses import ANALYSES
from fairviz.cli import all_commands
from fairviz.cli.main import main, parser
from tests.conftest import Call
from tests.extension_rows import rows

STUDY = "football"
BASE = {  # arguments that a verb takes; its own example where nothing shorter is needed here
    **{verb: shlex.split(command.example)[1:] for verb, command in all_commands().items()},
    "evaluate": [STUDY, "GSR@4"],
    "compare": [STUDY, "CWEx@4"],
    "explain": [STUDY, "CWEx@4", "--system", "left"],
    "atlas": [STUDY, "CWEx@4", "TExFAIR@4"],
    "sensitivity": [STUDY, "--systems", "left,right"],
    **{name: [STUDY] for name in (*ANALYSES, "bench", "check", "gsr", "agree", "consensus")},
    "gate": [STUDY, "--baseline", "left", "--candidate", "right", "--fail-if", "CWEx falls by 0.1"],
    "capsule": [STUDY, "-o", "c.zip", "--no-figures"],
    "replay": ["none.zip"],
    "report": [STUDY, "-o", "r.html"],
    "fetch": ["grep-biasir"],
    "attach": ["mine", "--collection", "none.tsv"],
    "rank": [STUDY, "--with", "bm25"],
    "annotate": [STUDY],
    "study-form": [STUDY],
    "adjudications": ["import", STUDY, "none.csv"],
    "app": ["--study", "none"],
    "docs": [],
    **rows("BASE"),
}
FREE_TEXT = rows("FREE_TEXT")  # options that any text is right for
# What names a file or a folder, by its place in the help; the text of the grammars is in GRAMMARS below.
PATHS = ("FILE", "RUN", "BIAS", "STUDY", "VECTORS", "CAPSULE", "FOLDER", "DIR", "MODEL", "PROMPT", "TARGETS")
WRITTEN = ("output", "outcomes", "report")  # a pipe may well be written to
UNREAD = {("evaluate", "embedding")}
LONG = "n" * 5000
NOT_UTF8 = os.fsdecode(b"a\xffb")
OPENED: list[str] = []
WATCHED: set[str] = set()


def _watch(event: str, arguments: tuple) -> None:
    """Refuse to open a watched path in a way that may wait for ever, and note it."""
    if event == "open" and WATCHED and isinstance(arguments[0], (str, bytes)):
        path, flags = os.fsdecode(arguments[0]), arguments[2]
        if path in WATCHED and not flags & os.O_NONBLOCK:
            OPENED.append(path)
            raise AssertionError(f"{path} was opened")


sys.addaudithook(_watch)


@pytest.fixture
def pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A named pipe, the opening of which fails instead of waiting; the working folder holds nothing else to read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "qrels.txt").write_text("1 0 d1 1\n")
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    WATCHED.update((path, "/dev/zero"))
    OPENED.clear()
    yield path
    WATCHED.clear()


@functools.cache
def verbs() -> dict[str, argparse.ArgumentParser]:
    """The parser of each verb, which no test changes."""
    parsers = next(one for one in parser()._actions if isinstance(one, argparse._SubParsersAction)).choices
    for one in parsers.values():
        one.complete()
    return parsers


def given(verb: str, action: argparse.Action, value: str) -> list[str]:
    """The arguments of the verb with this value in the place of one of them."""
    arguments = list(BASE[verb])
    if action.option_strings:
        option = next((name for name in action.option_strings if name in arguments), None)
        if option is None:
            return [verb, *arguments, action.option_strings[-1], *[value] * (action.nargs == 2), value]
        arguments[arguments.index(option) + 1] = value
        return [verb, *arguments]
    positional = [one.dest for one in verbs()[verb]._actions if not one.option_strings]
    place = positional.index(action.dest)
    arguments[place : place + 1] = [value]
    return [verb, *arguments]


def taking_text(verb: str) -> list[argparse.Action]:
    """What the verb takes as free text."""
    return [one for one in verbs()[verb]._actions if one.nargs != 0 and not one.choices and one.type is None]


def status(arguments: list[str]) -> int:
    """The exit status; anything but an error for the person, or argparse's own, is raised."""
    try:
        return main(arguments)
    except SystemExit as stopped:
        return int(stopped.code or 0)


def shared(verb: str, action: argparse.Action) -> bool:
    """Whether the option is one of those that many verbs share, and which `evaluate` and `gsr` show for all."""
    own = {one.dest for one in verbs()[verb]._actions} - {one.dest for one in verbs()["evaluate"]._actions}
    return verb != "evaluate" and action.dest not in own and bool(action.option_strings)


@pytest.mark.parametrize("verb", BASE)
def test_pipes_devices_and_folders_are_refused(
    verb: str, pipe: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for action in taking_text(verb):
        metavar = str(action.metavar or action.dest.upper())
        if metavar not in PATHS or action.dest in WRITTEN or shared(verb, action):
            continue
        for value in (pipe, "/dev/zero", str(tmp_path)):
            found = status(given(verb, action, value))
            assert (found in (1, 2)) or (verb, action.dest) in UNREAD, (action.dest, value)
            assert not OPENED, (action.dest, value)
            assert capsys.readouterr().err


@pytest.mark.parametrize("verb", BASE)
def test_endless_names_and_other_bytes_are_refused_or_taken(verb: str, pipe: str) -> None:
    """None of them ends in anything but a status."""
    for action in taking_text(verb):
        if shared(verb, action) or action.dest in WRITTEN or (verb, action.dest) in FREE_TEXT:
            continue
        is_path = str(action.metavar or action.dest.upper()) in PATHS
        for value in (f"a/{LONG}" if is_path else LONG, NOT_UTF8):
            assert status(given(verb, action, value)) in (0, 1, 2), (action.dest, value[:20])


GRAMMARS = [
    ["rank", STUDY, "--with", "bi_encoder(adapter='{}')"],
    ["rank", STUDY, "--with", "bi_encoder(model='{}')"],
    ["annotate", STUDY, "--with", "llm(model='x',prompt='{}')", "--estimate"],
    ["annotate", STUDY, "--with", "llm(model='{}.gguf')"],
    ["attach", "mine", "--collection", "{}"],
    ["adjudications", "import", STUDY, "{}"],
    *rows("GRAMMARS").values(),
]


@pytest.mark.parametrize("arguments", GRAMMARS, ids=lambda arguments: " ".join(arguments[:1] + arguments[-1:]))
def test_pipes_inside_of_a_grammar_are_refused(arguments: list[str], pipe: str) -> None:
    if ".gguf" in arguments[-1]:
        os.mkfifo(f"{pipe}.gguf")
        WATCHED.add(f"{pipe}.gguf")
    assert status([text.format(pipe) for text in arguments]) in (1, 2)
    assert not OPENED


def numbers(verb: str) -> list[argparse.Action]:
    """The options of the verb that read a number."""
    found = []
    for action in verbs()[verb]._actions:
        for text in ("3", "0.5"):
            try:
                if isinstance(action.type(text), (int, float)):  # type: ignore[operator]
                    found.append(action)
                    break
            except (TypeError, ValueError, argparse.ArgumentTypeError):
                continue
    return found


ZERO_IS_A_VALUE = [
    ("annotate", "--price-in"), ("annotate", "--price-out"), ("study-form", "--test-every"), ("study-form", "--seed"),
    ("study-form", "--top"), ("gsr", "--left-out"), ("agree", "--tau"), *rows("ZERO_IS_A_VALUE"),
]  # fmt: skip
NO_CAPSULE = "(it is a pipe or a device)\nName a capsule that is there and can be read."


@pytest.mark.parametrize("verb", [verb for verb in BASE if numbers(verb)])
def test_no_number_is_endless_and_zero_is_one(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    for action in numbers(verb):
        for value in ("9" * 30, "9" * 5000, "1e999", "-1"):
            with pytest.raises(SystemExit) as stopped:
                verbs()[verb].parse_args([*BASE[verb], f"{action.option_strings[-1]}={value}"])
            assert stopped.value.code == 2
            last = capsys.readouterr().err
            assert f"{value[:40]!r}" in last, last
            assert len(last) < 250
        if (verb, action.option_strings[-1]) in ZERO_IS_A_VALUE:
            assert action.type("0") == 0


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["never-shown", "/proc/1/mem"], 1,
         "/proc/1/mem is a file, not a study folder\nGive the folder that holds it."),
        (["report", "PIPE", "-o", "r.html"], 1,
         "PIPE is a named pipe, not a study folder\nGive the folder that holds it."),
        (["replay", "/dev/zero"], 1, f"zero cannot be read {NO_CAPSULE}"),
        (["replay", "PIPE"], 1, f"pipe cannot be read {NO_CAPSULE}"),
        (["study-form", STUDY, "--guideline", "PIPE"], 1,
         "the guideline PIPE cannot be read (it is a pipe or a device)\nName a text file."),
        (["fetch", "grep-biasir", "--from", LONG], 1,
         f"there is no folder {LONG}\nGive the folder that holds queries.csv."),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)  # fmt: skip
def test_a_refusal_is_one_line_and_its_remedy(
    arguments: list[str], status: int, message: str, pipe: str, call: Call
) -> None:
    said = call([pipe if text == "PIPE" else text for text in arguments], status=status)
    assert said.err.endswith(message.replace("PIPE", pipe) + "\n")
    assert not OPENED


def test_a_study_whose_folder_is_named_in_other_bytes(tmp_path: Path, call: Call) -> None:
    """It is read and named with a replacement character; only labelling forms, whose database holds text, refuse it."""
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    (folder / "labels.csv").write_text("doc_id,label\nd1,neutral\n")
    (folder / "runs").mkdir()
    (folder / "runs" / "one.run").write_text("q1 Q0 d1 1 1 x\n")
    assert '"study": "caf\ufffd"' in call(f"evaluate {folder} CWEx --format json --provenance").out
    for arguments in ([str(folder), "--status"], [STUDY, "--moved-from", str(folder)]):
        told = call("study-form", arguments, status=1).err
        assert told.endswith("is not UTF-8\nRename it to label its documents.\n")
    call("study-form", [tmp_path / os.fsdecode(b"\xff")], status=2)


def test_a_data_folder_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    from fairviz.home import data_home

    home, looked_up = str(data_home()), os.stat

    def refused(path: object, *more: object, **options: object) -> os.stat_result:
        if isinstance(path, (str, Path)) and str(path).startswith(f"{home}/"):
            raise PermissionError(13, "Permission denied")
        return looked_up(path, *more, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", refused)
    assert call("fetch --list", status=1).err == (
        f"the data folder {home} cannot be read (Permission denied)\n"
        "Make it a folder that you can read and write, or set FAIRVIZ_HOME to one.\n"
    )
    said = call("fetch grep-biasir --from /none", status=1)
    assert said.err.startswith("could not write grep-biasir: Permission denied")
