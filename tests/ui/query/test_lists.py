"""The lists side by side as HTML: everything from data is escaped, moves and losses are said."""

import pandas as pd

from fairviz.figures.style import LIGHT
from fairviz.ui.query.lists import MOST, excerpts, lists_html
from fairviz.words.counting import GSR_LEXICON

COLUMNS = ["system", "rank", "doc_id", "label", "omega", "relevance", "first_rank"]
ROWS = [
    ("a", 1, "<d1>", "female", 0.5, 1, 1),
    ("a", 2, "d2", "", float("nan"), None, 2),
    ("<b>", 1, "d2", "", float("nan"), 0, 2),
    ("<b>", 2, "d9", "neutral", 1.0, None, None),
    ("<b>", None, "<d1>", "female", 0.5, 1, 1),
]
TABLE = pd.DataFrame(ROWS, columns=COLUMNS).astype({"rank": "Int64", "relevance": "Int64", "first_rank": "Int64"})


def test_ranks_moves_labels_and_losses() -> None:
    found = lists_html(TABLE, ("a", "<b>"), {"<d1>": "marked"}, ("neutral", "female", "male"), LIGHT)
    assert "<th>a</th><th>&lt;b&gt;</th>" in found
    assert "★ <b>&lt;d1&gt;</b>" in found
    assert "■ female" in found
    assert "ω 0.50<br>marked" in found
    assert "☆ <b>d2</b>" in found
    assert "no text <b>▲ 1</b><br><i>no text</i>" in found
    assert "ω 1.00 <b>new</b>" in found
    assert "<i>lost:</i> &lt;d1&gt; (from rank 1)" in found
    assert found.count("<tr>") == 4
    assert "<d1>" not in found


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
    assert sum(end - begin for begin, end in excerpts(words, GSR_LEXICON, "word", ("female", "male"))) < MOST + 100


def test_one_list_has_neither_moves_nor_losses() -> None:
    found = lists_html(TABLE[TABLE["system"] == "a"], ("a",), {}, ("neutral", "female", "male"), LIGHT)
    assert "new" not in found
    assert "lost" not in found
