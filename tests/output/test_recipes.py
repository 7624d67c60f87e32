"""Recipes: the program and the command of a call, as text, which give what the call computes, whatever the names; those
of pages are run beside the pages."""

import json
import os
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.annotator_accuracy.raters import word_list_agreement
from fairviz.analyses.mitigations.bench import mitigation_bench
from fairviz.analyses.running import analyse
from fairviz.cli.main import main
from fairviz.comparison.compare import compare
from fairviz.comparison.curves import over_cutoffs
from fairviz.correction.corrected import corrected
from fairviz.evaluation.contributions import contributions
from fairviz.evaluation.gsr import gsr_points
from fairviz.evaluation.scores import evaluate, exposures, summarise
from fairviz.evaluation.settings import Settings
from fairviz.figures import bump
from fairviz.measures import parse
from fairviz.orders.ties import ties
from fairviz.output import recipes
from fairviz.output.recipes import FOLDER, Call, call, command_of, scored
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.pages.test_panels import same

STUDY = fairviz.open_study("football")
SETTINGS = Settings(cutoff=5, query="shown-only")


def recipe(*arguments, **keywords) -> str:
    return recipes.recipe(*arguments, **keywords).python


def test_a_call_within_a_call_is_a_variable_named_by_its_parameter() -> None:
    assert recipe(summarise, scored(STUDY, SETTINGS, ["RaB@5", "NFaiRR@5"])) == (
        "import fairviz\n"
        "\n"
        "study = fairviz.open_study('football')\n"
        "settings = fairviz.Settings(cutoff=5)\n"
        "measures = ['RaB@5', 'NFaiRR@5']\n"
        "scores = fairviz.evaluate(study, measures, settings)\n"
        "table = fairviz.summarise(scores)\n"
    )


def test_what_has_no_public_name_is_imported_and_defaults_are_left_out() -> None:
    program = recipe(exposures, STUDY, Settings(), per_query=False)
    head = "import fairviz\nfrom fairviz.evaluation.scores import exposures"
    rest = "study = fairviz.open_study('football')\nsettings = fairviz.Settings()\ntable = exposures(study, settings)\n"
    assert program == f"{head}\n\n{rest}"
    other = recipe(exposures, STUDY, SETTINGS, per_query=True)
    call = "table = exposures(study, settings, per_query=True)\n"
    assert other.endswith(call)
    assert recipes.joined({"one": program, "two": other, "three": other}) == (
        f"{head}\n\n# one\n{rest}\n# two\nsettings = fairviz.Settings(cutoff=5)\n{call}\n# three\n{call}"
    ), "programs are joined with one head and assign what differs"
    assert recipes.joined({}) == ""


def test_functions_called_info_are_written_with_their_module_and_measures_are_parsed() -> None:
    code = recipe(bump.info, scored(STUDY, SETTINGS, ["RaB@5"]), [parse("RaB@5")], table="found.table")
    assert "from fairviz.figures import bump\nfrom fairviz.measures import parse\n" in code
    assert code.endswith(
        "summary = fairviz.evaluate(study, measures, settings)\n"
        "questions = [parse('RaB@5')]\n"
        "found = bump.info(summary, questions)\n"
        "table = found.table\n"
    )


def test_a_long_collection_has_a_line_for_each_item_and_settings_too() -> None:
    texts = [f"CWEx(alpha=0.{place}23456)@5" for place in range(1, 5)]
    code = recipe(over_cutoffs, STUDY, texts, SETTINGS)
    assert "measures = [\n    'CWEx(alpha=0.123456)@5',\n" in code
    long = SETTINGS.changed(systems=tuple(f"a-system-with-a-long-name-{place}" for place in range(5)))
    assert "settings = fairviz.Settings(\n    systems=(" in recipe(ties, STUDY, texts, long)


def test_rows_are_kept_by_value_and_by_list_and_none_keeps_all() -> None:
    rows = {"query_id": "it's", "system": ["bm25"], "rank": None}
    code = recipe(rank, STUDY, call(parse_rankers, "bm25"), 4, table="found.runs", rows=rows)
    assert code.endswith(
        "choices = parse_rankers('bm25')\n"
        "found = rank(study, choices, 4)\n"
        "table = found.runs\n"
        "table = table[table['query_id'] == \"it's\"]\n"
        "table = table[table['system'].isin(['bm25'])]\n"
    )


def joined(one, two):
    return one["measure"].unique().tolist(), two["measure"].unique().tolist()


def test_a_variable_with_another_value_is_assigned_again_after_its_use() -> None:
    """Two calls with a parameter of one name and different values: each is made of its own."""
    first, second = scored(STUDY, SETTINGS, ["RaB@5"]), scored(STUDY, SETTINGS, ["RaB@4"])
    names: dict = {}
    exec(recipe(joined, first, second), names)
    assert names["table"] == (["RaB@5"], ["RaB@4"])


def test_a_study_without_a_name_of_its_own_and_a_call_without_a_study() -> None:
    made = replace(STUDY, name="uploaded", folder=None)
    assert "study = fairviz.open_study('FOLDER')\n" in recipe(evaluate, made, "RaB")
    remote = replace(made, name="ir_datasets:vaswani")
    assert "study = fairviz.open_study('ir_datasets:vaswani')\n" in recipe(evaluate, remote, "RaB")
    assert "from fairviz.analyses.annotator_accuracy.raters import" in recipe(word_list_agreement, made, SETTINGS, "a")
    alone = "from fairviz.rankers import parse_rankers\n\ntable = parse_rankers('bm25')\n"
    assert recipe(parse_rankers, "bm25") == alone


# --- commands


NAMES = ("-dash", "it's", 'a "b"', "$HOME `id` \\", "naïve 検索", "a, b", "!x;|&")


def in_process(command: str, capsys: pytest.CaptureFixture[str]) -> pd.DataFrame:
    """The table that the command prints."""
    capsys.readouterr()
    assert main([*shlex.split(command)[1:], "--format", "json"]) == 0
    return pd.DataFrame(json.loads(capsys.readouterr().out))


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study whose systems have NAMES, in a folder of such a name."""
    folder = tmp_path_factory.mktemp("names") / '-it\'s a "study" 検索 $HOME'
    (folder / "runs").mkdir(parents=True)
    places = [(query, rank) for query in (1, 2) for rank in (1, 2, 3)]
    for place, name in enumerate(NAMES):
        lines = [f"q{query} Q0 d{(place + query * rank) % 5} {rank} {9 - rank} x" for query, rank in places]
        (folder / "runs" / f"{name}.run").write_text("\n".join(lines) + "\n")
    labels = [f"d{number},ann,{('female', 'male', 'neutral')[number % 3]}" for number in range(5)]
    (folder / "labels.csv").write_text("\n".join(["doc_id,annotator,label", *labels]) + "\n")
    return fairviz.open_study(folder)


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_the_same_to_the_shell(name: str, named: Study, capsys: pytest.CaptureFixture[str]) -> None:
    texts, settings = ["CWEx@3", "AWRF@3"], Settings()
    assert {*named.systems} == {*NAMES}
    against = call(compare, scored(named, settings, texts), name)
    same(compare(fairviz.evaluate(named, texts), name), in_process(command_of(against), capsys), name)
    parts = call(contributions, named, "CWEx@3", name, "q1", settings)
    same(contributions(named, "CWEx@3", name, "q1"), in_process(command_of(parts), capsys), name)


def test_a_shell_prints_the_numbers(named: Study, tmp_path: Path) -> None:
    settings = Settings(cutoff=2, systems=NAMES)
    command = command_of(call(summarise, scored(named, settings, ["CWEx", "AWRF"])))
    assert command.startswith("fairviz evaluate ")
    program = f"{shlex.quote(sys.executable)} -m {command} --format json"
    environment = {**os.environ, "PYTHONPATH": str(Path(fairviz.__file__).parents[1])}
    done = subprocess.run(["sh", "-c", program], cwd=tmp_path, env=environment, capture_output=True, check=True)
    same(summarise(fairviz.evaluate(named, ["CWEx", "AWRF"], settings)), pd.DataFrame(json.loads(done.stdout)), "shell")


NEWSWIRE = fairviz.open_study("newswire")


@pytest.mark.parametrize(
    ("made", "table"),
    [
        (call(analyse, NEWSWIRE, "never-shown", Settings(cutoff=5, systems=("bm25", "rrf"), filter_column="category",
                                                         filter_values=("sport",)), documents="all"),
         "found.table('differences')"),
        (call(mitigation_bench, NEWSWIRE, "neutral(run=bm25)", ["RaB"], Settings(cutoff=5), held_out=0.3),
         "found.means"),
        pytest.param(call(fairviz.counterfactual, fairviz.open_study("football"), "bm25", seeds=1), "found.table",
                     marks=pytest.mark.lengthy),
        (call(gsr_points, NEWSWIRE, Settings(gsr_depth="relevant", pairs="she-he, her-his, woman-man")), ""),
    ],
    ids=("never-shown", "bench", "gender-swap", "gsr"),
)  # fmt: skip
def test_the_verb_of_an_analysis_prints_its_table(made: Call, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = made.function(*made.arguments, **made.keywords)
    expected = eval(table, {"found": found}) if table else found
    expected = expected.replace(np.inf, np.nan)  # which JSON does not have
    same(expected, in_process(command_of(made, table), capsys), command_of(made, table))


LONG = ";".join(["female:" + "|".join(f"w{number}" for number in range(9_000)), "male:he"])


@pytest.mark.parametrize(
    ("made", "table"),
    [
        (call(exposures, NEWSWIRE, Settings()), ""),
        (call(summarise, scored(NEWSWIRE, Settings(pairs="she-he"), ["GSR"])), ""),
        (call(analyse, NEWSWIRE, "gender-swap", Settings(alpha=0.1)), "found.table('crbo')"),
        (call(ties, NEWSWIRE, ["CWEx"], Settings(corrected_by="project")), ""),
        (call(corrected, NEWSWIRE, ["CWEx"], Settings(corrected_by="project"), against="bm25"), ""),
        (call(ties, NEWSWIRE, ["RaB"], Settings(lexicon=LONG)), ""),
    ],
    ids=["no verb prints it", "no option for pairs", "no option for alpha", "the verb would correct the means",
         "no verb prints corrected means", "a command too long"],
)  # fmt: skip
def test_there_is_no_command_for(made: Call, table: str) -> None:
    assert command_of(made, table) == ""


def test_a_command_has_only_settings_that_change_a_number_and_a_placeholder_for_a_study_without_a_folder() -> None:
    settings = Settings(pairs="she-he", embedding="google-news-subset", system="bm25", debias="strong", words="nurse")
    assert command_of(call(ties, NEWSWIRE, ["RaB"], settings)) == "fairviz evaluate newswire RaB@10 --tie-range"
    study = make_study("mine", runs=NEWSWIRE.runs, labels=NEWSWIRE.labels)
    assert command_of(call(ties, study, ["RaB"], Settings())) == f"fairviz evaluate {FOLDER} RaB@10 --tie-range"
