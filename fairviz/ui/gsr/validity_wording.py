"""The sentences and tables of the card on the validity of GSR: pure functions of its tables."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from fairviz.analyses.gsr_validity.direct import Reliability
from fairviz.analyses.gsr_validity.parity import Parity
from fairviz.ui.gsr.wording import interval, number
from fairviz.words.sentences import Sentence, Span, counted, p_value
from fairviz.words.vectors import NAMES

PRINTED_PARITY = 0.92
FEWEST_SYSTEMS = 3
NEAR_HALF = 0.01
FOLLOWS = 0.5  # correlation from which one quantity is said to follow another
ALPHA = 0.05
DIRECT_NOTE = (
    "Gap: male documents for each female one, by the paper's Appendix B. Both counts get one more document "
    "(smoothing = 1), as short lists may lack a gender. The paper adds none. Dotted: the vocabulary's mean, which "
    "divides the queries."
)


def names(first: str, second: str) -> tuple[str, str]:
    """Return different names of both sets; of a file, its name without the folder if these differ."""
    short = [name if name in NAMES else Path(name).name or name for name in (first, second)]
    return (short[0], short[1]) if short[0] != short[1] else (first, second)


def reliability(agreement: Reliability, set_names: tuple[str, str]) -> Sentence:
    """Return the sentence on the agreement of two sets of vectors on queries, and on the first system by each."""
    common_queries = agreement.queries.dropna(subset=["first", "second"])
    name_spans = (Span(set_names[0], True), Span(" and "), Span(set_names[1], True))
    if np.isnan(agreement.pearson):
        return (
            *name_spans,
            Span(" cannot be compared: fewer than three common queries, or one never varies."),
        )
    low, high = agreement.interval
    verdict = "agree" if low > 0 else "contradict each other" if high < 0 else "do not clearly agree"
    verdict = verdict if np.isfinite(low) else "have no tested agreement"
    interval_text = f", 95 % interval {interval(low, high)}" if np.isfinite(low) else ""
    queries_text = counted(len(common_queries), "query")
    agreement_text = f" {verdict} on {queries_text}: Pearson's r {number(agreement.pearson)}{interval_text}."
    return (*name_spans, Span(agreement_text), *_highest(agreement.systems))


def _highest(systems: pd.DataFrame) -> list[Span]:
    """Return the systems of the highest slope by each set; empty if fewer than two systems have slopes by both."""
    slopes = systems.dropna(subset=["first", "second"]).set_index("system")
    if len(slopes) < 2:
        return []
    first, second = str(slopes["first"].idxmax()), str(slopes["second"].idxmax())
    if first == second:
        return [Span(" By both "), Span(first, True), Span(" has the highest GSR.")]
    return [Span(" The highest GSR has "), Span(first, True), Span(" by the first, "), Span(second, True),
            Span(" by the second.")]  # fmt: skip


def spearman(agreement: Reliability) -> str:
    """Return the sentence on the agreement on the order of systems."""
    count = len(agreement.systems.dropna(subset=["first", "second"]))
    if np.isnan(agreement.spearman):
        return f"An order of systems needs {FEWEST_SYSTEMS} with different slopes by both; here are {count}."
    p = p_value(agreement.spearman_p)
    order = f"Order of {counted(count, 'system')}: Spearman's ρ {number(agreement.spearman)}, {p}."
    return f"{order} Slopes by different vectors have different scales: compare their order."


def queries_table(queries: pd.DataFrame, texts: Mapping[str, str], set_names: tuple[str, str]) -> pd.DataFrame:
    """Return a table: query_id, text, and g by each set."""
    table = queries.assign(text=queries["query_id"].astype(str).map(texts))
    return table.rename(columns=dict(zip(("first", "second"), set_names, strict=True)))[
        ["query_id", "text", *set_names]
    ]


def systems_table(systems: pd.DataFrame, set_names: tuple[str, str]) -> pd.DataFrame:
    """Return a table: system, and by each set GSR and the ends of its interval, NAME, NAME from, NAME to."""
    table = {"system": systems["system"]}
    for name, side in zip(set_names, ("first", "second"), strict=True):
        table |= {name: systems[side], f"{name} from": systems[f"{side}_low"], f"{name} to": systems[f"{side}_high"]}
    return pd.DataFrame(table)


def direct(leanings: pd.DataFrame, system: str) -> Sentence:
    """Return the sentence on the share of queries with female over-representation, by the leaning of the queries."""
    system_rows = leanings[(leanings["system"] == system) & (leanings["over"] == "female") & (leanings["queries"] > 0)]
    rows = {str(row["leaning"]): row for _, row in system_rows.iterrows()}
    if len(rows) < 2:
        return (Span("There are no queries on both sides of the vocabulary's mean."),)
    female, male = rows["female"], rows["male"]
    return (
        Span(system, True),
        Span(f" over-represents female documents for {_share(female)} of the {female['queries']} queries that lean "),
        Span(f"female, and for {_share(male)} of the {male['queries']} that lean male: {_verdict(female, male)}."),
    )


def _share(row: pd.Series) -> str:
    return f"{row['share']:.0%} ({row['ci_low']:.0%} to {row['ci_high']:.0%})".replace("%", " %")


def _verdict(female: pd.Series, male: pd.Series) -> str:
    """Return whether the two shares differ significantly, by Fisher's exact test, as they are of different queries."""
    from scipy.stats import fisher_exact

    counts = [[int(row["count"]), int(row["queries"]) - int(row["count"])] for row in (female, male)]
    p = float(fisher_exact(counts).pvalue)
    test = f"(Fisher's exact test, {p_value(p)})"
    if p >= ALPHA:
        return f"the two shares are not significantly different {test}"
    is_stereotypical = female["share"] > male["share"]
    return f"it {'follows' if is_stereotypical else 'goes against'} the stereotype {test}"


def parity(toy_parity: Parity) -> Sentence:
    """Return the sentence on the correlation, the number of answers, and the paper's correlation."""
    if np.isnan(toy_parity.r):
        return (Span("With these vectors, GSR or the share of stereotypical documents is constant."),)
    verb = "follows" if toy_parity.r >= FOLLOWS else "does not follow"
    return (
        Span(f"On the paper's toy data GSR {verb} the share of stereotypical documents ("),
        Span(f"r = {number(toy_parity.r)}", True),
        Span(f" over {toy_parity.solutions:,} answers; paper {number(PRINTED_PARITY)})."),
    )


def parity_note(toy_parity: Parity) -> str:
    """Return notes on the computation, the drawn sample, missing words, and the range of GSR at equal shares."""
    count = len(toy_parity.queries)
    parts = [
        f"{count} occupations; for each the man's document, the woman's or both: 3^{count} answers. r is exact over "
        f"all of them. The figure shows {len(toy_parity.sample):,}, drawn at random with a fixed seed. This study "
        "takes no part."
    ]
    slopes_at_half = toy_parity.sample.loc[(toy_parity.sample["stereotypical"] - 0.5).abs() < NEAR_HALF, "gsr"]
    if len(slopes_at_half):
        parts.append(
            f"At equal shares GSR still runs from {number(slopes_at_half.min())} to {number(slopes_at_half.max())}."
        )
    if toy_parity.missing:
        parts.append(f"Without a vector: {', '.join(toy_parity.missing)}.")
    return " ".join(parts)
