"""Studies whose parts do not quite fit, on the command line: what is read, named, and still computed."""

from pathlib import Path

from tests.conftest import Call


def folder_of(path: Path, files: dict[str, str]) -> str:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    return str(path)


def run_of(*ids: str, query: str = "q1") -> str:
    return "".join(f"{query} Q0 {doc} {rank} {10 - rank}.0 t\n" for rank, doc in enumerate(ids, 1))


def test_ids_with_blanks_and_other_case_are_named_where_values_are_undefined(tmp_path: Path, call: Call) -> None:
    study = folder_of(tmp_path, {
        "labels.csv": "doc_id,annotator,label\nd1 ,x,female\nD2,x,male\n",
        "documents.csv": "doc_id,text\nd1 ,she\n D2,he\n",
        "qrels.txt": "Q1 0 d1 1\n",
        "runs/a.run": run_of("d1", "d2"),
    })  # fmt: skip
    near = (
        "1 of 2 doc_ids of labels.csv would match without blanks ('d1 ', for 'd1' in the runs).",
        "1 of 2 doc_ids of labels.csv would match in lower case ('D2', for 'd2' in the runs).",
        "1 of 2 doc_ids of the runs would match without blanks ('d1', for 'd1 ' in documents.csv).",
        "1 of 2 doc_ids of the runs would match without blanks and in lower case ('d2', for ' D2' in documents.csv).",
        "1 of 1 query_id of qrels.txt would match in lower case ('Q1', for 'q1' in the runs).",
    )
    for arguments in (["check", study], ["evaluate", study, "CWEx@2", "nDCG", "NFaiRR"]):
        printed = call(arguments)
        for sentence in near:
            assert sentence in printed.out + printed.err
    zeros = {
        "queries.tsv": "query_id\ttext\n001\tx\n",
        "runs/a.run": run_of("d1", query="1"),
        "qrels.txt": "1 0 d1 1\n",
    }
    said = call(f"evaluate {folder_of(tmp_path / 'zeros', zeros)} nDCG", status=1)
    assert "1 of 1 query_id of the runs would match without leading zeros" in said.err


def test_groups_of_another_study_and_measures_that_it_cannot_feed(tmp_path: Path, call: Call) -> None:
    """One group, the protected one, has no label; a measure that cannot be computed does not take others with it."""
    labels = "".join(f"d{place},{'young' if place % 2 else 'middle'}\n" for place in range(6))
    ages = folder_of(tmp_path, {
        "study.toml": 'groups = ["young", "middle", "old"]\nneutral = "none"\nprotected = "old"\n',
        "labels.csv": f"doc_id,label\n{labels}",
        "runs/a.run": run_of("d0", "d1", "d2"),
        "runs/b.run": run_of("d2", "d1", "d0"),
    })  # fmt: skip
    assert "labels,groups that no label has,1,old (protected)," in call(f"check {ages} --format csv").out
    assert "No label is old (protected)." in call(f"evaluate {ages} AWRF").err
    rows = call(f"evaluate {ages} Exposure Exposure(group=young) --format csv").rows
    assert [row["measure"] for row in rows] == ["Exposure@10"] * 2 + ["Exposure(group='young')@10"] * 2
    assert [float(row["value"]) > 0 for row in rows] == [False, False, True, True]
    for verb in ("evaluate", "compare"):
        for option in ("", "--wide", *("--per-query", "--tie-range", "--chance", "--range") * (verb == "evaluate")):
            streams = call(f"{verb} {ages} nDCG CWEx Exposure(group=x) {option} --k 3")
            assert "CWEx" in streams.out
            assert "nDCG" not in streams.out
            assert "nDCG@3 cannot be computed for the study" in streams.err
            assert "it has no group 'x'. Use one of none, young, middle, old." in streams.err
    streams = call(f"evaluate {ages} nDCG CWEx --runs {ages}/runs/*.run --format csv")
    assert streams.out.count("CWEx(alpha=0.5)@10") == 2
    assert "nDCG@10 cannot be computed" in streams.err
    refusal = call(f"evaluate {ages} nDCG NFaiRR", status=1).err
    assert "nDCG@10 cannot be computed" in refusal
    assert "NFaiRR(tau=1)@10 cannot be computed" in refusal
    assert "nDCG@10 and RR@10 cannot be computed" in call(f"evaluate {ages} nDCG RR", status=1).err


def test_a_folder_of_studies_has_what_each_can_feed(tmp_path: Path, call: Call) -> None:
    folders = tmp_path / "all"
    parts = {"runs/a.run": run_of("d1", "d2"), "labels.csv": "doc_id,label\nd1,female\nd2,male\n"}
    folder_of(folders / "one", parts | {"qrels.txt": "q1 0 d1 1\n"})
    folder_of(folders / "two", parts)
    streams = call(f"evaluate {folders} nDCG CWEx --format csv")
    assert [(row["study"], row["measure"]) for row in streams.rows] == [
        ("one", "nDCG@10"), ("one", "CWEx(alpha=0.5)@10"), ("two", "CWEx(alpha=0.5)@10")
    ]  # fmt: skip
    assert "nDCG@10 cannot be computed for the study 'two'" in streams.err
