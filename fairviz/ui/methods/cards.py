"""The Methods page, generated from the records of the measures and of the position biases."""

import pandas as pd
import streamlit as st

from fairviz.analyses.sensitivity.levels import CHOICES
from fairviz.comparison.finding import REASONS
from fairviz.measures import MEASURES, Measure
from fairviz.measures.position_bias import ATTENTION
from fairviz.parameters import Parameter
from fairviz.ui.kit import html

FAIREST = {"higher": "highest", "lower": "lowest", "zero": "0", "one": "1", "none": "none"}
PARTS = {"labels": "labels", "documents": "text", "qrels": "relevance"}
SCROLL = "<script>document.querySelector('.st-key-methods_about_{}')?.scrollIntoView()</script>"
WIDTHS = (130, 460, 206, 62, 92, 92)  # of the columns of all measures, whose words all show at 1,400 pixels
WORDS_AND_LABELS = (
    ("Text", "Title and text joined by a space. Missing text is treated like a missing label; empty text has no word."),
    (
        "Tokenizers",
        "word: Unicode's word boundaries; letters with their marks, in one case. whitespace: split at white space, as "
        "the papers' public code does. It does not count “man,”. characters: also inside Chinese, Japanese, Thai, Lao, "
        "Khmer and Burmese sentences. unaccented: é is e. Phrases match as sequences of words.",
    ),
    (
        "Lexicon",
        "The study's own list, else Appendix B of the GSR paper (Fabris and others, 2020). Tokenizer, lexicon and τ "
        "often change conclusions, so they are controls.",
    ),
    (
        "Labels",
        "One annotator, or a consensus (majority, Dawid-Skene). Default: the study's annotator, else the only one, "
        "else the majority. People vote, and so do labels by a language model and a reader together. Without these, "
        "models and rules vote. A reader's decisions never vote.",
    ),
    (
        "A document without a label",
        "left out of numerator and denominator; or neutral; or the whole list is undefined. Label coverage is "
        "shown beside every figure that rests on labels.",
    ),
    (
        "Ties",
        "Score descending, then the file's rank, then document id. trec_eval instead ignores the rank and puts the "
        "larger id first. It compares scores as 32-bit floats, so scores equal to about seven digits tie. One order "
        "feeds every measure, effectiveness included.",
    ),
    (
        "Intervals",
        "95 % intervals of a mean over queries, and of GSR's slope, by Student's t. Agreement and accuracy of "
        "annotators have percentile bootstraps, 1,000 seeded resamples of queries, or of documents where a study has "
        "no queries. Intervals of one system each compare no "
        "systems: see Comparisons. A query that a system lacks is undefined for fairness and 0 for effectiveness.",
    ),
)
COMPARISONS_QUESTION = "Do two systems differ over the queries that both answer?"
COMPARISONS = (
    (
        "What is compared",
        "The differences of two systems on the queries that both have a value for. Intervals of two single means are "
        "not a test. A query that is hard for one system is hard for the other too.",
    ),
    (
        "Family",
        "All pairs of the systems shown, within a measure. A pair has one verdict on all pages, files and the command "
        "line. Tests, in the side bar, sets another family: one baseline, or all measures of Overview. Name a baseline "
        "before looking at the results.",
    ),
    (
        "Method",
        "maxT by default: paired t statistics with random signs of each query's centred values. There are 10,000 "
        "seeded draws. p is the share of draws whose largest |t| reaches the observed one. Intervals come from the "
        "same draws, so p and interval agree. Other corrections: Holm, Bonferroni, Benjamini-Hochberg, randomised "
        "Tukey HSD, none. Their statistic is t, Wilcoxon's or a randomisation test.",
    ),
    (
        "Intervals",
        "Simultaneous with maxT, Tukey and Bonferroni; else of one difference, uncorrected. Captions name which.",
    ),
    (
        "Fairest at 0 or 1",
        "Systems are ordered by their distance from it: |mean|, or |ln mean| of a ratio. Difference and sum of the two "
        "means must both differ from 0. The larger p counts.",
    ),
    (
        "GSR",
        "It has no value for one query. Two slopes are compared by the slope of their lists' differences. Both "
        "slopes use the same random signs.",
    ),
    (
        "Few queries",
        "A verdict needs 10 common queries and half of all queries. A warning counts lost queries: many, or more for "
        "one system than the other.",
    ),
    (
        "Star",
        "The best of a measure, and every system that is not significantly different from it. Not significantly "
        "different does not mean equal. With a baseline, only its pairs are tested. Stars then appear only where it is "
        "the best.",
    ),
    (
        "Equivalence",
        "Shown where the simultaneous 90 % interval is within a margin that you set. A difference can be significant "
        "and still not matter.",
    ),
    (
        "Power",
        "The minimum detectable difference: the smallest that the family detects with the chosen power. It uses the "
        "observed standard deviation.",
    ),
    (
        "Not tested",
        "References (perfect, random) and edited lists are grey, without verdict and star. Adding them changes no "
        "other verdict. Tick one under Also test to let it join the family; Test without takes systems out. A run that "
        "is added joins at once.",
    ),
    (
        "Anywhere else",
        "Command line: fairviz compare STUDY MEASURE… [--baseline NAME] [--tests TESTS]. Python: "
        "fairviz.compare(scores).",
    ),
)
SENSITIVITY_QUESTION = "Does the order of two systems hold under every combination of defensible choices?"
SENSITIVITY = (
    (
        "What is varied",
        "; ".join(f"{name.replace('_', ' ')} ({levels.question})" for name, levels in CHOICES.items())
        + "; and the measure, where there are several. The level that is set now is always among the levels.",
    ),
    (
        "What counts as a combination",
        "Each measure has its own grid over the choices that it reads: CWEx ignores τ. Equal levels (an annotator and "
        "the study's default) count once. The order of ties varies where tied scores reach the cutoff. Missing labels "
        "vary where a label is missing. Two counts are given: distinct combinations, and all of them.",
    ),
    (
        "Who is fairer",
        "By the means over common queries, in the measure's own direction. Measures that are fairest at 0 or 1: by "
        "the distance from it. Combinations without a value for one system are shown and count for neither. "
        "Combinations with fewer than half of the queries are named.",
    ),
    (
        "What a test supports",
        "Each combination is its own family: all pairs shown, tested as in the side bar. Every page "
        "has the same verdict under these settings. The count of significant combinations is a description, not a "
        "test. All combinations share the queries, so agreement of many adds no evidence.",
    ),
    (
        "Interval and chance",
        "The interval of the difference comes from the tests of its combination; see Comparisons. The chance: the "
        "share of 1,000 bootstraps over queries in which the system is fairer. Equal values count half. A cell of the "
        "map shows the mean chance over the other choices.",
    ),
    (
        "Scale",
        "One measure is drawn in its own unit. Several measures: each difference is divided by the standard deviation "
        "of its differences by query. This is Cohen's d for pairs, t/√n. For GSR: r/√(1 − r²), its t/√(n − 2).",
    ),
    (
        "Share of the variance",
        "A functional analysis of variance over the full grid, with equal weight for each measure. A choice that a "
        "measure does not read has no effect. Alone: the variance of the levels' means over that of all combinations "
        "(Sobol's first-order index). The rest is interaction; both sum to 1. With others: the mean variance over the "
        "choice's levels, all else fixed (total index). Each interaction counts for each of its choices, so totals sum "
        "to more than 1.",
    ),
    (
        "Where combinations are undefined",
        "The grid has holes, and choices are no longer independent of one another. A share is then the variance that "
        "the choice adds to an additive model. It is averaged over all orders of entry (Lindeman, Merenda and Gold; "
        "Shapley's value). The rest is interaction. On a full grid both definitions give the same number. "
        "No share is negative, and all sum to 1.",
    ),
    (
        "What decides the rest",
        "The shares of the order, +1, −1 or 0 for neither. A choice decides most if it carries more than half of that "
        "variance alone. Else two choices together may; else none does. If all combinations agree, the size of the "
        "difference is explained instead.",
    ),
    (
        "Sources",
        "Simonsohn, Simmons, Nelson: Specification curve analysis. Nature Human Behaviour 4, 2020. Hooker: Generalized "
        "functional ANOVA diagnostics. JCGS 16, 2007. Sobol: Sensitivity estimates for nonlinear mathematical models. "
        "1993. Lindeman, Merenda, Gold: Introduction to bivariate and multivariate analysis. 1980.",
    ),
    (
        "Anywhere else",
        "Command line: fairviz sensitivity STUDY --systems A,B --measure CWEx --choice tau=0,1. Python: "
        "fairviz.robustness.",
    ),
)


SYMBOLS = (("k, p(i), G", "Cutoff, attention at rank i, gender groups. Averages leave undefined values out."),)


def overview() -> None:
    """One table of all measures."""
    rows = [
        {
            "measure": measure.name,
            "definition": measure.summary,
            "range": measure.range_text,
            "fairest": FAIREST[measure.direction],
            "rests on": ", ".join(PARTS.get(part, part) for part in measure.needs),
            "position bias": "yes" if measure.uses_bias else "ignored",
        }
        for measure in MEASURES.values()
    ]
    heads = {name: st.column_config.TextColumn(name, width=width) for name, width in zip(rows[0], WIDTHS, strict=True)}
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        key="methods_overview",
        height="content",
        column_config=heads,
        alt="All measures.",
    )


def measure(name: str, *, is_open: bool) -> None:
    """Draw everything about one measure, folded under its name; scroll to it if it is open."""
    record = MEASURES[name]
    with st.expander(name, expanded=is_open, key=f"methods_about_{name}"):
        if is_open:
            st.html(SCROLL.format(name), unsafe_allow_javascript=True)
        html.strong(record.summary)
        st.latex(record.formula)
        html.definitions(facts(record).items())
        _parameters(record)


def facts(record: Measure) -> dict[str, str]:
    """Return what this page and the manual write about a measure, by heading; without headings that have no text."""
    texts = {
        "Range": record.range_text,
        "Fairest": FAIREST[record.direction],
        "Rests on": " and ".join(PARTS.get(part, part) for part in record.needs),
        "Position bias": "matters" if record.uses_bias else "ignored, by definition",
        "Undefined": record.undefined or REASONS[record.family],
        "Source": record.paper,
        "Equation": record.equation,
        "Decided here": record.decided,
        "Example": record.example,
        "Package": record.package,
        "Taken apart": record.anatomy,
    }
    return {heading: text for heading, text in texts.items() if text}


def parameter_rows(record: Measure) -> list[dict[str, str]]:
    """Return a row for each parameter of a measure: its type, default, range and meaning."""
    return [
        {
            "parameter": parameter.name,
            "type": parameter.kind,
            "default": "the study's" if parameter.default is None else str(parameter.default),
            "range": _range(parameter),
            "meaning": parameter.help,
        }
        for parameter in record.parameters
    ]


CUSTOM = "A table of rank and weight, such as click-through rates; 0 beyond its last rank."


def position_biases() -> None:
    """Draw each position bias with its formula and its meaning."""
    for function in ATTENTION.values():
        left, right = st.columns([1, 3], vertical_alignment="center")
        with left:
            st.latex(f"p(i) = {function.formula}")
        with right:
            html.definitions([(function.name, function.summary)])
    html.definitions([("custom", CUSTOM), ("of RaB and ARaB", "They ignore the position bias, by definition.")])


def _parameters(record: Measure) -> None:
    rows = parameter_rows(record)
    if not rows:
        return
    st.dataframe(pd.DataFrame(rows), hide_index=True, key=f"methods_{record.name}", alt=f"Parameters of {record.name}.")


def _range(parameter: Parameter) -> str:
    if parameter.kind in ("number", "integer"):
        return f"{parameter.low:g} to {parameter.high:g}"
    return ", ".join(parameter.choices)
