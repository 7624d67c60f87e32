"""docs/architecture.md says how to add a thing: all its lists are followed at once in a copy of the program, and no
other file is touched. In the copy the new things are in use (tests/how_to_add.py), and the tests over registries pass
as they do here.

`python -m tests.test_how_to_add FOLDER` makes the copy, in which any other test can be run, too.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.template import TEMPLATE

CARRIED = ("fairviz", "pages", "tests", "docs", ".streamlit")
OTHERS = (  # tests that read registries, or compare with all that one of them holds
    "tests/analyses/test_mitigations.py::test_one_of_each_kind_is_offered",
    "tests/annotation/annotators/test_reading.py::test_annotators_written_wrongly",
    *(
        f"tests/checks/test_contract.py::{test}"
        for test in (
            "test_each_check_is_described_in_the_manual_and_has_its_cases",
            "test_a_check_does_not_apply_where_what_it_needs_is_not_there[runs]",
            "test_a_check_does_what_its_case_is_for[sample-triggers]",
            "test_a_check_does_what_its_case_is_for[sample-passes]",
        )
    ),
    "tests/cli/test_hostile_arguments.py::test_every_number_of_a_verb_is_declared_or_a_setting",
    "tests/cli/test_main.py::test_without_a_verb_the_help_is_printed_with_every_verb_in_its_group",
    "tests/cli/test_main.py::test_common_choices_are_in_the_short_help_and_every_choice_in_the_whole",
    "tests/cli/test_main.py::test_help_of_a_verb_lists_its_registry",
    "tests/cli/test_main.py::test_the_help_of_a_verb_is_short_and_has_an_example[sizes]",
    "tests/cli/test_main.py::test_the_help_of_a_verb_is_short_and_has_an_example[longest]",
    "tests/datasets/test_builtin.py::test_football_is_figure_1",
    "tests/evaluation/test_settings.py",
    "tests/evaluation/test_warm_and_cold.py::test_every_field_is_drawn",
    "tests/figures/test_registry.py",
    "tests/measures/test_contract.py::test_the_fairest_value_is_reached_and_none_is_fairer[Sample]",
    "tests/measures/test_contract.py::test_the_record_is_complete",
    "tests/measures/test_grammar.py",
    "tests/plot/test_plot.py::test_names_are_the_figures_on_disk_and_wrong_arguments_are_told",
    "tests/rankers/test_ranking.py::test_the_registry_names_its_records",
    "tests/rankers/test_ranking.py::test_a_re_ranker_names_its_run_first_and_rrf_leaves_it_out",
    "tests/study/loaders/test_forms.py::test_what_the_page_offers_is_what_loaders_read",
    "tests/study/loaders/test_forms.py::test_every_form_has_a_golden_file",
    "tests/study/loaders/test_forms.py::test_a_golden_file_is_read[runs-list-]",
    "tests/study/loaders/test_forms.py::test_the_table_of_the_manual_is_that_of_the_loaders",
    "tests/ui/shell/test_controls.py::test_menus_name_a_choice_as_the_command_line_does",
    "tests/ui/shell/test_gate.py::test_every_page_of_the_app_has_a_page_of_the_manual",
)
LONG = (
    "tests/measures/test_contract.py::test_no_value_leaves_the_range[Sample]",
    "tests/pages/test_comparisons.py::test_intervals_are_shown_from_the_start_where_the_measures_leave_them_room",
    "tests/pages/test_comparisons.py::test_one_family_across_measures_is_that_of_the_overview_on_every_page",
)
DRAWN = "tests/evaluation/test_settings.py::test_an_address_reproduces_the_settings"  # test_a_choice has one of them
RANKER, LABELLER, VERB, ANALYSIS = (  # as another package has them
    (TEMPLATE / "fairviz_template" / f"{kind}.py").read_text(encoding="utf-8")
    for kind in ("ranker", "annotator", "verb", "analysis")
)
MEASURE = '''"""A measure for a test, as a column of Overview and without."""

from dataclasses import replace

from fairviz.measures.record import CWEX_PAPER, Measure


def protected_exposure(rankings, parameters, bias, cutoffs):
    """Share of the attention for the protected group.

    >>> import numpy as np
    >>> from fairviz.measures.position_bias import position_bias
    >>> from fairviz.measures.sums import toy
    >>> protected_exposure(toy(labels=["female", "male"]), {}, position_bias("uniform", 2), np.array([2])).item()
    0.5
    """
    return rankings.exposure(bias, cutoffs)[1 + rankings.protected]


SAMPLE = Measure(
    name="Sample", summary="the protected group's share", compute=protected_exposure, parameters=(), needs=("labels",),
    direction="higher", bounds=(0.0, 1.0), formula="p", paper=CWEX_PAPER, equation="2", decided="Nothing.", example="1",
    protects=True,
)
COLUMN = replace(SAMPLE, name="SampleColumn", column=True, after="NFaiRR")
'''
FIGURE = '''"""A figure for a test."""

from dataclasses import dataclass

from fairviz.figures.frame import figure
from fairviz.figures.style import LIGHT


@dataclass(frozen=True)
class Sample:
    """Values from first to last."""

    values: tuple[float, ...]

    @property
    def alt(self) -> str:
        return f"A sample of {len(self.values)} values."


def info(values):
    """Return the values."""
    return Sample(tuple(values))


@figure("A sample", empty=lambda sample: "" if sample.values else "There is no value.")
def draw(figure, sample, theme=LIGHT):
    """Draw a line."""
    figure.add_scatter(y=sample.values)
'''
GALLERY = '''"""
A sample
========
"""

import fairviz

fairviz.plot.sample([1, 2])
'''
LOADER = '''"""Runs in Comma Separated Lists, for a test."""

import pandas as pd

from fairviz.study.loaders.runs import system_name
from fairviz.study.tables import RUNS, conform


def read_listing(path, root=None):
    table = pd.read_csv(path, names=["query_id", "doc_id", "rank", "score"], dtype={"query_id": str, "doc_id": str})
    return conform(table.assign(system=system_name(path, (".listing",))), RUNS)
'''
LISTING = """    Loader(
        "runs", (".listing",), read_listing, forms=(Form("list", "`runs/NAME.listing`", "four columns"),)
    ),
"""
LAST_FORM = 'forms=(Form("word list", "`lexicon.{csv,xlsx}`", "`word`, `group`"),)\n    ),\n'
LAST_ROW = "| lexicon | word list | `lexicon.{csv,xlsx}` | `word`, `group` |\n"
GOLDEN = """    ("runs", "list"): [{"runs/a.listing": "q1,d1,1,2.5\\nq1,d2,2,1.5\\n"}],
"""
RERANKER = '''"""A re-ranker for a test: every list turned round."""

import numpy as np

from fairviz.rankers.record import Ranker
from fairviz.rankers.reordering import RUN, lists_of, reordered


def _prepare(collection, parameters):
    lists = lists_of(collection, "turned", parameters["run"])
    return reordered(lists, lambda each: np.arange(len(each))[::-1])


TURNED = Ranker(
    name="turned", summary="another run turned round", prepare=_prepare, parameters=(RUN,), needs=("runs",), bench=("",)
)
'''
PAGE = '''"""Is this page shown?"""

import streamlit as st

st.write("A page for a test.")
'''
CHECK = '''"""FV901: a check for a test."""

from fairviz.checks.record import Check, Finding, Link


def _run(context):
    if (count := len(context.queries)) > 1:
        return None
    return Finding(f"There are {count} queries.", {"queries": count}, "Add one.", Link("overview"))


SAMPLE = Check(
    "FV901", "one query", "Is there more than one query?", ("runs",), "tip", _run,
    means="Nothing.", harmless="Always.", advice="Add one.",
)
'''
CASE = """    "sample": {
        "triggers": lambda: Case(fairviz.open_study("football"), says="There are 1 queries"),
        "passes": lambda: Case(sound()),
    },
"""
CHOICE = """    sample: int = choice(
        0, label="sample", reads=("rankings",), least=0, help="ranks left out at the top of every list",
        group=LISTS, control="Ranks left out", option="--sample", metavar="N", option_help="ranks left out",
        levels=Levels("the ranks left out", "how many ranks are left out", (0, 1)),
    )
"""
CHOICE_COMPUTED = """    study = dataclasses.replace(study, runs=study.runs[study.runs["rank"] > settings.sample])
"""
RULE = '\n\nSAMPLE = Rule("sample", "everything is neutral", lambda counts: np.zeros(len(counts), dtype=int))\n'
TOKENIZER = """

def _cut(text):
    words = _matches("word", text)
    return [
        (start + part.start(), start + part.end())
        for start, end in words for part in re.finditer("[^_]+", text[start:end])
    ]


SAMPLE = Tokenizer("sample", "words cut at underscores", _cut)
"""
Line = tuple[str, str, str]  # a file, and what is written into it behind what; "" for a file of its own


def own(room: str, text: str, after: str, names: str, place: str, line: str, file: str = "sample") -> tuple[Line, ...]:
    """A file of a room, its import in the room's registry behind another, and its line there."""
    registry = f"fairviz/{room}/__init__.py"
    imported = f"from fairviz.{room.replace('/', '.')}.{file} import {names}\n"
    return (f"fairviz/{room}/{file}.py", "", text), (registry, after, imported), (registry, place, line)


LISTED = "        {},\n".format
ADDED: dict[str, tuple[Line, ...]] = {  # by heading
    "A measure": own(
        "measures", MEASURE, "measures.rank_bias import", "COLUMN, SAMPLE", LISTED("GSR"),
        LISTED("SAMPLE") + LISTED("COLUMN"),
    ),
    "A choice": (
        ("fairviz/evaluation/settings.py", '    document: str = choice("")', CHOICE),
        ("fairviz/evaluation/choices.py", "from functools import", "import dataclasses\n"),
        ("fairviz/evaluation/choices.py", "Return the study's runs as arrays, under the choices", CHOICE_COMPUTED),
    ),
    "A figure": (
        ("fairviz/figures/sample.py", "", FIGURE),
        ("tests/figures/test_registry.py", "NOTHING: dict", '    "sample": lambda file: file.info([]),\n'),
        ("docs/gallery_code/plot_sample.py", "", GALLERY),
    ),
    "A loader": (
        *own("study/loaders", LOADER, "import read_run as", "read_listing", LAST_FORM, LISTING),
        ("docs/reference/study-format.md", LAST_ROW, "| runs | list | `runs/NAME.listing` | four columns |\n"),
        ("tests/study/loaders/test_forms.py", "GOLDEN: dict", GOLDEN),
    ),
    "A ranker": own(
        "rankers", RANKER, "rankers.reordering import", "LONGEST", "for ranker in (\n", LISTED("LONGEST")
    ),
    "A re-ranker": own(
        "rankers", RERANKER, "rankers.sample import", "TURNED", LISTED("LONGEST"), LISTED("TURNED"), "turned"
    ),
    "A page": (
        ("pages/sample.py", "", PAGE),
        ("fairviz/ui/state/registry.py", "_PAGES = (", '    Page("sample", "Sample", "Results"),\n'),
    ),
    "An annotator": (
        ("fairviz/annotation/rules.py", 'MENTIONS = Rule("mentions"', RULE),
        ("fairviz/annotation/rules.py", "(LEXICON, MENTIONS", ", SAMPLE"),
    ),
    "A tokenizer": (
        ("fairviz/words/tokenizers.py", "    return [match.span() for match in pattern.finditer(", TOKENIZER),
        ("fairviz/words/tokenizers.py", "WHITESPACE, CHARACTERS, UNACCENTED", ", SAMPLE"),
    ),
    "A labeller": own(
        "annotation/annotators", LABELLER, "annotators.record import", "PRONOUN", "(LEXICON, MENTIONS, PROTOTYPES",
        ", PRONOUN",
    ),
    "A verb": own("cli", VERB, "cli.record import", "SIZES", "command_of(BENCH)", ", SIZES"),
    "An analysis": own(
        "analyses", ANALYSIS, "analyses.record import", "LONGEST_QUERIES", LISTED("COUNTERFACTUAL"),
        LISTED("LONGEST_QUERIES"),
    ),
    "A check": (
        *own("checks", CHECK, "checks.record import", "SAMPLE", "_OWN = (\n", "    SAMPLE,\n"),
        ("tests/checks/cases.py", "CASES: dict", CASE),
    ),
}  # fmt: skip


def lists() -> dict[str, set[str]]:
    """The lists at the end of docs/architecture.md: by their heading, the files that each names."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## How to add")[2]
    blocks = (block.partition("**") for block in re.split(r"\n\*\*", text)[1:])
    return {heading: set(re.findall(r"^- `([^`]+)`", block, re.MULTILINE)) for heading, _, block in blocks}


def test_every_list_is_followed() -> None:
    named = {
        heading: {path if behind else re.sub(r"(plot_)?\w+\.py$", r"\1NAME.py", path) for path, behind, _ in lines}
        for heading, lines in ADDED.items()
    }
    assert named == lists()


def copy_with_all(folder: Path) -> None:
    """Copy the program into this folder and add everything of ADDED."""
    for path in ROOT.iterdir():
        if path.name in CARRIED:
            shutil.copytree(path, folder / path.name, ignore=shutil.ignore_patterns("_build"))
        elif path.name == "app.py":
            shutil.copy(path, folder)
        elif path.name not in (".git", ".venv"):
            (folder / path.name).symlink_to(path)
    for path, behind, text in (line for lines in ADDED.values() for line in lines):
        file = folder / path
        if not behind:
            file.write_text(text, encoding="utf-8")
            continue
        before, found, after = file.read_text(encoding="utf-8").partition(behind)
        assert found, f"{behind!r} is not in {path}"
        assert behind not in after, f"{behind!r} is in {path} more than once"
        if not text.startswith(", ") and not behind.endswith("\n"):
            rest, _, after = after.partition("\n")
            found += f"{rest}\n"
        file.write_text(before + found + text + after, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "tests",
    [
        pytest.param(("tests/how_to_add.py", *OTHERS), id="short"),
        pytest.param(LONG, id="long", marks=pytest.mark.lengthy),
    ],
)
def test_in_a_copy_with_all_additions_they_are_used_and_other_tests_pass(
    tests: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_with_all(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    options = f"-q -p no:cacheprovider --deselect {DRAWN}".split()
    command = [sys.executable, "-m", "pytest", *options, *tests]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


if __name__ == "__main__":
    copy_with_all(Path(sys.argv[1]))
