"""Gender swap: the swapped collections and placebos, their lists, tables and sentences, and what a run takes."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.analyses.gender_swap import experiment as experiments
from fairviz.analyses.gender_swap import views
from fairviz.analyses.gender_swap.answer import FEW, NAMES, Counterfactual, answer, counterfactual, triples_sentence
from fairviz.analyses.gender_swap.experiment import SwapPlan, experiment, placebos, substituted
from fairviz.analyses.gender_swap.triples import preferences
from fairviz.comparison.family import How
from fairviz.errors import UsageError
from fairviz.evaluation.settings import Settings
from fairviz.measures.rank_overlap import rank_biased_overlap
from fairviz.models import reading_time
from fairviz.rankers import encoders, parse_rankers
from fairviz.rankers.ranking import documents_with_text, rank
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.words.counterparts import Counterparts, packaged
from tests.conftest import refused
from tests.slow_max_t import slow_rows

TEXTS = {
    "f": "The woman drove her car through the town.",
    "m": "The man drove his car through the town.",
    "n": "The driver took a car through the village.",
    "x": "Mary repaired the engine of an old lorry.",
    "y": "An engine and a wheel lay in the garden.",
}
QUERIES = {"q1": "woman driving a car", "q2": "engine repair", "q3": "car in the village"}


def small_study(texts: dict[str, str | None] = TEXTS, queries: dict[str, str] = QUERIES, **parts) -> Study:
    documents = pd.DataFrame({"doc_id": list(texts), "title": "", "text": list(texts.values())})
    asked = pd.DataFrame({"query_id": list(queries), "text": list(queries.values())})
    return make_study("small", **{"documents": documents, "queries": asked, **parts})


def triples() -> Study:
    """One query with two documents in three wordings, one with one, and one with a wording too few."""
    rows = [
        ("a1", "a", "The driver and the car", "neutral", 1),
        ("a2", "a", "The woman and the car car", "female", 1),
        ("a3", "a", "The man and the car car", "male", 1),
        ("a4", "a", "car car car", "neutral", 0),
        ("a5", "a", "The woman drives", "female", 0),
        ("a6", "a", "The man and a car", "male", 0),
        ("b1", "b", "engine engine", "neutral", 1),
        ("b2", "b", "woman and engine", "female", 1),
        ("b3", "b", "man and engine", "male", 1),
        ("c1", "c", "a town", "neutral", 1),
        ("c2", "c", "a town of women", "female", 1),
    ]
    table = pd.DataFrame(rows, columns=["doc_id", "query_id", "text", "label", "relevance"])
    return make_study(
        "threefold",
        documents=table[["doc_id", "text", "query_id"]].assign(title=""),
        queries=pd.DataFrame({"query_id": ["a", "b", "c"], "text": ["car", "engine", "town"]}),
        labels=table[["doc_id", "label"]].assign(annotator="gold"),
        qrels=table[["query_id", "doc_id", "relevance"]],
    )


# --- Counterfactual lists from end to end: by hand, against the reference, and what is refused


PLAN, HERE = SwapPlan(seeds=2), small_study()
MANY = {f"q{place:02}": text for place, text in enumerate([*QUERIES.values()] * 4)}


@pytest.fixture(scope="module")
def small() -> Counterfactual:
    return counterfactual(HERE, "bm25,tfidf", seeds=2)


def test_crbo_is_rbo_of_the_lists_of_two_collections(small) -> None:
    found = small.experiment
    swapped = found.collection.study
    assert swapped.documents["text"][0] == "The man drove his car through the town."
    before, after = (rank(each, parse_rankers("bm25,tfidf")).runs for each in (HERE, swapped))
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

    found = counterfactual(small_study(queries={"q2": "engine repair", "q3": "car in the village"}), "bm25", seeds=1)
    placebo = found.table.set_index("measure").loc["primary placebo", "value"]
    assert found.sentences == (
        "bm25: CRBO is 1 by construction: it reads only query words, which are not swapped. "
        f"Placebo edits: RBO {placebo:.2f} (primary), 1.00 with query words spared (second).",
    )


def test_the_table_is_means_over_queries_and_one_family_of_differences() -> None:
    many = counterfactual(small_study(queries=MANY), "bm25,tfidf", seeds=2)
    values = many.experiment.values
    assert set(values["seed"]) == {0, 1}
    table = many.table.set_index(["system", "measure"])
    apart = []
    for system in ("bm25", "tfidf"):
        means = {
            arm: values[(values["system"] == system) & (values["arm"] == arm)]
            .groupby("query_id")["rbo"].mean().reindex(list(MANY))
            for arm in (experiments.SWAP, experiments.ANY, experiments.SPARED)
        }  # fmt: skip
        assert table.loc[(system, "CRBO"), "value"] == pytest.approx(means[experiments.SWAP].mean())
        for arm in (experiments.ANY, experiments.SPARED):
            row = table.loc[(system, NAMES[arm])]
            apart.append((means[experiments.SWAP] - means[arm]).to_numpy())
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
    assert SwapPlan().counterparts == packaged()
    heard = []
    names = counterfactual(HERE, substitute="names", seeds=1, progress=lambda *at: heard.append(at))
    assert names.experiment.counts == (5, 1, 1)
    assert heard[0] == ("ranking the collection as it is (1 of 4)", 1, 3)
    assert heard[-1] == ("ranking placebo, query words spared, seed 0 (4 of 4)", 3, 3)
    assert counterfactual(HERE, substitute="words", seeds=1).experiment.counts == (5, 2, 4)
    own = counterfactual(HERE, words=[("town", "village")], names=[], seeds=1)
    assert own.experiment.counts == (5, 3, 3)
    assert own.triples.empty
    assert triples_sentence("a", pd.DataFrame({"share": [np.nan], "judged": ["all"]})) == ""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        counterfactual(HERE, seeds=1, progress=stop)
    found = counterfactual(small_study(queries={"q": "zzz", "r": "qqq"}), "bm25", seeds=1)
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
    found = experiment(HERE, parse_rankers("bi_encoder"), SwapPlan(seeds=2))
    whole, changed = len(HERE.documents) + len(HERE.queries), len(found.collection.edits)
    assert len(read) == len(set(read))
    assert whole + 1 <= found.encoded == len(read) <= whole + 5 * changed


def test_what_cannot_be() -> None:
    for given, options, said in (
        (small_study({"n": "A town.", "none": None}), {},
         "nothing changes: none of the 1 documents of small holds a word of the pairs\n"
         "Give pairs of words that its texts hold."),
        (small_study({"n": None}), {}, "small has no text of documents to replace words in\n"
         "Add documents.tsv with the columns doc_id and text."),
        (replace(HERE, queries=HERE.queries.iloc[:0]), {}, "small has no queries to rank for\n"
         "Add queries.csv with the columns query_id, text."),
        (HERE, {"words": [], "names": []}, "the list of words and names with their counterparts is empty\n"
         "Give one pair or more."),
        (HERE, {"words": [("she",)]}, "words is [('she',)]\nGive a list of pairs (female, male), as [('she', 'he')]."),
        (HERE, {"words": [("she", "she")]}, "the pair 'she', 'she' cannot be: the word is its own counterpart\n"
         "Give two words a row."),
        (HERE, {"seeds": 0}, "seeds is 0\nUse a whole number from 1 to 100."),
        (HERE, {"depth": 0}, "depth is 0\nUse a whole number from 1 to 1,000,000,000."),
        (HERE, {"p": 1}, "p is 1\nUse a number between 0 and 1, such as 0.9."),
        (HERE, {"substitute": "all"}, "substitute is 'all'\nUse one of both, words, names."),
    ):  # fmt: skip
        with refused(said):
            counterfactual(given, **options)
    with pytest.raises(UsageError):
        counterfactual(HERE, "")


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


# --- Collections that were changed, placebos among them, and the time that an experiment takes


def texts_of(collection) -> dict[str, str]:
    return dict(zip(collection.study.documents["doc_id"], collection.study.documents["text"], strict=True))


def test_documents_with_their_genders_swapped() -> None:
    here = small_study({"f": "Her son, John.", "n": "A town.", "none": None})
    made = substituted(here, packaged())
    assert (texts_of(made)["f"], texts_of(made)["n"]) == ("His daughter, Patricia.", "A town.")
    assert pd.isna(texts_of(made)["none"])
    assert made.counts == {"f": 3}
    assert made.study.fingerprint != here.fingerprint
    assert here.documents["text"].tolist()[0] == "Her son, John."
    documents = pd.DataFrame({"doc_id": ["a"], "title": ["To her"], "text": ["It rains."]})
    made = substituted(make_study("titled", documents=documents), packaged())
    assert made.study.documents["title"].tolist() == ["To him"]
    assert made.counts == {"a": 1}


def test_a_placebo_replaces_as_many_content_words_in_the_same_documents() -> None:
    counts = substituted(HERE, packaged()).counts
    assert counts == {"f": 2, "m": 2, "x": 1}
    near = experiments.near_words(packaged())
    made = placebos(HERE, counts, near, range(5))
    for each in made:
        assert each.counts == counts
        assert texts_of(each)["n"] == texts_of(substituted(HERE, packaged()))["n"]
        for name, old in zip(HERE.documents["doc_id"], HERE.documents["text"], strict=True):
            moved = [
                (one, two) for one, two in zip(old.split(), texts_of(each)[name].split(), strict=True) if one != two
            ]
            assert len(moved) == counts.get(name, 0)
            for one, two in moved:
                before, after = one.strip(".").lower(), two.strip(".").lower()
                assert not {before, after} & near.taboo
                assert experiments.stem_of(before) != experiments.stem_of(after)
                assert one[0].isupper() == two[0].isupper()
    assert len({texts_of(each)["f"] for each in made}) > 1
    whole, alone = (
        placebos(one, {"f": 2}, near, [1])[0] for one in (HERE, small_study({"f": TEXTS["f"]}))
    )  # fmt: skip
    assert texts_of(whole)["f"] == texts_of(alone)["f"], "a seed gives the same whatever else is in the collection"
    (stays,) = placebos(small_study({"f": "She and her."}), {"f": 2}, near, [0])
    assert (stays.counts, texts_of(stays)["f"]) == ({}, "She and her."), "it has no content words"


def test_a_placebo_that_spares_the_words_of_the_queries() -> None:
    here = small_study({"f": "Cars, villages and engines: she drove cars through a village."})
    near = experiments.near_words(packaged())
    spared = experiments.words_of_queries(here)
    assert {"car", "villag", "engin"} <= spared
    for each in placebos(here, {"f": 5}, near, range(5), spared):
        assert each.counts == {"f": 1}  # `drove` alone is neither a word of the queries nor a stop word
        words = texts_of(each)["f"]
        assert words.startswith("Cars, villages and engines: she ")
        assert words.endswith(" cars through a village.")
        assert experiments.stem_of(words.split()[5]) not in spared
    near.known["drove"] = ("car", "engine", "raced", "villages")
    here = small_study({"f": "She drove."})
    for each in placebos(here, {"f": 1}, near, range(5), frozenset({"car", "engin", "villag"})):
        assert texts_of(each)["f"] == "She raced."
    assert {texts_of(each)["f"] for each in placebos(here, {"f": 1}, near, range(20))} > {"She car."}


def test_neighbours_are_near_and_words_of_an_own_list_are_no_content_words() -> None:
    near = experiments.near_words(Counterparts((("engine", "lorry"),), ()))
    assert not near.is_content("engine")
    near.learn(["truck", "car"])
    assert "lorry" not in near.known["truck"]
    assert len(near.known["truck"]) >= 20
    vectors, known = near.embedding.lookup(["car", *near.known["car"][:10], "theology"])
    assert known.all()
    cosines = vectors[1:] @ vectors[0]
    assert np.all(np.diff(cosines[:-1]) <= 1e-6)
    assert cosines[:-1].min() > cosines[-1]
    for columns, count in ((1, 1), (40, 40), (63, 40), (64, 3), (5000, 40)):  # found by groups of columns
        values = np.random.default_rng(columns).random((7, columns), dtype=np.float32)
        expected = np.sort(np.argsort(-values, axis=1)[:, :count], axis=1)
        np.testing.assert_array_equal(experiments._largest(values, count), expected)


def test_the_texts_of_the_estimate_are_those_that_a_run_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    ranked = set()
    rank = experiments.rank

    def recorded(collection: Study, *arguments: object) -> object:
        ranked.update(documents_with_text(collection).texts)
        return rank(collection, *arguments)

    monkeypatch.setattr(experiments, "rank", recorded)
    experiment(HERE, parse_rankers("bm25"), PLAN)
    swap = substituted(HERE, PLAN.counterparts)
    changed = {*experiments.changed_texts(swap), *experiments.placebo_texts(HERE, PLAN, swap)}
    assert ranked == changed | set(documents_with_text(HERE).texts)


def test_a_model_takes_the_time_of_the_texts_that_it_has_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: set[str] = set()  # that MiniLM has read

    def unread(wanted: Iterable[str], *_: object) -> list[str]:
        return [text for text in wanted if text not in texts]

    monkeypatch.setattr(encoders, "unread", unread)
    monkeypatch.setattr(encoders, "located", lambda name: name)
    monkeypatch.setattr(reading_time, "_load", lambda: 0.0)
    rankers = parse_rankers("bi_encoder")
    swap = substituted(HERE, PLAN.counterparts)
    placebos = experiments.placebo_texts(HERE, PLAN, swap)
    nothing_read = experiments.run_seconds(HERE, rankers, PLAN, swap, placebos)
    assert not experiments.are_swapped_read(HERE, rankers, swap)
    texts.update([*documents_with_text(HERE).texts, *HERE.queries["text"], *experiments.changed_texts(swap)])
    assert experiments.are_swapped_read(HERE, rankers, swap)
    partly = experiments.run_seconds(HERE, rankers, PLAN, swap, placebos)
    unknown = experiments.run_seconds(HERE, rankers, PLAN, swap, None)
    texts.update(placebos)
    read = experiments.run_seconds(HERE, rankers, PLAN, swap, placebos)
    lexical = experiments.run_seconds(HERE, parse_rankers("bm25"), PLAN, swap, [])
    assert None not in (nothing_read, partly, unknown, read)
    assert read == lexical < partly < nothing_read
    assert unknown > read
    assert experiments.run_seconds(HERE, parse_rankers("cross_encoder(model='other')"), PLAN, swap, []) is None
