"""The answer of the page Overview without a server: in a notebook, in a terminal, or as one page of HTML."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urlencode

import pandas as pd
import plotly.graph_objects as go
from markupsafe import Markup

from fairviz.annotation.forms.serving import HERE
from fairviz.comparison import finding, ranking_sentences
from fairviz.comparison.compare import Comparison, compared_as
from fairviz.comparison.family import how_on_pages
from fairviz.comparison.finding import Order, caption, lines, orders, strips
from fairviz.comparison.system_table import ROOM, cells, grid, marks, marks_by_column, ordered
from fairviz.datasets.stored import resolve
from fairviz.evaluation import questions, study_facts, validation
from fairviz.evaluation.choices import near_miss_note
from fairviz.evaluation.formats import one_line
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings, to_query
from fairviz.figures import measure_order
from fairviz.figures.style import system_styles
from fairviz.measures import Question
from fairviz.output.report import page as pages
from fairviz.plot.systems import theme
from fairviz.study.record import Study
from fairviz.words.sentences import Sentence, plain

PAGES = {  # paths of the app's pages by their titles
    "Overview": "", "Trade-off": "tradeoff", "Two systems": "compare", "Measures": "measures", "Query": "query",
    "Sensitivity": "sensitivity", "Read": "read", "Methods": "methods",
}  # fmt: skip
START = "Start the app for these links: {}"
SAVE = "Save the study for these links, fairviz.save_study(study, FOLDER), then start the app: {}"
NO_COLUMNS = pd.DataFrame({"system": pd.Series([], dtype="str")})


@dataclass(frozen=True, eq=False)
class Exploration:
    """The Overview of a study: shown by a notebook as its last expression, by a terminal as text.

    table: a row a system and a column a measure, as on the page, NaN where undefined; cells: its texts with stars.
    order: the systems in the order of each measure; empty if there are not two systems to order. facts: (text, tone).
    words: a line a measure. missing: a line for each reason why measures cannot be computed, with its remedy.
    """

    study: Study
    settings: Settings
    facts: Sequence[tuple[str, str]]
    missing: Sequence[str] = ()
    table: pd.DataFrame = field(default_factory=NO_COLUMNS.copy)
    cells: Sequence[Sequence[str]] = ()
    order: Sequence[Order] = ()
    words: Sequence[Sentence] = ()
    caption: str = ""
    notes: Sequence[str] = ()
    dark: bool = False

    @cached_property
    def figure(self) -> go.Figure | None:
        """The systems on each measure's axis; None if there are not two systems to order."""
        return _draw(self, dark=self.dark) if self.order else None

    @property
    def title(self) -> str:
        """The study's title, or its name."""
        return one_line(self.study.title or self.study.name)

    @property
    def links(self) -> dict[str, str]:
        """Addresses of the app's pages with the study and the settings, by the pages' titles."""
        query = urlencode(to_query(self.settings), doseq=True)
        return {title: f"{HERE}/{path}?{query}" for title, path in PAGES.items()}

    @property
    def start(self) -> str:
        """The line on how to start the app for the links."""
        study = self.study
        if study.folder is None:
            return SAVE.format("fairviz app --study FOLDER")
        if resolve(study.name) == study.folder:
            return START.format("fairviz app")
        return START.format(f"fairviz app --study {shlex.quote(str(study.folder))}")

    def html(self) -> str:
        """Return the whole page of HTML with its figure in light and dark, which loads nothing: 5 MB with a figure."""
        figures = {look: _draw(self, dark=look == "dark") for look in ("light", "dark")} if self.order else {}
        order_html = pages.figure_html("order", self.caption, figures) if figures else ""
        sections = [
            pages.Section("Systems", order_html + _words(self)),
            pages.Section("Values", _table(self) + _paragraphs(self.notes)),
            pages.Section("In the app", _links(self)),
        ]
        return pages.page(self.title, _facts(self) + _paragraphs(self.missing), sections)

    def __str__(self) -> str:
        """Return the overview as text: facts, systems on each measure's axis, the table, and the links."""
        facts = " · ".join(text for text, _ in self.facts)
        width = max(map(len, PAGES)) + 2
        addresses = [f"{title:<{width}}{address}" for title, address in self.links.items()]
        parts = [
            f"{self.title}\n{facts}",
            "\n".join(self.missing),
            f"{strips(self.order)}\n{self.caption}" if self.order else "\n".join(map(plain, self.words)),
            "\n".join([*_aligned([list(self.table.columns), *self.cells]), *self.notes]) if self.cells else "",
            "\n".join([self.start, *addresses]),
        ]
        return "\n".join(one_line(line) for line in "\n\n".join(filter(None, parts)).split("\n"))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Return the overview as a fragment of HTML without a script: the systems on each measure's axis as text."""
        text = f"{strips(self.order)}\n{self.caption}" if self.order else ""
        lines = "\n".join(one_line(line) for line in text.split("\n"))
        order_html = str(Markup("<pre>{}</pre>").format(lines)) if text else ""
        return _fragment(self, _head(self) + order_html + _tail(self))

    def _ipython_display_(self) -> None:
        """Show the overview in a notebook: the figure by the notebook's own renderer of Plotly, between two parts of
        HTML. In IPython's terminal, which has no HTML, show the text alone: Plotly would open a browser."""
        from IPython import get_ipython
        from IPython.display import display

        shell = get_ipython()
        is_terminal = shell is not None and "text/html" not in shell.display_formatter.active_types
        if self.figure is None or is_terminal:
            display({"text/html": self._repr_html_(), "text/plain": str(self)}, raw=True)
            return
        display({"text/html": _fragment(self, _head(self)), "text/plain": str(self)}, raw=True)
        display(self.figure)
        display({"text/html": _fragment(self, _tail(self)), "text/plain": ""}, raw=True)


def explore(
    study: Study,
    measures: str | Sequence[str] = (),
    settings: Settings | None = None,
    *,
    dark: bool = False,
    **choices: object,
) -> Exploration:
    """Return the content of the page Overview.

    Facts, the order of the systems by each measure in a figure and in words, the table with stars, and links to the
    app's pages.

    Parameters
    ----------
    study : Study
        What it lacks is a line with its remedy.
    measures : str or sequence of str
        The columns; by default those of the page that the study has data for.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    dark : bool
        Whether the figure has the colours of a dark page.
    **choices
        Fields of Settings to change.

    Returns
    -------
    Exploration
        Text in a console, a page in a notebook; with the attribute table.

    Raises
    ------
    FairvizError
        For an unknown measure or system.

    Examples
    --------
    >>> import fairviz
    >>> list(fairviz.explore(fairviz.open_study("football"), "CWEx@4").table)
    ['system', 'CWEx ↑', 'CWEx 95 %']
    """
    chosen = validation.chosen_settings(study, settings, choices).changed(study=study.name)
    theme(dark)
    if texts := validation.texts(measures):
        questions.questions_of(texts, chosen)
        chosen = chosen.changed(columns=tuple(dict.fromkeys(texts)))
    if not study.systems:
        facts = [(f"{count} {noun}", "") for noun, count in study_facts.study_counts(study)]
        return Exploration(study, chosen, facts, [" ".join(study_facts.nothing_ranked(study))], dark=dark)
    request = questions.overview(study, chosen)
    missing = study_facts.missing_lines(request.missing)
    if not request.questions:
        facts = study_facts.overview_facts(study, chosen, None)
        return Exploration(study, chosen, facts, missing, dark=dark)
    return _explored(study, chosen, request, missing, dark=dark)


def _explored(
    study: Study, settings: Settings, request: questions.Asked, missing: Sequence[str], *, dark: bool
) -> Exploration:
    """Return the overview of a study that has data for these measures."""
    how = how_on_pages(study, settings)
    scores = evaluate(study, [*request.texts, *how.beside(request.texts)], settings)
    comparison = compared_as(scores, how, requested=request.texts)
    every = summarise(scores)
    summary = every[every["measure"].isin(request.texts)]
    labels = [question.text for question in request.questions if question.family == "labels"]
    label_scores = scores[scores["measure"] == labels[0]] if labels else None
    facts = study_facts.overview_facts(study, settings, label_scores)
    lone = finding.lone_system(summary, comparison)
    order = [] if lone else orders(summary, questions.headline(request, settings), comparison)
    table = grid(summary, request.questions, how, intervals=len(request.questions) <= ROOM)
    columns = marks_by_column(marks(comparison), request.questions, ordered(summary["system"], how))
    return Exploration(
        study, settings, facts, missing, table, cells(table, request.questions, columns), order,
        words=[lone] if lone else lines(order),
        caption=caption(comparison),
        notes=[*_notes(summary, request.questions, comparison), *filter(None, [near_miss_note(study, scores)])],
        dark=dark,
    )  # fmt: skip


def _notes(summary: pd.DataFrame, columns: Sequence[Question], comparison: Comparison) -> list[str]:
    """Return what a star means, the systems that are not tested, and the rankings without a value."""
    sentences = (ranking_sentences.stars_note, ranking_sentences.outside_note, ranking_sentences.warned_note)
    undefined = finding.undefined_note(summary, columns).splitlines()
    return [*filter(None, (note(comparison) for note in sentences)), *undefined]


def _draw(overview: Exploration, *, dark: bool) -> go.Figure:
    look = theme(dark)
    return measure_order.draw(measure_order.info(overview.order), system_styles(overview.study.systems, look), look)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows as lines with aligned columns, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        numbers = (text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True))
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers]).rstrip())
    return lines


def _fragment(overview: Exploration, body: str) -> str:
    """Return parts in the frame of a notebook's output."""
    return pages.rendered("explore.html", body=Markup(body), title=overview.title)


def _head(overview: Exploration) -> str:
    return str(Markup("<h3>{}</h3>").format(overview.title)) + _facts(overview) + _paragraphs(overview.missing)


def _tail(overview: Exploration) -> str:
    return _words(overview) + _table(overview) + _paragraphs(overview.notes) + _links(overview)


def _facts(overview: Exploration) -> str:
    return pages.part("badges", overview.facts)


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(pages.paragraph(text, "quiet") for text in texts)


def _words(overview: Exploration) -> str:
    return "".join(map(pages.sentence, overview.words))


def _table(overview: Exploration) -> str:
    return pages.part("texts", list(overview.table.columns), overview.cells) if overview.cells else ""


def _links(overview: Exploration) -> str:
    return pages.paragraph(overview.start, "quiet") + pages.part("links", overview.links)
