"""The choices at the top: the model, the weight of its gender senses, the weight for comparison, and other seeds."""

from dataclasses import dataclass

import streamlit as st

from fairviz.analyses.sense_weighting.lists import WEIGHTS
from fairviz.analyses.sense_weighting.seeds import WANTED, known_models, siblings
from fairviz.ui.kit import pick
from fairviz.ui.kit.glossary import term
from fairviz.ui.state import choices
from fairviz.words.sentences import counted, shortest

MODEL, WEIGHT, BESIDE, SEEDS = "backpack_model", "backpack_weight", "backpack_beside", "backpack_seeds"
STOPS = {shortest(weight): weight for weight in WEIGHTS}
PACKAGED = "packaged"


@dataclass(frozen=True)
class Chosen:
    """The model's name (empty for the packaged one), those of other seeds that are shown beside, and two weights."""

    model: str
    seeds: tuple[str, ...]
    weight: float
    beside: float


def controls() -> Chosen:
    """Draw the row of controls and return the choices. Raises: see `loaded`."""
    model, weight, beside, seeds = st.columns([3, 6, 2, 3], gap="small", vertical_alignment="bottom")
    names = [name or PACKAGED for name in known_models()]
    chosen = pick.select(MODEL, "Model", names, place=model)
    stops = tuple(STOPS)
    here = pick.slider(WEIGHT, "Sense weight", stops, place=weight, help=term("sense weight"))
    other = pick.select(BESIDE, "Against weight", stops, place=beside)
    name = "" if chosen == PACKAGED else chosen
    others = siblings(name)[: WANTED - 1]
    shows_seeds = choices.value_of(SEEDS)
    if others:
        seeds.toggle(f"{counted(len(others), 'other seed')} too", key=SEEDS)
    return Chosen(name, others if shows_seeds else (), STOPS[here], STOPS[other])
