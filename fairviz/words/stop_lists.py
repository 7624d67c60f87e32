"""Stop words of GSR: scikit-learn's English ones, or the user's list; always without gendered words."""

from collections.abc import Iterable
from functools import lru_cache

from fairviz.errors import UsageError

GENDERED_STOP_WORDS = frozenset(["she", "her", "hers", "herself", "he", "him", "his", "himself", "mr", "mrs", "ms"])
MOST_STOP_WORDS = 10_000
REMEDY = "Give the words with white space between them, as 'the a of'."


@lru_cache(maxsize=16)
def stop_words(stop_list: str = "") -> frozenset[str]:
    """Return the stop words without gendered words: the listed ones, by default scikit-learn's English ones.

    Raises: see `parse_stop_words`.
    """
    if stop_list:
        return frozenset(parse_stop_words(stop_list)) - GENDERED_STOP_WORDS
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS) - GENDERED_STOP_WORDS


def parse_stop_words(text: str) -> tuple[str, ...]:
    """Return the words of `the a of` in lower case, each once. Raises UsageError for none and for more than 10,000."""
    words = tuple(dict.fromkeys(text.lower().split()))
    if not words:
        raise UsageError("the stop list holds no word", REMEDY)
    if len(words) > MOST_STOP_WORDS:
        raise UsageError(f"the stop list holds {len(words):,} words", f"Give {MOST_STOP_WORDS:,} or fewer.")
    return words


def format_stop_words(words: Iterable[str]) -> str:
    """Return the words as one line for `parse_stop_words`, in the format of `Settings.stop_words`."""
    return " ".join(words)
