"""fairviz gate: statuses, run files, messages and the page."""

import shlex
from pathlib import Path

import pytest

from fairviz.cli.main import main, parser
from tests.cli.cases import rows
from tests.conftest import Call

STUDY = ["gate", "newswire", "--baseline", "w2v_add", "--candidate", "bm25"]


def study(folder: Path, queries: int = 12) -> Path:
    """A study with one run: the neutral document above the female one, for each query."""
    (folder / "runs").mkdir(parents=True)
    names = [f"{letter}{query}" for query in range(queries) for letter in "nf"]
    labels = "".join(f"{name},{'neutral' if name[0] == 'n' else 'female'}\n" for name in names)
    (folder / "labels.csv").write_text(f"doc_id,label\n{labels}")
    run(folder / "runs" / "first.run", queries, "nf")
    return folder


def run(file: Path, queries: int, order: str) -> str:
    file.parent.mkdir(exist_ok=True)
    lines = [
        f"q{query} Q0 {letter}{query} {rank} {-rank} x\n"
        for query in range(queries)
        for rank, letter in enumerate(order, 1)
    ]
    file.write_text("".join(lines))
    return str(file)


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
    call([*STUDY, *(part for text in conditions for part in ("--fail-if", text))], status=status)


def test_what_is_said(call: Call) -> None:
    streams = call(STUDY, "--fail-if 'CWEx falls by 0.02' --fail-if 'TED above 0.9' --most 2 --format csv", status=3)
    found = rows(streams.out)
    assert [row["state"] for row in found] == ["beyond", "within"]
    span, value = (" to ".join(f"{float(row[end]):{sign}.4f}" for end in ("ci_low", "ci_high"))
                   for row, sign in zip(found, ("+", ""), strict=True))  # fmt: skip
    assert found[0]["moved"] == "q23 (lee-186, lee-071); q30 (lee-311, lee-296)"
    assert (
        f"beyond: CWEx falls by 0.02: CWEx(alpha=0.5)@10 differs by -0.1153 (95 % interval {span}, 40 common queries)\n"
        "  moved most: q23 (lee-186, lee-071); q30 (lee-311, lee-296)\n"
        f"within: TED above 0.9: TED@10 is 0.6369 (95 % interval {value}, 40 common queries)\n"
    ) in streams.err


def test_run_files_are_read_beside_the_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where both have the name of the study's own system."""
    folder = study(tmp_path / "mine")
    old, new = run(tmp_path / "old" / "first.run", 12, "nf"), run(tmp_path / "new" / "first.run", 12, "fn")
    arguments = ["gate", str(folder), "--baseline", old, "--candidate", new, "--fail-if", "CWEx@2 falls by 0.1"]
    assert main([*arguments, "--report", str(tmp_path / "page.html")]) == 3
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h1>first (candidate) against first (baseline)</h1>" in text
    assert capsys.readouterr().err.endswith(f"wrote {tmp_path / 'page.html'}\n")
    assert main(["gate", str(folder), "--baseline", "first", "--candidate", old, "--fail-if", "CWEx@2 falls by 0"]) == 0
    assert sorted(file.name for file in (folder / "runs").iterdir()) == ["first.run"]  # nothing is added to the study


def test_other_queries_are_said_and_can_be_refused(tmp_path: Path, call: Call) -> None:
    folder, new = study(tmp_path / "mine"), run(tmp_path / "new.run", 10, "nf")
    arguments = ["gate", str(folder), "--baseline", "first", "--candidate", new, "--fail-if", "CWEx@2 falls by 0.1"]
    said = call(arguments, "--undefined 20%")
    assert "note: first alone answers 2 queries: q10, q11. Measures of eff" in said.err
    said = call(arguments, status=1)
    assert "CWEx(alpha=0.5)@2 is undefined for 2 of 12 queries in new alone: q10, q11\n" in said.err
    assert call(arguments, "--undefined 20% --all-queries", status=1).err.endswith(
        "new does not answer 2 queries that first answers: q10, q11\n"
        "Rank them too, or leave out --all-queries to compare on the queries that both answer.\n"
    )


def test_too_few_queries_are_undecided(tmp_path: Path, call: Call) -> None:
    folder, new = study(tmp_path / "mine", 9), run(tmp_path / "new.run", 9, "fn")
    said = call(f"gate {folder} --baseline first --candidate {new} --fail-if 'CWEx@2 falls by 0.1'", status=1)
    assert (
        "undecided: CWEx@2 falls by 0.1: CWEx(alpha=0.5)@2 differs by -0.2263 (95 % interval – to –, 9 common queries)"
        in (said.err)
    )


def test_a_measure_without_values_is_a_sentence_and_never_a_nan(tmp_path: Path, call: Call) -> None:
    """The candidate shows no gender: AWRF is undefined in it alone, which is status 1 unless it is allowed."""
    folder = study(tmp_path / "mine")
    new = run(tmp_path / "new.run", 12, "n")
    arguments = ["gate", str(folder), "--baseline", "first", "--candidate", new, "--all-queries"]
    arguments += ["--fail-if", "AWRF@2 worse by 0.02"]
    said = call(arguments, status=1).err
    assert "AWRF@2 is undefined for 12 of 12 queries in new alone" in said
    assert "AWRF@2 has no value to compare (" in said
    assert "nan" not in said.lower()
    assert "Look at these lists" not in call(arguments, "--undefined 100%", status=1).err


def test_shares_are_read_as_percentages_and_as_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    assert parser().parse_args([*STUDY, "--fail-if", "x", "--undefined", "12.5%"]).undefined == 0.125
    assert parser().parse_args([*STUDY, "--fail-if", "x", "--undefined", "0.2"]).undefined == 0.2
    assert parser().parse_args([*STUDY, "--fail-if", "x"]).undefined == 0.05
    with pytest.raises(SystemExit) as caught:
        main([*STUDY, "--fail-if", "CWEx falls by 0", "--undefined", "7"])
    assert caught.value.code == 2
    assert "'7' is not a share: write 5% or 0.05" in capsys.readouterr().err


def test_a_sign_is_refused_with_the_two_forms(call: Call) -> None:
    said = call(STUDY, "--fail-if 'CWEx < -0.02'", status=2)
    assert said.err.endswith(
        "the condition 'CWEx < -0.02' can mean a difference or a value\n"
        "Write 'CWEx falls by 0.02' for the difference to the baseline, or 'CWEx below -0.02' for the candidate's "
        "value.\n"
    )


def test_the_background_is_named_and_compare_gives_the_same_numbers(call: Call) -> None:
    streams = call(STUDY, "--fail-if 'NFaiRR worse by 0.5' --format csv")
    assert (
        "note: the background of NFaiRR is collection here, and candidates on the pages; `compare --background "
        "collection` gives these numbers.\n"
    ) in streams.err
    (ours,) = rows(streams.out)
    (theirs,) = (
        row
        for row in call("compare newswire NFaiRR --baseline w2v_add --background collection --format csv").rows
        if row["system"] == "bm25"
    )
    for name in ("measure", "baseline_value", "value", "difference", "queries"):  # an interval is of its family
        assert ours[name] == theirs[name], name
    assert "the background of" not in call(STUDY, "--fail-if 'NFaiRR worse by 0.5' --background candidates").err


def test_a_run_that_is_none(tmp_path: Path, call: Call) -> None:
    said = call("gate football --baseline left --candidate up.run --fail-if 'CWEx falls by 0'", status=1)
    assert said.err.endswith(
        "the candidate 'up.run' is neither a system of football nor a run file\n"
        "Its systems are left, right; or name a file such as runs/new.run.\n"
    )
    (tmp_path / "bad.run").write_text("q1 Q0 d1 1 high x\n")
    bad = str(tmp_path / "bad.run")
    said = call(f"gate football --baseline left --candidate {bad} --fail-if 'CWEx falls by 0'", status=1)
    assert "bad.run:1: " in said.err


def test_one_and_the_same(call: Call) -> None:
    said = call("gate football --baseline left --candidate left --fail-if 'CWEx falls by 0'", status=2)
    assert "baseline and candidate are both 'left'\nName two systems, or two run files.\n" in said.err


def test_the_page_goes_nowhere_that_cannot_be_written(tmp_path: Path, call: Call) -> None:
    report = str(tmp_path / "no" / "page.html")
    said = call(STUDY, f"--fail-if 'CWEx falls by 0.02' --report {report}", status=1)
    assert f"could not write {report}" in said.err


def test_the_commands_of_the_manual_are_read() -> None:
    page = Path(__file__).parents[2] / "docs" / "tutorials" / "continuous-integration.md"
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    text = text.replace("--candidate new.run\n", "--candidate new.run ")
    commands = [line.split("fairviz ", 1)[1] for line in text.splitlines() if "fairviz gate my-study" in line]
    assert len(commands) == 1
    for command in commands:
        given = parser().parse_args(shlex.split(command))
        assert (given.verb, given.report, len(given.fail_if)) == ("gate", "gate.html", 2)


def test_p_and_interval_are_those_of_compare_for_the_two(
    capsys: pytest.CaptureFixture[str], call: Call, tmp_path: Path
) -> None:
    """Also where few lists change, which is no reason for a refusal; 'falls by 0' is met exactly where p is small."""
    folder = study(tmp_path / "mine", 40)
    for changed in (0, 1, 3, 5, 6, 8, 40):
        text = (tmp_path / "mine" / "runs" / "first.run").read_text()
        lines = [line.replace(" x", f" new{changed}") for line in text.splitlines()]
        for query in range(changed):
            lines[2 * query : 2 * query + 2] = [
                f"q{query} Q0 f{query} 1 -1 new{changed}", f"q{query} Q0 n{query} 2 -2 new{changed}",
            ]  # fmt: skip
        new = tmp_path / f"new{changed}.run"
        new.write_text("\n".join(lines))
        arguments = [str(folder), "--baseline", "first", "--candidate", str(new), "--format", "csv"]
        status = main(["gate", *arguments, "--fail-if", "CWEx@2 falls by 0"])
        (gated,) = rows(capsys.readouterr().out)
        both = study(tmp_path / f"both{changed}", 40)
        (both / "runs" / "new.run").write_text("\n".join(lines))
        (compared,) = call(f"compare {both} CWEx@2 --baseline first --format csv").rows
        for name, other in (("p", "p_corrected"), ("ci_low", "ci_low"), ("ci_high", "ci_high"), ("queries", "queries")):
            assert gated[name] == compared[other], (changed, name)
        assert status == (3 if float(compared["p_corrected"]) <= 0.05 else 0), changed
        assert (status == 3) == (changed >= 6)


def strictly(*arguments: str) -> tuple[int, int]:
    """The statuses without and with --strict."""
    return main(["gate", *arguments]), main(["gate", *arguments, "--strict"])


def test_strict_makes_every_status_1_one_of_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = [str(study(tmp_path / "few", 9)), "--baseline", "first", "--candidate", run(tmp_path / "few.run", 9, "fn")]
    condition = ["--fail-if", "CWEx@2 falls by 0.1"]
    assert strictly(*few, *condition) == (1, 3)
    folder, lacking = str(study(tmp_path / "mine")), run(tmp_path / "lacking.run", 10, "nf")
    own = [folder, "--baseline", "first", "--candidate", lacking]
    assert strictly(*own, *condition) == (1, 3)  # undefined for 2 of 12
    assert strictly(*own, *condition, "--undefined", "20%", "--all-queries") == (1, 3)
    assert strictly(*own, "--fail-if", "nDCG@2 falls by 0.1") == (1, 3)  # no judgements
    assert strictly(*own, "--fail-if", "never shown female above 0.1") == (1, 3)
    (tmp_path / "bad.run").write_text("q1 Q0\n")
    assert strictly(*own[:-1], str(tmp_path / "bad.run"), *condition) == (1, 3)
    assert strictly(*own, *condition, "--report", str(tmp_path / "no" / "page.html")) == (1, 3)
    assert strictly(*own[:-1], run(tmp_path / "same.run", 12, "nf"), *condition) == (0, 0)
    assert strictly(*own, "--fail-if", "CWEx is bad") == (2, 2)
    capsys.readouterr()
    assert strictly(*few, *condition)[1] == 3
    assert "undecided: CWEx@2 falls by 0.1" in capsys.readouterr().err


def test_help_lists_every_cause_of_status_1(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["gate", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    causes = ("fewer than ten queries", "half of all", "a mean of 0", "'never shown GROUP'", "--undefined", "--all-",
              "with errors", "without what a measure needs", "cannot be written")  # fmt: skip
    assert not [cause for cause in causes if cause not in text]
