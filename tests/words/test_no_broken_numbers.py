"""No formatter of numbers writes a minus before 0, a power of ten, a sign before `<`, or p on the wrong side of .05."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.comparison import system_table
from fairviz.figures import frame, waterfall
from fairviz.output import html as page
from fairviz.output.comparison_tables import LATEX, PLAIN
from fairviz.output.comparison_tables import _latex_cell as in_latex
from fairviz.output.comparison_tables import _number as in_a_comparison
from fairviz.ui.gsr import debiasing
from fairviz.ui.kit import coloured_words
from fairviz.ui.query import values
from fairviz.words import sentences

ROOT = Path(__file__).parents[2]
NUMBERS = st.floats(-2000, 2000) | st.sampled_from((0.0, -0.0)) | st.floats(-1e-3, 1e-3) | st.floats(-1e-8, 1e-8)
FORMATTERS = {
    "number": sentences.number,
    "decimal": sentences.decimal,
    "decimal +": lambda value: sentences.decimal(value, 2, "+"),
    "signed": sentences.signed,
    "percent": lambda value: sentences.percent(value, sign="+"),
    "with_interval": lambda value: sentences.with_interval(value, value - abs(value) / 3, value + 1e-5, "★"),
    "value of a table": system_table.value_text,
    "marked value of a table": lambda value: system_table.marked_text(value, system_table.NOT_TESTED),
    "change of a table": system_table.change_text,
    "interval of a figure": lambda value: frame.interval_text(value, value + 1e-6),
    "value of a figure": lambda value: frame.value_text(value, value, value),
    "waterfall": waterfall._signed,
    "report": page.number,
    "report +": lambda value: page.decimals(value, "+"),
    "wide": lambda value: PLAIN.number(in_a_comparison(value, "+")),
    "wide LaTeX": lambda value: LATEX.number(in_a_comparison(value, "+")).replace("$", ""),
    "LaTeX": lambda value: in_latex(value, "").replace("$", ""),
    "steps": values.signed,
    "words": coloured_words.signed,
    "debiasing": debiasing.change_text,
}
BROKEN = re.compile(r"[−-]\s*<|[−+-]0?\.?0+(?![\d.])|[−+-]0?\.0+\b|\de[−+-]?\d|[−-]{2}|nan|inf\b")


@pytest.mark.parametrize("name", FORMATTERS)
@given(value=NUMBERS)
def test_no_number_is_written_in_a_broken_way(name: str, value: float) -> None:
    text = FORMATTERS[name](value)
    assert not BROKEN.search(text), text
    assert ("−" in text or "-" in text) <= (value < 0 or "[" in text)


@pytest.mark.parametrize("name", sorted(set(FORMATTERS) - {"debiasing", "words", "wide", "wide LaTeX"}))
def test_a_missing_number_is_no_nan(name: str) -> None:
    assert "nan" not in FORMATTERS[name](np.nan)


@given(p=st.floats(0, 1), several=st.booleans())
def test_p_is_on_its_side_of_05_and_has_no_zero_before_the_point(p: float, several: bool) -> None:
    text = sentences.p_value(p, several=several)
    assert re.fullmatch(r"p (= |≤ |< )(\.\d{2,3}|1\.000)", text), text
    if text.endswith(".050") or re.search(r"[=≤] \.0(5[1-9]|[6-9])|[=≤] (\.[1-9]|1)", text):
        assert p >= 0.05 or several * (p > 0.049)


@given(count=st.integers(0, 3), total=st.integers(0, 3))
def test_counted_nouns_agree(count: int, total: int) -> None:
    text = sentences.out_of(count, total, "query")
    assert text.endswith(" query") is (total == 1)


@pytest.mark.parametrize(
    ("noun", "article"),
    [
        ("annotator", "an"),
        ("run", "a"),
        ("unit", "a"),
        ("undecided label", "an"),
        ("one-sided test", "a"),
        ("'index'", "an"),
    ],
)
def test_the_article_fits_its_noun(noun: str, article: str) -> None:
    assert sentences.with_article(noun) == f"{article} {noun}"


def texts_of(path: Path) -> list[tuple[int, str]]:
    """The f-strings of a file, each with `{}` in place of its values and their formats."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.JoinedStr)]
    return [
        (node.lineno, "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values))
        for node in nodes
    ]


def test_no_text_has_an_article_before_a_name_that_may_begin_with_a_vowel() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in (ROOT / "fairviz").rglob("*.py")
        for line, text in texts_of(path)
        if re.search(r"(?<!<)\ba \{\}(?! \{\})", text)
    ]
    assert [one for one in found if not any(known in one for known in KNOWN)] == []


KNOWN = (
    "fairviz/parameters.py",  # types of Python and `whole `
    "fairviz/measures/contributions.py",  # word count, label or text
    "fairviz/study/loaders/__init__.py",  # types of Python
)
