"""Lists and texts side by side as HTML: everything from data is escaped; moves, labels and losses are written."""

import base64
import re
from dataclasses import replace

import pandas as pd

from fairviz.analyses.reading.side_by_side import COLUMNS
from fairviz.figures.style import LIGHT, system_styles
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

HOSTILE = "<script>alert(1)</script>"
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
LOOK = Look(("neutral", "female", "male"), system_styles(("a", "<b>", "none")), LIGHT, True)


def test_ranks_moves_labels_and_losses() -> None:
    found = lists_html(TABLE, ("a", "<b>", "none"), {"<d1>": "marked"}, LOOK)
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
    look = replace(LOOK, excerpts=False)
    margin = Margin("<i>bars</i>", {2: "<b>+1</b>"}, "sum", 2)
    found = lists_html(TABLE, ("a", "<b>", "none"), {}, look, {"a": " <u>0.5</u>", "none": "no value"}, margin)
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
    ranks = {"d1": 1, "d2": 2}, {"d2": 1, "d1": 3}
    first = Side("a", {1: "d1", 2: "d2"}, {"d1": "nurse"}, ranks[1], labels)
    table = compact_html([first, Side("b", {1: "d2", 3: "d9"}, {}, ranks[0], labels)])
    rows = table.split("<tr>")[2:]
    assert len(rows) == 3
    assert '>↑2</td><td style="' in rows[0]
    assert 'title="d1, female: nurse">■ <b>d1</b> <span data-document>nurse</span></td>' in rows[0]
    assert ">↑1</td>" in rows[0]
    assert 'title="d2, no label: "><b>d2</b></td>' in rows[0]
    assert ">↓1</td>" in rows[1]
    assert rows[1].count("no document") == 1
    assert ">✳</td>" in rows[2]
    assert rows[2].count("no document") == 1
    assert compact_html([Side("a", {}, {}), Side("b", {}, {})]) == NOTHING


def test_nothing_from_data_is_markup() -> None:
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
