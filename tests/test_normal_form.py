"""The form in which texts are compared: the same from every spelling of a text, and its own form."""

import unicodedata

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


def test_spellings_that_a_person_takes_for_one_word_are_one_and_others_stay() -> None:
    for text, other in (
        ("İŞKADINI", "işkadını"),
        ("İşadamı", "i\u0307şadamı"),
        ("KIZ", "kız"),
        ("Straße", "STRASSE"),
        ("STRAẞE", "strasse"),
        ("ΓΥΝΑΊΚΕΣ", "γυναίκες"),
        ("wo\u00adman", "Woman"),
        ("می\u200cخواهم", "میخواهم"),
        ("Élan", "E\u0301LAN"),
    ):
        assert folded(text) == folded(other)
    for text, other in (("élan", "elan"), ("هِيَ", "هي"), ("ß", "s")):
        assert folded(text) != folded(other)
    assert normal_form(" D1\u00a0e\u0301 ") == " D1\u00a0é ", "ids and names keep their case and blanks"
