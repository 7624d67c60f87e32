"""The audit by authors' names: the names and versions, by hand, against a slow reading of scores, made rankers, models,
and error rates."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairviz
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.extensions.ranker_audits import author_names
from fairviz.extensions.ranker_audits.attribution import (
    Attributed,
    AttributionAudit,
    attribution_table,
    audit_attribution,
    estimates_attribution,
    family_note,
    places_of,
    scored_versions,
    short_sentences,
    unnamed_table,
)
from fairviz.extensions.ranker_audits.attribution_plan import (
    CONTRASTS,
    NO_NAME,
    AttributionPlan,
    candidates_of,
    versions_of,
    written,
)
from fairviz.extensions.ranker_audits.auditing import rankers_of
from fairviz.extensions.ranker_audits.author_names import (
    FEWEST_REMEDY,
    AuthorNames,
    format_names,
    names_of,
    packaged_names,
    parse_names,
    read_names,
)
from fairviz.extensions.ranker_audits.judging import by_scores
from fairviz.rankers.record import silent
from fairviz.study.record import Study
from tests.conftest import refused, simulated
from tests.extensions.ranker_audits.test_pairwise import judged, study_of
from tests.model_server import ModelServer
from tests.study.loaders.files import put

NAMES = AuthorNames(("Ada", "Bea"), ("Carl", "Dan"))
GENDERS = {name: gender for gender, name in packaged_names().rows}


# --- the names: packaged, as text, rows of a table and files

EMPTY = "the file is empty\nRemove it, or fill it."
LINE = "Write a line as: gender,name, such as: female,Mary; a name in one gender alone."
FEW_NAMES = "Give two or more names of either gender: the placebo compares two of one."
NAME = st.text(alphabet="aé-%|:; '", min_size=1, max_size=8).map(lambda text: " ".join(f"a{text}b".split()))


def test_the_packaged_names() -> None:
    names = packaged_names()
    assert (len(names.female), len(names.male), len(names.sets)) == (100, 100, 50)
    assert names.sets[0] == ("Mary", "Patricia", "James", "John")
    assert not {name.lower() for name in names.female} & {name.lower() for name in names.male}
    assert parse_names(format_names(names)) == names
    assert names_of(names.rows) == names


@given(st.lists(NAME, min_size=4, max_size=8, unique_by=str.casefold))
def test_any_names_as_text_and_back(listed: list[str]) -> None:
    names = AuthorNames(tuple(listed[:2]), tuple(listed[2:]))
    assert parse_names(format_names(names)) == names


def test_what_is_no_names() -> None:
    for text, said in (
        ("", "the list has 0 female names"),
        ("female:Mary;male:James|John", "the list has 1 female name"),
        ("Mary,James", "the part 'Mary,James' of the list of names has no gender"),
        ("woman:Mary|Linda", "the name 'Mary' has the gender 'woman'"),
        ("female:Kim|Mary;male:James|kim", "the name 'kim' is of both genders"),
        ("female:Mary|77", "the female name '77' cannot be: there is no letter in the name"),
    ):
        with refused(f"{said}\n{author_names.REMEDY}", UsageError):
            parse_names(text)


def test_rows_of_a_table_of_names() -> None:
    rows = [("female", " Mary  Ann "), ("female", "Linda"), ("male", "James"), (None, None), ("male", "John")]
    assert names_of([*rows, ("female", "linda")]) == AuthorNames(("Mary Ann", "Linda"), ("James", "John"))
    with refused("the female name '' cannot be: the name is empty\nGive a name a row."):
        names_of([("female", None)])
    with refused(f"the list has 1 male name\n{FEWEST_REMEDY}"):
        names_of(rows[:3])


def test_files_of_names_with_and_without_a_header_and_files_that_are_none(tmp_path: Path) -> None:
    for content in (
        "gender,name\nfemale,Mary  Ann\nmale,James\nfemale,Linda\nmale,John\n",
        "\ufefff\tMary Ann\nF\tLinda\n\nm\tJames\nMale\tJohn\nm\tjames\n",
    ):
        expected = AuthorNames(("Mary Ann", "Linda"), ("James", "John"))
        assert read_names(put(tmp_path, "names.csv", content), tmp_path) == expected
    for content, message in (
        ("", f"names.csv: {EMPTY}"),
        ("gender,name\n", f"names.csv: the list holds 0 female names\n{FEW_NAMES}"),
        ("female,Mary\nfemale,Linda\nmale,James\n", f"names.csv: the list holds 1 male name\n{FEW_NAMES}"),
        ("Mary\nfemale,\nfemale,1984\n", "names.csv:1: expected 2 columns, found 1: 'Mary'\n"
         "names.csv:2: the name is empty: 'female,'\n"
         f"names.csv:3: there is no letter in the name: 'female,1984'\n{LINE}"),
        ("female,Kim\nwoman,Mary\nmale,KIM\n", "names.csv:2: unknown gender: 'woman,Mary'\n"
         f"names.csv:3: 'KIM' is female in line 1: 'male,KIM'\n{LINE}"),
    ):  # fmt: skip
        with refused(message, DataError):
            read_names(put(tmp_path, "names.csv", content), tmp_path)


# --- studies, versions and rankers


def made(queries: int = 12, per_query: int = 3) -> Study:
    """A study whose documents are judged relevant to a query each."""
    rows = [
        (f"q{query}d{place}", f"q{query}", f"Text q{query}d{place} of words{' and more' * place}.", None, 1)
        for query in range(queries)
        for place in range(per_query)
    ]
    return study_of("made", rows, [f"words {query}" for query in range(queries)])


def author(text: str) -> str:
    """The name in a version's by-line; empty without one."""
    found = re.match(r"By (.+?)\. ", text)
    return found[1] if found else ""


def by_name(points: Callable[[str], float]) -> Callable[[str, Sequence[str]], list[float]]:
    """A ranker that scores a text by its characters without the by-line, and by its author."""

    def score(query: str, texts: Sequence[str]) -> list[float]:
        bare = [text.removeprefix(f"By {author(text)}. ") for text in texts]
        bases = [float(sum(map(ord, text)) % 97) for text in bare]
        return [base + points(author(text)) for base, text in zip(bases, texts, strict=True)]

    return score


def audited(score: Callable, study: Study | None = None, **options: object) -> AttributionAudit:
    return fairviz.audit(study or made(), {"mine": score}, kind="attribution", anchor=False, **options)


def row(found: AttributionAudit, quantity: str = "preference") -> dict:
    return found.table[found.table["quantity"] == quantity].to_dict("records")[0]


def test_one_document_by_hand() -> None:
    """Ada 5, Bea 1, Carl 3, Dan 4, none 2, of documents with the scores 2, 3 and 9 (spread 3.09): Ada > Carl and
    Bea < Dan, so that one half of the versions by women is first."""
    points = {"": 0.0, "Ada": 3.0, "Bea": -1.0, "Carl": 1.0, "Dan": 2.0}
    study = made(1, 3)
    base = dict(zip(study.documents["text"], (2.0, 3.0, 9.0), strict=True))

    def score(query: str, texts: Sequence[str]) -> list[float]:
        return [base[text.removeprefix(f"By {author(text)}. ")] + points[author(text)] for text in texts]

    study = replace(study, qrels=study.qrels.iloc[:1], fingerprint="")
    found = audited(score, study, names={"female": ["Ada", "Bea"], "male": ["Carl", "Dan"]})
    spread = float(np.std([2, 3, 9]))
    assert row(found)["value"] == 0.5
    assert row(found, "gap")["value"] == pytest.approx(((5 - 3) + (1 - 4)) / 2 / spread)
    assert row(found, "size")["value"] == pytest.approx((2 + 3) / 2 / spread)
    # places among 3 and 9: Ada 2, Bea 3, Carl 2.5, Dan 2, none 3
    assert row(found, "places")["value"] == pytest.approx(((2.5 - 2) + (2 - 3)) / 2)
    assert row(found, "size")["placebo"] == pytest.approx((4 + 1) / 2 / spread)  # Ada and Bea, Carl and Dan
    unnamed = found.unnamed.set_index("gender")
    assert unnamed.loc["female", "gap"] == pytest.approx((5 - 2) / spread)
    assert unnamed.loc["male", "gap"] == pytest.approx((3 - 2) / spread)
    assert unnamed.loc["any", ["gap", "places"]].tolist() == pytest.approx([2 / spread, (1 + 0.5) / 2])
    assert np.isnan(row(found)["p"])
    assert family_note(found.table) == "No difference is tested: a verdict needs 10 queries and 10 sets of names."
    assert found.sentences[0].endswith("1 query is too few for a verdict, which needs 10.")


def test_a_preference_of_a_known_size_is_recovered() -> None:
    """Female names add 2.5 points, and each name has a whim of its own below one."""
    whims = dict(zip(GENDERS, np.random.default_rng(3).uniform(-0.4, 0.4, len(GENDERS)), strict=True))
    found = audited(by_name(lambda name: whims.get(name, 0.0) + 2.5 * (GENDERS.get(name) == "female")))
    preference, gap, size = (row(found, name) for name in ("preference", "gap", "size"))
    assert (preference["value"], preference["beyond"]) == (1.0, pytest.approx(1 - preference["placebo"]))
    assert max(preference["p_corrected"], size["p_corrected"]) < 0.001
    spreads = by_name(lambda name: 0.0)("", made().documents["text"].tolist())
    assert gap["value_low"] < 2.5 / np.std(spreads) < gap["value_high"]
    assert row(found, "places")["value"] > 0
    assert "mine: female names are preferred beyond the placebo." in short_sentences(found.integrity, found.table)
    turned = audited(by_name(lambda name: -2.5 * (GENDERS.get(name) == "female")))
    assert row(turned)["value"] == 0
    assert short_sentences(turned.integrity, turned.table) == ("mine: male names are preferred beyond the placebo.",)


def slow_scores(study: Study, plan: AttributionPlan, score: Callable) -> pd.DataFrame:
    """Score every comparison with its texts written out, a place by counting who is above."""
    texts = dict(zip(study.documents["doc_id"], study.documents["text"], strict=True))
    queries = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    rows = []
    for pair in versions_of(study, plan).pairs.to_dict("records"):
        bare = texts[pair["document"]]
        others = [text for name, text in texts.items() if name != pair["document"]]
        numbers = []
        for name in (pair["group"], pair["other"]):
            text = bare if name == NO_NAME else f"By {name}. {bare}"
            own, *rest = score(queries[pair["query_id"]], [text, *others])
            place = 1 + sum(each > own for each in rest) + sum(each == own for each in rest) / 2
            numbers += [own, place]
        spread = np.std(score(queries[pair["query_id"]], list(texts.values())))
        rows.append((*numbers, spread))
    return pd.DataFrame(rows, columns=["score", "place", "other_score", "other_place", "spread"])


def test_scores_and_places_against_a_slow_reference() -> None:
    whims = {name: float(len(name)) for name in GENDERS}
    score, study = by_name(lambda name: whims.get(name, 0.0)), made(3, 4)
    plan = AttributionPlan("relevant", seed=4)
    (choice,) = rankers_of({"mine": score}, "attribution", anchor=False)
    found = scored_versions(versions_of(study, plan), choice, silent, silent, silent)
    slow = slow_scores(study, plan, score)
    pd.testing.assert_frame_equal(found[list(slow)], slow, check_dtype=False)


def test_places_of_documents_that_are_not_listed() -> None:
    nan = np.nan
    listed, own = np.array([1.0, 2.0, 2.0]), np.array([nan, 2.0, nan, 1.0])
    assert places_of(np.array([2.0, 2.0, nan, nan]), listed, own).tolist() == [2.0, 1.5, 4.0, 3.0]


def test_versions() -> None:
    """Each document has one set of names in every query, and each set comes up as often as another."""
    study = judged()
    versions = versions_of(study, AttributionPlan("pairs", names=NAMES))
    firsts = versions.pairs.iloc[:: len(CONTRASTS)]
    texts = dict(zip(versions.study.documents["doc_id"], versions.study.documents["text"], strict=True))
    for pair in versions.pairs.to_dict("records"):
        bare = texts[pair["document"]]
        assert texts[pair["doc_id"]] == f"By {pair['group']}. {bare}"
        assert texts[pair["other_doc_id"]] == (bare if pair["other"] == NO_NAME else f"By {pair['other']}. {bare}")
    by_contrast = versions.pairs.iloc[:6].groupby("contrast")
    names = {name: [set(pair) for pair in zip(part["group"], part["other"], strict=True)] for name, part in by_contrast}
    assert [names[name] for name in ("gender", "placebo", "female")] == [
        [{"Ada", "Carl"}, {"Bea", "Dan"}], [{"Ada", "Bea"}, {"Carl", "Dan"}], [{"Ada", NO_NAME}],
    ]  # fmt: skip
    assert len(versions.study.documents) == len(study.documents) + 4 * firsts["document"].nunique()
    assert written("{text} — {name}", "{text}", "{name}") == "{name} — {text}", "what is filled in is not filled again"
    taken = replace(study, documents=study.documents.replace({"doc_id": {"f1": "m1@0"}}), fingerprint="")
    ids = versions_of(taken, AttributionPlan("pairs", names=NAMES)).study.documents["doc_id"]
    assert ids.is_unique, "ids of versions are new"


def test_sets_of_names_are_dealt_evenly_and_turned_by_lot() -> None:
    female = packaged_names().female
    many = versions_of(made(40, 3), AttributionPlan("relevant", names=packaged_names()))
    sets = many.pairs.iloc[:: len(CONTRASTS)].groupby("document")["set"].first()
    assert set(np.bincount(sets).tolist()) == {2, 3}  # 120 documents, 50 sets
    turned = many.pairs[many.pairs["contrast"] == "placebo"].drop_duplicates(["set", "group"])
    assert len(turned) == 100, "a name is first in the placebo, or second, wherever it comes up"
    first = sum(female.index(name) % 2 == 0 for name in turned["group"] if name in female)
    assert 10 < first < 40, "and which of the two is drawn by lot"


def test_names_that_are_words_of_a_query_or_document_are_counted() -> None:
    study = made(2, 1)
    study = replace(study, queries=study.queries.assign(text=["a girl", "Ada's bridge"]), fingerprint="")
    versions = versions_of(study, AttributionPlan("relevant", names=NAMES))
    assert versions.pairs["in_query"].tolist() == [False] * 6 + [True] * 6
    assert versions.messages == (
        "Versions read 'By NAME. TEXT'; the collection holds them all at once.",
        "In 1 of 2 query-document pairs a name is a word of the query (1) or of the document (0). There the name is a "
        "term to match, which confounds gender.",
    )
    odd = AuthorNames(("Ada", "Bea", "Eve"), ("Carl", "Dan"))
    assert versions_of(made(1, 1), AttributionPlan("relevant", names=odd)).messages[1:] == (
        "1 name is not used: sets take two names of either gender, in their order.",
    )


def test_lexical_rankers_are_moved_by_length_and_by_terms_alone() -> None:
    """BM25 gives versions of equal length equal scores. A name of two words makes a document longer; one that is in the
    query is a match."""
    study = made(12, 2)
    found = audit_attribution(study, rankers_of("bm25", "attribution"), AttributionPlan())
    assert (found.table["value"] == found.table["placebo"]).all()
    assert (row(found)["value"], row(found)["p_corrected"]) == (pytest.approx(0.5), 1.0)
    assert (found.unnamed["gap"] < 0).all()
    longer = AuthorNames(("Anna Maria", "Eva Sophia"), ("Carl", "Dan"))
    found = audit_attribution(study, rankers_of("bm25", "attribution"), AttributionPlan(names=longer))
    assert row(found)["value"] == 0
    asked = replace(study, queries=study.queries.assign(text="words Carl"), fingerprint="")
    found = audit_attribution(asked, rankers_of("bm25", "attribution"), AttributionPlan(names=NAMES))
    gaps = found.comparisons().query("contrast == 'gender'")
    assert (gaps.loc[gaps["other_name"] == "Carl", "gap"] < 0).all()
    assert (gaps.loc[gaps["other_name"] == "Dan", "gap"] == 0).all()


def test_candidates() -> None:
    def found(study: Study, *given: str, **plan: object) -> dict:
        return candidates_of(study, AttributionPlan(*given, **plan))[0]

    assert found(judged())["q1"] == found(judged(), "pairs")["q1"]
    assert set(found(judged(), "relevant")["q1"]) == {"f1", "f2", "m1", "n1"}
    assert len(found(judged(), "relevant", per_query=2)["q1"]) == 2
    assert list(found(judged(), "relevant", queries=1)) == ["q1"]
    ranked = fairviz.rank(made(2, 3), "bm25")
    assert [len(names) for names in found(ranked, "bm25", per_query=2).values()] == [2, 2]
    with pytest.raises(FairvizError, match="has no annotator 'nobody'"):
        found(judged(), annotator="nobody")
    _, messages = candidates_of(made(), AttributionPlan())
    assert messages == (
        "Candidates are the relevant documents, as there are no pairs: made has no gender labels to build pairs by.",
    )


def test_what_is_asked_wrongly_and_what_a_study_lacks() -> None:
    for options, said in (
        ({"candidates": "relevnt"},
         "candidates is 'relevnt'\nDid you mean relevant? Use one of auto, pairs, relevant."),
        ({"template": "By {name}"},
         "template is 'By {name}'\nUse a text with {name} and {text} in it, each once, as 'By {name}. {text}'."),
        ({"names": {"female": "Mary"}}, "names holds 'female': 'Mary'\nGive names by gender, as {'female': ['Mary', "
         "'Linda'], 'male': ['James', 'John']}."),
    ):  # fmt: skip
        with refused(said):
            fairviz.audit(made(), "bm25", kind="attribution", **options)
    with refused(
        "perfect reads no text of documents, so no name can move one\nName rankers that do, as bm25,bi_encoder.",
        UsageError,
    ):
        audit_attribution(made(), rankers_of("perfect", "attribution", anchor=False))
    for part, said in (
        ("qrels", "made has neither pairs, relevant documents nor runs, so no document belongs to a query"),
        ("queries", "made has no text of queries, so no version can be scored"),
    ):
        study = replace(made(), **{part: getattr(made(), part).iloc[:0]}, fingerprint="")
        with pytest.raises(FairvizError, match=f"^{said}\n"):
            audit_attribution(study, rankers_of("bm25"))


def test_a_model_is_asked_about_pairs_of_versions(server: ModelServer) -> None:
    """It prefers what Ada and Bea wrote, wherever that is shown."""

    def answer(prompt: str) -> str:
        by_women = [place for place in ("1", "2") if re.search(rf"Passage {place}[^P]*By (Ada|Bea)", prompt, re.S)]
        return by_women[0] if len(by_women) == 1 else "1"

    server.answer = answer
    study, plan = made(2, 1), AttributionPlan(names=NAMES)
    choices = rankers_of(f"llm(model='m',url='{server.address}')", "attribution", anchor=False)
    (need,) = estimates_attribution(study, choices, plan).values()
    assert (need.questions, need.open) == (24, 24)  # two documents, six comparisons, two orders
    found = audit_attribution(study, choices, plan)
    assert len(server.bodies) == 24
    assert (row(found)["value"], row(found)["placebo"]) == (1.0, 0.5)
    assert np.isnan(row(found, "places")["value"])
    assert len(found.answers) == 24
    assert found.integrity["answers"].tolist() == [24]
    server.answer = lambda prompt: "1"
    again = audit_attribution(study, choices, plan)
    assert len(server.bodies) == 24, "answers are kept"
    pd.testing.assert_frame_equal(again.table, found.table)
    found = audit_attribution(study, choices, AttributionPlan(names=NAMES, template="{text} ({name})"))
    assert row(found)["value"] == 0.5, "a model that names the first has no preference"
    (sentence,) = found.sentences
    assert "it names the first document in 100%" in sentence
    assert short_sentences(found.integrity, found.table) == (sentence,)


def test_few_sets_of_names_have_no_verdict_however_many_queries() -> None:
    names = {gender: [f"{gender[0].upper()}{place}a" for place in range(18)] for gender in ("female", "male")}
    found = audited(by_name(lambda name: 2.0 * name.startswith("F")), names=names)
    assert (row(found)["queries"], row(found)["sets"], row(found)["value"]) == (12, 9, 1.0)
    assert np.isnan(row(found)["p_corrected"])
    assert short_sentences(found.integrity, found.table) == (
        "mine: 9 sets of names are too few for a verdict, which needs 10.",
    )


def scored(generator: np.random.Generator, effect: float, systems: int) -> tuple[list[Attributed], pd.DataFrame]:
    """Scores of 30 queries with 5 documents each, 20 sets of names: names and queries have effects of their own."""
    queries, sets = np.repeat(np.arange(30), 5), generator.permutation(np.resize(np.arange(20), 150))
    pairs = pd.DataFrame({"query_id": np.repeat(queries, 6).astype(str), "set": np.repeat(sets, 6)})
    judgements = []
    for system in range(systems):
        whims = generator.normal(0, 0.7, (20, 4))
        leaning = generator.normal(0, 0.4, 30)[queries][:, None] * np.array([1, 1, -1, -1]) / 2
        scores = whims[sets] + leaning + generator.normal(0, 1, (150, 4)) + effect * np.array([1, 1, 0, 0])
        scores = np.column_stack([scores, generator.normal(0, 1, 150)])
        first, second = ((0, 1, 0, 2, 0, 2), (2, 3, 1, 3, 4, 4))
        own, other = scores[:, first].ravel(), scores[:, second].ravel()
        judgements.append(Attributed(by_scores(f"s{system}", own, other, np.ones(900)), own - other))
    return judgements, pairs


@simulated(40, 200)
def test_families_keep_their_level_and_intervals_cover(draws: int) -> None:
    """Four standard errors around .05 for a false verdict of any of three rankers."""
    generator = np.random.default_rng(11)
    wrong = dict.fromkeys(("preference", "gap", "size"), 0)
    for _ in range(draws):
        table = attribution_table(*scored(generator, 0.0, 3))
        for name in wrong:
            wrong[name] += bool((table.loc[table["quantity"] == name, "p_corrected"] <= 0.05).any())
    assert max(wrong.values()) <= draws * 0.05 + 4 * np.sqrt(draws * 0.05 * 0.95)
    covered = 0
    for _ in range(draws):
        table = attribution_table(*scored(generator, 0.8, 1)).set_index("quantity")
        covered += table.loc["gap", "beyond_low"] <= 0.8 <= table.loc["gap", "beyond_high"]
    assert covered >= draws * 0.95 - 4 * np.sqrt(draws * 0.05 * 0.95)


def test_a_family_by_hand_without_the_reference_that_is_shown() -> None:
    """Three rankers: p is multiplied by three, and the interval is at 1 - .05 / 3."""
    judgements, pairs = scored(np.random.default_rng(2), 0.6, 3)
    table = attribution_table(judgements, pairs)
    alone = attribution_table(judgements[:1], pairs)
    first, single = (each[(each["system"] == "s0") & (each["quantity"] == "gap")].iloc[0] for each in (table, alone))
    assert first["p"] == single["p"]
    assert first["p_corrected"] == pytest.approx(min(3 * first["p"], 1))
    assert first["beyond_low"] < single["beyond_low"]
    assert (table["family"] == 3).all()
    excludes = (table["beyond_low"] > 0) | (table["beyond_high"] < 0)
    assert (excludes == (table["p_corrected"] < 0.05)).all()
    assert unnamed_table(judgements, pairs)["gender"].tolist() == ["female", "male", "any"] * 3
    beside = attribution_table(judgements, pairs, "s0").set_index(["system", "quantity"])
    assert beside.loc["s0", ["p", "p_corrected"]].isna().all(axis=None)
    assert beside.loc["s0", "value"].notna().all()
    without = attribution_table(judgements[1:], pairs).set_index(["system", "quantity"])
    pd.testing.assert_frame_equal(beside.drop("s0"), without)
