"""The page Agreement: its row of choices, the two figures above, and the tabs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from fairviz.analyses.annotator_accuracy import comparisons
from fairviz.analyses.annotator_accuracy.comparisons import Comparison, reference_of
from fairviz.analyses.annotator_accuracy.raters import (
    GENDERED,
    WORD_LIST,
    can_count_words,
    columns,
    default_reference,
    kind_of,
    partly_empty,
    word_list_agreement,
)
from fairviz.analyses.annotator_groups.analysis import ANNOTATOR_GROUPS
from fairviz.analyses.annotator_groups.answer import annotator_columns
from fairviz.analyses.reading.filters import ANY
from fairviz.annotation.agreement import (
    COMMON,
    DOCUMENTS,
    LABEL_AGAIN,
    QUERIES,
    TEST_LABEL,
    Votes,
    drawn,
    left_out_text,
)
from fairviz.annotation.voters import CONSENSUSES, annotator_names, is_consensus, voters_of, votes_of
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.figures import confusion, intervals, kappa_matrix
from fairviz.figures.style import shortened
from fairviz.output.recipes import Recipe, recipe
from fairviz.study.record import Study
from fairviz.ui.agreement import wording
from fairviz.ui.kept import flow
from fairviz.ui.kept import labels as kept
from fairviz.ui.kit import charts, grids, html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.kit.views import draw_views
from fairviz.ui.shell import frame, voters
from fairviz.ui.shell.controls import describe, lexicon_upload
from fairviz.ui.state import choices, going, session
from fairviz.words.sentences import Span

ALL, BINARY = "every label", "neutral or gendered"
DRAW_HELP = "Documents one by one, or queries with all their documents, where queries were drawn."
LABELS_HELP = "Neutral or gendered: all genders count as one label, as in the CWEx paper's table 4."
EMPTY_HELP = "Labels whose column is empty count as missing, not as an answer."
HEIGHT, FIRST_HEIGHT = 300, 400  # pixels of a figure or table in a tab, and of one of the first two figures
NO_LABELS = "Add labels.csv (doc_id, annotator, label) on the Data page or in the study's folder."
SEVERAL = "To compare people: one row per person and document in labels.csv."
MORE_VOTERS = "Add voters above to see where they disagree."
GROUPS_STOPPED = ("The run was stopped.", "Nothing of it is shown.")
TOGETHER = ("agreement", "value", "ci_low", "ci_high")
PAIR = (
    ("accuracy", "accuracy", "accuracy_low", "accuracy_high"),
    ("Cohen's kappa", "kappa", "kappa_low", "kappa_high"),
)
SHOWN_TEXT, MOST_DOCUMENTS = 160, 1000
TAB, FORMS = "agreement_tab", "Labelling forms"  # a tab of earlier versions, which is on Annotate
DOCUMENTS_ALT = "Documents on which the annotators disagree, the highest entropy first."
RECORDS_ALT = "Labels, agreement with the majority and test questions of each annotator."


def controls(study: Study, settings: Settings) -> Comparison:
    """Draw the choices and return the comparison; options are those of the study."""
    who, first, second, third, fourth, fifth = st.columns([6, 4, 3, 3, 3, 3], gap="small", vertical_alignment="bottom")
    voters.control(study, "agreement_voters", who)
    references = ("", *_references(study, settings))
    reference = pick.select(
        "agreement_reference", "Compare with", references, place=first,
        texts={"": f"{default_reference(study, settings)} (in use)"},
        help=f"Default: the annotator whose labels the measures use. {' '.join(describe(references))}",
    )  # fmt: skip
    is_gender = study.label_kind == "gender"
    labels = pick.select(
        "agreement_labels", "Labels", (ALL, BINARY) if is_gender else (ALL,), place=second, disabled=not is_gender,
        help=LABELS_HELP,
    )  # fmt: skip
    column = pick.select("agreement_by", "Split by", ("", *columns(study)), place=third, texts={"": "nothing"})
    draw = pick.select("agreement_draw", "Intervals draw", (DOCUMENTS, QUERIES), place=fourth, help=DRAW_HELP)
    empty = partly_empty(study)
    left_out = ""
    if empty:
        left_out = pick.select(
            "agreement_empty", "Leave out labels without", ("", *empty), place=fifth, texts={"": "nothing"},
            help=EMPTY_HELP,
        )  # fmt: skip
    return Comparison(reference, labels == BINARY, column, left_out, draw)


def _references(study: Study, settings: Settings) -> tuple[str, ...]:
    """Return the possible references: annotators, consensuses if several vote, and the word list if there is text."""
    several = len(voters_of(study, settings.voters)) > 1
    consensuses = [method for method in CONSENSUSES if several or settings.annotator == method]
    words = [WORD_LIST] if can_count_words(study, settings) else []
    return tuple(dict.fromkeys([*annotator_names(study), *consensuses, *words]))


@dataclass(frozen=True)
class AgreementDeck:
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
        return kept.votes(self.study, self.settings, self.comparison)

    @property
    def words(self) -> bool:
        """Whether the word list can be an annotator."""
        return can_count_words(self.study, self.settings)

    @property
    def others(self) -> list[str]:
        """The annotators to compare with the reference: voters first, then by documents, consensuses last."""
        table = self.table("against", whole=True)
        made = ~table["annotator"].isin(annotator_names(self.study))
        table = table.assign(made=made, votes=table["annotator"].isin(self.voters))
        order = ["made", "votes", "documents"]
        return table.sort_values(order, ascending=[True, False, False], kind="stable")["annotator"].tolist()

    def table(self, what: str, *, whole: bool = False, **changes: str) -> pd.DataFrame:
        """Return one of comparisons.TABLES. whole: over all values of the column. changes: to the comparison."""
        changes |= {"by": ""} if whole else {}
        comparison = replace(self.comparison, **changes)  # type: ignore[arg-type]
        return kept.agreement_table(self.study, self.settings, comparison, what)

    def export(
        self, what: str, alt: str, key: str, *, whole: bool = False, figure: bool = True, notes: Iterable[str] = ()
    ) -> None:
        """Draw the button *Export* of that table, with its notes."""
        code = self.recipe(what, whole=whole)
        charts.table(self.table(what, whole=whole), alt, key, code, figure=figure, notes=notes)

    def recipe(self, what: str, *, whole: bool = False) -> Recipe:
        """Return how that table is made again."""
        comparison = replace(self.comparison, by="") if whole else self.comparison
        return recipe(comparisons.table, self.study, self.settings, comparison, what)


def finding(deck: AgreementDeck) -> None:
    """Draw the main finding in one computed sentence."""
    left_out = deck.comparison.without_empty
    parts = ("neutral against gendered" if deck.comparison.binary else "", f"without empty {left_out}" * bool(left_out))
    overall = deck.table("overall", whole=True)
    more = MORE_VOTERS if len(annotator_names(deck.study)) > 1 else SEVERAL
    told = wording.finding(deck.votes, overall, ", ".join(filter(None, parts)))
    html.findings((*told, Span(f" {more}" if len(deck.voters) < 2 else "")), small=True)


def confusion_card(deck: AgreementDeck) -> None:
    """Draw one annotator's labels against the reference's."""
    cells, names = deck.table("confusion", whole=True), deck.others
    with st.container(border=True, gap="xsmall"):
        annotator_column, table_column = _row()
        if not names:
            html.quiet("No other annotator can be compared with the reference.")
            return
        annotator = pick.select("agreement_confusion", "Annotator", names, place=annotator_column, hide_label=True)
        figure = confusion.info(cells, deck.reference, annotator)
        with table_column:
            deck.export("confusion", figure.alt, "agreement_cells", whole=True)
        charts.chart(confusion.draw(figure, charts.theme(), FIRST_HEIGHT), figure.alt, "agreement_confusion_chart")


def against_card(deck: AgreementDeck) -> None:
    """Draw accuracy and kappa of each annotator against the reference; one annotator's by the values of a column."""
    table, reference = deck.table("against"), deck.reference
    rows, notes = table[table["documents"] > 0], ("", "")
    with st.container(border=True, gap="xsmall"):
        text_column, table_column = _row()
        with text_column:
            if deck.comparison.by:
                names = deck.others
                choices.among("agreement_one", names)  # read even where no widget is drawn
                annotator = pick.select("agreement_one", "Annotator", names, hide_label=True) if names else ""
                rows, line = rows[rows["annotator"] == annotator], rows.columns[0]
                title = f"{shortened(annotator)} against {shortened(reference)}"
            else:
                most = intervals.MOST_LINES
                cut = f"Voters, and others of least kappa with {COMMON} documents or more: {most}."
                notes = (_reference_note(deck), cut if len(rows) > most else "")
                votes = rows["annotator"].isin(deck.voters)
                rows = pd.concat([rows[votes], intervals.fewest(rows[~votes], COMMON)]).head(most)
                line, title = "annotator", f"Each annotator against {shortened(reference)}"
        figure = intervals.info(title, rows, line, PAIR)
        with table_column:
            deck.export("against", figure.alt, "agreement_against", notes=notes)
        charts.chart(intervals.draw(figure, charts.theme(), FIRST_HEIGHT), figure.alt, "agreement_against_chart")
        html.quiet(wording.reasons(table))


def _reference_note(deck: AgreementDeck) -> str:
    """Return the number of documents labelled by the reference, and its kind."""
    if is_consensus(deck.study, deck.reference):
        labels = len(kept.consensus(deck.study, deck.settings, deck.reference))
    else:
        record = deck.table("annotators", whole=True)
        of_reference = record[record["annotator"] == deck.reference]
        labels = int((of_reference["labels"] - of_reference["test_questions"]).sum())
    return wording.reference_note(deck.study, deck.reference, labels, deck.settings.voters)


def _row():
    return st.columns([8, 2], gap="small", vertical_alignment="center")


def tabs(deck: AgreementDeck) -> None:
    """Draw a tab for everything else that this study has data for; the open one is computed."""
    bodies: dict[str, Callable[[AgreementDeck], None]] = {}
    if len(deck.voters) > 1:
        bodies |= {"All together": _overall}
    if deck.votes.is_disputed.any():
        bodies |= {"Documents": _documents}
    if len(annotator_names(deck.study)) > 1:
        bodies |= {"Pairs": _pairs, "Consensus": _consensus}
    if annotator_columns(deck.study, deck.settings.voters):
        bodies |= {"Groups": _groups}
    if deck.words:
        bodies |= {"Word list": _word_list}
    if LABEL_AGAIN in deck.study.labels:
        bodies |= {"With themselves": _with_themselves}
    bodies |= {"Records": _records}
    choices.among(TAB, tuple(bodies))
    for tab, body in zip(st.tabs(list(bodies), key=TAB, on_change="rerun"), bodies.values(), strict=True):
        with tab:
            if tab.open:
                with st.container(border=True, gap="xsmall"):
                    body(deck)


def _overall(deck: AgreementDeck) -> None:
    """Draw the coefficients of all annotators together; one coefficient by the values of a column."""
    table, by, notes = deck.table("overall"), deck.comparison.by, ("",) * 3
    text_column, table_column = _row()
    with text_column:
        if by:
            names = list(dict.fromkeys(table["coefficient"]))
            coefficient = pick.select("agreement_coefficient", "Coefficient", names, names[2], hide_label=True)
            part = table[table["coefficient"] == coefficient]
            figure = intervals.info(f"{coefficient} by {by}", part, part.columns[0], [TOGETHER])
        else:
            first = table.iloc[0]
            unit = drawn(deck.study, deck.study.labels["doc_id"], deck.comparison.draw)
            notes = (
                f"{first['annotators']:,} annotators, {first['documents']:,} documents with two labels or more.",
                "Agreement is not accuracy; kappa and alpha correct for chance.",
                f"Intervals: 1,000 bootstraps over {unit}.",
            )
            figure = _all_coefficients(deck, table)
    with table_column:
        deck.export("overall", figure.alt, "agreement_overall", notes=notes)
    charts.chart(intervals.draw(figure, charts.theme(), HEIGHT), figure.alt, "agreement_overall_chart")
    html.quiet(wording.reasons(table))


def _all_coefficients(deck: AgreementDeck, table: pd.DataFrame) -> intervals.Intervals:
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


def _documents(deck: AgreementDeck) -> None:
    """Draw the documents on which annotators disagree, with their labels, the highest entropy first."""
    divided = deck.table("documents", whole=True)
    frame.notices(deck.study, of_texts=True)
    _, button_column, table_column = st.columns([8, 2, 1.3], gap="small", vertical_alignment="center")
    with table_column:
        notes = (wording.confusion_note(deck.votes, deck.table("confused", whole=True)),)
        deck.export("documents", DOCUMENTS_ALT, "agreement_divided", whole=True, figure=False, notes=notes)
    merged = GENDERED if deck.comparison.binary else ""
    button_column.button("Read them", key="agreement_read", width="stretch", on_click=guarded(going.to_disputed),
                         args=(divided["doc_id"].iloc[0], ANY, merged, deck.comparison.without_empty))  # fmt: skip
    divided = divided.head(MOST_DOCUMENTS)
    texts = deck.study.documents.set_index("doc_id")["text"].reindex(divided["doc_id"]).fillna("").astype("str")
    rows = divided.assign(text=texts.str.slice(0, SHOWN_TEXT).to_numpy())
    entropy = st.column_config.NumberColumn("entropy", format="%.3f", help=term("entropy"))
    st.dataframe(
        rows.drop(columns=["votes"]), hide_index=True, height=HEIGHT, key="agreement_documents",
        column_config={"entropy": entropy}, alt=f"{DOCUMENTS_ALT[:-1]}, up to {MOST_DOCUMENTS:,}.",
    )  # fmt: skip


def _pairs(deck: AgreementDeck) -> None:
    """Draw kappa of every pair with enough documents in common."""
    figure = kappa_matrix.info(deck.table("pairs", whole=True), COMMON)
    notes = (f"Pairs with {COMMON} documents in common or more.", figure.note)
    with _row()[1]:
        deck.export("pairs", figure.alt, "agreement_pairs", whole=True, notes=notes)
    charts.chart(kappa_matrix.draw(figure, charts.theme(), HEIGHT), figure.alt, "agreement_pairs_chart")


def _consensus(deck: AgreementDeck) -> None:
    """Draw the consensus by majority and by Dawid-Skene, the ties, and each annotator's estimated confusion."""
    told = [
        left_out_text(deck.study.labels),
        wording.quality_note(deck.table("annotators", whole=True)),
        wording.who_votes(deck.study, deck.voters),
    ]
    several = len(deck.voters) > 1
    ties = deck.table("ties", whole=True) if several else ()
    labelled = len(votes_of(deck.study, deck.settings.voters).doc_ids)
    for method in CONSENSUSES if several else ():
        label_count = len(kept.consensus(deck.study, deck.settings, method))
        told.append(wording.votes_note(label_count, labelled, len(ties), method))
    html.quiet(" ".join(filter(None, told)))
    if not several:
        return
    *places, left_open = st.columns(3, gap="small")
    for place, method in zip(places, ("majority", "dawid-skene"), strict=True):
        place.button(
            f"Use {method}", on_click=guarded(session.choose), kwargs={"annotator": method},
            key=f"agreement_use_{method}", width="stretch", help="Use its labels in the measures of every page.",
            disabled=deck.settings.annotator == method or deck.study.label_kind != "gender",
        )  # fmt: skip
    with left_open.popover("Ties", disabled=not len(ties), width="stretch"):
        st.dataframe(ties, hide_index=True, height=HEIGHT, alt="Documents without a majority.")
    _estimated_confusion(deck)


def _estimated_confusion(deck: AgreementDeck) -> None:
    """Draw an annotator's confusion as Dawid and Skene's model estimates it; nothing where nobody votes."""
    cells = deck.table("dawid-skene", whole=True)
    names = list(dict.fromkeys(cells["annotator"]))
    if not names:
        return
    place, table_column = _row()
    annotator = pick.select("agreement_estimated", "Estimated confusion of", names, hide_label=True, place=place)
    figure = confusion.info_estimated(cells, annotator)
    with table_column:
        deck.export("dawid-skene", figure.alt, "agreement_estimates", whole=True)
    charts.chart(confusion.draw(figure, charts.theme(), HEIGHT - 60), figure.alt, "agreement_estimated_chart")


def _word_list(deck: AgreementDeck) -> None:
    """Draw the agreement of the word list, neutral against gendered: as chosen, and with the two published choices."""
    table = kept.word_list(deck.study, deck.settings, deck.reference, deck.comparison.draw)
    figure = intervals.info("The word list as annotator: neutral or gendered", table, "choice", PAIR)
    text_column, upload_column, table_column = st.columns([5, 3, 2], gap="small", vertical_alignment="center")
    with text_column:
        words = chosen_lexicon(deck.study, deck.settings).words
        html.strong(f"{len(words):,} words against {deck.reference}")
    with upload_column:
        lexicon_upload(deck.study)
    with table_column:
        code = recipe(word_list_agreement, deck.study, deck.settings, deck.reference, deck.comparison.draw)
        notes = ("In title and text. The side bar sets tokenizer, τ and words.", "Neutral: ω = 1.")
        charts.table(table, figure.alt, "agreement_words", code, notes=notes)
    charts.chart(intervals.draw(figure, charts.theme(), HEIGHT), figure.alt, "agreement_words_chart")


def _with_themselves(deck: AgreementDeck) -> None:
    """Draw how often each annotator gave a document shown twice the same label."""
    table = deck.table("themselves", whole=True)
    figure = intervals.info("Each annotator with themselves", table.head(intervals.MOST_LINES), "annotator", [TOGETHER])
    notes = (
        "Documents that a form showed twice. The first label counts; the second is compared with it.",
        "Intervals are exact (Clopper and Pearson, 95 %): few documents leave them wide.",
    )
    with _row()[1]:
        deck.export("themselves", figure.alt, "agreement_themselves", whole=True, notes=notes)
    charts.chart(intervals.draw(figure, charts.theme(), HEIGHT), figure.alt, "agreement_themselves_chart")


def _groups(deck: AgreementDeck) -> None:
    """Draw groups of annotators, from the record of the analysis."""
    study, settings = deck.study, deck.settings
    try:
        values, _ = flow.choose(ANNOTATOR_GROUPS, study, settings, go=6)
        run = flow.Run(ANNOTATOR_GROUPS, study, settings, values)
        outcome = run.task("agreement_groups", GROUPS_STOPPED, at_once=True).outcome("Compare groups")
    except FairvizError as error:
        html.problem(error)
        return
    if outcome is not None:
        draw_views(ANNOTATOR_GROUPS.shown(outcome), flow.code_of(ANNOTATOR_GROUPS, study, settings, values))


def _records(deck: AgreementDeck) -> None:
    """Draw each annotator's record, with its kind if the study contains any."""
    record = deck.table("annotators", whole=True)
    notes = describe(list(dict.fromkeys([*record["annotator"], *([WORD_LIST] if deck.words else [])])))
    code = deck.recipe("annotators", whole=True)
    charts.headed("Records", record, RECORDS_ALT, "agreement_annotators", code, figure=False, notes=notes)
    hidden = [] if TEST_LABEL in deck.study.labels else ["test_questions", "failed", "failed_share", "dropped"]
    hidden += [] if len(deck.voters) > 1 else ["with_majority", "compared"]
    shown, kinds = record.drop(columns=hidden), [kind_of(deck.study, str(name)) for name in record["annotator"]]
    if any(kinds):
        shown.insert(1, "kind", kinds)
    column = st.column_config.NumberColumn
    st.dataframe(
        shown, hide_index=True, height=min(HEIGHT, grids.height(len(record), len(record), 34)), key="agreement_records",
        column_config={
            "with_majority": column("with the majority", format="percent", help=term("majority agreement")),
            "failed_share": column("failed share", format="percent"),
            "test_questions": column("test questions", help=term("test question")),
        },
        alt=RECORDS_ALT,
    )  # fmt: skip


def open_moved() -> None:
    """Open the page Annotate for an old link to the labelling forms."""
    if st.session_state.get(TAB) == FORMS:
        del st.session_state[TAB]
        going.to_annotate()


def annotate_link() -> None:
    """Draw a button to the page Annotate."""
    st.button("Label documents on Annotate", key="agreement_annotate", on_click=guarded(going.to_page),
              args=(going.ANNOTATE,), help="By rules, by models, or by people with a link each.")  # fmt: skip
