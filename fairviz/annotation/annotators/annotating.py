"""Labels of a study's documents by annotators from code and from models."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from fairviz.annotation.annotators import MethodChoice, parse
from fairviz.annotation.annotators.record import Asking, Labelled, Work, silent
from fairviz.annotation.annotators.worked import EXAMPLES, Example, described, worked_examples
from fairviz.annotation.rules import named_documents
from fairviz.annotation.voters import annotator_names, is_machine
from fairviz.declared import ANNOTATE
from fairviz.errors import FairvizError, UsageError, expect, value_text
from fairviz.models.asking import CONCURRENCY, PATIENCE, Budget, Estimate, Spent, estimate
from fairviz.models.language_model import SMOLLM2
from fairviz.models.replies import OUTCOMES
from fairviz.parameters import check_parameters
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels
from fairviz.study.tables import LABELS, conform, empty
from fairviz.words.counting import document_text
from fairviz.words.sentences import counted, shortest

Progress = Callable[[int, int], None]
EXAMPLES_TEXT = " Worked examples, not judged: "  # in descriptions, before them
COSTS = ("asked", "tokens_in", "tokens_out", "seconds")  # of a result
DEMONSTRATION = "So small a model labels near chance: a demonstration, never evidence."
_ANNOTATORS = "Write annotators as text, such as \"classifier,llm(model='smollm2')\"."
_BUDGET = "Give a Budget of fairviz.models.asking, such as Budget(requests=100)."


@dataclass(frozen=True)
class Hearing:
    """Callbacks of a job: for messages, for answered questions, and for texts read by an encoder."""

    say: Callable[[str], None] = silent
    progress: Progress = silent
    encoding: Progress = silent


@dataclass(frozen=True, eq=False)
class Annotations:
    """labels: doc_id, annotator, label, and rationale and confidence where an annotator gave any. outcomes: doc_id,
    annotator, outcome (`labelled`, `unparsed`, …) and text (the answer of a model) for every requested document.
    record: a row for each annotator with the numbers of documents by outcome, and the cost. annotators: their
    descriptions by name.
    """

    labels: pd.DataFrame
    outcomes: pd.DataFrame
    record: pd.DataFrame
    annotators: dict[str, Annotator] = field(default_factory=dict)


def annotate(
    study: Study,
    annotators: str | Sequence[MethodChoice],
    *,
    queries: int = 0,
    concurrency: int = CONCURRENCY,
    budget: Budget | None = None,
    patience: float = PATIENCE,
    in_batches: bool = False,
    hearing: Hearing | None = None,
) -> Annotations:
    """Label the study's documents, by title and text; documents without text get no label.

    Parameters
    ----------
    study : Study
        With documents.
    annotators : str or sequence of MethodChoice
        As on the command line, `classifier,llm(model='gpt-4o',url='openai')`.
    queries : int
        Only the documents of this many first queries; 0 for all documents.
    concurrency : int
        The most requests to a language model at once.
    budget : Budget, optional
        A limit of requests to language models. Answers are stored, so that a repeated call sends nothing twice.
    patience : float
        The most seconds to the end of a whole answer.
    in_batches : bool
        Whether to send questions as batch files, which a server answers within a day; the same call collects them.
    hearing : Hearing, optional
        Callbacks for progress and for stopping.

    Returns
    -------
    Annotations
        The labels by document and annotator, with what the answers took.

    Raises
    ------
    UsageError
        For unknown annotators.
    FairvizError
        If the study lacks what an annotator needs, or a model does not answer.

    Examples
    --------
    >>> import fairviz
    >>> annotations = fairviz.annotate(fairviz.open_study("football"), "lexicon")
    >>> annotations.labels["label"].value_counts().sort_index().to_dict()
    {'female': 2, 'male': 4, 'neutral': 4}
    """
    check(study, queries, concurrency, budget, patience)
    expect("in_batches", in_batches, bool, "Use True or False.")
    if hearing is not None:
        expect("hearing", hearing, Hearing, "Give a Hearing of fairviz.annotation.annotators.annotating.")
    choices, hearing = read_choices(annotators), hearing or Hearing()
    asking = Asking(concurrency, patience, Spent(budget or Budget()), hearing.progress, in_batches)
    by_words = all(part.method.by_words for choice in choices for part in choice.walk())
    work = work_of(study, queries, asking, hearing, by_words=by_words)
    parts = [part for choice in choices for part in choice.walk()]
    work = without_examples(work, parts)
    results: dict[str, Labelled] = {}
    for choice in choices:
        for part in choice.walk():
            if part.name not in results:
                others = [results[other.name] for other in part.others]
                results[part.name] = part.method.label(work, part.values, others)
    tables = [_labels(work, choice.name, results[choice.name]) for choice in choices]
    labels = conform(pd.concat(tables, ignore_index=True), LABELS) if any(map(len, tables)) else empty(LABELS)
    for name in ("rationale", "confidence"):
        if name in labels:
            labels[name] = labels[name].fillna("").astype("str")
    return Annotations(
        labels,
        pd.concat([_outcomes(work, choice.name, results[choice.name]) for choice in choices], ignore_index=True),
        pd.DataFrame([_record(work, choice, results[choice.name]) for choice in choices]),
        {
            choice.name: Annotator(choice.name, choice.kind, describe(choice) + _told_examples(study, choice))  # type: ignore[arg-type]
            for choice in choices
        },
    )


def without_examples(work: Work, parts: Sequence[MethodChoice]) -> Work:
    """Return the work without the documents that are worked examples in a prompt of these annotators, and without
    others of the same text: no annotator of the job judges them. Raises FairvizError where none is left."""
    examples = [one for part in parts for one in _examples_of(work.study, part)]
    if not examples:
        return work
    names, texts = {one.doc_id for one in examples}, {one.text for one in examples}
    is_example = np.array([name in names or text in texts for name, text in zip(work.doc_ids, work.texts, strict=True)])
    if not (work.wanted & ~is_example).any():
        raise FairvizError(
            "every document that is to be judged is a worked example", "Ask for fewer with shots, or judge more."
        )
    work.say(f"{counted(len(names), 'document is', 'documents are')} worked examples, and judged by nobody here.")
    return replace(work, wanted=work.wanted & ~is_example)


def _examples_of(study: Study, part: MethodChoice) -> tuple[Example, ...]:
    """Return the worked examples in the prompt of one annotator, without those in its brackets."""
    if EXAMPLES not in part.method.parameters or not part.values[EXAMPLES.name]:
        return ()
    return worked_examples(study, part.values["shots"], part.values["seed"])


def _told_examples(study: Study, choice: MethodChoice) -> str:
    """Return the worked examples of the prompts of an annotator, as its description has them; empty without any."""
    examples = {one.doc_id: one for part in choice.walk() for one in _examples_of(study, part)}
    return f"{EXAMPLES_TEXT}{described([*examples.values()])}." if examples else ""


def _labels(work: Work, name: str, result: Labelled) -> pd.DataFrame:
    """Return the labels of the wanted documents that got one, with rationale and confidence if there are any."""
    rows = np.flatnonzero(work.wanted & (result.codes >= 0))
    labels = np.array(work.classes, dtype=object)[result.codes[rows]]
    table = pd.DataFrame({"doc_id": work.doc_ids[rows], "annotator": name, "label": labels}).astype("str")
    if len(result.rationales):
        table = table.assign(rationale=[result.rationales[row] for row in rows.tolist()])
    if len(result.confidences):
        table = table.assign(confidence=[f"{result.confidences[row]:.4g}" for row in rows.tolist()])
    return table


def _outcomes(work: Work, name: str, result: Labelled) -> pd.DataFrame:
    """Return the outcome of every wanted document, with the model's answer if there is one."""
    rows = np.flatnonzero(work.wanted)
    texts = [result.answers[row] for row in rows.tolist()] if len(result.answers) else [""] * len(rows)
    columns = {"doc_id": work.doc_ids[rows], "annotator": name, "outcome": result.outcomes[rows], "text": texts}
    return pd.DataFrame(columns).astype("str")


def _record(work: Work, choice: MethodChoice, result: Labelled) -> dict[str, object]:
    """Return the numbers of wanted documents by outcome, and the cost."""
    counts = pd.Series(result.outcomes[work.wanted]).value_counts()
    return {
        "annotator": choice.name,
        "kind": choice.kind,
        "documents": int(work.wanted.sum()),
        **{outcome.replace(" ", "_"): int(counts.get(outcome, 0)) for outcome in OUTCOMES},
        **{name: getattr(result, name) for name in COSTS},
    }


def estimates(study: Study, annotators: Sequence[MethodChoice], *, queries: int = 0) -> dict[str, Estimate]:
    """Return the cost of each annotator that is a language model. Sends nothing."""
    parts = {part.name: part for choice in annotators for part in choice.walk()}
    work = without_examples(work_of(study, queries), [*parts.values()])
    estimates_by_name = {}
    for name, part in parts.items():
        if part.method.questions is not None:
            estimates_by_name[name] = estimate(*part.method.questions(work, part.values))
    return estimates_by_name


def describe(choice: MethodChoice) -> str:
    """Return the annotator's description, one sentence."""
    silent_defaults = {one.name: one.default for one in choice.method.parameters if not one.told}
    values_by_name = {
        name: value for name, value in choice.values.items() if value not in ("", silent_defaults.get(name, ""))
    }
    values = ", ".join(
        f"{name}={shortest(value) if isinstance(value, float) else value}" for name, value in values_by_name.items()
    )
    values = values or ", ".join(other.name for other in choice.others)
    small = f" {DEMONSTRATION}" if is_demonstration(choice) else ""
    return f"{choice.method.name}{f' ({values})' if values else ''}: {choice.method.summary}.{small}"


def is_demonstration(choice: MethodChoice) -> bool:
    """Return whether its labels come from the packaged model, which only demonstrates the workflow."""
    return any(part.values.get("model") == SMOLLM2 for part in choice.walk())


def work_of(
    study: Study, queries: int = 0, asking: Asking | None = None, hearing: Hearing | None = None, by_words: bool = False
) -> Work:  # fmt: skip
    """Return the study's documents with text; by_words: those with word counts, if it has them.

    Raises FairvizError where none can be labelled.
    """
    asking, hearing = asking or Asking(), hearing or Hearing()
    if study.label_kind != "gender":
        raise FairvizError(
            f"the labels of {study.name} are not genders, and annotators give genders", "Open another study."
        )
    doc_ids, texts, has_text = _texts_of(study, by_words)
    is_wanted = np.ones(len(doc_ids), dtype=bool)
    if queries:
        is_wanted = np.isin(doc_ids, list(_documents_of_queries(study, queries)))
    if not is_wanted.any():
        raise FairvizError(f"no document of {study.name} that is to be labelled has text", "Give the documents' text.")
    if not has_text.all():
        hearing.say(f"{(~has_text).sum():,} documents without text get no label.")
    return Work(study, doc_ids, texts, is_wanted, asking, hearing.say, hearing.encoding)


def _texts_of(study: Study, by_words: bool) -> tuple[np.ndarray, list[str], np.ndarray]:
    """Return ids and texts of the documents that can be labelled, and for each document whether it is one of them; the
    texts of counted ones are empty."""
    if by_words and study.word_counts:
        named = named_documents(study)
        is_counted = study.word_counts.counts(named, ()).known
        return named.to_numpy(dtype=object)[is_counted], [""] * int(is_counted.sum()), is_counted
    if not study.has("documents"):
        raise FairvizError(f"the study {study.name!r} has no documents to label", "Add documents.tsv.")
    texts = document_text(study.documents)
    has_text = texts.notna().to_numpy()
    return study.documents["doc_id"].to_numpy(dtype=object)[has_text], texts[has_text].tolist(), has_text


def _documents_of_queries(study: Study, queries: int) -> set[str]:
    """Return the documents that are judged or ranked for the first queries. Raises UsageError without judgements and
    runs."""
    table = study.qrels if study.has("qrels") else study.runs
    if not len(table):
        raise UsageError(
            f"{study.name} has neither judgements nor runs, so no document belongs to a query",
            "Label all documents: leave out the number of queries.",
        )
    names = study.queries["query_id"] if study.has("queries") else table["query_id"].astype("str").drop_duplicates()
    return set(table.loc[table["query_id"].isin(list(names[:queries])), "doc_id"].astype("str"))


def with_annotations(study: Study, annotations: Annotations, *, replacing: bool = False) -> Study:
    """Return the study with these labels, in memory. Raises FairvizError where it has labels by an annotator of the
    same name; with `replacing`, only where these are a person's."""
    repeated_names = [name for name in annotations.annotators if name in annotator_names(study)]
    conflicts = [name for name in repeated_names if not replacing or not is_machine(study, name)]
    if conflicts:
        raise FairvizError(
            f"{study.name} has labels by {conflicts[0]} already", "Use another study, or other annotators."
        )
    other_labels = study.labels[~study.labels["annotator"].isin(repeated_names)]
    labelled_study = add_labels(
        replace(study, labels=other_labels.reset_index(drop=True)) if repeated_names else study, annotations.labels
    )
    return replace(labelled_study, annotators=dict(labelled_study.annotators) | annotations.annotators)


__all__ = ["Annotations", "Hearing", "annotate", "estimates", "with_annotations"]


def read_choices(annotators: object) -> tuple[MethodChoice, ...]:
    """Return the annotators, parsed where they are text. Raises UsageError for anything else."""
    if isinstance(annotators, str):
        return parse(annotators)
    expect("annotators", annotators, Iterable, _ANNOTATORS)
    choices = tuple(annotators) if isinstance(annotators, Iterable) else ()
    for choice in choices:
        if not isinstance(choice, MethodChoice):
            raise UsageError(f"annotators holds {value_text(choice)}", _ANNOTATORS)
    return choices or parse("")


def check(study: object, queries: object, concurrency: object, budget: object, patience: object) -> None:
    """Raise UsageError for an invalid argument of a job."""
    expect("study", study, Study, "Give a Study, as fairviz.open_study opens and fairviz.make_study makes.")
    values = {"queries": queries, "concurrency": concurrency, "patience": patience}
    check_parameters(values, ANNOTATE, *values)
    if budget is not None:
        expect("budget", budget, Budget, _BUDGET)
        for name in ("requests", "tokens"):
            replace(ANNOTATE[f"most_{name}"], name=f"budget.{name}").check(getattr(budget, name))
