"""Tables whose cells hold numbers and show more than these: they sort by number, whatever is written in them."""

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
    """The table as Streamlit takes it: cells of these columns hold their number and show the text in its place."""
    styler = numbers.style
    for column, cells in texts.items():
        for row, text in zip(numbers.index, cells, strict=True):
            styler = styler.format(partial(_said, text), subset=pd.IndexSlice[[row], [column]])
    return styler


def _said(text: str, _: object) -> str:
    return text


def number(value: float) -> str:
    """Three decimals below ten, three digits above, a true minus sign; `undefined` for NaN."""
    if np.isnan(value):
        return "undefined"
    text = f"{value:.3f}" if abs(value) < 10 else f"{value:.3g}"
    return text.replace("-", "−") if float(text) else text.replace("-", "")


def with_interval(value: float, low: float, high: float, mark: str = "") -> str:
    """`0.250 ★ [.20, .30]`: a value, a mark, and its interval where it has one, as short as a column is narrow."""
    within = f" [{_end(low)}, {_end(high)}]" if np.isfinite(low) and np.isfinite(high) else ""
    return f"{number(value)}{f' {mark}' if mark else ''}{within}"


def _end(value: float) -> str:
    """Two decimals without the 0 before the point, three digits above ten."""
    text = f"{value:.2f}" if abs(value) < 10 else f"{value:.3g}"
    text = text.replace("0.", ".", 1) if abs(value) < 0.995 else text
    return text.replace("-", "−") if float(text) else ".00"


def heads(frame: pd.DataFrame) -> dict:
    """Column settings that name the shared columns of a table in words."""
    return {name: st.column_config.Column(head) for name, head in HEADS.items() if name in frame.columns}
