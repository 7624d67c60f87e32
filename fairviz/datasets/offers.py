"""Runs and labels that people hand to the owner of a study: offered from their own additions, taken or declined."""

import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairviz.datasets.additions import save_labels, save_runs
from fairviz.errors import FairvizError
from fairviz.home import additions_key, data_home
from fairviz.home.permissions import OFFERS, OWNER, VIEWER, changes_study, offer_mark, offers_of, permissions, visitor
from fairviz.study.record import Annotator
from fairviz.study.study import make_study, open_study_folder, save_study

if TYPE_CHECKING:
    from fairviz.study.record import Study

MOST = 100  # open offers to one study, so that nobody fills the disk


@dataclass(frozen=True)
class Offer:
    """A run or an annotator's labels, handed in by a person. part: `runs` or `labels`. name: of the run or the
    annotator. time: seconds since 1970."""

    folder: Path
    person: str
    part: str
    name: str
    time: float


@changes_study("hand in", VIEWER)
def offer(study: "Study", part: str, name: str) -> None:
    """Hand a run or an annotator's labels to the owner of the study; they stay the visitor's as well.

    part: `runs` or `labels`. Raises FairvizError for what the study does not have, and where too much is waiting.
    """
    table = study.runs if part == "runs" else study.labels
    column = "system" if part == "runs" else "annotator"
    rows = table[table[column].astype("str") == name].reset_index(drop=True)
    person = visitor()
    if not len(rows) or person is None or not person.name:
        raise FairvizError(f"{study.name} has no {part} {name!r} to hand in", "Choose another name.")
    folder = _folder_of(study)
    if folder.is_dir() and len(list(folder.iterdir())) >= MOST:
        raise FairvizError(f"{MOST} parts wait for the owner of {study.name}", "Ask the owner to look at them first.")
    limits = permissions().limits()
    if limits is not None and len(offers_of(person)) >= limits.person_offers:
        raise FairvizError(
            f"{limits.person_offers:,} parts of yours wait for owners, the most on this server",
            "Wait until an owner has taken or declined some.",
        )
    who = {name: study.annotators.get(name, Annotator(name))} if part == "labels" else {}
    table_of_part: dict[str, Any] = {part: rows}
    offered = make_study(
        "offer", title=name, description=person.name, groups=study.groups, neutral=study.neutral,
        protected=study.protected, label_kind=study.label_kind, annotators=who, **table_of_part,
    )  # fmt: skip
    save_study(offered, folder / f"{time.time_ns()}-{secrets.token_hex(4)}-{offer_mark(person)}")


def offers(study: "Study") -> tuple[Offer, ...]:
    """Return what waits for an owner of the study, the oldest first. Raises FairvizError for anybody else."""
    permissions().require(study.name, OWNER, "see what is handed in")
    folder = _folder_of(study)
    paths = sorted(path for path in folder.iterdir() if path.name[0] != ".") if folder.is_dir() else []
    found = []
    for path in paths:
        content = open_study_folder(path)
        part = "runs" if content.has("runs") else "labels"
        found.append(Offer(path, content.description, part, content.title, int(path.name.partition("-")[0]) / 1e9))
    return tuple(found)


@changes_study("take over")
def take(study: "Study", handed_in: Offer) -> None:
    """Add what was handed in to the study, for everybody. Raises FairvizError where the study has a part of that
    name."""
    content = open_study_folder(handed_in.folder)
    if handed_in.part == "runs":
        save_runs(study, content.runs)
    else:
        save_labels(study, content.labels, content.annotators)
    shutil.rmtree(handed_in.folder)


@changes_study("decline")
def decline(study: "Study", handed_in: Offer) -> None:
    """Drop what was handed in; the person keeps it."""
    if handed_in.folder.parent == _folder_of(study):
        shutil.rmtree(handed_in.folder)


def _folder_of(study: "Study") -> Path:
    return data_home() / OFFERS / additions_key(study.name)
