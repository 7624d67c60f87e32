"""Queries outside the chance band, per measure, on newswire and Grep-BiasIR: the table of docs/explanation/chance.md.

python -m benchmarks.chance
"""

import pandas as pd

import fairviz
from fairviz.study.record import is_reference

STUDIES = ("newswire", "grep-biasir")
MEASURES = ["CWEx", "ExposureGap", "AWRF", "NFaiRR", "TExFAIR", "RBDF", "RaB", "ARaB", "nDCG"]


def shares(name: str) -> pd.Series:
    """Return for each measure the lists outside their band, of all lists with a value, references left out."""
    study = fairviz.open_study(name)
    table = fairviz.chance(study, MEASURES)
    table = table[~table["system"].map(is_reference).astype(bool)]
    counts = table.groupby("measure", sort=False)[["outside", "queries"]].sum()
    systems = table["system"].nunique()
    text = (
        f"{row.outside} of {row.queries:,} ({100 * row.outside / row.queries:.0f} %)" for row in counts.itertuples()
    )
    return pd.Series(list(text), counts.index, name=f"{name}, {systems} systems")


def main() -> None:
    """Print the table in Markdown."""
    columns = [shares(name) for name in STUDIES]
    print("| measure | " + " | ".join(str(column.name) for column in columns) + " |")
    print("|---" * (1 + len(columns)) + "|")
    for measure in columns[0].index:
        print(f"| {measure} | " + " | ".join(column[measure] for column in columns) + " |")


if __name__ == "__main__":
    main()
