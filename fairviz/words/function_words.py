"""Function words of English, and the end of a phrase: `saw her` against `saw her house`."""

import re

_LISTED = """
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
FUNCTION_WORDS = frozenset(_LISTED.split())
_NEXT = re.compile(r"[\s\"“”‘(\[£$€#]*(?P<word>\w+)?")


def ends_phrase(text: str, end: int) -> bool:
    """Return whether the word ending at `end` precedes a function word, punctuation or the text's end, not its noun.

    >>> [ends_phrase(text, len("saw her")) for text in ("saw her", "saw her.", "saw her in it", "saw her house")]
    [True, True, True, False]
    """
    match = _NEXT.match(text, end)
    word = match["word"] if match is not None else None
    return word is None or word.lower() in FUNCTION_WORDS
