"""Measures, rankers, annotators and loaders that other packages add, or a function in this process."""

import os
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
FAULTY = """
[fairviz.measures]
gone = fairviz_template.nowhere:GONE
number = fairviz_template.measure:np
twice = fairviz_template.measure:PRESENCE
zero = fairviz_template.script:RESULT
"""
SCRIPT = "import atexit, sys\natexit.register(sys.exit, 0)\nprint('a script')\nsys.exit()\n"


@pytest.fixture
def study() -> Study:
    return fairviz.open_study("football")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    path = os.pathsep.join([str(folder), str(ROOT)])
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("template"))


def test_a_measure_of_a_package_has_its_values(template: Path, tmp_path: Path) -> None:
    """The values are counted anew here, query by query."""
    study = fairviz.open_study("newswire")
    labels = study.labels[study.labels["annotator"] == "project"].set_index("doc_id")["label"]
    top = study.runs[(study.runs["system"] == "bm25") & (study.runs["rank"] <= 10)]
    wanted = top.groupby("query_id", observed=True)["doc_id"].agg(
        lambda names: len({labels.get(name) for name in names} & {"female", "male"}) / 2
    )
    verb = (sys.executable, "-m", "fairviz")[1:]
    scores = run(template, *verb, "evaluate", "newswire", "Presence@10", "--per-query", "--format", "csv")
    assert not scores.returncode, scores.stderr
    (tmp_path / "scores.csv").write_text(scores.stdout)
    table = pd.read_csv(tmp_path / "scores.csv", comment="#", dtype={"query_id": str})
    values = table[table["system"] == "bm25"].set_index("query_id")["value"]
    assert values.to_dict() == pytest.approx(wanted.to_dict())
    report = run(template, *verb, "report", "newswire", "Presence@10", "--output", str(tmp_path / "report.html"))
    assert not report.returncode, report.stderr
    assert PACKAGE in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_measure_of_a_package_is_on_every_page(template: Path) -> None:
    """As one of the program's own is by the list of *How to add*."""
    done = run(template, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/how_to_add.py", "-k", "package")
    assert "1 passed" in done.stdout, done.stdout


def test_rankers_annotators_and_loaders_of_a_package(template: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    fairviz.save_study(fairviz.open_study("football"), folder)
    (folder / "runs" / "mine.pairs").write_text("best-player f1 2\nbest-player m1 3\n")
    code = f"""
import fairviz
study = fairviz.open_study({str(folder)!r})
print(study.runs[study.runs["system"] == "mine"].sort_values("rank")["doc_id"].tolist())
print(fairviz.rank(study, "longest").systems[-1])
labelled = fairviz.annotate(study, "pronoun")
print(sorted(set(labelled.labels[labelled.labels["annotator"] == "pronoun"]["label"])))
"""
    done = run(template, "-c", code)
    assert done.stdout.splitlines()[:2] == ["['m1', 'f1']", "longest"], done.stderr
    assert set(done.stdout.splitlines()[2]) & set("female male neutral")


def test_a_tokenizer_of_a_package_counts_and_marks(template: Path) -> None:
    code = """
from fairviz.cli.main import main
from fairviz.ui.kit.highlight import marked_html
from fairviz.words.counting import count_groups, parse_lexicon
from fairviz.words.tokenizers import TOKENIZERS
words = parse_lexicon("female:wife|ex-wife")
for fast in (False, True):
    print(count_groups(["His ex-wife", "a wife-like"], words, "hyphenated", fast=fast).counts.tolist())
print(marked_html("His ex-wife", words, "hyphenated", ("female",)).count("<span"), TOKENIZERS["hyphenated"].summary)
print(main(["evaluate", "football", "NFaiRR", "--tokenizer", "hyphenated", "--output", "/dev/null"]))
"""
    done = run(template, "-c", code)
    assert done.stdout.splitlines() == [
        "[[1, 0], [0, 0]]", "[[1, 0], [0, 0]]", f"1 words with their hyphens (package {PACKAGE})", "0",
    ], done.stderr  # fmt: skip


@pytest.mark.parametrize(
    ("spans", "by_character", "message"),
    [
        ("[(2, 1)]", "False", "gives no tokens of a text"),
        ("[(0, 1), (0, 2)]", "False", "gives no tokens of a text"),
        ("[(0, len(text) + 1)]", "False", "gives no tokens of a text"),
        ("['a']", "False", "fails: not enough values to unpack"),
        ("[(0, len(text))]", "True", "its tokens depend on more than single characters"),
        ("[(at, at + 1) for at in range(len(text)) if text[at] != ' ']", "True", "more than single characters"),
    ],
)
def test_a_faulty_tokenizer_is_named(tmp_path: Path, spans: str, by_character: str, message: str) -> None:
    folder = install(tmp_path / "site", "[fairviz.tokenizers]\nodd = fairviz_template.odd:ODD\n")
    (folder / "fairviz_template" / "odd.py").write_text(
        "from fairviz.words.tokenizers import Tokenizer\n"
        f"ODD = Tokenizer('odd', 'x', lambda text: {spans}, by_character={by_character})\n"
    )
    done = run(folder, "-m", "fairviz", "evaluate", "football", "NFaiRR", "--tokenizer", "odd")
    assert done.returncode
    assert message in done.stderr


def test_an_analysis_and_a_verb_of_a_package(template: Path) -> None:
    verb = (sys.executable, "-m", "fairviz")[1:]
    found = run(template, *verb, "longest", "newswire", "--top", "1", "--format", "csv")
    words = fairviz.open_study("newswire").queries["text"].str.split().str.len()
    assert [
        line.rpartition(",")[2] for line in found.stdout.splitlines() if line.startswith("q") and line[1].isdigit()
    ] == ["6"] * sum(words == 6)
    assert "The longest query has 6 words." in found.stderr
    assert run(template, *verb, "sizes", "football").stdout.split() == [
        "runs", "8", "queries", "1", "documents", "10", "labels", "10",
    ]  # fmt: skip
    refused = run(template, *verb, "longest", "newswire", "--top", "0")
    assert (refused.returncode, "--top" in refused.stderr) == (2, True)
    everything = run(template, *verb, "--help").stdout
    assert {"longest", "sizes"} <= set(everything.split())
    assert everything.split().count("(package") == 2
    code = """
import sys, fairviz
from fairviz.analyses.running import analyse
print(analyse(fairviz.open_study("newswire"), "longest", top=1).sentences)
from fairviz.cli import NAMED
from fairviz.cli.main import main
main(["evaluate", "football", "NFaiRR", "--output", "/dev/null"])
print("fairviz_template.verb" in sys.modules)
"""
    assert run(template, "-c", code).stdout.splitlines() == ["('The longest query has 6 words.',)", "False"]


@pytest.mark.parametrize(
    ("group", "record", "message"),
    [
        (
            "analyses",
            "replace(LONGEST_QUERIES, tables={'queries': Table(lambda found: 1, '')})",
            "gives 1 for its table",
        ),
        ("analyses", "replace(LONGEST_QUERIES, sentences=lambda found: 'a')", "gives 'a' for its sentences"),
        ("analyses", "replace(LONGEST_QUERIES, compute=lambda *_, **other: 1 / 0)", "fails: ZeroDivisionError"),
        ("analyses", "replace(LONGEST_QUERIES, needs={'colours': ''})", "it needs 'colours', and not one of runs"),
        ("analyses", "replace(LONGEST_QUERIES, name='Odd one')", "its name is 'Odd one', and not lower-case"),
        ("verbs", "replace(SIZES, name='odd', run=lambda arguments: 1 / 0)", "fails: ZeroDivisionError"),
        ("verbs", "replace(SIZES, name='odd', add_arguments=lambda parser: 1 / 0)", "fails: ZeroDivisionError"),
        ("verbs", "replace(SIZES, name='odd', group='Nowhere')", "its group is 'Nowhere', and not one of From runs"),
        ("verbs", "replace(SIZES, name='robustness')", "the name 'robustness' is in use by sensitivity"),
        ("verbs", "replace(SIZES, name='never-shown')", "the name 'never-shown' is in use by never-shown"),
        ("verbs", "replace(SIZES, name='odd', run=lambda arguments: sys.exit(0))", "fails: SystemExit"),
    ],
)
def test_a_faulty_analysis_or_verb_is_named(tmp_path: Path, group: str, record: str, message: str) -> None:
    folder = install(tmp_path / "site", f"[fairviz.{group}]\nodd = fairviz_template.odd:ODD\n")
    (folder / "fairviz_template" / "odd.py").write_text(
        "import sys\nfrom dataclasses import replace\nfrom fairviz.analyses.record import Table\n"
        "from fairviz_template.analysis import LONGEST_QUERIES\nfrom fairviz_template.verb import SIZES\n"
        f"LONGEST_QUERIES = replace(LONGEST_QUERIES, name='odd')\nODD = {record}\n"
    )
    done = run(folder, "-m", "fairviz", "odd", "football")
    assert done.returncode in (1, 2)
    assert message in done.stderr, done.stderr


def test_a_page_of_a_package_is_in_its_menu(template: Path) -> None:
    code = """
from streamlit.testing.v1 import AppTest
test = AppTest.from_file("app.py", default_timeout=300).run()
assert not test.exception, test.exception
from fairviz.ui.state.registry import CHOICES, PAGES
print([name for name, page in PAGES.items() if page.package], "labelled_order" in CHOICES, PAGES["longest"].section)
"""
    done = run(template, "-c", code)
    assert done.stdout.splitlines() == ["['labelled'] True Robustness"], done.stderr


def test_methods_names_the_package(template: Path) -> None:
    done = run(template, "-c", PAGE)
    assert "Presence" in done.stdout, done.stderr
    assert PACKAGE in done.stdout


def test_a_faulty_record_is_one_line_and_the_rest_works(tmp_path: Path) -> None:
    folder = install(tmp_path / "site", FAULTY)
    (folder / "fairviz_template" / "script.py").write_text(SCRIPT)
    done = run(folder, "-m", "fairviz", "evaluate", "football", "Presence@4", "--format", "csv")
    assert not done.returncode, done.stderr
    assert done.stdout.startswith("system,measure,")
    reported = [line for line in done.stderr.splitlines() if "left out" in line]
    assert [line.partition(" of ")[0] for line in reported] == [
        f"{PACKAGE}: {name}" for name in ("gone", "number", "zero", "twice")
    ]
    assert "ModuleNotFoundError: No module named 'fairviz_template.nowhere'" in reported[0]
    assert "its type is module, and not fairviz.measures.record.Measure" in reported[1]
    assert "the name 'Presence' is in use" in reported[3]
    assert reported[2].endswith("zero of fairviz.measures is left out: SystemExit.")
    gate = ("gate", "newswire", "--baseline", "bm25", "--candidate", "w2v_add", "--fail-if")
    for name, status in (("Presence", 0), ("Zero", 2)):
        assert run(folder, "-m", "fairviz", *gate, f"{name} falls by 0.9").returncode == status
    shown = run(folder, "-c", PAGE)
    assert all(line in shown.stdout for line in reported), shown.stderr


def female_share(ranking: pd.DataFrame) -> float:
    """The share of documents that are labelled female."""
    return (ranking["label"] == "female").mean()


def test_a_function_is_a_measure(study: Study) -> None:
    scores = fairviz.evaluate(study, [female_share, "Exposure(group='female')"], cutoff=4, position_bias="uniform")
    values = scores.pivot(index="system", columns="measure", values="value")
    assert values.shape == (2, 2)
    np.testing.assert_allclose(values.iloc[:, 0], values.iloc[:, 1])
    assert set(fairviz.summarise(scores)["system"]) == set(study.systems)
    again = fairviz.evaluate(study, "female_share@4")
    assert again["value"].tolist() == values["female_share@4"].tolist()


def test_a_function_receives_the_list(study: Study) -> None:
    lists = []
    fairviz.evaluate(study, lambda ranking: lists.append(ranking) or 1.0, cutoff=3)
    first = lists[0]
    assert list(first) == ["rank", "doc_id", "attention", "label", "words", "female_words", "male_words"]
    top = study.runs[(study.runs["system"] == study.systems[0]) & (study.runs["rank"] <= 3)]
    assert first["doc_id"].tolist() == top["doc_id"].tolist()
    np.testing.assert_allclose(first["attention"], 1 / np.log2(np.arange(1, 4) + 1))


def test_a_direction_makes_a_function_comparable(study: Study) -> None:
    female_share.direction = "higher"  # type: ignore[attr-defined]
    try:
        compared = fairviz.compare(fairviz.evaluate(fairviz.open_study("newswire"), female_share))
    finally:
        del female_share.direction  # type: ignore[attr-defined]
    assert set(compared["measure"]) == {"female_share@10"}


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ([lambda ranking: 1, lambda ranking: 2], "two functions are called 'function'"),
        (lambda ranking: "x", "function fails: it returns str, not a number"),
        (lambda ranking: ranking["nothing"], "function fails: KeyError: 'nothing'"),
    ],
)
def test_functions_that_are_no_measures(study: Study, measures: object, message: str) -> None:
    with pytest.raises(FairvizError) as caught:
        fairviz.evaluate(study, measures)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


def longest(query: str, texts: list[str]) -> list[int]:
    return [len(text) for text in texts]


def test_a_function_is_a_ranker(study: Study) -> None:
    ranked = fairviz.rank(study, {"longest": longest})
    assert ranked.systems == (*study.systems, "longest")
    run = ranked.runs[ranked.runs["system"] == "longest"]
    lengths = (study.documents["title"].fillna("") + " " + study.documents["text"]).str.strip().str.len()
    wanted = sorted(zip(-lengths, study.documents["doc_id"], strict=True))
    assert run["doc_id"].tolist() == [name for _, name in wanted]
    assert RANKERS["longest"].package == ""


def test_a_function_mitigates_and_is_swapped(study: Study) -> None:
    textless = fairviz.make_study("left", runs=study.runs, labels=study.labels, queries=study.queries,
                                  documents=study.documents)  # fmt: skip
    bench = fairviz.mitigation_bench(textless, {"longest": longest}, "CWEx@4")
    assert set(bench.table["base"]) == {"bi_encoder"}
    assert fairviz.counterfactual(study, {"longest": longest}, seeds=1).wide()["system"].tolist() == ["longest"]


@pytest.mark.parametrize(
    ("rankers", "message"),
    [
        ({"bm25": longest}, "the ranker 'bm25' cannot be used: the name 'bm25' is in use"),
        ({"a b": longest}, "the ranker 'a b' cannot be used: its name is 'a b'"),
        ({"mine": 3}, "rankers holds 'mine': 3"),
        ({"mine": lambda query, texts: [1]}, "mine fails: it returns (1,) scores, and 10 finite ones are needed"),
        ({"mine": lambda query, texts: [np.nan] * len(texts)}, "mine fails: it returns (10,) scores"),
    ],
)
def test_functions_that_are_no_rankers(study: Study, rankers: object, message: str) -> None:
    with pytest.raises(FairvizError) as caught:
        fairviz.rank(study, rankers)  # type: ignore[arg-type]
    assert str(caught.value).startswith(message)


def test_a_ranker_of_an_unknown_layer_is_refused() -> None:
    with pytest.raises(ValueError, match="its layer is 'model', and not one of models, llm, train, cluster, fast"):
        RANKERS.take(replace(RANKERS["bm25"], name="mine", layer="model"))
