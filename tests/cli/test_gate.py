"""fairviz gate: statuses, run files, messages and the page."""

import shlex
from pathlib import Path

import pytest

from fairviz.cli.main import parser
from tests.conftest import ROOT, Call

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


@pytest.mark.parametrize(
    ("conditions", "status"),
    [
        (["CWEx falls by 0.02"], 3),
        (["CWEx falls by 0.11"], 0),  # the difference lies beyond, its interval reaches back
        (["CWEx worse by 0.5", "nDCG falls by 0.5"], 0),
        (["nDCG falls by 0.5", "CWEx worse by 0.02"], 3),
        (["CWEx is bad"], 2),
        (["CWEx <= 0.5"], 2),
        (["CWx falls by 0.02"], 2),
    ],
)
def test_the_status(conditions: list[str], status: int, call: Call) -> None:
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


def test_other_queries_are_said_and_can_be_refused(tmp_path: Path, call: Call) -> None:
    folder, new = study(tmp_path / "mine"), run(tmp_path / "new.run", ["nf"] * 10)
    asked = f"gate {folder} --baseline first --candidate {new} --fail-if 'CWEx@2 falls by 0.1'"
    said = call(asked, "--undefined 20%").err
    assert "note: first alone answers 2 queries: q10, q11. Measures of eff" in said
    said = call(asked, status=1).err
    assert "CWEx(alpha=0.5)@2 is undefined for 2 of 12 queries in new alone: q10, q11\n" in said
    assert call(asked, "--undefined 20% --all-queries", status=1).err.endswith(
        "new does not answer 2 queries that first answers: q10, q11\n"
        "Rank them too, or leave out --all-queries to compare on the queries that both answer.\n"
    )


def test_too_few_queries_are_undecided(tmp_path: Path, call: Call) -> None:
    folder, new = study(tmp_path / "mine", 9), run(tmp_path / "new.run", ["fn"] * 9)
    said = call(f"gate {folder} --baseline first --candidate {new} --fail-if 'CWEx@2 falls by 0.1'", status=1).err
    assert (
        "undecided: CWEx@2 falls by 0.1: CWEx(alpha=0.5)@2 differs by -0.2263 (95 % interval – to –, 9 common queries)"
    ) in said


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


@pytest.mark.parametrize(
    ("given", "share"), [("--undefined 12.5%", 0.125), ("--undefined 0.2", 0.2), ("", 0.05)], ids=str
)
def test_shares_are_read_as_percentages_and_as_numbers(given: str, share: float) -> None:
    assert parser().parse_args([*STUDY.split(), "--fail-if", "x", *given.split()]).undefined == share


def test_the_background_is_named_and_compare_gives_the_same_numbers(call: Call) -> None:
    said = call(STUDY, "--fail-if 'NFaiRR worse by 0.5' --format csv")
    assert (
        "note: the background of NFaiRR is collection here, and candidates on the pages; `compare --background "
        "collection` gives these numbers.\n"
    ) in said.err
    (ours,) = said.rows
    compared = call("compare newswire NFaiRR --baseline w2v_add --background collection --format csv").rows
    (theirs,) = (row for row in compared if row["system"] == "bm25")
    for name in ("measure", "baseline_value", "value", "difference", "queries"):  # an interval is of its family
        assert ours[name] == theirs[name], name
    assert "the background of" not in call(STUDY, "--fail-if 'NFaiRR worse by 0.5' --background candidates").err


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("football --baseline left --candidate up.run --fail-if 'CWEx falls by 0'", 1,
         "the candidate 'up.run' is neither a system of football nor a run file\n"
         "Its systems are left, right; or name a file such as runs/new.run.\n"),
        ("football --baseline left --candidate left --fail-if 'CWEx falls by 0'", 2,
         "baseline and candidate are both 'left'\nName two systems, or two run files.\n"),
        ("football --baseline left --candidate right --fail-if 'CWEx < -0.02'", 2,
         "the condition 'CWEx < -0.02' can mean a difference or a value\n"
         "Write 'CWEx falls by 0.02' for the difference to the baseline, or 'CWEx below -0.02' for the candidate's "
         "value.\n"),
        ("football --baseline left --candidate right --fail-if 'CWEx falls by 0' --undefined 7", 2,
         "'7' is not a share: write 5% or 0.05\nAll arguments: fairviz gate --help all\n"),
    ],
)  # fmt: skip
def test_what_cannot_be(line: str, status: int, message: str, call: Call) -> None:
    assert call("gate", line, status=status).err.endswith(message)


def test_files_that_cannot_be_read_or_written(tmp_path: Path, call: Call) -> None:
    (tmp_path / "bad.run").write_text("q1 Q0 d1 1 high x\n")
    said = call(f"gate football --baseline left --candidate {tmp_path}/bad.run --fail-if 'CWEx falls by 0'", status=1)
    assert "bad.run:1: " in said.err
    report = tmp_path / "no" / "page.html"
    said = call(STUDY, f"--fail-if 'CWEx falls by 0.02' --report {report}", status=1)
    assert f"could not write {report}" in said.err


def test_the_commands_of_the_manual_are_read() -> None:
    page = ROOT / "docs" / "tutorials" / "continuous-integration.md"
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    text = text.replace("--candidate new.run\n", "--candidate new.run ")
    commands = [
        line.split("fairviz ", 1)[1] for line in text.splitlines() if "fairviz gate my-study --baseline" in line
    ]
    assert len(commands) == 1
    given = parser().parse_args(shlex.split(commands[0]))
    assert (given.verb, given.report, len(given.fail_if)) == ("gate", "gate.html", 2)


@pytest.mark.parametrize("changed", [0, 1, 3, 5, 6, 8, 40])
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
    for line, statuses in {
        f"{few} {condition}": (1, 3),
        f"{own} {lacking} {condition}": (1, 3),  # undefined for 2 of 12
        f"{own} {lacking} {condition} --undefined 20% --all-queries": (1, 3),
        f"{own} {lacking} --fail-if 'nDCG@2 falls by 0.1'": (1, 3),  # no judgements
        f"{own} {lacking} --fail-if 'never shown female above 0.1'": (1, 3),
        f"{own} {tmp_path}/bad.run {condition}": (1, 3),
        f"{own} {lacking} {condition} --report {tmp_path}/no/page.html": (1, 3),
        f"{own} {same} {condition}": (0, 0),
        f"{own} {lacking} --fail-if 'CWEx is bad'": (2, 2),
    }.items():
        loose, strict = (call("gate", line, option, status=status)
                         for option, status in zip(("", "--strict"), statuses, strict=True))  # fmt: skip
        assert ("undecided: CWEx@2 falls by 0.1" in strict.err) == ("undecided: CWEx@2 falls by 0.1" in loose.err)


def test_help_lists_every_cause_of_status_1(call: Call) -> None:
    text = " ".join(call("gate --help").out.split())
    causes = ("fewer than ten queries", "half of all", "a mean of 0", "'never shown GROUP'", "--undefined", "--all-",
              "with errors", "without what a measure needs", "cannot be written")  # fmt: skip
    assert not [cause for cause in causes if cause not in text]
