"""Tables without a row, for the first drawing of a figure."""

import pandas as pd


def table(*columns: str) -> pd.DataFrame:
    """No row of these columns: names are text, the rest are numbers."""
    names = ("system", "query_id", "measure", "ranker", "list", "word", "pair", "annotator", "reference", "said",
             "true", "first", "second", "over", "line", "baseline", "verdict")  # fmt: skip
    return pd.DataFrame({name: pd.Series([], dtype="str" if name in names else "float64") for name in columns})
