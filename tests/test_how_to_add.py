"""docs/architecture.md says how to add a thing: each list is followed in a copy of the program, and no other file is
touched."""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import ROOT

CARRIED = ("fairviz", "pages", "app.py", ".streamlit")


@dataclass(frozen=True)
class Recipe:
    """What is written: files by path, and for each other file what stands behind what; `proof` is Python that fails
    unless the new thing is in use."""

    files: dict[str, str]
    lines: dict[str, tuple[tuple[str, str], ...]]
    proof: str


MEASURE = '''"""A measure for a test."""

import numpy as np

from fairviz.measures.record import CWEX_PAPER, Measure


def constant(places, parameters, bias, cutoffs):
    """Two, everywhere."""
    return np.full((len(cutoffs), *places.shape), 2.0)


SAMPLE = Measure(
    name="Sample", summary="two", compute=constant, parameters=(), needs=("labels",), direction="higher",
    bounds=(0.0, 2.0), formula="2", paper=CWEX_PAPER, equation="none", decided="Nothing.", example="2",
)
'''
FIGURE = '''"""A figure for a test."""

from fairviz.figures.frame import figure


def info(table):
    return tuple(table)


@figure("A sample", empty=lambda data: "" if data else "There is no value.")
def draw(figure, values):
    figure.add_scatter(y=values)
'''
LOADER = '''"""Runs in Comma Separated Lists, for a test."""

from fairviz.study.loaders.runs import system_name
from fairviz.study.tables import RUNS, conform


def read_listing(path, root=None):
    import pandas as pd

    table = pd.read_csv(path, names=["query_id", "doc_id", "rank", "score"], dtype={"query_id": str, "doc_id": str})
    return conform(table.assign(system=system_name(path, (".listing",))), RUNS)
'''
RANKER = '''"""A ranker for a test: nothing is found."""

import numpy as np

from fairviz.rankers.record import Found, Ranker


def _prepare(collection, parameters):
    return lambda query: Found(np.array(["d"], dtype=object), np.ones(1))


SAMPLE = Ranker(name="sample", summary="always d", prepare=_prepare, needs=())
'''
RERANKER = '''"""A re-ranker for a test: every list turned round."""

import numpy as np

from fairviz.rankers.record import Ranker
from fairviz.rankers.reordering import RUN, lists_of, reordered


def _prepare(collection, parameters):
    lists = lists_of(collection, "sample", parameters["run"])
    return reordered(lists, lambda each: np.arange(len(each))[::-1])


SAMPLE = Ranker(
    name="sample", summary="another run turned round", prepare=_prepare, parameters=(RUN,), needs=("runs",), bench=("",)
)
'''
PAGE = '''"""Is this page shown?"""

from fairviz.ui.kit import html

html.heading("Sample", "Is this page shown?")
'''
RULE = '\n\nSAMPLE = Rule("sample", "everything is neutral", lambda counts: np.zeros(len(counts), dtype=int))\n'
METHOD = '''"""A labeller for a test."""

import numpy as np

from fairviz.annotation.annotators.record import Method, labelled

SAMPLE = Method("sample", "nobody is named", lambda work, values, others: labelled(np.zeros(len(work.texts), int)))
'''
CHOICE = """    sample: int = choice(
        0, label="sample", reads=("rankings",), least=0, help="ranks left out at the top of every list",
        group=LISTS, control="Ranks left out", option="--sample", metavar="N", option_help="ranks left out",
        levels=Levels("the ranks left out", "how many ranks are left out", (0, 1)),
    )
"""
CHOICE_COMPUTED = """    study = dataclasses.replace(study, runs=study.runs[study.runs["rank"] > settings.sample])
"""
CHOICE_PROOF = """
import fairviz
from streamlit.testing.v1 import AppTest
from fairviz.cli.main import main
from fairviz.evaluation.settings import Settings, from_query, to_query
from fairviz.output.capsule import recorded_settings
from fairviz.ui.shell import chips
from fairviz.ui.state import pins

study, chosen = fairviz.open_study("football"), Settings(study="football", sample=1)
before, after = (fairviz.evaluate(study, "CWEx@2", sample=ranks)["value"] for ranks in (0, 1))
assert not before.equals(after), "the value"
assert "sample: ranks left out" in Settings.__doc__, "the documentation"
assert from_query(to_query(chosen)) == (chosen, []), "the address"
assert from_query({"sample": ["-1"]})[1] == [
    "The address sets sample to '-1' (sample is -1); the default was used. Use a whole number from 0 to 100,000."
]
assert [chip.text for chip in chips.of_settings(chosen)] == ["sample 1"], "the chip"
assert chips.group_label("Systems & queries", chosen) == "Systems & queries · +1"
assert pins.from_text(pins.to_text(chosen)) == chosen, "the pin"
assert recorded_settings(chosen)["sample"] == 1, "the capsule"
assert main(["evaluate", "football", "CWEx@2", "--sample", "1", "--format", "csv", "--output", "scores.csv"]) == 0
assert "sample=1" in open("scores.csv").read(), "the option and the export"
found = fairviz.robustness(study, list(study.systems[:2]), "CWEx@2", {"sample": None})
assert found.table["sample"].tolist() == ["0", "1"] or found.table["sample"].tolist() == [0, 1], found.table
assert found.table["difference"].nunique() == 2, "the sensitivity analysis"
app = AppTest.from_file("app.py", default_timeout=300)
app.query_params.update(study="football", sample="1")
app.run()
assert not app.exception and app.number_input(key="sample").value == 1, "the control"
assert app.button(key="take_back_sample").label == "sample 1 ✕"
app.switch_page("pages/sensitivity.py").run()
assert not app.exception and "sample" in app.multiselect(key="robustness_choices").options, "the sensitivity page"
"""
PAGE_IN_ITS_FRAME = """
def framed(name):
    import runpy

    from fairviz.ui.shell import frame

    with frame.around():
        runpy.run_path(f"pages/{name}.py")

def page(name, **query):
    app = AppTest.from_function(framed, args=(name,), default_timeout=300)
    app.query_params.update(query)
    app.run()
    assert not app.exception, (name, app.exception)
    return app
"""
MEASURE_PROOF = (
    PAGE_IN_ITS_FRAME
    + """
import zipfile
from streamlit.testing.v1 import AppTest
from fairviz.cli.main import main

def run(*arguments, status=0):
    assert main([*arguments]) == status, arguments

def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()

pair = ("--baseline", "left", "--candidate", "right")
table = ("--format", "csv", "--output", "table.csv")
run("evaluate", "football", "Sample", *table)
assert "Sample@10" in read("table.csv"), "evaluate"
run("compare", "football", "Sample", *table)
assert "Sample@10" in read("table.csv"), "compare"
run("gate", "football", *pair, "--fail-if", "Sample below 3", *table, status=1)  # one query decides nothing
assert "Sample" in read("table.csv"), "gate"
run("explain", "football", "Sample", "--system", "left", "--query", "best-player", *table)
assert "doc_id" in read("table.csv"), "explain"
run("sensitivity", "football", "--systems", "left,right", "--measure", "Sample", "--choice", "cutoff",
    "--output", "map")
assert "Sample" in read("map"), "sensitivity"
run("atlas", "football", "Sample", "CWEx", *table)
assert "Sample@10" in read("table.csv"), "atlas"
run("bench", "football", "Sample", "--mitigations", "balanced(run='left')", *table)
assert "Sample@10" in read("table.csv"), "bench"
run("capsule", "football", "-o", "all.zip")
with zipfile.ZipFile("all.zip") as zipped:
    assert "Sample@10" in "".join(zipped.read(name).decode() for name in zipped.namelist() if name.endswith(".csv"))
run("replay", "all.zip")
run("report", "football", "-o", "report.html")
assert "Sample@10" not in read("report.html"), "the report of the default measures"
run("report", "football", "Sample", "--map", "left,right", "--map-measure", "Sample", "-o", "one.html")
assert "Sample@10" in read("one.html"), "the report of this measure"
assert "Sample along the cutoff" in read("one.html"), "its curve in the report"

def shown(app):
    grids = " ".join(" ".join(map(str, grid.value.columns)) for grid in app.dataframe)
    return " ".join(e.proto.body for e in app.get("html")) + grids + " ".join(e.value for e in app.markdown)

assert "Sample@10" not in shown(page("overview", study="football")), "a column of the Overview, unasked"
app = page("overview", study="football", columns="CWEx")
assert "Sample" in app.multiselect(key="overview_columns").options, "the offered columns"
assert "Sample" in shown(page("overview", study="football", columns=["Sample"])), "a chosen column"
for key, axis in {"tradeoff_y": "Sample up", "tradeoff_x": "against Sample"}.items():
    app = page("tradeoff", study="football", **{key: "Sample"})
    assert axis in app.selectbox(key=key).options and app.selectbox(key=key).value == "Sample", key
app = page("tradeoff", study="football", tradeoff_curve="over k", tradeoff_measures=["Sample"])
assert app.multiselect(key="tradeoff_measures").value == ["Sample"], "the curves over the cutoff"
for name in ("compare", "query"):
    app = page(name, study="football", measure="Sample", columns=["CWEx", "Sample"])
    assert app.selectbox(key="measure").value == "Sample", name
app = page("sensitivity", study="football", robustness_measures=["Sample"])
assert app.multiselect(key="robustness_measures").value == ["Sample"], "the sensitivity analysis"
app = page("methods")
assert "Sample" in app.dataframe[0].value["measure"].tolist(), "the table of Methods"
assert "Sample" in [expander.label for expander in app.expander], "the card on Methods"
"""
)
RERANKER_PROOF = (
    PAGE_IN_ITS_FRAME
    + """
import fairviz
import pandas as pd
from streamlit.testing.v1 import AppTest
from fairviz.analyses.mitigations.mitigation import offered
from fairviz.cli.main import main
from fairviz.datasets import studies_folder
from fairviz.study.study import save_study

rows = [("first", str(query), f"d{rank}", rank, 9.0 - rank) for query in range(12) for rank in range(1, 5)]
labels = {"doc_id": [f"d{rank}" for rank in range(1, 5)], "label": ["male", "male", "female", "neutral"]}
study = fairviz.make_study(
    "lists", runs=pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]),
    labels=pd.DataFrame(labels).assign(annotator="a"),
)
assert "sample(run='first')" in offered(study)
save_study(study, studies_folder() / "lists")
assert main(["bench", "lists", "CWEx", "--held-out", "1", "--format", "csv", "--output", "bench.csv"]) == 0
bench = pd.read_csv("bench.csv")
assert {"sample-run=first", "detconstsort-run=first"} <= set(bench["mitigation"]), "the verb"
made = fairviz.mitigation_bench(study, "sample(run='first')", "CWEx", held_out=1)
assert made.table["base"].tolist() == ["first"], "Python"
field = page("mitigations", study="lists").multiselect(key="audit_bench_mitigations_picked")
assert "sample(run='first')" in field.options, "what the page offers"
"""
)
VERB = '''"""sample: a verb for a test."""

from fairviz.cli.record import Command, add_study
from fairviz.evaluation.formats import emit


def _run(arguments):
    emit(f"hello {arguments.study}")
    return 0


SAMPLE = Command("sample", "a greeting for a test", add_study, _run)
'''
VERB_PROOF = """
import subprocess, sys
shown = [
    subprocess.run([sys.executable, "-m", "fairviz", *arguments], capture_output=True, text=True, check=True).stdout
    for arguments in (["--help"], ["sample", "--help"], ["sample", "football"])
]
assert "a greeting for a test" in shown[0], shown[0]
assert "A greeting for a test." in shown[1], shown[1]
assert "hello football" in shown[2], shown[2]
"""
ANALYSIS = '''"""An analysis for a test: the longest queries."""

from fairviz.analyses.record import Analysis, Drawing, Table
from fairviz.parameters import Parameter


def _longest(study, settings, progress, *, top, least, unit):
    progress("counting", 1, 1)
    texts = study.queries["text"]
    table = study.queries.assign(length=texts.str.split().str.len() if unit == "words" else texts.str.len())
    return table[table["length"] >= least * settings.cutoff].nlargest(top, "length", keep="all")


def _bars(queries, theme):
    import plotly.graph_objects as go

    return Drawing(go.Figure(go.Bar(x=queries["query_id"], y=queries["length"])), "The length of each query.")


SAMPLE = Analysis(
    name="sample",
    title="Sample analysis",
    question="Which queries are longest?",
    summary="the longest queries, for a test",
    compute=_longest,
    parameters=(
        Parameter("top", 3, "the number of queries", low=1, high=9, whole=True),
        Parameter("least", 0.1, "the least length, as a share of k"),
        Parameter("unit", "words", "what is counted", choices=("words", "letters")),
    ),
    needs={"queries": "to measure"},
    reads=("cutoff",),
    tables={"queries": Table(lambda queries: queries, "a row a query: query_id, text, length")},
    figures={"The lengths": _bars},
    sentences=lambda queries: [f"{len(queries)} queries are measured."],
)
'''
ANALYSIS_PROOF = """
import csv, io, json
from contextlib import redirect_stderr, redirect_stdout
import fairviz
from fairviz.analyses.running import analyse
from fairviz.cli.main import main
from fairviz.ui.kit import jobs
from fairviz.ui.shell import gate
from streamlit.testing.v1 import AppTest

def command(*arguments):
    out, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(errors):
        try:
            status = main(list(arguments))
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), errors.getvalue()

assert "the longest queries, for a test" in command("--help")[1], "the list of verbs"
described = command("sample", "--help")[1]
assert "--top N" in described and "--unit {words,letters}" in described and "--k K" in described, described
study = fairviz.open_study("occupations")
table = analyse(study, "sample", top=2, unit="letters").table()
status, out, errors = command("sample", "occupations", "--top", "2", "--unit", "letters", "--format", "csv")
assert status == 0 and [row["query_id"] for row in csv.DictReader(io.StringIO(out))] == list(table.query_id), out
assert f"note: {len(table)} queries are measured." in errors, errors
status, out, _ = command("sample", "occupations", "--top", "2", "--unit", "letters", "--format", "json")
assert status == 0 and [row["length"] for row in json.loads(out)] == list(table.length), out
status, out, errors = command("sample", "occupations", "--top", "10")
assert status == 2 and "'10' is not a whole number from 1 to 9" in errors, errors
assert len(analyse(study, "sample", fairviz.Settings(cutoff=90), top=9).table()) == 0, "the settings"
try:
    analyse(study, "sample", tops=2)
except fairviz.FairvizError as error:
    problem = str(error)
assert problem == "sample has no parameter 'tops'\\nsample takes top=3, least=0.1, unit='words'.", problem

app = AppTest.from_file("app.py", default_timeout=300)
app.query_params.update(study="occupations", sample_top="2")
app.run()
assert "/sample" in gate.paths(), "the address"
(page,) = [name for name, page in app._registered_pages.items() if page["url_pathname"] == "sample"]
app._page_hash = page
app.run()
assert not app.exception, app.exception
texts = lambda: "\\n".join(element.proto.body for element in app.get("html"))
assert "Which queries are longest" in app.markdown[0].value and app.number_input(key="sample_top").value == 2
app.selectbox(key="sample_unit").set_value("letters").run()
app.button(key="analysis_sample_go").click().run()
for job in tuple(jobs._jobs().values()):
    job.wait()
app.run()
assert not app.exception, app.exception
assert f"{len(table)} queries are measured." in texts(), texts()
shown = [list(frame.value["query_id"]) for frame in app.dataframe if "length" in frame.value]
assert shown and all(one == list(table.query_id) for one in shown), shown
assert [chart for chart in app.get("plotly_chart") if "The length of each query." in str(chart.proto)], "the figure"
code = next(element.value for element in app.code if "analyse(" in element.value)
space = {}
exec(code, space)
assert space["table"].equals(table), code
app.text_input(key="sample_least").set_value("much").run()
assert "sample cannot take least=" in texts() and "Use a number from 0 to 1." in texts(), texts()
"""
TOKENIZER = '\n\nSAMPLE = Tokenizer("sample", "letters", lambda text: [(at, at + 1) for at in range(len(text))])\n'
TOKENIZER_PROOF = """
from fairviz.cli.main import main
from fairviz.evaluation.settings import Settings
from fairviz.rankers import parse_rankers
from fairviz.ui.kit.highlight import marked_html
from fairviz.words.counting import count_groups, parse_lexicon

words = parse_lexicon("female:h")
for fast in (False, True):
    assert count_groups(["Hah"], words, "sample", fast=fast).counts.tolist() == [[2, 0]]
assert marked_html("Hah", words, "sample", ("female",)).count("<span") == 2
assert Settings(tokenizer="sample").tokenizer == "sample"
assert parse_rankers("neutral(run=left,tokenizer=sample)")
assert main(["agree", "football", "--tokenizer", "sample"]) == 0
"""
RECIPES = {
    "A verb": Recipe(
        {"fairviz/cli/sample.py": VERB},
        {
            "fairviz/cli/__init__.py": (
                ("from fairviz.cli.share import", "from fairviz.cli.sample import SAMPLE\n"),
                ("command_of(BENCH)", None),
            )
        },
        VERB_PROOF,
    ),
    "An analysis": Recipe(
        {"fairviz/analyses/sample.py": ANALYSIS},
        {
            "fairviz/analyses/__init__.py": (
                ("from fairviz.analyses.record import", "from fairviz.analyses.sample import SAMPLE\n"),
                ("        COUNTERFACTUAL,\n", "        SAMPLE,\n"),
            )
        },
        ANALYSIS_PROOF,
    ),
    "A choice": Recipe(
        {},
        {
            "fairviz/evaluation/settings.py": (('    document: str = choice("")\n', CHOICE),),
            "fairviz/evaluation/choices.py": (
                ("from functools import", "import dataclasses\n"),
                ('"""Return the study\'s runs as arrays, under the choices that decide them.', CHOICE_COMPUTED),
            ),
        },
        CHOICE_PROOF,
    ),
    "A measure": Recipe(
        {"fairviz/measures/sample.py": MEASURE},
        {
            "fairviz/measures/__init__.py": (
                ("from fairviz.measures.record import", "from fairviz.measures.sample import SAMPLE\n"),
                ("        GSR,\n", "        SAMPLE,\n"),
            )
        },
        MEASURE_PROOF
        + "import fairviz; assert {2.0} == {*fairviz.evaluate(fairviz.open_study('football'), 'Sample@4').value}",
    ),
    "A figure": Recipe(
        {"fairviz/figures/sample.py": FIGURE},
        {},
        "from fairviz.figures import sample as f; assert f.draw(f.info([1])).data[0].y == (1,); "
        "assert f.draw(f.info([])).layout.title.text == 'A sample'",
    ),
    "A loader": Recipe(
        {"fairviz/study/loaders/sample.py": LOADER},
        {
            "fairviz/study/loaders/__init__.py": (
                (
                    "from fairviz.study.loaders.runs import read_run",
                    "from fairviz.study.loaders.sample import read_listing\n",
                ),
                ("LOADERS: tuple[Loader, ...] = (", '    Loader("runs", (".listing",), read_listing),\n'),
            )
        },
        "import pathlib, fairviz; p = pathlib.Path('mine/runs'); p.mkdir(parents=True); "
        "(p / 'a.listing').write_text('1,d,1,2.5\\n'); assert fairviz.open_study('mine').systems == ('a',)",
    ),
    "A ranker": Recipe(
        {"fairviz/rankers/sample.py": RANKER},
        {
            "fairviz/rankers/__init__.py": (
                ("from fairviz.rankers.reordering import BALANCED", "from fairviz.rankers.sample import SAMPLE\n"),
                ("for ranker in (\n", "        SAMPLE,\n"),
            )
        },
        "from fairviz.rankers import parse_rankers; assert parse_rankers('sample')[0].system == 'sample'",
    ),
    "A re-ranker": Recipe(
        {"fairviz/rankers/sample.py": RERANKER},
        {
            "fairviz/rankers/__init__.py": (
                ("from fairviz.rankers.reordering import BALANCED", "from fairviz.rankers.sample import SAMPLE\n"),
                ("for ranker in (\n", "        SAMPLE,\n"),
            )
        },
        RERANKER_PROOF,
    ),
    "A page": Recipe(
        {"pages/sample.py": PAGE},
        {"fairviz/ui/state/registry.py": (('    Page("methods", ', '    Page("sample", "Sample", "Results"),\n'),)},
        "from streamlit.testing.v1 import AppTest; a = AppTest.from_file('app.py', default_timeout=300).run(); "
        "a.switch_page('pages/sample.py').run(); assert not a.exception, a.exception; "
        "assert any('Is this page shown?' in str(e.proto) for e in a.main), list(a.main)",
    ),
    "An annotator": Recipe(
        {},
        {"fairviz/annotation/rules.py": (('MENTIONS = Rule("mentions"', RULE), ("(LEXICON, MENTIONS", None))},
        "import fairviz; from fairviz.annotation.rules import annotate; "
        "assert set(annotate(fairviz.open_study('football'), 'sample').label) == {'neutral'}",
    ),
    "A tokenizer": Recipe(
        {},
        {
            "fairviz/words/tokenizers.py": (
                ("    return [match.span() for match in pattern.finditer(", TOKENIZER),
                ("WHITESPACE, CHARACTERS, UNACCENTED", None),
            )
        },
        TOKENIZER_PROOF,
    ),
    "A labeller": Recipe(
        {"fairviz/annotation/annotators/sample.py": METHOD},
        {
            "fairviz/annotation/annotators/__init__.py": (
                ("annotation.annotators.record import", "from fairviz.annotation.annotators.sample import SAMPLE\n"),
                ("(LEXICON, MENTIONS, PROTOTYPES", None),
            )
        },
        "import fairviz; made = fairviz.annotate(fairviz.open_study('football'), 'sample'); "
        "assert set(made.labels.label) == {'neutral'}",
    ),
}


def lists() -> dict[str, list[str]]:
    """The lists at the end of docs/architecture.md: by their heading, the files that each names."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("## How to add")[2]
    found: dict[str, list[str]] = {}
    for block in re.split(r"\n\*\*", text)[1:]:
        heading = block.partition("**")[0]
        found[heading] = re.findall(r"^- `([^`]+)`", block, re.MULTILINE)
    return found


def test_every_list_is_followed() -> None:
    assert set(lists()) == set(RECIPES)


@pytest.mark.slow
@pytest.mark.parametrize("heading", list(RECIPES))
def test_the_list_is_whole(heading: str, tmp_path: Path) -> None:
    recipe = RECIPES[heading]
    touched = {path.replace("sample", "NAME") for path in (*recipe.files, *recipe.lines)}
    assert touched == set(lists()[heading])
    for name in CARRIED:
        source, ignored = ROOT / name, shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, tmp_path / name, ignore=ignored) if source.is_dir() else shutil.copy(source, tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    for path, text in recipe.files.items():
        (tmp_path / path).write_text(text)
    for path, additions in recipe.lines.items():
        for behind, line in additions:
            add(tmp_path / path, behind, line)
    (tmp_path / "proof.py").write_text(recipe.proof)
    done = subprocess.run([sys.executable, "proof.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def add(path: Path, behind: str, line: str | None) -> None:
    """Puts the line behind the one that holds `behind`; without a line, SAMPLE behind the words themselves."""
    text = path.read_text(encoding="utf-8")
    assert text.count(behind) == 1, f"{behind!r} stands {text.count(behind)} times in {path.name}"
    end = text.index(behind) + len(behind)
    if line is None:
        path.write_text(f"{text[:end]}, SAMPLE{text[end:]}")
        return
    end = end if behind.endswith("\n") else text.index("\n", end) + 1
    path.write_text(text[:end] + line + text[end:])
