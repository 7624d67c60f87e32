"""The metadata of the fields of Settings: values, what reads each, and that what they select is computed once."""

import pytest

import fairviz
from fairviz.errors import FairvizError
from fairviz.evaluation import choices, exports
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import CHOICES, GROUPS, SHOWN_ONLY, Settings
from fairviz.measures.gsr import DEPTHS, LIST_WEIGHTS
from fairviz.measures.sums import UNLABELLED
from fairviz.study.tables import TIES
from fairviz.words.genderedness import DEBIASINGS
from fairviz.words.gsr_words import QUERY_TERMS
from fairviz.words.tokenizers import TOKENIZERS


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("gsr_depth", DEPTHS),
        ("list_weights", LIST_WEIGHTS),
        ("unlabelled", UNLABELLED),
        ("ties", TIES),
        ("tokenizer", TOKENIZERS),
        ("debias", DEBIASINGS),
        ("query_terms", QUERY_TERMS),
    ],
)
def test_the_values_of_a_choice_are_those_that_the_code_computes_with(name: str, values: tuple[str, ...]) -> None:
    assert tuple(CHOICES[name].texts) == tuple(values)
    with pytest.raises(FairvizError) as error:
        Settings(**{name: "other"})
    assert str(error.value) == f"{name} is 'other'\nUse one of {', '.join(values)}."


def test_only_pages_show_what_nothing_is_computed_from() -> None:
    assert set(SHOWN_ONLY) == {
        *("system", "query", "document", "debias", "left_out", "word_lists", "words", "against"),
    }


def test_a_table_contains_the_settings_that_have_no_column() -> None:
    assert (
        *("systems", "filter_column", "filter_values", "tokenizer", "lexicon", "background", "ties", "voters"),
        *("corrected_by", "crossed_with", "unlabelled"),
        *("columns", "embedding", "pairs", "gsr_depth"),
    ) == exports.OTHERS


def test_every_choice_with_a_chip_has_a_known_group_and_the_fields_are_documented() -> None:
    assert {one.group for one in CHOICES.values()} <= set(GROUPS)
    for one in CHOICES.values():
        assert one.default == getattr(Settings, one.name)
        assert not one.help or f"{one.name}: {one.help}." in str(Settings.__doc__)


@pytest.mark.parametrize(
    ("measure", "read"),
    [
        ("CWEx", {"position_bias", "custom_bias", "ties", "annotator", "voters", "unlabelled", "crossed_with"}),
        ("NFaiRR", {"position_bias", "custom_bias", "ties", "tokenizer", "lexicon", "unlabelled"}),
        ("nDCG", {"ties"}),
        ("GSR", {"ties", "embedding", "pairs", "gsr_depth"}),
    ],
)
def test_a_measure_reads_what_its_record_says(measure: str, read: set[str]) -> None:
    question = ask(measure, Settings())
    assert {name for name, one in CHOICES.items() if one.is_read_by(question)} == read


def test_annotator_and_lexicon_are_selected_once_per_question(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    for name in ("chosen_annotator", "chosen_lexicon", "chosen_systems"):
        function = getattr(choices, name)
        monkeypatch.setattr(
            choices, name, lambda *given, name=name, function=function: calls.append(name) or function(*given)
        )
    fairviz.evaluate(fairviz.open_study("football"), ["CWEx@2", "NFaiRR@2", "TExFAIR@2"])
    assert sorted(calls) == ["chosen_annotator", "chosen_lexicon", "chosen_systems"]
