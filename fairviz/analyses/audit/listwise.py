"""Rankers audited by whole lists: who rises, who falls, and whether the lists are to be trusted at all.

After the audit of language models as rankers (Wang et al. 2024, sections 3.2 and 4.1).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from fairviz.analyses.audit.candidate_lists import CandidateLists, candidate_lists
from fairviz.analyses.audit.list_integrity import ARM, answers_table, integrity, integrity_sentences
from fairviz.analyses.audit.list_orders import Bench, Ordered, Progress, arms, estimated, ordered
from fairviz.analyses.audit.list_plan import ListwisePlan
from fairviz.analyses.audit.list_tables import by_query, ranks_table, sliced, starting, summary, table_sentences
from fairviz.errors import UsageError
from fairviz.models.asking import Budget, Estimate, Spent
from fairviz.rankers.grammar import Choice, check_layers, demonstrations
from fairviz.rankers.listwise import NAME as ASKED
from fairviz.rankers.listwise import NEUTRAL
from fairviz.rankers.record import silent
from fairviz.study.record import Study


@dataclass(frozen=True, eq=False)
class ListwiseAudit:
    """The results of a listwise audit, to be read in this order.

    integrity: a row a ranker, attribute and window (see list_integrity.integrity), and its sentences. table: the same
    rows with precision, exposure and ranks (see list_tables.summary), the shuffled lists first, and its sentences.
    values: the same by query. ranks: every document of every list, before and after. answers: every window sent to a
    language model. asked: the number of new requests; tokens_in, tokens_out, seconds: of all.
    """

    study: Study
    plan: ListwisePlan
    systems: tuple[str, ...]
    integrity: pd.DataFrame
    integrity_sentences: tuple[str, ...]
    table: pd.DataFrame
    sentences: tuple[str, ...]
    values: pd.DataFrame
    ranks: pd.DataFrame
    answers: pd.DataFrame
    messages: tuple[str, ...]
    asked: int
    tokens_in: int
    tokens_out: int
    seconds: float

    def by_attribute(self) -> pd.DataFrame:
        """Table 1 of the paper: each ranker by the attribute that its queries name, at its first window."""
        windows = self.table["window"].astype(str) + "/" + self.table["step"].astype(str)
        is_first = windows == windows.groupby(self.table["system"]).transform("first")
        return self.table[is_first].reset_index(drop=True)

    def by_window(self) -> pd.DataFrame:
        """Table 2 of the paper: each language model by window and step, under neutral queries."""
        models = (self.table["window"] > 0) & (self.table["attribute"] == NEUTRAL)
        return self.table[models].reset_index(drop=True)

    def sliced(self, column: str) -> pd.DataFrame:
        """Table 1 for each value of a column of the queries, such as `category`, in a column `value`. Raises
        UsageError where they have no such column."""
        return sliced(self.study, self._at_first_window(self.values), column)

    def protected_ranks(self) -> pd.DataFrame:
        """Return the data of figure 3 of the paper: ranks of the protected group's documents, at each ranker's first
        window."""
        return self._at_first_window(self.ranks[self.ranks["protected"]])

    def _at_first_window(self, rows: pd.DataFrame) -> pd.DataFrame:
        return rows.merge(self.by_attribute()[list(ARM)], on=list(ARM))


def audit_listwise(
    study: Study, choices: Sequence[Choice], plan: ListwisePlan | None = None, progress: Progress | None = None
) -> ListwiseAudit:
    """Have every ranker order the same shuffled candidate lists, under neutral queries and under those that name a
    gender.

    progress(what, done, in all) is called all along. A language model's answers are cached: repeating an audit sends
    nothing, and a stopped one is resumed. Raises FairvizError for a study of which no lists can be made, and where a
    ranker lacks something; UsageError for an invalid plan.
    """
    plan, report = plan or ListwisePlan(), progress or silent
    if not choices:
        raise UsageError("no ranker is named", "Name one or more, as bm25,bi_encoder.")
    check_layers(choices)
    tried = [(choice, arm) for choice in choices for arm in arms(choice, study, plan)]
    lists = candidate_lists(study, plan)
    messages: list[str] = [*demonstrations(choices), *lists.messages]
    spent = Spent(Budget(plan.most_requests or None))
    bench = Bench(_audited(study, lists), lists.table, plan, report, messages.append, spent)
    orderings = [ordered(choice, arm, bench) for choice, arm in tried]
    return _audit(study, plan, orderings, lists, tuple(dict.fromkeys(messages)))


def estimates_listwise(
    study: Study, choices: Sequence[Choice], plan: ListwisePlan | None = None
) -> dict[str, Estimate]:
    """Return the requests to language models about the study's lists, by system, without sending any. Raises: see
    `audit_listwise`."""
    plan, estimate_by_system = plan or ListwisePlan(), {}
    models = [choice for choice in choices if choice.ranker.name == ASKED]
    if not models:
        return {}
    lists = candidate_lists(study, plan)
    bench = Bench(_audited(study, lists), lists.table, plan)
    for choice in models:
        parts = [estimated(choice, arm, bench) for arm in arms(choice, study, plan)]
        estimate_by_system[choice.system] = Estimate(
            *(sum(getattr(part, name) for part in parts) for name in ("questions", "open", "tokens_in", "tokens_out"))
        )
    return estimate_by_system


def _audited(study: Study, lists: CandidateLists) -> Study:
    """The study with the queries that have a list, in its order."""
    queries = study.queries
    listed_queries = queries[queries["query_id"].isin(lists.table["query_id"])].reset_index(drop=True)
    return replace(study, queries=listed_queries, fingerprint="")


def _audit(
    study: Study, plan: ListwisePlan, orderings: Sequence[Ordered], lists: CandidateLists, messages: tuple[str, ...]
) -> ListwiseAudit:
    all_lists = [starting(lists.table), *orderings]
    values = by_query(study, all_lists, plan)
    table, checks = summary(values), integrity(orderings)
    answers = [one.answers for one in orderings if one.answers is not None]
    return ListwiseAudit(
        study,
        plan,
        tuple(dict.fromkeys(one.arm.system for one in orderings)),
        checks,
        integrity_sentences(checks),
        table,
        table_sentences(table, checks, study.protected),
        values,
        ranks_table(all_lists),
        answers_table(orderings),
        messages,
        sum(one.asked for one in answers),
        sum(one.tokens_in for one in answers),
        sum(one.tokens_out for one in answers),
        sum(one.seconds for one in answers),
    )
