"""Ranking a study on its Data page: rankers, vectors, and the job."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from fairviz.datasets import save_runs
from fairviz.errors import FairvizError, attempt
from fairviz.home.access import has_overlay, is_demo
from fairviz.home.server_config import server_config
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.rankers.grammar import Choice
from fairviz.rankers.ranking import Ranked, rank
from fairviz.rankers.word_vectors import study_vocabulary
from fairviz.study.record import Study
from fairviz.study.study import add_runs
from fairviz.ui.data.uploads import OUTCOME
from fairviz.ui.kit import html, jobs
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.jobs import confirm_sending
from fairviz.ui.kit.pick import pick_calls
from fairviz.ui.state import library
from fairviz.words.vectors import load_embedding, offered

WITH, VECTORS = "rank_with", "rank_vectors"
STOPPED = ("Ranking was stopped; no run was added.", "Encoded texts are kept.")


def panel(study: Study) -> None:
    """Draw the rankers, the word vectors with their coverage, and the button; a line in a demo."""
    if is_demo():
        html.message("info", "A demo computes no new rankings.", "On a machine of your own: fairviz app")
        return
    if not study.has("queries") or not study.has("documents"):
        html.message("info", "Ranking needs queries and documents.", "Add them under Add and save, or to the folder.")
        return
    html.quiet(
        "Runs are added to this session's study; save it to keep them."
        if library.is_own(study)
        else "Runs stay, seen by you alone."
        if has_overlay(study.name)
        else "Runs are added to the study for everybody."
        if server_config() is not None
        else "Runs are written to your data folder and stay."
    )
    left, right = st.columns([3, 2])
    st.session_state.setdefault(WITH, "bm25(k1=1.2,b=0.75)")
    vectors = right.selectbox("Word vectors", offered(), key=VECTORS, help="Add and save takes files of other vectors.")
    pick_calls(
        WITH, "Rankers", RANKERS, values={"run": study.systems, "embedding": offered()},
        defaults={"embedding": vectors}, place=left, help="Parameters has the fields of each.",
    )  # fmt: skip
    go, cover = st.columns(2)
    with cover:
        if st.button("How many words do the vectors cover?", width="stretch"):
            _coverage(study, st.session_state[VECTORS])
    sending = _confirmed(study)
    key = ("rank", study.name, str(study.folder), library.owner(study))
    reason = jobs.refusal(key, _terms(study))
    go.button("Rank", type="primary", width="stretch", disabled=bool(jobs.is_running(key) or not sending or reason),
              key="rank_go", help=" ".join(reason) or None, on_click=guarded(partial(_begin, key, study)))  # fmt: skip
    jobs.follow(key, "rank", STOPPED)
    if job := jobs.completed(key):
        jobs.forget(key)
        names = ", ".join(job.outcome.runs["system"].cat.categories)
        found = (
            ("good", f"{names}: ranked.") if names else ("error", "No ranker found a document, so no run was added.")
        )
        st.session_state[OUTCOME] = (*found, "\n".join(job.outcome.messages))
        if names and library.is_own(study):
            try:
                library.keep(add_runs(study, job.outcome.runs))
            except FairvizError as error:  # the study has changed meanwhile
                st.session_state[OUTCOME] = ("error", error.message, error.remedy)
        st.rerun()
    html.definitions((ranker.name, _about(ranker)) for ranker in RANKERS.values())


def _confirmed(study: Study) -> bool:
    """Draw a checkbox for each server that would get the texts; a text that names no rankers is reported by Rank."""
    try:
        rankers = parse_rankers(st.session_state[WITH], st.session_state[VECTORS])
        return confirm_sending("rank", study.name, (one.parameters.get("url") for one in rankers))
    except FairvizError:
        return True


def _about(ranker) -> str:
    parameters = ", ".join(parameter.assignment for parameter in ranker.parameters)
    return f"{ranker.summary} ({parameters})" if parameters else ranker.summary


def _coverage(study: Study, source: str) -> None:
    try:
        embedding = load_embedding(source)
    except FairvizError as error:
        html.message("error", error.message, error.remedy)
        return
    count, total = embedding.coverage(study_vocabulary(study))
    html.message("info", f"{embedding.name} has a vector for {count:,} of the {total:,} different words of this study.")


def _begin(key: tuple, study: Study) -> None:
    """Start the job. Raises FairvizError for rankers that do not exist, and for runs that do."""
    choices = parse_rankers(st.session_state[WITH], st.session_state[VECTORS])
    systems = [choice.system for choice in choices]
    existing = [system for system in systems if system in study.systems]
    if existing:
        raise FairvizError(
            f"{study.name} has a run {existing[0]} already",
            "Give it other parameters; on the command line, --replace replaces an added run.",
        )
    jobs.start(key, partial(_work, study, choices, library.is_own(study)), _terms(study))


def _terms(study: Study) -> jobs.Terms:
    """Return the terms of the job; of a text that names no rankers, of none, as Rank reports it."""
    rankers = attempt(lambda: parse_rankers(st.session_state[WITH], st.session_state[VECTORS])) or ()
    return jobs.Terms(study, tuple(one.parameters for one in rankers))


def _work(study: Study, choices: Sequence[Choice], is_own: bool, progress: jobs.Progress) -> Ranked:
    """Rank the study in a thread without widgets, and save the runs; those of a session's study join it later."""
    progress("Ranking", 0, 0)
    ranking = rank(study, choices, progress=partial(progress, "Lists ranked"),
                   encoding=partial(progress, "Texts encoded"))  # fmt: skip
    if not is_own:
        save_runs(study, ranking.runs)
    return ranking
