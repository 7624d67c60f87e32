"""The band of random orders behind the curves over the cutoff, and the choice of its candidates."""

from collections.abc import Sequence

import pandas as pd
from streamlit.delta_generator import DeltaGenerator

from fairviz.comparison.curves import chance_over_cutoffs, with_chance
from fairviz.measures import Question
from fairviz.output.commands import Call
from fairviz.output.recipes import call
from fairviz.study.record import is_reference
from fairviz.ui.kept import orders as cache
from fairviz.ui.kit import pick
from fairviz.ui.kit.glossary import term
from fairviz.ui.tradeoff.deck import Deck

TEXTS = {
    "study": "Chance: all retrieved",
    "run": "Chance: own list",
    "judged": "Chance: judged",
    cache.NONE: "No chance band",
}
HELP = f"{term('chance band')} Outlined: of the selected system's mean over queries."
LARGEST = 50_000  # queries times ranks, beyond which a page takes more than some seconds to draw orders
TOO_LARGE = "Too many ranks for a chance band here: `fairviz evaluate --chance` has it at a cutoff."


def pick_candidates(deck: Deck, place: DeltaGenerator) -> None:
    """Draw the choice of candidates; a study too large for bands has none."""
    if is_too_large(deck):
        place.caption(TOO_LARGE)
    else:
        options = cache.offered(deck.study)
        pick.select(cache.KEY, "Chance", options, place=place, texts=TEXTS, hide_label=True, help=HELP)


def band(deck: Deck, measures: Sequence[Question]) -> pd.DataFrame | None:
    """Return the band of the selected system, or else of the first that is not a reference; None without a band."""
    source = _source(deck)
    return cache.over_cutoffs(deck.study, deck.settings, measures, *source) if source and measures else None


def with_band(deck: Deck, measures: Sequence[Question], curves: Call) -> Call:
    """Return the call of the curves, with that of the band where there is one."""
    source = _source(deck)
    if source is None:
        return curves
    texts = [question.text for question in measures]
    bands = call(chance_over_cutoffs, deck.study, texts, deck.settings, source[0], candidates=source[1])
    return call(with_chance, curves, bands)


def _source(deck: Deck) -> tuple[str, str] | None:
    """Return the system and the candidates of the band; None without a band."""
    candidates, draws = cache.candidates_of(deck.study), deck.study.draws
    names = [name for name in map(str, dict.fromkeys(deck.summary["system"])) if name not in draws]
    if candidates == cache.NONE or not names or is_too_large(deck):
        return None
    first = next((name for name in names if not is_reference(name)), names[0])
    return (deck.settings.system if deck.settings.system in names else first), candidates


def is_too_large(deck: Deck) -> bool:
    """Return whether random orders of the study's lists take more than some seconds."""
    runs = deck.study.runs
    return bool(len(runs)) and int(runs["rank"].max()) * runs["query_id"].nunique() > LARGEST
