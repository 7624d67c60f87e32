"""fairviz gate: statuses, run files, messages and the page."""

import csv
import io
import shlex
from pathlib import Path

import pytest

from fairviz.cli.main import main, parser

STUDY = ["gate", "newswire", "--baseline", "w2v_add", "--candidate", "bm25"]


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


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
        (["CWEx < -0.02"], 3),
        (["CWEx < -0.11"], 0),  # the difference lies beyond, its interval reaches back
        (["CWEx worse by 0.5", "nDCG falls by 0.5"], 0),
        (["nDCG falls by 0.5", "CWEx worse by 0.02"], 3),
        (["CWEx is bad"], 2),
        (["CWEx > -0.02"], 2),
        (["CWx < -0.02"], 2),
    ],
)
def test_the_status(conditions: list[str], status: int) -> None:
    assert main([*STUDY, *(part for text in conditions for part in ("--fail-if", text))]) == status


def test_what_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*STUDY, "--fail-if", "CWEx < -0.02", "--fail-if", "TED > 0.9", "--most", "2", "--format", "csv"]) == 3
    streams = capsys.readouterr()
    found = rows(streams.out)
    assert [row["state"] for row in found] == ["beyond", "within"]
    assert found[0]["moved"] == "q23 (lee-186, lee-071); q30 (lee-311, lee-296)"
    assert (
        "beyond: CWEx < -0.02: CWEx(alpha=0.5)@10 differs by -0.1153 (95 % interval -0.1813 to -0.0506, 40 queries)\n"
        "  moved most: q23 (lee-186, lee-071); q30 (lee-311, lee-296)\nwithin: TED > 0.9: "
    ) in streams.err


def test_run_files_are_read_beside_the_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where both have the name of the study's own system."""
    folder = study(tmp_path / "mine")
    old, new = run(tmp_path / "old" / "first.run", 12, "nf"), run(tmp_path / "new" / "first.run", 12, "fn")
    arguments = ["gate", str(folder), "--baseline", old, "--candidate", new, "--fail-if", "CWEx@2 < -0.1"]
    assert main([*arguments, "--report", str(tmp_path / "page.html")]) == 3
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<h1>first (candidate) against first (baseline)</h1>" in text
    assert capsys.readouterr().err.endswith(f"wrote {tmp_path / 'page.html'}\n")
    assert main(["gate", str(folder), "--baseline", "first", "--candidate", old, "--fail-if", "CWEx@2 < 0"]) == 0
    assert sorted(file.name for file in (folder / "runs").iterdir()) == ["first.run"]  # nothing is added to the study


def test_other_queries_are_said_and_can_be_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, new = study(tmp_path / "mine"), run(tmp_path / "new.run", 10, "nf")
    arguments = ["gate", str(folder), "--baseline", "first", "--candidate", new, "--fail-if", "CWEx@2 < -0.1"]
    assert main(arguments) == 0
    assert "note: first alone answers 2 queries: q10, q11. Measures of eff" in capsys.readouterr().err
    assert main([*arguments, "--all-queries"]) == 1
    assert capsys.readouterr().err.endswith(
        "new does not answer 2 queries that first answers: q10, q11\n"
        "Rank them too, or leave out --all-queries to compare on the queries that both answer.\n"
    )


def test_too_few_queries_are_undecided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, new = study(tmp_path / "mine", 1), run(tmp_path / "new.run", 1, "fn")
    assert main(["gate", str(folder), "--baseline", "first", "--candidate", new, "--fail-if", "CWEx@2 < -0.1"]) == 1
    assert "undecided: CWEx@2 < -0.1: CWEx(alpha=0.5)@2 differs by -0.2263 (95 % interval – to –, 1 query)" in (
        capsys.readouterr().err
    )


def test_a_run_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", "football", "--baseline", "left", "--candidate", "up.run", "--fail-if", "CWEx < 0"]) == 1
    assert capsys.readouterr().err.endswith(
        "the candidate 'up.run' is neither a system of football nor a run file\n"
        "Its systems are left, right; or name a file such as runs/new.run.\n"
    )
    (tmp_path / "bad.run").write_text("q1 Q0 d1 1 high x\n")
    bad = str(tmp_path / "bad.run")
    assert main(["gate", "football", "--baseline", "left", "--candidate", bad, "--fail-if", "CWEx < 0"]) == 1
    assert "bad.run:1: " in capsys.readouterr().err


def test_one_and_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", "football", "--baseline", "left", "--candidate", "left", "--fail-if", "CWEx < 0"]) == 2
    assert "baseline and candidate are both 'left'\nName two systems, or two run files.\n" in capsys.readouterr().err


def test_the_page_goes_nowhere_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = str(tmp_path / "no" / "page.html")
    assert main([*STUDY, "--fail-if", "CWEx < -0.02", "--report", report]) == 1
    assert f"could not write {report}" in capsys.readouterr().err


def test_the_commands_of_the_readme_are_read() -> None:
    text = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
    text = text.replace("--candidate new.run\n", "--candidate new.run ")
    commands = [line.split("fairviz ", 1)[1] for line in text.splitlines() if "fairviz gate my-study" in line]
    assert len(commands) == 2
    for command in commands:
        given = parser().parse_args(shlex.split(command))
        assert (given.verb, given.report, len(given.fail_if)) == ("gate", "gate.html", 2)
