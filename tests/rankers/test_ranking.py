"""Ranking: against formulas written out here, on edge cases, and on Grep-BiasIR."""

import math
from dataclasses import replace
from pathlib import Path

import bm25s.stopwords
import numpy as np
import pandas as pd
import pytest

from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.rankers.record import STOP_WORDS, analyser
from fairviz.rankers.reordering import RUN
from fairviz.study.record import Study
from fairviz.study.study import add_runs
from fairviz.study.tables import DOCUMENTS, QRELS, QUERIES, RUNS, conform
from tests.conftest import refused

TEXTS = [
    "The nurse's day",
    "A nurse and a nurse met the doctor",
    "The doctor was late",
    "Cooking for two",
    "Nursing a doctor, nursing a nurse, doctors nursing",
]


def study_of(queries: list[str], texts: list, titles: list[str] | None = None) -> Study:
    ids = [f"d{number}" for number in range(len(texts))]
    documents = pd.DataFrame({"doc_id": ids, "title": titles or [""] * len(texts), "text": texts})
    named = pd.DataFrame({"query_id": [f"q{number}" for number in range(len(queries))], "text": queries})
    return Study("made", queries=conform(named, QUERIES), documents=conform(documents, DOCUMENTS))


def lists(runs: pd.DataFrame, system: str) -> dict[str, list[str]]:
    kept = runs[runs["system"] == system]
    return {str(query): list(rows["doc_id"]) for query, rows in kept.groupby("query_id", observed=True)}


def test_terms():
    assert analyser()("The Nurse's and the nurses’ running, it's 2nd_hand") == ["nurs", "nurs", "run", "2nd_hand"]
    assert frozenset(bm25s.stopwords.STOPWORDS_EN) == STOP_WORDS


def scores(ranker: str, query: str, texts: list[str] = TEXTS) -> list[float]:
    """The score of each text for the query, 0 where it is not in the list."""
    found = rank(study_of([query], texts), parse_rankers(ranker)).runs
    held = dict(zip(found["doc_id"], found["score"], strict=True))
    return [held.get(f"d{number}", 0.0) for number in range(len(texts))]


def bm25_by_hand(query: list[str], documents: list[list[str]], k1: float, b: float) -> list[float]:
    """Lucene's: idf = ln(1 + (N - n + 0.5) / (n + 0.5)), tf / (tf + k1 (1 - b + b |d| / average |d|))."""
    average, found = sum(map(len, documents)) / len(documents), []
    for document in documents:
        found.append(0.0)
        for term in query:
            holding = sum(term in other for other in documents)
            idf, tf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5)), document.count(term)
            found[-1] += idf * tf / (tf + k1 * (1 - b + b * len(document) / average))
    return found


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (2.0, 0.0)])
def test_bm25_is_the_formula(k1, b):
    terms = analyser()
    for query in ("the doctor", "nurse doctor nurse", "cooking unknown"):
        expected = bm25_by_hand(terms(query), [terms(text) for text in TEXTS], k1, b)
        np.testing.assert_allclose(scores(f"bm25(k1={k1},b={b})", query), expected, rtol=1e-5, atol=1e-7)


def test_tfidf_is_the_cosine():
    documents = [analyser()(text) for text in TEXTS]

    def vector(words: list[str]) -> dict[str, float]:
        """Counts times ln((1 + N) / (1 + n)) + 1, of unit length."""
        weights = {}
        for word in words:
            holding = sum(word in document for document in documents)
            weights[word] = words.count(word) * (math.log((1 + len(documents)) / (1 + holding)) + 1)
        length = math.hypot(*weights.values())
        return {word: weight / length for word, weight in weights.items()}

    asked = vector(analyser()("nurse doctor"))
    expected = [sum(asked.get(word, 0) * weight for word, weight in vector(words).items()) for words in documents]
    np.testing.assert_allclose(scores("tfidf", "nurse doctor"), expected, atol=1e-12)


def test_order_and_depth():
    texts = ["nurse", "doctor", "nurse", "nurse nurse nurse", "nurse"]
    ranked = rank(study_of(["nurse"], texts), parse_rankers("bm25"))
    assert lists(ranked.runs, "bm25") == {"q0": ["d3", "d0", "d2", "d4"]}, "equal scores by doc_id"
    short = rank(study_of(["nurse"], texts), parse_rankers("bm25"), depth=2)
    assert lists(short.runs, "bm25") == {"q0": ["d3", "d0"]}
    assert list(short.runs["rank"]) == [1, 2]
    titled = rank(study_of(["nurse"], ["a day", "a night"], ["", "Nurse"]), parse_rankers("bm25"))
    assert lists(titled.runs, "bm25") == {"q0": ["d1"]}


@pytest.mark.parametrize(
    "system", ["bm25", "tfidf", "qlm", "w2v_add", pytest.param("bi_encoder", marks=pytest.mark.slow)]
)
def test_ties_stand_by_doc_id_whatever_the_order_of_the_documents(system):
    study = study_of(["nurse"], ["nurse"] * 12)
    backwards = replace(study, documents=conform(study.documents[::-1], DOCUMENTS))
    found = lists(rank(backwards, parse_rankers(system), depth=5).runs, system)
    assert found == {"q0": ["d0", "d1", "d10", "d11", "d2"]}


def test_what_matches_nothing_and_what_has_no_text_is_counted():
    study, steps = study_of(["nurse", "zebra", "the", ""], ["nurse", None, ""]), []
    ranked = rank(study, parse_rankers("bm25,tfidf"), progress=lambda *step: steps.append(step))
    assert lists(ranked.runs, "tfidf") == {"q0": ["d0"]}
    assert ranked.messages == (
        "1 documents without text were not ranked.",
        "bm25: 3 of 4 queries match no document; their lists are empty.",
        "tfidf: 3 of 4 queries match no document; their lists are empty.",
    )
    assert steps == [(done, 8) for done in range(1, 9)]
    none = rank(study_of(["zebra"], ["nurse"]), parse_rankers("bm25"))
    assert none.runs.empty
    assert none.messages == ("bm25: the queries match no document (1 of 1 query), so it has no run.",)


def test_reciprocal_ranks_on_grep_biasir(grep_biasir):
    expected = {"bm25": 0.778, "tfidf": 0.737, "qlm": 0.751, "w2v_add": 0.446, "w2v_si": 0.441}
    ranked = add_runs(grep_biasir, rank(grep_biasir, parse_rankers(",".join(expected))).runs)
    found = summarise(evaluate(ranked, "RR@10")).set_index("system")["value"]
    assert found.round(3).to_dict() == expected


ALL = ", ".join(RANKERS)


def test_names_and_parameters():
    plain, other, tfidf = parse_rankers(" bm25(k1=0.90) , bm25(k1=1.2, b=0.75),tfidf(),")
    assert (plain.system, plain.parameters) == ("bm25", {"k1": 0.9, "b": 0.4})
    assert (other.system, other.parameters) == ("bm25-k1=1.2-b=0.75", {"k1": 1.2, "b": 0.75})
    assert tfidf.system == "tfidf"
    texts = """rrf(runs='bm25+tf,(1)', k=10),bi_encoder(model="a b/c d"),rrf(runs=x+y),random(seed=12345678)"""
    quoted, model, bare, whole = parse_rankers(texts)
    assert (quoted.system, quoted.parameters) == ("rrf-k=10-runs=bm25+tf_1_", {"k": 10, "runs": "bm25+tf,(1)"})
    assert (model.system, model.parameters["model"]) == ("bi_encoder-model=c_d", "a b/c d")
    assert (bare.parameters["runs"], whole.system) == ("x+y", "random-seed=12345678")
    choices = parse_rankers("bm25,w2v_add,w2v_si(embedding=glove),fasttext_add", embedding="/a/b.vec")
    assert [choice.parameters.get("embedding") for choice in choices] == [None, "/a/b.vec", "glove", "/a/b.vec"]
    named = ["bm25", "w2v_add-embedding=b.vec", "w2v_si", "fasttext_add-embedding=b.vec"]
    assert [choice.system for choice in choices] == named


def test_what_cannot_be_read():
    """The errors of parameters that all grammars share are in tests/test_parameters.py."""
    for text, message in {
        "": f"no ranker is named\nUse one or more of {ALL}.",
        "bm26": f"there is no ranker 'bm26'\nUse one or more of {ALL}.",
        "bm25,bm25": "bm25 is named twice\nName it once.",
        "bm25(k1=0.9": "cannot read 'bm25(k1=0.9' as a ranker\nWrite it as bm25(k1=0.9,b=0.4),tfidf.",
        "tfidf(k=1)": "tfidf has no parameter 'k'\ntfidf takes no parameter.",
        "bm25(k1=-0.1)": "bm25 cannot take k1=-0.1\nUse a number from 0 to 10.",
        "random(seed=1.5)": "random cannot take seed=1.5\nUse a whole number from 0 to 2,147,483,647.",
        "rrf(run=a)": "rrf has no parameter 'run'\nrrf takes k=60, runs=''.",
        "fasttext_add": "fasttext_add needs embedding\nWrite it as fasttext_add(embedding='…'): the path of a fastText "
        ".bin or .vec file.",
    }.items():
        with refused(message, UsageError):
            parse_rankers(text)


def test_the_registry_names_its_records():
    assert [ranker.name for ranker in RANKERS.values()] == list(RANKERS)
    for ranker in RANKERS.values():
        required = "".join(f",{one.name}=x" for one in ranker.parameters if one.required)
        for parameter in ranker.parameters:
            assert parameter.help
            if not parameter.is_text:
                assert parameter.low <= parameter.default <= parameter.high
                for beyond in (parameter.low - 1, parameter.high + 1):
                    with pytest.raises(UsageError, match=f"^{ranker.name} cannot take {parameter.name}="):
                        parse_rankers(f"{ranker.name}({parameter.name}={beyond:.0f}{required})")


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.vec"
    path.write_text("5 2\nnurse 3 4\ndoctor 1 0\nday 0 2\nParis -1 0\nvoid 0 0\n")
    return path


def with_runs(study, rows: list[tuple[str, str, str, int, float]]):
    columns = ["system", "query_id", "doc_id", "rank", "score"]
    return replace(study, runs=conform(pd.DataFrame(rows, columns=columns), RUNS))


def test_qlm_is_the_formula():
    """Terms: d0 nurse nurse; d1 nurse doctor doctor doctor; d2 day. Shares: nurse 3/7, doctor 3/7."""
    texts = ["nurse nurse", "nurse doctor doctor doctor", "day"]
    expected = [
        math.log((2 + 10 * 3 / 7) / (2 + 10)) + math.log((0 + 10 * 3 / 7) / (2 + 10)),
        math.log((1 + 10 * 3 / 7) / (4 + 10)) + math.log((3 + 10 * 3 / 7) / (4 + 10)),
        0.0,  # holds no term of the query
    ]
    np.testing.assert_allclose(scores("qlm(mu=10)", "the nurse doctor unknown", texts), expected, rtol=1e-12)


def test_w2v_add_is_the_cosine_of_the_means(vectors):
    """Unit vectors: nurse (0.6, 0.8), doctor (1, 0), day (0, 1), Paris (-1, 0). Query nurse."""
    texts = ["Doctor and day day", "in paris", "NURSE", "unknown words", "void", ""]
    found = scores(f"w2v_add(embedding='{vectors}')", "The nurse's", texts)
    mean = [1 / math.sqrt(5), 2 / math.sqrt(5)]
    np.testing.assert_allclose(found, [0.6 * mean[0] + 0.8 * mean[1], -0.6, 1, 0, 0, 0], atol=1e-7)
    ranked = rank(study_of(["nurse", "zebra the", ""], texts), parse_rankers("w2v_add", str(vectors)))
    assert lists(ranked.runs, "w2v_add-embedding=tiny.vec") == {"q0": ["d2", "d0", "d1"]}
    assert ranked.messages == (
        "w2v_add: tiny.vec has a vector for 4 of the 7 different words.",
        "w2v_add-embedding=tiny.vec: 2 of 3 queries hold no word that has a vector; their lists are empty.",
    )


def test_w2v_si_weighs_by_self_information(vectors):
    """Words: doctor 2 (in two spellings), day 1, nurse 1: of 4. -ln p: doctor ln 2, day and nurse ln 4."""
    texts = ["Doctor day", "doctor nurse"]
    found = scores(f"w2v_si(embedding='{vectors}')", "paris day", texts)
    once, twice = math.log(4), math.log(2)

    def unit(x: float, y: float) -> np.ndarray:
        return np.array([x, y]) / math.hypot(x, y)

    query = unit(-once, once)  # paris is in no document: it counts as one that stands there once
    expected = [query @ unit(twice, once), query @ unit(twice + 0.6 * once, 0.8 * once)]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_fasttext_knows_new_words_by_their_parts():
    import gensim.test

    file = str(Path(gensim.test.__path__[0], "test_data", "lee_fasttext_new.bin"))
    texts = ["governmental", "australians cricket", "qqqq zzzz"]
    ranked = rank(study_of(["governments"], texts), parse_rankers("fasttext_add", file))
    assert ranked.messages == (
        "fasttext_add: lee_fasttext_new.bin has a vector for 2 of the 5 different words and makes the others of "
        "their parts.",
    )
    assert len(ranked.runs) == 3
    assert ranked.runs["doc_id"].iloc[0] == "d0"
    added = rank(study_of(["governments"], texts), parse_rankers("fasttext_add", file.replace("_new.bin", ".vec")))
    assert len(added.runs) == 0  # the .vec file has no parts, and no vector for the query


def test_perfect_holds_all_and_only_the_relevant():
    rows = [("q0", "d2", 1), ("q0", "d1", 2), ("q0", "d0", 1), ("q0", "d3", 0), ("q1", "d3", 0), ("q9", "d1", 1)]
    judged = conform(pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance"]), QRELS)
    ranked = rank(replace(study_of(["a", "b"], ["x"] * 4), qrels=judged), parse_rankers("perfect"))
    assert lists(ranked.runs, "perfect") == {"q0": ["d1", "d0", "d2"]}
    assert ranked.messages == ("perfect: 1 of 2 queries have no relevant document; their lists are empty.",)


def test_random_depends_on_seed_and_query_alone():
    study = study_of(["a", "b"], ["x"] * 30)
    backwards = replace(study, documents=conform(study.documents[::-1], DOCUMENTS), queries=study.queries[::-1])
    first = lists(rank(study, parse_rankers("random"), depth=10).runs, "random")
    assert first == lists(rank(backwards, parse_rankers("random"), depth=10).runs, "random")
    assert first["q0"] != first["q1"]
    other = lists(rank(study, parse_rankers("random(seed=1)"), depth=10).runs, "random-seed=1")
    assert other["q0"] != first["q0"]
    assert len(set(first["q0"])) == 10


RUN_ROWS = [
    ("one", "q0", "d0", 1, 9.0), ("one", "q0", "d1", 2, 8.0), ("two", "q0", "d1", 1, 3.0), ("two", "q0", "d2", 2, 1.0),
    ("perfect", "q0", "d9", 1, 3.0), ("random-seed=3", "q0", "d8", 1, 3.0), ("rrf-k=1", "q0", "d7", 1, 3.0),
    ("one, edited", "q0", "d6", 1, 3.0),
]  # fmt: skip


def test_rrf_is_the_formula_and_leaves_out_what_is_no_search():
    study = with_runs(study_of([], []), RUN_ROWS)  # neither queries nor documents are needed
    ranked = rank(study, parse_rankers("rrf(k=10)"))
    assert lists(ranked.runs, "rrf-k=10") == {"q0": ["d1", "d0", "d2"]}
    np.testing.assert_allclose(ranked.runs["score"], [1 / 11 + 1 / 12, 1 / 11, 1 / 12])
    assert ranked.messages == ("rrf: fused one, two.",)
    named = rank(study, parse_rankers("rrf(runs=two+perfect)"))
    assert lists(named.runs, "rrf-runs=two+perfect") == {"q0": ["d1", "d9", "d2"]}
    study = with_runs(study_of(["nurse"], ["nurse", "doctor"]), [("bm25", "q0", "old", 1, 1.0)])
    ranked = rank(study, parse_rankers("bm25,tfidf,rrf"))
    assert lists(ranked.runs, "rrf") == {"q0": ["d0"]}, "of what was made before it, and not what is made anew"
    assert "rrf: fused bm25, tfidf." in ranked.messages


@pytest.mark.parametrize("name", [name for name, ranker in RANKERS.items() if RUN in ranker.parameters])
def test_a_re_ranker_names_its_run_first_and_rrf_leaves_it_out(name):
    more = [f"{one.name}={one.high}" for one in RANKERS[name].parameters if not one.is_text]
    (choice,) = parse_rankers(f"{name}(run='one',{','.join(more)})")
    assert choice.ranker.parameters[0] is RUN
    study = with_runs(study_of(["a"], ["b"]), [*RUN_ROWS[:3], (choice.system, "q0", "d9", 1, 3.0)])
    assert rank(study, parse_rankers("rrf")).messages == ("rrf: fused one, two.",)


def test_what_cannot_be_ranked_is_said() -> None:
    one = study_of(["a"], ["b"])
    lacking = "made has no {0} to rank\nAdd {0}.csv (or .tsv, .jsonl, .parquet) to its folder."
    no_word = "no document of made holds a word to search for\nGive the documents' text."
    for study, ranker, message in (
        (study_of([], ["a"]), "bm25", lacking.format("queries")),
        (study_of(["a"], []), "bm25", lacking.format("documents")),
        (study_of(["a"], [None]), "bm25", no_word),
        (study_of(["a"], ["", "the"]), "bm25", no_word),
        (one, "perfect", "made has no relevance to rank by\nAdd qrels.txt to its folder."),
        (one, "rrf,bm25",
         "rrf fuses other runs, and made has none\nName rankers before it, such as --with bm25,tfidf,rrf."),
        (with_runs(one, RUN_ROWS[:3]), "rrf(runs=one+three)",
         "made has no run 'three' for rrf\nIts runs are one, two."),
        (one, "fasttext_add(embedding=google-news-subset)",
         "fasttext_add cannot use google-news-subset, which is not fastText's\n"
         "Give the path of a fastText .bin or .vec file, or use w2v_add."),
        (one, "w2v_add(debias=soft)", "there is no debiasing 'soft'\nUse one of none, regular, strong."),
    ):  # fmt: skip
        with refused(message):
            rank(study, parse_rankers(ranker))


GENDERED = """11 3
she 3 4 0
he -3 4 0
woman 4 0 3
man -4 0 3
her 1 0 0
his -1 0 0
nurse 2 1 0
soldier -2 0 1
rain 0 1 1
sister 1 1 0
war -1 0 2
"""


def cosine(first: list[float], second: list[float]) -> float:
    a, b = np.array(first, dtype=float), np.array(second, dtype=float)
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


def test_debiased_vectors(tmp_path):
    """Query nurse (2, 1, 0). The gender direction is the first number, which neutral words lose: nurse (0, 1, 0),
    soldier (0, 0, 1). Of one word self-information weighs nothing."""
    file, half = tmp_path / "tiny.vec", np.sqrt(0.5)
    file.write_text(GENDERED)
    expected = {
        "none": [cosine([2, 1, 0], [-2, 0, 1]), cosine([2, 1, 0], [0, 1, 1]), cosine([2, 1, 0], [1, 1, 0])],
        "regular": [0, half, half],  # a sister keeps her gender
        "strong": [0, half, 1],
    }
    for kind, values in expected.items():
        for ranker in ("w2v_add", "w2v_si"):
            found = scores(f"{ranker}(embedding='{file}',debias={kind})", "nurse", ["soldier", "rain", "sister"])
            np.testing.assert_allclose(found, values, atol=1e-6)
    ranked = rank(study_of(["nurse"], ["soldier war", "rain"]), parse_rankers("w2v_add(debias=regular)", str(file)))
    assert lists(ranked.runs, "w2v_add-embedding=tiny.vec-debias=regular") == {"q0": ["d1", "d0"]}
    assert ranked.messages[0] == "w2v_add: tiny.vec (regular debiasing) has a vector for 3 of the 3 different words."
    assert [choice.system for choice in parse_rankers("w2v_si(debias=none)")] == ["w2v_si"]
    file.write_text("2 2\nshe 1 0\nhe 0 1\n")
    lacking = r"^the gender direction needs 3 pairs of words, and tiny.vec has vectors for 1 of 10 \(it lacks her-his, "
    with pytest.raises(FairvizError, match=lacking):
        rank(study_of(["she"], ["he"]), parse_rankers("w2v_add(debias=strong)", str(file)))
