"""The analysis `never-shown`: its tables, sentences and verb."""

import numpy as np
import pytest

import fairviz
from fairviz.analyses import ANALYSES
from fairviz.analyses.never_shown.answer import never_shown
from fairviz.analyses.running import analyse
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import LIGHT
from tests.comparison.test_never_shown import HAND, SETTINGS, TWO, lists


def test_tables_by_hand() -> None:
    """a shows f1 and m1, b shows f2 and m1; nobody shows f3, of a query without an answer. f1 has 1 + 0.631 of all
    attention to relevant female documents of a."""
    answer = never_shown(HAND, TWO)
    shares = answer.shares.set_index(["system", "group"])
    assert shares[["documents", "never_shown", "queries"]].to_numpy().tolist() == [[3, 2, 3], [2, 1, 2]] * 2
    assert shares["share"].tolist() == pytest.approx([2 / 3, 0.5] * 2)
    assert shares["gini"].tolist() == pytest.approx([2 / 3, 0.5] * 2)
    differences = answer.differences
    assert differences[["system", "group", "other"]].to_numpy().tolist() == [[name, "female", "male"] for name in "ab"]
    assert differences["difference"].tolist() == pytest.approx([1 / 6] * 2)
    documents = answer.rows_of_documents
    assert documents[["system", "doc_id", "label", "queries"]].to_numpy().tolist() == [
        ["a", "f2", "female", "q1"], ["a", "f3", "female", "q3"], ["a", "m2", "male", "q1"],
        ["b", "f1", "female", "q1, q2"], ["b", "f3", "female", "q3"], ["b", "m2", "male", "q1"],
    ]  # fmt: skip
    assert documents["best_rank"].fillna(0).tolist() == [3, 0, 0, 3, 0, 0]
    curve = answer.curves.query("system == 'a' and group == 'female'")
    assert curve["documents"].tolist() == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert curve["exposure"].tolist() == [0, 0, 0, 1]


def test_counts_agree_with_the_documents_of_newswire(newswire) -> None:
    answer = never_shown(newswire, Settings(), "candidates")
    counted = answer.rows_of_documents.groupby(["system", "label"]).size()
    for row in answer.shares.itertuples():
        assert counted.get((row.system, row.group), 0) == row.never_shown
        assert row.share == pytest.approx(row.never_shown / row.documents)
    assert (answer.rows_of_documents["best_rank"].dropna() > 10).all()
    of_one = answer.rows_of_documents.query("system == 'random'")
    assert of_one["label"].unique().tolist() == ["female", "male", "neutral"], "the protected group first"
    assert of_one[of_one["label"] == "male"]["best_rank"].dropna().is_monotonic_increasing
    curves = answer.curves.groupby(["system", "group"])
    assert ((curves["exposure"].first() == 0) & np.isclose(curves["exposure"].last(), 1)).all()
    flat = answer.curves[answer.curves["exposure"] == 0].groupby(["system", "group"])["documents"].max()
    assert flat.loc["bm25", "male"] == pytest.approx(
        answer.shares.query("system == 'bm25' and group == 'male'").share.item()
    )


def test_sentences_name_the_systems() -> None:
    few = never_shown(HAND, TWO)
    assert few.sentences == [
        "female − male: only 2 queries have relevant documents of the rarer group, a comparison needs 10."
    ]
    one = never_shown(lists(12, 3), SETTINGS)
    assert one.sentences == ["Fewer than two gender groups have relevant documents: no shares are compared."]


def test_the_verb_prints_what_python_returns(call, newswire) -> None:
    answer = analyse(newswire, "never-shown", Settings(cutoff=5), documents="candidates")
    said = call("never-shown newswire --k 5 --documents candidates --format csv")
    assert said.frame["share"].tolist() == pytest.approx(answer.table()["share"].tolist())
    assert f"note: {answer.sentences[0]}" in said.err
    rows = call("never-shown newswire --k 5 --documents candidates --format csv --table documents").rows
    assert [row["doc_id"] for row in rows] == answer.table("documents")["doc_id"].tolist()


def test_figures_draw_the_shares_and_the_curves() -> None:
    answer = never_shown(HAND, TWO)
    drawings = [draw(answer, LIGHT) for draw in ANALYSES["never-shown"].figures.values()]
    assert drawings[0].alt == "Never shown within 2. a: female 0.667, male 0.500; b: female 0.667, male 0.500."
    assert drawings[0].figure.layout.xaxis.title.text == "share of relevant documents, 95 % interval"
    assert "a: female 0.667, male 0.500" in drawings[1].alt


def test_documents_without_a_label_are_noted_and_studies_without_judgements_refused(newswire) -> None:
    labelled = newswire.labels[newswire.labels["doc_id"] != "lee-225"]
    changed = fairviz.make_study("less", runs=newswire.runs, qrels=newswire.qrels, labels=labelled)
    answer = never_shown(changed, Settings(annotator="project"))
    assert answer.notes[0] == f"Without a label, and in no group: 1 of {len(answer.pool.doc_ids)} relevant documents."
    with pytest.raises(FairvizError, match=r"Add qrels\.txt, or use the documents `candidates` or `all`"):
        never_shown(lists(12, 3, judged=False), SETTINGS)
