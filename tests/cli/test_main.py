"""The command line itself: its help, its names, the words it corrects, and what it refuses before a verb begins."""

import re

import pytest

import fairviz
from fairviz.cli import all_commands, all_groups
from fairviz.measures import MEASURES
from fairviz.rankers import RANKERS
from tests.cli.cases import FOOTBALL_NOTE
from tests.conftest import ROOT, Call
from tests.extension_rows import rows


def test_help_names_every_verb(call: Call) -> None:
    text = call("--help").out
    for command in all_commands().values():
        assert f"\n  {command.name} " in text
        assert command.help in " ".join(text.split())


def test_without_a_verb_the_help_is_printed_with_every_group(call: Call) -> None:
    text = call().out
    for group, commands in all_groups().items():
        names = re.findall(r"^  ([a-z-]+) ", text.partition(f"\n{group}\n")[2].partition("\n\n")[0], re.MULTILINE)
        assert names == [command.name for command in commands]


@pytest.mark.parametrize(
    ("former", "name"),
    [("robustness", "sensitivity"), ("counterfactual", "gender-swap"), *rows("FORMER").items()],
)
def test_an_earlier_name_of_a_verb_is_read_and_not_listed(former: str, name: str, call: Call) -> None:
    assert call(f"{former} --help").out.split()[:3] == ["usage:", "fairviz", name]
    assert f"  {former} " not in call("--help").out


@pytest.mark.parametrize(("verb", "registry"), [("evaluate", MEASURES), ("rank", RANKERS)])
def test_help_of_a_verb_lists_its_registry(verb: str, registry: dict, call: Call) -> None:
    shown = " ".join(call(f"{verb} --help all").out.split())
    assert [record.summary for record in registry.values() if record.summary not in shown] == []


def test_the_help_of_check_says_what_a_folder_may_hold(call: Call) -> None:
    told = call("check --help all").out
    for line in (
        "  queries: .tsv .csv .jsonl .json .xlsx .parquet .txt .trec .sgml .sgm .xml",
        "  runs/NAME: .run .txt .trec .tsv .res .csv .jsonl .json .xlsx .parquet _predictions.json .zip .tar .tgz",
        "  qrels: .txt .qrels .tsv .csv .jsonl .json .xlsx .parquet",
        "  each but Parquet and study.toml also with .gz .bz2 .xz .zst behind its name",
    ):
        assert f"\n{line}" in told


def test_the_command_calls_itself_fairviz(call: Call) -> None:
    assert call("--help").out.startswith("usage: fairviz VERB ...")
    assert call("rank --help").out.startswith("usage: fairviz rank STUDY")
    assert call("--version").out == f"fairviz {fairviz.__version__}\n"


def test_what_a_remedy_names_is_there_in_every_installation() -> None:
    texts = {module: module.read_text(encoding="utf-8") for module in (ROOT / "fairviz").rglob("*.py")}
    assert [
        module for module, text in texts.items() if "python -m fairviz " in text or "-r requirements.txt" in text
    ] == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("evaluate football", "the following arguments are required: MEASURE"),
        ("evaluate football CWEx --k 0", "argument --k: '0' is not a whole number from 1 to 100,000"),
        ("evaluate football CWEx --k ten", "argument --k: 'ten' is not a whole number from 1 to 100,000"),
        ("evaluate football CWEx --k 999999999", "'999999999' is not a whole number from 1 to 100,000"),
        (f"gsr football --k {'9' * 5000}", f"argument --k: '{'9' * 40}' is not a whole number from 1 to 100,000"),
        ("app --port 70000", "argument --port: '70000' is not a whole number from 1 to 65,535"),
    ],
)
def test_wrong_options(line: str, message: str, call: Call) -> None:
    said = call(line, status=2)
    assert said.out == ""
    assert message in said.err


def test_wrong_options_print_no_usage(call: Call) -> None:
    assert call("compare --nothing", status=2).err == (
        "fairviz compare: the following arguments are required: STUDY, MEASURE\n"
        "All arguments: fairviz compare --help all\n"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("evalute", "there is no verb 'evalute'\nDid you mean evaluate? All verbs: fairviz --help\n"),
        ("GSR", "there is no verb 'GSR'\nDid you mean gsr? All verbs: fairviz --help\n"),
        ("check newswir", "called 'newswir'\nDid you mean newswire? Built in: "),
        ("evaluate newswire cwx", "unknown measure 'cwx'\nDid you mean CWEx? Use one of "),
        ("compare newswire CWEx --baseline bm52", "with\nDid you mean bm25? Use one of "),
        ("app --study nothing-here",
         "there is no study and no folder called 'nothing-here'\nBuilt in: newswire, football, "),
    ],
)  # fmt: skip
def test_a_wrong_word_names_the_nearest_right_one(line: str, message: str, call: Call) -> None:
    assert message in call(line, status=2).err


def test_an_error_is_printed_without_the_notes_of_its_verb(call: Call) -> None:
    assert call("compare newswire CWEx --baseline bm52", status=2).err.startswith("there is no system 'bm52'")
    assert "note: " in call("check newswire").err


def test_check(call: Call) -> None:
    said = call("check football --format csv")
    assert said.err == FOOTBALL_NOTE
    assert {row["part"] for row in said.rows} >= {"queries", "documents", "runs", "labels"}
