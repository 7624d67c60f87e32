"""The legend's pictures of Plotly's symbols."""

import re

import pytest

from fairviz.figures import style, symbols


@pytest.mark.parametrize("symbol", style.SYMBOLS)
def test_every_symbol_of_a_system_has_a_closed_path_that_fits_the_legend(symbol: str) -> None:
    path = symbols.path_of(symbol)
    assert symbols.path_of(f"{symbol}-open") == path
    assert path.startswith("M")
    assert path.endswith("Z")
    numbers = [float(number) for number in re.findall(r"-?\d+\.?\d*", path)]
    assert 0 < max(map(abs, numbers)) * symbols.SMALL <= 8.5  # the picture reaches from −9 to 9


def test_no_two_symbols_look_alike() -> None:
    assert len({symbols.path_of(symbol) for symbol in style.SYMBOLS}) == len(style.SYMBOLS)


def test_every_dash_of_a_system_is_known() -> None:
    assert set(symbols.DASHES) == set(style.DASHES)
