"""fairviz gsr, and GSR in evaluate; the plain tables are among those of test_same_as_python."""

from pathlib import Path

import numpy as np
import pytest

from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from tests.conftest import Call


def test_undefined_slopes_are_said_and_small_p_values_are_not_zero(call: Call) -> None:
    said = call("gsr football")
    undefined = "is undefined: only one query and its list have a genderedness, and a slope needs two.\n"
    assert said.err.endswith(f"note: The slope of left {undefined}note: The slope of right {undefined}")
    assert said.out.splitlines()[1].split() == ["left", *"––––", "1", "0", *"––––"]
    head, first, *_ = call("gsr newswire").out.splitlines()
    assert (head.split()[4], first.split()[4]) == ("p", "2.6e-09")


def test_pairs_and_queries_left_out(call: Call) -> None:
    said = call("gsr occupations --pairs 'she-he, her-his, woman-man, zzq-he' --left-out 17 --format csv")
    assert "glove: the gender direction explains " in said.err
    assert " % of the variance of 3 pairs, without zzq-he, which the vectors lack.\n" in said.err
    assert [row["queries"] for row in said.rows] == ["3", "3", "3"]


def test_the_authors_way(newswire: Study, tmp_path: Path, call: Call) -> None:
    """The words of the file are handed on, not its path; the verb, the measure and Python say the same."""
    file = tmp_path / "stop.txt"
    file.write_text(" the\n of\n police\n")
    options = f"--query-terms lemma --stop-words {file} --list-weights code --format csv"
    by_verb = call("gsr newswire", options).rows
    chosen = Settings(query_terms="lemma", stop_words="the of police", list_weights="code")
    expected = gsr(gsr_points(newswire, chosen))["slope"]
    assert np.array_equal([float(row["slope"]) for row in by_verb], expected)
    by_measure = call("evaluate newswire GSR", options).rows
    assert {row["measure"] for row in by_measure} == {"GSR(query_terms='lemma',weights='code',stop_words='own')@10"}
    assert [row["value"] for row in by_measure] == [row["slope"] for row in by_verb]
    file.write_text("the\nof a\n")
    for verb in ("gsr football", "evaluate football GSR@5"):
        assert call(verb, f"--stop-words {file}", status=1).err.endswith(
            f"{file}:2: expected 1 word, found 2: 'of a'\nWrite one word a line, and nothing else.\n"
        )


def test_evaluate_takes_vectors(tmp_path: Path, call: Call) -> None:
    """Other vectors, other slopes: seven words of two dimensions."""
    file = tmp_path / "vectors.txt"
    words = {"woman": 1, "she": 1, "girl": 1, "man": -1, "he": -1, "boy": -1, "nurse": 0.5, "driver": -0.5}
    file.write_text("8 2\n" + "".join(f"{word} {g} {1 - abs(g)}\n" for word, g in words.items()))
    by_verb = call(f"gsr occupations --embedding {file} --pairs woman-man,she-he,girl-boy --format csv").rows
    assert [row["queries"] for row in by_verb] == ["2", "2", "2"]
    by_measure = call(f"evaluate occupations GSR@10 --embedding {file} --format csv").rows
    assert [row["measure"] for row in by_measure] == ["GSR@10"] * 3
    slopes = [float(row["slope"]) for row in by_verb]
    assert [float(row["value"]) for row in by_measure] == pytest.approx(slopes, abs=1e-12)
    assert float(by_measure[0]["value"]) == pytest.approx(2 / (2 * np.sqrt(0.5)), abs=1e-6)
