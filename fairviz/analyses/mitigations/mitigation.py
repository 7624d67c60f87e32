"""The mitigations of the program, each with the system with which it is compared.

A mitigation is written as a ranker is: `bi_encoder(project=3,keep=0.5)` takes directions of gender out of an encoder's
vectors, `bi_encoder(adapter='…')` adds trained weights to it, and a re-ranker such as `neutral(run='bm25')` reorders a
run. It is compared with the same ranker without it, or with the run that it reorders. The records of rankers have what
mitigates and what is offered.
"""

from dataclasses import dataclass, replace

from fairviz.errors import FairvizError, UsageError
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.rankers.grammar import Choice, absent_layer
from fairviz.rankers.lexical import BM25
from fairviz.rankers.record import Part
from fairviz.study.record import Study, is_reference
from fairviz.words.counting import GSR_LEXICON

REORDERS = "run"
ENCODER = "bi_encoder"  # whose run is reordered where the study has text
REMEDY = "Write bi_encoder(project=3,keep=0.5), w2v_add(debias='strong') or neutral(run='bm25')."


@dataclass(frozen=True)
class Mitigation:
    """A mitigated ranker and the system with which it is compared; base_choice is None where that is a run of the
    study."""

    choice: Choice
    base: str
    base_choice: Choice | None

    @property
    def system(self) -> str:
        """The name of its run."""
        return self.choice.system


def read_mitigations(study: Study, text: str, embedding: str = "") -> tuple[Mitigation, ...]:
    """The mitigations that a text names, as `rank --with` takes rankers. Raises UsageError."""
    return tuple(_mitigation(study, choice, embedding) for choice in parse_rankers(text, embedding))


def _mitigation(study: Study, choice: Choice, embedding: str) -> Mitigation:
    if REORDERS in choice.parameters:
        name = str(choice.parameters[REORDERS])
        base_choice = None if name in study.systems else _ranker_of_run(study, name, choice, embedding)
        return Mitigation(choice, name, base_choice)
    defaults = {parameter.name: parameter.default for parameter in choice.ranker.parameters}
    mitigates = choice.ranker.mitigates
    if all(choice.parameters[name] == defaults[name] for name in mitigates):
        remedy = f"Give it one of {', '.join(mitigates)}." if mitigates else REMEDY
        raise UsageError(f"{choice.system} mitigates nothing: it is a ranker without a mitigation", remedy)
    plain = {name: defaults[name] for name in (*mitigates, *choice.ranker.extent)}
    base = replace(choice, parameters={**choice.parameters, **plain})
    return Mitigation(choice, base.system, base)


def _ranker_of_run(study: Study, name: str, choice: Choice, embedding: str) -> Choice:
    """The ranker that makes a run which the study lacks. Raises UsageError where there is none of that name."""
    ranker_names = [
        ranker.name for ranker in RANKERS.values() if not any(parameter.required for parameter in ranker.parameters)
    ]
    if name not in ranker_names:
        raise UsageError(
            f"{study.name} has no run {name!r} for {choice.ranker.name}, and no ranker has this name",
            f"Name one of {', '.join((*study.systems, *ranker_names))}.",
        )
    return parse_rankers(name, embedding)[0]


def offered(study: Study, adapted: str = "") -> tuple[str, ...]:
    """Return the mitigations that the study can be ranked with, as texts: the variants of every registered ranker, and
    `adapted`, one with an adapter; without those whose layer is not installed.

    Re-rankers reorder the run of `run_to_reorder`.
    """
    parts, run = _parts(study), run_to_reorder(study)
    texts: list[str] = []
    for ranker in RANKERS.values():
        if parts.issuperset(ranker.needs) and ranker.is_installed:
            texts += ranker.variants(run)
            texts += [adapted] if adapted and "adapter" in ranker.mitigates else []
    return tuple(texts)


def _parts(study: Study) -> set[Part]:
    """Return the parts of the study that rankers can work with, before any of them made a run."""
    has_documents = study.has("documents") and not study.documents["text"].isna().all()
    has_words = has_documents and set(study.groups) <= set((study.lexicon or GSR_LEXICON).groups)
    has: dict[Part, bool] = {
        "queries": study.has("queries"),
        "documents": has_documents,
        "runs": bool(run_to_reorder(study)),
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
    texts = [text for ranker in RANKERS.values() for text in ranker.variants(BM25.name)]
    return ", ".join([*texts, f"{ENCODER}(adapter='NAME')"])


def nothing_to_mend(study: Study) -> FairvizError:
    """Return the error for a study that no mitigation can rank."""
    return FairvizError(
        f"no mitigation applies to {study.name}: it has neither queries and documents with text, "
        "nor runs with labels or text",
        "Add queries.csv and documents.csv, or runs/NAME.run and labels.csv.",
    )
