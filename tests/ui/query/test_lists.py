"""The lists side by side as HTML: everything from data is escaped, moves and losses are said."""

import base64
import re

import pandas as pd

from fairviz.analyses.reading.side_by_side import COLUMNS
from fairviz.figures.style import LIGHT, system_styles
from fairviz.ui.query.excerpts import ROOMY, excerpts
from fairviz.ui.query.lists import Look, deepest, lists_html
from fairviz.ui.query.moves import WIDTH
from fairviz.words.counting import GSR_LEXICON

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


def picture(found: str, place: int) -> str:
    """The moves drawn into a list, as SVG."""
    return base64.b64decode(re.findall(r'base64,([^"]+)"', found)[place]).decode()


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


def test_what_moved_is_drawn_between_the_two_lists() -> None:
    found = lists_html(TABLE, ("a", "<b>", "none"), {}, LOOK)
    middle = LOOK.row_height / 2
    into, out = picture(found, 0), picture(found, 1)
    assert into.startswith(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{2 * LOOK.row_height}">')
    assert f'<path d="M5 {3 * middle}C' in into  # d2 rises from rank 2 to rank 1
    assert f" {middle}" in into
    assert into.count("<path") == 3  # d2's line, the plus of d9, the arrow of what sank to rank 7
    assert into.count("<circle") == 2
    assert out.count("<path") == 2  # a cross for each that is gone
    assert "<circle" not in out


def test_many_long_lists_show_fewer_ranks() -> None:
    assert deepest(10, 60) == 10
    assert deepest(1000, 2) == 300
    assert deepest(1000, 60) == 10
    assert deepest(5, 1) == 5


def test_the_beginning_and_what_stands_around_gender_words_is_shown() -> None:
    far = "a " * 100 + "and then she left the house " + "b " * 100 + "his hat"
    pieces = excerpts(far, GSR_LEXICON, "word", ("female", "male"))
    said = [far[begin:end] for begin, end in pieces]
    assert said[0] == ("a " * 100)[: len(said[0])]
    assert "she left" in said[1]
    assert said[1].count("a ") < 20
    assert said[2].endswith("his hat")
    assert len(pieces) == 3
    short = "she and he"
    assert excerpts(short, GSR_LEXICON, "word", ("female", "male")) == [(0, len(short))]
    plain = "tree " * 100
    assert excerpts(plain, GSR_LEXICON, "word", ("female", "male"))[1] == (500, 500)
    words = "x" * 200 + " " + "he " * 400
    assert (
        sum(end - begin for begin, end in excerpts(words, GSR_LEXICON, "word", ("female", "male"))) < ROOMY.most + 100
    )


def test_one_list_has_neither_moves_nor_losses() -> None:
    found = lists_html(TABLE[TABLE["system"] == "a"], ("a",), {}, LOOK)
    assert "new" not in found
    assert "lost" not in found
