"""ir_datasets:NAME as a study: with the package where it is installed, and one line where it is not."""

import sys

from fairviz.evaluation.opening import open_study
from tests.conftest import refused


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with refused(
        "ir_datasets:vaswani needs the package ir_datasets, which is not installed\nRun: pip install ir_datasets"
    ):
        open_study("ir_datasets:vaswani")


def test_with_the_package(tmp_path, call):
    import ir_datasets

    (tmp_path / "docs.tsv").write_text("007\tA nurse\nnull\tA doctor\n")
    (tmp_path / "queries.tsv").write_text("1\tnurse\n")
    (tmp_path / "qrels.txt").write_text("1 0 007 2\n")
    made = ir_datasets.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"),
        queries_tsv=str(tmp_path / "queries.tsv"),
        qrels_trec=str(tmp_path / "qrels.txt"),
    )
    ir_datasets.registry.register("made/small", made)
    study = open_study("ir_datasets:made/small")
    assert study.documents["doc_id"].tolist() == ["007", "null"]
    assert study.documents["text"].tolist() == ["A nurse", "A doctor"]
    assert study.queries["text"].tolist() == ["nurse"]
    assert study.qrels["relevance"].tolist() == [2]
    ranked = call("rank ir_datasets:made/small --with bm25,perfect")
    assert "additions/ir_datasets-made-small/runs/bm25.run.gz\n" in ranked.err
    assert open_study("ir_datasets:made/small").systems == ("bm25", "perfect")
    with refused("ir_datasets has no data set 'no-such-set'\nSee https://ir-datasets.com for names."):
        open_study("ir_datasets:no-such-set")
