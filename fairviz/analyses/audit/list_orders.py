"""Candidate lists put in order by any ranker, with what is to be known of each order before it is trusted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from fairviz.analyses.audit.list_plan import WORDING, ListwisePlan
from fairviz.errors import UsageError
from fairviz.models.asking import Budget, Estimate, Spent
from fairviz.models.language_model import chosen_model
from fairviz.rankers.grammar import Choice
from fairviz.rankers.listwise import NAME as LLM
from fairviz.rankers.listwise import (
    NEUTRAL,
    STEP,
    WINDOW,
    Listing,
    Sliding,
    Sorted,
    SortingTask,
    cut_windows,
    estimate_lists,
    prompt,
    sort_lists,
)
from fairviz.rankers.ranking import documents_with_text, queries_of
from fairviz.rankers.record import Collection, Found, silent
from fairviz.study.record import Study
from fairviz.study.tables import RUNS, conform
from fairviz.words.sentences import with_article

CANDIDATES = "candidates"  # the run of the shuffled lists, for rankers that order another run anew
Progress = Callable[[str, int, int], None]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Arm:
    """One ranker under one condition. attribute: what the query names, or `neutral`. window, step: of a language
    model; 0 for other rankers."""

    system: str
    attribute: str
    window: int = 0
    step: int = 0

    @property
    def text(self) -> str:
        return f"{self.system}, {self.attribute} queries" + (f", {self.window}/{self.step}" if self.window else "")


@dataclass(frozen=True, eq=False)
class Ordered:
    """The lists of one arm. ranks: the candidate table with `after`, `unranked` (no rank from the ranker: last, in the
    former order) and `tied` (with another document: in the former order). answers: every window of a language model
    with the outcome of its answer; None for another ranker."""

    arm: Arm
    ranks: pd.DataFrame
    answers: Sorted | None = None


@dataclass(frozen=True, eq=False)
class Bench:
    """The inputs of every arm: the study with the audited queries alone, their lists, the receivers of progress, and
    the token budget of language models."""

    study: Study
    table: pd.DataFrame
    plan: ListwisePlan
    progress: Progress = silent
    say: Say = silent
    spent: Spent = field(default_factory=lambda: Spent(Budget()))

    @property
    def queries(self) -> dict[str, str]:
        """The text of each audited query."""
        queries = self.study.queries
        return dict(zip(queries["query_id"], queries["text"], strict=True))

    @property
    def lists(self) -> dict[str, list[str]]:
        """The documents of each list in their first order."""
        ordered = self.table.sort_values("before", kind="stable")
        return {str(query): part["doc_id"].tolist() for query, part in ordered.groupby("query_id", sort=False)}


def arms(choice: Choice, study: Study, plan: ListwisePlan) -> list[Arm]:
    """Return the conditions under which a ranker is audited; neutral queries alone for a ranker that reads no text.
    Raises UsageError for a choice that names what the plan varies."""
    named = study.groups if plan.attributes is None else plan.attributes
    attributes = (NEUTRAL, *(named if "documents" in choice.ranker.needs else ()))
    if choice.ranker.name != LLM:
        return [Arm(choice.system, attribute) for attribute in attributes]
    for parameter, default in (("template", NEUTRAL), ("attribute", "")):
        if choice.parameters[parameter] != default:
            raise UsageError(
                f"{choice.system} names {with_article(parameter)}, which the audit varies itself",
                "Leave it out, and give the templates and attributes of the audit.",
            )
    choice_window = (int(choice.parameters["window"]), int(choice.parameters["step"]))
    first = choice_window if choice_window != (WINDOW, STEP) else (plan.window, plan.step)
    Sliding(*first)
    neutral_and_sensitive = [Arm(choice.system, attribute, *first) for attribute in attributes]
    others = [sliding for sliding in dict.fromkeys(plan.windows) if sliding != first]
    return neutral_and_sensitive + [Arm(choice.system, NEUTRAL, *sliding) for sliding in others]


def ordered(choice: Choice, arm: Arm, bench: Bench) -> Ordered:
    """Return the lists in the order of this ranker. Raises FairvizError where it lacks something."""
    return _order_by_model(choice, arm, bench) if choice.ranker.name == LLM else _scored(choice, arm, bench)


def _order_by_model(choice: Choice, arm: Arm, bench: Bench) -> Ordered:
    task = _task(choice, arm, bench)
    cut = cut_windows(task.sliding, [len(one.documents) for one in task.lists])
    if cut:
        bench.say(f"{arm.system}: {cut}")

    def progress(done: int, total: int) -> None:
        bench.progress(arm.text, done, total)

    sorted_lists = sort_lists(task, progress, bench.spent)
    ranks = {
        (query, name): rank for query, names in sorted_lists.orders.items() for rank, name in enumerate(names, start=1)
    }
    after = [ranks[key] for key in zip(bench.table["query_id"], bench.table["doc_id"], strict=True)]
    return Ordered(arm, bench.table.assign(after=after, unranked=False, tied=False), sorted_lists)


def _task(choice: Choice, arm: Arm, bench: Bench) -> SortingTask:
    """Return the requests to a language model under one arm."""
    parameters, queries, neutral = choice.parameters, bench.queries, arm.attribute == NEUTRAL
    template = prompt(
        bench.plan.template[0 if neutral else 1], "" if neutral else arm.attribute, int(parameters["words"])
    )
    return SortingTask(
        chosen_model(parameters["model"], parameters["url"]),
        [Listing(query, queries[query], tuple(names)) for query, names in bench.lists.items()],
        documents_with_text(bench.study, bench.table["doc_id"].unique().tolist()).by_name,
        template,
        Sliding(arm.window, arm.step),
    )


def estimated(choice: Choice, arm: Arm, bench: Bench) -> Estimate:
    """Return the requests to a language model under this arm without sending any. Raises: see `ordered`."""
    return estimate_lists(_task(choice, arm, bench))


def _scored(choice: Choice, arm: Arm, bench: Bench) -> Ordered:
    """Return every document of a list by the score that the ranker gives it in its own list for the query."""
    study = _worded(bench.study, arm.attribute)
    parameters = dict(choice.parameters)
    reads_lists = {"run", "n"} <= set(parameters)
    if reads_lists:  # it orders the top of another run anew: here, the candidates
        parameters |= {"run": CANDIDATES, "n": bench.plan.per_list}
    names = bench.table["doc_id"].unique().tolist() if "model" in parameters else None
    collection = Collection(
        study,
        documents_with_text(study, names),  # a model reads each document for itself: the others need not be read
        _candidate_run(bench.table) if reads_lists else study.runs,
        bench.say,
        lambda done, total: bench.progress(f"{arm.text}: texts read", done, total),
    )
    find = choice.ranker.prepare(collection, parameters)
    parts = []
    queries = queries_of(study)
    rows_by_query = dict(list(bench.table.groupby("query_id", sort=False)))
    for done, query in enumerate(queries, start=1):
        parts.append(_placed(rows_by_query[query.query_id], find(query)))
        bench.progress(arm.text, done, len(queries))
    return Ordered(arm, pd.concat(parts).loc[bench.table.index])


def _placed(rows: pd.DataFrame, hits: Found) -> pd.DataFrame:
    """Return the rows of one list with `after`, `unranked` and `tied`: by falling score, equal ones in their former
    order."""
    scores: Mapping[str, float] = dict(zip(hits.documents.tolist(), hits.scores.tolist(), strict=True))
    score = np.array([scores.get(name, np.nan) for name in rows["doc_id"]])
    order = np.lexsort((rows["before"].to_numpy(), -score))  # NaN stands last
    after = np.empty(len(rows), dtype=np.int64)
    after[order] = np.arange(1, len(rows) + 1)
    tied = pd.Series(score).duplicated(keep=False).to_numpy() & ~np.isnan(score)
    return rows.assign(after=after, unranked=np.isnan(score), tied=tied)


def _worded(study: Study, attribute: str) -> Study:
    """Return the study with the attribute before each query, for rankers that take no prompt."""
    if attribute == NEUTRAL:
        return study
    texts = [WORDING.format(attribute=attribute, query=text) for text in study.queries["text"]]
    return replace(study, queries=study.queries.assign(text=pd.array(texts, dtype="str")), fingerprint="")


def _candidate_run(table: pd.DataFrame) -> pd.DataFrame:
    rows = table[["query_id", "doc_id"]].assign(system=CANDIDATES, rank=table["before"], score=-table["before"])
    return conform(rows, RUNS)
