"""The Methods page, generated from the records of the measures and of the position biases."""

import pandas as pd
import streamlit as st

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


def position_biases() -> None:
    """Draw each position bias with its formula and its meaning."""
    for function in ATTENTION.values():
        left, right = st.columns([1, 3], vertical_alignment="center")
        with left:
            st.latex(f"p(i) = {function.formula}")
        with right:
            html.definitions([(function.name, function.summary)])
    html.definitions([("custom", "A table of rank and weight, such as click-through rates; 0 beyond its last rank.")])
    html.quiet("RaB and ARaB ignore the position bias, by definition.")


def _parameters(record: Measure) -> None:
    rows = parameter_rows(record)
    if not rows:
        return
    st.dataframe(pd.DataFrame(rows), hide_index=True, key=f"methods_{record.name}", alt=f"Parameters of {record.name}.")


def _range(parameter: Parameter) -> str:
    if parameter.kind in ("number", "integer"):
        return f"{parameter.low:g} to {parameter.high:g}"
    return ", ".join(parameter.choices)
