"""Excerpts of a document's text for the lists: its beginning, and the text around its first gender words."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kit import highlight
from fairviz.words.counting import Lexicon, document_text, find_entries


class Room(NamedTuple):
    """Numbers of characters: of the beginning, on either side of a later gender word, and in total."""

    beginning: int
    around: int
    most: int


ROOMY, NARROW = Room(110, 32, 260), Room(44, 18, 130)


def marked(study: Study, settings: Settings, names: Sequence[str], *, roomy: bool = True) -> dict[str, str]:
    """Return the excerpts of each of these documents with text, gender words marked, as HTML."""
    lexicon, room = chosen_lexicon(study, settings), ROOMY if roomy else NARROW
    documents = study.documents[study.documents["doc_id"].isin(list(names))]
    marking = lexicon, settings.tokenizer, study.groups
    excerpts_by_name = {}
    for name, text in zip(documents["doc_id"], document_text(documents), strict=True):
        if isinstance(text, str):
            pieces = (highlight.marked_html(text[start:end], *marking) for start, end in excerpts(text, *marking, room))
            excerpts_by_name[str(name)] = " … ".join(pieces)
    return excerpts_by_name


def beginnings(study: Study, names: Collection[str], most: int) -> dict[str, str]:
    """Return the first `most` characters of title and text of each of these documents, not escaped."""
    documents = study.documents[study.documents["doc_id"].isin(list(names))]
    titles, bodies = (documents[part].fillna("").astype("str") for part in ("title", "text"))
    texts = (titles + " " + bodies).str.strip()
    return {str(name): highlight.cut(text, most) for name, text in zip(documents["doc_id"], texts, strict=True)}


def excerpts(
    text: str, lexicon: Lexicon, tokenizer: str, groups: Sequence[str], room: Room = ROOMY
) -> list[tuple[int, int]]:
    """Return start and end of each excerpt of a text, from space to space; the last one is empty if the text
    continues."""
    pieces = [(0, len(highlight.cut(text, room.beginning)))]
    for found in find_entries(text[: highlight.MOST_CHARACTERS], lexicon, tokenizer, groups):
        if found.end <= pieces[-1][1] or sum(stop - start for start, stop in pieces) >= room.most:
            continue
        begin = text.rfind(" ", 0, max(found.start - room.around, 0)) + 1
        end = text.find(" ", found.end + room.around)
        piece = begin, len(text) if end < 0 else end
        if begin <= pieces[-1][1]:
            pieces[-1] = pieces[-1][0], piece[1]
        else:
            pieces.append(piece)
    return pieces if pieces[-1][1] >= len(text) else [*pieces, (len(text), len(text))]
