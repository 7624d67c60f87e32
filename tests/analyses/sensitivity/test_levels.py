"""Word lists as levels of the sensitivity analysis: each counted once, those of fetched data sets among them."""

import dataclasses
from pathlib import Path

import pytest

import fairviz
from fairviz.analyses.sensitivity.levels import level_text, levels_of, offered_levels, read_levels
from fairviz.analyses.sensitivity.result import lines
from fairviz.datasets import studies_folder
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.words.counting import GSR_LEXICON, Lexicon, format_lexicon


def lists(study: Study, **settings: str) -> list[str]:
    asked = Settings(**settings)
    return [level_text(study, asked, "lexicon", level) for level in offered_levels(study, asked, "lexicon")]


def fetched(name: str, file: str, text: str = "word,group\nshe,female\nhe,male\nhis,male\n") -> Path:
    """A word list where a fetched data set has its own."""
    folder = studies_folder() / name
    folder.mkdir(parents=True)
    (folder / file).write_text(text, encoding="utf-8")
    return folder / file


def test_one_list_is_one_level_whatever_its_order_and_place(newswire: Study) -> None:
    turned = tuple(reversed(GSR_LEXICON.words))
    assert lists(newswire) == ["built-in, 171 words"]
    assert lists(newswire, lexicon=format_lexicon(Lexicon("custom", turned))) == ["built-in, 171 words"]
    own = dataclasses.replace(newswire, lexicon=Lexicon("gsr", turned))
    assert lists(own) == ["built-in, 171 words"]
    own = dataclasses.replace(newswire, lexicon=Lexicon("mine", turned[:5]))
    assert lists(own) == ["the study's, 5 words", "built-in, 171 words"]


def test_the_lists_of_fetched_data_sets_are_offered(newswire: Study) -> None:
    fetched("msmarco-qs2", "lexicon-rekabsaz-326.csv")
    assert lists(newswire) == ["built-in, 171 words", "rekabsaz-326, 3 words"]
    assert lists(newswire, lexicon="male:his|he;female:she") == ["built-in, 171 words", "rekabsaz-326, 3 words"]
    levels = read_levels(["lexicon=rekabsaz-326"], lambda text: pytest.fail(f"{text} is no file"))
    assert levels == {"lexicon": ["female:she;male:he|his"]}
    found = fairviz.robustness(newswire, ["bm25", "w2v_add"], "NFaiRR", ["lexicon"])
    assert found.table["lexicon"].tolist() == ["built-in, 171 words", "rekabsaz-326, 3 words"]
    assert lines(found)[0] == "2 distinct combinations."


def test_a_list_without_a_group_of_the_study_or_that_cannot_be_read_is_not_offered(newswire: Study) -> None:
    fetched("genderbias-ir", "lexicon-rekabsaz-64.csv", "word,group\nshe,female\n")
    fetched("msmarco-qs2", "lexicon-rekabsaz-326.csv", "word,group\n")
    assert lists(newswire) == ["built-in, 171 words"]
    assert levels_of(newswire, Settings(), "lexicon") == ("",)
    # a choice of one level is not said to change nothing
    found = fairviz.robustness(newswire, ["bm25", "w2v_add"], "NFaiRR", {"lexicon": None, "cutoff": [5]})
    assert lines(found)[0] == "2 distinct combinations; there is one level alone of the word list."
    found = fairviz.robustness(newswire, ["w2v_si", "w2v_add"], "NFaiRR", {"unlabelled": None})
    assert lines(found)[0].endswith("; nothing here changes with what lacks a label.")
