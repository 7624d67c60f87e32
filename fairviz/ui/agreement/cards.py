"""The cards of the Agreement page: a row of choices with the table, and the figure below it."""

from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy.comparisons import Comparison, reference_of
from fairviz.analyses.annotator_accuracy.raters import can_count_words, study_raters
from fairviz.annotation.agreement import COMMON, left_out_text
from fairviz.annotation.electorate import annotator_names, electorate
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.figures import confusion, intervals, kappa_matrix
from fairviz.figures.style import shortened
from fairviz.output import recipes
from fairviz.study.record import Study
from fairviz.ui.agreement import wording as agreement_words
from fairviz.ui.kept import agreement as agreement_cache
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.shell.lexicon_upload import lexicon_upload
from fairviz.ui.state import choices

HEIGHT = 262
TOGETHER = ("agreement", "value", "ci_low", "ci_high")
PAIR = (
    ("accuracy", "accuracy", "accuracy_low", "accuracy_high"),
    ("Cohen's kappa", "kappa", "kappa_low", "kappa_high"),
)


@dataclass(frozen=True)
class Deck:
    """What every card draws from."""

    study: Study
    settings: Settings
    comparison: Comparison

    @property
    def reference(self) -> str:
        return reference_of(self.study, self.settings, self.comparison)

    @property
    def several(self) -> bool:
        """Whether two annotators or more gave labels."""
        return len(self.comparison.annotators or study_raters(self.study)) > 1

    @property
    def voters(self) -> tuple[str, ...]:
        """Whose labels a consensus is made of."""
        return electorate(self.study)

    @property
    def words(self) -> bool:
        """Whether the word list can be an annotator."""
        return can_count_words(self.study, self.settings)

    def table(self, what: str, *, whole: bool = False, **changes: str) -> pd.DataFrame:
        """One of comparisons.TABLES; `whole`: not told apart by the column. `changes`: of the comparison."""
        changes |= {"by": ""} if whole else {}
        asked = replace(self.comparison, **changes)  # type: ignore[arg-type]
        return agreement_cache.table(self.study, self.settings, asked, what)

    def recipe(self, what: str, annotator: str = "", *, whole: bool = False) -> str:
        """The Python that makes that table; annotator: of whom its rows are."""
        asked = replace(self.comparison, by="") if whole else self.comparison
        return recipes.agreement(self.study, self.settings, asked, what, annotator)


def finding(deck: Deck) -> None:
    """The one computed sentence of what to notice."""
    if not deck.several:
        html.message(
            "info",
            agreement_words.alone(study_raters(deck.study)[0], deck.words),
            "To compare people, give labels.csv a column annotator and a row for each person and document.",
        )
        return
    overall, divided = deck.table("overall", whole=True), deck.table("documents", whole=True)
    html.notice(agreement_words.finding(overall, len(divided), deck.table("confused", whole=True)))
    record = deck.table("annotators", whole=True)
    of_reference = record[record["annotator"] == deck.reference]
    known = int((of_reference["labels"] - of_reference["test_questions"]).sum())
    html.quiet(agreement_words.reference_note(deck.study, deck.reference, known))
    html.quiet(left_out_text(deck.study.labels))


def overall_card(deck: Deck) -> None:
    """The coefficients of all annotators together; one coefficient by the values of a column."""
    table, by = deck.table("overall"), deck.comparison.by
    with st.container(border=True, gap="xsmall"):
        words, more = _row([8, 2])
        with words:
            if by:
                names = list(dict.fromkeys(table["coefficient"]))
                chosen = pick.select("agreement_coefficient", "Coefficient", names, names[2], hide_label=True)
                part = table[table["coefficient"] == chosen]
                figure = intervals.info(f"{chosen} by {by}", part, part.columns[0], [TOGETHER])
            else:
                html.quiet(_size(table))
                figure = _coefficients(deck, table)
        with more:
            charts.table(table, figure.alt, "agreement_overall", deck.recipe("overall"))
        charts.chart(intervals.draw(figure, charts.theme(), HEIGHT), figure.alt, "agreement_overall_chart")


def _coefficients(deck: Deck, table: pd.DataFrame) -> intervals.Intervals:
    """All coefficients; where labels are left out, beside those with them."""
    title, left_out = "All annotators together", deck.comparison.without_empty
    if not left_out:
        return intervals.info(title, table, "coefficient", [TOGETHER])
    every = deck.table("overall", whole=True, without_empty="")
    both = table.merge(every, on="coefficient", suffixes=("", "_every"))
    series = [
        ("every label", "value_every", "ci_low_every", "ci_high_every"),
        (f"without empty {left_out}", "value", "ci_low", "ci_high"),
    ]
    return intervals.info(title, both, "coefficient", series)


def _size(table: pd.DataFrame) -> str:
    first = table.iloc[0]
    return f"{first['annotators']:,} annotators, {first['documents']:,} documents with two labels or more."


def against_card(deck: Deck) -> None:
    """Accuracy and kappa of each annotator against the reference; one annotator's by the values of a column."""
    table, by = deck.table("against"), deck.comparison.by
    with st.container(border=True, gap="xsmall"):
        words, more = _row([8, 2])
        line, title = "annotator", f"Each annotator against {shortened(deck.reference)}"
        drawn = table[table["documents"] > 0]
        with words:
            if by:
                names = _by_size(deck)
                choices.among("agreement_one", names)  # read even where no widget is drawn
                chosen = pick.select("agreement_one", "Annotator", names, hide_label=True) if names else ""
                drawn, line = drawn[drawn["annotator"] == chosen], drawn.columns[0]
                title = f"{shortened(chosen)} against {shortened(deck.reference)}"
            else:
                html.quiet(_whom(len(drawn)))
                drawn = intervals.fewest(drawn, COMMON)
        figure = intervals.info(title, drawn, line, PAIR)
        with more:
            charts.table(table, figure.alt, "agreement_against", deck.recipe("against"))
        charts.chart(intervals.draw(figure, charts.theme(), HEIGHT), figure.alt, "agreement_against_chart")


def _whom(annotators: int) -> str:
    if annotators <= intervals.MOST_LINES:
        return "Over the documents that both labelled."
    return f"The {intervals.MOST_LINES} of least kappa with {COMMON} documents or more; all are in the table."


def confusion_card(deck: Deck) -> None:
    """One annotator's labels against the reference's."""
    cells, names = deck.table("confusion", whole=True), _by_size(deck)
    with st.container(border=True, gap="xsmall"):
        words, more = _row([8, 2])
        if not names:
            html.quiet("There is nobody to compare with the reference.")
            return
        chosen = pick.select("agreement_confusion", "Annotator", names, place=words, hide_label=True)
        figure = confusion.info(cells, deck.reference, chosen)
        with more:
            code = deck.recipe("confusion", chosen, whole=True)
            charts.table(cells[cells["annotator"] == chosen], figure.alt, "agreement_cells", code)
        charts.chart(confusion.draw(figure, charts.theme(), HEIGHT), figure.alt, "agreement_confusion_chart")


def _by_size(deck: Deck) -> list[str]:
    """The annotators to set against the reference, those with the most documents first, consensuses last."""
    compared = deck.table("against", whole=True)
    made = ~compared["annotator"].isin(annotator_names(deck.study))
    ordered = compared.assign(made=made).sort_values(["made", "documents"], ascending=[True, False], kind="stable")
    return ordered["annotator"].tolist()


def pairs_card(deck: Deck) -> None:
    """Kappa of every pair with enough documents in common."""
    pairs = deck.table("pairs", whole=True)
    with st.container(border=True, gap="xsmall"):
        words, more = _row([8, 2])
        figure = kappa_matrix.info(pairs, COMMON)
        with words:
            html.quiet(f"Pairs with {COMMON} documents in common or more. {figure.note}")
        with more:
            charts.table(pairs, figure.alt, "agreement_pairs", deck.recipe("pairs", whole=True))
        charts.chart(kappa_matrix.draw(figure, charts.theme(), HEIGHT), figure.alt, "agreement_pairs_chart")


def words_card(deck: Deck) -> None:
    """The word list as an annotator, neutral against gendered: as it is set, and the two published choices."""
    table = agreement_cache.word_list(deck.study, deck.settings, deck.reference)
    words = chosen_lexicon(deck.study, deck.settings).words
    with st.container(border=True, gap="xsmall"):
        told, load, more = st.columns([5, 3, 2], gap="small", vertical_alignment="center")
        figure = intervals.info("The word list as annotator: neutral or gendered", table, "choice", PAIR)
        with told:
            html.quiet(f"{len(words):,} words against {deck.reference}, in title and text.")
        with load:
            lexicon_upload(deck.study)
        with more:
            place = "fairviz.analyses.annotator_accuracy.raters"
            code = recipes.calling(deck.study, deck.settings, place, "word_list_agreement", deck.reference)
            charts.table(table, figure.alt, "agreement_words", code)
        charts.chart(intervals.draw(figure, charts.theme(), HEIGHT), figure.alt, "agreement_words_chart")
        html.quiet("“Which words count?” in the sidebar sets tokenizer, τ and words. Neutral is ω = 1.")


def _row(widths: list[int]):
    return st.columns(widths, gap="small", vertical_alignment="center")
