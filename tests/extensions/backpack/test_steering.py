"""The table over the weight of senses: its lists against the ranker's, its numbers against a slow loop over them; the
ranker, and the figures over a weight."""

import json
import shutil
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import fairviz
import fairviz.extensions.backpack.encoding as encoding
from fairviz.analyses.mitigations.mitigation import read_mitigations
from fairviz.comparison.family import How
from fairviz.errors import FairvizError, UsageError
from fairviz.extensions.backpack.encoding import own_sensitivity, sense_vectors
from fairviz.extensions.backpack.figures import sense_bars, weight_curves, weight_plane, weight_scores
from fairviz.extensions.backpack.figures.weight_curves import Axis
from fairviz.extensions.backpack.lists import (
    SWAPPED,
    TRIPLES,
    Wordings,
    best,
    lists_of,
    scored,
    weights_of,
    wordings_of,
)
from fairviz.extensions.backpack.loading import SHIPPED, loaded, models_folder
from fairviz.extensions.backpack.seeds import another, card_facts, siblings
from fairviz.extensions.backpack.steering import (
    APART,
    BETTER,
    FEW,
    Column,
    Steering,
    change_table,
    ranks,
    sentences,
)
from fairviz.extensions.backpack.training import Recipe
from fairviz.extensions.backpack.ui.cards import lists_recipe
from fairviz.figures.frame import Line
from fairviz.figures.style import LIGHT
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.rankers.record import silent
from fairviz.words.sentences import plain
from fairviz.words.vectors import unit
from tests.conftest import refused
from tests.rankers.test_ranking import lists, study_of
from tests.slow_max_t import slow_rows
from tests.study.test_study import made

WEIGHTS = (0.3, 1.7)


@pytest.fixture(scope="module")
def steered(football) -> Steering:
    return fairviz.steer(football, weights=WEIGHTS, cutoff=4)


def senses_of(steering: Steering) -> list[str]:
    return list(dict.fromkeys(steering.table.loc[steering.table["ranker"] == "placebo", "senses"]))


def test_every_measure_is_that_of_the_ranker_s_own_lists(steered: Steering) -> None:
    study, weight = steered.lists.read.study, 0.3
    written = " ".join(["1"] * 6 + [str(weight)] * 2)
    policies = {("backpack", "12"): f"weight={weight}", ("placebo", "7 8"): f"policy='{written}'"}
    chosen = ",".join(f"backpack({policy})" for policy in policies.values())
    runs = rank(study, parse_rankers(chosen)).runs
    texts = [column.text for column in steered.columns if column.text != "gap"]
    assert [text.partition("@")[0].partition("(")[0] for text in texts] == [
        "nDCG", "RaB", "ARaB", "NFaiRR", "TExFAIR", "CWEx",
    ]  # fmt: skip
    told_ = fairviz.summarise(fairviz.evaluate(replace(study, runs=runs, fingerprint=""), texts))
    table = steered.table[steered.table["weight"] == weight]
    for (ranker, senses), system in zip(policies, told_["system"].unique(), strict=True):
        rows = table[table["ranker"] == ranker]
        rows = rows if ranker == "backpack" else rows[rows["senses"] == senses]
        mine = rows.set_index("measure")["value"].reindex(texts)
        theirs = told_[told_["system"] == system].set_index("measure")["value"].reindex(texts)
        np.testing.assert_allclose(mine, theirs, atol=1e-9)


def test_the_gap_is_that_of_a_slow_loop(steered: Steering) -> None:
    lists, model = steered.lists, loaded()
    wordings = lists.read.wordings
    assert wordings.kind == SWAPPED
    senses = sense_vectors(lists.read.texts, model, silent).astype(float)
    policy = weights_of(8, lists.main.senses[0], 0.3)
    vectors = np.einsum("nld,l->nd", senses, policy)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    count, query = len(lists.read.documents), vectors[-1]
    scores = [float(vector @ query) for vector in vectors[:-1]]
    apart = [abs(scores[place] - scores[count + row]) for row, place in enumerate(wordings.changed)]
    row = steered.table.query("measure == 'gap' and ranker == 'backpack' and weight == 0.3")
    assert row["value"].item() == pytest.approx(np.mean(apart) / np.std(scores[:count]), rel=1e-4)


def test_at_weight_1_the_placebos_are_the_model_and_their_mean_is_theirs(steered: Steering) -> None:
    table = steered.table[steered.table["ranker"].isin(["backpack", "placebo"])]
    at_one = table[table["weight"] == 1].groupby("measure")["value"]
    assert (at_one.max() - at_one.min()).max() == pytest.approx(0, abs=1e-12)
    order = own_sensitivity(loaded()).order
    pairs = [f"{one + 1} {other + 1}" for one, other in combinations(sorted(order[2:].tolist()), 2)]
    assert senses_of(steered) == ["mean", *pairs]
    rows = table[(table["measure"] == "gap") & (table["weight"] == 0.3) & (table["ranker"] == "placebo")]
    held = rows.set_index("senses")["value"]
    assert held["mean"] == pytest.approx(held[pairs].mean())
    one = steered.table.query("measure == 'gap' and ranker == 'backpack'").set_index("weight")["value"]
    smaller = (held[pairs] - one[1]).abs() < abs(one[0.3] - one[1]) - 1e-12
    ranked = steered.change(0.3).set_index("measure").loc["gap", ["rank", "sets"]]
    assert ranked.tolist() == [1 + (~smaller).sum(), 1 + len(pairs)], "without the row of their mean"


def test_the_references_stand_beside(steered: Steering) -> None:
    study = steered.lists.read.study
    runs = rank(study, parse_rankers("bm25,bi_encoder")).runs
    theirs = fairviz.summarise(fairviz.evaluate(replace(study, runs=runs, fingerprint=""), "TExFAIR@4"))
    mine = steered.table[steered.table["weight"].isna()].query("measure == 'TExFAIR@4'")
    assert list(mine["ranker"]) == ["bm25", "bi_encoder"]
    np.testing.assert_allclose(mine["value"], theirs.set_index("system")["value"].reindex(mine["ranker"]))


def test_the_python_of_a_query_s_lists_and_scores(steered: Steering) -> None:
    study = steered.lists.read.study
    names: dict = {}
    exec(lists_recipe(study, "best-player", "", (1, 0.3), 4).python, names)
    assert names["table"]["system"].unique().tolist() == ["backpack", "backpack-weight=0.3"]
    scores = names["table"].query("system == 'backpack-weight=0.3'").set_index("doc_id")["score"]
    own = dict(zip(steered.lists.read.documents, steered.lists.scores("best-player", [0.3])[0], strict=True))
    np.testing.assert_allclose(scores, [own[name] for name in scores.index], atol=1e-6)
    assert "backpack(weight=0.1234567)" in lists_recipe(study, "q", "", [0.1234567], 10).python


def test_a_weight_that_cannot_be_and_one_without_lists(steered: Steering) -> None:
    study = steered.lists.read.study
    with pytest.raises(UsageError, match=r"^a weight is 2.1\nUse numbers from 0 to 2.$"):
        fairviz.steer(study, weights=[0, 2.1])
    with pytest.raises(UsageError, match=r"^no list was made at weight 0.5\nUse one of 0.3, 1, 1.7.$"):
        steered.change(0.5)
    with pytest.raises(UsageError, match=r"^every sense has the weight 0, so that no text has a vector\nLeave a sense"):
        fairviz.steer(study, senses=8)
    with pytest.raises(FairvizError, match=r"^mine has no text of documents to read\nAdd documents.csv \(or"):
        fairviz.steer(made(documents=None, runs=None, qrels=None, labels=None, annotator=""))
    with pytest.raises(FairvizError, match=r"^mine has no text of queries to rank for\nAdd queries.csv with"):
        fairviz.steer(made(queries=None, annotator="ann"))


def test_texts_that_are_not_read_to_their_end_are_told(steered: Steering) -> None:
    assert not [text for text in steered.lists.messages if "WordPieces" in text]
    study = steered.lists.read.study
    documents = study.documents.head(2).assign(text=["road " * 255, "A boat."])
    made_ = lists_of(replace(study, documents=documents, fingerprint=""), [""], silent, weights=())
    assert made_.messages[0] == (
        f"Longer than 254 WordPieces: 1 of {len(documents) + 1} texts. Neither a Backpack nor MiniLM reads "
        "the rest of such a text."
    )


def test_the_best_are_those_of_a_sort_with_equal_scores_in_order() -> None:
    for depth in (1, 2, 5, 60):
        generator = np.random.default_rng(depth)
        scores = generator.integers(0, 9, size=(7, 50)) / 8
        held = generator.random(scores.shape) < 0.7
        for row, (found, there) in enumerate(zip(best(scores, depth, held), held, strict=True)):
            order = sorted(np.flatnonzero(there), key=lambda place: (-scores[row, place], place))[:depth]
            assert found[found >= 0].tolist() == order
    documents = np.array([[[1.0, 0]], [[0, 0]], [[0, 2]]])  # the second has no token, and is in no list
    scores, held = scored(np.array([[[3.0, 0]], [[0, 0]]]), documents, np.ones(1))
    np.testing.assert_allclose(scores, [[1, 0, 0], [0, 0, 0]])
    assert best(scores, 3, held).tolist() == [[0, 2, -1], [-1, -1, -1]]


def test_gaps_between_wordings_by_hand() -> None:
    rows = np.array([[0, 0, 1], [0, 1, 2], [3, 2, 0]])  # written ones are compared within their query
    scores = np.random.default_rng(0).random((3, 4))
    gap = Wordings(TRIPLES, *rows).gap(scores)
    spread = scores.std(axis=1)
    first = abs(scores[0, 0] - scores[0, 3]) + abs(scores[0, 1] - scores[0, 2])
    assert gap[0] == pytest.approx(first / 2 / spread[0])
    assert gap[1] == pytest.approx(abs(scores[1, 2] - scores[1, 0]) / spread[1])
    assert np.isnan(gap[2])
    swapped = Wordings(SWAPPED, changed=np.array([0, 1]), others=("x", "y"))
    scores = np.array([[0.4, 0.6, 0.4 + 3e-7, 0.6 - 3e-7], [0.4, 0.6, 0.4 + 3e-7, 0.62]])  # what rounding leaves is 0
    np.testing.assert_allclose(swapped.gap(scores), [0, 0.01 / 0.1], rtol=1e-12)
    assert Wordings(TRIPLES, *np.array([[0], [0], [2]])).gap(scores)[0] == 0
    found = wordings_of(made(documents=pd.DataFrame({"doc_id": ["a"], "text": ["a car"]})), ["q"], ["a"])
    assert found.kind == "", "no gender word"
    assert np.isnan(found.gap(np.ones((2, 1)))).all()


COLUMNS = (Column("nDCG", "nDCG@10", "higher", True), Column("RaB", "RaB@10", "zero"), Column("gap", "gap", "lower"))


def values(seed: int) -> np.ndarray:
    """(3, 2, 40): of the senses nDCG falls, RaB comes nearer to 0, and the gap stays."""
    generator = np.random.default_rng(seed)
    own = generator.normal(0, 0.05, size=(3, 2, 40))
    own[0] += np.array([[0.8], [0.5]])
    own[1] += np.array([[-0.6], [-0.2]])
    return own


def test_what_changed_is_one_family_of_paired_tests() -> None:
    own, placebo = values(0), np.random.default_rng(1).normal(0, 0.05, size=(3, 2, 40))
    placebo[:, 0] = own[:, 0]  # weight 1 is the model as it is, whichever senses have it
    placebo[:, 1] += own[:, 0].mean(axis=1, keepdims=True)
    table = change_table(COLUMNS, own, placebo, How(draws=199)).set_index("measure")
    arms = ((own[:, 1], own[:, 0]), (placebo[:, 1], own[:, 0]), (own[:, 1], placebo[:, 1]))
    plain_ = [here[place] - there[place] for here, there in arms for place in range(3)]
    summed = [here[1] + there[1] for here, there in arms]  # RaB is fairest at 0: difference and sum are both tested
    p, *_ = slow_rows([*plain_, *summed])
    for arm in range(3):
        p[3 * arm + 1] = max(p[3 * arm + 1], p[9 + arm])
    names = ["p_corrected", "placebo_p_corrected", "beyond_p_corrected"]
    np.testing.assert_allclose(table[names].to_numpy().T.ravel(), p[:9])
    sizes = [abs(here[1].mean()) - abs(there[1].mean()) for here, there in arms]
    assert table.loc["RaB@10", ["difference", "placebo_difference", "beyond_difference"]].tolist() == (
        pytest.approx(sizes)
    )
    assert table["verdict"].tolist() == ["worse", "better", "not significantly different"]
    assert table["placebo_verdict"].tolist() == ["not significantly different"] * 3
    said = [plain(one) for one in sentences(COLUMNS, table.reset_index(), 0.5)]
    assert said == [
        "Beyond the placebo, weight 1 → 0.5: better in RaB; worse in nDCG.",
        "Weight 1 → 0.5: better in RaB; worse in nDCG; not significantly different in gap (9 differences, maxT).",
        "The placebo, the same weight on other senses, does the same to none of them.",
    ]
    same = change_table(COLUMNS, own, own)
    told = [plain(one) for one in sentences(COLUMNS, same, 0.5)]
    assert told[0] == "Beyond the placebo, weight 1 → 0.5: nothing significant, so no effect of gender is shown."
    assert told[2] == "The placebo, the same weight on other senses, does the same to nDCG, RaB."
    few = change_table(COLUMNS, own[:, :, :9], own[:, :, :9])
    (said,) = sentences(COLUMNS, few, 0.0)
    assert plain(said) == "No verdict: that needs 10 queries. Changes here are not evidence."
    assert plain(sentences(COLUMNS, few, 1.0)[0]).startswith("Weight 1 is the model as it is.")


def test_the_rank_of_the_gender_senses_among_the_placebos() -> None:
    """Mean changes from weight 1: own -0.3, placebos +0.4, -0.3 and 0.1: the tie counts against the own."""
    changes = np.array([-0.3, 0.4, -0.3, 0.1])
    held = np.stack([np.full((4, 12), 0.5), 0.5 + np.repeat(changes[:, None], 12, axis=1)], axis=1)[
        None
    ]  # M, sets, 2, Q
    column = COLUMNS[-1:]
    found = ranks(column, held)
    assert found.to_dict("records") == [{"rank": 3.0, "sets": 4, "p_rank": 0.75}]
    first = ranks(column, held[:, [1, 0, 2, 3]])
    assert first.to_dict("records") == [{"rank": 1.0, "sets": 4, "p_rank": 0.25}]
    table = change_table(column, held[:, 0], held[:, 1]).join(found)
    said = [plain(one) for one in sentences(column, table, 0.5)]
    assert said[3] == (
        "Rank of the gender senses by size of change among 4 sets of senses: gap 3 (p = rank / 4, at least .250)."
    )
    assert np.isnan(ranks(column, held[:, :1])["rank"]).all()


def test_models_of_other_seeds_are_found_and_others_are_not() -> None:
    def put(name: str, **changed: object) -> None:
        folder = models_folder() / name
        shutil.copytree(SHIPPED, folder)
        card = json.loads((folder / "card.json").read_text())
        (folder / "card.json").write_text(json.dumps(card | changed))

    put("one", seed=1)
    put("again", seed=1)
    put("others", seed=2, sources=[])
    put("packaged-again")
    (models_folder() / "broken").mkdir()
    (models_folder() / "broken" / "backpack.safetensors").write_bytes(b"cut")
    assert siblings("") == ("again",)
    assert siblings("others") == ()
    following = another("")
    assert following is not None
    assert (following.studies, following.recipe) == (("newswire",), Recipe(minutes=60, seed=2))
    assert another("others") is None  # of which no source is told
    told_ = dict(card_facts(""))
    assert "the study newswire (3,030 passages; Queries, labels and relevance: MIT." in told_["Trained on"]
    assert "Not seen: queries, relevance judgements and labels." in told_["Trained on"]


def weighted(own: str, placebo: str, beyond: str) -> str:
    """The Backpack's conclusions for one measure with these three verdicts."""
    numbers = {f"{arm}{name}": np.nan if verdict == FEW else 0.1
               for arm, verdict in (("", own), ("placebo_", placebo), ("beyond_", beyond))
               for name in ("difference", "p_corrected")}  # fmt: skip
    row = numbers | {"measure": "m", "verdict": own, "placebo_verdict": placebo, "beyond_verdict": beyond}
    row |= {"placebo_difference": 0.1}
    told = sentences([Column("m", "m", "high")], pd.DataFrame([row]), 0.5)
    return " ".join(map(plain, told))


@pytest.mark.parametrize(
    ("verdicts", "true", "false"),
    [
        ((BETTER, APART, BETTER), "does the same to none of them.", ("no verdict",)),
        ((BETTER, BETTER, APART), "nothing significant, so no effect of gender is shown.", ("no verdict",)),
        ((APART, APART, APART), "moves nothing either.", ("no verdict", "better in")),
        ((BETTER, FEW, FEW), "Beyond the placebo, weight 1 → 0.5: no verdict.", ("nothing", "none of them")),
        ((APART, FEW, FEW), "other senses, has no verdict.", ("moves nothing", "nothing significant")),
        ((FEW, FEW, FEW), "No verdict: that needs 10 queries", ("better in", "significant")),
    ],
)
def test_each_state_has_a_true_sentence(verdicts: tuple[str, str, str], true: str, false: tuple[str, ...]) -> None:
    found = weighted(*verdicts)
    assert true in found, found
    assert not [words for words in false if words in found], found


# --- The ranker on the shipped model. What reads text loads MiniLM, which takes seconds


TEXTS = [
    "A physician treats the sick.",
    "The match ended in a draw.",
    "",
    "\u200d",
    None,
    "She is a doctor. " + "word " * 50_000,
]


@pytest.mark.slow
def test_it_ranks_by_meaning_and_encodes_nothing_twice(monkeypatch):
    study = study_of(["doctor", "football game", "", "\u200d"], TEXTS)
    ranked = rank(study, parse_rankers("backpack,backpack(weight=0),backpack(policy='1 1 1 1 1 1 1 1')"))
    found = lists(ranked.runs, "backpack")
    assert list(found) == ["q0", "q1"]
    assert found["q0"][0] == "d0"
    assert found["q1"][0] == "d1"
    assert set(found["q0"]) == {"d0", "d1", "d5"}  # neither the empty text nor that of no token
    assert "backpack: 2 of 4 queries are empty or have no word in the model's vocabulary; their lists are empty." in (
        ranked.messages
    )

    cut = "Texts here are longer than 254 WordPieces: backpack reads their beginning, as MiniLM does."
    assert ranked.messages.count(cut) == 1  # not once a weight

    model = loaded()
    texts = ["doctor", TEXTS[0], TEXTS[1], TEXTS[5]]

    def no_load() -> None:
        raise AssertionError("a model was loaded for what is on the disk")

    monkeypatch.setattr(encoding, "reader", no_load)
    senses = sense_vectors(texts, model, lambda *_: None)
    vectors = unit(senses.sum(axis=1))  # the model without any weights
    first = ranked.runs[(ranked.runs["query_id"] == "q0") & (ranked.runs["system"] == "backpack")]
    expected = {f"d{n}": vectors[place] @ vectors[0] for n, place in ((0, 1), (1, 2), (5, 3))}
    scores = dict(zip(first["doc_id"], first["score"], strict=True))
    assert {name: np.float32(score) for name, score in scores.items()} == {
        name: pytest.approx(score, abs=1e-6) for name, score in expected.items()
    }
    for system, is_same in (("backpack-policy=1_1_1_1_1_1_1_1", True), ("backpack-weight=0", False)):
        other = ranked.runs[(ranked.runs["query_id"] == "q0") & (ranked.runs["system"] == system)]
        assert (dict(zip(other["doc_id"], other["score"], strict=True)) == scores) == is_same


def test_what_the_model_cannot_do_is_said_before_anything_is_read():
    for ranker, message in {
        "weight=2.5": "backpack cannot take weight=2.5\nUse a number from 0 to 2.",
        "senses=9": "9 senses cannot get the weight\nUse a whole number from 1 to 8.",
        "policy='1 1 0.5'": "3 weights are written for 8 senses\nWrite a weight for each sense, in their order.",
        "policy='1 1 1 3 1 1 1 1'": "the weight of sense 4 is 3\nUse a number from 0 to 2.",
        "policy=men": "there is no policy 'men'\n"
        "Use sensitive, placebo, graded, or 8 weights, one a sense: 1 1 1 1 1 1 1 0.5.",
        "weight=0,senses=8": "every sense has the weight 0, so that no text has a vector\n"
        "Leave a sense at a weight above 0.",
        "policy='1 1 1 1 1 1 1 0',weight=0.5": "backpack: a policy of weights that are written out takes no weight\n"
        "Leave weight out.",
        "policy=graded,weight=0.5,senses=3": "backpack: the policy graded takes no number of senses\nLeave senses out.",
    }.items():
        with refused(message, UsageError):
            rank(study_of(["doctor"], ["A physician."]), parse_rankers(f"backpack({ranker})"))


def test_it_mitigates_against_itself_without_the_weight():
    text = "backpack(weight=0),backpack(weight=0,senses=3),backpack(policy='1 1 1 1 1 1 1 0.5')"
    found = read_mitigations(study_of(["doctor"], TEXTS), text)
    assert [(one.system, one.base, one.base_choice and one.base_choice.system) for one in found] == [
        ("backpack-weight=0", "backpack", "backpack"),
        ("backpack-weight=0-senses=3", "backpack", "backpack"),
        ("backpack-policy=1_1_1_1_1_1_1_0.5", "backpack", "backpack"),
    ]


# --- The figures over a weight of senses: what is drawn, from a table as `fairviz.steer` gives it


UP, FAIR = Axis("nDCG", "nDCG@10", "higher"), Axis("RaB", "RaB@10", "zero")
NAN = np.nan


def weight_table(*, placebo: bool = True) -> pd.DataFrame:
    rows = []
    for number, measure in enumerate((UP.text, FAIR.text)):
        for stop, weight in enumerate((0.0, 1.0, 2.0)):
            value = number + stop / 10
            rows.append((measure, "backpack", "", "1 2", weight, value, value - 0.05, value + 0.05))
            rows.append((measure, "backpack", "other", "3 4", weight, value + 0.01, NAN, NAN))
            if placebo:
                rows.append((measure, "placebo", "", "mean", weight, value - 0.1, NAN, NAN))
                rows.append((measure, "placebo", "other", "mean", weight, 9.0, NAN, NAN))
                rows += [(measure, "placebo", "", pair, weight, value + 1, NAN, NAN) for pair in ("3 4", "3 5")]
        rows.append((measure, "bm25", "", "", NAN, 0.7, NAN, NAN))
        rows.append((measure, "bi_encoder", "", "", NAN, NAN, NAN, NAN))
    return pd.DataFrame(rows, columns=["measure", "ranker", "model", "senses", "weight", "value", "ci_low", "ci_high"])


def test_the_lines_of_a_measure() -> None:
    plane = weight_plane.info(weight_table(), UP, [FAIR], 2.0)
    assert plane.weights == (0.0, 1.0, 2.0)
    lines = plane.panels[0]
    assert lines.own == Line((1.0, 1.1, 1.2), pytest.approx((0.95, 1.05, 1.15)), pytest.approx((1.05, 1.15, 1.25)))
    assert lines.placebo is not None
    assert lines.placebo.values == pytest.approx((0.9, 1.0, 1.1))
    assert lines.pairs == ((2.0, 2.1, 2.2), (2.0, 2.1, 2.2))
    assert lines.seeds == (pytest.approx((1.01, 1.11, 1.21)),)
    assert lines.references["bm25"] == 0.7
    assert plane.alt == "nDCG against RaB, a point a sense weight: nDCG is 0.000 at weight 0 and 0.200 at weight 2."


def test_what_is_drawn() -> None:
    plane = weight_plane.draw(weight_plane.info(weight_table(), UP, [FAIR], 2.0))
    own = next(trace for trace in plane.data if trace.name == "gender senses")
    assert list(own.marker.size) == [5, 5, 11]
    assert [trace.name for trace in plane.data].count("each placebo") == 2
    assert "MiniLM" not in [trace.name for trace in plane.data]  # it has no value
    curves = weight_curves.info(weight_table(), [UP, FAIR], 1.0)
    figure = weight_curves.draw(curves)
    assert [trace.name for trace in figure.data if trace.showlegend] == [
        "each placebo, lowest to highest", "BM25", "other seeds", "placebo, mean", "gender senses",
    ]  # fmt: skip
    assert "RaB 1.100 at weight 1 and 1.100 at 1 (placebo 1.000)" in curves.alt
    assert weight_curves.info(weight_table(placebo=False), [UP], 0.0).panels[0].placebo is None
    nothing = weight_curves.draw(weight_curves.info(weight_table().assign(value=np.nan), [UP], 0.0))
    assert nothing.layout.annotations[0].text == "No measure has a value."


def test_bars_of_senses_mark_those_that_get_the_weight() -> None:
    held = pd.DataFrame({"sense": [1, 2, 3], "sensitivity": [0.6, 0.4, 0.7], "ci_low": [0.5, 0.3, 0.6],
                         "ci_high": [0.7, 0.5, 0.8], "pairs": 9})  # fmt: skip
    bars = sense_bars.info(held, [2])
    assert bars.alt.endswith("sense 1 0.600, sense 2 0.400, sense 3 0.700. The weight goes to 2.")
    figure = sense_bars.draw(bars)
    assert [list(trace.x) for trace in figure.data] == [["sense 2"], ["sense 1", "sense 3"]]
    assert [trace.name for trace in figure.data] == [sense_bars.SCALED, sense_bars.OTHER]
    assert [trace.marker.pattern.shape for trace in figure.data] == ["/", ""]
    assert [trace.marker.color for trace in figure.data] == [sense_bars.COLOUR[False], LIGHT.muted]


def test_scores_of_documents_are_text_and_no_markup() -> None:
    drawn = weight_scores.info({"<img src=x>": [0.1, 0.2], "b": [0.3, 0.1]}, {"b": "female"}, ("female",), (0, 1), 1)
    figure = weight_scores.draw(drawn)
    assert [trace.name for trace in figure.data] == ["&lt;img src=x&gt;", "b (female)"]
    assert drawn.alt == "Scores of 2 documents over the sense weight; at 1: <img src=x> 0.200, b 0.100."
