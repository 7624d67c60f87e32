"""The mitigation bench: what a mitigation is held against, on which queries, and what may be said of it."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from fairviz.analyses.mitigations import mitigation as mitigations
from fairviz.analyses.mitigations.bench import changed, mitigation_bench, outcomes, warnings_of, wording_gaps
from fairviz.analyses.mitigations.mitigation import offered, read_mitigations
from fairviz.comparison.compare import compare
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.scores import evaluate
from fairviz.models.sentence_encoder import CARD, CONFIG, WEIGHTS, adapters_folder
from fairviz.parameters import parse_calls
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.study import add_runs, make_study, save_study
from tests.conftest import refused
from tests.made import documents_of, labels_of, qrels_of, queries_of, runs_of

LABELS = ("male", "male", "male", "neutral", "female", "female")
NAMES = tuple(str(query) for query in range(24))


def one_sided():
    """Lists that show men first and hold their relevant documents there; women and a neutral one below."""
    generator = np.random.default_rng(5)
    lists = {query: [f"{query}-{place}" for place in range(1, 7)] for query in NAMES}
    shown = {query: [*LABELS[:2], *generator.permutation(LABELS[2:]).tolist()] for query in NAMES}
    labels = {name: label for query in NAMES for name, label in zip(lists[query], shown[query], strict=True)}
    return make_study(
        "one-sided",
        queries=queries_of({name: f"q {name}" for name in NAMES}),
        runs=runs_of({("first", query): names for query, names in lists.items()}),
        qrels=qrels_of({query: names[:2] for query, names in lists.items()}),
        documents=documents_of({name: "he he he" if label == "male" else "a town" for name, label in labels.items()}),
        labels=labels_of(labels, "a"),
    )


def test_a_mitigation_is_held_against_the_same_ranker_without_it():
    study = one_sided()
    found = read_mitigations(study, "w2v_add(debias='strong'),neutral(run='first',weight=0.5),detconstsort(run='bm25')")
    assert [(one.system, one.base, one.base_choice and one.base_choice.system) for one in found] == [
        ("w2v_add-debias=strong", "w2v_add", "w2v_add"),
        ("neutral-run=first-weight=0.5", "first", None),
        ("detconstsort-run=bm25", "bm25", "bm25"),
    ]
    for text, message in (
        ("bm25", "bm25 mitigates nothing: it is a ranker without a mitigation\nWrite bi_encoder(project=3,keep=0.5), "
         "w2v_add(debias='strong') or neutral(run='bm25')."),
        ("w2v_add", "w2v_add mitigates nothing: it is a ranker without a mitigation\nGive it one of debias."),
        ("neutral(run='lost')", "one-sided has no run 'lost' for neutral, and no ranker has this name\nName one"),
    ):  # fmt: skip
        with pytest.raises(UsageError) as caught:
            read_mitigations(study, text)
        assert str(caught.value).startswith(message)


def test_one_of_each_kind_is_offered():
    found = offered(one_sided(), "bi_encoder(adapter='a')")
    assert {call.name for text in found for call in parse_calls(text)} == {
        name for name, ranker in RANKERS.items() if ranker.bench
    }
    known = (
        "w2v_add(debias='regular')", "w2v_add(debias='strong')", "bi_encoder(project=3,keep=0.5)",
        "bi_encoder(adapter='a')", "neutral(run='bi_encoder')", "neutral(run='bi_encoder',of='list')",
        "balanced(run='bi_encoder')", "detconstsort(run='bi_encoder')",
    )  # fmt: skip
    assert tuple(text for text in found if text in known) == known
    third = replace(one_sided(), groups=("female", "male", "nonbinary"))
    assert not [text for text in offered(third) if text.startswith("neutral")], "the word list lacks that group"
    runs_alone, labels_alone = (make_study("bare", **{part: getattr(one_sided(), part)}) for part in ("runs", "labels"))
    assert not set(known) & set(offered(runs_alone))
    assert offered(labels_alone) == ()
    with pytest.raises(FairvizError) as caught:
        mitigation_bench(labels_alone)
    assert str(caught.value).startswith("no mitigation applies to bare: it has neither queries and documents with text")


def test_verdicts_are_those_of_compare_with_the_same_systems():
    """All queries, all systems: the row of a pair is the page's own."""
    study, text = one_sided(), "balanced(run='first',loss=1),neutral(run='first',weight=1),detconstsort(run='first')"
    found = mitigation_bench(study, text, ["CWEx", "ExposureGap"], held_out=1)
    whole = add_runs(study, rank(study, parse_rankers(text)).runs)
    table = compare(evaluate(whole, ["CWEx", "ExposureGap", "nDCG@10"]), "first", outside=())
    expected = table.set_index(["system", "measure"]).loc[
        list(zip(found.table["mitigation"], found.table["measure"], strict=True))
    ]
    for name in ("difference", "ci_low", "ci_high", "p", "p_corrected"):
        assert found.table[name].tolist() == pytest.approx(expected[name].tolist(), nan_ok=True)
    assert found.table["verdict"].tolist() == expected["verdict"].tolist()
    assert found.family == "all 6 pairs, maxT"
    holm = mitigation_bench(study, text, "CWEx", held_out=1, tests="holm(baseline='lost')")
    assert holm.family == "all 6 pairs, paired t, Holm", "each mitigation has its own baseline"
    half = mitigation_bench(study, "balanced(run='first',loss=1)", held_out=0.5, seed=1)
    assert len(half.queries) == 12
    assert half.notes[0] == "12 of 24 queries are held out and count, drawn by the seed 1."
    assert set(mitigation_bench(study, "balanced(run='first')", seed=2).queries) != set(half.queries)
    plain = evaluate(study, ["nDCG@10"])
    before = plain[plain["query_id"].isin(half.queries)]["value"].mean()
    assert half.table.set_index("measure").loc["nDCG@10", "base_value"] == pytest.approx(before)


def test_what_gets_better_and_worse_is_warned_of_where_tests_support_both():
    def said(table: pd.DataFrame, measure: str) -> str:
        return f"{measure}, which {changed(table.loc[measure, 'base_value'], table.loc[measure, 'value'])}"

    text = "neutral(run='first',weight=1)"
    found = mitigation_bench(one_sided(), text, ["CWEx", "AbsExposureGap"], held_out=1)
    assert found.queries == NAMES
    table = found.table.set_index("measure")
    cwex, gap, ndcg = "CWEx(alpha=0.5)@10", "AbsExposureGap@10", "nDCG@10"
    assert table["verdict"].to_dict() == {cwex: "ahead", gap: "ahead", ndcg: "behind"}
    assert found.warnings == (
        f"neutral-run=first-weight=1 against first: better by {said(table, cwex)} and {said(table, gap)}, and worse by "
        f"{said(table, ndcg)}.",
    )
    assert found.leanings == (), "what is tested is not said twice"
    few = mitigation_bench(one_sided(), text, ["CWEx"], held_out=0.1)  # 2 queries: no test can say so
    table = few.table.set_index("measure")
    assert table["verdict"].unique().tolist() == ["too few queries"]
    assert table["by_means"].to_dict() == {cwex: "better", ndcg: "worse"}
    assert few.warnings == ()
    assert few.leanings == (
        f"neutral-run=first-weight=1: by its means worse by {said(table, ndcg)}, and better by {cwex}. "
        "No test supports both.",
    )

    columns = ["mitigation", "base", "measure", "base_value", "value", "verdict"]
    rows = [("m", "b", "Gap@10", 0.42, 0.21, "ahead"), ("m", "b", "NFaiRR@10", 0.7, 0.6, "not significantly different")]
    table, better = pd.DataFrame(rows, columns=columns), "better by Gap@10, which halves (0.420 to 0.210)"
    assert warnings_of(table) == ()
    assert outcomes(table) == (f"m against b: {better}.",)
    assert warnings_of(table.assign(verdict=["ahead", "behind"])) == (
        f"m against b: {better}, and worse by NFaiRR@10, which falls (0.700 to 0.600).",
    )
    assert outcomes(table.assign(verdict="not significantly different")) == (
        "m against b: no measure is significantly different.",
    )


def test_the_gap_between_wordings_is_in_deviations_of_the_query():
    texts = {"n": "the nurse helps a child", "f": "she nurse nurse helps", "m": "he helps", "x": "a boat"}
    study = make_study(
        "wordings",
        queries=queries_of({"1": "nurse helps"}),
        documents=documents_of(texts, query_id=["1", "1", "1", ""]),
        qrels=qrels_of({"1": "n f m"}),
        labels=labels_of({"n": "neutral", "f": "female", "m": "male"}),
    )
    choices = parse_rankers("tfidf")
    scores = rank(study, choices).runs.set_index("doc_id")["score"]
    expected = abs(scores["f"] - scores["m"]) / np.std(scores.to_numpy())
    assert wording_gaps(study, choices, ["1"])["tfidf"].tolist() == [pytest.approx(expected)]
    assert wording_gaps(one_sided(), choices, ["1"]) == {}


def test_measures_without_a_side_and_numbers_that_cannot_be(football):
    for given, message in (
        ({"measures": ["Exposure(group='male')"]}, "Exposure(group='male')@10 does not measure which of two lists"),
        ({"held_out": 0}, "held_out is 0\nUse a number above 0, and up to 1."),
    ):
        with pytest.raises(FairvizError) as caught:
            mitigation_bench(football, "balanced(run='left')", **given)
        assert str(caught.value).startswith(message)
    found = mitigation_bench(football, "balanced(run='left')", "CWEx@4")
    assert found.notes[0] == "The one query counts. Fewer than 10 are not split."
    assert set(found.table["verdict"]) == {"too few queries"}
    assert found.warnings == ()
    assert found.outcomes == (
        "balanced-run=left against left: no measure has a verdict: fewer than 10 queries in common, or fewer than half of all.",  # noqa: E501
    )


def test_the_command_line_warns(tmp_path, call):
    save_study(one_sided(), tmp_path / "study")
    arguments = "CWEx --mitigations", ["neutral(run='first',weight=1)"]
    shown = call("bench", tmp_path / "study", *arguments, "--held-out 1 --format csv")
    assert "warning: neutral-run=first-weight=1 against first: better by CWEx(alpha=0.5)@10" in shown.err
    assert shown.out.startswith("mitigation,base,measure,base_value,value,difference,ci_low,ci_high,p,p_corrected")
    shown = call("bench", tmp_path / "study", *arguments, "--table means --held-out 0.1")
    assert shown.out.startswith("system ")
    assert "warning: neutral-run=first-weight=1: by its means worse by nDCG@10, which halves" in shown.err


def adapter(name: str, trained: object, study: str = "one-sided", made: str = "2026-01-01") -> None:
    """A folder that looks like an adapter; nothing reads its weights here."""
    folder = adapters_folder() / name
    folder.mkdir(parents=True)
    for file in (WEIGHTS, CONFIG):
        (folder / file).write_text("{}")
    card = {"model": {"name": "minilm", "key": "k"}, "study": {"name": study}, "made": made}
    card |= {} if trained is None else {"split": {"train": trained, "held out": []}}
    (folder / CARD).write_text(json.dumps(card))


def test_what_an_adapter_was_trained_on_does_not_count():
    def held(*names: str, share: float = 0.5):
        study, text = one_sided(), ",".join(f"bi_encoder(adapter='{name}')" for name in names)
        return mitigations.held_out_queries(study, NAMES, read_mitigations(study, text), share, 0)

    for name, trained in {"one": NAMES[:20], "two": NAMES[2:22], "most": NAMES[:23]}.items():
        adapter(name, list(trained))
    assert held("one") == (NAMES[20:], ["4 of 24 queries count: those that one was not trained on."])
    assert held("one", "two") == (NAMES[22:], ["2 of 24 queries count: those that one and two were not trained on."])
    adapter("far", list(NAMES), study="another")
    queries, notes = held("far")
    assert len(queries) == 12, "the draw stands"
    assert notes[1] == "far was trained on another, not on one-sided."
    adapter("none", None)
    with refused("the adapter none has no record of the queries that it was trained on\nTrain it again."):
        held("none")
    with refused(
        "1 of 24 queries were not trained on by most\nTry one adapter at a time, or train them with the same seed, "
        "which holds out the same queries."
    ):
        held("most")


def test_the_adapter_trained_last_is_offered():
    study = one_sided()
    assert mitigations.trained_here(study) == ""
    adapter("old", [], made="2026-01-01")
    adapter("new", [], made="2026-02-01")
    adapter("far", [], study="another", made="2026-03-01")
    assert mitigations.trained_here(study) == "bi_encoder(adapter='new')"


def test_what_nobody_asked_for_and_cannot_be_ranked_is_left_out_and_told():
    study = one_sided()
    unread = study.documents.assign(text=pd.Series([None] * len(study.documents), dtype="str"))
    bare = make_study("bare", runs=study.runs, labels=study.labels, documents=unread)
    found = read_mitigations(bare, "neutral(run='first'),balanced(run='first')")
    runs, failed, messages = mitigations.ranked_all(bare, found, 10, None, False)
    assert failed == {"neutral-run=first"}
    assert messages[0] == ("neutral-run=first is left out: bare has no text of documents to count gender words in.")
    assert list(runs["system"].cat.categories) == ["balanced-run=first"]
    with pytest.raises(FairvizError) as caught:
        mitigations.ranked_all(bare, found, 10, None, True)
    assert caught.value.message == "bare has no text of documents to count gender words in"
