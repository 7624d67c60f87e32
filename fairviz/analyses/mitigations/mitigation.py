"""The mitigations of the program, each with the system with which it is compared.

A mitigation is written as a ranker is: `bi_encoder(project=3,keep=0.5)` takes directions of gender out of an encoder's
vectors, `bi_encoder(adapter='…')` adds trained weights to it, `w2v_add(debias='strong')` takes gender out of word
vectors, `backpack(weight=0)` leaves out the senses of words that carry most of it, and `neutral(run='bm25')`,
`balanced(run='bm25')`, `detconstsort(run='bm25')` reorder a run. It is compared with the same ranker without it, or
with the run that it reorders.
"""

from dataclasses import dataclass, replace

from fairviz.errors import FairvizError, UsageError
from fairviz.rankers import RANKERS, parse_rankers
from fairviz.rankers.grammar import Choice
from fairviz.study.record import Study, is_reference
from fairviz.words.counting import GSR_LEXICON

TAKEN_OUT = ("project", "adapter", "debias", "weight", "policy")  # what mends a ranker; at its default it is unmended
_WITH_THEM = ("keep", "senses")  # and what only says how much
REORDERS = "run"
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
        made = None if name in study.systems else _ranker_of_run(study, name, choice, embedding)
        return Mitigation(choice, name, made)
    defaults = {parameter.name: parameter.default for parameter in choice.ranker.parameters}
    mending = [name for name in TAKEN_OUT if name in defaults and choice.parameters[name] != defaults[name]]
    if not mending:
        takes = [name for name in TAKEN_OUT if name in defaults]
        way = f"Give it one of {', '.join(takes)}." if takes else REMEDY
        raise UsageError(f"{choice.system} mitigates nothing: it is a ranker as it is", way)
    plain = {name: defaults[name] for name in (*TAKEN_OUT, *_WITH_THEM) if name in defaults}
    base = replace(choice, parameters={**choice.parameters, **plain})
    return Mitigation(choice, base.system, base)


def _ranker_of_run(study: Study, name: str, choice: Choice, embedding: str) -> Choice:
    """The ranker that makes a run which the study lacks. Raises UsageError where there is none of that name."""
    known = [
        ranker.name for ranker in RANKERS.values() if not any(parameter.required for parameter in ranker.parameters)
    ]
    if name not in known:
        raise UsageError(
            f"{study.name} has no run {name!r} for {choice.ranker.name}, and no ranker is called so",
            f"Name one of {', '.join((*study.systems, *known))}.",
        )
    return parse_rankers(name, embedding)[0]


def offered(study: Study, adapted: str = "") -> tuple[str, ...]:
    """The mitigations that the study can be ranked with, as texts: one of each kind; `adapted` is one with an adapter.

    Re-rankers reorder the encoder's run, or where there is no text to encode the study's first.
    """
    texts: list[str] = []
    if _has_text(study):
        texts += ["bi_encoder(project=3,keep=0.5)", *filter(None, [adapted])]
        texts += ["w2v_add(debias='regular')", "w2v_add(debias='strong')", "backpack(weight=0)"]
    run = _run_to_reorder(study)
    if run and study.has("documents") and not study.documents["text"].isna().all() and _has_words(study):
        texts += [f"neutral(run={run!r})", f"neutral(run={run!r},of='list')"]
    if run and study.has("labels") and study.label_kind == "gender":
        texts += [f"balanced(run={run!r})", f"detconstsort(run={run!r})"]
    return tuple(texts)


def _has_words(study: Study) -> bool:
    """Return True if the word list by which `neutral` reorders has words of each of the study's groups."""
    return set(study.groups) <= set((study.lexicon or GSR_LEXICON).groups)


def _has_text(study: Study) -> bool:
    return study.has("queries") and study.has("documents") and not study.documents["text"].isna().all()


def _run_to_reorder(study: Study) -> str:
    if _has_text(study):
        return "bi_encoder"
    return next((name for name in study.systems if not is_reference(name) and "'" not in name), "")


def nothing_to_mend(study: Study) -> FairvizError:
    """Return the error for a study that no mitigation can rank."""
    return FairvizError(
        f"{study.name} has nothing to mend: neither queries and documents with text, nor runs with labels or text",
        "Add queries.csv and documents.csv, or runs/NAME.run and labels.csv.",
    )
