"""Additions to a study on its Data page: files, checked before anything is replaced, runs of rankers, and word
vectors; and saving the result.

The page asks once what unknown annotators of an upload are, before their labels join the study.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from fairviz.annotation.voters import annotator_names, is_person, kind_of, votes_of
from fairviz.datasets import save_labels, save_runs
from fairviz.datasets.additions import added_systems
from fairviz.errors import FairvizError, attempt, noticing
from fairviz.evaluation.choices import systems_tested
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_facts import counting_text, disagreement_text, unused_people_labels
from fairviz.home import is_shared, refuse_path
from fairviz.home.permissions import permissions
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.rankers.grammar import RankerChoice
from fairviz.rankers.ranking import Ranked, rank
from fairviz.rankers.record import Ranker
from fairviz.rankers.word_vectors import study_vocabulary
from fairviz.study.checks import near_misses
from fairviz.study.loaders import extensions, reader_of
from fairviz.study.loaders.archive import read_zip
from fairviz.study.loaders.folder import read_annotators
from fairviz.study.loaders.metadata import KIND_NAMES
from fairviz.study.loaders.rows import SUFFIXES as ROW_SUFFIXES
from fairviz.study.record import Annotator, Study, with_fingerprint
from fairviz.study.study import (
    add_documents,
    add_labels,
    add_qrels,
    add_queries,
    add_runs,
    open_study_folder,
    save_study,
    with_annotators,
    with_kinds,
    with_tested,
)
from fairviz.ui.kit import html, jobs
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.editors import as_file
from fairviz.ui.kit.jobs import confirm_sending
from fairviz.ui.kit.pick import pick_calls
from fairviz.ui.shell import voters
from fairviz.ui.shell.gate import most_megabytes
from fairviz.ui.state import library, session
from fairviz.words.sentences import first_listed
from fairviz.words.vectors import (
    NAMES,
    add_vectors,
    added_names,
    added_path,
    check_name,
    load_embedding,
    offered,
    regular_file,
    remove_vectors,
)

OUTCOME = "outcome"
PENDING = "upload_pending"  # labels whose annotators are not known yet
AT_ONCE = "upload_at_once"  # whether people's labels are used as soon as they are here
WHOLE = "zip"  # the kind of upload
LEXICON = "lexicon"  # the kind of upload, and the key of the word list in force
IN_A_ROW = 4
MOST_NAMED = 5  # annotators in a question
_JOINED = ("runs", "labels", "qrels")  # parts whose ids are looked up in others
VECTORS_PATH, VECTORS_NAME = "vectors_path", "vectors_name"
WITH, VECTORS = "rank_with", "rank_vectors"
RANKING_STOPPED = ("Ranking was stopped; no run was added.", "Encoded texts are kept.")
ANNOTATORS = "annotators"
VECTORS_JOB = ("word vectors",)
VECTORS_STOPPED = ("Reading the vectors was stopped; they were not added.",)


def add_run_file(study: Study, path: Path, folder: Path) -> Study:
    """Return the study with draft runs added, of an archive several, or with the runs of those names replaced."""
    runs = reader_of("runs", path)(path, folder)
    names = list(runs["system"].cat.categories)
    replaced, drafts = set(names) & {*study.systems}, study.drafts
    if replaced:
        other_runs = study.runs[~study.runs["system"].isin(replaced)]
        other_runs = other_runs.assign(system=other_runs["system"].cat.remove_unused_categories()).reset_index(
            drop=True
        )
        study = replace(study, runs=other_runs)
    new_study = add_runs(study, runs)
    return replace(new_study, drafts=tuple(name for name in new_study.drafts if name in drafts or name not in replaced))


def labels_of_file(study: Study, path: Path, folder: Path) -> pd.DataFrame:
    """Return the labels of a file; where the study's are genders, the file's are too."""
    groups = (study.neutral, *study.groups) if study.label_kind == "gender" else None
    return reader_of("labels", path)(path, folder, groups)


def _adding(part: str, add: Callable[[Study, pd.DataFrame], Study]) -> Callable[[Study, Path, Path], Study]:
    return lambda study, path, folder: add(study, reader_of(part, path)(path, folder))


def _set_lexicon_file(study: Study, path: Path, folder: Path) -> Study:
    lexicon = reader_of("lexicon", path)(path, folder, (study.neutral, *study.groups))
    return with_fingerprint(replace(study, lexicon=lexicon))


def _store_run_file(study: Study, path: Path, folder: Path, kinds: Mapping[str, str]) -> None:
    """Add the run to the visitor's additions; an added run of that name is replaced. Raises FairvizError."""
    runs = reader_of("runs", path)(path, folder)
    save_runs(study, runs, replace=set(runs["system"].cat.categories) <= set(added_systems(study)))


def _store_labels_file(study: Study, path: Path, folder: Path, kinds: Mapping[str, str]) -> None:
    """Add these labels to the visitor's additions. Raises FairvizError for an annotator whom the study has."""
    labels = labels_of_file(study, path, folder)
    kind_by_name: dict[str, Any] = {name: kinds.get(name, "") for name in labels["annotator"].unique()}
    save_labels(study, labels, {name: Annotator(name, kind) for name, kind in kind_by_name.items()})


def open_zip_file(study: Study, path: Path, folder: Path) -> Study:
    """Return the study in a zipped folder, under the zip's name; the present study is unchanged."""
    unpacked = read_zip(path, folder / "unpacked")
    new_study = open_study_folder(unpacked)
    name = path.stem
    while name in library.names() and name not in library.own_studies():
        name += "-uploaded"
    return replace(new_study, name=name, folder=None, read_only=False)


@dataclass(frozen=True)
class Kind:
    """A kind of upload: a file of a `part` of a study, or of a whole study. `take` returns the study with the file
    from (study, file, temporary folder). store: adds the file to what the visitor of a server has added to the study,
    with the kinds of its annotators.
    """

    name: str
    label: str
    hint: str
    part: str
    take: Callable[[Study, Path, Path], Study]
    store: Callable[[Study, Path, Path, Mapping[str, str]], None] | None = None

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File suffixes."""
        if self.name == ANNOTATORS:
            return tuple(ending.removeprefix(".") for ending in ROW_SUFFIXES if ending.count(".") == 1)
        return extensions(self.part) if self.part else ("zip",)


KINDS = (
    Kind(
        "run", "A run (TREC, JSON, a table)",
        "TREC's six columns, ranx's or BEIR's JSON, or a table of query_id, doc_id, score. The file's name becomes the "
        "system's.", "runs", add_run_file, _store_run_file,
    ),
    Kind(
        "labels", "Labels",
        "Columns doc_id, label and, for several people, annotator; or an export of Label Studio, Prodigy, doccano, "
        "Argilla or MTurk.", "labels",
        lambda study, path, folder: add_labels(study, labels_of_file(study, path, folder)), _store_labels_file,
    ),
    Kind(
        ANNOTATORS, "Annotators",
        "A column annotator, and any others, such as gender, which put annotators in groups. kind: who is human.", "",
        lambda study, path, folder: with_annotators(study, read_annotators(path, folder)),
    ),
    Kind(
        "documents", "Documents", "Columns doc_id, text and, if you like, title.", "documents",
        _adding("documents", add_documents),
    ),
    Kind("queries", "Queries", "Columns query_id and text.", "queries", _adding("queries", add_queries)),
    Kind(
        "qrels", "Judgements (qrels)", "TREC's four columns, BEIR's three, or ranx's JSON.", "qrels",
        _adding("qrels", add_qrels),
    ),
    Kind(
        LEXICON, "Word list", "Columns word and group. It replaces the study's word list.", "lexicon",
        _set_lexicon_file,
    ),
    Kind(
        WHOLE, "A whole study, zipped",
        "A folder with runs/, queries, documents, qrels and labels, each where there is one.", "", open_zip_file,
    ),
)  # fmt: skip


def uploaders(study: Study) -> None:
    """Draw an uploader for each kind of file; nothing in a demo. Errors are shown verbatim, and nothing is replaced."""
    if permissions().is_demo():
        html.message("info", "A demo takes no files.", "On a machine of your own: fairviz app")
        return
    place = "runs and labels stay, seen by you alone" if _keeps_privately(study) else "in this session only"
    about = f"Files are checked before they join the study: {place}. Limit: {most_megabytes():,} MB together."
    columns = [column for _ in range(0, len(KINDS), IN_A_ROW) for column in st.columns(IN_A_ROW)]
    for column, kind in zip(columns, KINDS, strict=False):
        with column:
            key = f"upload_{kind.name}"
            st.file_uploader(kind.label, list(kind.suffixes), key=key, help=html.tooltip(kind.hint, about),
                             on_change=guarded(partial(_receive, kind, key, study)))  # fmt: skip


def save_as(study: Study) -> None:
    """Draw the form that saves the study to the data folder; nothing in a demo."""
    if permissions().is_demo():
        return
    is_own = library.is_own(study)
    html.strong("Save as study")
    if is_own:
        html.quiet("This session's uploads are not saved yet: a refresh loses them.")
    name, button = st.columns([4, 1], vertical_alignment="bottom")
    suggested = f"my-{study.name}" if study.read_only or not is_own else study.name
    about = "" if is_own else "A copy, which the study picker then offers."
    place = "" if permissions().is_server else f"It goes to {library.place_of(suggested)}"
    name.text_input("Name", suggested, key=f"save_name_{study.name}", help=html.tooltip(about, place))
    button.button(
        "Save", on_click=guarded(_save), args=(study, f"save_name_{study.name}"), width="stretch", type="primary"
    )
    if is_own:
        st.button("Drop what was uploaded", on_click=guarded(_drop), args=(study.name,))


def outcome() -> None:
    """Draw the message on the last upload, save or fetch, once."""
    with st.container():  # always drawn, as the tabs below would otherwise be reset to the first
        if message := st.session_state.pop(OUTCOME, None):
            html.message(*message)


@dataclass(frozen=True)
class Pending:
    """An upload to a study that waits for the kinds of these annotators."""

    study: str
    kind: Kind
    file: str
    content: bytes
    annotators: tuple[str, ...]


def kinds_of_pending(study: Study) -> None:
    """Draw the question what the annotators of an upload are; nothing without one."""
    pending: Pending | None = st.session_state.get(PENDING)
    with st.container():  # as in `outcome`
        if pending is None or pending.study != study.name:
            return
        names = pending.annotators
        take = partial(_take, pending.kind, pending.file, pending.content, study)
        with st.container(border=True, gap="xsmall", key="upload_kinds"):
            html.strong(f"Who is {names[0]}?" if len(names) == 1 else f"Who are {first_listed(names, MOST_NAMED)}?")
            with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                for kind, text in KIND_NAMES.items():
                    answer = guarded(partial(take, dict.fromkeys(names, kind)))
                    st.button(text.capitalize(), key=f"upload_kind_{kind or 'unknown'}", on_click=answer)
                st.button("Cancel", key="upload_kind_cancel", type="tertiary", on_click=guarded(_forget_pending))
            if study.has("runs"):
                st.checkbox("People's labels count at once, in every measure", True, key=AT_ONCE)
            if len(names) > 1:
                with st.expander("Not all alike", key="upload_kinds_each", type="compact"):
                    kinds = _draw_kinds_table(names)
                    add = guarded(partial(take, kinds))
                    st.button("Add labels", key="upload_kinds_add", type="primary", on_click=add)


def _draw_kinds_table(annotators: Sequence[str]) -> dict[str, str]:
    """Draw a table with a field for the kind of each annotator; return the kinds by annotator."""
    table = pd.DataFrame({"annotator": annotators, "kind": KIND_NAMES[""]})
    column = st.column_config.SelectboxColumn("kind", options=list(KIND_NAMES.values()), required=True)
    edited = st.data_editor(
        table, key="upload_kinds_table", hide_index=True, disabled=["annotator"], column_config={"kind": column}
    )
    return dict(zip(edited["annotator"], edited["kind"], strict=True))


def _forget_pending() -> None:
    st.session_state.pop(PENDING, None)


def _receive(kind: Kind, key: str, study: Study) -> None:
    upload = st.session_state[key]
    if upload is not None:
        _take(kind, upload.name, upload.getvalue(), study)


def _take(kind: Kind, name: str, content: bytes, study: Study, kinds: Mapping[str, str] | None = None) -> None:
    """Add an upload to the study, or to what the visitor has added to it. An error changes nothing.

    kinds: of its unknown annotators, in the words of KIND_NAMES; None before they are asked for.
    """
    _forget_pending()
    own = library.own_studies().get(study.name)
    study = study if own is None or library.is_own(study) else own  # the page may not have drawn the last upload yet
    store = kind.store if _keeps_privately(study) else None
    try:
        new_study = read_upload(kind, name, content, study)
        known = () if kind.name == WHOLE else annotator_names(study)
        unknown = [one for one in annotator_names(new_study) if one not in known and not kind_of(new_study, one)]
        if unknown and kinds is None:
            st.session_state[PENDING] = Pending(study.name, kind, name, content, tuple(unknown))
            return
        new_study = with_kinds(new_study, kinds) if kinds else new_study
        if store is not None:
            with as_file(name, content) as path:
                store(study, path, path.parent, kinds or {})
        else:
            library.keep(new_study)
            session.open_named(new_study.name)
    except FairvizError as error:
        st.session_state[OUTCOME] = ("error", error.message, error.remedy)
        return
    lines = [] if store else [*new_study.warnings]
    if people := tuple(one for one in kinds or {} if is_person(new_study, one)):
        lines.append(f"{disagreement_text(votes_of(new_study, people))}.")
        if st.session_state.get(AT_ONCE) and unused_people_labels(new_study, session.read(st.session_state)):
            wanted = voters.wanted_settings(new_study, people)
            voters.use(wanted)
            lines.append(f"{counting_text(new_study, Settings().changed(**wanted))}.")
    if kind.name == LEXICON:
        st.session_state[LEXICON] = ""  # the study's own list, which is now the uploaded one
    whose = ", for you alone" if store else ""
    st.session_state[OUTCOME] = told(kind, f"{name} is in the study {new_study.name!r}{whose}.", new_study, lines)


def told(kind: Kind, message: str, study: Study, lines: Sequence[str] = ()) -> tuple[str, str, str]:
    """Return the outcome of an upload: a warning with its ids that other parts have in another spelling, if any."""
    near = [f"{miss.sentence} {miss.remedy}" for miss in near_misses(study)
            if miss.part == kind.part or kind.part not in _JOINED]  # fmt: skip
    return ("warning" if near else "good", message, "\n".join([*near, *lines]))


def _keeps_privately(study: Study) -> bool:
    """Return whether uploads become additions of this visitor to the study."""
    return permissions().has_overlay(study.name) and not library.is_own(study)


def read_upload(kind: Kind, name: str, content: bytes, study: Study) -> Study:
    """Return the study with the uploaded file. Raises FairvizError; `study` is unchanged."""
    with as_file(name, content) as path, noticing([]) as notices:
        new_study = kind.take(study, path, path.parent)
        return replace(new_study, warnings=tuple(dict.fromkeys([*new_study.warnings, *notices])))


def _save(study: Study, key: str) -> None:
    try:
        folder = library.saved_folder(st.session_state[key])
        study = with_tested(study, systems_tested(study, session.read(st.session_state)))
        save_study(replace(study, name=folder.name, read_only=False), folder)
        permissions().log(folder.name, "save a study")
    except FairvizError as error:
        st.session_state[OUTCOME] = ("error", error.message, error.remedy)
        return
    library.forget(study.name)
    session.take_back("tested", "not_tested")  # the study has the choice now
    session.open_named(folder.name)
    st.session_state[OUTCOME] = (
        "good",
        f"Saved to {folder}." if not permissions().is_server else f"Saved: {folder.name}.",
        "",
    )


def _drop(name: str) -> None:
    library.forget(name)
    if voters.BEFORE in st.session_state:
        voters.back()
    st.session_state[OUTCOME] = ("good", f"The uploads to {name!r} are gone.", "")


IN_A_DEMO = "A demo computes no new rankings.", "On a machine of your own: fairviz app"
NEEDED = "Ranking needs queries and documents.", "Add them under Add and save, or to the folder."


def ranking_panel(study: Study) -> None:
    """Draw the rankers, the word vectors with their coverage, and the button; a line in a demo."""
    is_demo = permissions().is_demo()
    if is_demo or not study.has("queries") or not study.has("documents"):
        html.message("info", *(IN_A_DEMO if is_demo else NEEDED))
        return
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
            _draw_coverage(study, vectors)
    # a text that names no rankers is reported by Rank
    choices = attempt(lambda: parse_rankers(st.session_state[WITH], vectors)) or ()
    is_confirmed = _confirm_servers(study, choices)
    key = ("rank", study.name, str(study.folder), library.owner(study))
    reason = jobs.refusal(key, _terms(study, choices))
    go.button(
        "Rank",
        type="primary",
        width="stretch",
        disabled=bool(jobs.is_running(key) or not is_confirmed or reason),
        key="rank_go",
        help=" ".join(reason) or _where_runs_go(study),
        on_click=guarded(partial(_begin_ranking, key, study)),
    )
    jobs.follow(key, "rank", RANKING_STOPPED)
    if job := jobs.completed(key):
        jobs.forget(key)
        _receive_runs(study, job.outcome)
        st.rerun()
    html.definitions((ranker.name, _description(ranker)) for ranker in RANKERS.values())


def _where_runs_go(study: Study) -> str:
    """Return where new runs of this study are stored, and who sees them."""
    if library.is_own(study):
        return "Runs are added to this session's study; save it to keep them."
    if permissions().has_overlay(study.name):
        return "Runs stay, seen by you alone."
    if permissions().is_server:
        return "Runs are added to the study for everybody."
    return "Runs are written to your data folder and stay."


def _draw_coverage(study: Study, vectors: str) -> None:
    """Draw how many of the study's words have a vector."""
    try:
        embedding = load_embedding(vectors)
        known, words = embedding.coverage(study_vocabulary(study))
    except FairvizError as error:
        html.problem(error)
        return
    html.message("info", f"{embedding.name} has a vector for {known:,} of the {words:,} different words of this study.")


def _confirm_servers(study: Study, choices: Sequence[RankerChoice]) -> bool:
    """Draw a checkbox for each server that would get the texts; return whether all of them are ticked, or an address
    cannot be read, which Rank reports."""
    try:
        return confirm_sending("rank", study.name, (choice.parameters.get("url") for choice in choices))
    except FairvizError:
        return True


def _terms(study: Study, choices: Sequence[RankerChoice]) -> jobs.Terms:
    return jobs.Terms(study, tuple(choice.parameters for choice in choices))


def _description(ranker: Ranker) -> str:
    parameters = ", ".join(parameter.assignment for parameter in ranker.parameters)
    return f"{ranker.summary} ({parameters})" if parameters else ranker.summary


def _receive_runs(study: Study, ranking: Ranked) -> None:
    """Store what the ranking came to, and add its runs to a study of this session."""
    names = ", ".join(ranking.runs["system"].cat.categories)
    found = ("good", f"{names}: ranked.") if names else ("error", "No ranker found a document, so no run was added.")
    st.session_state[OUTCOME] = (*found, "\n".join(ranking.messages))
    if names and library.is_own(study):
        try:
            library.keep(add_runs(study, ranking.runs))
        except FairvizError as error:  # the study has changed meanwhile
            st.session_state[OUTCOME] = ("error", error.message, error.remedy)


def _begin_ranking(key: tuple, study: Study) -> None:
    """Start the job. Raises FairvizError for rankers that do not exist, and for runs that do."""
    choices = parse_rankers(st.session_state[WITH], st.session_state[VECTORS])
    systems = [choice.system for choice in choices]
    existing = [system for system in systems if system in study.systems]
    if existing:
        raise FairvizError(
            f"{study.name} has a run {existing[0]} already",
            "Give it other parameters; on the command line, --replace replaces an added run.",
        )
    jobs.start(key, partial(_work, study, choices, library.is_own(study)), _terms(study, choices))


def _work(study: Study, choices: Sequence[RankerChoice], is_own: bool, progress: jobs.Progress) -> Ranked:
    """Rank the study in a thread without widgets, and save the runs; those of a session's study join it later."""
    progress("Ranking", 0, 0)
    ranking = rank(study, choices, progress=partial(progress, "Lists ranked"),
                   encoding=partial(progress, "Texts encoded"))  # fmt: skip
    if not is_own:
        save_runs(study, ranking.runs)
    return ranking


VECTORS_HELP = (
    "A word2vec, fastText or GloVe file: .bin, .vec or .txt, also as .gz. It stays where it is and is offered by name "
    "wherever word vectors are chosen. A link holds the name alone, never a path."
)


def vectors_panel() -> None:
    """Draw fields for path and name, and the added vectors with buttons that remove them: for an owner of the
    server."""
    if not permissions().is_server_owner():
        return
    html.strong("Word vectors from a file of this machine")
    if is_shared():
        about = "Others can open this page, so it takes no path: fairviz app without --address does."
        st.text_input("Path of the file", disabled=True, key="vectors_shared", placeholder="none here", help=about)
    else:
        path, name, button = st.columns([5, 3, 1], vertical_alignment="bottom")
        shown = "/home/me/wiki-news-300d.vec"
        path.text_input("Path of the file", key=VECTORS_PATH, placeholder=shown, help=VECTORS_HELP)
        name.text_input("Name of the vectors", key=VECTORS_NAME, placeholder="as the file", max_chars=60)
        button.button(
            "Add", key="vectors_add", width="stretch", disabled=jobs.is_running(VECTORS_JOB),
            on_click=guarded(_begin_vectors),
        )  # fmt: skip
        jobs.follow(VECTORS_JOB, "vectors", VECTORS_STOPPED)
        if job := jobs.completed(VECTORS_JOB):
            jobs.forget(VECTORS_JOB)
            st.session_state[OUTCOME] = ("good", job.outcome, "")
            st.rerun()
    for vectors in added_names():
        words, forget = st.columns([8, 1], vertical_alignment="center")
        with words:
            try:
                file = added_path(vectors)
                html.definitions([(vectors, file.name if file and is_shared() else str(file))])
            except FairvizError as error:
                html.problem(error, "warning")
        forget.button(
            "Forget", key=f"vectors_forget_{vectors}", on_click=guarded(_forget_vectors), args=(vectors,),
            width="stretch",
        )  # fmt: skip


def _begin_vectors() -> None:
    """Start a job that adds the vectors. Raises FairvizError for a path or a name that cannot be used."""
    path, name = st.session_state[VECTORS_PATH].strip(), st.session_state[VECTORS_NAME].strip()
    if not path:
        raise FairvizError("There is no path to add.", "Give the path of a word2vec or fastText file.")
    name = name or Path(path).name.partition(".")[0]
    refuse_path(path, "word vectors")
    check_name(name, NAMES)
    jobs.start(VECTORS_JOB, partial(_add_vectors, path, name))


def _add_vectors(path: str, name: str, progress: jobs.Progress) -> str:
    """Load the vectors once, in a thread, which reports a bad file, and store their name; return a message."""
    progress("Reading the vectors", 0, 0)
    words, numbers = load_embedding(str(regular_file(path))).vectors.shape
    progress("Reading the vectors", 1, 1)  # the last place to stop at
    file = add_vectors(name, path, NAMES)
    return f"{name}: {words:,} words of {numbers:,} numbers, from {file}."


def _forget_vectors(name: str) -> None:
    remove_vectors(name)
    st.session_state[OUTCOME] = ("good", f"The word vectors {name!r} are no longer offered; the file stays.", "")
