"""The command line itself: its help, its names, the words it corrects, and what it refuses before a verb begins."""

import re

import pytest

import fairviz
from fairviz.cli import all_groups
from fairviz.measures import MEASURES
from fairviz.rankers import RANKERS
from tests.cli.test_evaluate import FOOTBALL_NOTE
from tests.conftest import ROOT, Call
from tests.extension_rows import rows


def test_without_a_verb_the_help_is_printed_with_every_verb_in_its_group(call: Call) -> None:
    text = call().out
    assert text == call("--help").out
    assert text.startswith("usage: fairviz VERB ...")
    for group, commands in all_groups().items():
        part = text.partition(f"\n{group}\n")[2].partition("\n\n")[0]
        names = re.findall(r"^  ([a-z-]+) ", part, re.MULTILINE)
        assert names == [command.name for command in commands]
        assert [command.help for command in commands if command.help not in " ".join(part.split())] == []
    assert call("--version").out == f"fairviz {fairviz.__version__}\n"


@pytest.mark.parametrize(
    ("former", "name"),
    [("robustness", "sensitivity"), ("counterfactual", "gender-swap"), *rows("FORMER").items()],
)
def test_an_earlier_name_of_a_verb_is_read_and_not_listed(former: str, name: str, call: Call) -> None:
    assert call(f"{former} --help").out.split()[:3] == ["usage:", "fairviz", name]
    assert f"  {former} " not in call("--help").out


def test_help_of_a_verb_lists_its_registry(call: Call) -> None:
    for verb, registry in (("evaluate", MEASURES), ("rank", RANKERS)):
        shown = " ".join(call(f"{verb} --help all").out.split())
        assert [record.summary for record in registry.values() if record.summary not in shown] == []
    shown = call("sensitivity --help all").out
    assert "  tokenizer: how text is cut\n" in shown
    shown = call("check --help all").out
    for line in (
        "  queries: .tsv .csv .jsonl .json .xlsx .parquet .txt .trec .sgml .sgm .xml",
        "  runs/NAME: .run .txt .trec .tsv .res .csv .jsonl .json .xlsx .parquet _predictions.json .zip .tar .tgz",
        "  qrels: .txt .qrels .tsv .csv .jsonl .json .xlsx .parquet",
        "  each but Parquet and study.toml also with .gz .bz2 .xz .zst behind its name",
    ):
        assert f"\n{line}" in shown


def test_what_a_remedy_names_is_there_in_every_installation() -> None:
    texts = {module: module.read_text(encoding="utf-8") for module in (ROOT / "fairviz").rglob("*.py")}
    assert [
        module for module, text in texts.items() if "python -m fairviz " in text or "-r requirements.txt" in text
    ] == []


def test_an_error_is_printed_without_usage_or_the_notes_of_its_verb(call: Call) -> None:
    assert call("compare --nothing", status=2).err == (
        "fairviz compare: the following arguments are required: STUDY, MEASURE\n"
        "All arguments: fairviz compare --help all\n"
    )
    assert call("compare newswire CWEx --baseline bm52", status=2).err.startswith("there is no system 'bm52'")
    assert "note: " in call("check newswire").err


def test_check(call: Call) -> None:
    said = call("check football --format csv")
    assert said.err == FOOTBALL_NOTE
    assert {row["part"] for row in said.rows} >= {"queries", "documents", "runs", "labels"}
