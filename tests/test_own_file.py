"""`fairviz app --with FILE.py` and `fairviz.check_against`: functions of one's own, and who may bring them."""

import math
import re
import subprocess
from pathlib import Path

import pytest

import fairviz
from fairviz.cli import app
from fairviz.errors import FairvizError, UsageError
from fairviz.measures import MEASURES
from fairviz.own_file import bring, bring_named, checked_path
from fairviz.rankers import RANKERS
from tests.cli.test_app import Started
from tests.serving.proxy import free_port

FILE = '''
"""Exercises."""
from math import log2
from docs_template import PRESENCE

def neutral_share(ranking):
    """Share of neutral labels."""
    return (ranking["label"] == "neutral").mean()

neutral_share.direction = "higher"

def longest(query, texts):
    return [len(text) for text in texts]

def omega(document):
    return 1.0

def _hidden(ranking):
    return 0.0
'''


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for registry in (MEASURES, RANKERS):  # as they are here, afterwards
        monkeypatch.setattr(registry, "_records", dict(registry._records))
        monkeypatch.setattr(registry, "_taken", dict(registry._taken))
    template = Path(__file__).parent.parent / "docs/template/fairviz_template/measure.py"
    (tmp_path / "docs_template.py").write_text(template.read_text(encoding="utf-8"), encoding="utf-8")
    path = tmp_path / "mine.py"
    path.write_text(FILE, encoding="utf-8")
    return path


def test_functions_and_records_of_a_file_are_measures_and_rankers(file: Path) -> None:
    brought = bring(checked_path(str(file)))
    assert brought.measures == ("Presence", "neutral_share")
    assert brought.rankers == ("longest",)
    assert [line.partition(" ")[0] for line in brought.left_out] == ["omega(document)"]
    assert MEASURES["neutral_share"].summary == "Share of neutral labels (file mine.py)"
    football = fairviz.open_study("football")
    scores = fairviz.evaluate(football, ["neutral_share@4", "Presence@4", "Exposure@4"], position_bias="uniform")
    values = scores["value"].tolist()
    assert values[:2] == values[4:]  # of equal attention, the share of neutral labels is their exposure
    assert fairviz.rank(football, "longest(run='left',n=2)").systems[-1].startswith("longest")


def test_a_file_that_cannot_be_used_names_its_line(file: Path) -> None:
    for text, message in (
        ("def mine(ranking):\n    return 1 +\n", "mine.py:2: SyntaxError: invalid syntax"),
        ("import math\nmath.log(0)\n", "mine.py:2: ValueError: "),
        ("raise SystemExit(3)\n", "mine.py:1: SystemExit: 3"),
        ("x = 1\n", "mine.py has no measure and no ranker"),
        ("def CWEx(ranking):\n    return 1\n", "mine.py: CWEx cannot be used: the name 'CWEx' is in use by CWEx"),
        ("def mine(ranking):\n    return 'x'\n", "mine (file mine.py) fails: it returns str, not a number"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(FairvizError, match=f"^{re.escape(message)}"):
            bring(checked_path(str(file)))


@pytest.mark.parametrize("where", ["a study", "the data folder", "a server", "served studies", "nowhere", "no Python"])
def test_a_file_is_run_for_the_user_of_this_machine_alone(
    where: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("raise SystemExit('it ran')\n", encoding="utf-8")
    name = str(file)
    if where == "a study":
        (tmp_path / "runs").mkdir()
        (tmp_path / "runs" / "a.run").write_text("q Q0 d 1 1.0 a\n")
    elif where == "the data folder":
        monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path))
    elif where == "a server":
        monkeypatch.setenv("FAIRVIZ_SHARED", "1")
    elif where == "served studies":
        monkeypatch.setenv("FAIRVIZ_STUDIES", str(tmp_path / "studies"))
    else:
        name = str(tmp_path / ("none.py" if where == "nowhere" else "mine.txt"))
    with pytest.raises(UsageError):
        checked_path(name)
    monkeypatch.setenv("FAIRVIZ_WITH", name)
    with pytest.raises(UsageError):
        bring_named()


def test_the_app_is_told_the_file_and_others_never_reach_it(file: Path, monkeypatch: pytest.MonkeyPatch, call) -> None:
    monkeypatch.setattr(subprocess, "Popen", Started)
    monkeypatch.setattr(app, "ENDINGS", ())
    said = call(f"app --port {free_port()} --with", file).err
    assert "Measures of mine.py: Presence, neutral_share\nRankers of mine.py: longest\n" in said
    assert Started.env["FAIRVIZ_WITH"] == str(file.resolve())
    monkeypatch.setenv("FAIRVIZ_WITH", str(file))  # left over from another program
    call(f"app --port {free_port()}")
    assert Started.env["FAIRVIZ_WITH"] == ""
    for option in ("--address lab", "--only-labelling"):
        assert "--with is for the app of this machine alone" in call("app", option, "--with", file, status=2).err


def neutral_exposure(ranking) -> float:
    ranking = ranking.dropna(subset="label")
    attention = ranking["attention"]
    return float(attention[ranking["label"] == "neutral"].sum() / attention.sum()) if len(ranking) else math.nan


def test_a_right_function_agrees_on_all_lists() -> None:
    found = fairviz.check_against("Exposure", neutral_exposure, position_bias="reciprocal")
    assert found
    assert repr(found) == "Exposure@10: 200 lists, no difference."


def test_the_first_difference_is_shown_with_its_list_and_steps() -> None:
    """A function that forgets the list's own length is right only where the list has one document."""
    found = fairviz.check_against("Exposure", lambda ranking: neutral_exposure(ranking) * 2 / (1 + len(ranking)))
    assert not found
    assert len(found.ranking) == 2
    assert found.expected == pytest.approx(found.steps["value"].sum())
    assert found.got == pytest.approx(found.expected * 2 / 3)
    for text in (f"{found.agreed} lists before it agree", "Σ p(i) · 1[d in group] / A", "female_words", "neutral"):
        assert text in repr(found)


def test_undefined_lists_and_errors_are_differences() -> None:
    def careless(ranking) -> float:
        return float(ranking["attention"][ranking["label"] == "neutral"].sum() / ranking["attention"].sum())

    found = fairviz.check_against("Exposure", careless)
    assert math.isnan(found.expected)
    assert "is undefined, and the function returns 0" in repr(found)
    assert "no document within the cutoff has a label" in repr(found)
    failing = fairviz.check_against("CWEx", lambda ranking: 1 / 0)
    assert failing.agreed == 0
    assert "the function returns ZeroDivisionError: division by zero. It is the first list." in repr(failing)


def test_a_measure_of_more_than_the_list_is_refused() -> None:
    for measure in ("nDCG", "EE_R", "GSR", "NFaiRR(background='collection')"):
        with pytest.raises(UsageError, match="depends on more than the labels and words of one list"):
            fairviz.check_against(measure, neutral_exposure)
