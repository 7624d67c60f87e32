"""The words around a word: whether a common word is a first name here, and whether a phrase ends after it.

At the start of a sentence, a capital alone is no evidence of a name; `saw her` ends a phrase, and `saw her house` does
not.
"""

import re

_NAMES = """
    amber angel april art august autumn basil bill bob buck chance chase chip chuck clay cliff dale daisy dawn dean
    dick don drew earl earnest faith fern frank gene ginger grace grant guy harmony hazel holly hope hunter iris ivy
    jade jasmine jay joy june lance lily lucky mark mason may melody mercy miles misty olive opal pat patience pearl
    peg penny pepper pierce pip poppy prudence rain randy ray reed rich rob robin rocky rod rose ruby rusty sage
    sandy skip sky sonny stew storm summer sue trip violet wade ward warren will willow winter woody
"""
COMMON_WORDS = frozenset(_NAMES.split())
_BEFORE = 40  # characters that are read before a word
_TITLES = "mr|mrs|ms|dr|st|prof|sen|rep|gov|gen|col|capt|lt|sgt|rev|hon|sir|jr|[a-z]"
_ABBREVIATED = re.compile(rf"\b(?:{_TITLES})\.\s*$", re.IGNORECASE)
_OPENING = r"[\"“‘'(\[]*$"
_START = re.compile(rf"(?:^\s*|[.!?:;…][\"”’')\]]*\s+|\n\s*\n\s*|(?:^|\n)\s*[-*•–]\s*){_OPENING}")
_FOLLOWED = re.compile(r"(?:['’]s?\b|\s+(?:[^\W\d_a-z]|(?:said|says|told|asked|added|replied)\b))")
_FUNCTION_WORDS = """
    a an the this that these those some any every each either neither both all no none nothing something anything
    i you he she it we they me him us them myself yourself himself herself itself ourselves themselves my your our their
    who whom whose which what when where why how while whether whenever wherever
    and or but nor so yet if because although though unless until till since than as like
    of to in on at by for with from into onto upon over under about after before behind between among against during
    through throughout without within across along around beyond despite except inside near off out outside per toward
    towards up down via away back
    am is are was were be been being has have had having do does did doing will would shall should can could may might
    must not n't won't
    again alone anymore anyway already also almost always even ever here there now then too just still soon together
    today tomorrow yesterday tonight twice once instead later far
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
_NEXT = re.compile(r"[\s\"“”‘(\[£$€#]*(?P<word>\w+)?")


def is_name(text: str, start: int, end: int) -> bool:
    """Return whether the capitalised word text[start:end], listed as a name, is used as a name.

    Every word is a name, except a common word at the start of a sentence: this is a name before a capitalised word, a
    genitive or a verb of speaking, or if it has a capital within another sentence of the text.

    >>> [is_name(text, 0, 4) for text in ("Mark the page", "Mark Twain", "Mark said so", "Mark it. Ask Mark")]
    [False, True, True, True]
    """
    word = text[start:end]
    if word.lower() not in COMMON_WORDS or not starts_sentence(text, start):
        return True
    if _FOLLOWED.match(text, end):
        return True
    capitalised = re.compile(rf"\b{word[0]}(?i:{word[1:]})\b")
    return any(not starts_sentence(text, match.start()) for match in capitalised.finditer(text))


def starts_sentence(text: str, start: int) -> bool:
    """Return whether a sentence, a paragraph or a list item begins at `start`; not after `Mr.` or an initial."""
    window_start = max(0, start - _BEFORE)
    preceding_text = ("" if window_start == 0 else "x") + text[window_start:start]
    return _START.search(preceding_text) is not None and _ABBREVIATED.search(preceding_text) is None


def ends_phrase(text: str, end: int) -> bool:
    """Return whether the word ending at `end` precedes a function word, punctuation or the text's end, not its noun.

    >>> [ends_phrase(text, len("saw her")) for text in ("saw her", "saw her.", "saw her in it", "saw her house")]
    [True, True, True, False]
    """
    match = _NEXT.match(text, end)
    word = match["word"] if match is not None else None
    return word is None or word.lower() in FUNCTION_WORDS
