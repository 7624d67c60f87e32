"""Counterfactual lists from end to end: by hand, against the reference, and what is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.gender_swap import views
from fairviz.analyses.gender_swap.answer import (
    APART,
    FEW,
    LESS,
    MORE,
    NAMES,
    Counterfactual,
    answer,
    counterfactual,
    sentence,
    triples_sentence,
    verdict_of,
)
from fairviz.analyses.gender_swap.experiment import ANY, SPARED, SWAP, SwapPlan, experiment
from fairviz.analyses.gender_swap.triples import preferences
from fairviz.comparison.family import How
from fairviz.errors import UsageError
from fairviz.evaluation.settings import Settings
from fairviz.measures.rank_overlap import rank_biased_overlap
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.words.counterparts import packaged
from tests.analyses.gender_swap.cases import QUERIES, study, triples
from tests.conftest import refused
from tests.slow_max_t import slow_rows

MANY = {f"q{place:02}": text for place, text in enumerate([*QUERIES.values()] * 4)}


@pytest.fixture(scope="module")
def small() -> Counterfactual:
    return counterfactual(study(), "bm25,tfidf", seeds=2)


def test_crbo_is_rbo_of_the_lists_of_two_collections(small) -> None:
    found = small.experiment
    here = study()
    swapped = replace(found.collection.study)
    assert swapped.documents["text"][0] == "The man drove his car through the town."
    before, after = (rank(each, parse_rankers("bm25,tfidf")).runs for each in (here, swapped))
    for row in small.queries.itertuples():
        lists = [
            run[(run["system"] == row.system) & (run["query_id"] == row.query_id)]["doc_id"].tolist()
            for run in (before, after)
        ]
        assert row.crbo == pytest.approx(rank_biased_overlap(*lists))
        assert row.lowest <= row.crbo <= row.highest
    moved = small.queries[(small.queries["system"] == "bm25") & (small.queries["crbo"] < 1)]
    assert moved["query_id"].tolist() == ["q1"]  # `woman` is in no other query: f falls to where m was
    assert moved["crbo"].item() == pytest.approx(rank_biased_overlap("fnm", "mnf"))
    assert small.table[["p", "p_corrected", "difference_low"]].isna().all(axis=None)
    assert set(small.table["verdict"]) == {"", FEW}
    assert small.family == "no difference could be tested"
    # settings choose queries and cutoff without ranking anew
    chosen = answer(found, Settings(filter_column="query_id", filter_values=("q1", "q2"), cutoff=1))
    assert set(chosen.queries["query_id"]) == {"q1", "q2"}
    assert chosen.table["measure"].tolist()[3:5] == ["TExFAIR@1", "NFaiRR(tau=1)@1"]
    kept = small.queries[small.queries["query_id"].isin(["q1", "q2"]) & (small.queries["system"] == "bm25")]
    assert chosen.table["value"][0] == pytest.approx(kept["crbo"].mean())


def test_what_is_one_by_construction_is_marked(small) -> None:
    """The swap touches `woman` of q1 alone; tfidf's norms rest on all words of a document."""
    queries = small.queries.set_index(["system", "query_id"])["by_construction"]
    assert queries["bm25"].to_dict() == {"q1": False, "q2": True, "q3": True}
    assert not queries["tfidf"].any()
    table = small.table.set_index(["system", "measure"])["by_construction"]
    assert [table["bm25", name] for name in NAMES.values()] == [2, 0, 3]
    assert [table["tfidf", name] for name in NAMES.values()] == [0, 0, 0]
    said = "CRBO is 1 by construction for 2 of 3 queries, without swapped words."
    assert [said in sentence for sentence in small.sentences] == [True, False]
    assert views.fixed_note(small.table) == (
        "† 1 by construction, no query word was replaced: bm25, CRBO: 2 of 3 queries; "
        "bm25, second placebo, query words spared: 3 of 3 queries."
    )
    cells = views.wide_cells(small.table).iloc[0]
    assert (cells["CRBO"].count("†"), cells["second placebo, query words spared"].startswith("1.000 †")) == (0, True)
    # overlaps are sums of powers, which end at 1 less a few bits
    values = small.experiment.values
    rounded = values.assign(rbo=values["rbo"].where(values["rbo"] < 1, 1 - 2e-16))
    found = answer(replace(small.experiment, values=rounded), Settings())
    assert found.table["by_construction"].tolist() == small.table["by_construction"].tolist()

    found = counterfactual(study(queries={"q2": "engine repair", "q3": "car in the village"}), "bm25", seeds=1)
    placebo = found.table.set_index("measure").loc["primary placebo", "value"]
    assert found.sentences == (
        "bm25: CRBO is 1 by construction: it reads only query words, which are not swapped. "
        f"Placebo edits: RBO {placebo:.2f} (primary), 1.00 with query words spared (second).",
    )
    assert views.wide_cells(found.table).iloc[0]["CRBO"].startswith("1.000 †")


def test_the_table_is_means_over_queries_and_one_family_of_differences() -> None:
    many = counterfactual(study(queries=MANY), "bm25,tfidf", seeds=2)
    values = many.experiment.values
    assert set(values["seed"]) == {0, 1}
    table = many.table.set_index(["system", "measure"])
    apart = []
    for system in ("bm25", "tfidf"):
        means = {
            arm: values[(values["system"] == system) & (values["arm"] == arm)]
            .groupby("query_id")["rbo"].mean().reindex(list(MANY))
            for arm in (SWAP, ANY, SPARED)
        }  # fmt: skip
        assert table.loc[(system, "CRBO"), "value"] == pytest.approx(means[SWAP].mean())
        for arm in (ANY, SPARED):
            row = table.loc[(system, NAMES[arm])]
            apart.append((means[SWAP] - means[arm]).to_numpy())
            assert row["value"] == pytest.approx(means[arm].mean())
            assert row["difference"] == pytest.approx(apart[-1].mean())
    shown = many.table[many.table["p"].notna()]
    p, _, above = slow_rows(apart, 10_000)
    assert shown["p_corrected"].tolist() == pytest.approx(p)
    half = above * np.std(apart, axis=1, ddof=1) / len(MANY) ** 0.5
    assert (shown["difference"] + half).tolist() == pytest.approx(shown["difference_high"].tolist())
    assert many.family == "4 differences, maxT"
    columns = ["system", "CRBO", "primary placebo", "second placebo, query words spared"]
    assert many.wide().columns.tolist() == [*columns, "TExFAIR@10", "NFaiRR(tau=1)@10"]
    by_chance = counterfactual(study(queries=MANY), "random", seeds=1)
    assert set(by_chance.table["verdict"]) == {"", "not significantly different"}, "whatever the means are"
    assert "are not significantly different" in by_chance.sentences[0]


def test_the_measures_beside_are_those_of_evaluate_and_one_query_has_no_test(football) -> None:
    found = counterfactual(football, "tfidf", seeds=1, cutoff=4)
    with_run = replace(football, runs=found.experiment.original, fingerprint="")
    expected = fairviz.summarise(fairviz.evaluate(with_run, ["TExFAIR@4", "NFaiRR(tau=1)@4"]))
    rows = found.table[found.table["measure"].str.contains("@")]
    assert rows["value"].tolist()[0] == pytest.approx(expected["value"].tolist()[0])
    assert rows["measure"].tolist() == expected["measure"].tolist()
    assert found.table["p"].isna().all()
    assert "; 1 query is too few for a verdict, which needs 10. " in found.sentences[0]


def test_words_names_own_pairs_and_progress() -> None:
    here = study()
    assert SwapPlan().counterparts == packaged()
    heard = []
    names = counterfactual(here, substitute="names", seeds=1, progress=lambda *at: heard.append(at))
    assert names.experiment.counts == (5, 1, 1)
    assert heard[0] == ("ranking the collection as it is (1 of 4)", 1, 3)
    assert heard[-1] == ("ranking placebo, query words spared, seed 0 (4 of 4)", 3, 3)
    assert counterfactual(here, substitute="words", seeds=1).experiment.counts == (5, 2, 4)
    own = counterfactual(here, words=[("town", "village")], names=[], seeds=1)
    assert own.experiment.counts == (5, 3, 3)
    assert own.triples.empty
    assert triples_sentence("a", pd.DataFrame({"share": [np.nan], "judged": ["all"]})) == ""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        counterfactual(here, seeds=1, progress=stop)
    found = counterfactual(study(queries={"q": "zzz", "r": "qqq"}), "bm25", seeds=1)
    assert np.isnan(found.table["value"][0])
    assert found.sentences == ("bm25: it found no document for any query, before or after.",)
    assert "the queries match no document (2 of 2 queries)" in found.messages[0]


def test_only_what_changed_is_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    class Encoder:
        def encode(self, batch: list[str], **options: object) -> np.ndarray:
            read.extend(batch)
            return np.array([[len(text), text.count("e")] for text in batch], dtype=np.float32)

    monkeypatch.setattr("fairviz.models.sentence_encoder.loaded", lambda kind, model: Encoder())
    found = experiment(study(), parse_rankers("bi_encoder"), SwapPlan(seeds=2))
    whole, changed = len(study().documents) + len(study().queries), len(found.collection.edits)
    assert len(read) == len(set(read))
    assert whole + 1 <= found.encoded == len(read) <= whole + 5 * changed


def test_what_cannot_be() -> None:
    here = study()
    for given, options, said in (
        (study({"n": "A town.", "none": None}), {},
         "nothing changes: none of the 1 documents of small holds a word of the pairs\n"
         "Give pairs of words that its texts hold."),
        (study({"n": None}), {}, "small has no text of documents to replace words in\n"
         "Add documents.tsv with the columns doc_id and text."),
        (replace(here, queries=here.queries.iloc[:0]), {}, "small has no queries to rank for\n"
         "Add queries.csv with the columns query_id, text."),
        (here, {"words": [], "names": []}, "the list of words and names with their counterparts is empty\n"
         "Give one pair or more."),
        (here, {"words": [("she",)]}, "words is [('she',)]\nGive a list of pairs (female, male), as [('she', 'he')]."),
        (here, {"words": [("she", "she")]}, "the pair 'she', 'she' cannot be: the word is its own counterpart\n"
         "Give two words a row."),
        (here, {"seeds": 0}, "seeds is 0\nUse a whole number from 1 to 100."),
        (here, {"depth": 0}, "depth is 0\nUse a whole number from 1 to 1,000,000,000."),
        (here, {"p": 1}, "p is 1\nUse a number between 0 and 1, such as 0.9."),
        (here, {"substitute": "all"}, "substitute is 'all'\nUse one of both, words, names."),
    ):  # fmt: skip
        with refused(said):
            counterfactual(given, **options)
    with pytest.raises(UsageError):
        counterfactual(here, "")


def test_verdicts_and_sentences_go_by_the_corrected_tests() -> None:
    for p, side, verdict in ((0.01, -1, MORE), (0.01, 1, LESS), (0.2, 0, APART), (1.0, 0, APART), (np.nan, 0, FEW)):
        assert verdict_of(p, side) == verdict
    for first, second, begins in (  # the primary placebo decides
        (LESS, MORE, "a: gender swaps move its lists less (CRBO 0.90) than"),
        (MORE, LESS, "a: gender matters. Swaps move its lists more (CRBO 0.90)"),
    ):
        rows = pd.DataFrame([(0.9, ""), (0.8, first), (0.85, second)], columns=["value", "verdict"]).assign(queries=40)
        said = sentence("a", rows)
        assert said.startswith(begins)
        assert f"Second placebo, query words spared (RBO 0.85): {second}" in said
        assert "0.80" in said


def test_triples_by_hand() -> None:
    here = triples()
    found = counterfactual(here, "tfidf", seeds=1)
    scores = rank(here, parse_rankers("tfidf"), depth=11).runs
    held = {(row.query_id, row.doc_id): row.score for row in scores.itertuples()}
    first = held["a", "a1"] - (held["a", "a2"] + held["a", "a3"]) / 2
    third = held["b", "b1"] - (held["b", "b2"] + held["b", "b3"]) / 2
    row = found.triples.set_index(["judged", "wording"]).loc[("all", "neutral")]
    assert ("a", "a5") not in held  # no car in it, so that this triple is left out
    assert (row["triples"], row["not_found"], row["queries"]) == (2, 1, 2)
    assert row["difference"] == pytest.approx((first + third) / 2)
    assert row["share"] == ((first > 0) + (third > 0)) / 2
    assert found.triples["wording"].tolist() == ["neutral", "female", "male"] * 3
    assert found.triples["judged"].tolist() == ["all"] * 3 + ["relevant"] * 3 + ["not relevant"] * 3
    assert np.isnan(found.triples["share"].iloc[-1])
    assert found.sentences[-1].startswith(
        "tfidf, 2 documents in three wordings, each against the mean of the others: preferred are"
    )


def test_preferences_of_wordings_are_one_family() -> None:
    """Twelve queries with a triple each, relevant and not by turns; one wording is liked on all of them."""
    generator = np.random.default_rng(2)
    names = [f"q{place:02}" for place in range(12)]
    scores = pd.DataFrame(generator.uniform(-1, 1, (24, 3)), columns=["neutral", "female", "male"])
    scores["neutral"] += 4
    scores = scores.assign(system="s", query_id=names * 2, relevance=[1] * 12 + [0] * 12)
    table = preferences(scores, ["neutral", "female", "male"], names, How(draws=199))
    values, apart = scores[["neutral", "female", "male"]].to_numpy(), []
    for part in (slice(None), slice(0, 12), slice(12, 24)):
        for place in range(3):
            each = values[part, place] - np.delete(values[part], place, axis=1).mean(axis=1)
            apart.append(each.reshape(-1, 12).mean(axis=0))
    p, *_ = slow_rows(apart)
    assert table["p_corrected"].tolist() == pytest.approx(p)
    assert table["difference"].tolist() == pytest.approx([each.mean() for each in apart])
    assert triples_sentence("s", table).endswith("On average it scores the neutral one higher.")
    few = preferences(scores, ["neutral", "female", "male"], names[:9])
    assert few["p_corrected"].isna().all()
    assert triples_sentence("s", few).endswith("9 queries are too few for a verdict, which needs 10.")
