"""Measures taken apart: parts sum to the measure on random studies, single parts by hand, and what cannot be asked."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.contributions import contributions, parts_of
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, Question
from fairviz.study.attributes import Attribute
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.analyses.cases import BIASES, CUSTOM, LEXICON, POLICIES, THREE, TWO
from tests.conftest import refused
from tests.extension_rows import rows
from tests.made import labels_of, qrels_of, runs_of

TEXTS = (None, "", "she saw", "he and he and a tree", "they she he", "a tree", "she she she he", "they")
ASKED = (
    "CWEx(alpha=0.3)", "CWEx(alpha=1)", "Exposure(group='female')", "Exposure(group='neutral')", "ExposureGap",
    "AbsExposureGap", "AWRF", "AWRF(distance='jsd')", "AWRF(distance='rnod')", "GroupExposureRatio",
    "GroupExposureRatio(protected='male')",
    "NFaiRR(tau=0)", "NFaiRR(tau=1,background='run:two')", "NFaiRR(background='collection')", "FaiRR(tau=0)", "TExFAIR",
    "TExFAIR(rbdf=False)", "TED", "TED(rbdf=False)", "RBDF", "RaB", "RaB(magnitude='tc')", "ARaB(magnitude='bool')",
    "ARaB", *rows("TAKEN_APART"),
)  # fmt: skip
PER_QUERY = [name for name, record in MEASURES.items() if record.per_query]
ASKED += tuple(name for name in PER_QUERY if name not in {text.partition("(")[0] for text in ASKED})


COLUMNS = {
    "level": ["low", "", "mid|high", "low", "high", None, "mid"],
    "origin": ["here=0.25|there=0.75", "here", "", "there", "here", "there", "here|there"],
}
ATTRIBUTES = {
    "level": Attribute(("low", "mid", "high"), "ordinal"),
    "origin": Attribute(("here", "there"), target=(0.25, 0.75)),
}


def undivided(question: Question) -> Question:
    """A measure without parts of its own is taken apart by the changes with each rank."""
    return replace(question, measure=replace(question.measure, parts=None))


def test_a_decomposition_is_described() -> None:
    for name, record in MEASURES.items():
        if record.parts or not record.per_query:
            assert record.anatomy.endswith("."), name


@st.composite
def studies(draw: st.DrawFn) -> Study:
    """Two systems, two queries, seven documents with or without label and text, two or three groups."""
    groups = draw(st.sampled_from([TWO, THREE]))
    names = [f"d{number}" for number in range(7)]
    found = st.lists(st.sampled_from(names), unique=True, max_size=7)
    lists = {(system, query): draw(found) for system in ("one", "two") for query in ("q1", "q2")}
    lists["one", "q1"] = lists["one", "q1"] or names[:2]
    lists["two", "q1"] = lists["two", "q1"] or names[:1]
    label = st.sampled_from([None, "neutral", *groups])
    labels = {name: found for name in names if (found := draw(label))} or {"d0": groups[0]}
    texts = [draw(st.sampled_from(TEXTS)) for _ in names[:-1]]
    judged = {query: {name: draw(st.integers(0, 2)) for name in names[1:4]} for query in ("q1", "q2")}
    shares = (0.25, 0.75) if groups == TWO else (0.2, 0.3, 0.5)
    targets = draw(st.sampled_from([{}, dict(zip(groups, shares, strict=True))]))
    return make_study(
        "made",
        runs=runs_of(lists),
        labels=labels_of(labels),
        documents=pd.DataFrame({"doc_id": names, "text": [*texts, "she and he"], **COLUMNS}),
        attributes=ATTRIBUTES,
        qrels=qrels_of(judged),
        groups=groups,
        targets=targets,
        scale="ordinal",
        lexicon=LEXICON,
    )


@st.composite
def choices(draw: st.DrawFn) -> Settings:
    bias = draw(st.sampled_from(BIASES))
    return Settings(
        cutoff=draw(st.integers(1, 9)),
        position_bias=bias,
        custom_bias=CUSTOM if bias == "custom" else (),
        unlabelled=draw(st.sampled_from(POLICIES)),
        tokenizer=draw(st.sampled_from(["word", "whitespace"])),
        ties=draw(st.sampled_from(["file", "trec_eval"])),
    )


@given(study=studies(), chosen=choices(), asked=st.lists(st.sampled_from(ASKED), min_size=2, max_size=3, unique=True))
@settings(max_examples=settings.default.max_examples // 3)
def test_parts_of_a_list_sum_to_its_value_to_differences_and_to_means(
    study: Study, chosen: Settings, asked: list[str]
) -> None:
    rankings, equal = align(study, chosen, collection=True), {"abs": 1e-12, "rel": 1e-12, "nan_ok": True}
    lengths = study.runs.groupby(["system", "query_id"], observed=True).size()
    scores = evaluate(study, list(ASKED), chosen, rankings=rankings)
    for row in scores.itertuples():
        length = lengths.get((row.system, row.query_id), 0)
        if not length:
            assert np.isnan(row.value)
            continue
        parts = parts_of(rankings, ask(str(row.measure), chosen), chosen, str(row.system), str(row.query_id))
        assert parts.value == pytest.approx(row.value, **equal), row.measure
        assert len(parts.values) == len(parts.said) == min(chosen.cutoff, length)
        assert bool(parts.undefined) == np.isnan(row.value), row.measure

    for text in asked:
        question = ask(text, chosen)
        values = scores[scores["measure"] == question.text].pivot(index="query_id", columns="system", values="value")
        value, other = values.loc["q1", ["one", "two"]]
        parts = parts_of(rankings, undivided(question), chosen, "one", "q1")
        assert parts.value == pytest.approx(value, **equal)
        assert bool(parts.undefined) == np.isnan(value)
        table = contributions(study, text, "one", "q1", chosen)
        assert table["value"].sum(skipna=False) == pytest.approx(value, **equal)
        ranks = table[table["rank"].notna()]
        assert ranks["rank"].tolist() == list(range(1, len(ranks) + 1))
        if np.isnan(value):
            assert table["formula"].str.fullmatch("undefined: .+").all()
        else:
            np.testing.assert_allclose(ranks["weight"] * ranks["contribution"], ranks["value"], rtol=1e-12)
        paired = contributions(study, text, "one", "q1", chosen, against="two", rankings=rankings)
        assert paired["difference"].sum(skipna=False) == pytest.approx(value - other, **equal), text
        means = contributions(study, text, "one", None, chosen, rankings=rankings)
        assert means["contribution"].sum(min_count=1) == pytest.approx(values["one"].mean(), **equal)
        means = contributions(study, text, "one", None, chosen, against="two", rankings=rankings)
        difference = (values["one"] - values["two"]).mean()
        assert means["contribution"].sum(min_count=1) == pytest.approx(difference, **equal)
        assert means["contribution"].abs().is_monotonic_decreasing or means["contribution"].isna().any()


# --- by hand


def test_figure_one_of_the_texfair_paper(football: Study) -> None:
    """football: on the right only men, each list place pulls the same way; on the left the two women pull back."""
    query = football.queries["query_id"].iloc[0]
    right = contributions(football, "TExFAIR@4", "right", query)
    assert right["value"].tolist()[0] == 1
    assert (right["value"][1:] < 0).all()
    assert right["value"].sum() == pytest.approx(0, abs=1e-12)
    left = contributions(football, "TExFAIR@4", "left", query)
    assert np.sign(left["value"]).tolist() == [1, -1, 1, 1, -1]
    for system in ("left", "right"):  # document by document no list is neutral, and no woman can make up for a man
        nfairr = contributions(football, "NFaiRR@4", system, query, background="collection")
        assert nfairr["value"].tolist() == [0, 0, 0, 0]
    nothing = contributions(football, "NFaiRR@4", "left", query)
    assert set(nothing["formula"]) == {"undefined: no document of the background is neutral to any part"}


def by_hand(labels: str) -> Study:
    names = {"f": "female", "m": "male", "n": "neutral"}
    by_document = {f"d{rank}": names[letter] for rank, letter in enumerate(labels, start=1)}
    return make_study("hand", runs=runs_of({"one": by_document}), labels=labels_of(by_document))


def test_by_hand() -> None:
    """p = 1, 1/2, 1/3, A = 11/6. Seen most, female: −0.75 · 1 / A; neutral 0.25 · (1/2) / A; male 0.75 · (1/3) / A."""
    table = contributions(by_hand("fnm"), "CWEx(alpha=0.25)@3", "one", "q", position_bias="reciprocal")
    np.testing.assert_allclose(table["value"] * 11 / 6, [-0.75, 0.125, 0.25], rtol=1e-12)
    assert table["formula"].tolist() == ["1 · −0.75 / 1.833", "0.5 · 0.25 / 1.833", "0.3333 · 0.75 / 1.833"]
    assert table["doc_id"].tolist() == ["d1", "d2", "d3"]
    # 1 over (1/2 + 1/3)/2 = 2.4: 1, + 2.4 for the woman, − 0.6 and − 0.4 for the men.
    table = contributions(by_hand("fmm"), "GroupExposureRatio@3", "one", "q", position_bias="reciprocal")
    np.testing.assert_allclose(table["value"], [1, 2.4, -0.6, -0.4], rtol=1e-12)
    assert table["formula"].tolist()[0] == "1 (a fair ratio)"
    assert table["formula"].tolist()[2] == "0.5 · −1 / (2 · 0.4167)"
    assert table["rank"].isna().tolist() == [True, False, False, False]
    table = contributions(by_hand("nn"), "AWRF@2", "one", "q")
    assert table["formula"].tolist() == ["undefined: no document within the cutoff has a gender"] * 2
    study = replace(by_hand("fm"), labels=by_hand("f").labels)
    table = contributions(study, "CWEx@2", "one", "q", unlabelled="strict")
    assert set(table["formula"]) == {"undefined: a document within the cutoff has no label"}
    table = contributions(by_hand("ff"), "GroupExposureRatio@2", "one", "q")
    assert set(table["formula"]) == {"undefined: the list lacks one of the groups"}
    settings = Settings(position_bias="uniform", cutoff=3)
    question = undivided(ask("Exposure(group='female')", settings))
    parts = parts_of(align(by_hand("mfn"), settings), question, settings, "one", "q")  # 0 of 1, 1 of 2, 1 of 3
    np.testing.assert_allclose(parts.values, [0, 1 / 2, 1 / 3 - 1 / 2])
    assert parts.said == ("0 − 0", "0.5 − 0", "0.3333 − 0.5")


# --- GSR


def test_gsr_is_the_sum_of_its_words_and_of_two_systems(newswire: Study) -> None:
    for measure in ("GSR(depth='relevant')", "GSR(query_terms='lemma',weights='code')@5"):
        slope = summarise(evaluate(newswire, measure, systems=("bm25",)))["value"].item()
        queries = contributions(newswire, measure, "bm25")
        assert queries["contribution"].sum() == pytest.approx(slope, abs=1e-12)
        for row in queries.iloc[::20].itertuples():
            words = contributions(newswire, measure, "bm25", row.query_id)
            assert words["value"].sum() == pytest.approx(row.contribution, abs=1e-12)
    slopes = summarise(evaluate(newswire, "GSR@10", systems=("bm25", "w2v_add")))["value"].tolist()
    table = contributions(newswire, "GSR@10", "bm25", against="w2v_add")
    assert table["contribution"].sum() == pytest.approx(slopes[0] - slopes[1], abs=1e-12)
    ranks = contributions(newswire, "GSR@10", "bm25", table["query_id"][0], against="w2v_add")
    assert ranks["difference"].sum() == pytest.approx(table["contribution"][0], abs=1e-12)
    assert len(ranks) == 11


# --- what cannot be asked


@pytest.mark.parametrize(
    ("measure", "system", "query", "against", "message"),
    [
        ("nDCG@4", "left", "q1", None, f"nDCG@4 is not taken apart\nUse one of {', '.join(MEASURES)}."),
        ("TED@4", "middle", None, None, "the study 'football' has no system 'middle'\nUse one of left, right."),
        ("TED@4", "left", None, "middle", "the study 'football' has no system 'middle'\nUse one of left, right."),
        ("TED@4", "left", None, "left", "'left' is compared with itself\nChoose two systems."),
        ("TED@4", "left", "q9", None, "no run of 'football' answers the query 'q9'\nCheck the id."),
        ("TED@4", 7, None, None, "system is 7\nGive the name of one, such as 'bm25'."),
    ],
)  # fmt: skip
def test_what_is_not_there_is_named(measure, system, query, against, message, football: Study) -> None:
    with refused(message):
        contributions(football, measure, system, query, against=against)


def test_a_query_that_one_system_lacks() -> None:
    runs = runs_of({("one", "q1"): "a", ("one", "q2"): "a", ("two", "q1"): "a"})
    study = make_study("made", runs=runs, labels=labels_of({"a": "female"}))
    with refused("'two' has no list for the query 'q2'\nChoose another query or system."):
        contributions(study, "CWEx@4", "one", "q2", against="two")
    paired = contributions(study, "CWEx@4", "one", against="two")
    assert paired["query_id"].tolist() == ["q1", "q2"]
    assert paired["contribution"].tolist()[0] == 0
    assert np.isnan(paired["contribution"][1])
    with pytest.raises(UsageError):
        contributions(study, "CWEx@", "one")
