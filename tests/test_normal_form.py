"""The form in which texts are compared: the same from every spelling of a text, and its own form."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.normal_form import folded, normal_form

PIECES = st.sampled_from(
    ["İ", "I", "ı", "i", "ß", "ẞ", "ς", "é", "\u0301", "\u0307", "\u00ad", "\u200d", "가", "ּ", "ſ"]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=6).map("".join), st.sampled_from(["NFC", "NFD"]))
def test_every_spelling_of_a_text_has_one_form_which_is_its_own(text: str, form: str) -> None:
    spelt = unicodedata.normalize(form, text)
    assert normal_form(spelt) == normal_form(text) == normal_form(normal_form(text))
    assert folded(normal_form(text)) == folded(text)


@given(st.text(st.characters(exclude_characters="\u0307"), max_size=8))
def test_folded_text_is_its_own_folded_form(text: str) -> None:
    assert folded(folded(text)) == folded(text)
    assert folded(unicodedata.normalize("NFD", text)) == folded(text)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("İŞKADINI", "işkadını"),
        ("İşadamı", "i\u0307şadamı"),
        ("KIZ", "kız"),
        ("Straße", "STRASSE"),
        ("STRAẞE", "strasse"),
        ("ΓΥΝΑΊΚΕΣ", "γυναίκες"),
        ("wo\u00adman", "Woman"),
        ("می\u200cخواهم", "میخواهم"),
        ("Élan", "E\u0301LAN"),
    ],
)
def test_spellings_that_a_person_takes_for_one_word_are_one(text: str, other: str) -> None:
    assert folded(text) == folded(other)


@pytest.mark.parametrize(("text", "other"), [("élan", "elan"), ("هِيَ", "هي"), ("ß", "s")])
def test_accents_and_marks_stay(text: str, other: str) -> None:
    assert folded(text) != folded(other)


def test_ids_and_names_keep_their_case_and_blanks() -> None:
    assert normal_form(" D1\u00a0e\u0301 ") == " D1\u00a0é "
