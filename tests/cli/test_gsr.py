"""fairviz gsr, and GSR in evaluate."""

from pathlib import Path

import numpy as np
import pytest

import fairviz
from fairviz.cli.main import main
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.settings import Settings
from tests.cli.cases import rows
from tests.conftest import Call


def test_the_table_is_that_of_python(call: Call) -> None:
    streams = call("gsr newswire --k 5 --format csv")
    expected = gsr(gsr_points(fairviz.open_study("newswire"), Settings(cutoff=5)))
    found = rows(streams.out)
    assert [row["system"] for row in found] == expected["system"].tolist()
    for column in expected.columns[1:]:
        assert np.array_equal([float(row[column]) for row in found], expected[column])
    assert "glove: the gender direction explains 49.4 % of the variance of 10 pairs.\n" in streams.err
    assert "different words of documents have no vector: traveland, almao, " in streams.err


def test_per_query_depth_and_output(tmp_path: Path, call: Call) -> None:
    target = tmp_path / "points.csv"
    arguments = ["gsr", "newswire", "--depth", "relevant", "--per-query", "--format", "csv", "--output", str(target)]
    assert call(arguments).out == ""
    expected = gsr_points(fairviz.open_study("newswire"), Settings(gsr_depth="relevant"))
    found = rows(target.read_text())
    assert [row["query_id"] for row in found] == expected["query_id"].tolist()
    assert np.array_equal([float(row["list"]) for row in found], expected["list"])


def test_undefined_slopes_are_said(call: Call) -> None:
    streams = call("gsr football")
    assert streams.err.endswith(
        "note: The slope of left is undefined: only one query and its list have a genderedness, and a slope needs "
        "two.\nnote: The slope of right is undefined: only one query and its list have a genderedness, and a slope "
        "needs two.\n"
    )
    assert streams.out.splitlines()[1].split() == ["left", *"––––", "1", "0", *"––––"]


def test_small_p_values_are_not_zero(call: Call) -> None:
    table = call("gsr newswire").out.splitlines()
    assert table[0].split()[4] == "p"
    assert table[1].split()[4] == "2.6e-09"


def test_pairs_and_queries_left_out(call: Call) -> None:
    arguments = ["gsr", "occupations", "--pairs", "she-he, her-his, woman-man, zzq-he", "--left-out", "17"]
    streams = call(arguments, "--format csv")
    assert "glove: the gender direction explains " in streams.err
    assert " % of the variance of 3 pairs, without zzq-he, which the vectors lack.\n" in streams.err
    assert [row["queries"] for row in rows(streams.out)] == ["3", "3", "3"]


def test_the_authors_way(tmp_path: Path, call: Call) -> None:
    """The words of the file are handed on, not its path; the verb, the measure and Python say the same."""
    file = tmp_path / "stop.txt"
    file.write_text(" the\n of\n police\n")
    options = ["--query-terms", "lemma", "--stop-words", str(file), "--list-weights", "code"]
    by_verb = call("gsr newswire", options, "--format csv").rows
    chosen = Settings(query_terms="lemma", stop_words="the of police", list_weights="code")
    study = fairviz.open_study("newswire")
    assert np.array_equal([float(row["slope"]) for row in by_verb], gsr(gsr_points(study, chosen))["slope"])
    by_measure = call("evaluate newswire GSR", options, "--format csv").rows
    assert {row["measure"] for row in by_measure} == {"GSR(query_terms='lemma',weights='code',stop_words='own')@10"}
    assert [row["value"] for row in by_measure] == [row["slope"] for row in by_verb]


def test_a_stop_list_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str], call: Call) -> None:
    file = tmp_path / "stop.txt"
    file.write_text("the\nof a\n")
    for verb in (["gsr", "football"], ["evaluate", "football", "GSR@5"]):
        assert main([*verb, "--stop-words", str(file)]) == 1
        said = f"{file}:2: expected 1 word, found 2: 'of a'\nWrite one word a line, and nothing else.\n"
        assert capsys.readouterr().err.endswith(said)
    assert call("evaluate football", ["GSR(stop_words='own')@5"], status=2).err.endswith(
        "GSR(stop_words='own')@5 takes a stop list of your own, and there is none\n"
        "Give its words: --stop-words FILE, or stop_words='the a of' in Python.\n"
    )


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (
            ["--pairs", "she he"],
            2,
            "'she he' is not a pair of words\n"
            "Write female-male pairs: she-he, her-his; a hyphen inside a word as %2D.\n",
        ),
        (
            ["--pairs", ""],
            1,
            "the gender direction needs 3 pairs of words, and glove has vectors for 0 of 0 (it lacks none)\n"
            "Give other pairs, or use other word vectors.\n",
        ),
        (
            ["--embedding", "nowhere.bin"],
            1,
            "there are no word vectors 'nowhere.bin' (No such file or directory)\n"
            "Use glove, google-news-subset or the path of a word2vec or fastText file.\n",
        ),
        (
            ["--embedding", "google-news-subset"],
            1,
            "the word vectors google-news-subset are not fetched\nRun: fairviz fetch google-news-subset\n",
        ),
    ],
)
def test_what_is_wrong_is_said(options: list[str], status: int, message: str, call: Call) -> None:
    streams = call("gsr football", options, status=status)
    assert streams.out == ""
    assert streams.err.endswith(message)


def test_a_vector_file_that_is_cut_off_or_mixed(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "vectors.txt"
    for text in ("3 2\nshe 0.1 0.2\nhe 0.1\n", "she 0.1 0.2\nhe 0.1 0.2 0.3\n"):
        file.write_text(text)
        streams = call(f"gsr football --embedding {file}", status=1)
        assert "vectors.txt" in streams.err
        assert "Traceback" not in streams.err


def test_evaluate_takes_vectors(tmp_path: Path, call: Call) -> None:
    """Other vectors, other slopes: seven words of two dimensions."""
    file = tmp_path / "vectors.txt"
    words = {"woman": 1, "she": 1, "girl": 1, "man": -1, "he": -1, "boy": -1, "nurse": 0.5, "driver": -0.5}
    file.write_text("8 2\n" + "".join(f"{word} {g} {1 - abs(g)}\n" for word, g in words.items()))
    pairs = ["--pairs", "woman-man,she-he,girl-boy"]
    by_verb = call(f"gsr occupations --embedding {file}", pairs, "--format csv").rows
    assert [row["queries"] for row in by_verb] == ["2", "2", "2"]
    by_measure = call(f"evaluate occupations GSR@10 --embedding {file} --format csv").rows
    assert [row["measure"] for row in by_measure] == ["GSR@10"] * 3
    assert [float(row["value"]) for row in by_measure] == pytest.approx(
        [float(row["slope"]) for row in by_verb], abs=1e-12
    )
    assert float(by_measure[0]["value"]) == pytest.approx(2 / (2 * np.sqrt(0.5)), abs=1e-6)
