"""The figures of the Agreement page: a row of choices with the table, and the figure below it."""

from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy import comparisons
from fairviz.analyses.annotator_accuracy.comparisons import Comparison, reference_of
from fairviz.analyses.annotator_accuracy.raters import can_count_words, word_list_agreement
from fairviz.annotation.agreement import COMMON, Votes, drawn
from fairviz.annotation.voters import annotator_names, is_consensus, voters_of
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.figures import confusion, intervals, kappa_matrix
from fairviz.figures.style import shortened
from fairviz.output.recipes import Recipe, recipe
from fairviz.study.record import Study
from fairviz.ui.agreement import wording as agreement_words
from fairviz.ui.kept import labels as agreement_cache
from fairviz.ui.kit import charts, html, pick
from fairviz.ui.shell.controls import lexicon_upload
from fairviz.ui.state import choices

HEIGHT, FIRST_HEIGHT = 300, 400  # pixels of a figure in a tab, and of one of the first two
NO_LABELS = "Add labels.csv (doc_id, annotator, label) on the Data page or in the study's folder."
SEVERAL = "To compare people: one row per person and document in labels.csv."
MORE_VOTERS = "Add voters above to see where they disagree."
NOT_ACCURACY = "Agreement is not accuracy; kappa and alpha correct for chance."
TOGETHER = ("agreement", "value", "ci_low", "ci_high")
PAIR = (
    ("accuracy", "accuracy", "accuracy_low", "accuracy_high"),
    ("Cohen's kappa", "kappa", "kappa_low", "kappa_high"),
)


@dataclass(frozen=True)
class Deck:
    """The data of the cards."""

    study: Study
    settings: Settings
    comparison: Comparison

    @property
    def reference(self) -> str:
        return reference_of(self.study, self.settings, self.comparison)

    @property
    def voters(self) -> tuple[str, ...]:
        """Annotators whose labels enter a consensus."""
        return voters_of(self.study, self.settings.voters)

    @property
    def votes(self) -> Votes:
        """The votes of the comparison: without labels that are left out, and with merged ones."""
        return agreement_cache.votes(self.study, self.settings, self.comparison)

    @property
    def words(self) -> bool:
        """Return True if the word list can be an annotator."""
        return can_count_words(self.study, self.settings)

    def table(self, what: str, *, whole: bool = False, **changes: str) -> pd.DataFrame:
        """Return one of comparisons.TABLES. whole: over all values of the column. changes: to the comparison."""
        changes |= {"by": ""} if whole else {}
        comparison = replace(self.comparison, **changes)  # type: ignore[arg-type]
        return agreement_cache.agreement_table(self.study, self.settings, comparison, what)

    def recipe(self, what: str, *, whole: bool = False) -> Recipe:
        """Return how that table is made again."""
        comparison = replace(self.comparison, by="") if whole else self.comparison
        return recipe(comparisons.table, self.study, self.settings, comparison, what)


def finding(deck: Deck) -> None:
    """Draw the main finding in one computed sentence."""
    left_out = deck.comparison.without_empty
    parts = ("neutral against gendered" if deck.comparison.binary else "", f"without empty {left_out}" * bool(left_out))
    overall = deck.table("overall", whole=True)
    html.findings(agreement_words.finding(deck.votes, overall, ", ".join(filter(None, parts))), small=True)
    if len(deck.voters) < 2:
        html.quiet(MORE_VOTERS if len(annotator_names(deck.study)) > 1 else SEVERAL)


def _reference_note(deck: Deck) -> str:
    """Return the number of documents labelled by the reference, and its kind."""
    if is_consensus(deck.study, deck.reference):
        label_count = len(agreement_cache.consensus(deck.study, deck.settings, deck.reference))
    else:
        record = deck.table("annotators", whole=True)
        of_reference = record[record["annotator"] == deck.reference]
        label_count = int((of_reference["labels"] - of_reference["test_questions"]).sum())
    return agreement_words.reference_note(deck.study, deck.reference, label_count, deck.settings.voters)


def overall_card(deck: Deck) -> None:
    """Draw the coefficients of all annotators together; one coefficient by the values of a column."""
    table, by = deck.table("overall"), deck.comparison.by
    with st.container(border=True, gap="xsmall"):
        text_column, table_column = _row([8, 2])
        with text_column:
            if by:
                names = list(dict.fromkeys(table["coefficient"]))
                coefficient = pick.select("agreement_coefficient", "Coefficient", names, names[2], hide_label=True)
                part = table[table["coefficient"] == coefficient]
                figure = intervals.info(f"{coefficient} by {by}", part, part.columns[0], [TOGETHER])
            else:
                html.quiet(f"{_size(table)} {NOT_ACCURACY}")
                unit = drawn(deck.study, deck.study.labels["doc_id"], deck.comparison.draw)
                html.quiet(f"Intervals: 1,000 bootstraps over {unit}.")
                figure = _coefficients(deck, table)
        with table_column:
            charts.table(table, figure.alt, "agreement_overall", deck.recipe("overall"))
        charts.chart(intervals.draw(figure, charts.theme(), HEIGHT), figure.alt, "agreement_overall_chart")
        html.quiet(agreement_words.reasons(table))


def _coefficients(deck: Deck, table: pd.DataFrame) -> intervals.Intervals:
    """Return all coefficients, and those of every label beside them if some labels are left out."""
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
    """Draw accuracy and kappa of each annotator against the reference; one annotator's by the values of a column."""
    table, by = deck.table("against"), deck.comparison.by
    with st.container(border=True, gap="xsmall"):
        text_column, table_column = _row([8, 2])
        line, title = "annotator", f"Each annotator against {shortened(deck.reference)}"
        rows = table[table["documents"] > 0]
        with text_column:
            if by:
                names = _by_size(deck)
                choices.among("agreement_one", names)  # read even where no widget is drawn
                annotator = pick.select("agreement_one", "Annotator", names, hide_label=True) if names else ""
                rows, line = rows[rows["annotator"] == annotator], rows.columns[0]
                title = f"{shortened(annotator)} against {shortened(deck.reference)}"
            else:
                html.quiet(_reference_note(deck))
                html.quiet(_whom(len(rows)))
                votes = rows["annotator"].isin(deck.voters)
                rows = pd.concat([rows[votes], intervals.fewest(rows[~votes], COMMON)]).head(intervals.MOST_LINES)
        figure = intervals.info(title, rows, line, PAIR)
        with table_column:
            charts.table(table, figure.alt, "agreement_against", deck.recipe("against"))
        charts.chart(intervals.draw(figure, charts.theme(), FIRST_HEIGHT), figure.alt, "agreement_against_chart")
        html.quiet(agreement_words.reasons(table))


def _whom(annotators: int) -> str:
    if annotators <= intervals.MOST_LINES:
        return ""
    return f"Voters, and others of least kappa with {COMMON} documents or more: {intervals.MOST_LINES}."


def confusion_card(deck: Deck) -> None:
    """Draw one annotator's labels against the reference's."""
    cells, names = deck.table("confusion", whole=True), _by_size(deck)
    with st.container(border=True, gap="xsmall"):
        annotator_column, table_column = _row([8, 2])
        if not names:
            html.quiet("No other annotator can be compared with the reference.")
            return
        annotator = pick.select("agreement_confusion", "Annotator", names, place=annotator_column, hide_label=True)
        figure = confusion.info(cells, deck.reference, annotator)
        with table_column:
            charts.table(cells, figure.alt, "agreement_cells", deck.recipe("confusion", whole=True))
        charts.chart(confusion.draw(figure, charts.theme(), FIRST_HEIGHT), figure.alt, "agreement_confusion_chart")


def _by_size(deck: Deck) -> list[str]:
    """Return the annotators to compare with the reference: voters first, then by documents, consensuses last."""
    annotators = deck.table("against", whole=True)
    is_consensus = ~annotators["annotator"].isin(annotator_names(deck.study))
    is_voter = annotators["annotator"].isin(deck.voters)
    ordered = annotators.assign(made=is_consensus, votes=is_voter).sort_values(
        ["made", "votes", "documents"], ascending=[True, False, False], kind="stable"
    )
    return ordered["annotator"].tolist()


def pairs_card(deck: Deck) -> None:
    """Draw kappa of every pair with enough documents in common."""
    pairs = deck.table("pairs", whole=True)
    with st.container(border=True, gap="xsmall"):
        text_column, table_column = _row([8, 2])
        figure = kappa_matrix.info(pairs, COMMON)
        with text_column:
            html.quiet(f"Pairs with {COMMON} documents in common or more. {figure.note}")
        with table_column:
            charts.table(pairs, figure.alt, "agreement_pairs", deck.recipe("pairs", whole=True))
        charts.chart(kappa_matrix.draw(figure, charts.theme(), HEIGHT), figure.alt, "agreement_pairs_chart")


def words_card(deck: Deck) -> None:
    """Draw the agreement of the word list, neutral against gendered: as chosen, and with the two published choices."""
    table = agreement_cache.word_list(deck.study, deck.settings, deck.reference, deck.comparison.draw)
    words = chosen_lexicon(deck.study, deck.settings).words
    with st.container(border=True, gap="xsmall"):
        text_column, upload_column, table_column = st.columns([5, 3, 2], gap="small", vertical_alignment="center")
        figure = intervals.info("The word list as annotator: neutral or gendered", table, "choice", PAIR)
        with text_column:
            html.quiet(f"{len(words):,} words against {deck.reference}, in title and text.")
        with upload_column:
            lexicon_upload(deck.study)
        with table_column:
            code = recipe(word_list_agreement, deck.study, deck.settings, deck.reference, deck.comparison.draw)
            charts.table(table, figure.alt, "agreement_words", code)
        charts.chart(intervals.draw(figure, charts.theme(), HEIGHT), figure.alt, "agreement_words_chart")
        html.quiet("The side bar sets tokenizer, τ and words. Neutral: ω = 1.")


def _row(widths: list[int]):
    return st.columns(widths, gap="small", vertical_alignment="center")
