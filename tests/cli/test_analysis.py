"""Verbs of analyses print what Python returns, every number to its last digit, with their own sentences and files."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import by_query
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from tests.cli.test_evaluate import folder_of
from tests.conftest import Call

SWAP = "gender-swap football --ranker bm25 --seeds 1"
SENSITIVITY = "sensitivity newswire --systems bm25,bi_encoder"
ATLAS = ["CWEx", "NFaiRR", "GSR"]
LIKE_AUTHORS = "--k 5 --annotator lexicon --position-bias reciprocal"
AS_CHOSEN = {"cutoff": 5, "annotator": "lexicon", "position_bias": "reciprocal"}
NOT_A_SLOPE = "note: GSR@5 has no value for a query, and is not in this table.\n"
TABLES: list[tuple[str, str, Callable[[Study], pd.DataFrame], list[str]]] = [
    ("occupations", "evaluate CWEx(alpha=0.3)@2 TExFAIR@2 RaB@2 nDCG@2 --position-bias rbp(p=0.8)",
     lambda study: fairviz.summarise(fairviz.evaluate(
         study, ["CWEx(alpha=0.3)@2", "TExFAIR@2", "RaB@2", "nDCG@2"], position_bias="rbp(p=0.8)")), []),
    ("newswire", "evaluate CWEx --where category=sport --where category=crime",
     lambda study: fairviz.summarise(fairviz.evaluate(
         study, "CWEx", filter_column="category", filter_values=("sport", "crime"))), []),
    ("newswire", "evaluate TExFAIR --lexicon female:she|her;male:he|his --position-bias 1,0.5",
     lambda study: fairviz.summarise(fairviz.evaluate(
         study, "TExFAIR", lexicon="female:she|her;male:he|his", position_bias="custom", custom_bias=(1.0, 0.5))), []),
    *[
        ("occupations", f"evaluate CWEx nDCG --range{option} {'--per-query' * per_query}",
         lambda study, candidates=candidates, per_query=per_query: fairviz.ranges(
             study, ["CWEx", "nDCG"], candidates=candidates, per_query=per_query), [])
        for option, candidates, per_query in (("", "study", True), (" run", "run", False), (" judged", "judged", True))
    ],
    *[
        ("occupations", f"evaluate CWEx nDCG --tie-range {'--per-query' * per_query}",
         lambda study, per_query=per_query: fairviz.ties(study, ["CWEx", "nDCG"], per_query=per_query), [])
        for per_query in (False, True)
    ],
    ("newswire", "compare CWEx GSR --k 5 --annotator lexicon --baseline tfidf --tests \"bh(statistic='wilcoxon')\"",
     lambda study: fairviz.compare(fairviz.evaluate(study, ["CWEx", "GSR"], cutoff=5, annotator="lexicon"), "tfidf",
                                   tests="bh(statistic='wilcoxon')"),
     ["note: tests: all 21 pairs, Wilcoxon signed ranks, Benjamini-Hochberg; intervals: 95 % of one difference, "
      "uncorrected; ranks: not simultaneous, as the tests are not.\n"]),
    ("newswire", "compare CWEx RaB --slice category --margin 0.1 --margin RaB=0.5 --power 0.9 --level 0.9",
     lambda study: fairviz.compare(
         fairviz.evaluate(study, ["CWEx", "RaB"]), slices=study.queries.set_index("query_id")["category"],
         margin={"": 0.1, "RaB": 0.5}, power=0.9, level=0.9),
     ["note: queries by category: sport 6, politics 6, crime 6, health 5, "]),
    ("occupations", "compare CWEx nDCG --by-query",
     lambda study: by_query(fairviz.evaluate(study, ["CWEx", "nDCG"]), "", ""), []),
    ("newswire", "compare CWEx nDCG --by-query rrf --baseline bm25",
     lambda study: by_query(fairviz.evaluate(study, ["CWEx", "nDCG"]), "rrf", "bm25"), []),
    ("newswire", f"explain CWEx(alpha=0.3) --system bm25 --query q22 {LIKE_AUTHORS}",
     lambda study: fairviz.contributions(study, "CWEx(alpha=0.3)", "bm25", "q22", **AS_CHOSEN), []),
    ("newswire", "atlas CWEx NFaiRR GSR --k 5 --table correlations",
     lambda study: fairviz.atlas(study, ATLAS, cutoff=5).correlations,
     ["note: GSR@5 has no value for a query, and is in the order of systems only.\n"]),
    ("newswire", "atlas CWEx NFaiRR GSR --k 5 --table queries --systems bm25 w2v_add",
     lambda study: fairviz.atlas(study, ATLAS, cutoff=5).queries("bm25", "w2v_add"), [NOT_A_SLOPE]),
    *[
        ("football", f"gender-swap --ranker bm25 --seeds 1 --table {table}",
         lambda study, of=of: of(fairviz.counterfactual(study, "bm25", seeds=1)),
         ["note: 12 words and names replaced in 6 of 10 documents.\n"])
        for table, of in {"wide": lambda found: found.wide(), "queries": lambda found: found.queries}.items()
    ],
    ("newswire", "gsr --k 5", lambda study: gsr(gsr_points(study, Settings(cutoff=5))),
     ["glove: the gender direction explains 49.4 % of the variance of 10 pairs.\n",
      "different words of documents have no vector: traveland, almao, "]),
    ("newswire", "gsr --depth relevant --per-query",
     lambda study: gsr_points(study, Settings(gsr_depth="relevant")), []),
]  # fmt: skip


@pytest.mark.parametrize(("study", "line", "of", "notes"), TABLES, ids=[line for _, line, *_ in TABLES])
def test_the_table_is_that_of_python(
    study: str, line: str, of: Callable[[Study], pd.DataFrame], notes: list[str], call: Call,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    verb, _, options = line.partition(" ")
    said = call(verb, [study], options, "--format csv")
    assert said.out == of(request.getfixturevalue(study)).to_csv(index=False)
    assert [note for note in notes if note not in said.err] == []


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


def signed(value: float) -> str:
    return f"{value:.4f}".replace("-", "−")


def test_the_value_and_how_it_is_made(newswire: Study, call: Call) -> None:
    asked = "explain newswire CWEx(alpha=0.3) --system bm25 --query q22 --k 5 --annotator lexicon"
    said = call(asked, "--position-bias reciprocal").err
    scores = fairviz.evaluate(
        newswire, "CWEx(alpha=0.3)", systems=("bm25",), cutoff=5, annotator="lexicon", position_bias="reciprocal"
    )
    value = scores.set_index("query_id")["value"]["q22"]
    assert f"note: CWEx(alpha=0.3)@5 of bm25 for q22: {signed(value)}" in said
    assert ", the sum of the column value. Σ p(i) · c(d) / A" in said


def test_a_difference_query_by_query(call: Call) -> None:
    said = call("explain newswire TExFAIR --system bm25 --against w2v_si --format csv")
    assert len(said.rows) == 40
    total = signed(sum(float(row["contribution"]) for row in said.rows))
    assert f"note: TExFAIR@10 of bm25 minus w2v_si, query by query: {total}, the sum of the column" in said.err


def test_the_finding_is_that_of_python_and_a_file_says_what_it_was_made_of(tmp_path: Path, call: Call) -> None:
    finding = fairviz.counterfactual(fairviz.open_study("football"), "bm25", seeds=1).sentences[0]
    assert f"note: {finding}\n" in call(SWAP).err
    words, file = tmp_path / "own.csv", tmp_path / "found.csv"
    words.write_text("female,male\nshe,he\n")
    call(SWAP, f"--words {words} --substitute words --format csv --output {file}")
    found = pd.read_csv(file)
    assert set(zip(found["substitute"], found["rankers"], strict=True)) == {("words", "bm25")}
    assert found["words"][0].endswith("own.csv")
    words.write_text("she\n")
    assert call(SWAP, f"--names {words}", status=1).err.endswith(
        "own.csv:1: expected 2 columns, found 1: 'she'\nWrite a line as: female,male, such as: she,he.\n"
    )


def test_the_file_is_the_table_of_python_and_the_sentence_is_printed(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "map.csv"
    options = "--measure NFaiRR --choice tau=0,1 --choice tokenizer --k 5"
    streams = call(SENSITIVITY, options, f"--output {file}")
    found = fairviz.robustness(
        fairviz.open_study("newswire"), ["bm25", "bi_encoder"], "NFaiRR", {"tau": [0, 1], "tokenizer": None}, cutoff=5
    )
    written = pd.read_csv(file)
    assert written["difference"].tolist() == found.table["difference"].tolist()
    assert written["tokenizer"].tolist() == ["word", "word", "whitespace", "whitespace"]
    assert written["systems"][0] == "bm25, bi_encoder"
    assert " ".join(streams.out.split()).startswith(found.sentence)
    table = streams.out.split("\n\n")[1].splitlines()
    assert table[0].split() == ["choice", "share", "with_interactions", "share_of_order"]
    assert [line.split()[0] for line in table[1:]] == found.share_table["choice"].tolist()
    assert f"wrote {file}: 4 combinations\n" in streams.err
    # levels of one choice may come in two options, and a word list from a file
    folder_of(tmp_path, {"words.csv": "word,group\nshe,female\nhe,male\n"})
    options = f"--measure NFaiRR --choice lexicon=study --choice lexicon={tmp_path}/words.csv --no-provenance"
    call(SENSITIVITY, options, f"--output {file}")
    assert pd.read_csv(file)["lexicon"].tolist() == ["built-in, 171 words", "own, 2 words"]
    said = call(SENSITIVITY, "--choice tau=0,1,2 --measure NFaiRR --most 2", status=2).err
    assert "these choices make 3 combinations, " in said  # how long they would take depends on the machine
    assert "Vary fewer choices or levels, or allow this many: most=3 (--most 3).\n" in said
    # a comma may stand in the name of a system
    runs = {f"runs/{name}.run": "q Q0 d1 1 2 x\nq Q0 d2 2 1 x\n" for name in ("a,1", "b")}
    folder_of(tmp_path, runs | {"labels.csv": "doc_id,annotator,label\nd1,x,female\nd2,x,neutral\n"})
    said = call(f"sensitivity {tmp_path} --systems a,1,b --choice alpha")
    assert said.out.startswith("a,1 and b are each fairer under 0 of 3 combinations")


def test_ctrl_c_leaves_what_is_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    """The line of progress stands for the moment at which somebody presses it."""
    monkeypatch.setattr("fairviz.analyses.sensitivity.work.cores", lambda: 1)
    monkeypatch.setattr("fairviz.analyses.sensitivity.work.TOGETHER", 1)
    monkeypatch.setattr("fairviz.analyses.sensitivity.work.LOOK", 0.0)

    def pressed(self: object, done: int, count: int) -> None:
        if done:
            raise KeyboardInterrupt

    monkeypatch.setattr("fairviz.evaluation.formats.ProgressLine.__call__", pressed)
    file = tmp_path / "map.csv"
    alphas = ",".join(f"0.{number:04d}" for number in range(1, 400))
    said = call(SENSITIVITY, f"--choice alpha={alphas} --output {file} --no-provenance", status=130)
    count = len(file.read_text(encoding="utf-8").splitlines()) - 1
    assert 0 < count < 400
    assert f"stopped: {count:,} of 400 combinations are computed, and the figures are of these.\n" in said.err
    assert f"of {count:,} combination" in " ".join(said.out.split())
