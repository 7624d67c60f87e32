"""The library as a person meets it: public names with their docstrings, a study at a glance, wrong types named."""

import html
import inspect
import pydoc
import rlcompleter
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

import fairviz
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.output.capsule import capsule
from fairviz.plot.drawing import NAMES as FIGURE_NAMES
from fairviz.study.record import Annotator, Study
from fairviz.study.validation import FIELDS
from tests.conftest import ROOT, refused
from tests.extension_rows import rows
from tests.made import runs_of

LISTED = [line.partition(": ") for line in (fairviz.__doc__ or "").strip().splitlines()[4:]]  # name and what it is
NAMES = {name for name, *_ in LISTED}
ALL = NAMES | {*rows("PUBLIC")}
UNTRIED = {name for name, reason in rows("PUBLIC").items() if reason}
FIGURES = {"alpha", "cutoff", "exposure", "gsr", "order", "tradeoff", "words"}


@pytest.mark.whole
def test_the_public_names_are_those_of_the_docstring_and_shown_with_their_own() -> None:
    assert [name for name, *_ in LISTED] == sorted(NAMES)
    assert len(NAMES) > 25
    assert all(told for *_, told in LISTED)
    assert {name for name in dir(fairviz) if not name.startswith("_")} == ALL
    for package, names in ((fairviz, ALL), (fairviz.plot, FIGURES | set(FIGURE_NAMES))):
        assert set(package.__all__) - {"__version__"} == names
        completed = rlcompleter.Completer({"it": package}).attr_matches("it.")
        assert {f"it.{name}" for name in names} <= {text.removesuffix("()").removesuffix("(") for text in completed}
        shown = pydoc.plain(pydoc.render_doc(package))
        for name in names - {"plot"} - {*rows("PUBLIC")}:
            first = (inspect.getdoc(getattr(package, name)) or "").split("\n")[0]
            assert first
            assert name in shown
            assert first in shown


@pytest.mark.whole
def test_a_fresh_session_shows_them_before_anything_is_imported() -> None:
    code = "import sys, fairviz; print(*(name for name in dir(fairviz) if name[0] != '_')); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    shown, loaded = done.stdout.splitlines()
    assert set(shown.split()) == ALL
    assert {"numpy", "pandas", "streamlit", "pyarrow"} & set(loaded.split()) == set()


def test_evaluate_is_the_function_and_no_module() -> None:
    import fairviz.evaluation.scores

    assert fairviz.evaluate is fairviz.evaluation.scores.evaluate
    with pytest.raises(ModuleNotFoundError):
        __import__("fairviz.evaluate")
    with pytest.raises(AttributeError, match=r"^module 'fairviz' has no attribute 'evaluat'$"):
        _ = fairviz.evaluat


@pytest.mark.parametrize(
    ("module", "needs", "name"),
    [
        ("plot", "plotly", "tradeoff"),
        ("ir_measures", "ir_measures", "CWEx"),
        ("ranx", "pandas", "scores"),
        ("pyterrier", "pyterrier", "Balanced"),
        ("lenskit", "lenskit", "Exposure"),
    ],
)
def test_a_module_of_the_library_is_imported_in_every_way(module: str, needs: str, name: str) -> None:
    """As the first statement that imports the program, and as the same module. The modules below it are there already:
    `test_architecture.py` shows that no circle makes their order matter."""
    for code in (
        f"import fairviz.{module}; it = fairviz.{module}",
        f"import fairviz.{module} as it",
        f"from fairviz import {module} as it",
        f"import fairviz; it = fairviz.{module}",
        f"from fairviz.{module} import {name} as its; import fairviz; it = fairviz.{module}; assert it.{name} is its",
    ):
        names: dict[str, Any] = {}
        before = taken_out(module)
        try:
            if find_spec(needs) is None:
                with pytest.raises(Exception, match="which is not installed\nRun: pip install"):
                    exec(code, names)
            else:
                exec(code, names)
                assert names["it"] is sys.modules[f"fairviz.{module}"], code
        finally:
            taken_out(module)
            sys.modules.update(before)


def labelled_by(kinds: dict[str, str], **fields: Any) -> Study:
    """One document that all of them call male; each is a team of one."""
    labels = pd.DataFrame({"doc_id": "a", "annotator": [*kinds], "label": "male"})
    annotators = {who: Annotator(who, kind, columns=(("team", who),)) for who, kind in kinds.items()}  # type: ignore
    return fairviz.make_study("people", labels=labels, annotators=annotators, **fields)


def taken_out(module: str) -> dict[str, ModuleType]:
    """The package and this module of it, which nothing has imported any more."""
    taken = [name for name in sys.modules if name == "fairviz" or f"{name}.".startswith(f"fairviz.{module}.")]
    return {name: sys.modules.pop(name) for name in taken}


def test_one_text_is_one_measure_and_says_which_background_counted() -> None:
    study = fairviz.open_study("football")
    one = fairviz.evaluate(study, "CWEx@4")
    pd.testing.assert_frame_equal(one, fairviz.evaluate(study, ["CWEx@4"]))
    asked = ["CWEx@4", "CWEx(alpha=0.5)@4", "NFaiRR(background='candidates',tau=1)@4", "NFaiRR@4"]
    assert [*fairviz.evaluate(study, asked)["measure"].unique()] == ["CWEx(alpha=0.5)@4", "NFaiRR(tau=1)@4"]
    told = fairviz.evaluate(study, asked[2:], background="collection")
    assert list(told["measure"].unique()) == [
        "NFaiRR(tau=1,background='candidates')@4",
        "NFaiRR(tau=1,background='collection')@4",
    ]
    assert told["value"].isna().tolist() == [True, True, False, False]


# --- a study at a glance ------------------------------------------------------------------------------------------

CARD = """football: Two rankings for one football query
queries    1
documents  10, 10 with text
runs       8 lines of 2 systems: left, right
qrels      10 judgements of 1 query
labels     10 documents by 1 annotator: project
groups     neutral, female, male; protected: female
words      the built-in list
licence    MIT
folder     {} (read only)"""


def test_a_study_prints_as_a_card_of_ten_lines_and_a_notebook_shows_a_table() -> None:
    study = replace(fairviz.open_study("football"), folder=Path("data", "football"))
    assert str(study) == CARD.format(Path("data", "football"))
    assert repr(study) == "Study('football', queries=1, documents=10, runs=8, qrels=10, labels=10)"
    shown = study._repr_html_()
    assert shown.startswith("<table><caption>football: Two rankings for one football query</caption><tr><th")
    assert shown.count("<tr>") == 9
    assert ">8 lines of 2 systems: left, right</td>" in shown


def test_a_card_holds_whatever_a_study_is_called() -> None:
    hostile = '<script>alert("1")</script>\n& ' * 9
    study = fairviz.make_study(hostile, title=hostile, licence=hostile, neutral="\x1b[31m", groups=["<b>", "c"])
    assert len(str(study).splitlines()) == 10
    assert "\x1b" not in str(study)
    shown = study._repr_html_()
    assert ("<script" in shown, "<b>" in shown, html.escape("<b>") in shown) == (False, False, True)
    assert str(fairviz.make_study("bare")).splitlines()[1:4] == [
        "queries    0", "documents  0, 0 with text", "runs       0 lines of 0 systems",
    ]  # fmt: skip
    many = runs_of({f"s{n}": "d" for n in range(30)})
    assert "30 systems: s0, s1, s2, s3, s4, s5, s6, s7 and 22 more" in " ".join(
        str(fairviz.make_study("many", runs=many.assign(system=pd.Categorical(many["system"], many["system"])))).split()
    )


# --- wrong types --------------------------------------------------------------------------------------------------

WRONG: tuple[Any, ...] = (None, -3, 3.5, float("nan"), True, "text", "", b"bytes", [3], {"a": 1}, {3}, object(), int)


def refusal(function: Callable, arguments: dict[str, Any]) -> str:
    """The message with which the function refuses these arguments; empty where it takes them."""
    try:
        function(**arguments)
    except FairvizError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("field", fields(Settings), ids=lambda field: field.name)
def test_every_setting_takes_its_type_or_says_so(field: Any) -> None:
    for value in WRONG:
        refused = refusal(Settings, {field.name: value})
        assert field.name in refused or not refused or isinstance(value, str), refused
        assert refused or type(getattr(Settings(**{field.name: value}), field.name)) is type(field.default)
        assert refused or not isinstance(value, bool)
    assert refusal(Settings, {field.name: object()}).startswith(f"{field.name} is of the type object\n")


def test_a_setting_of_the_wrong_type_and_a_choice_that_is_no_setting() -> None:
    for name, value, remedy in (
        ("cutoff", "10", "Use a whole number."),
        ("cutoff", True, "Use a whole number."),
        ("cutoff", 10.0, "Use a whole number."),
        ("alpha", "0.5", "Use a number."),
        ("annotator", None, "Use text."),
        ("systems", "bm25", "Use a list of texts, as [name]."),
        ("systems", ["bm25", 3], "Use a list of texts, as [name]."),
        ("custom_bias", [1, "a"], "Use a list of numbers, as [1, 0.5]."),
        ("custom_bias", {"a": 1}, "Use a list of numbers, as [1, 0.5]."),
    ):
        with refused(f"{name} is {value!r}\n{remedy}"):
            Settings(**{name: value})
    said = refusal(fairviz.evaluate, {"study": fairviz.open_study("football"), "measures": "CWEx", "unlabeled": "x"})
    assert said.startswith("there is no setting 'unlabeled'\nDid you mean unlabelled? The settings are study, ")


def test_numbers_of_numpy_and_lists_are_taken_as_what_they_say() -> None:
    import numpy as np

    given = Settings(cutoff=np.int64(5), alpha=1, systems=["a"], custom_bias=np.array([1, 0.5]), annotator=np.str_("x"))
    assert given == Settings(cutoff=5, alpha=1.0, systems=("a",), custom_bias=(1.0, 0.5), annotator="x")
    assert repr(given) == repr(Settings(cutoff=5, alpha=1.0, systems=("a",), custom_bias=(1.0, 0.5), annotator="x"))


FUNCTIONS = {
    name: getattr(fairviz, name) for name in {*ALL} - {"plot", *UNTRIED} if inspect.isfunction(getattr(fairviz, name))
}
FUNCTIONS |= {name: getattr(fairviz.plot, name) for name in FIGURES}
ARGUMENTS = [
    (name, parameter.name)
    for name, function in sorted(FUNCTIONS.items())
    for parameter in inspect.signature(function).parameters.values()
    if parameter.kind is not inspect.Parameter.VAR_KEYWORD
]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Arguments that each public function takes."""
    study = fairviz.open_study("football")
    textless = fairviz.make_study("textless", runs=study.runs, labels=study.labels)  # which no encoder reads
    scores = fairviz.evaluate(study, ["CWEx@4", "RR@4"])
    newswire = fairviz.open_study("newswire")
    drawing = {"study": newswire, "design": "queries", "measure": "CWEx@10", "budget": 100, "annotator": "lexicon"}
    whose = {"annotator": "lexicon", "corrected_by": "project"}
    drawn = fairviz.draw_sample(**drawing)
    topics = study.to_pyterrier().topics
    results = study.to_pyterrier().runs["left"]
    file = tmp_path_factory.mktemp("capsule") / "capsule.zip"
    file.write_bytes(capsule(study, "CWEx@4", figures=False))
    return {
        "open_capsule": {"path": file},
        "open_study": {"name_or_path": "football"},
        "evaluate": {"study": study, "measures": "CWEx@4"},
        "annotate": {"study": study, "annotators": "lexicon"},
        "annotator_groups": {
            "study": labelled_by({"ann": "person", "ben": "person"}, runs=runs_of({"s": "a"})),
            "draws": 50,
        },
        "atlas": {"study": study, "measures": ["CWEx@4", "RR@4"]},
        "compare": {"scores": scores, "draws": 99},
        "contributions": {"study": study, "measure": "CWEx@4", "system": "left"},
        "robustness": {"study": study, "systems": ["left", "right"], "choices": ["tau"]},
        "corrected": {"study": newswire, "measures": "CWEx@10", "sample": drawn} | whose,
        "counterfactual": {"study": study, "rankers": "bm25", "seeds": 1},
        "declare": {"study": newswire, "measure": "CWEx@10", "better": "rrf", "worse": "bm25"},
        "draw_sample": drawing,
        "explore": {"study": study, "measures": "CWEx@4"},
        "from_experiment": {"systems": [results], "topics": topics},
        "achievable_front": {"study": study, "measure": "DPFR(nDCG@4,CWEx@4)"},
        "front_distances": {"study": study, "measure": "DPFR(nDCG@4,CWEx@4)"},
        "rank": {"study": study, "rankers": "bm25"},
        "ranges": {"study": study, "measures": "CWEx@4"},
        "replace_people": {
            "study": labelled_by({"ann": "person", "ben": "person", "cleo": "person", "model": "model"}),
        },
        "summarise": {"scores": scores},
        "chance": {"study": study, "measures": "CWEx@4"},
        "check_against": {"measure": "CWEx", "function": len},
        "check_claims": {"study": study},
        "tails": {"scores": scores},
        "ties": {"study": study, "measures": "CWEx@4"},
        "save_study": {"study": study, "folder": "saved"},
        "make_study": {"name": "made"},
        "mitigation_bench": {"study": textless, "mitigations": "balanced(run='left')", "measures": "CWEx@4"},
        "tradeoff": {"scores": scores},
        "order": {"scores": scores},
        "alpha": {"study": study},
        "cutoff": {"study": study},
        "exposure": {"study": study},
        "gsr": {"study": study},
        "words": {"words": ["nurse"]},
        **{name: arguments(tmp_path_factory.mktemp(name)) for name, arguments in rows("GOOD").items()},
    }


@pytest.mark.filterwarnings("ignore:glove has no vector")
@pytest.mark.parametrize(("name", "parameter"), ARGUMENTS)
def test_every_argument_takes_its_type_or_says_so(
    name: str, parameter: str, good: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    function, arguments = FUNCTIONS[name], good[name]
    for value in WRONG:
        refused = refusal(function, arguments | {parameter: value})
        assert parameter in refused or not refused or isinstance(value, (str, list, dict, set)), f"{value!r}: {refused}"
    assert refusal(function, arguments | {parameter: object()}).startswith(f"{parameter} is of the type object")


@pytest.mark.parametrize("field", FIELDS)
def test_every_field_of_a_study_takes_its_type_or_says_so(field: str) -> None:
    for value in WRONG:
        refused = refusal(fairviz.make_study, {"name": "made", field: value})
        assert field in refused or not refused, f"{value!r}: {refused}"
    assert refusal(fairviz.make_study, {"name": "made", field: object()}).startswith(f"{field} is of the type object")


def test_a_study_that_cannot_be_made() -> None:
    groups = "Name the groups of the study."
    for given, message in (
        ({"tile": "x"}, f"a study has no field 'tile'\nIts fields are {', '.join(FIELDS)}."),
        ({"queries": [1]}, "queries is [1]\nGive a pandas DataFrame with the columns query_id, text."),
        ({"groups": "female"}, "groups is 'female'\nGive a list of texts."),
        ({"groups": ["a"]}, f"groups must be two or more gender groups, the neutral one not among them\n{groups}"),
        ({"protected": "x"}, f"protected is not one of the groups female, male: 'x'\n{groups}"),
        ({"targets": {"female": 1}},
         f"targets must give a number for each of female, male: \"{{'female': 1}}\"\n{groups}"),
        ({"label_kind": "sex"}, "label_kind is 'sex'\nUse gender or other."),
        ({"annotators": {"a": 1}}, "annotators['a'] is 1\nGive an Annotator, as fairviz.study.record has it."),
    ):  # fmt: skip
        with refused(message):
            fairviz.make_study("made", **given)


def test_scores_that_are_none() -> None:
    with refused("scores has no column 'query_id'\nGive the table that fairviz.evaluate returns."):
        fairviz.summarise(pd.DataFrame({"system": ["a"], "measure": ["b"]}))
    with pytest.raises(FairvizError, match=r"^level is 95\nUse a number between 0 and 1, such as 0\.95\.$"):
        fairviz.summarise(fairviz.evaluate(fairviz.open_study("football"), "RR@4"), level=95)
