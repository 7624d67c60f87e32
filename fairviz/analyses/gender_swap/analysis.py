"""The record of the analysis `gender-swap`; see `fairviz.analyses.record`."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairviz import declared
from fairviz.analyses.record import RANKERS, Analysis, ArgumentsOf, Control, Progress, Table
from fairviz.errors import FairvizError
from fairviz.parameters import Parameter

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.analyses.gender_swap.answer import Counterfactual
    from fairviz.analyses.gender_swap.experiment import Experiment
    from fairviz.analyses.views import View
    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study
    from fairviz.words.counterparts import Pairs

KINDS = ("both", "words", "names")  # those of `words.counterparts`, which brings in numpy
KIND_TEXTS = {"both": "words and names", "words": "words alone", "names": "names alone"}
OFFERED_SEEDS = (1, 2, 3, 5, 10)  # by the page
DETAILS = (
    "Every gender word and first name is replaced by its counterpart, and the documents are ranked again. Placebo: as "
    "many content words replaced by near ones, any words (primary) or none of the query's (second). CRBO is "
    "rank-biased overlap (--p, extrapolated) of the lists before and after; 1 is unmoved.",
    "A placebo's row has the difference, CRBO minus the placebo's, query by query. All placebos of all rankers are one "
    "family (--tests names the method). CRBO lower than the primary placebo: gender matters to the ranker. Higher: a "
    "swap disturbs less than other edits of that size. "
    "by_construction: queries whose value is 1 whatever was replaced, as bm25 and qlm read only the queries' words.",
)


def _compute(
    study: "Study",
    settings: "Settings",
    progress: Progress | None,
    *,
    rankers: str,
    words: Any,
    names: Any,
    **plan: Any,
) -> "Experiment":
    """Run the experiment: the long part, which depends on no settings other than the word vectors."""
    from fairviz.analyses.gender_swap.answer import counterparts_of
    from fairviz.analyses.gender_swap.experiment import SwapPlan, experiment
    from fairviz.rankers import parse_rankers

    choices = parse_rankers(rankers, settings.embedding)
    return experiment(study, choices, SwapPlan(counterparts_of(words, names), **plan), progress)


def _result(experiment: "Experiment", settings: "Settings") -> "Counterfactual":
    from fairviz.analyses.gender_swap.answer import answer

    return answer(experiment, settings)


def _triples(answer: "Counterfactual") -> "pd.DataFrame":
    if answer.triples.empty:
        raise FairvizError(
            f"{answer.experiment.study.name} has no documents in three wordings",
            "They are documents with a column query_id, judged alike for it, with a label of each gender and neutral.",
        )
    return answer.triples


def _notes(answer: "Counterfactual") -> Sequence[str]:
    """Return notes on replacements, short lists and the rankers' messages."""
    from fairviz.analyses.gender_swap.answer import replacements

    return [*replacements(answer.experiment.counts, answer.experiment.short), *answer.messages]


def _read_pairs(file: str) -> "Pairs":
    """Return the pairs in a file. Raises DataError that names every bad line."""
    from fairviz.study.loaders.word_files import read_counterparts

    return read_counterparts(file)


def _call(study: "Study", settings: "Settings", values: Mapping[str, Any]) -> ArgumentsOf:
    from fairviz.analyses.gender_swap.answer import counterfactual
    from fairviz.words.counterparts import packaged

    pairs = {name: values[name] for name in ("words", "names") if values[name] != getattr(packaged(), name)}
    plan = {name: values[name] for name in ("seeds", "substitute")}
    return counterfactual, (study, values["rankers"]), {"settings": settings, **plan, **pairs}


def _views(found: "Counterfactual", chosen: Mapping[str, Any]) -> "Sequence[View]":
    from fairviz.analyses.gender_swap.views import views

    return views(found, chosen)


COUNTERFACTUAL = Analysis(
    name="gender-swap",
    aliases=("counterfactual",),
    title="Gender swap",
    question="Do rankings change when genders are swapped?",
    summary="test whether rankings change when genders are swapped, more than by other edits",
    compute=_compute,
    tables={
        "crbo": Table(
            lambda answer: answer.table,
            "CRBO, the placebos, TExFAIR and NFaiRR of each ranker, with intervals and paired tests (the default)",
        ),
        "wide": Table(
            lambda answer: answer.wide(), "a row a ranker and a column a measure, as table 2 of the TExFAIR paper"
        ),
        "queries": Table(
            lambda answer: answer.queries, "CRBO and the placebos of each query, those that move most first"
        ),
        "triples": Table(_triples, "which wording a ranker prefers, of documents in three wordings (Grep-BiasIR)"),
    },
    sentences=lambda answer: (*answer.sentences, f"Tests: {answer.family}."),
    parameters=(
        Parameter("rankers", "bm25", "one or more, as `rank --with` takes them", names=RANKERS),
        Parameter("words", None, "gender words in place of the packaged ones: lines female,male", names="file"),
        Parameter("names", None, "first names in place of the packaged ones: lines female,male", names="file"),
        Parameter("substitute", "both", "what is replaced", choices=KINDS),
        *declared.GENDER_SWAP.values(),
    ),
    needs={"queries": "to rank for", "documents": "to replace words in"},
    reads=("embedding",),
    result=_result,
    notes=_notes,
    files={"words": _read_pairs, "names": _read_pairs},
    options={"rankers": "--ranker"},
    details=DETAILS,
    stopped="stopped: encoded texts and answers are kept; run the same command to resume",
    page="gender_swap",
    views=_views,
    controls=(
        Control(
            "rankers", "calls", "counterfactual_ranker", "Rankers", width=5,
            help="Parameters has the fields of each, and the text that links and commands take.",
        ),
        Control(
            "substitute", "select", "counterfactual_substitute", "What is swapped", texts=KIND_TEXTS,
            offers=KINDS,
        ),
        Control(
            "seeds", "select", "counterfactual_seeds", "Placebos", "Each has its own seed.", "placebo", 2,
            OFFERED_SEEDS,
        ),
        Control("words", "own", "counterfactual_words", "Words"),
        Control("names", "own", "counterfactual_names", "Names"),
    ),
    call=_call,
)  # fmt: skip
