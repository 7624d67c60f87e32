"""Fine-tuning without a model: what is to be trained on which pairs, the table before and after by hand, the sentences
that it becomes, and the view of adapters that lie there."""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.extensions.finetuning.outcome import COLUMNS, GAP, SPREAD, ended, rows_of, sentences
from fairviz.extensions.finetuning.pairs import (
    HELD_OUT,
    SUBSTITUTION,
    TRAIN,
    WORDINGS,
    FinetuningPlan,
    encoder_of,
    pairs_of,
)
from fairviz.extensions.finetuning.training import adapters_of, batch_at, is_of_this_state, outcome_of, with_outcome
from fairviz.extensions.finetuning.views import cells_of, figure_of
from fairviz.figures import crbo
from fairviz.models.sentence_encoder import CARD, CONFIG, WEIGHTS, adapters_folder, is_adapter_name
from fairviz.study.record import Study
from fairviz.ui.kit import jobs
from tests.conftest import refused
from tests.extensions.finetuning.cases import study
from tests.pages.conftest import drawn_by, html_of

NAME = "Use letters, digits and . _ = + -, the first a letter or a digit, 100 at most."
ENCODER = "Give 'bi_encoder' or \"bi_encoder(model='…')\"."


def test_what_cannot_be_mended_is_said_in_one_line(football) -> None:
    for asked, message in (
        ({"rank": 3.5}, "rank is 3.5\nUse a whole number from 1 to 64."),
        ({"steps": True}, "steps is True\nUse a whole number from 1 to 10,000."),
        ({"strength": "1"}, "strength is '1'\nUse a number from 0 to 1,000."),
        ({"strength": float("nan")}, "strength is nan\nUse a number from 0 to 1,000."),
        ({"name": "../mine"}, f"name is '../mine'\n{NAME}"),
        ({"name": None}, "name is None\nGive a name as text."),
        ({"ranker": None}, f"ranker is None\n{ENCODER}"),
        ({"ranker": "bm25,tfidf"}, f"ranker is 'bm25,tfidf', and only one bi_encoder can be trained\n{ENCODER}"),
        (
            {"ranker": "bi_encoder(project=2)"},
            f"ranker is 'bi_encoder(project=2)', which is changed already, by project\n{ENCODER}",
        ),
        ({"progress": int}, "progress is <class 'int'>\nGive a function of what is done, how much, and in all."),
        ({"settings": 3}, "settings is 3\nGive a Settings, or its fields by name: cutoff=5, annotator='majority'."),
        ({"study": 3}, "study is 3\nGive a Study, as fairviz.open_study opens and fairviz.make_study makes."),
        ({}, "football has texts in the wordings of two genders for 1 query, too few to train on some and to hold out "
         "others\nUse a study with such texts, or texts with gender words, for 10 or more."),
    ):  # fmt: skip
        with refused(message):
            fairviz.mend(**{"study": football, **asked})


def test_a_name_is_made_of_the_study_the_plan_and_the_steps_done() -> None:
    assert FinetuningPlan(strength=0.5, seed=7).named("ir_datasets:my/ set").name == (
        "ir_datasets-my-set-rank4-strength0.5-steps40-seed7"
    )
    assert encoder_of("bi_encoder(model='a/b')") == "a/b"
    plan = FinetuningPlan().named("x")
    assert plan.minutes is None
    assert plan.after("x", 12).name == "x-rank4-strength1-steps12of40-seed0"
    assert plan.after("x", 40) == plan.after("x", 0) == plan
    assert FinetuningPlan(name="mine").named("x").after("x", 12).name == "mine"


@given(st.floats(0, 1000))
@example(1.2345678901234567e-05)
def test_an_adapter_is_named_by_the_very_strength(strength: float) -> None:
    name = (
        FinetuningPlan(strength=strength, rank=64, steps=10_000, seed=2**31 - 1)
        .named("a study of a long name " * 5)
        .name
    )
    assert is_adapter_name(name)
    assert float(name.partition("-strength")[2].partition("-steps")[0]) == strength


def test_the_digest_holds_all_but_name_and_minutes() -> None:
    digest = FinetuningPlan().digest("m", [["a"], ["b"]])
    assert FinetuningPlan(minutes=9, name="x").digest("m", [["a"], ["b"]]) == digest
    others = [FinetuningPlan(rank=2), FinetuningPlan(strength=2), FinetuningPlan(steps=2), FinetuningPlan(seed=2)]
    made = [one.digest("m", [["a"], ["b"]]) for one in others]
    made += [FinetuningPlan().digest("n", [["a"], ["b"]]), FinetuningPlan().digest("m", [["a", "b"]])]
    assert len({digest, *made}) == 7


def test_documents_in_three_wordings_are_the_pairs() -> None:
    made = pairs_of(study(), 0)
    assert (made.source, made.groups, made.shared) == (WORDINGS, ("female", "male"), 0)
    row = made.table[made.table["query_id"] == "q0"].iloc[0]
    assert row[["query_id", "female", "male", "neutral"]].tolist() == [
        "q0",
        "The woman looked at the engine for a while",
        "The man looked at the engine for a while",
        "The person looked at the engine for a while",
    ]
    assert (len(made.of(TRAIN)), len(made.of(HELD_OUT))) == (10, 2)
    assert pairs_of(study(), 0).split == made.split
    assert pairs_of(study(), 1).split != made.split


SONGS = [f"A man sings song {place}" for place in range(24)]


def swapped_study(texts: list[str], **parts) -> fairviz.study.record.Study:
    """For each text a query, to which it is relevant."""
    ids = [f"d{place}" for place in range(len(texts))]
    queries = pd.DataFrame({"query_id": [f"q{place}" for place in range(len(texts))], "text": ids})
    documents = pd.DataFrame({"doc_id": ids, "title": "", "text": texts})
    qrels = pd.DataFrame({"query_id": queries["query_id"], "doc_id": ids, "relevance": 1})
    return fairviz.make_study("own", **{"queries": queries, "documents": documents, "qrels": qrels} | parts)


def judged(*pairs: tuple[int, int]) -> pd.DataFrame:
    """The documents that are relevant, each by the number of its query and its own."""
    return pd.DataFrame([(f"q{query}", f"d{text}", 1) for query, text in pairs],
                        columns=["query_id", "doc_id", "relevance"])  # fmt: skip


def test_elsewhere_a_document_is_paired_with_its_counterpart() -> None:
    texts = [*SONGS[:10], "She and her son met him", "A man and a woman", "x"]
    made = pairs_of(swapped_study(texts), 0)
    assert made.source == SUBSTITUTION
    rows = {row["query_id"]: (row["female"], row["male"], row["neutral"]) for row in made.table.to_dict("records")}
    assert rows["q3"] == ("A woman sings song 3", "A man sings song 3", "")
    assert set(rows) == {f"q{place}" for place in range(10)}  # what tells of both alike, or of none, is no wording


def test_no_query_of_one_text_stands_on_both_sides() -> None:
    qrels = judged(*[(0, place) for place in range(12)], *[(place, place) for place in range(12, 24)])
    pairs = pairs_of(swapped_study(SONGS, qrels=qrels), 0).table["query_id"].value_counts()
    assert pairs.to_dict() == {"q0": 10} | {f"q{place}": 1 for place in range(12, 24)}, "ten of a query at most"
    asked = [f"song  {place // 2}" if place % 2 else f"Song {place // 2}" for place in range(24)]
    queries = pd.DataFrame({"query_id": [f"q{place}" for place in range(24)], "text": asked})
    for seed in range(5):
        split = pairs_of(swapped_study(SONGS, queries=queries), seed).split
        assert [split[f"q{place}"] for place in range(0, 24, 2)] == [split[f"q{place}"] for place in range(1, 24, 2)]
        assert set(split.values()) == {TRAIN, HELD_OUT}


def test_a_text_of_a_held_out_query_is_not_trained_on() -> None:
    everyone = judged(*[(query, 0) for query in range(12)], *[(query, query) for query in range(1, 12)])
    made = pairs_of(swapped_study(SONGS[:12], qrels=everyone), 0)
    held = set(made.of(HELD_OUT)[["female", "male"]].to_numpy().ravel())
    assert "A man sings song 0" in held
    assert not held & set(made.of(TRAIN)[["female", "male"]].to_numpy().ravel())
    assert made.shared == sum(side == TRAIN for side in made.split.values())


def test_what_a_study_lacks() -> None:
    for part, columns in (("queries", "query_id, text"), ("documents", "doc_id, text")):
        parts = {"queries": study().queries, "documents": study().documents} | {part: None}
        with refused(f"bare has no {part} to train on\nAdd {part}.csv with the columns {columns}."):
            fairviz.mend(fairviz.make_study("bare", **parts))
    with refused(
        "own has pairs to train on for 0 queries, too few: 10 pairs have a text that a held-out query has too\n"
        "Use a study whose queries have texts of their own."
    ):
        pairs_of(swapped_study(SONGS[:12], qrels=judged(*[(query, 0) for query in range(12)])), 0)
    with refused(
        "own does not assign documents to queries\n"
        "Add qrels.txt, or rank its documents first: fairviz rank STUDY --with bi_encoder."
    ):
        pairs_of(swapped_study(SONGS[:12], qrels=None), 0)


def test_every_query_is_trained_on_before_any_comes_again() -> None:
    made = pairs_of(study(), 0)
    batches = [batch_at(step, made.of(TRAIN), made.queries, 0) for step in range(5)]  # of 8 queries, of which 10 train
    seen = [text for batch in batches for text in batch.queries]
    assert len(set(seen[:10])) == 10
    assert {seen.count(text) for text in seen} <= {3, 4, 5}
    assert not set(seen) & {made.queries[name] for name, side in made.split.items() if side == HELD_OUT}
    for batch in batches:
        own = [batch.queries[place] for place in batch.own]
        assert all(query in text for query, text in zip(own, batch.female, strict=True))
        assert len(batch.female) == len(batch.male) == len(batch.neutral) == len(batch.own)


# --- The table before and after, by hand, and the sentences that it becomes


NAMES = ["female first", "male first", "score gap", "score gap in standard deviations", "nDCG@10", "NFaiRR(tau=1)@10"]


def table() -> pd.DataFrame:
    """Four queries of each part, four times; the third has no pair, and is left out of these figures."""
    before = np.array([[1, 0, 0.04, 0.4, 0.9, 0.8], [1, 0, 0.02, 0.2, 0.7, 0.7], [np.nan] * 4 + [0.5, 0.6],
                       [0, 1, 0.03, 0.3, 0.9, 0.9]])  # fmt: skip
    after = before + np.array([0, 0, -0.01, -0.1, 0.02, -0.03])
    after[1, :2] = 0, 1
    before, after = np.tile(before, (4, 1)), np.tile(after, (4, 1))
    queries = [f"{name}{place}" for place in range(4) for name in "abcd"]
    first, second = (pd.DataFrame(each, index=queries, columns=NAMES) for each in (before, after))
    parts = [rows_of(part, first, second, ("female", "male")) for part in (TRAIN, HELD_OUT)]
    return pd.concat(parts, ignore_index=True)


def test_means_differences_and_the_ratio_of_shares() -> None:
    found = table()
    assert list(found.columns) == list(COLUMNS)
    held = found[found["split"] == HELD_OUT].set_index("measure")
    assert list(held.index) == [*NAMES[:2], "female first / male first", *NAMES[2:]]
    told = ["before", "after", "difference"]
    assert held.loc["female first", told].tolist() == pytest.approx([2 / 3, 1 / 3, -1 / 3])
    assert held.loc["female first / male first", told].tolist() == pytest.approx([2.0, 0.5, -1.5])
    assert held.loc["score gap", ["queries", "difference"]].tolist() == pytest.approx([12, -0.01])
    ndcg = held.loc["nDCG@10"]
    assert ndcg[["queries", "before"]].tolist() == pytest.approx([16, 0.75])
    assert ndcg["difference_low"] == pytest.approx(0.02)  # all differences are equal
    assert ndcg["p"] == pytest.approx(2 / 2**16), "the chance of 16 equal signs"
    assert ndcg["p_corrected"] == pytest.approx(4 * 2 / 2**16), "each quantity once"
    assert set(held["tests"]) == {"4 differences, maxT", ""}
    outside = held.index[held["p_corrected"].isna()].tolist()
    assert outside == ["male first", "female first / male first", "score gap in standard deviations"]
    assert (held["p_corrected"].dropna() >= held["p"][held["p_corrected"].notna()]).all()
    third = (2 / 3 * 1 / 3 * 12 / 11 / 12) ** 0.5 * 2.200985  # Student's t of 12 queries, 8 of them 1
    ends = held.loc["female first", ["before_low", "before_high"]].tolist()
    assert ends == pytest.approx([2 / 3 - third, 2 / 3 + third])
    assert math.isnan(held.at["female first / male first", "p"])


def test_each_quantity_is_in_the_family_once() -> None:
    generator = np.random.default_rng(1)
    names = ["female first", "male first", "score gap", "score gap in standard deviations", "TED@10", "FaiRR(tau=1)@10",
             "TExFAIR@10", "NFaiRR(tau=1)@10", "nDCG@10"]  # fmt: skip
    before, after = (pd.DataFrame(generator.random((20, 9)), columns=names) for _ in range(2))
    found = rows_of(HELD_OUT, before, after, ("female", "male")).set_index("measure")
    tested = ["female first", "score gap", "TExFAIR@10", "NFaiRR(tau=1)@10", "nDCG@10"]
    assert found.index[found["p_corrected"].notna()].tolist() == tested
    assert set(found.loc[tested, "tests"]) == {"5 differences, maxT"}
    assert found.loc["TED@10", ["difference_low", "p"]].notna().all(), "shown, with its own interval"
    alone = rows_of(HELD_OUT, before[["TED@10", "nDCG@10"]].assign(x=0.0), after[["TED@10", "nDCG@10"]].assign(x=0.0),
                    ("female", "male")).set_index("measure")  # fmt: skip
    assert alone.loc[["TED@10", "nDCG@10"], "p_corrected"].notna().all()


def test_what_there_is_to_notice() -> None:
    gap, first, trade, trained = sentences(table())
    assert gap.startswith(
        "On 12 held-out queries the gap goes from 0.0300 to 0.0200 (0.30 to 0.20 SDs). Difference: −0.0100 (interval "
        "−0.0100 to −0.0100), significant (4 differences, maxT)."
    )
    assert first.startswith("Female first: 67% of pairs before, 33% after (interval ")
    assert first.endswith("which is not significantly different from one half.")
    assert trade == "The gap shrinks, and NFaiRR(tau=1)@10 falls by 0.030 (interval −0.030 to −0.030)."
    assert trained.startswith("On the 12 training queries the gap goes from 0.0300 to 0.0200.")
    found = table()
    worse = found.assign(difference=found["difference"].mask(found["measure"] == "score gap", 0.001))
    assert "The gap between the wordings does not shrink." in sentences(worse)
    better = found[found["measure"] != "NFaiRR(tau=1)@10"]
    assert "No measure of the lists gets worse." in sentences(better)

    def traded(measure: str) -> str:
        return sentences(found.replace({"measure": {"nDCG@10": measure}}))[2]

    assert ", and AbsExposureGap@10 rises by 0.020 (interval +0.020 to +0.020) and NFaiRR(" in traded(
        "AbsExposureGap@10"
    )
    assert traded("Exposure(group='female')@10") == trade, "a share of attention takes no side"
    assert "ExposureGap@10 moves away from 0 by 0.020 (interval +0.020 to +0.020)" in traded("ExposureGap@10")


def trained(p: float = 0.01, queries: int = 40, difference: float = -0.1, high: float = 0.7) -> str:
    gap = {"split": HELD_OUT, "queries": queries, "before": 0.2, "after": 0.1, "difference": difference,
           "difference_low": -0.2, "difference_high": 0.0, "p_corrected": p, "tests": "1 difference, maxT"}  # fmt: skip
    first = gap | {"measure": "female first", "after": 0.6, "after_low": high - 0.1, "after_high": high}
    return " ".join(sentences(pd.DataFrame([gap | {"measure": GAP}, gap | {"measure": SPREAD}, first])))


STATES: list[tuple[dict, str, tuple[str, ...]]] = [
    ({}, "significant (1 difference, maxT).", ("not significant ",)),
    ({"p": 0.4}, "not significant (1 difference, maxT).", ()),
    ({"p": math.nan, "high": math.nan}, "not tested: 40 queries give no verdict", ("significant",)),
    ({"difference": math.nan, "high": math.nan}, "Female first", ("does not shrink", "not significantly")),
    ({"high": 0.55}, "not significantly different from one half", ()),
]


@pytest.mark.parametrize(("state", "said", "unsaid"), STATES)
def test_a_sentence_fits_its_state(state: dict, said: str, unsaid: tuple[str, ...]) -> None:
    sentence = trained(**state)
    assert said in sentence
    assert not [text for text in unsaid if text in sentence]


def test_few_queries_get_no_verdict() -> None:
    names = [f"q{place}" for place in range(9)]
    before = pd.DataFrame([[1, 0, 0.04, 0.4, 0.8]] * 9, index=names, columns=NAMES[:5])
    after = before - [0.5, -0.5, 0.01, 0.1, 0.2]
    found = rows_of(HELD_OUT, before, after, ("female", "male"))
    assert found["p_corrected"].isna().all()
    assert found["difference_low"].isna().all()
    gap, first, trade = sentences(found)
    assert gap.endswith("Difference: −0.0100, not tested: 9 queries are too few for a verdict, which needs 10.")
    assert first == (
        "Female first: 100% of pairs before, 50% after: 9 queries are too few for a verdict, which needs 10."
    )
    assert trade == "The gap shrinks, and nDCG@10 falls by 0.200, not tested."


def test_a_measure_that_is_fairest_at_0_is_compared_by_its_distance() -> None:
    """From 0.2 to −0.2 is as far from 0: the plain difference is −0.4 on every query, the distance stays."""
    generator = np.random.default_rng(3)
    names = [f"q{place:02}" for place in range(30)]
    columns = [*NAMES[:2], "ExposureGap@10"]
    noise = generator.normal(0, 0.01, (2, 30))
    noise -= noise.mean(axis=1, keepdims=True)
    before, after = (
        pd.DataFrame(np.column_stack([np.ones(30), np.zeros(30), mean + part]), index=names, columns=columns)
        for mean, part in zip((0.2, -0.2), noise, strict=True)
    )
    row = rows_of(HELD_OUT, before, after, ("female", "male")).set_index("measure").loc["ExposureGap@10"]
    assert row["difference"] == pytest.approx(0, abs=1e-12)
    assert row["difference_low"] < 0 < row["difference_high"]
    assert row["p_corrected"] > 0.5


def test_how_a_training_ended() -> None:
    losses = [[1, 3.0, 2.0, 1.0], [2, 1.5, 1.0, 0.5]]
    assert ended(losses, 2, 30) == "2 steps in 30 seconds; the loss went from 3.000 to 1.500."
    assert ended(losses, 40, 300) == "Time ended the training after 2 of 40 steps, in 5.0 minutes."
    assert ended([], 0, 0) == "At strength 0 nothing is trained: every score stays as it is."


def test_the_card_holds_the_table_as_it_is() -> None:
    kept = outcome_of(with_outcome({}, table()))
    pd.testing.assert_frame_equal(kept, table(), check_dtype=False, rtol=1e-12)
    assert outcome_of({}).empty


def test_the_figure_and_the_cells_of_the_page() -> None:
    found = table()
    trained = found["split"] == TRAIN
    found.loc[trained, ["before", "after"]] += 0.25
    drawn = figure_of(found, study())
    assert drawn.lines == ("held out, before", "held out, after", "trained on, before", "trained on, after")
    assert [series.name for series in drawn.series] == ["female", "male"]
    thirds = [1 / 3, 2 / 3]
    assert drawn.series[0].values == pytest.approx([*thirds[::-1], *(share + 0.25 for share in thirds[::-1])])
    assert drawn.series[1].values == pytest.approx([*thirds, *(share + 0.25 for share in thirds)])
    assert (drawn.even, drawn.genders) == (0.5, True)
    assert len(crbo.draw(drawn).data) == 2
    cells = cells_of(found)
    assert list(cells.columns) == [
        "figure", "held out: before", "held out: after", "held out: change", "trained on: before", "trained on: after",
        "trained on: change",
    ]  # fmt: skip
    assert cells.set_index("figure").at["score gap", "held out: change"] == "−0.0100 [−0.0100, −0.0100]"
    assert cells.set_index("figure").at["nDCG@10", "held out: after"] == "0.770"


# --- The view of fine-tuned encoders: adapters that lie there, and what is lacking to train one


HOSTILE = "<script>alert(1)</script> <img src=x onerror=alert(1)>"


def shelved(name: str, about: Study, found: pd.DataFrame) -> Path:
    """An adapter of this name with a card, and no weights that anything could load."""
    folder = adapters_folder() / name
    folder.mkdir(parents=True)
    card = {
        "made": "2026-01-02T03:04:05+00:00",
        "model": {"name": "minilm", "key": "0"},
        "study": {"name": about.name, "fingerprint": about.fingerprint, "pairs": {"train": 8, "held out": 2}},
        "plan": {"rank": 4, "strength": 1.0, "minutes": 5.0, "steps": 40, "seed": 0},
        "training": {"steps": 40, "planned": 40, "seconds": 61.0},
    }
    (folder / CARD).write_text(json.dumps(with_outcome(card, found)), encoding="utf-8")
    for file in (WEIGHTS, CONFIG):
        (folder / file).write_text("")
    return folder


def shown(about: Study) -> AppTest:
    def page(about):
        from fairviz.evaluation.settings import Settings
        from fairviz.extensions.finetuning import ui

        ui.card(about, Settings())

    return drawn_by(page, about)


def test_adapters_of_a_study_are_those_that_its_name_stands_on() -> None:
    shelved("mine", study(), table())
    shelved("others", replace(study(), name="other"), table())
    (adapters_folder() / ".unfinished-mine").mkdir()
    assert [one.name for one in adapters_of(study())] == ["mine"]
    assert is_of_this_state(adapters_of(study())[0], study())
    assert not is_of_this_state(adapters_of(study())[0], replace(study(), fingerprint="other"))
    (adapters_folder() / "mine" / CARD).write_text("{")
    assert adapters_of(study()) == ()


def test_an_adapter_is_shown_and_the_same_is_not_trained_twice() -> None:
    pytest.importorskip("peft")
    found = table()
    found["measure"] = found["measure"].str.replace("female first", f"{HOSTILE} first", regex=False)
    shelved("threefold-rank4-strength1-steps40-seed0", study(), found)
    page = shown(study())
    assert "<script" not in html_of(page)
    assert "<img" not in html_of(page)
    assert "&lt;script&gt;" in html_of(page)
    assert page.button(key="mended_go").disabled
    assert "8 pairs trained on, 2 held out. Rank 4, strength 1, seed 0. 40 of 40 steps in 61 s" in html_of(page)
    assert "The gap shrinks, and NFaiRR(tau=1)@10 falls by 0.030" in html_of(page)
    page.selectbox(key="mended_seed").select("3").run()
    assert not page.button(key="mended_go").disabled
    changed = shown(replace(study(), fingerprint="other"))
    assert "The study has changed since this was trained and measured." in html_of(changed)


def test_a_training_that_cannot_be_says_why(football: Study) -> None:
    pytest.importorskip("peft")
    page = shown(football)
    assert "No encoder is fine-tuned on football yet." in html_of(page)
    page.button(key="mended_go").click().run()
    began = jobs.job(("mended", football.fingerprint))
    assert began is not None
    began.wait()
    page.run()
    assert "football has texts in the wordings of two genders for 1 query, too few to train on" in html_of(page)


def test_what_is_lacking_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = replace(study(), documents=study().documents.iloc[:0])
    assert "threefold has no documents to train on." in html_of(shown(bare))
    monkeypatch.setitem(sys.modules, "peft", None)
    page = shown(study())
    assert "Training needs the layer [train], which is not installed." in html_of(page)
    assert not page.button
