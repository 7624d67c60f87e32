"""fairviz gate: statuses, run files, messages and the page."""

from pathlib import Path

import pytest

from tests.conftest import Call

STUDY = "gate newswire --baseline w2v_add --candidate bm25"


def study(folder: Path, queries: int = 12) -> Path:
    """A study with one run: the neutral document above the female one, for each query."""
    (folder / "runs").mkdir(parents=True)
    names = [f"{letter}{query}" for query in range(queries) for letter in "nf"]
    labels = "".join(f"{name},{'neutral' if name[0] == 'n' else 'female'}\n" for name in names)
    (folder / "labels.csv").write_text(f"doc_id,label\n{labels}")
    run(folder / "runs" / "first.run", ["nf"] * queries)
    return folder


def run(file: Path, orders: list[str]) -> Path:
    """A run with the documents of each query in this order."""
    file.parent.mkdir(exist_ok=True)
    lines = [
        f"q{query} Q0 {letter}{query} {rank} {-rank} x\n"
        for query, order in enumerate(orders)
        for rank, letter in enumerate(order, 1)
    ]
    file.write_text("".join(lines))
    return file


def test_the_status_is_3_where_a_condition_is_met(call: Call) -> None:
    for conditions, status in (
        (["CWEx falls by 0.02"], 3),
        (["CWEx falls by 0.11"], 0),  # the difference lies beyond, its interval reaches back
        (["CWEx worse by 0.5", "nDCG falls by 0.5"], 0),
        (["nDCG falls by 0.5", "CWEx worse by 0.02"], 3),
        (["CWx falls by 0.02"], 2),
    ):
        call(STUDY, *(f"--fail-if '{text}'" for text in conditions), status=status)


def test_what_is_said(call: Call) -> None:
    said = call(STUDY, "--fail-if 'CWEx falls by 0.02' --fail-if 'TED above 0.9' --most 2 --format csv", status=3)
    falls, above = said.rows
    assert (falls["state"], above["state"]) == ("beyond", "within")
    assert falls["moved"] == "q23 (lee-186, lee-071); q30 (lee-311, lee-296)"
    span = " to ".join(f"{float(falls[end]):+.4f}" for end in ("ci_low", "ci_high"))
    value = " to ".join(f"{float(above[end]):.4f}" for end in ("ci_low", "ci_high"))
    assert (
        f"beyond: CWEx falls by 0.02: CWEx(alpha=0.5)@10 differs by -0.1153 (95 % interval {span}, 40 common queries)\n"
        "  moved most: q23 (lee-186, lee-071); q30 (lee-311, lee-296)\n"
        f"within: TED above 0.9: TED@10 is 0.6369 (95 % interval {value}, 40 common queries)\n"
    ) in said.err


def test_run_files_are_read_beside_the_study(tmp_path: Path, call: Call) -> None:
    """Also where both have the name of the study's own system."""
    folder, page = study(tmp_path / "mine"), tmp_path / "page.html"
    old, new = run(tmp_path / "old" / "first.run", ["nf"] * 12), run(tmp_path / "new" / "first.run", ["fn"] * 12)
    asked = f"gate {folder} --baseline {old} --candidate {new} --fail-if 'CWEx@2 falls by 0.1' --report {page}"
    assert call(asked, status=3).err.endswith(f"wrote {page}\n")
    assert "<h1>first (candidate) against first (baseline)</h1>" in page.read_text(encoding="utf-8")
    call(f"gate {folder} --baseline first --candidate {old} --fail-if 'CWEx@2 falls by 0'")
    assert [file.name for file in (folder / "runs").iterdir()] == ["first.run"], "nothing is added to the study"


def test_a_measure_without_values_is_a_sentence_and_never_a_nan(tmp_path: Path, call: Call) -> None:
    """The candidate shows no gender: AWRF is undefined in it alone, which is status 1 unless it is allowed."""
    folder, new = study(tmp_path / "mine"), run(tmp_path / "new.run", ["n"] * 12)
    asked = f"gate {folder} --baseline first --candidate {new} --all-queries --fail-if 'AWRF@2 worse by 0.02'"
    said = call(asked, status=1).err
    assert "AWRF@2 is undefined for 12 of 12 queries in new alone" in said
    assert "AWRF@2 has no value to compare (" in said
    assert "nan" not in said.lower()
    said = call(asked, "--undefined 100%", status=1).err
    assert "Look at these lists" not in said, "allowed, and still undecided"


def test_the_background_is_named(call: Call) -> None:
    said = call(STUDY, "--fail-if 'NFaiRR worse by 0.5'").err
    assert (
        "note: the background of NFaiRR is collection here, and candidates on the pages; `compare --background "
        "collection` gives these numbers.\n"
    ) in said
    assert "the background of" not in call(STUDY, "--fail-if 'NFaiRR worse by 0.5' --background candidates").err


@pytest.mark.parametrize("changed", [0, 5, 6])
def test_p_and_interval_are_those_of_compare_for_the_two(changed: int, tmp_path: Path, call: Call) -> None:
    """Also where few lists change, which is no reason for a refusal; 'falls by 0' is met exactly where p is small."""
    folder, orders = study(tmp_path / "mine", 40), ["fn"] * changed + ["nf"] * (40 - changed)
    new = run(tmp_path / "new.run", orders)
    expected = 3 if changed >= 6 else 0
    asked = f"gate {folder} --baseline first --candidate {new} --fail-if 'CWEx@2 falls by 0' --format csv"
    (gated,) = call(asked, status=expected).rows
    run(folder / "runs" / "new.run", orders)
    (compared,) = call(f"compare {folder} CWEx@2 --baseline first --format csv").rows
    for name, other in (("p", "p_corrected"), ("ci_low", "ci_low"), ("ci_high", "ci_high"), ("queries", "queries")):
        assert gated[name] == compared[other], name
    assert (float(compared["p_corrected"]) <= 0.05) == (expected == 3)


def test_strict_makes_every_status_1_one_of_3(tmp_path: Path, call: Call) -> None:
    (tmp_path / "bad.run").write_text("q1 Q0\n")
    few = f"{study(tmp_path / 'few', 9)} --baseline first --candidate {run(tmp_path / 'few.run', ['fn'] * 9)}"
    own = f"{study(tmp_path / 'mine')} --baseline first --candidate"
    lacking, same = run(tmp_path / "lacking.run", ["nf"] * 10), run(tmp_path / "same.run", ["nf"] * 12)
    condition = "--fail-if 'CWEx@2 falls by 0.1'"
    help_text = " ".join(call("gate --help").out.split())
    for line, statuses, cause, said in (
        (f"{few} {condition}", (1, 3), "fewer than ten queries", "undecided: CWEx@2 falls by 0.1"),
        (f"{own} {lacking} {condition}", (1, 3), "half of all", "is undefined for 2 of 12 queries"),
        (f"{own} {lacking} {condition} --undefined 20% --all-queries", (1, 3), "--all-", "does not answer 2 queries"),
        (f"{own} {lacking} --fail-if 'nDCG@2 falls by 0.1'", (1, 3), "without what a measure needs", "relevance"),
        (f"{own} {lacking} --fail-if 'never shown female above 0.1'", (1, 3), "'never shown GROUP'",
         "mine has no relevance judgements"),
        (f"{own} {tmp_path}/bad.run {condition}", (1, 3), "with errors", "bad.run:1: "),
        (f"{own} {lacking} {condition} --undefined 0.2 --report {tmp_path}/no/page.html", (1, 3), "cannot be written",
         f"could not write {tmp_path}/no/page.html"),
        (f"{own} {same} {condition}", (0, 0), "", ""),
        (f"{own} {lacking} --fail-if 'CWEx is bad'", (2, 2), "", ""),
    ):  # fmt: skip
        for option, status in zip(("", "--strict"), statuses, strict=True):
            assert said in call("gate", line, option, status=status).err
        assert cause in help_text, "every cause is in the short help"
