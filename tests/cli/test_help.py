"""The help of every verb: short, with an example that runs."""

import shlex
from pathlib import Path

import pytest

from fairviz.cli import all_commands
from fairviz.cli.main import parser
from fairviz.cli.options import COMMON
from fairviz.evaluation.settings import CHOICES
from tests.conftest import Call
from tests.extension_rows import rows

MOST_LINES = 60
NOT_RUN = {  # with the reason
    "app": "it opens a browser",
    "docs": "it opens a browser",
    "attach": "it needs a collection",
    "replace-people": "no built-in study has labels of three people",
    "annotator-groups": "no built-in study has groups of annotators",
    **rows("NOT_RUN"),
}
COMMANDS = all_commands()


@pytest.mark.whole
def test_common_choices_are_in_the_short_help_and_every_choice_in_the_whole(call: Call) -> None:
    short, whole = call("compare --help").out, call("compare --help all").out
    offered = {name: choice.option for name, choice in CHOICES.items() if choice.option and not choice.verbs}
    assert {name for name, option in offered.items() if f"  {option} " in short} == set(COMMON)
    assert {name for name, option in offered.items() if f"  {option} " in whole} == set(offered)
    assert "Everything else: fairviz compare --help all" in short
    assert whole.index("--k K") < whole.index("more options:\n") < whole.index("  --tokenizer")
    assert call("check --help football").out == call("check football --help").out, "help before the study is the short"


@pytest.mark.parametrize("verb", COMMANDS)
def test_the_help_of_a_verb_is_short_and_has_an_example(verb: str, call: Call) -> None:
    text = call(f"{verb} --help").out
    assert len(text.splitlines()) <= MOST_LINES
    assert f"Example: fairviz {verb}" in text
    assert parser().parse_args(shlex.split(COMMANDS[verb].example)).verb == verb


@pytest.mark.parametrize("verb", [verb for verb in COMMANDS if verb not in NOT_RUN])
def test_the_example_of_a_verb_runs(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "home"))
    if verb == "replay":
        call(COMMANDS["capsule"].example)
    (tmp_path / "collection.tsv").write_text("d1\tShe reads her book.\n", encoding="utf-8")
    call(COMMANDS[verb].example)
