"""Thousands of runs against one study: evaluated in batches of files, with the values of one study of all of them."""

import glob
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import FairvizError, PackageError, UsageError
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.questions import questions_of
from fairviz.evaluation.scores import evaluate, values_or_means
from fairviz.evaluation.settings import Settings
from fairviz.study.loaders import reader_of, system_of
from fairviz.study.loaders.runs import stack_runs
from fairviz.study.record import Study
from fairviz.study.tables import RUNS, conform, settled
from fairviz.study.validation import drop_empty_categories

MOST_BYTES = 1 << 26  # of the files of a batch
MOST_FILES = 50
OF_ALL_RUNS = "Choose --background collection, or AWRF(target='collection'), which no run changes."
Work = Callable[[Any], Any]
Execute = Callable[[Work, Sequence[Any]], Iterator[tuple[Any, Any]]]


@dataclass(frozen=True)
class Batch:
    """Run files that are evaluated together. queries: further ones that other batches answer, for a study without
    queries of its own."""

    files: tuple[str, ...]
    queries: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Evaluated:
    """The table of a batch, the queries of its runs for a study without queries of its own, and a line for each file
    that cannot be read."""

    table: pd.DataFrame
    queries: frozenset[str]
    broken: tuple[str, ...]


def run_files(pattern: str) -> list[str]:
    """Return the files that match, as absolute paths by name. Raises UsageError for none, and for two that name one
    system."""
    files = sorted(str(Path(name).absolute()) for name in glob.glob(pattern, recursive=True) if Path(name).is_file())
    if not files:
        raise UsageError(f"no file matches {pattern!r}", "Quote the pattern, such as --runs 'runs/*.run.gz'.")
    by_system: dict[str, str] = {}
    for file in files:
        if (first := by_system.setdefault(system_of(file), file)) != file:
            raise UsageError(f"{first} and {file} are of one system", "Rename one: a system takes its file's name.")
    return files


def batches_of(files: Sequence[str]) -> list[Batch]:
    """Return the files in their order in batches of bounded size, each with one file at least."""
    batches: list[list[str]] = []
    total = 0
    for file in files:
        size = Path(file).stat().st_size
        if not batches or total + size > MOST_BYTES or len(batches[-1]) == MOST_FILES:
            batches.append([])
            total = 0
        batches[-1].append(file)
        total += size
    return [Batch(tuple(batch)) for batch in batches]


@dataclass(frozen=True)
class Evaluation:
    """Measures and settings for every batch. study: a name, or an absolute path; its own runs are left out."""

    study: str
    measures: tuple[str, ...]
    settings: Settings
    per_query: bool = False

    def __call__(self, batch: Batch) -> Evaluated:
        """Evaluate a batch. Raises FairvizError where the study lacks what a measure needs."""
        tables, broken = [], []
        for file in batch.files:
            try:
                tables.append(reader_of("runs", file)(file, Path(file).parent))
            except PackageError:
                raise
            except FairvizError as error:
                broken.append(error.message)
        if not tables:
            return Evaluated(pd.DataFrame(), frozenset(), tuple(broken))
        runs, study = stack_runs(tables), _opened(self.study)
        systems = tuple(runs["system"].cat.categories)
        queries = frozenset() if study.has("queries") else frozenset(runs["query_id"].cat.categories)
        study = _with_runs(study, _answering(runs, batch.queries))
        scores = evaluate(study, self.measures, replace(self.settings, systems=systems))
        return Evaluated(values_or_means(scores, self.per_query), queries, tuple(broken))


@lru_cache(maxsize=1)
def _opened(study: str) -> Study:
    return open_study(study)


def _answering(runs: pd.DataFrame, queries: Sequence[str]) -> pd.DataFrame:
    """Return the runs beside one more system, which answers the queries of other batches, so that a system that lacks
    such a query is treated as in one study; without queries, the runs."""
    if not queries:
        return runs
    name = "*"
    while name in runs["system"].cat.categories:
        name += "*"
    rows = {"system": name, "query_id": list(queries), "doc_id": "", "rank": 1, "score": 0.0}
    return stack_runs([runs, conform(pd.DataFrame(rows), RUNS)])


def _with_runs(study: Study, runs: pd.DataFrame) -> Study:
    """Return the study with these runs alone."""
    table = drop_empty_categories(conform(runs, RUNS))
    table = settled({"runs": table}, [study.queries, study.documents, study.qrels, study.labels])[0]["runs"]
    return replace(study, runs=table, drafts=(), fingerprint="")


def evaluate_runs(
    evaluation: Evaluation, files: Sequence[str], execute: Execute, progress: Callable[[int, int], None]
) -> tuple[pd.DataFrame, list[str]]:
    """Return one table of the runs in these files, in their order, and a line for each that cannot be read.

    execute: from work and items to the items with their results, in any order. progress: files done, files in all.
    Raises UsageError for a measure whose values depend on all runs together.
    """
    for question in questions_of(evaluation.measures, evaluation.settings):
        if question.background not in ("", "collection", "relevant"):
            raise UsageError(f"{question.text} depends on all runs together, not on each alone", OF_ALL_RUNS)
    batches = batches_of(files)
    results = dict(_executed(evaluation, batches, execute, progress, len(files)))
    queries = frozenset().union(*(result.queries for result in results.values()))
    short = {
        Batch(batch.files, tuple(sorted(queries - result.queries))): batch
        for batch, result in results.items()
        if result.queries and result.queries != queries
    }
    for batch, result in _executed(evaluation, list(short), execute, progress, len(files)):
        results[short[batch]] = result
    tables = [table for batch in batches if not (table := results[batch].table).empty]
    order = list(tables[0]["measure"].unique()) if tables else []
    table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    if order:
        table = table.sort_values("measure", key=lambda column: column.map(order.index), kind="stable")
    return table.reset_index(drop=True), [line for batch in batches for line in results[batch].broken]


def _executed(
    evaluation: Evaluation, batches: Sequence[Batch], execute: Execute, progress: Callable[[int, int], None], files: int
) -> Iterator[tuple[Batch, Evaluated]]:
    done = 0
    for batch, result in execute(evaluation, batches):
        done += len(batch.files)
        progress(done, max(files, done))
        yield batch, result
