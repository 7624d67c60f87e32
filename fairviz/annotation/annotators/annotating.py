"""A study's documents labelled by annotators from code and from models."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from fairviz.annotation.annotators import Choice
from fairviz.annotation.annotators.given import check, chosen
from fairviz.annotation.annotators.record import OUTCOMES, Asking, Labelled, Work, silent
from fairviz.annotation.electorate import annotator_names, by_hand
from fairviz.errors import FairvizError, UsageError, expect
from fairviz.models.asking import CONCURRENCY, PATIENCE, Budget, Estimate, Spent, estimate
from fairviz.models.language_model import SMOLLM2
from fairviz.number_texts import shortest
from fairviz.study.study import Annotator, Study, add_labels
from fairviz.study.tables import LABELS, conform, empty
from fairviz.words.counting import document_text

Progress = Callable[[int, int], None]
DEMONSTRATION = "So small a model labels near chance: a demonstration, never evidence."


@dataclass(frozen=True)
class Hearing:
    """Who hears of the work: sentences, questions answered, and texts that an encoder has read."""

    say: Callable[[str], None] = silent
    progress: Progress = silent
    encoding: Progress = silent


@dataclass(frozen=True, eq=False)
class Annotations:
    """labels: doc_id, annotator, label, and rationale where an annotator gave any. outcomes: doc_id, annotator,
    outcome (`labelled`, `unparsed`, …) and text, the answer of a model, for every document that was to be labelled.
    record: a row an annotator, with how many documents had which outcome, and what it took. annotators: what each is.
    """

    labels: pd.DataFrame
    outcomes: pd.DataFrame
    record: pd.DataFrame
    annotators: dict[str, Annotator] = field(default_factory=dict)


def annotate(
    study: Study,
    annotators: str | Sequence[Choice],
    *,
    queries: int = 0,
    concurrency: int = CONCURRENCY,
    budget: Budget | None = None,
    patience: float = PATIENCE,
    hearing: Hearing | None = None,
) -> Annotations:
    """Labels the study's documents, by title and text; one without text gets no label.

    annotators: as on the command line, `classifier,llm(model='gpt-4o',url='openai')`. queries: only the documents of
    so many of the first queries (0: all documents). concurrency, budget, patience (most seconds to the end of a whole
    answer): how language models are asked; what they answered is kept, so that the same call asks nothing twice. Raises
    UsageError for annotators that there are not, FairvizError where the study lacks what one needs or a model cannot be
    asked.
    """
    check(study, queries, concurrency, budget, patience)
    if hearing is not None:
        expect("hearing", hearing, Hearing, "Give a Hearing of fairviz.annotation.annotators.annotating.")
    choices, hearing = chosen(annotators), hearing or Hearing()
    asking = Asking(concurrency, patience, Spent(budget or Budget()), hearing.progress)
    work = work_of(study, queries, asking, hearing)
    found: dict[str, Labelled] = {}
    for choice in choices:
        for one in choice.walk():
            if one.name not in found:
                others = [found[other.name] for other in one.others]
                found[one.name] = one.method.label(work, one.values, others)
    tables = [_labels(work, choice.name, found[choice.name]) for choice in choices]
    labels = conform(pd.concat(tables, ignore_index=True), LABELS) if any(map(len, tables)) else empty(LABELS)
    if "rationale" in labels:
        labels["rationale"] = labels["rationale"].fillna("").astype("str")
    return Annotations(
        labels,
        pd.concat([_outcomes(work, choice.name, found[choice.name]) for choice in choices], ignore_index=True),
        pd.DataFrame([_record(work, choice, found[choice.name]) for choice in choices]),
        {choice.name: Annotator(choice.name, choice.kind, described(choice)) for choice in choices},  # type: ignore[arg-type]
    )


def estimates(study: Study, annotators: Sequence[Choice], *, queries: int = 0) -> dict[str, Estimate]:
    """What language models would be asked, by annotator; those that ask none are not in it. Asks nothing."""
    work = work_of(study, queries)
    wanted = {one.name: one for choice in annotators for one in choice.walk() if one.method.questions is not None}
    found = {}
    for name, one in wanted.items():
        if one.method.questions is not None:
            found[name] = estimate(*one.method.questions(work, one.values))
    return found


def described(choice: Choice) -> str:
    """One sentence on what the annotator is, for the screen."""
    values = ", ".join(f"{name}={shortest(value)}" if isinstance(value, float) else f"{name}={value}"
                       for name, value in choice.values.items() if value != "")  # fmt: skip
    values = values or ", ".join(other.name for other in choice.others)
    small = f" {DEMONSTRATION}" if is_demonstration(choice) else ""
    return f"{choice.method.name}{f' ({values})' if values else ''}: {choice.method.summary}.{small}"


def is_demonstration(choice: Choice) -> bool:
    """Whether its labels come from the packaged model, which is there to show the way and no more."""
    return any(one.values.get("model") == SMOLLM2 for one in choice.walk())


def work_of(study: Study, queries: int = 0, asking: Asking | None = None, hearing: Hearing | None = None) -> Work:
    """The study's documents as annotators read them. Raises FairvizError for those that cannot be labelled."""
    asking, hearing = asking or Asking(), hearing or Hearing()
    if study.label_kind != "gender":
        raise FairvizError(
            f"the labels of {study.name} are not genders, and annotators give genders", "Open another study."
        )
    if not study.has("documents"):
        raise FairvizError(f"the study {study.name!r} has no documents to label", "Add documents.tsv.")
    texts = document_text(study.documents)
    known = texts.notna().to_numpy()
    doc_ids = study.documents["doc_id"].to_numpy(dtype=object)[known]
    wanted = np.isin(doc_ids, list(_first(study, queries))) if queries else np.ones(len(doc_ids), dtype=bool)
    if not wanted.any():
        raise FairvizError(f"no document of {study.name} that is to be labelled has text", "Give the documents' text.")
    if not known.all():
        hearing.say(f"{(~known).sum():,} documents without text get no label.")
    return Work(study, doc_ids, texts[known].tolist(), wanted, asking, hearing.say, hearing.encoding)


def _first(study: Study, queries: int) -> set[str]:
    """The documents that are judged or ranked for the first queries. Raises UsageError where the study has neither."""
    table = study.qrels if study.has("qrels") else study.runs
    if not len(table):
        raise UsageError(f"{study.name} has neither judgements nor runs, so no document belongs to a query",
                         "Label all documents: leave out the number of queries.")  # fmt: skip
    names = study.queries["query_id"] if study.has("queries") else table["query_id"].astype("str").drop_duplicates()
    return set(table.loc[table["query_id"].isin(list(names[:queries])), "doc_id"].astype("str"))


def _labels(work: Work, name: str, found: Labelled) -> pd.DataFrame:
    rows = np.flatnonzero(work.wanted & (found.codes >= 0))
    said = np.array(work.classes, dtype=object)[found.codes[rows]]
    table = pd.DataFrame({"doc_id": work.doc_ids[rows], "annotator": name, "label": said}).astype("str")
    return table.assign(rationale=[found.rationales[row] for row in rows.tolist()]) if len(found.rationales) else table


def _outcomes(work: Work, name: str, found: Labelled) -> pd.DataFrame:
    rows = np.flatnonzero(work.wanted)
    texts = [found.answers[row] for row in rows.tolist()] if len(found.answers) else [""] * len(rows)
    parts = {"doc_id": work.doc_ids[rows], "annotator": name, "outcome": found.outcomes[rows], "text": texts}
    return pd.DataFrame(parts).astype("str")


def _record(work: Work, choice: Choice, found: Labelled) -> dict[str, object]:
    """One row: whose it is, how many documents had which outcome, and what was asked and took how long."""
    counts = pd.Series(found.outcomes[work.wanted]).value_counts()
    told = {outcome.replace(" ", "_"): int(counts.get(outcome, 0)) for outcome in OUTCOMES}
    return {
        "annotator": choice.name,
        "kind": choice.kind,
        "documents": int(work.wanted.sum()),
        **told,
        "asked": found.asked,
        "tokens_in": found.tokens_in,
        "tokens_out": found.tokens_out,
        "seconds": found.seconds,
    }


def with_annotations(study: Study, made: Annotations, *, replacing: bool = False) -> Study:
    """The study with these labels, in memory. Raises FairvizError where it has labels by an annotator of that name,
    unless those are a rule's or a model's and are to be replaced."""
    taken = [name for name in made.annotators if name in annotator_names(study)]
    kept = [name for name in taken if not replacing or by_hand(study, name)]
    if kept:
        raise FairvizError(f"{study.name} has labels by {kept[0]} already", "Use another study, or other annotators.")
    rest = study.labels[~study.labels["annotator"].isin(taken)]
    grown = add_labels(replace(study, labels=rest.reset_index(drop=True)) if taken else study, made.labels)
    return replace(grown, annotators=dict(grown.annotators) | made.annotators)


__all__ = ["Annotations", "Hearing", "annotate", "estimates", "with_annotations"]
