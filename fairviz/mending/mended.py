"""An encoder mended: pairs split by query, an adapter trained on some, and everything measured before and after."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import FairvizError, UsageError, told
from fairviz.evaluation.given import chosen_settings
from fairviz.evaluation.settings import Settings
from fairviz.home import hold, release
from fairviz.mending.card import card_of, with_outcome, write_card
from fairviz.mending.checkpoint import FILE, saved
from fairviz.mending.outcome import Compared, compared
from fairviz.mending.pairs import COLUMNS, HELD_OUT, TRAIN, WORDINGS, Pairs, pairs_of
from fairviz.mending.plan import RANK, STEPS, STRENGTH, Plan, encoder_of
from fairviz.mending.sentences import ended, sentences
from fairviz.mending.training import Work, train
from fairviz.models.adapters import adapters_folder, open_adapter, train_package
from fairviz.models.encodings import model_key
from fairviz.models.sentence_encoder import MINILM, loaded, located
from fairviz.models.sentence_vectors import sentence_vectors
from fairviz.rankers.bi_encoder import BI_ENCODER
from fairviz.rankers.grammar import Choice
from fairviz.rankers.record import silent
from fairviz.study.study import Study

Progress = Callable[[str, int, int], None]
_UNFINISHED = ".unfinished-"


@dataclass(frozen=True, eq=False)
class Mended:
    """What came of it.

    name: of the adapter, which `bi_encoder(adapter='…')` takes; folder: where it lies. table: see `outcome.COLUMNS`;
    per_query: split, query_id, measure, before, after. losses: step, loss, aim and hold of each step of training. card:
    what the adapter's own card says. sentences: what to notice; messages: what was trained on, and what is missing.
    """

    name: str
    folder: Path
    table: pd.DataFrame
    per_query: pd.DataFrame
    losses: pd.DataFrame
    card: dict[str, Any]
    sentences: tuple[str, ...]
    messages: tuple[str, ...]

    @property
    def ranker(self) -> str:
        """The mended encoder as `fairviz rank --with` takes it."""
        model = self.card["model"]["name"]
        other = "" if model == MINILM else f"model='{model}',"
        return f"bi_encoder({other}adapter='{self.name}')"


def mend(
    study: Study,
    ranker: str = "bi_encoder",
    *,
    rank: int = RANK,
    strength: float = STRENGTH,
    minutes: float | None = None,
    steps: int = STEPS,
    seed: int = 0,
    name: str = "",
    settings: Settings | None = None,
    progress: Progress | None = None,
    **choices: object,
) -> Mended:
    """Trains a sentence encoder to rank neither gender's wording of a text first, and says what that changed.

    Four fifths of the queries with pairs are trained on, drawn by the seed; the others are never seen in training.
    rank: of the weights that are added. strength: of the aim, beside a term that keeps all other scores; 0 changes
    nothing. steps: of training, which they end; minutes: a limit of its time, None for no limit. An adapter that time
    ended carries the steps done in its name, unless one is given. What was stopped or killed goes on
    where it was, and what is trained already is only measured. progress(what, done, in all). choices: fields of
    Settings. Raises FairvizError for too few pairs and for what is not installed, UsageError for numbers that cannot
    be.
    """
    settings = chosen_settings(study, settings, choices)
    plan, encoder = Plan(rank, strength, minutes, steps, seed, name), encoder_of(ranker)
    if progress is not None and (not callable(progress) or isinstance(progress, type)):
        raise UsageError(f"progress is {told(progress)}", "Give a function of what is done, how much, and in all.")
    _check_study(study)
    plan, hear, pairs = plan.named(study.name), progress or silent, pairs_of(study, seed)
    train_package()
    job = _Job(study, pairs, plan, encoder, settings, hear)
    final = adapters_folder() / plan.name
    if final.exists():
        note = _there_already(plan.name, _digest(job))
        found, card = _measured(job, plan.name), dict(open_adapter(plan.name).card)
    else:
        with _claimed(final) as folder:
            note = _train(job, folder)
            found = _measured(job, str(folder))
            card = with_outcome(open_adapter(str(folder)).card, found.table)
            write_card(folder, card)
            final = _free(final.with_name(str(card["name"])), str(card["digest"]))
            (folder / FILE).unlink(missing_ok=True)
            os.replace(folder, final)
    said = (_told_of(pairs), *filter(None, [note]), *found.messages)
    losses = pd.DataFrame(card["losses"], columns=["step", "loss", "aim", "hold"])
    ending = ended(losses.to_numpy().tolist(), card["training"]["planned"], card["training"]["seconds"])
    return Mended(
        final.name, final, found.table, found.per_query, losses, card, (ending, *sentences(found.table)), said
    )


@dataclass(frozen=True, eq=False)
class _Job:
    """What is mended: a study's pairs by a plan; encoder: its name; progress(what, done, in all)."""

    study: Study
    pairs: Pairs
    plan: Plan
    encoder: str
    settings: Settings
    progress: Progress


def _check_study(study: Study) -> None:
    for part, columns in (("queries", "query_id, text"), ("documents", "doc_id, text")):
        if not study.has(part):
            raise FairvizError(f"{study.name} has no {part} to train on", f"Add {part}.csv with the columns {columns}.")


def _train(job: _Job, folder: Path) -> str:
    """Trains into the folder, from what is saved there of the same plan; gives what to say of it."""
    model, trained = located(job.encoder), _trained_on(job)
    texts = list(dict.fromkeys(text for part in trained for text in part if text))
    vectors = sentence_vectors(texts, job.encoder, lambda *far: job.progress("encoding what is trained on", *far))
    done = saved(folder, _digest(job))
    before = done.steps
    work = Work(job.pairs, job.plan, dict(zip(texts, vectors, strict=True)), folder)
    train(loaded("SentenceTransformer", model), work, done, job.progress)
    about = {"name": job.encoder, "key": model_key(model)}
    plan = job.plan.after(job.study.name, done.steps)
    write_card(folder, card_of(job.study, job.pairs, plan, about, done))
    return f"The training went on after {before:,} steps that were done before." if before else ""


def _trained_on(job: _Job) -> list[list[str]]:
    """The texts of the training pairs: queries, and the wordings, one list each."""
    table = job.pairs.of(TRAIN)
    return [[job.pairs.queries[name] for name in table["query_id"]], *(table[name].tolist() for name in COLUMNS[1:])]


def _digest(job: _Job) -> str:
    return job.plan.digest(model_key(located(job.encoder)), _trained_on(job))


def _measured(job: _Job, adapter: str) -> Compared:
    """Everything by the encoder as it was and with the adapter."""
    asked = {one.name: one.default for one in BI_ENCODER.parameters} | {"model": job.encoder}
    before, after = Choice(BI_ENCODER, asked), Choice(BI_ENCODER, asked | {"adapter": adapter})
    return compared(job.study, job.pairs, (before, after), job.settings, job.progress)


def _free(final: Path, digest: str) -> Path:
    """The place, without an adapter of the same plan that ended after as many steps. Raises as `_there_already`."""
    if final.exists():
        _there_already(final.name, digest)
        shutil.rmtree(final)
    return final


def _there_already(name: str, digest: str) -> str:
    """What to say of an adapter that is measured and not trained. Raises UsageError where another has the name."""
    found = open_adapter(name)
    if found.card.get("digest") != digest:
        raise UsageError(
            f"there is an adapter {name} already, trained on other pairs or by another plan",
            f"Give another name, or remove the folder {found.folder}.",
        )
    return f"The adapter {name} is there already: nothing was trained."


def _told_of(pairs: Pairs) -> str:
    """What was trained on and what was held out, in words."""
    counts = {part: (len(pairs.of(part)), list(pairs.split.values()).count(part)) for part in (TRAIN, HELD_OUT)}
    parts = [f"{many:,} pairs of {queries:,} queries" for many, queries in counts.values()]
    what = "documents in three wordings" if pairs.source == WORDINGS else "documents and the same with genders swapped"
    left = f"; {pairs.shared:,} pairs left out, whose text a held-out query has too" if pairs.shared else ""
    return f"Pairs are {what}: {parts[0]} to train on, {parts[1]} held out{left}."


@contextmanager
def _claimed(final: Path) -> Iterator[Path]:
    """The folder in which the adapter is made, for this process alone. Raises FairvizError where another has it, and
    where it cannot be written."""
    folder = final.with_name(f"{_UNFINISHED}{final.name}")
    held = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held, free = hold(folder)
        if free is False:
            raise FairvizError(
                f"the adapter {final.name} is being trained by another program", "Wait for it, or give another name."
            )
        yield folder
    except OSError as error:
        raise FairvizError(
            f"could not write the adapter in {folder}: {error.strerror or error}",
            "Make room there, or set FAIRVIZ_HOME to a folder that you can write.",
        ) from error
    finally:
        release(held)
