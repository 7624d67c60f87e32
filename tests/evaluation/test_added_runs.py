"""A run that is added moves no value of the others. It is tested at once; taken out of the tests, it moves nothing that
figures say of the others."""

import pandas as pd
import pytest

import fairviz
from fairviz.analyses.label_effects.replacing import replaced
from fairviz.analyses.sensitivity.mapping import robustness
from fairviz.comparison import finding
from fairviz.comparison.atlas import atlas
from fairviz.comparison.compare import compared_as
from fairviz.comparison.curves import over_cutoffs
from fairviz.comparison.family import how_of, untested
from fairviz.evaluation.choices import systems_tested
from fairviz.evaluation.questions import overview
from fairviz.evaluation.scores import evaluate, over_alpha, summarise
from fairviz.evaluation.settings import Settings
from fairviz.figures import alpha_curve, bump, cutoff_curve, scatter
from fairviz.measures import MEASURES, parse
from fairviz.study.record import Study
from fairviz.study.study import add_runs, with_tested
from fairviz.words.sentences import plain as plain_text

SYSTEMS = ("bm25", "tfidf", "w2v_add", "w2v_si", "rrf", "qlm", "bi_encoder")
LISTS = 12  # documents of each list of the draft


@pytest.fixture(scope="module")
def study() -> Study:
    """newswire without the lists of one of its queries, which the draft alone answers."""
    whole = fairviz.open_study("newswire")
    runs = whole.runs[whole.runs["query_id"] != whole.queries["query_id"].iloc[0]]
    return fairviz.make_study(
        "newswire", runs=runs.reset_index(drop=True), queries=whole.queries, documents=whole.documents,
        qrels=whole.qrels, labels=whole.labels, annotator=whole.annotator, annotators=whole.annotators,
    )  # fmt: skip


@pytest.fixture(scope="module")
def grown(study: Study) -> Study:
    """With a draft of documents of its own for every query: of those that no other system found, where there are."""
    rows = []
    for query in study.queries["query_id"]:
        found = set(study.runs.loc[study.runs["query_id"] == query, "doc_id"])
        documents = [name for name in study.documents["doc_id"] if name not in found] or sorted(found)
        rows += [("draft", query, name, rank, -float(rank)) for rank, name in enumerate(documents[:LISTS], start=1)]
    runs = pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"])
    return add_runs(study, runs.astype({"system": "category"}))


def plain(scores: pd.DataFrame, systems: tuple[str, ...]) -> pd.DataFrame:
    kept = scores[scores["system"].isin(systems)]
    return kept.astype(dict.fromkeys(("system", "query_id", "measure"), "str")).reset_index(drop=True)


def test_no_measure_of_the_others_moves(study: Study, grown: Study) -> None:
    assert grown.drafts == ("draft",)
    texts = [f"{name}@10" for name, measure in MEASURES.items() if measure.per_query]
    texts.append(Settings().effectiveness)
    before, after = evaluate(study, texts), evaluate(grown, texts)
    pd.testing.assert_frame_equal(plain(after, study.systems), plain(before, study.systems))
    assert set(after["query_id"]) == set(study.queries["query_id"])


def test_no_combination_of_the_sensitivity_analysis_moves(study: Study, grown: Study) -> None:
    choices = {"tau": [0, 1], "background": ["candidates", "collection"]}
    pair, without = ["w2v_add", "bm25"], Settings(not_tested=("draft",))
    before, after = (robustness(one, pair, "NFaiRR", choices, without).table for one in (study, grown))
    pd.testing.assert_frame_equal(after, before)


def drawn(study: Study, not_tested: tuple[str, ...] = ()) -> dict[str, object]:
    """What figures say of order, and the sentence."""
    settings = Settings(not_tested=not_tested)
    out = untested(study, settings)
    questions = overview(study, settings).questions
    texts = [question.text for question in questions]
    scores = evaluate(study, texts, settings)
    summary, curves = summarise(scores), over_cutoffs(study, texts[:3], settings)
    found = compared_as(scores, how_of(study, settings))
    front = scatter.info(summary, questions[-1], questions[0], outside=out)
    ranks = bump.info(summary, questions, outside=out)
    along = alpha_curve.info(over_alpha(study, settings), 0.5, 10, outside=out)
    held = atlas(study, texts[:3], settings)
    return {
        "front": front.front,
        "ranks": (dict(ranks.ranks), ranks.alt),
        "alpha": (along.changes, along.alt, {name: along.differences[name] for name in SYSTEMS}),
        "cutoff": cutoff_curve.info(curves, questions[:3], 10, outside=out).sentence,
        "queries": held.queries().to_csv(index=False, float_format="%.9f"),
        "correlations": held.counted.drop(columns="p").to_csv(index=False, float_format="%.9f"),
        "sentence": [plain_text(line) for line in finding.finding(summary, questions, found)],
        "labels": replaced(study, settings, "CWEx@10", study_people(study), study.annotator)["rank_after"].tolist(),
    }


def study_people(study: Study) -> list[str]:
    return [name for name in study.labels["annotator"].unique() if name != study.annotator][:1]


def test_a_run_is_tested_once_it_is_added_and_nothing_of_the_others_moves_without_it(
    study: Study, grown: Study
) -> None:
    before, without, after = drawn(study), drawn(grown, ("draft",)), drawn(grown)
    for name, said in before.items():
        assert without[name] == said, name
    changed = {name for name, said in before.items() if after[name] != said}
    assert changed >= {"ranks", "correlations", "queries", "labels"}


def test_a_study_that_leaves_the_run_out_is_as_settings_that_do(study: Study, grown: Study) -> None:
    left_out = with_tested(grown, study.contenders)
    assert drawn(left_out) == drawn(study)
    assert systems_tested(left_out, Settings(tested=("draft",))) == systems_tested(grown, Settings())


def test_a_run_beside_one_system_is_compared_with_it_unless_it_is_not_tested(grown: Study) -> None:
    def sentence(settings: Settings) -> str:
        scores = evaluate(grown, ["CWEx@10"], systems=["bm25", "draft"])
        found = compared_as(scores, how_of(grown, settings))
        return plain_text(finding.finding(summarise(scores), [parse("CWEx@10")], found)[0])

    assert sentence(Settings()).startswith("CWEx: draft is ahead of bm25 (+0.154")
    assert sentence(Settings(not_tested=("draft",))) == (
        "Only bm25 is shown: a second system is needed to see whether measures agree."
    )
