"""The fast arrays against the slow reference, on studies that Hypothesis makes up and on real rankings."""

import math
from collections.abc import Callable

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.choices import align
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate, values_at
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, LABELS, RUNS, conform
from fairviz.words.counting import Lexicon
from tests.made import labels_of
from tests.reference import Slow, weight

THREE = Lexicon("three", (("he", "male"), ("him", "male"), ("she", "female"), ("her", "female"), ("they", "other")))
WORDS = ["he", "She", "her", "him", "they", "cat", "dog.", "man,", "—"]
CUSTOM = (0.2, 0.9, 0.0, 0.4)


def made_up(draw: st.DrawFn, groups: tuple[str, ...]) -> Study:
    size = draw(st.integers(1, 9))
    names = [f"d{i}" for i in range(size)]
    text = st.none() | st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)
    texts = [*draw(st.lists(text, min_size=size, max_size=size)), "he"]  # a list of which nothing occurs is refused
    documents = pd.DataFrame({"doc_id": [*names, "in no run"], "text": texts})
    label = st.sampled_from([None, "neutral", *groups])
    labels = zip(names, draw(st.lists(label, min_size=size, max_size=size)), strict=True)
    runs = []
    for system in ("one", "two"):
        for query in ("q1", "q2", "q3"):
            found = draw(st.lists(st.sampled_from(names), unique=True, max_size=size))
            runs += [
                (system, query, doc, rank, float(draw(st.integers(0, 2)))) for rank, doc in enumerate(found, start=1)
            ]
    return Study(
        "made-up",
        groups=groups,
        documents=conform(documents.astype({"text": "str"}), DOCUMENTS),
        labels=conform(labels_of(dict(labels)), LABELS),
        runs=conform(pd.DataFrame(runs, columns=["system", "query_id", "doc_id", "rank", "score"]), RUNS),
        lexicon=THREE,
        fingerprint="made-up",
    )


studies = st.composite(made_up)


def reference(study: Study, choices: dict) -> Callable[[str, int, dict], dict[tuple[str, str], float]]:
    """What computes one measure of every ranking: its name in `Slow`, the cutoff, and its parameters."""
    custom, bias = choices.get("custom_bias", ()), choices["position_bias"]

    def p(i: int, cutoff: int) -> float:
        if bias == "custom":
            return custom[i - 1] if i <= len(custom) else 0.0
        return weight(bias, i, cutoff)

    slow = Slow(
        dict(study.lexicon.words), study.groups, study.protected, choices["tokenizer"], choices["unlabelled"], p
    )
    labels = dict(zip(study.labels.doc_id, study.labels.label, strict=True))
    documents = {
        row.doc_id: {"label": labels.get(row.doc_id), "text": None if pd.isna(row.text) else row.text}
        for row in study.documents.itertuples()
    }
    lists: dict[tuple[str, str], list[str]] = {}
    rows = study.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    for row in sorted(rows.itertuples(), key=lambda r: (-r.score, r.rank, r.doc_id)):
        lists.setdefault((row.system, row.query_id), []).append(row.doc_id)
    candidates = {query: {doc for (_, q), found in lists.items() if q == query for doc in found} for _, query in lists}

    def scores(name: str, k: int, parameters: dict) -> dict[tuple[str, str], float]:
        out = {}
        for (system, query), found in lists.items():
            others, given = [], dict(parameters)
            if background := given.pop("background", ""):
                names = documents if background == "collection" else sorted(candidates[query])
                others = [*given.values(), [documents[doc] for doc in names]]
                given = {}
            out[system, query] = getattr(slow, name)([documents[doc] for doc in found], k, *others, **given)
        return out

    return scores


CASES = [
    ("exposure", "Exposure(group='female')", {"group": "female"}),
    ("exposure", "Exposure(group='neutral')", {"group": "neutral"}),
    ("cwex", "CWEx(alpha=0.3)", {"alpha": 0.3}),
    ("gap", "ExposureGap", {}),
    ("awrf", "AWRF", {"distance": "l1"}),
    ("awrf", "AWRF(distance='jsd')", {"distance": "jsd"}),
    ("awrf_of_set", "AWRF(target='candidates')", {"distance": "l1", "background": "candidates"}),
    ("awrf_of_set", "AWRF(target='collection')", {"distance": "l1", "background": "collection"}),
    ("awrf_of_set", "AWRF(distance='jsd',target='candidates')", {"distance": "jsd", "background": "candidates"}),
    ("ratio", "GroupExposureRatio", {}),
    ("fairr", "FaiRR(tau=0)", {"tau": 0}),
    ("nfairr", "NFaiRR(tau=1)", {"tau": 1, "background": "candidates"}),
    ("nfairr", "NFaiRR(tau=0,background='collection')", {"tau": 0, "background": "collection"}),
    ("fairr_of_labels", "FaiRR(of='labels')", {}),
    ("nfairr_of_labels", "NFaiRR(of='labels')", {"background": "candidates"}),
    ("nfairr_of_labels", "NFaiRR(of='labels',background='collection')", {"background": "collection"}),
    ("rbdf", "RBDF", {}),
    ("ted", "TED", {"rbdf": True}),
    ("ted", "TED(rbdf=False)", {"rbdf": False}),
    ("texfair", "TExFAIR", {"rbdf": True}),
    ("rab", "RaB", {"magnitude": "tf"}),
    ("rab", "RaB(magnitude='tc')", {"magnitude": "tc"}),
    ("rab", "RaB(magnitude='bool')", {"magnitude": "bool"}),
    ("arab", "ARaB", {"magnitude": "tf"}),
]


@given(data=st.data())
def test_every_measure_agrees_with_the_slow_reference(data) -> None:
    """All measures of one study at once: to lay out a study costs more than any measure."""
    groups = data.draw(st.sampled_from([("female", "male"), ("male", "female", "other")]))
    study = data.draw(studies(groups))
    bias = data.draw(st.sampled_from(["log2", "reciprocal", "rbp(p=0.7)", "linear", "uniform", "custom"]))
    choices = {
        "position_bias": bias,
        "unlabelled": data.draw(st.sampled_from(["skip", "neutral", "strict"])),
        "tokenizer": data.draw(st.sampled_from(["word", "whitespace"])),
    }
    if bias == "custom":
        choices["custom_bias"] = CUSTOM
    k = data.draw(st.integers(1, 12))
    if not study.has("runs") or not study.has("labels") or study.documents.text.isna().all():
        return
    texts = {ask(f"{text}@{k}", Settings(**choices)).text: (name, parameters) for name, text, parameters in CASES}
    scores = evaluate(study, list(texts), **choices)
    assert {*scores["measure"]} == {*texts}
    slow = reference(study, choices)
    expected = {measure: slow(name, k, parameters) for measure, (name, parameters) in texts.items()}
    keys = zip(scores["measure"], scores["system"], scores["query_id"], strict=True)
    wanted = [expected[measure].get((system, query), math.nan) for measure, system, query in keys]
    np.testing.assert_allclose(scores["value"], wanted, rtol=0, atol=1e-12)


@given(data=st.data())
def test_every_cutoff_at_once_gives_what_each_gives_alone(data) -> None:
    study = data.draw(studies(("female", "male")))
    if not study.has("runs"):
        return
    choices = Settings(position_bias=data.draw(st.sampled_from(["log2", "linear", "rbp(p=0.5)"])))
    cutoffs, aligned = np.array([1, 2, 4, 7, 11]), align(study, choices)
    for text in ("CWEx", "NFaiRR", "TExFAIR", "RaB", "ARaB", "GroupExposureRatio"):
        question = ask(text, choices)
        together = values_at(aligned, question, choices, cutoffs)
        for row, k in enumerate(cutoffs):
            alone = values_at(aligned, question, choices, np.array([k]))[0]
            np.testing.assert_allclose(together[row], alone, atol=1e-12)
