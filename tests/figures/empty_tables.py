"""Tables without a row, for the first drawing of a figure."""

import pandas as pd

TEXTS = (
    *("system", "query_id", "measure", "ranker", "list", "word", "pair", "annotator", "reference", "said"),
    *("true", "first", "second", "over", "line", "baseline", "verdict"),
)


def table(*columns: str) -> pd.DataFrame:
    """No row of these columns, also of several in one text: names are text, the rest are numbers."""
    names = " ".join(columns).split()
    return pd.DataFrame({name: pd.Series([], dtype="str" if name in TEXTS else "float64") for name in names})
