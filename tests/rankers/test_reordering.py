"""Rankers that reorder a run: hand-worked lists, slow references, promises on random lists, and newswire."""

import math
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.scores import evaluate
from fairviz.rankers import parse_rankers, reordering
from fairviz.rankers.ranking import rank
from fairviz.rankers.reordering import constrained_order
from fairviz.study.record import Study
from fairviz.study.study import add_runs, make_study
from tests.conftest import refused
from tests.made import documents_of, labels_of, qrels_of, queries_of, runs_of
from tests.rankers.test_ranking import lists

HALVES = np.array([0.5, 0.5])
LABELS = {"f": "female", "m": "male", "n": "neutral"}


def study_of(
    documents: str, scores: list[float] | None = None, texts: dict[str, str] | None = None, **parts: object
) -> Study:
    """One run, `first`, of one query: a document a letter, named by the letter and its place (f1, m2, …; u has no
    label), best first."""
    names = [f"{letter}{place}" for place, letter in enumerate(documents, start=1)]
    runs, labels = runs_of({"first": names}), labels_of({name: LABELS.get(name[0]) for name in names}, "annotator")
    return make_study(
        "made",
        runs=runs.assign(score=scores or runs["score"]),
        labels=labels if len(labels) else None,
        documents=documents_of(texts) if texts else None,
        **parts,
    )


def order_of(study: Study, ranker: str, **options: int) -> str:
    """The documents of the reordered list, one behind the other."""
    (choice,) = parse_rankers(ranker)
    return " ".join(lists(rank(study, (choice,), **options).runs, choice.system)["q"])


QRELS, OTHER_QRELS = qrels_of({"q": {"m1": 1, "f3": 1, "f4": -1}}), qrels_of({"q": "m2"})
TEXTS = {"m1": "he and he", "m2": "his hat", "f3": "her and her", "n4": "a tree", "f5": "she and he ran"}
UNIFORM = "position_bias=uniform"
BY_HAND = [
    # Gains 1, 0.631, 0.5, 0.431; of the first two ranks 1 + 0.631² = 1.398. m2 for f3: 1 + 0.631 · 0.5 = 1.315, which
    # loses 5.9 %; m1 for f3 would lose 36 %.
    ("mmff", {}, f"balanced(run=first,k=2,{UNIFORM},loss=0.06)", "m1 f3 m2 f4"),
    ("mmff", {}, f"balanced(run=first,k=2,{UNIFORM},loss=0.059)", "m1 m2 f3 f4"),
    ("mmff", {}, f"balanced(run=first,k=2,{UNIFORM},loss=0)", "m1 m2 f3 f4"),
    # Scores 10, 9, 8.9, 0 are worth 1, 0.9, 0.89, 0: m2 for f3 loses 0.631 · 0.01 of 1.568, 0.4 %.
    ("mmff", {"scores": [10, 9, 8.9, 0]}, "balanced(run=first,k=2,gain=score,loss=0.005)", "m1 f3 m2 f4"),
    ("mmff", {"scores": [10, 9, 8.9, 0]}, "balanced(run=first,k=2,gain=score,loss=0.004)", "m1 m2 f3 f4"),
    # The gap of m1 m2 under equal attention is 2; with n3 for one of them 1, and no woman is there.
    ("mmnn", {}, f"balanced(run=first,k=2,loss=1,{UNIFORM})", "n3 n4 m1 m2"),
    # Targets of the study: three in four are to be men, so of four ranks one goes to a woman, and the rest stay.
    ("mmmmff", {"targets": {"female": 0.25, "male": 0.75}}, f"balanced(run=first,k=4,loss=0.5,{UNIFORM})",
     "m1 m2 m3 f5 m4 f6"),
    # Equal scores stand as the file has them; a list of one stays.
    ("mfmf", {"scores": [1.0] * 4}, "balanced(run=first,loss=0)", "m1 f2 m3 f4"),
    ("mfmf", {"scores": [1.0] * 4}, f"balanced(run=first,gain=score,loss=0,k=4,{UNIFORM})", "m1 f2 m3 f4"),
    ("m", {}, "balanced(run=first)", "m1"),
    # A list shorter than k is reordered whole: men get 1 + 0.431, women 0.631 + 0.5.
    ("mmff", {}, "balanced(run=first,k=100,loss=1)", "m1 f3 f4 m2"),
    ("m", {}, "detconstsort(run=first)", "m1"),
    # Oracle: m2 and f4 are not relevant, m1 and f3 are: f3 for m2 gains, and is free.
    ("mmff", {"qrels": QRELS}, "oracle(run=first,k=2,loss=0)", "m1 f3 m2 f4"),
    ("mmff", {"qrels": OTHER_QRELS}, f"oracle(run=first,k=2,loss=0,{UNIFORM})", "f3 m2 m1 f4"),
    # DetConstSort with halves: rank 2 owes one of each, m1 and f4; rank 4 again, and f4 may not sink below rank 2.
    ("mmmff", {}, "detconstsort(run=first)", "m1 f4 m2 f5 m3"),
    ("mmmff", {}, "detconstsort(run=first,k=2)", "m1 f4 m2 m3 f5"),
    ("ffmm", {}, "detconstsort(run=first,k=4)", "f1 m3 f2 m4"),
    # n, m, m, m: neutral 1/4, each gender 3/8, and no woman is there. Rank 3: a man, rank 4: n1 before him.
    ("nmmm", {}, "detconstsort(run=first)", "n1 m2 m3 m4"),
    ("ummuff", {}, "detconstsort(run=first)", "u1 m2 f5 u4 m3 f6"),
    ("mmmmf", {}, "detconstsort(run=first)", "m1 f5 m2 m3 m4"),  # a group runs out
    # Neutral: scores 1, 0.75, 0.5, 0.25, 0; omega 0, 1 (one word), 0, 1, 1. With 0.3: 0.7, 0.825, 0.35, 0.475, 0.3.
    ("mmfnf", {"texts": TEXTS}, "neutral(run=first)", "m2 m1 n4 f3 f5"),
    ("mmfnf", {"texts": TEXTS}, "neutral(run=first,tau=0)", "m1 m2 n4 f3 f5"),
    ("mmfnf", {"texts": TEXTS}, "neutral(run=first,weight=0)", "m1 m2 f3 n4 f5"),
    ("mmfnf", {"texts": TEXTS}, "neutral(run=first,weight=1)", "m2 n4 f5 m1 f3"),
    # Of the list: n4 leaves it neutral (1), as f5 does; n4 stands first. Then m2 adds 1/2 · 0.5 to men, f3 2/3 · 0.5 to
    # women, m1 as much: m2 evens out most.
    ("mmfnf", {"texts": TEXTS}, "neutral(run=first,weight=1,of=list)", "n4 f5 m2 f3 m1"),
    ("mmfnf", {"texts": TEXTS}, "neutral(run=first,weight=0,of=list)", "m1 m2 f3 n4 f5"),
]  # fmt: skip


def test_lists_reordered_by_hand() -> None:
    for documents, parts, ranker, order in BY_HAND:
        assert order_of(study_of(documents, **parts), ranker) == order, ranker


def test_a_document_without_a_label_or_without_text_keeps_its_rank_and_is_counted() -> None:
    ranked = rank(study_of("umuff"), parse_rankers("balanced(run=first,k=3,loss=1)"))
    assert lists(ranked.runs, "balanced-run=first-loss=1-k=3")["q"] == ["u1", "m2", "u3", "f4", "f5"]
    assert ranked.messages == (
        "balanced: 2 of 3 places within rank 3 hold a document without a label; it keeps its rank.",
    )
    study = study_of("mmfnf", texts={name: text for name, text in TEXTS.items() if name != "f3"})
    assert order_of(study, "neutral(run=first,weight=1)") == "m2 n4 f3 f5 m1"
    ranked = rank(study, parse_rankers("neutral(run=first,weight=1,of=list)"))
    assert ranked.runs["doc_id"].iloc[2] == "f3"
    assert ranked.messages[0] == "neutral: 1 documents of the run have no text; they keep their rank."
    study = study_of("mf", queries=queries_of({"q": "a", "other": "b"}))
    assert rank(study, parse_rankers("balanced(run=first)")).messages == (
        "balanced-run=first: 1 of 2 queries are not in the run; their lists are empty.",
    )
    assert order_of(study_of("mmff"), "balanced(run=first,k=2,loss=0.06)", depth=2) == "m1 f3", "cut after reordering"


def slow_balanced(codes: list[int], gains: list[float], weights: list[float], targets: list[float], loss: float):
    """Read off the definition: try every swap, take the best, until none helps."""
    order, top = list(range(len(codes))), min(len(weights), len(codes))

    def gap(held: list[int]) -> float:
        exposure = [sum(weights[i] for i in range(top) if codes[held[i]] == g) for g in range(1, len(targets) + 1)]
        return sum(abs(e - t * sum(exposure)) for e, t in zip(exposure, targets, strict=True))

    def gained(held: list[int]) -> float:
        return sum(gains[held[i]] / math.log2(i + 2) for i in range(top))

    least = (1 - loss) * gained(order) - 1e-12
    while True:
        found = []
        for i in range(top):
            for j in range(i + 1, len(order)):
                other = [*order[:i], order[j], *order[i + 1 : j], order[i], *order[j + 1 :]]
                if min(codes[order[i]], codes[order[j]]) >= 0 and gained(other) >= least:
                    found.append((round(gap(other), 10), round(-gained(other), 10), i, j, other))
        best = min(found, default=None)
        if best is None or best[0] >= round(gap(order), 10):
            return tidied(codes, order, top, lambda held: gained(held) >= least)
        order = best[4]


def tidied(codes: list[int], order: list[int], top: int, allowed) -> list[int]:
    """Within k, documents of one label in the list's own order, where that is allowed; behind it all."""
    waiting = {code: sorted(place for place in order[:top] if codes[place] == code) for code in range(4)}
    other = [place if codes[place] < 0 else waiting[codes[place]].pop(0) for place in order[:top]]
    kept = other if allowed(other) else order[:top]
    return kept + sorted(set(order) - set(kept))


@given(
    codes=st.lists(st.integers(-1, 3), min_size=1, max_size=7),
    k=st.integers(1, 8),
    loss=st.sampled_from([0.0, 0.1, 0.4, 1.0]),
    data=st.data(),
)
def test_balanced_is_the_greedy_search_of_its_definition(codes: list[int], k: int, loss: float, data) -> None:
    gains = data.draw(st.lists(st.integers(0, 3).map(float), min_size=len(codes), max_size=len(codes)))
    weights = [1 / (1 + rank) for rank in range(k)]
    targets = [0.2, 0.3, 0.5]
    balance = reordering.Balance(
        np.array(codes), np.array(gains), np.array(weights), reordering.discounts(k), np.array(targets), loss
    )
    assert reordering.balanced_order(balance).tolist() == slow_balanced(codes, gains, weights, targets, loss)


def test_only_the_oracle_sees_judgements() -> None:
    texts = {"m1": "he", "m2": "his", "f3": "she", "f4": "a tree"}
    for ranker in ("balanced(run=first,loss=0.2)", "detconstsort(run=first)", "neutral(run=first)"):
        seen = order_of(study_of("mmff", texts=texts, qrels=QRELS), ranker)
        assert seen == order_of(study_of("mmff", texts=texts), ranker)


def test_shares_and_neutrality_by_hand() -> None:
    """Neutral documents have their own share, the last of a group leaves its place, and all words of the group that is
    to have a quarter are |1 − 1/4| + |0 − 3/4| = 3/2 apart, the largest there is."""
    assert reordering.wished_shares(np.array([0, 2, 2, 2]), HALVES).tolist() == [0.25, 0.375, 0.375]
    assert constrained_order(np.array([2, 2, 1]), np.array([0, 1.0, 0.0]), 3).tolist() == [2, 0, 1]
    words, targets = np.array([[2.0, 0.0], [1.0, 3.0], [0.0, 1.0]]), np.array([0.25, 0.75])
    assert reordering.list_neutrality(words, targets).tolist() == [0, 1, 1 - 0.5 / 1.5]


@given(codes=st.lists(st.integers(0, 3), max_size=14), k=st.integers(1, 16), data=st.data())
def test_no_group_falls_behind_its_share_at_any_rank(codes: list[int], k: int, data) -> None:
    parts = np.array(data.draw(st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any)), dtype=float)
    shares, held = parts / parts.sum(), np.array(codes, dtype=np.int64)
    order = constrained_order(held, shares, k)
    assert sorted(order.tolist()) == list(range(len(codes)))
    for group in range(4):
        mine = [place for place in order.tolist() if codes[place] == group]
        assert mine == sorted(mine)  # within a group the run decides
    if all((held == g).sum() >= math.floor(len(codes) * shares[g] + 1e-9) for g in range(4)):
        for reached in range(1, min(k, len(codes)) + 1):
            for group in range(4):
                there = (held[order[:reached]] == group).sum()
                assert there >= math.floor(reached * shares[group] + 1e-9)


def test_what_a_ranker_cannot_take_or_a_study_lacks_is_named() -> None:
    one, add_labels = study_of("mf", texts={"m1": "he"}), "Add labels.csv with the columns doc_id, annotator, label."
    for study, ranker, message in (
        (one, "neutral", "neutral needs run\nWrite it as neutral(run='…'): the run whose lists are reordered."),
        (one, "neutral(run=first,of=words)", "neutral cannot take of='words'\nUse one of 'document', 'list'."),
        (one, "neutral(run=second)", "made has no run 'second' for neutral\nIts runs are first."),
        (one, "balanced(run=first,position_bias=custom)",
         "balanced cannot take position_bias=custom: the custom position bias has no weights\n"
         "Use log2, reciprocal, rbp(p=0.8), linear or uniform."),
        (one, "balanced(run=first,annotator=nobody)",
         "the study 'made' has no annotator 'nobody'\nUse one of annotator, majority, dawid-skene."),
        (one, "oracle(run=first)", "made has no relevance to rank by\nAdd qrels.txt to its folder."),
        (study_of("uu"), "balanced(run=first)", f"made has no gender labels to rank by\n{add_labels}"),
        (replace(study_of("mf"), label_kind="other"), "detconstsort(run=first)",
         f"the labels of made are not genders (labels = 'other' in study.toml)\n{add_labels}"),
        (study_of("mf"), "neutral(run=first)", "made has no text of documents to count gender words in\n"
         "Add documents.tsv with the columns doc_id and text."),
    ):  # fmt: skip
        with refused(message):
            rank(study, parse_rankers(ranker))


def test_promises_on_newswire(newswire: Study) -> None:
    """No list loses in fairness, oracle keeps nine tenths of each list's nDCG, and the ends of neutral's weight are the
    run as it is and the ideal."""
    rankers = (
        "neutral(run=bm25,weight=0),neutral(run=bm25,weight=1),neutral(run=bm25,weight=1,of=list),"
        "balanced(run=bm25,loss=0.1),oracle(run=bm25,loss=0.1),detconstsort(run=bm25)"
    )
    reordered = add_runs(newswire, rank(newswire, parse_rankers(rankers)).runs)
    measures = ["AbsExposureGap@10", "nDCG@10", "NFaiRR(background='run:bm25')@10", "TExFAIR(rbdf=False)@10"]
    scores = evaluate(reordered, measures).astype({"measure": "str", "system": "str"})
    by_measure = scores.pivot(index="query_id", columns=["measure", "system"], values="value")
    gap, effect, neutrality, balance = (by_measure[measure] for measure in scores["measure"].unique())
    for system in ("balanced-run=bm25-loss=0.1", "oracle-run=bm25-loss=0.1"):
        assert (gap[system] <= gap["bm25"] + 1e-9).all()
        assert gap[system].mean() < 0.75 * gap["bm25"].mean()
    assert np.nanmax(effect["bm25"] * 0.9 - effect["oracle-run=bm25-loss=0.1"]) <= 1e-9
    assert gap["detconstsort-run=bm25"].mean() < gap["bm25"].mean()
    np.testing.assert_allclose(neutrality["neutral-run=bm25-weight=1"], 1, atol=1e-12)
    assert lists(reordered.runs, "neutral-run=bm25-weight=0") == lists(reordered.runs, "bm25")
    assert balance["neutral-run=bm25-weight=1-of=list"].mean() > balance["bm25"].mean() + 0.3
    (said,) = [line for line in rank(reordered, parse_rankers("rrf(k=7)")).messages if line.startswith("rrf")]
    assert "-run=" not in said, "a reordered run is no search to fuse"
    assert "bm25" in said
