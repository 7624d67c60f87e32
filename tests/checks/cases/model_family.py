"""A model that labels beside systems of its family, of another, and of a family that is not told."""

from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator, Study
from tests.checks.cases import LABELS, LISTS, Case, labelled, sound
from tests.made import runs_of


def _of(who: Annotator, left: str = "left", **changes: object) -> Study:
    """The sound study with labels by this annotator alone, whose first system has another name."""
    lists = {(left if system == "left" else system, query): order for (system, query), order in LISTS.items()}
    return sound(labels=labelled({who.name: LABELS}), annotators={who.name: who}, runs=runs_of(lists), **changes)


def triggers() -> Case:
    says = "rater, whose labels count, and rankgpt are models of one family (GPT)"
    return Case(_of(Annotator("rater", "model", "Counts by GPT-4o."), "rankgpt"), says=says)


def triggers_by_the_card_of_a_system() -> Case:
    study = _of(Annotator("llm-model=qwen3-8b", "model"), cards={"left": "Reranked by Qwen2.5."})
    return Case(study, says="(Qwen)")


def triggers_by_the_models_of_the_program() -> Case:
    return Case(_of(Annotator("vote+lexicon+classifier", "rule"), "bi_encoder"), says="bi_encoder are models of one")


def passes() -> Case:
    return Case(_of(Annotator("rater", "model", "Claude, served like Ollama."), "rankgpt"))


def passes_without_a_model() -> Case:
    described = "classifier (features=tfidf, C=1, model=minilm): logistic regression."
    return Case(_of(Annotator("classifier-features=tfidf", "rule", described), "bi_encoder"))


def passes_with_another_model_of_the_ranker() -> Case:
    return Case(_of(Annotator("prototypes", "rule"), "bi_encoder-model=e5-base"))


def passes_where_people_correct() -> Case:
    study = _of(Annotator("rater", "model", "GPT-4o"), "rankgpt")
    people = labelled({"ann": LABELS, "rater": LABELS})
    who = dict(study.annotators) | {"ann": Annotator("ann", "person")}
    corrected = Settings(annotator="rater", corrected_by="ann")
    return Case(sound(labels=people, annotators=who, runs=study.runs), corrected)
