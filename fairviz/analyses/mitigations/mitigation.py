"""The mitigations of the program, each with the system with which it is compared.

A mitigation is written as a ranker is: `bi_encoder(project=3,keep=0.5)` takes directions of gender out of an encoder's
vectors, `bi_encoder(adapter='…')` adds trained weights to it, and a re-ranker such as `neutral(run='bm25')` reorders a
run. It is compared with the same ranker without it, or with the run that it reorders. The records of rankers have what
mitigates and what is offered.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError
from fairviz.models.sentence_encoder import MINILM, Adapter, adapters_trained_on, open_adapter
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.rankers.grammar import RankerChoice, absent_layer
from fairviz.rankers.lexical import BM25
from fairviz.rankers.ranking import rank
from fairviz.rankers.record import Part, Ranker, silent
from fairviz.study.loaders.runs import stack_runs
from fairviz.study.record import Study, is_reference
from fairviz.study.tables import RUNS, empty
from fairviz.words.counting import GSR_LEXICON
from fairviz.words.sentences import agreeing, out_of

REORDERS = "run"
ENCODER = "bi_encoder"  # whose run is reordered where the study has text
REMEDY = "Write bi_encoder(project=3,keep=0.5), w2v_add(debias='strong') or neutral(run='bm25')."
Progress = Callable[[str, int, int], None]
LEAST = 10  # queries; fewer are not split


@dataclass(frozen=True)
class Mitigation:
    """A mitigated ranker and the system with which it is compared; base_choice is None where that is a run of the
    study."""

    choice: RankerChoice
    base: str
    base_choice: RankerChoice | None

    @property
    def system(self) -> str:
        """The name of its run."""
        return self.choice.system


def read_mitigations(study: Study, text: str, embedding: str = "") -> tuple[Mitigation, ...]:
    """The mitigations that a text names, as `rank --with` takes rankers. Raises UsageError."""
    return tuple(
        _of_another_ranking(study, choice, embedding) if REORDERS in choice.parameters else _of_own_parameters(choice)
        for choice in parse_rankers(text, embedding)
    )


def _of_another_ranking(study: Study, choice: RankerChoice, embedding: str) -> Mitigation:
    """Return the mitigation that reorders a run of the study, or what a ranker gives."""
    name = str(choice.parameters[REORDERS])
    plain_rankers = [
        ranker.name for ranker in RANKERS.values() if not any(parameter.required for parameter in ranker.parameters)
    ]
    if name not in (*study.systems, *plain_rankers):
        raise UsageError(
            f"{study.name} has no run {name!r} for {choice.ranker.name}, and no ranker has this name",
            f"Name one of {', '.join((*study.systems, *plain_rankers))}.",
        )
    base_choice = None if name in study.systems else parse_rankers(name, embedding)[0]
    return Mitigation(choice, name, base_choice)


def _of_own_parameters(choice: RankerChoice) -> Mitigation:
    """Return the mitigation beside the same ranker without it."""
    defaults = {parameter.name: parameter.default for parameter in choice.ranker.parameters}
    mitigates = choice.ranker.mitigates
    if all(choice.parameters[name] == defaults[name] for name in mitigates):
        remedy = f"Give it one of {', '.join(mitigates)}." if mitigates else REMEDY
        raise UsageError(f"{choice.system} mitigates nothing: it is a ranker without a mitigation", remedy)
    plain = {name: defaults[name] for name in (*mitigates, *choice.ranker.extent)}
    base = replace(choice, parameters={**choice.parameters, **plain})
    return Mitigation(choice, base.system, base)


def offered(study: Study, adapted: str = "") -> tuple[str, ...]:
    """Return the mitigations that the study can be ranked with, as texts: the variants of every registered ranker, and
    `adapted`, one with an adapter; without those whose layer is not installed.

    Re-rankers reorder the run of `run_to_reorder`.
    """
    run = run_to_reorder(study)
    parts = _parts_of(study, run)
    texts: list[str] = []
    for ranker in _in_order():
        if parts.issuperset(ranker.needs) and ranker.is_installed:
            texts += ranker.variants(run)
            texts += [adapted] if adapted and "adapter" in ranker.mitigates else []
    return tuple(texts)


def _in_order() -> list[Ranker]:
    """Return every ranker, re-rankers last."""
    return sorted(RANKERS.values(), key=lambda ranker: ranker.reorders)


def _parts_of(study: Study, run: str) -> set[Part]:
    """Return the parts of the study that rankers can work with, before any of them made a run. run: the one to
    reorder, empty without any."""
    has_documents = study.has("documents") and not study.documents["text"].isna().all()
    has_words = has_documents and set(study.groups) <= set((study.lexicon or GSR_LEXICON).groups)
    has: dict[Part, bool] = {
        "queries": study.has("queries"),
        "documents": has_documents,
        "runs": bool(run),
        "qrels": study.has("qrels"),
        "labels": study.has("labels") and study.label_kind == "gender",
        "words": has_words,
    }
    return {part for part, is_there in has.items() if is_there}


def run_to_reorder(study: Study) -> str:
    """Return the run that re-rankers reorder: the encoder's, BM25's where no encoder is installed, and the study's
    first where it has no text; empty without one."""
    if study.has("queries") and study.has("documents") and not study.documents["text"].isna().all():
        return ENCODER if RANKERS[ENCODER].is_installed else BM25.name
    return next((name for name in study.systems if not is_reference(name) and "'" not in name), "")


def not_installed() -> FairvizError | None:
    """Return the error of the rankers of the bench whose layer is not installed; None if all are."""
    return absent_layer(ranker for ranker in RANKERS.values() if ranker.bench)


def examples() -> str:
    """Return every variant that is offered, and an adapter, as examples of how mitigations are written."""
    texts = [text for ranker in _in_order() for text in ranker.variants(BM25.name)]
    return ", ".join([*texts, f"{ENCODER}(adapter='NAME')"])


def nothing_to_mend(study: Study) -> FairvizError:
    """Return the error for a study that no mitigation can rank."""
    return FairvizError(
        f"no mitigation applies to {study.name}: it has neither queries and documents with text, "
        "nor runs with labels or text",
        "Add queries.csv and documents.csv, or runs/NAME.run and labels.csv.",
    )


def choices_of(mitigations: Sequence[Mitigation]) -> tuple[RankerChoice, ...]:
    """All rankers, each once, those that others reorder before them."""
    bases = {one.base: one.base_choice for one in mitigations if one.base_choice is not None}
    return tuple((bases | {one.system: one.choice for one in mitigations}).values())


def ranked_all(
    study: Study, mitigations: Sequence[Mitigation], depth: int, progress: Progress | None, is_requested: bool
) -> tuple[pd.DataFrame, set[str], tuple[str, ...]]:
    """Return the runs, the systems that could not be ranked, and messages.

    A ranker without its inputs raises if it was requested by name; otherwise it is left out, with a message.
    """
    tell: Progress = progress or silent
    runs, failed, messages = empty(RUNS), set[str](), list[str]()
    for choice in choices_of(mitigations):
        if failed and str(choice.parameters.get("run", "")) in failed:
            failed.add(choice.system)
            continue
        ranking, encoding = (partial(tell, f"{what} {choice.system}") for what in ("ranking", "encoding"))
        study_so_far = with_runs(study, runs, (*study.systems, *runs["system"].cat.categories))
        try:
            ranked = rank(study_so_far, [choice], depth, ranking, encoding)
        except FairvizError as error:
            if is_requested:
                raise
            failed.add(choice.system)
            messages.append(f"{choice.system} is left out: {error.message}.")
            continue
        messages += ranked.messages
        runs = stack_runs([runs, ranked.runs]) if len(runs) else ranked.runs
    return runs, failed, tuple(messages)


def with_runs(study: Study, runs: pd.DataFrame, systems: Sequence[str]) -> Study:
    """The study with the runs of these systems alone: those made now, else its own.

    Those made now are drafts beside its own, so that what is tried moves no background and no candidates.
    """
    new_names = set(runs["system"].cat.categories)
    own_runs = study.runs[study.runs["system"].isin([name for name in systems if name not in new_names])]
    own_runs = own_runs.assign(system=own_runs["system"].cat.remove_unused_categories())
    tables = [table for table in (own_runs, runs) if len(table)]
    drafts = tuple(name for name in runs["system"].cat.categories if name not in study.run_names)
    return replace(
        study, runs=stack_runs(tables) if tables else empty(RUNS), drafts=(*study.drafts, *drafts), fingerprint=""
    )


def held_out_queries(
    study: Study, queries: Sequence[str], mitigations: Sequence[Mitigation], share: float, seed: int
) -> tuple[tuple[str, ...], list[str]]:
    """Return the queries that count, in their order, and a message about them.

    Where adapters are tried that were trained on this study, all queries but those that any of them was trained on.
    Else a share of the queries, drawn by the seed, queries of one text together; all of them where there are fewer than
    ten. Raises FairvizError where too few are left, or an adapter's card does not name its training queries.
    """
    choices = [one.choice for one in mitigations]
    choices += [one.base_choice for one in mitigations if one.base_choice is not None]
    named = [str(choice.parameters.get("adapter", "")) for choice in choices]
    adapters = [open_adapter(name) for name in dict.fromkeys(filter(None, named))]
    own_adapters = [adapter for adapter in adapters if adapter.study == study.name]
    notes = [
        f"{adapter.name} was trained on {adapter.study or 'an unknown study'}, not on {study.name}."
        for adapter in adapters
        if adapter not in own_adapters
    ]
    if own_adapters:
        names, note = _not_trained_on(queries, own_adapters)
    else:
        names, note = _draw_queries(study, queries, share, seed)
    return names, [note, *notes]


def _not_trained_on(queries: Sequence[str], adapters: Sequence[Adapter]) -> tuple[tuple[str, ...], str]:
    trained: set[str] = set()
    for adapter in adapters:
        split = adapter.card.get("split")
        train_queries = split.get("train") if isinstance(split, dict) else None
        if not isinstance(train_queries, list):
            raise FairvizError(
                f"the adapter {adapter.name} has no record of the queries that it was trained on", "Train it again."
            )
        trained.update(map(str, train_queries))
    held_out = tuple(name for name in queries if name not in trained)
    names = " and ".join(adapter.name for adapter in adapters)
    if len(held_out) < 2:
        raise FairvizError(
            f"{out_of(len(held_out), len(queries), 'query')} were not trained on by {names}",
            "Try one adapter at a time, or train them with the same seed, which holds out the same queries.",
        )
    were = agreeing(len(adapters), "was", "were")
    return held_out, f"{out_of(len(held_out), len(queries), 'query')} count: those that {names} {were} not trained on."


def _draw_queries(study: Study, queries: Sequence[str], share: float, seed: int) -> tuple[tuple[str, ...], str]:
    if share >= 1 or len(queries) < LEAST:
        few = "" if share >= 1 else f" Fewer than {LEAST} are not split."
        counted = "The one query counts" if len(queries) == 1 else f"All {len(queries):,} queries count"
        return tuple(queries), f"{counted}.{few}"
    written = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    texts = {name: " ".join(str(written.get(name, name)).lower().split()) for name in queries}
    different = sorted(set(texts.values()))
    order = np.random.default_rng(seed).permutation(len(different))
    kept_texts = {different[place] for place in order[: max(2, round(share * len(different)))]}
    names = tuple(name for name in queries if texts[name] in kept_texts)
    return names, f"{out_of(len(names), len(queries), 'query')} are held out and count, drawn by the seed {seed}."


def trained_here(study: Study) -> str:
    """The adapter that was trained on this study last, as a mitigation; empty where there is none."""
    adapters = adapters_trained_on(study.name)
    model = str(adapters[0].card["model"].get("name", MINILM)) if adapters else ""
    if not adapters or "'" in model:
        return ""
    other = "" if model == MINILM else f"model='{model}',"
    return f"bi_encoder({other}adapter='{adapters[0].name}')"
