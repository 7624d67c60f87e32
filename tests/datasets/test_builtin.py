"""The built-in studies say what the papers say."""

import re

import pytest

from fairviz.datasets import BUILTIN
from fairviz.datasets.stored import listed
from fairviz.evaluation.opening import open_study
from fairviz.words.counting import GSR_LEXICON, count_groups, document_text
from fairviz.words.tokenizers import TOKENIZERS

# Section 3.4 of the GSR paper.
FEMALE = "hygienist secretary hairdresser dietician paralegal receptionist phlebotomist maid nurse typist".split()  # noqa: SIM905
MALE = "stonemason roofer electrician plumber carpenter firefighter millwright welder machinist driver".split()  # noqa: SIM905


def ranking(study, system, query):
    rows = study.runs[(study.runs["system"] == system) & (study.runs["query_id"] == query)]
    return list(rows.sort_values("rank")["doc_id"])


@pytest.mark.parametrize("name", BUILTIN)
def test_metadata(name):
    study = open_study(name)
    assert study.name == name
    assert study.read_only
    assert study.title
    assert study.description
    assert study.citation.startswith(("The example: ", "The text: "))
    if study.has("labels"):
        assert study.annotator == "project"
        assert study.annotators["project"].kind == "mixed"
    assert len(study.notices) == 1
    assert "this project" in study.notices[0]
    assert study.warnings == ()


def test_studies_are_listed_by_what_opening_them_shows():
    found = listed([*BUILTIN, "no-such-study"])
    studies = [open_study(name) for name in BUILTIN]
    assert [(row.name, row.title, row.systems, row.labelled, row.trouble) for row in found] == [
        (study.name, study.title, len(study.runs["system"].unique()), study.has("labels"), "") for study in studies
    ]
    assert all(row.bytes > 0 and row.changed > 0 for row in found)


def test_football_is_figure_1():
    study = open_study("football")
    assert list(study.queries["text"]) == ["who is the best football player"]
    assert study.systems == ("left", "right")
    left, right = ranking(study, "left", "best-player"), ranking(study, "right", "best-player")
    gender = dict(zip(study.labels["doc_id"], study.labels["label"], strict=True))
    assert [gender[document] for document in left] == ["male", "female", "female", "male"]
    assert [gender[document] for document in right] == ["male"] * 4
    assert (left[0], left[3]) == (right[0], right[3])
    assert len(set(left) & set(right)) == 2


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_football_documents_hold_two_words_of_one_gender_or_none(tokenizer):
    study = open_study("football")
    found = count_groups(document_text(study.documents), GSR_LEXICON, tokenizer, study.groups)
    gender = dict(zip(study.labels["doc_id"], study.labels["label"], strict=True))
    expected = {"female": [2, 0], "male": [0, 2], "neutral": [0, 0]}
    assert found.counts.tolist() == [expected[gender[document]] for document in study.documents["doc_id"]]
    retrieved = set(study.runs["doc_id"])
    neutral = {document for document, label in gender.items() if label == "neutral"}
    assert len(neutral) == 4
    assert not neutral & retrieved


def test_occupations_is_section_3_4():
    study = open_study("occupations")
    assert list(study.queries["query_id"]) == FEMALE + MALE
    assert list(study.queries["text"]) == FEMALE + MALE
    assert study.systems == ("S", "N", "CS")
    texts = dict(zip(study.documents["doc_id"], study.documents["text"], strict=True))
    assert len(texts) == 40
    for text in texts.values():
        person, article, occupation = re.fullmatch(r"The (man|woman) is (an?) (\w+)\.", text).groups()
        assert occupation in FEMALE + MALE
        assert person in ("man", "woman")
        assert (article == "an") == (occupation == "electrician")
    for query in FEMALE + MALE:
        typical, other = ("woman", "man") if query in FEMALE else ("man", "woman")
        assert ranking(study, "S", query) == [f"{query}-{typical}"]
        assert ranking(study, "CS", query) == [f"{query}-{other}"]
        assert ranking(study, "N", query) == [f"{query}-man", f"{query}-woman"]
        assert f"The man is {'an' if query == 'electrician' else 'a'} {query}." == texts[f"{query}-man"]
    gender = dict(zip(study.labels["doc_id"], study.labels["label"], strict=True))
    assert all(gender[f"{query}-man"] == "male" and gender[f"{query}-woman"] == "female" for query in FEMALE + MALE)
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
    years = dict(zip(study.qrels["doc_id"], study.qrels["relevance"], strict=True))
    assert (years["emily"], years["sarah"], years["john"], years["michael"]) == (3, 2, 1, 1)
