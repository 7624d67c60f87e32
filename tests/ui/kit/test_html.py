"""Texts, words and lists as HTML: no text from data becomes markup, the words that are marked are those that are
counted, and of lists side by side moves, labels and losses are written."""

import base64
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.analyses.reading.side_by_side import COLUMNS
from fairviz.figures.style import DARK, LIGHT, system_styles
from fairviz.study.record import Study
from fairviz.study.tables import DOCUMENTS, conform
from fairviz.ui.gsr.cards import counted_genderedness
from fairviz.ui.kit import coloured_words, highlight
from fairviz.ui.kit.highlight import ROOMY, beginnings, excerpts
from fairviz.ui.kit.html import sentence_html
from fairviz.ui.kit.side_by_side import (
    LINE,
    NOTHING,
    WIDTH,
    Look,
    Margin,
    Side,
    compact_html,
    differences,
    lists_html,
    marked_text,
)
from fairviz.ui.shell import vector_controls
from fairviz.words.counting import GSR_LEXICON, Lexicon, count_groups
from fairviz.words.genderedness import gender_direction
from fairviz.words.sentences import Span, plain
from fairviz.words.tokenizers import TOKENIZERS
from fairviz.words.vectors import Embedding
from tests.pages.conftest import drawn_by

HOSTILE = '<script>alert(1)</script> & "quoted" ![x](http://example.org/x.png)'


def test_names_in_a_sentence_are_escaped_and_strong():
    sentence = (Span("a<b>", True), Span(" is fairest & best"))
    assert sentence_html(sentence) == "<b>a&lt;b&gt;</b> is fairest &amp; best"
    assert plain(sentence) == "a<b> is fairest & best"


def hostile_page(text):
    from fairviz.ui.kit import html

    html.message("error", f"{text}\nsecond line", text)
    html.heading(text, text, manual=text)
    html.facts([(text, text)])
    html.definitions([(text, text)])
    html.quiet(text)
    html.strong(text)


def test_no_text_from_data_becomes_markup_or_markdown():
    page = drawn_by(hostile_page, HOSTILE)
    (title,), (question,) = page.title, page.markdown
    for text in (title.value, question.value):
        assert re.sub(r"\\(.)", r"\1", text) == HOSTILE
        assert not set(re.sub(r"\\.", "", text)) & set('<>&!"[]()')
    bodies = [element.proto.body for element in page.get("html")]
    assert len(bodies) == 6
    assert all("<script" not in body and "&lt;script&gt;" in body for body in bodies)
    assert "<br>second line" in bodies[0]
    assert 'role="alert"' in bodies[0]


# --- marks, shades and colours of words

GROUPS = ("female", "male")
PIECES = st.sampled_from(
    ["she", "He", "HIS,", "mother.", "İ", "ΟΔΟΣ", "ﬁ", " ", "\n", "<b>", "&amp;", "'", '"', "ß", "👩‍👩‍👧"]
)
ANY_TEXT = st.lists(PIECES | st.text(max_size=5), max_size=20).map("".join)


def marked(text: str, lexicon: Lexicon = GSR_LEXICON, tokenizer: str = "word") -> str:
    return highlight.marked_html(text, lexicon, tokenizer, GROUPS)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@given(text=ANY_TEXT)
def test_marks_are_the_counted_words_and_lose_no_sign(tokenizer: str, text: str) -> None:
    body = marked(text, tokenizer=tokenizer)
    assert unescape(re.sub(r"<[^>]*>", "", body)) == text
    counted = count_groups([text], GSR_LEXICON, tokenizer, GROUPS).counts[0].tolist()
    assert [body.count(f'"fv-w{place}"') for place in range(2)] == counted
    assert not re.search(r"<(?!span class=|/span>)", body)


def test_marks_stand_on_the_words_of_the_studys_groups_as_they_were_written(monkeypatch: pytest.MonkeyPatch) -> None:
    assert marked("İ: <i>Her</i> brother") == (
        'İ: &lt;i&gt;<span class="fv-w0" title="female">Her</span>&lt;/i&gt; '
        '<span class="fv-w1" title="male">brother</span>'
    )
    assert "fv-w" not in marked("her, him.", tokenizer="whitespace")
    lexicon = Lexicon("mine", (("they", "nonbinary"), ("she", "female")))
    assert marked("they she", lexicon).count("<span") == 1
    monkeypatch.setattr(highlight, "MOST_MARKS", 2)
    assert marked("she he she").count("<span") == 2


def test_shades_are_centred_on_the_vocabulary_and_the_number_is_raw() -> None:
    known = {"she": 0.5, "nurse": 0.1, "the": -0.1, "he": -0.4}
    of = lambda words: np.array([known.get(word, np.nan) for word in words])  # noqa: E731
    body = highlight.shaded_html("The nurse <b> he zzz", GSR_LEXICON, "word", GROUPS, of, -0.1)
    assert '<span class="fv-f3" title="g = +0.100">nurse</span>' in body  # 0.2 above the centre: three steps of 0.06
    assert '<span class="fv-m4 fv-w1" title="g = −0.400">he</span>' in body
    assert body.startswith("The <span")  # at the centre there is no shade
    assert "zzz" in body
    assert "&lt;b&gt;" in body
    steps = {0.05: "", 0.06: "fv-f1", 0.13: "fv-f2", 9.0: "fv-f4", -0.07: "fv-m1", float("nan"): ""}
    assert [highlight.shade(value, 0.0) for value in steps] == [*steps.values()]
    assert highlight.shade(-0.03, -0.1) == "fv-f1", "raw male, on the female side of the vocabulary"


def test_a_label_is_a_shape_and_a_name_and_never_markup() -> None:
    assert "■ female" in highlight.chip("female", ("neutral", *GROUPS), LIGHT)
    assert "no label" in highlight.chip("", GROUPS, DARK)
    assert "<script" not in highlight.chip(HOSTILE, ("yes", HOSTILE), DARK)
    labels = ("gender", "not gender", "third")
    assert len({highlight.shape(label, labels) for label in labels}) == 3
    assert highlight.line("female", GROUPS) != highlight.line("male", GROUPS)
    sheet = highlight.style_sheet(GROUPS, DARK)
    assert all(f".{name}{{" in sheet for name in ("fv-w0", "fv-w1", "fv-f1", "fv-f4", "fv-m1", "fv-m4"))


def test_the_beginning_and_what_stands_around_gender_words_is_shown() -> None:
    def shown(text: str) -> list[tuple[int, int]]:
        return excerpts(text, GSR_LEXICON, "word", GROUPS)

    far = "a " * 100 + "and then she left the house " + "b " * 100 + "his hat"
    first, middle, last = (far[begin:end] for begin, end in shown(far))
    assert first == ("a " * 100)[: len(first)]
    assert "she left" in middle
    assert middle.count("a ") < 20
    assert last.endswith("his hat")
    assert shown("she and he") == [(0, len("she and he"))]
    assert shown("tree " * 100)[1] == (500, 500)
    assert sum(end - begin for begin, end in shown("x" * 200 + " " + "he " * 400)) < ROOMY.most + 100
    assert [highlight.cut("one two three", 9), highlight.cut("short")] == ["one two", "short"]
    assert highlight.cut("x" * 9000) == "x" * highlight.MOST_CHARACTERS
    table = pd.DataFrame({"doc_id": ["d1", "d2", "d3"], "title": ["A nurse", "", "x"], "text": ["at work", None, "y"]})
    study = Study("made", documents=conform(table, DOCUMENTS))
    assert beginnings(study, {"d1", "d2"}, 12) == {"d1": "A nurse at", "d2": ""}
    assert beginnings(study, (), 12) == {}


WORDS = ("she", "he", "woman", "man", "girl", "boy", "nurse", "rock", "the")
VECTORS = np.array(
    [[1, 0], [-1, 0], [1, 0], [-1, 0], [1, 0], [-1, 0], [0.6, 0.8], [0, 1], [0.6, 0.8]], dtype=np.float32
)
MADE = Embedding("made", {word: row for row, word in enumerate(WORDS)}, VECTORS)
DIRECTION = gender_direction(MADE, (("she", "he"), ("woman", "man"), ("girl", "boy"), ("lady", "lord")))


def test_words_stand_with_their_value_underneath_which_has_a_true_sign_and_no_negative_zero():
    def shown(text: str, centre: float = 0.0) -> str:
        return coloured_words.coloured_words(text, DIRECTION, centre, LIGHT)

    html = shown("The nurse's Rock")
    assert "+0.60" in html
    assert "rgba(123, 63, 160, 0.60)" in html  # nurse, far on the female side
    assert ">0.00&nbsp;<" in html  # rock
    assert html.count("opacity:.55") == 2  # the stop word, and the s of 's
    assert "no vector" in shown("xyzzy")
    assert "dashed" in shown("xyzzy")
    sides = [re.findall("2px [a-z]+", shown(*given))[0] for given in (("nurse",), ("nurse", 0.9), ("rock",))]
    assert sides == ["2px solid", "2px dotted", "2px none"], "told where colour does not"
    assert "<script>" not in shown("<script>alert(1)</script>&amp")
    table = coloured_words.table_html(("<i>",), [("<b>kept</b>",)])
    assert "&lt;i&gt;" in table
    assert "<b>kept</b>" in table
    signed = [coloured_words.signed(value) for value in (0.123, -0.123, -0.001, 0.001, np.nan)]
    assert signed == ["+0.12", "−0.12", "0.00", "0.00", "no vector"]
    chip = coloured_words.chip(-0.25, -0.1, LIGHT)
    assert "−0.25" in chip, "the raw value"
    assert "rgba(217, 127, 38, 0.30)" in chip


def test_stop_words_and_words_of_the_query_count_nothing_and_vectors_are_told_with_coverage_and_offset():
    g = counted_genderedness(DIRECTION, ["the", "nurse", "rock", "xyzzy", "she"], lambda word: word == "rock")
    assert np.allclose(g, [np.nan, 0.6, np.nan, np.nan, 1.0], equal_nan=True)
    using = vector_controls.Active(DIRECTION, -0.095)
    assert vector_controls.about_text(using, (8, 10)) == (
        "made: 9 words of 2 numbers; a vector for 8 of the study's 10 different words; gender, from 3 pairs, is 100.0% "
        "of the pairs' variance. Left out, as a word has no vector: lady-lord."
    )
    assert "of the study" not in vector_controls.about_text(using, None)
    assert vector_controls.offset_text(using) == (
        "g: + female, − male. The average word has −0.095: compare with that, not with 0, as the colours do."
    )
    near = vector_controls.Active(DIRECTION, 0.004)
    assert vector_controls.offset_text(near) == "g: + female, − male. The average word has +0.004: close to 0."


# --- lists and texts side by side

ROWS = [
    ("a", 1, "<d1>", "female", 0.5, 1, None, 1),
    ("a", 2, "d2", "", float("nan"), None, None, 2),
    ("<b>", 1, "d2", "", float("nan"), 0, 2, 1),
    ("<b>", 2, "d9", "neutral", 1.0, None, None, 2),
    ("<b>", None, "<d1>", "female", 0.5, 1, 1, 7),
    ("none", None, "d2", "", float("nan"), 0, 1, None),
    ("none", None, "d9", "neutral", 1.0, None, 2, None),
]
TABLE = pd.DataFrame(ROWS, columns=list(COLUMNS)).astype(
    dict.fromkeys(("rank", "relevance", "before_rank", "whole_rank"), "Int64")
)
SYSTEMS = ("a", "<b>", "none")
LOOK = Look(("neutral", *GROUPS), system_styles(SYSTEMS), LIGHT, True)


def test_ranks_moves_labels_and_losses() -> None:
    found = lists_html(TABLE, SYSTEMS, {"<d1>": "marked"}, LOOK)
    assert '">a</th>' in found
    assert '">&lt;b&gt;</th>' in found
    assert '">none <i>no list for this query</i></th>' in found
    assert '★ <button type="button">&lt;d1&gt;</button>' in found
    assert 'fv-relevant" data-document="0"' in found
    assert "■ female" in found
    assert 'ω 0.50</div><div class="fv-words">marked</div>' in found
    assert '☆ <button type="button">d2</button>' in found
    assert "no text <b>▲ 1</b></div>" in found
    assert "ω 1.00 <b>+ new</b>" in found
    assert "<i>lost:</i> &lt;d1&gt; (from rank 1 to 7)" in found
    assert "<i>lost:</i> d2 (from rank 1), d9 (from rank 2)" in found
    assert found.count("<tr>") == 4
    assert "<d1>" not in found
    into, out = (base64.b64decode(text).decode() for text in re.findall(r'base64,([^"]+)"', found)[:2])
    middle = LOOK.row_height / 2
    assert into.startswith(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{2 * LOOK.row_height}">')
    assert f'<path d="M5 {3 * middle}C' in into  # d2 rises from rank 2 to rank 1
    assert f" {middle}" in into
    assert into.count("<path") == 3  # d2's line, the plus of d9, the arrow of what sank to rank 7
    assert into.count("<circle") == 2
    assert out.count("<path") == 2  # a cross for each that is gone
    assert "<circle" not in out
    alone = lists_html(TABLE[TABLE["system"] == "a"], ("a",), {}, LOOK)
    assert "new" not in alone
    assert "lost" not in alone


def test_one_line_a_document_with_notes_and_a_column_beside_the_second_list() -> None:
    margin = Margin("<i>bars</i>", {2: "<b>+1</b>"}, "sum", 2)
    notes = {"a": " <u>0.5</u>", "none": "no value"}
    found = lists_html(TABLE, SYSTEMS, {}, replace(LOOK, excerpts=False), notes, margin)
    head, first, second, foot = found.split("<tr>")[1:]
    assert '">a <u>0.5</u></th>' in head
    assert "no value" not in head  # of a system without a list
    cells = [row.replace("<th", "<td").split("<td") for row in (head, first, second, foot)]
    assert [next(place for place, cell in enumerate(row) if "fv-margin" in cell) for row in cells] == [5, 5, 4, 5]
    assert 'class="fv-margin"><b>+1</b></td>' in second
    assert 'class="fv-margin"></td>' in first
    assert 'class="fv-margin">sum</td>' in foot
    assert f'height="{2 * LINE}"' in re.findall(r"<img [^>]+>", found)[0]
    assert "fv-lists fv-lines" in found


def test_a_compact_table_has_labels_and_moves_of_both_sides() -> None:
    labels = {"d1": ("■", "female"), "d2": ("", "no label")}
    first = Side("a", {1: "d1", 2: "d2"}, {"d1": "nurse"}, {"d2": 1, "d1": 3}, labels)
    table = compact_html([first, Side("b", {1: "d2", 3: "d9"}, {}, {"d1": 1, "d2": 2}, labels)])
    one, two, three = table.split("<tr>")[2:]
    assert '>↑2</td><td style="' in one
    assert 'title="d1, female: nurse">■ <b>d1</b> <span data-document>nurse</span></td>' in one
    assert ">↑1</td>" in one
    assert 'title="d2, no label: "><b>d2</b></td>' in one
    assert ">↓1</td>" in two
    assert ">✳</td>" in three
    assert [row.count("no document") for row in (two, three)] == [1, 1]
    assert compact_html([Side("a", {}, {}), Side("b", {}, {})]) == NOTHING
    table = compact_html([Side(HOSTILE, {1: HOSTILE}, {HOSTILE: HOSTILE}, {}, {HOSTILE: (HOSTILE, HOSTILE)})])
    assert "<script" not in table
    assert table.count("&lt;script&gt;") == 7
    rows = TABLE.replace({"doc_id": {"d2": HOSTILE}, "system": {"none": HOSTILE}})
    assert "<script" not in lists_html(rows, ("a", "<b>", HOSTILE), {}, LOOK)


def test_words_that_differ_are_marked_and_a_long_text_is_cut() -> None:
    first, second = "She ran <script>x</script>", "He ran <script>x</script>"
    shown = [marked_text(text, marks) for text, marks in zip((first, second), differences(first, second), strict=True)]
    assert [text.partition("</mark>")[2] for text in shown] == [" ran &lt;script&gt;x&lt;/script&gt;"] * 2
    assert [text.partition(">")[2].partition("<")[0] for text in shown] == ["She", "He"]
    assert differences("<b>Her</b>", "")[0] == [(0, 10, "<b>Her</b>", "")]
    assert differences("same", "same") == ([], [])
    assert marked_text("same", []) == "same"
    long = "word " * 1_000 + "her"
    for marks in ([(5_000, 5_003, "him", "her")], differences(long, long[:-3])[0]):
        shown = marked_text(long, marks)
        assert "<mark" not in shown
        assert shown.endswith(" …")
