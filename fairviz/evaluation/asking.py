"""From a measure's text and the settings to the question that is answered: the settings stand in where it is silent."""

from collections.abc import Sequence

from fairviz.errors import UsageError
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, parse


def ask(text: str, settings: Settings) -> Question:
    """The text as a Question under these settings: they stand in where the text is silent."""
    chosen = {
        "alpha": settings.alpha,
        "tau": settings.tau,
        "background": settings.background,
        "depth": settings.gsr_depth,
        "query_terms": settings.query_terms,
        "weights": settings.list_weights,
        "stop_words": "own" if settings.stop_words else "built-in",
    }
    question = parse(text, settings.cutoff, chosen)
    if question.parameters.get("stop_words") == "own" and not settings.stop_words:
        raise UsageError(
            f"{question.text} takes a stop list of your own, and there is none",
            "Give its words: --stop-words FILE, or stop_words='the a of' in Python.",
        )
    return question


def wants_collection(questions: Sequence[Question], settings: Settings) -> bool:
    """Whether any question needs the documents that no run retrieved."""
    return any(question.parameters.get("background") == "collection" for question in questions)


def as_asked(question: Question, settings: Settings) -> Settings:
    """The settings of a GSR, with what its text says in their place."""
    own = question.parameters["stop_words"] == "own"
    return settings.changed(
        cutoff=question.cutoff or settings.cutoff,
        gsr_depth=question.parameters["depth"],
        query_terms=question.parameters["query_terms"],
        list_weights=question.parameters["weights"],
        stop_words=settings.stop_words if own else "",
    )
