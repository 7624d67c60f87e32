"""Fine-tuning from start to end: pairs split by query, an adapter trained on some, and all measures before and
after.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect_progress
from fairviz.evaluation.questions import chosen_settings
from fairviz.evaluation.settings import Settings
from fairviz.extensions.finetuning.outcome import Compared, compared, ended, sentences
from fairviz.extensions.finetuning.pairs import (
    COLUMNS,
    HELD_OUT,
    RANK,
    STEPS,
    STRENGTH,
    TRAIN,
    WORDINGS,
    FinetuningPlan,
    Pairs,
    encoder_of,
    pairs_of,
)
from fairviz.extensions.finetuning.training import FILE, Progressed, Work, card_of, train, with_outcome, write_card
from fairviz.home import locked
from fairviz.models.sentence_encoder import (
    MINILM,
    adapters_folder,
    loaded,
    located,
    model_key,
    open_adapter,
    sentence_vectors,
    train_package,
)
from fairviz.models.training import load_course
from fairviz.rankers.encoders import BI_ENCODER
from fairviz.rankers.grammar import RankerChoice
from fairviz.rankers.record import silent
from fairviz.study.record import Study

Progress = Callable[[str, int, int], None]
_UNFINISHED = ".unfinished-"


@dataclass(frozen=True, eq=False)
class Mended:
    """The result of a fine-tuning.

    name: of the adapter, for `bi_encoder(adapter='…')`; folder: of its files. table: see `outcome.COLUMNS`; per_query:
    split, query_id, measure, before, after. losses: step, loss, aim and hold of each step of training. card: the
    adapter's own card. sentences: the findings; messages: the training data, and missing measures.
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
        """The fine-tuned encoder as an argument of `fairviz rank --with`."""
        model = self.card["model"]["name"]
        model_option = "" if model == MINILM else f"model='{model}',"
        return f"bi_encoder({model_option}adapter='{self.name}')"


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
    """Train a sentence encoder to rank neither gender's wording of a text first, and measure the effect.

    Four fifths of the queries with pairs are trained on, drawn by the seed; the others are held out. A stopped or
    killed training is resumed, and a completed one is only measured.

    Parameters
    ----------
    study : Study
        With documents in several wordings, or labelled ones.
    ranker : str
        The encoder, as `fairviz rank --with` takes it.
    rank : int
        Of the added weights.
    strength : float
        Of the aim, relative to a term that preserves all other scores; 0 changes nothing.
    minutes : float, optional
        A time limit; None for no limit.
    steps : int
        Of training.
    seed : int
        Of the split, the first weights and the order of the pairs.
    name : str
        Of the adapter. By default it is made of the choices, and of the completed steps if time ended the training.
    settings : Settings, optional
        The choices behind the measures; the defaults if None.
    progress : callable, optional
        Called with what is done, and the numbers done and in all.
    **choices
        Fields of Settings to change.

    Returns
    -------
    Mended
        The adapter's name and folder, with the table of measures before and after.

    Raises
    ------
    FairvizError
        For too few pairs and missing packages.
    UsageError
        For invalid numbers.

    Examples
    --------
    >>> import fairviz
    >>> mended = fairviz.mend(fairviz.open_study("grep-biasir"), minutes=5)  # doctest: +SKIP
    >>> mended.table  # doctest: +SKIP
    """
    settings = chosen_settings(study, settings, choices)
    plan, encoder = FinetuningPlan(rank, strength, minutes, steps, seed, name), encoder_of(ranker)
    expect_progress(progress)
    if error := no_texts(study):
        raise error
    plan, report, pairs = plan.named(study.name), progress or silent, pairs_of(study, seed)
    train_package()
    job = _Job(study, pairs, plan, encoder, settings, report)
    final = adapters_folder() / plan.name
    if final.exists():
        note = _existing_note(plan.name, _digest(job))
        outcome, card = _measure_change(job, plan.name), dict(open_adapter(plan.name).card)
    else:
        with _claim(final) as folder:
            note = _train(job, folder)
            outcome = _measure_change(job, str(folder))
            card = with_outcome(open_adapter(str(folder)).card, outcome.table)
            write_card(folder, card)
            final = final.with_name(str(card["name"]))
            if final.exists():  # of the same plan, ended after as many steps
                _existing_note(final.name, str(card["digest"]))
                shutil.rmtree(final)
            (folder / FILE).unlink(missing_ok=True)
            os.replace(folder, final)
    counts = {part: (len(pairs.of(part)), list(pairs.split.values()).count(part)) for part in (TRAIN, HELD_OUT)}
    count_texts = [f"{many:,} pairs of {queries:,} queries" for many, queries in counts.values()]
    kind = "documents in three wordings" if pairs.source == WORDINGS else "documents and the same with genders swapped"
    shared = f"; {pairs.shared:,} pairs left out, whose text a held-out query has too" if pairs.shared else ""
    messages = (
        f"Pairs are {kind}: {count_texts[0]} to train on, {count_texts[1]} held out{shared}.",
        *filter(None, [note]),
        *outcome.messages,
    )
    losses = pd.DataFrame(card["losses"], columns=["step", "loss", "aim", "hold"])
    ending = ended(losses.to_numpy().tolist(), card["training"]["planned"], card["training"]["seconds"])
    return Mended(
        final.name, final, outcome.table, outcome.per_query, losses, card, (ending, *sentences(outcome.table)), messages
    )


def no_texts(study: Study) -> FairvizError | None:
    """Return the error of a study without texts to train on; None if it has them."""
    for part, columns in (("queries", "query_id, text"), ("documents", "doc_id, text")):
        if not study.has(part):
            remedy = f"Add {part}.csv with the columns {columns}."
            return FairvizError(f"{study.name} has no {part} to train on", remedy)
    return None


@dataclass(frozen=True, eq=False)
class _Job:
    """A fine-tuning job: a study's pairs by a plan; encoder: its name; progress(what, done, in all)."""

    study: Study
    pairs: Pairs
    plan: FinetuningPlan
    encoder: str
    settings: Settings
    progress: Progress


def _train(job: _Job, folder: Path) -> str:
    """Train into the folder, resuming a checkpoint of the same plan; return a message."""
    model, trained = located(job.encoder), _training_texts(job)
    texts = list(dict.fromkeys(text for part in trained for text in part if text))
    vectors = sentence_vectors(texts, job.encoder, lambda *far: job.progress("encoding what is trained on", *far))
    progressed = load_course(Progressed, folder / FILE, _digest(job))
    first_step = progressed.step
    work = Work(job.pairs, job.plan, dict(zip(texts, vectors, strict=True)), folder)
    train(loaded("SentenceTransformer", model), work, progressed, job.progress)
    about = {"name": job.encoder, "key": model_key(model)}
    plan = job.plan.after(job.study.name, progressed.step)
    write_card(folder, card_of(job.study, job.pairs, plan, about, progressed))
    return f"The training went on after {first_step:,} steps that were done before." if first_step else ""


def _training_texts(job: _Job) -> list[list[str]]:
    """Return the texts of the training pairs: queries, and the wordings, one list each."""
    table = job.pairs.of(TRAIN)
    return [[job.pairs.queries[name] for name in table["query_id"]], *(table[name].tolist() for name in COLUMNS[1:])]


def _digest(job: _Job) -> str:
    return job.plan.digest(model_key(located(job.encoder)), _training_texts(job))


def _measure_change(job: _Job, adapter: str) -> Compared:
    """Return all figures by the original encoder and with the adapter."""
    values = {one.name: one.default for one in BI_ENCODER.parameters} | {"model": job.encoder}
    before, after = RankerChoice(BI_ENCODER, values), RankerChoice(BI_ENCODER, values | {"adapter": adapter})
    return compared(job.study, job.pairs, (before, after), job.settings, job.progress)


def _existing_note(name: str, digest: str) -> str:
    """Return a note on an adapter that is only measured. Raises UsageError if another adapter has the name."""
    adapter = open_adapter(name)
    if adapter.card.get("digest") != digest:
        raise UsageError(
            f"there is an adapter {name} already, trained on other pairs or by another plan",
            f"Give another name, or remove the folder {adapter.folder}.",
        )
    return f"The adapter {name} is there already: nothing was trained."


@contextmanager
def _claim(final: Path) -> Iterator[Path]:
    """Yield the folder of a new adapter, locked for this process. Raises FairvizError if it is locked or cannot be
    written.
    """
    folder = final.with_name(f"{_UNFINISHED}{final.name}")
    busy = FairvizError(
        f"the adapter {final.name} is being trained by another program", "Wait for it, or give another name."
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder, busy):
            yield folder
    except OSError as error:
        raise FairvizError(
            f"could not write the adapter in {folder}: {error.strerror or error}",
            "Make room there, or set FAIRVIZ_HOME to a folder that you can write.",
        ) from error
