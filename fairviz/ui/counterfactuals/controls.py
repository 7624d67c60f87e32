"""What is tried: rankers, what is swapped, how many placebos; and the run, with its progress and a way to stop."""

from dataclasses import dataclass

import streamlit as st

from fairviz.analyses.counterfactuals.collection import Collection
from fairviz.analyses.counterfactuals.experiment import Experiment, Plan, experiment
from fairviz.analyses.counterfactuals.sentences import lacking
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.rankers.grammar import Choice
from fairviz.study.record import Study
from fairviz.ui.counterfactuals.pairs import chosen_pairs, pairs_editor
from fairviz.ui.kept import counterfactuals as kept
from fairviz.ui.kit import html, pick
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.sending import confirmed
from fairviz.words.counterparts import KINDS

RANKER, SUBSTITUTE, SEEDS = "counterfactual_ranker", "counterfactual_substitute", "counterfactual_seeds"
OUTCOME = "counterfactual_outcome"
OFFERED_SEEDS = (1, 2, 3, 5, 10)
DONE = "This was run; its answer is below. Another ranker, swap or number of placebos can be run."
KIND_TEXTS = {"both": "words and names", "words": "words alone", "names": "names alone"}
SEEDS_HELP = "Of each kind; each is drawn anew, from its own seed."
RANKER_HELP = (
    f"One or more, with parameters, as bm25(k1=1.2),tfidf: {', '.join(RANKERS)}. The Data page says what each takes."
)


@dataclass(frozen=True)
class Asked:
    """What the reader asks for: rankers, plan, and the key under which its experiment is kept."""

    choices: tuple[Choice, ...]
    plan: Plan
    key: tuple


def missing(study: Study) -> tuple[str, str]:
    """What the study lacks and how to add it; two empty texts where it lacks nothing."""
    if not study.has("queries"):
        return f"{study.name} has no queries to rank for.", "Add queries.csv with the columns query_id, text."
    if not study.has("documents") or study.documents["text"].isna().all():
        return (
            f"{study.name} has no text of documents to replace words in.",
            "Add documents.tsv with the columns doc_id and text.",
        )
    return "", ""


def controls(study: Study, settings: Settings) -> tuple[Asked | None, bool]:
    """The row of controls: what is asked for, None where it cannot be, and whether to run it."""
    ranker, kind, seeds, words, names, go = st.columns([5, 3, 2, 3, 3, 2.4], gap="small", vertical_alignment="bottom")
    pick.text(RANKER, "Rankers", place=ranker, help=RANKER_HELP)
    pick.select(SUBSTITUTE, "What is swapped", KINDS, place=kind, texts=KIND_TEXTS)
    pick.select(SEEDS, "Placebos", OFFERED_SEEDS, place=seeds, help=SEEDS_HELP)
    with words:
        pairs_editor("words")
    with names:
        pairs_editor("names")
    try:
        asked = _asked(study, settings)
        sending = confirmed("counterfactual", study.name, (one.parameters.get("url") for one in asked.choices))
    except FairvizError as error:
        html.message("error", error.message, error.remedy)
        return None, False
    done = kept.held(study, asked.key) is not None
    pressed = go.button(
        "Run", type="primary", width="stretch", key="counterfactual_run", disabled=done or not sending,
        help=DONE if done else None,
    )  # fmt: skip
    return asked, pressed


def _asked(study: Study, settings: Settings) -> Asked:
    state = st.session_state
    rankers = parse_rankers(state[RANKER], settings.embedding)
    plan = Plan(chosen_pairs(), state[SUBSTITUTE], state[SEEDS])
    plan.counterparts.only(plan.substitute)
    return Asked(rankers, plan, kept.key_of(study, rankers, plan, settings))


def swapped(study: Study, asked: Asked) -> Collection | None:
    """The collection with genders swapped; None, and a line that says why, where nothing changes."""
    try:
        return kept.swapped(study, asked.plan)
    except FairvizError as error:
        html.message("error", error.message, error.remedy)
        return None


def run(study: Study, asked: Asked) -> None:
    """Runs the experiment with a bar and a button to stop; the page is drawn anew when it is whole."""
    bar = st.progress(0.0, "Swapping …")
    st.button("Stop", on_click=guarded(_stopped), help="What a model has read so far stays, and is not read again.")
    shown = [""]

    def progress(what: str, done: int, total: int) -> None:
        share = done / total if total else 1.0
        told = f"{what[:1].upper()}{what[1:]}: {done:,} of {total:,}"
        if f"{what} {share:.2f}" != shown[0]:
            shown[0] = f"{what} {share:.2f}"
            bar.progress(share, html.literal(told))

    try:
        found = experiment(study, asked.choices, asked.plan, progress)
    except FairvizError as error:
        bar.empty()
        html.message("error", error.message, error.remedy)
        return
    kept.put(study, asked.key, found)
    st.rerun()


def _stopped() -> None:
    st.session_state[OUTCOME] = ("info", "The run was stopped; nothing of it is shown.", "What was encoded is kept.")


def outcome() -> None:
    """Says once how the last run ended, where it was stopped."""
    if told := st.session_state.pop(OUTCOME, None):
        html.message(*told)


def before(asked: Asked) -> None:
    """What a run would do, before it is run."""
    times = 2 + 2 * asked.plan.seeds
    rankers = ", ".join(choice.system for choice in asked.choices)
    html.message(
        "info",
        f"Run ranks the collection {times} times by {rankers}: as it is, with genders swapped, and "
        f"{2 * asked.plan.seeds} times with as many other words replaced.",
        "Only texts that changed are read again by a model. Below is what the swap does to a document.",
    )


def told(found: Experiment) -> str:
    """What was replaced, what the placebos lack, and how much a model read."""
    documents, changed, words = found.counts
    text = f"{words:,} words and names replaced in {changed:,} of {documents:,} documents."
    read = f"A model read {found.encoded:,} texts: those that it had not read before." if found.encoded else ""
    return " ".join(filter(None, (text, lacking(found.short), read)))
