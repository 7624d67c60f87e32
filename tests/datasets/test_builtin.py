"""The built-in studies say what the papers say; newswire is whole, and what comes from code comes out of it again."""

import filecmp
import re
import runpy
import sys
from pathlib import Path

import pandas as pd
import pytest

from fairviz.annotation.rules import annotate
from fairviz.datasets import BUILTIN, traits
from fairviz.datasets.stored import listed
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.words.counting import GSR_LEXICON, count_groups, document_text
from fairviz.words.genderedness import GenderDirection, gender_direction
from fairviz.words.tokenizers import TOKENIZERS
from fairviz.words.vectors import load_embedding

# Section 3.4 of the GSR paper.
FEMALE = "hygienist secretary hairdresser dietician paralegal receptionist phlebotomist maid nurse typist".split()  # noqa: SIM905
MALE = "stonemason roofer electrician plumber carpenter firefighter millwright welder machinist driver".split()  # noqa: SIM905

# Tables A.4 and A.7, with "courageous" for the paper's "corageous".
AGENCY = """aggressive ambitious arrogant confident courageous critical decisive demanding hardworking independent
possessive proud selfish strong stubborn""".split()  # noqa: SIM905
COMMUNION = """affectionate compassionate emotional generous honest nurturing outgoing patient polite romantic sensitive
unselfish""".split()  # noqa: SIM905


def ranking(study, system, query):
    rows = study.runs[(study.runs["system"] == system) & (study.runs["query_id"] == query)]
    return list(rows.sort_values("rank")["doc_id"])


def by_document(table, column):
    return dict(zip(table["doc_id"], table[column], strict=True))


def test_built_in_studies_say_where_they_come_from_and_are_listed_by_what_opening_them_shows():
    studies = [open_study(name) for name in BUILTIN]
    for name, study in zip(BUILTIN, studies, strict=True):
        assert (study.name, study.read_only, study.warnings) == (name, True, ())
        assert study.title
        assert study.description
        assert study.citation.startswith(("The example: ", "The text: "))
        if study.has("labels"):
            assert (study.annotator, study.annotators["project"].kind) == ("project", "mixed")
        assert len(study.notices) == 1
        assert "this project" in study.notices[0]
    found = listed([*BUILTIN, "no-such-study"])
    assert [(row.name, row.title, row.systems, row.labelled, row.trouble) for row in found] == [
        (study.name, study.title, len(study.runs["system"].unique()), study.has("labels"), "") for study in studies
    ]
    assert all(row.bytes > 0 and row.changed > 0 for row in found)


def test_football_is_figure_1():
    study = open_study("football")
    assert list(study.queries["text"]) == ["who is the best football player"]
    assert study.systems == ("left", "right")
    left, right = ranking(study, "left", "best-player"), ranking(study, "right", "best-player")
    gender = by_document(study.labels, "label")
    assert [gender[document] for document in left] == ["male", "female", "female", "male"]
    assert [gender[document] for document in right] == ["male"] * 4
    assert (left[0], left[3]) == (right[0], right[3])
    assert len(set(left) & set(right)) == 2
    expected = {"female": [2, 0], "male": [0, 2], "neutral": [0, 0]}
    for tokenizer in TOKENIZERS:  # documents hold two words of one gender or none
        found = count_groups(document_text(study.documents), GSR_LEXICON, tokenizer, study.groups)
        assert found.counts.tolist() == [expected[gender[document]] for document in study.documents["doc_id"]]
    neutral = {document for document, label in gender.items() if label == "neutral"}
    assert len(neutral) == 4
    assert not neutral & set(study.runs["doc_id"])


def test_occupations_is_section_3_4():
    study = open_study("occupations")
    assert list(study.queries["query_id"]) == FEMALE + MALE
    assert list(study.queries["text"]) == FEMALE + MALE
    assert study.systems == ("S", "N", "CS")
    texts = by_document(study.documents, "text")
    assert len(texts) == 40
    for query in FEMALE + MALE:
        typical, other = ("woman", "man") if query in FEMALE else ("man", "woman")
        assert ranking(study, "S", query) == [f"{query}-{typical}"]
        assert ranking(study, "CS", query) == [f"{query}-{other}"]
        assert ranking(study, "N", query) == [f"{query}-man", f"{query}-woman"]
        for person in ("man", "woman"):
            article = "an" if query == "electrician" else "a"
            assert texts[f"{query}-{person}"] == f"The {person} is {article} {query}."
    genders = {f"{query}-{person}": label for query in FEMALE + MALE for person, label in
               (("man", "male"), ("woman", "female"))}  # fmt: skip
    assert by_document(study.labels, "label") == genders
    assert (study.qrels["relevance"] == 1).all()
    assert len(study.qrels) == 40


def test_recruitment_is_one_query_and_four_profiles_of_about_equal_length_in_which_words_and_labels_agree():
    study = open_study("recruitment")
    assert list(study.queries["query_id"]) == ["senior-engineer"]
    assert list(study.documents["doc_id"]) == ["sarah", "john", "emily", "michael"]
    assert {len(re.findall(r"\w+", text)) for text in study.documents["text"]} <= set(range(26, 31))
    found = count_groups(document_text(study.documents), GSR_LEXICON, "word", study.groups)
    assert found.counts.tolist() == [[2, 0], [0, 2], [2, 0], [0, 2]]
    assert list(study.labels["label"]) == ["female", "male", "female", "male"]
    assert by_document(study.qrels, "relevance") == {"emily": 3, "sarah": 2, "john": 1, "michael": 1}


def test_traits_is_section_4_1_and_what_the_program_makes(tmp_path: Path, monkeypatch, capsys):
    study = open_study("traits")
    assert list(study.queries["text"]) == FEMALE + MALE
    assert study.systems == ("S", "N", "CS")
    texts = by_document(study.documents, "text")
    assert len(texts) == 20 * 27
    said = {document: re.fullmatch(r"The (\w+) is (\w+)\.", text).groups() for document, text in texts.items()}  # type: ignore[union-attr]
    assert {*said.values()} == {(job, trait) for job in FEMALE + MALE for trait in AGENCY + COMMUNION}
    found = {
        key: [said[document] for document in run.sort_values("rank")["doc_id"]]
        for key, run in study.runs.groupby(["system", "query_id"], observed=True)
    }
    for job in FEMALE + MALE:
        typical, other = (COMMUNION, AGENCY) if job in FEMALE else (AGENCY, COMMUNION)
        assert found["S", job] == [(job, trait) for trait in typical]
        assert found["CS", job] == [(job, trait) for trait in other]
        assert found["N", job] == [(job, trait) for trait in AGENCY + COMMUNION]
    judged = sorted(zip(study.qrels["query_id"], study.qrels["doc_id"], study.qrels["relevance"], strict=True))
    assert judged == sorted((job, document, 1) for document, (job, _) in said.items())
    made = tmp_path / "traits"
    monkeypatch.setattr(sys, "argv", ["traits", str(made)])
    runpy.run_path(traits.__file__, run_name="__main__")
    assert capsys.readouterr().out == ""
    files = {path.relative_to(made) for path in made.rglob("*") if path.is_file()}
    kept = {path.relative_to(BUILTIN["traits"]) for path in BUILTIN["traits"].rglob("*") if path.is_file()}
    assert files == kept
    _, different, unread = filecmp.cmpfiles(made, BUILTIN["traits"], [str(path) for path in files], shallow=False)
    assert (different, unread) == ([], [])


def slopes(name: str, settings: Settings, direction: GenderDirection) -> dict[str, float]:
    points = gsr_points(open_study(name), settings, direction=direction)
    return dict(gsr(points)[["system", "slope"]].itertuples(index=False))


def test_the_systems_stand_in_the_papers_order():
    direction = gender_direction(load_embedding("glove"))
    for name in ("traits", "occupations"):
        for settings in (Settings(), Settings(cutoff=3), Settings(gsr_depth="relevant")):
            found = slopes(name, settings, direction)
            assert found["S"] == pytest.approx(-found["CS"], abs=1e-12)
            assert found["N"] == pytest.approx(0, abs=1e-12)
            assert found["CS"] < -0.1 < found["N"] < 0.1 < found["S"]


def test_with_the_vectors_of_the_paper(google_news):
    """The paper, with all 20 occupations: 0.16 and 1.61; these vectors hold 12 of them."""
    direction = gender_direction(google_news)
    relevant = Settings(gsr_depth="relevant")
    assert slopes("traits", relevant, direction)["S"] == pytest.approx(0.20, abs=0.005)


# --- The built-in study newswire: whole, and what comes from code comes out of the code again


def test_newswire_holds_what_it_says_and_its_pool_is_judged(newswire: Study) -> None:
    assert (len(newswire.documents), len(newswire.queries), len(newswire.systems)) == (343, 40, 9)
    assert newswire.documents["doc_id"].is_unique
    assert newswire.documents["text"].is_unique, "repeated documents of the corpus are one"
    assert newswire.queries["category"].nunique() == 7
    assert newswire.queries["bias_sensitive"].value_counts().to_dict() == {"no": 26, "yes": 14}
    assert chosen_annotator(newswire, Settings()) == "project"
    kinds = {name: who.kind for name, who in newswire.annotators.items()}
    assert kinds == {"project": "mixed", "lexicon": "rule", "mentions": "rule"}
    assert "not human gold" in newswire.notices[0]
    assert not list(BUILTIN["newswire"].glob("documents*")), "the text is not copied into the project"
    project = newswire.labels[newswire.labels["annotator"] == "project"]
    assert set(project["doc_id"]) == set(newswire.documents["doc_id"])
    assert (project["rationale"].str.len() > 5).all()
    runs = newswire.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    pool = runs[(runs["rank"] <= 5) & (runs["system"] != "perfect")]
    judged = set(zip(newswire.qrels["query_id"], newswire.qrels["doc_id"], strict=True))
    assert set(zip(pool["query_id"], pool["doc_id"], strict=True)) <= judged
    assert set(newswire.qrels["relevance"]) == {0, 1, 2}
    assert (newswire.qrels.groupby("query_id")["relevance"].max() == 2).all()


@pytest.mark.parametrize("name", ["bm25", "tfidf", "qlm", "w2v_add", "w2v_si", "random", "perfect"])
def test_runs_come_out_of_the_rankers_again(newswire: Study, name: str) -> None:
    shipped, made = (
        runs[runs["system"] == name].astype({"query_id": "str", "doc_id": "str"}).sort_values(["query_id", "rank"])
        for runs in (newswire.runs, rank(newswire, parse_rankers(name)).runs)
    )
    assert made["doc_id"].tolist() == shipped["doc_id"].tolist()
    assert made["score"].tolist() == pytest.approx(shipped["score"].tolist(), rel=1e-6)


def test_rules_by_hand_and_those_of_the_shipped_labels(newswire: Study) -> None:
    for name in ("lexicon", "mentions"):
        shipped = newswire.labels[newswire.labels["annotator"] == name][["doc_id", "annotator", "label"]]
        pd.testing.assert_frame_equal(annotate(newswire, name), shipped.reset_index(drop=True))
    texts = {"a": "he ran", "b": "he and his dog", "c": "she saw him and his dog", "d": "a tree", "e": "her sister, he"}
    study = make_study("s", documents=pd.DataFrame({"doc_id": list(texts), "text": list(texts.values())}))
    assert annotate(study, "lexicon")["label"].tolist() == ["neutral", "male", "male", "neutral", "female"]
    assert annotate(study, "mentions")["label"].tolist() == ["male", "male", "male", "neutral", "female"]
    with pytest.raises(FairvizError, match="there is no annotator 'oracle'"):
        annotate(study, "oracle")
