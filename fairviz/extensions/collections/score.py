"""All parts of a collection counted by a pool of processes, and the manifest of a complete one."""

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import SHOWN_LINES, BadLine, DataError, FairvizError, UsageError
from fairviz.evaluation.executors import Executor, local
from fairviz.extensions.collections.counts import (
    PACKAGE,
    Counted,
    CountingPlan,
    Part,
    counted,
    described,
    parts_of,
    plan_of,
    score_part,
    sum_file,
    sum_of,
)
from fairviz.files import open_regular
from fairviz.home import LOCK, __version__, hold, locked, release, write_whole
from fairviz.study.collection_counts import CHECKSUM, FORMAT, MANIFEST, checksum_of
from fairviz.words.sentences import counted as counted_text

BROKEN_REMEDY = "Repair these documents, or leave them out with --skip-broken."
TWICE_REMEDY = "Keep one of them; counts are looked up by doc_id."
MOST_NAMED = 20  # repeated ids
COUNTING = "counting"  # in the names of locks
STARTING = 60.0  # seconds, for others that start at the same time
Progress = Callable[[int, int, int], None]


@dataclass(frozen=True)
class Share:
    """Every `of`-th part, from the `number`-th, counted from 1: what one of several machines makes."""

    number: int = 1
    of: int = 1

    def __contains__(self, part: object) -> bool:
        return isinstance(part, Part) and part.number % self.of == self.number - 1


@dataclass(frozen=True)
class State:
    """The counts of a collection so far: parts in all, the parts that are missing, and documents in the others."""

    parts: int
    missing: tuple[Part, ...]
    documents: int
    broken: int

    @property
    def is_complete(self) -> bool:
        """True if no part is missing."""
        return not self.missing


def state_of(collection: str, folder: Path, plan: CountingPlan) -> State:
    """Return what is there of a collection's counts. Raises FairvizError for a collection that is not found."""
    parts = parts_of(collection)
    by_part = {part: counted(folder / part.file, part, plan) for part in parts}
    part_counts = [one for one in by_part.values() if one is not None]
    missing = tuple(part for part, one in by_part.items() if one is None)
    return State(len(parts), missing, sum(one.rows for one in part_counts), sum(one.broken for one in part_counts))


def score(
    collection: str, folder: Path, plan: CountingPlan, *, executor: Executor | None = None, share: Share | None = None,
    progress: Progress = lambda done, total, documents: None,
) -> State:  # fmt: skip
    """Count the missing parts of a collection into a folder, and return what is there then.

    collection: a file, a folder or a glob of files (.tsv, .jsonl, .parquet, also compressed). executor: what counts the
    parts, by default this process. share: the parts to make, by default all. The last process to complete the parts
    writes `manifest.json`. progress: parts done, parts in all, documents in those that are done.

    Raises DataError with the first documents that cannot be read and the count of all; UsageError for a share out of
    range; FairvizError for a repeated doc_id, the same command under way, workers that end, and a folder that cannot be
    written.
    """
    share = share or Share()
    if not 1 <= share.number <= share.of:
        raise UsageError(
            f"there is no part {share.number} of {share.of}", f"Use 1/{share.of} to {share.of}/{share.of}."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _counting(folder, plan, share):
            before = state_of(collection, folder, plan)
            if before.missing:
                for part in set(parts_of(collection)) - set(before.missing):
                    write_whole(sum_file(folder / part.file), sum_of(folder / part.file))  # it may be in there alone
                (folder / MANIFEST).unlink(missing_ok=True)  # of other words, or of a file that changed
            parts = [part for part in before.missing if part in share]
            results = _counted(parts, plan, folder, executor or local(1), progress)
            _refuse_broken(results, plan)
            after = state_of(collection, folder, plan)
            if lost := [part.file for part in after.missing if part in share]:
                message = f"{lost[0]} in {folder} is of other words, or of a collection that changed meanwhile"
                raise FairvizError(message, "Count each word list into its own folder, and run this command again.")
            if after.is_complete:
                _finish(collection, folder, plan, after)
    except OSError as error:
        raise FairvizError(f"{folder} cannot be written ({error.strerror})", "Make room there, or name another folder "
                           "with --out.") from error  # fmt: skip
    return after


@contextmanager
def _counting(folder: Path, plan: CountingPlan, share: Share) -> Iterator[None]:
    """Lock a share of the folder during the block. Raises FairvizError while another process counts the same share, or
    any share by another word list: its parts have the same names."""
    remedy = "Wait for it, or stop it first."
    own = folder / f"{COUNTING}-{plan.fingerprint}-{share.number}-of-{share.of}"
    with locked(folder / COUNTING, FairvizError(f"other processes start in {folder}", remedy), STARTING):
        for file in folder.glob(f"{COUNTING}-*{LOCK}"):
            if not file.name.startswith(f"{COUNTING}-{plan.fingerprint}-"):
                other, is_free = hold(file.with_name(file.name.removesuffix(LOCK)))
                release(other)
                if is_free is False:
                    message = f"another process counts other words, or counts otherwise, in {folder}"
                    raise FairvizError(message, "Name another folder with --out, or wait for it.")
        if share.of > 1:
            _keep_apart(folder, plan)
        lock, is_free = hold(own)
        if is_free is False:
            raise FairvizError(f"another process makes these parts in {folder}", remedy)
    try:
        yield
    finally:
        release(lock)


def _keep_apart(folder: Path, plan: CountingPlan) -> None:
    """Let no share be added to those of another plan, which would complete neither: raise FairvizError for parts by
    another plan. Where they are complete, the folder is made again, and they go before the first share."""
    others = [path for path in sorted(folder.glob("part-*.parquet")) if plan_of(path) not in ("", plan.fingerprint)]
    if not others:
        return
    if not (folder / MANIFEST).exists():
        raise FairvizError(f"{others[0].name} in {folder} was counted by other words, or otherwise",
                           "Name another folder with --out, or remove the files in this one.")  # fmt: skip
    (folder / MANIFEST).unlink()
    for path in others:
        path.unlink()
        sum_file(path).unlink(missing_ok=True)


def _counted(
    parts: Sequence[Part], plan: CountingPlan, folder: Path, executor: Executor, progress: Progress
) -> list[Counted]:
    """Return the results of the parts. Raises FairvizError for a part that a worker wrote and that is not here."""
    results: list[Counted] = []
    documents = 0
    for part, result in executor(partial(score_part, plan=plan, folder=folder.absolute()), parts):
        if not result.lines and not (folder / part.file).is_file():
            message = f"a worker wrote {part.file}, and it is not in {folder} here"
            raise FairvizError(message, "Name a folder for --out that all machines share.")
        results.append(result)
        documents += result.rows
        progress(len(results), len(parts), documents)
    return results


def _refuse_broken(results: Sequence[Counted], plan: CountingPlan) -> None:
    """Raise DataError with the first documents that cannot be read, and the count of all, unless they are left out."""
    broken = sum(one.broken for one in results)
    if not broken or plan.skip_broken:
        return
    lines = [line for one in sorted(results, key=lambda one: one.number) for line in one.lines]
    in_all = BadLine("the collection", 0, f"{counted_text(broken, 'document')} cannot be read", stops=True)
    raise DataError([*lines[:SHOWN_LINES], in_all], BROKEN_REMEDY)


def _finish(collection: str, folder: Path, plan: CountingPlan, state: State) -> None:
    """Check that each doc_id is there once, remove counts of other parts, and write the manifest.

    Its `text` has where the text is from: ir_datasets encodes MS MARCO's anew, other than in the file collection.tsv.
    """
    parts = parts_of(collection)
    _refuse_twice(folder, parts)
    for stray in set(folder.glob("part-*.parquet")) - {folder / part.file for part in parts}:
        stray.unlink(missing_ok=True)
        sum_file(stray).unlink(missing_ok=True)
    is_packaged = collection.startswith(PACKAGE)
    manifest = {
        "format": FORMAT, "version": __version__,
        "collection": collection if is_packaged else os.path.abspath(collection),
        "text": f"ir_datasets {version('ir_datasets')}" if is_packaged else "files",
        "documents": state.documents,
        "broken": state.broken, "tokenizer": plan.tokenizer, "groups": list(plan.groups), "lexicon": plan.lexicon.name,
        "words": dict(plan.lexicon.words), "plan": plan.fingerprint, "genderedness": described(plan.genderedness),
        "parts": [{"file": part.file, "source": part.source, "start": part.start, "end": part.end,
                   "sha256": sum_of(folder / part.file)}
                  for part in parts],
        "options": list(plan.command_options),
    }  # fmt: skip
    manifest[CHECKSUM] = checksum_of(manifest)
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    write_whole(folder / MANIFEST, text.encode(errors="backslashreplace"))  # a file's name may not be UTF-8


def _refuse_twice(folder: Path, parts: Sequence[Part]) -> None:
    """Raise FairvizError with the first repeated doc_ids. Compares hashes of 8 bytes, then the ids themselves."""
    from pyarrow import parquet

    def ids(part: Part) -> Any:
        with open_regular(folder / part.file) as stream:
            return parquet.read_table(stream, columns=["doc_id"])["doc_id"].to_pandas()

    hashes = [pd.util.hash_array(ids(part).to_numpy(dtype=object), categorize=False) for part in parts]
    values, counts = np.unique(np.concatenate(hashes), return_counts=True)
    repeated = values[counts > 1]
    if not len(repeated):
        return
    doc_ids = pd.concat([ids(part)[np.isin(one, repeated)] for part, one in zip(parts, hashes, strict=True)])
    twice = doc_ids[doc_ids.duplicated()].drop_duplicates()
    if twice.empty:
        return
    listed_ids = ", ".join(map(repr, twice.head(MOST_NAMED)))
    more = f" and {len(twice) - MOST_NAMED:,} more" if len(twice) > MOST_NAMED else ""
    raise FairvizError(f"{len(twice):,} doc_ids are twice in the collection: {listed_ids}{more}", TWICE_REMEDY)
