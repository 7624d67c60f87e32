"""The one form in which texts are compared, so that equal texts are equal however they were typed.

`normal_form` is for ids and names, which keep their case; `folded` is for words, and for names in any case.
"""

import re
import unicodedata

# Unicode's Default_Ignorable_Code_Point: soft hyphen, joiners, direction marks, variation selectors, byte-order mark.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_DOTS = re.compile("(?<=i)\u0307+")  # what Unicode makes of İ in lower case: i and a second dot


def normal_form(text: str) -> str:
    """Return the text in Unicode's Normalization Form C: one code point for é, typed as one or as e with an accent.

    Case, accents and white space stay. Source: Unicode Standard Annex #15.

    >>> normal_form("mode\\u0300le") == "mod\\u00e8le"
    True
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def folded(text: str) -> str:
    """Return the text in normal form, in one case and without invisible characters; accents stay.

    ß is ss, a typographic apostrophe is the typed one, and the letters I of Turkish are one: İ, I and ı are i. Folded
    text is its own folded form. Source: the
    Unicode Standard, section 3.13, caseless matching.

    >>> [folded(word) for word in ("Straße", "İŞKADINI", "işkadını", "wo\\u00adman", "Élan")]
    ['strasse', 'işkadini', 'işkadini', 'woman', 'élan']
    """
    if text.isascii():
        return text.lower()
    text = _INVISIBLE.sub("", normal_form(text)).casefold()
    return normal_form(_DOTS.sub("", normal_form(text).replace("\u0131", "i")).replace("’", "'"))
