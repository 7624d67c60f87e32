"""Measures, rankers, annotators and loaders that other packages add, or a function in this process."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.errors import FairvizError
from fairviz.rankers import RANKERS
from fairviz.study.record import Study
from tests.template import PACKAGE, ROOT, install

PAGE = """
import html
from streamlit.testing.v1 import AppTest
test = AppTest.from_file("pages/methods.py", default_timeout=300).run()
assert not test.exception, test.exception
print(*(html.unescape(element.proto.body) for element in test.get("html")))
print(*(str(frame.value) for frame in test.dataframe))
"""
EVALUATE = """
import sys
from fairviz.cli.main import main
assert not main("evaluate football Presence@4 --format csv".split())
print("verb loaded:", "fairviz_template.verb" in sys.modules)
sys.stderr.write("evaluated\\n")
"""
GATES = """
gate = "gate newswire --baseline bm25 --candidate w2v_add --fail-if".split()
print([main([*gate, f"{measure} falls by 0.9"]) for measure in ("Zero", "Presence")])
"""
FAULTY = """
[fairviz.measures]
gone = fairviz_template.nowhere:GONE
number = fairviz_template.measure:np
twice = fairviz_template.measure:PRESENCE
zero = fairviz_template.script:RESULT
"""
SCRIPT = "import atexit, sys\natexit.register(sys.exit, 0)\nprint('a script')\nsys.exit()\n"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    path = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )


@pytest.mark.slow
def test_what_a_package_adds_is_in_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    done = run(install(tmp_path / "site"), "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/of_a_package.py")
    assert not done.returncode, done.stdout


def test_a_faulty_record_is_one_line_and_the_rest_works(tmp_path: Path) -> None:
    """And a verb of the package is not loaded for another verb."""
    folder = install(tmp_path / "site", FAULTY)
    (folder / "fairviz_template" / "script.py").write_text(SCRIPT)
    done = run(folder, "-c", f"{EVALUATE}\n{PAGE}\n{GATES}")
    assert not done.returncode, done.stderr
    evaluated, found, shown = done.stdout.partition("\nverb loaded: False\n")
    assert evaluated.startswith("system,measure,")
    assert found
    reported = [line for line in done.stderr.partition("\nevaluated\n")[0].splitlines() if "left out" in line]
    assert [line.partition(" of ")[0] for line in reported] == [
        f"{PACKAGE}: {name}" for name in ("gone", "number", "zero", "twice")
    ]
    assert "ModuleNotFoundError: No module named 'fairviz_template.nowhere'" in reported[0]
    assert "its type is module, and not fairviz.measures.record.Measure" in reported[1]
    assert "the name 'Presence' is in use" in reported[3]
    assert reported[2].endswith("zero of fairviz.measures is left out: SystemExit.")
    assert all(line in shown for line in reported), done.stderr
    assert shown.endswith("\n[2, 0]\n")


def female_share(ranking: pd.DataFrame) -> float:
    """The share of documents that are labelled female."""
    return (ranking["label"] == "female").mean()


def test_a_function_is_a_measure(football: Study) -> None:
    scores = fairviz.evaluate(football, [female_share, "Exposure(group='female')"], cutoff=4, position_bias="uniform")
    values = scores.pivot(index="system", columns="measure", values="value")
    assert values.shape == (2, 2)
    np.testing.assert_allclose(values.iloc[:, 0], values.iloc[:, 1])
    assert set(fairviz.summarise(scores)["system"]) == set(football.systems)
    again = fairviz.evaluate(football, "female_share@4")
    assert again["value"].tolist() == values["female_share@4"].tolist()


def test_a_function_receives_the_list(football: Study) -> None:
    lists = []
    fairviz.evaluate(football, lambda ranking: lists.append(ranking) or 1.0, cutoff=3)
    first = lists[0]
    assert list(first) == ["rank", "doc_id", "attention", "label", "words", "female_words", "male_words"]
    top = football.runs[(football.runs["system"] == football.systems[0]) & (football.runs["rank"] <= 3)]
    assert first["doc_id"].tolist() == top["doc_id"].tolist()
    np.testing.assert_allclose(first["attention"], 1 / np.log2(np.arange(1, 4) + 1))


def test_a_direction_makes_a_function_comparable(newswire: Study) -> None:
    female_share.direction = "higher"  # type: ignore[attr-defined]
    try:
        compared = fairviz.compare(fairviz.evaluate(newswire, female_share))
    finally:
        del female_share.direction  # type: ignore[attr-defined]
    assert set(compared["measure"]) == {"female_share@10"}


def test_functions_that_are_no_measures(football: Study) -> None:
    for measures, message in (
        ([lambda ranking: 1, lambda ranking: 2], "two functions are called 'function'"),
        (lambda ranking: "x", "function fails: it returns str, not a number"),
        (lambda ranking: ranking["nothing"], "function fails: KeyError: 'nothing'"),
    ):
        with pytest.raises(FairvizError, match=f"^{message}"):
            fairviz.evaluate(football, measures)  # type: ignore[arg-type]


def longest(query: str, texts: list[str]) -> list[int]:
    return [len(text) for text in texts]


def test_a_function_is_a_ranker(football: Study) -> None:
    ranked = fairviz.rank(football, {"longest": longest})
    assert ranked.systems == (*football.systems, "longest")
    run = ranked.runs[ranked.runs["system"] == "longest"]
    lengths = (football.documents["title"].fillna("") + " " + football.documents["text"]).str.strip().str.len()
    wanted = sorted(zip(-lengths, football.documents["doc_id"], strict=True))
    assert run["doc_id"].tolist() == [name for _, name in wanted]
    assert RANKERS["longest"].package == ""


def test_a_function_mitigates_and_is_swapped(football: Study) -> None:
    textless = fairviz.make_study("left", runs=football.runs, labels=football.labels, queries=football.queries,
                                  documents=football.documents)  # fmt: skip
    bench = fairviz.mitigation_bench(textless, {"longest": longest}, "CWEx@4")
    assert set(bench.table["base"]) == {"bi_encoder"}
    assert fairviz.counterfactual(football, {"longest": longest}, seeds=1).wide()["system"].tolist() == ["longest"]


def test_functions_that_are_no_rankers(football: Study) -> None:
    for rankers, message in (
        ({"bm25": longest}, "the ranker 'bm25' cannot be used: the name 'bm25' is in use"),
        ({"a b": longest}, "the ranker 'a b' cannot be used: its name is 'a b'"),
        ({"mine": 3}, "rankers holds 'mine': 3"),
        ({"mine": lambda query, texts: [1]}, "mine fails: it returns (1,) scores, and 10 finite ones are needed"),
        ({"mine": lambda query, texts: [np.nan] * len(texts)}, "mine fails: it returns (10,) scores"),
    ):
        with pytest.raises(FairvizError, match=f"^{re.escape(message)}"):
            fairviz.rank(football, rankers)  # type: ignore[arg-type]


def test_a_ranker_of_an_unknown_layer_is_refused() -> None:
    with pytest.raises(ValueError, match="its layer is 'model', and not one of models, llm, train, cluster, fast"):
        RANKERS.take(replace(RANKERS["bm25"], name="mine", layer="model"))
