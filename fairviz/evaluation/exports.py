"""Self-describing results: a table with the study, the settings and the program behind it, for a file that is read by
somebody else, or in a year.

CSV and JSON take it as columns, the same in every row or that of the row's measure, so that every reader of such files
reads them as they are; a table for the eye, LaTeX and Markdown take it as comment lines above.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from fairviz.errors import UsageError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.formats import FORMATS, one_line
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.home import __version__
from fairviz.measures import parse
from fairviz.study.record import Study
from fairviz.words.sentences import shortest

COMMENTS = {"table": ("#", ""), "latex": ("%", ""), "markdown": ("<!--", " -->")}
LONGEST = 120  # characters of one setting; of a longer one the beginning and a hash, which tells two apart
LONGEST_NAME = 80  # bytes
BOOKTABS = r"needs: \usepackage{booktabs}"
_EACH = ("position_bias", "k", "annotator")  # what differs from measure to measure
OTHERS = tuple(  # the choices that values depend on and no other column contains
    name for name, one in CHOICES.items() if name not in _EACH and set(one.reads) - {"study", "text", "bias", "tests"}
)
_NO_NAME = re.compile(r"[^\w.]+")  # what LaTeX, a shell or some system does not take in the name of a file


@dataclass(frozen=True)
class Origin:
    """The inputs of a table.

    measures: canonical texts, empty where the table rests on none. annotator: whose labels count, empty without labels.
    more: further names and values, such as the test of a comparison.
    """

    study: str
    settings: Settings
    annotator: str = ""
    measures: tuple[str, ...] = ()
    more: tuple[tuple[str, str], ...] = ()
    date: str = ""


def origin(
    study: Study, settings: Settings, measures: Sequence[str] = (), more: Sequence[tuple[str, object]] = ()
) -> Origin:
    """The origin of a table that is computed now. Raises FairvizError for an annotator that the study lacks."""
    named = tuple((name, str(value)) for name, value in more)
    texts = tuple(dict.fromkeys(map(str, measures)))
    return Origin(study.name, settings, chosen_annotator(study, settings), texts, named, today())


def today() -> str:
    """The date in UTC, as `2026-01-31`."""
    return datetime.now(UTC).date().isoformat()


def rendered(table: pd.DataFrame, form: str, about: Origin | None = None) -> str:
    """The table as text in one of FORMATS; with its origin where one is given."""
    if about is None:
        return FORMATS[form](table)
    if form in COMMENTS:
        return headed(FORMATS[form](table), about, form)
    return FORMATS[form](with_columns(table, about))


def headed(text: str, about: Origin, form: str = "latex") -> str:
    """The text below the lines of its origin and, for LaTeX, of the package it needs, each a comment of this kind of
    text."""
    begin, end = COMMENTS[form]
    facts = (one_line(line) if not end else one_line(line).replace("--", "- -") for line in lines(about))
    needs = [BOOKTABS] if r"\toprule" in text else []
    return "".join(f"{begin} {line}{end}\n" for line in (*facts, *needs)) + text


def lines(about: Origin) -> list[str]:
    """`study: newswire`, `measures: …` and so on: what is known, one a line."""
    records = [_of_measure(text, about) for text in about.measures]
    biases, cutoffs, annotators = (
        list(dict.fromkeys(str(record[name]) for record in records if record[name])) for name in _EACH
    )
    facts = [
        ("study", about.study),
        ("measures", ", ".join(about.measures)),
        ("position bias", "".join(biases)),
        ("k", ", ".join(cutoffs)),
        ("annotator", "".join(annotators)),
        ("settings", other_settings(about.settings)),
        *about.more,
        ("made with", f"fairviz {__version__} on {about.date}"),
    ]
    return [f"{name}: {value}" for name, value in facts if value]


def with_columns(table: pd.DataFrame, about: Origin) -> pd.DataFrame:
    """The table with the columns study, position_bias, k, annotator, settings, those of `more`, version and date.

    Position bias, k and annotator are those of the row's measure, and empty where it has or uses none; in a table
    without a column `measure` they are those that all its measures share, and without measures there are none.
    """
    records = {text: _of_measure(text, about) for text in about.measures}
    of_measures: dict[str, Any] = {}
    if records and "measure" in table.columns:
        texts = table["measure"].astype("object")
        columns = {name: texts.map({text: record[name] for text, record in records.items()}) for name in _EACH}
        of_measures = {**columns, "k": columns["k"].astype("Int64")}
    elif records:
        for name in _EACH:
            different = {record[name] for record in records.values() if record[name]}
            of_measures[name] = different.pop() if len(different) == 1 else None
        of_measures["k"] = pd.Series([of_measures["k"]] * len(table), index=table.index, dtype="Int64")
    added: dict[str, Any] = {
        "study": about.study,
        **of_measures,
        "settings": other_settings(about.settings),
        **dict(about.more),
        "version": f"fairviz {__version__}",
        "date": about.date,
    }
    return table.assign(**{name if name not in table else f"{name}_of_file": values for name, values in added.items()})


def file_name(about: Origin, what: str, suffix: str) -> str:
    """Return `newswire-table.tex`: short, and a name that LaTeX's `\\input`, shells and every system take.

    The settings are in the file, not in its name.
    """
    stem = "-".join(filter(None, (_NO_NAME.sub("-", part).strip("-. ") for part in (about.study, what))))
    short = stem.encode()[:LONGEST_NAME].decode(errors="ignore")  # other scripts take several bytes a letter
    return f"{short}.{suffix}"


def other_settings(settings: Settings) -> str:
    """Return other choices that count, such as `tokenizer=whitespace; ties=trec_eval`; empty if all are defaults."""
    values = {name: getattr(settings, name) for name in OTHERS if getattr(settings, name) != getattr(Settings, name)}
    return "; ".join(
        f"{name}={_shortened('|'.join(value) if isinstance(value, tuple) else str(value))}"
        for name, value in values.items()
    )


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}… (sha256 {hashlib.sha256(text.encode()).hexdigest()[:12]})"


def _of_measure(text: str, about: Origin) -> dict[str, object]:
    """Position bias, cutoff and annotator of one measure; None or empty where it has none. Of GSR's parts, as
    `GSR.list@10`, those of the whole."""
    try:
        question = parse(text.replace("GSR.query", "GSR").replace("GSR.list", "GSR"))
    except UsageError:
        return {"position_bias": "", "k": None, "annotator": ""}
    bias = about.settings.position_bias if question.measure is not None and question.measure.uses_bias else ""
    if bias == "custom":
        bias = f"custom({_shortened(', '.join(map(shortest, about.settings.custom_bias)))})"
    annotator = about.annotator if question.family == "labels" else ""
    return {"position_bias": bias, "k": question.cutoff, "annotator": annotator}
