"""Tables whose cells contain numbers, by which they sort, and show longer texts."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

HEADS = {  # of columns that many tables share
    "value": "value",
    "ci_low": "95 % from",
    "ci_high": "95 % to",
    "query_id": "query",
    "left_out": "left out",
}


def shown(numbers: pd.DataFrame, texts: Mapping[str, Sequence[str]]) -> Styler:
    """Return the table for Streamlit: cells of the columns of `texts` contain their number and show the text
    instead."""
    styler = numbers.style
    for column, cells in texts.items():
        for row, text in zip(numbers.index, cells, strict=True):
            styler = styler.format(partial(_text, text), subset=pd.IndexSlice[[row], [column]])
    return styler


def _text(text: str, _: object) -> str:
    return text


def number(value: float) -> str:
    """Return the number with three decimals below ten, three digits above, a true minus sign; `undefined` for NaN."""
    if np.isnan(value):
        return "undefined"
    text = f"{value:.3f}" if abs(value) < 10 else f"{value:.3g}"
    return text.replace("-", "−") if float(text) else text.replace("-", "")


def with_interval(value: float, low: float, high: float, mark: str = "") -> str:
    """Return a value, a mark, and its interval if it is finite, for a narrow column: `0.250 ★ [.20, .30]`."""
    interval = f" [{_end(low)}, {_end(high)}]" if np.isfinite(low) and np.isfinite(high) else ""
    return f"{number(value)}{f' {mark}' if mark else ''}{interval}"


def _end(value: float) -> str:
    """Return an end of an interval with two decimals and no 0 before the point; three digits above ten."""
    text = f"{value:.2f}" if abs(value) < 10 else f"{value:.3g}"
    text = text.replace("0.", ".", 1) if abs(value) < 0.995 else text
    return text.replace("-", "−") if float(text) else ".00"


def heads(frame: pd.DataFrame) -> dict:
    """Return column settings with the heads of the shared columns of a table."""
    return {name: st.column_config.Column(head) for name, head in HEADS.items() if name in frame.columns}
