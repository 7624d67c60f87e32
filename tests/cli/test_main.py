"""The command line itself: its help, its names, the words it corrects, and what verbs refuse."""

import re
import shlex
from pathlib import Path

import pytest

import fairviz
from fairviz.cli import all_commands, all_groups
from fairviz.cli.main import parser
from fairviz.cli.options import COMMON
from fairviz.evaluation.settings import CHOICES
from fairviz.measures import MEASURES
from fairviz.rankers import RANKERS
from tests.cli.test_evaluate import FOOTBALL_NOTE
from tests.conftest import ROOT, Call
from tests.extension_rows import rows

MOST_LINES = 60
COMMANDS = all_commands()
NOT_RUN = {  # with the reason
    "app": "it opens a browser",
    "docs": "it opens a browser",
    "attach": "it needs a collection",
    "capsule": "replay runs it",
    "replace-people": "no built-in study has labels of three people",
    "annotator-groups": "no built-in study has groups of annotators",
    **rows("NOT_RUN"),
}


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
    former = {"robustness": "sensitivity", "counterfactual": "gender-swap", **rows("FORMER")}
    for name, verb in former.items():
        assert call(f"{name} --help").out.split()[:3] == ["usage:", "fairviz", verb]
        assert f"  {name} " not in text


@pytest.mark.whole
def test_common_choices_are_in_the_short_help_and_every_choice_in_the_whole(call: Call) -> None:
    short, whole = call("compare --help").out, call("compare --help all").out
    offered = {name: choice.option for name, choice in CHOICES.items() if choice.option and not choice.verbs}
    assert {name for name, option in offered.items() if f"  {option} " in short} == set(COMMON)
    assert {name for name, option in offered.items() if f"  {option} " in whole} == set(offered)
    assert "Everything else: fairviz compare --help all" in short
    assert whole.index("--k K") < whole.index("more options:\n") < whole.index("  --tokenizer")
    assert call("check --help football").out == call("check football --help").out, "help before the study is the short"


def test_help_of_a_verb_lists_its_registry(call: Call) -> None:
    for verb, registry in (("evaluate", MEASURES), ("rank", RANKERS)):
        shown = " ".join(call(f"{verb} --help all").out.split())
        assert [record.summary for record in registry.values() if record.summary not in shown] == []
    assert "  tokenizer: how text is cut\n" in call("sensitivity --help all").out
    shown = call("check --help all").out
    for line in (
        "  queries: .tsv .csv .jsonl .json .xlsx .parquet .txt .trec .sgml .sgm .xml",
        "  runs/NAME: .run .txt .trec .tsv .res .csv .jsonl .json .xlsx .parquet _predictions.json .zip .tar .tgz",
        "  each but Parquet and study.toml also with .gz .bz2 .xz .zst behind its name",
    ):
        assert f"\n{line}" in shown


@pytest.mark.parametrize("verb", COMMANDS)
def test_the_help_of_a_verb_is_short_and_has_an_example(verb: str, call: Call) -> None:
    text = call(f"{verb} --help").out
    assert len(text.splitlines()) <= MOST_LINES
    assert f"Example: fairviz {verb}" in text
    assert parser({"": [COMMANDS[verb]]}).parse_args(shlex.split(COMMANDS[verb].example)).verb == verb


@pytest.mark.parametrize(
    "verb",
    [
        pytest.param(verb, marks=[pytest.mark.lengthy] * (verb == "report"))  # tests/output has one of a small study
        for verb in COMMANDS
        if verb not in NOT_RUN
    ],
)
def test_the_example_of_a_verb_runs(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "home"))
    if verb == "replay":
        call(COMMANDS["capsule"].example)
    (tmp_path / "collection.tsv").write_text("d1\tShe reads her book.\n", encoding="utf-8")
    call(COMMANDS[verb].example)


def test_what_a_remedy_names_is_there_in_every_installation() -> None:
    texts = {module: module.read_text(encoding="utf-8") for module in (ROOT / "fairviz").rglob("*.py")}
    words = ("python -m fairviz ", "-r requirements.txt")
    assert [module for module, text in texts.items() if any(word in text for word in words)] == []


def test_an_error_is_printed_without_usage_or_the_notes_of_its_verb(call: Call) -> None:
    assert call("compare --nothing", status=2).err == (
        "fairviz compare: the following arguments are required: STUDY, MEASURE\n"
        "All arguments: fairviz compare --help all\n"
    )
    assert call("compare newswire CWEx --baseline bm52", status=2).err.startswith("there is no system 'bm52'")
    said = call("check football --format csv")
    assert said.err == FOOTBALL_NOTE
    assert {row["part"] for row in said.rows} >= {"queries", "documents", "runs", "labels"}


# Of verbs alone: those of Python are tested where they are computed, and a verb prints them as they are.
NEW_FORM = "goes with a new form\nLeave out"
REFUSALS = [
    ("adjudications import football d.csv --labels", 2,
     "--labels goes with export\nLeave it out: import reads either kind of file.\n"),
    ("adjudications import football d.csv", 1, "d.csv: the file cannot be read (No such file or directory)\n"
     "Check that it is there and that you may read it.\n"),
    ("consensus newswire --voters project project", 2, "project is named twice\nName it once."),
    ("atlas newswire CWEx NFaiRR --k 5 --systems bm25 rrf", 2,
     "--systems A B belongs to --table queries\nWrite --table queries --systems bm25 tfidf.\n"),
    ("compare newswire CWEx --margin -1", 2,
     "margin is -1.0\nUse a number above 0, in units of the measure, such as 0.01.\n"),
    ("compare newswire CWEx --power 0.01", 2, "power is 0.01\nUse a number between 0.05 and 1, such as 0.8.\n"),
    ("compare newswire CWEx --format strip --wide", 2,
     "--format strip cannot show --wide\nLeave out one of the two.\n"),
    ("compare newswire CWEx --by-query rrf --margin 0.1", 2, "--by-query and --margin ask for different tables\n"),
    ("evaluate newswire CWEx --systems bm25,bm25", 2, "names 'bm25' twice"),
    ("evaluate newswire CWEx --corrected-by project --per-query", 2, "not be used with --per-query"),
    ("compare newswire CWEx --corrected-by project --slice topic", 2, "Leave out --slice"),
    ("evaluate football CWEx@4 --background run:bm25", 2,
     "football has no run 'bm25' for --background\nIts runs are left, right.\n"),
    ("evaluate newswire CWEx --tie-range --wide", 2, "--wide and --tie-range ask for different tables"),
    ("evaluate newswire CWEx --chance --wide", 2, "--wide and --chance ask for different tables"),
    ("evaluate newswire CWEx --range study --wide", 2, "--range and --wide ask for different tables"),
    ("evaluate newswire CWEx --range study --tie-range", 2, "--range and --tie-range ask for different tables"),
    ("evaluate newswire CWEx --range study --chance", 2, "--range and --chance ask for different tables"),
    ("evaluate newswire CWEx --range study --runs *.run", 2, "--range and --runs ask for different tables"),
    ("evaluate newswire CWEx --range study --corrected-by project", 2,
     "--corrected-by gives means, and cannot be used with --range"),
    ("evaluate newswire CWEx --where sport", 2, "Write one column and its value, as --where category=sport."),
    ("evaluate newswire CWEx --where category=sport --where text=x", 2,
     "Write one column and its value, as --where category=sport."),
    ("evaluate newswire TExFAIR --lexicon female:she|her;male:she", 2, "'she'"),
    ("fetch", 2, "fetch needs the name of a data set\nUse one of grep-biasir, "),
    ("fetch x", 2, "there is no data set 'x' to fetch\nUse one of grep-biasir, "),
    ("fetch grep-biasir --from /nowhere", 1,
     "there is no folder /nowhere\nGive the folder that holds queries.csv.\n"),
    ("gate football --baseline left --candidate up.run --fail-if 'CWEx falls by 0'", 1,
     "the candidate 'up.run' is neither a system of football nor a run file\n"
     "Its systems are left, right; or name a file such as runs/new.run.\n"),
    ("gate football --baseline left --candidate right --fail-if 'CWEx falls by 0' --undefined 7", 2,
     "'7' is not a share: write 5% or 0.05\nAll arguments: fairviz gate --help all\n"),
    ("gender-swap football --ranker bm25 --seeds 1 --table triples", 1,
     "football has no documents in three wordings\nThey are documents with a column query_id, judged alike for it, "
     "with a label of each gender and neutral.\n"),
    ("sensitivity newswire --systems bm25,bi_encoder --choice tau=few", 2,
     "tau is 'few'\nUse a whole number, as tau=1.\n"),
    ("sensitivity newswire --systems bm25,bi_encoder --choice alpha=much", 2,
     "alpha is 'much'\nUse a number, as alpha=0.5.\n"),
    ("sensitivity newswire --systems bm25,bi_encoder --choice tau=,", 2,
     "'tau=,' names no level\nWrite tau=… with commas between levels.\n"),
    ("sensitivity newswire --systems bm25", 2,
     "--systems is 'bm25'\nWrite two names with a comma between them, as bm25,tfidf.\n"),
    ("study-form football --without-tests", 2,
     "--least-tests and --without-tests go with --collect\nLeave them out, or add --collect.\n"),
    ("study-form football --form 1", 2,
     "--form goes with --status, --collect, --close or --html\nLeave it out: a new form gets a number.\n"),
    ("study-form football --status --guideline x", 2, f"--guideline {NEW_FORM} --status, or --guideline.\n"),
    ("study-form football --show-guideline --per-document 5", 2,
     f"--per-document {NEW_FORM} --show-guideline, or --per-document.\n"),
    ("study-form football --url lab:80", 2,
     "argument --url: 'lab:80' is not an address of a server, such as http://localhost:8501\n"),
    ("study-form football --status --collect", 2, "argument --collect: not allowed with argument --status\n"),
    ("study-form football --test-every 1", 2,
     "test_every is 1: every question would be a test question\nUse 2 or more, or 0 for none.\n"),
    ("study-form newswire --budget 50", 2, "--budget goes with a new form that --design draws"),
    ("study-form newswire --for bm25 --status", 2, "--for goes with a new form that --design draws"),
    ("study-form newswire --design queries --documents 9", 2, "--budget is their number"),
    ("study-form newswire --design documents --measure CWEx --annotator lexicon", 2,
     "CWEx(alpha=0.5)@10 is not a sum over documents"),
    ("study-form newswire --design queries --for none --annotator lexicon", 1, "no system 'none'"),
    # argparse
    ("evaluate football", 2, "the following arguments are required: MEASURE"),
    ("evaluate football CWEx --k ten", 2, "argument --k: 'ten' is not a whole number from 1 to 100,000"),
    ("evaluate football CWEx --wide --per-query", 2, "argument --per-query: not allowed with argument --wide"),
    ("app --port 70000", 2, "argument --port: '70000' is not a whole number from 1 to 65,535"),
    ("check football --excel", 2, "--excel is a kind of CSV\nAdd --format csv, or leave out --excel.\n"),
    # a wrong word names the nearest right one
    ("evalute", 2, "there is no verb 'evalute'\nDid you mean evaluate? All verbs: fairviz --help\n"),
    ("GSR", 2, "there is no verb 'GSR'\nDid you mean gsr? All verbs: fairviz --help\n"),
    ("check newswir", 2, "called 'newswir'\nDid you mean newswire? Built in: "),
    ("evaluate newswire cwx", 2, "unknown measure 'cwx'\nDid you mean CWEx? Use one of "),
    ("compare newswire CWEx --baseline bm52", 2, "with\nDid you mean bm25? Use one of "),
    ("app --study nothing-here", 2,
     "there is no study and no folder called 'nothing-here'\nBuilt in: newswire, football, "),
]  # fmt: skip


@pytest.mark.parametrize(("line", "status", "message"), REFUSALS, ids=[line for line, *_ in REFUSALS])
def test_a_refusal_has_its_remedy_and_prints_nothing_else(line: str, status: int, message: str, call: Call) -> None:
    said = call(line, status=status)
    assert message in said.err
    assert (said.out, "Traceback" in said.err) == ("", False)
