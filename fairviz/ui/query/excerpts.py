"""What of a document's text the lists show: its beginning, and what stands around its first gender words."""

from collections.abc import Sequence
from typing import NamedTuple

from fairviz.evaluation.choices import chosen_lexicon
from fairviz.evaluation.settings import Settings
from fairviz.study.study import Study
from fairviz.ui.kit import highlight
from fairviz.words.counting import Lexicon, document_text


class Room(NamedTuple):
    """Characters: of the beginning, on either side of a gender word further down, and in all."""

    beginning: int
    around: int
    most: int


ROOMY, NARROW = Room(110, 32, 260), Room(44, 18, 130)


def marked(study: Study, settings: Settings, names: Sequence[str], *, roomy: bool = True) -> dict[str, str]:
    """The beginning of each of these documents with its gender words marked, as HTML; none for one without text."""
    lexicon, room = chosen_lexicon(study, settings), ROOMY if roomy else NARROW
    held = study.documents[study.documents["doc_id"].isin(list(names))]
    return {
        str(name): _marked(text, lexicon, settings.tokenizer, study.groups, room)
        for name, text in zip(held["doc_id"], document_text(held), strict=True)
        if isinstance(text, str)
    }


def _marked(text: str, lexicon: Lexicon, tokenizer: str, groups: Sequence[str], room: Room) -> str:
    pieces = [
        highlight.marked_html(text[a:b], lexicon, tokenizer, groups)
        for a, b in excerpts(text, lexicon, tokenizer, groups, room)
    ]
    return " … ".join(pieces)


def excerpts(
    text: str, lexicon: Lexicon, tokenizer: str, groups: Sequence[str], room: Room = ROOMY
) -> list[tuple[int, int]]:
    """Where the pieces of a text that are shown begin and end, from space to space; the last piece is empty where the
    text goes on."""
    shown = [(0, len(highlight.cut(text, room.beginning)))]
    tokens = highlight.tokens(text[: highlight.SHOWN], tokenizer)
    for token, group in zip(tokens, highlight.group_of_tokens(tokens, lexicon, groups), strict=True):
        if not group or token.end <= shown[-1][1] or sum(b - a for a, b in shown) >= room.most:
            continue
        begin = text.rfind(" ", 0, max(token.start - room.around, 0)) + 1
        end = text.find(" ", token.end + room.around)
        piece = begin, len(text) if end < 0 else end
        if begin <= shown[-1][1]:
            shown[-1] = shown[-1][0], piece[1]
        else:
            shown.append(piece)
    return shown if shown[-1][1] >= len(text) else [*shown, (len(text), len(text))]
