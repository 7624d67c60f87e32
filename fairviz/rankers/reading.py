"""The time that rankers need for reading texts with an encoder, estimated without reading any."""

from collections.abc import Sequence

from fairviz.models.encodings import unread
from fairviz.models.reading_time import read_seconds
from fairviz.models.sentence_encoder import MINILM, located
from fairviz.rankers.backpack.loading import loaded
from fairviz.rankers.backpack.ranker import BACKPACK
from fairviz.rankers.bi_encoder import BI_ENCODER
from fairviz.rankers.grammar import Choice
from fairviz.rankers.ranking import documents_with_text
from fairviz.study.record import Study


def reads(choice: Choice) -> bool:
    """Return whether the ranker reads texts with a model."""
    return "model" in choice.parameters


def unread_texts(
    study: Study, choice: Choice, wordings: Sequence[str] = (), others: Sequence[str] = ()
) -> list[str] | None:
    """Return the texts that a bi-encoder or a Backpack has not read yet; None for another model than MiniLM.

    wordings: other wordings of the documents, which a bi-encoder without directions of gender reads too. others: texts
    that every model reads too. Raises FairvizError without MiniLM.
    """
    if not reads(choice):
        return []
    values = choice.parameters
    texts = [*documents_with_text(study).texts, *(text for text in study.queries["text"] if text.strip()), *others]
    if choice.ranker.name == BACKPACK.name:
        return unread(texts, located(MINILM), f"backpack-{loaded(str(values['model'])).key}")
    if choice.ranker.name != BI_ENCODER.name or values["model"] != MINILM or values["adapter"]:
        return None
    return unread([*texts, *(wordings if values["project"] else ())], located(MINILM), "bi")


def reading_seconds(
    study: Study, choices: Sequence[Choice], wordings: Sequence[str] = (), others: Sequence[str] = ()
) -> float | None:
    """Return the seconds in which these rankers read what they have not read yet; None where one is unknown.

    wordings, others: see `unread_texts`.
    """
    parts = [(choice.ranker.name, unread_texts(study, choice, wordings, others)) for choice in choices]
    if any(texts is None for _, texts in parts):
        return None
    by_model = dict.fromkeys((name, text) for name, texts in parts for text in texts or ())
    return read_seconds(text for _, text in by_model)
