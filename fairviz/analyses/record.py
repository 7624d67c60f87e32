"""The record of an analysis, from which its verb, its page, its recipe, its cache key and its job are derived."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fairviz.analyses.views import View, default_views
from fairviz.errors import PackageError, value_text
from fairviz.installed import Owner, owner_of
from fairviz.parameters import Call, Parameter, check_address, check_types, values_of

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from fairviz.evaluation.settings import Settings
    from fairviz.figures.style import Theme
    from fairviz.study.record import Study

Progress = Callable[[str, int, int], None]
ArgumentsOf = tuple[Callable[..., Any], tuple[Any, ...], Mapping[str, Any]]  # a function, its arguments and keywords
RANKERS = "rankers"  # the kind of a parameter that names rankers: the page asks before texts leave for a server
LACKING = {  # what a study without the part lacks, and the remedy
    "runs": ("no runs", "Add runs/NAME.run (TREC format, 6 columns), or rank the documents with `fairviz rank`."),
    "queries": ("no queries", "Add queries.csv with the columns query_id, text."),
    "documents": ("no text of documents", "Add documents.tsv with the columns doc_id and text."),
    "qrels": ("no relevance judgements", "Add qrels.txt (TREC format: query 0 document relevance)."),
    "labels": ("no gender labels", "Add labels.csv with the columns doc_id, label, or run `fairviz annotate`."),
}


class Table(NamedTuple):
    """A table of an analysis. rows: from the result to the table. help: one line on its rows and columns. opens:
    `document` if a ticked row of the page opens its doc_id on the page Read. columns: those that the verb prints
    without --every-column, if it has that option. by: from the result and a column to the table divided by it."""

    rows: Callable[[Any], "pd.DataFrame"]
    help: str
    opens: Literal["", "document"] = ""
    columns: Sequence[str] = ()
    by: Callable[[Any, str], "pd.DataFrame"] | None = None


class Drawing(NamedTuple):
    """A figure with its alt text."""

    figure: "go.Figure"
    alt: str


def no_lines(result: Any) -> Sequence[str]:
    """Return no lines, for an analysis without notes."""
    return ()


class Origin(NamedTuple):
    """Provenance of a table beside study and settings: pairs of a name and a value, and measures."""

    parameters: Sequence[tuple[str, object]]
    measures: Sequence[str] = ()


class Control(NamedTuple):
    """Control of a parameter on a page, where the kind of its Parameter is not enough.

    parameter: its name. kind: `calls` picks rankers with their parameters, `own` is a widget of the page. key: of the
    widget, and in the address. term: of the glossary, whose definition precedes the help. width: of its column. offers:
    what is offered, or a function from study and settings to it; of calls empty for every ranker. usual: of these what
    is chosen first. texts: of what is offered. value: from what was chosen to the parameter's value.
    """

    parameter: str
    kind: Literal["calls", "several", "select", "number", "toggle", "text", "own"]
    key: str
    label: str
    help: str = ""
    term: str = ""
    width: float = 3
    offers: Sequence[Any] | Callable[["Study", "Settings"], Sequence[Any]] = ()
    usual: Sequence[Any] = ()
    texts: Callable[[Any], str] | Mapping[Any, str] = str
    value: Callable[[Any], Any] = lambda chosen: chosen


@dataclass(frozen=True)
class Analysis:
    """A question that goes beyond a score: its inputs, and the way from them to tables, figures and sentences.

    name: of the verb and the page's address. title: of the page. question: that the page answers. summary: the verb's
    help in one line, without a capital. compute(study, settings, progress, **values) returns the outcome, which is
    cached; it may take long, and calls progress(what, done, in all) now and then. tables: by name, the first is the
    default. sentences: from the result to the findings. parameters: options of the verb, controls of the page.

    needs: the parts of a study without which nothing is computed, each with what it is needed for, which may be empty.
    lacks: from a study with these to what else it lacks, and the remedy; two empty texts for nothing.
    reads: the fields of Settings that `compute` depends on, None for all: options of the verb, and part of the cache
    key. result: from outcome and settings to the result, where it depends on more settings than the outcome; the verb
    then has the options of all settings. figures: by title, from result and theme. notes: from the result to remarks
    other than findings. files: the parameters that name a file, each with its reader; the page has no control for them.
    options: the verb's option of a parameter, where it is not `--` and the parameter's name. details: paragraphs of the
    verb's help. stopped: the line printed after Ctrl-C. page: the file in `pages/` of an analysis with a page of its
    own. quick: whether its page computes it when it opens, and no click starts a job; the report then has it too, if
    it needs any part of the study.
    aliases: earlier names, which are still read. group: of verbs, in which its own is listed. manual: its page of the
    manual, without ending. package: that of others from which it comes, with its version, set when it is loaded.

    views: from the result, and what a page lets choose by name, to what is shown of it; else sentences, figures and
    tables are. controls: how the page asks for parameters; else by their kinds. example: of a call of the verb. call:
    from study, settings and values to the public function and its arguments, for recipes; else it is `analyse`. said:
    from the result and the argument STUDY to the lines that the verb prints beside notes; else the sentences. origin:
    from result and values to the provenance of the verb's tables; else the values.

    Libraries that load slowly, pandas among them, are imported inside the functions. An example:

        def _longest(study, settings, progress, top):
            texts = study.queries.assign(words=study.queries["text"].str.split().str.len())
            return texts.nlargest(top, "words", keep="all")

        LONGEST = Analysis(
            name="longest", title="Longest queries", question="Which queries have most words?",
            summary="the queries with most words", compute=_longest, needs={"queries": "to count words in"},
            parameters=(Parameter("top", 3, "the number of queries", low=1, high=100, whole=True),),
            tables={"queries": Table(lambda queries: queries, "a row a query: query_id, text, words")},
            sentences=lambda queries: [f"The longest query has {queries['words'].max()} words."],
        )

    With a line in ANALYSES it is `fairviz longest STUDY --top 5`, a page with a control for `top`, and in Python
    `analyse(study, "longest", top=5)` (fairviz/analyses/running.py).
    """

    name: str
    title: str
    question: str
    summary: str
    compute: Callable[..., Any]
    tables: Mapping[str, Table]
    sentences: Callable[[Any], Sequence[str]]
    parameters: tuple[Parameter, ...] = ()
    needs: Mapping[str, str] = field(default_factory=dict)
    lacks: Callable[["Study"], tuple[str, str]] = lambda study: ("", "")
    reads: tuple[str, ...] | None = ()
    result: Callable[[Any, "Settings"], Any] | None = None
    figures: Mapping[str, Callable[[Any, "Theme"], Drawing]] = field(default_factory=dict)
    notes: Callable[[Any], Sequence[str]] = no_lines
    files: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    details: tuple[str, ...] | Callable[[], tuple[str, ...]] = ()
    stopped: str = "stopped"
    page: str = ""
    quick: bool = False
    aliases: tuple[str, ...] = ()
    group: str = "Look closer"
    manual: str = ""
    package: str = ""
    views: Callable[[Any, Mapping[str, Any]], Sequence["View"]] | None = None
    controls: tuple[Control, ...] = ()
    example: str = ""
    call: Callable[["Study", "Settings", Mapping[str, Any]], ArgumentsOf] | None = None
    said: Callable[[Any, str], Iterable[str]] | None = None
    origin: Callable[[Any, Mapping[str, Any]], Origin] | None = None

    def shown(self, result: Any, chosen: Mapping[str, Any] | None = None) -> "Sequence[View]":
        """Return what is shown of a result: its views, or sentences, figures, tables and notes."""
        if self.views is not None:
            return self.views(result, chosen or {})
        return default_views(self, result)

    def missing(self, study: "Study") -> tuple[str, str]:
        """Return what the study lacks and the remedy; two empty texts if it lacks nothing."""
        for part, purpose in self.needs.items():
            is_there = study.has(part) and not (part == "documents" and study.documents["text"].isna().all())
            if not is_there:
                what, remedy = LACKING[part]
                return f"{study.name} has {what} {purpose}".rstrip(), remedy
        return self.lacks(study)

    def read_values(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return a value for each parameter, the default for one without argument; the name of a file is read.

        Raises UsageError for an unknown parameter and an invalid value; of files also what their readers raise.
        """
        literals = {name: value for name, value in arguments.items() if name not in self.files}
        values = values_of(Call(self.name, literals), self.parameters)
        for name, read in self.files.items():
            if (argument := arguments.get(name)) is not None:
                values[name] = read(argument) if isinstance(argument, str) else argument
        return values

    def result_of(self, outcome: Any, settings: "Settings") -> Any:
        """Return the result of an outcome under the settings."""
        return outcome if self.result is None else self.result(outcome, settings)


def adopt(record: Analysis) -> Analysis:
    """Return the record with tables, figures and sentences that are checked.

    Raises ValueError, with the reason, for a record that cannot be used.
    """
    check_address(record.name)
    check_types(record.parameters)
    if not record.tables or not all(isinstance(table, Table) for table in record.tables.values()):
        raise ValueError(f"its tables are not {Table.__module__}.{Table.__name__}, one or more by name")
    if unknown := sorted(set(record.needs) - set(LACKING)):
        raise ValueError(f"it needs {unknown[0]!r}, and not one of {', '.join(LACKING)}")
    if record.page:
        raise ValueError("its page is a file of fairviz: leave `page` out, or add a record of fairviz.pages")
    owner = owner_of(record)
    return replace(
        record,
        summary=f"{record.summary} (package {record.package})" if record.package else record.summary,
        tables={
            name: table._replace(rows=partial(_table_of, table.rows, name, owner))
            for name, table in record.tables.items()
        },
        sentences=partial(_sentences_of, record.sentences, owner),
        figures={title: partial(_drawing_of, draw, title, owner) for title, draw in record.figures.items()},
    )


def _table_of(rows: Callable[[Any], Any], name: str, owner: Owner, result: Any) -> "pd.DataFrame":
    import pandas as pd

    if not isinstance(table := rows(result), pd.DataFrame):
        raise PackageError(f"{owner} gives {value_text(table)} for its table {name}", "Return a pandas.DataFrame.")
    return table


def _sentences_of(sentences: Callable[[Any], Any], owner: Owner, result: Any) -> tuple[str, ...]:
    found = sentences(result)
    if isinstance(found, str) or not all(isinstance(sentence, str) for sentence in found):
        raise PackageError(f"{owner} gives {value_text(found)} for its sentences", "Return a list of texts.")
    return tuple(found)


def _drawing_of(draw: Callable[[Any, "Theme"], Any], title: str, owner: Owner, result: Any, theme: "Theme") -> Drawing:
    drawing = draw(result, theme)
    if not isinstance(drawing, Drawing) or not drawing.alt:
        remedy = f"Return the figure as {Drawing.__module__}.{Drawing.__name__}, with its alt text."
        raise PackageError(f"{owner} gives {value_text(drawing)} for its figure {title}", remedy)
    return drawing
