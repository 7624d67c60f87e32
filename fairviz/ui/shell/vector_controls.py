"""The word vectors and pairs that define gender: controls of GSR and Words."""

import os
from dataclasses import dataclass

import streamlit as st

from fairviz.datasets import DATASETS
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.study.record import Study
from fairviz.ui.kept import gsr as cache
from fairviz.ui.kit import html
from fairviz.ui.kit.boundary import guarded
from fairviz.ui.kit.glossary import term
from fairviz.ui.shell import fetching, frame
from fairviz.words.genderedness import FEWEST_PAIRS, PAIRS, GenderDirection, format_pairs, parse_pairs
from fairviz.words.sentences import decimal
from fairviz.words.vectors import GOOGLE_NEWS, google_news_path, offered

TYPED, PROBLEM = "pairs_typed", "pairs_problem"
SMALL = 0.03  # an offset that no colour would show
HELP = "The Data page adds word2vec, fastText and GloVe files, under Add and save."
PLAIN = format_pairs(PAIRS)


@dataclass(frozen=True)
class Active:
    """The vectors in use: their gender direction, and the genderedness at which nothing is coloured."""

    direction: GenderDirection
    centre: float


def vectors_control() -> None:
    """The vectors that the program offers, and those that somebody added."""
    st.selectbox("Word vectors", offered(), key="embedding", help=HELP)


def debiasing_control(about: str) -> None:
    """Draw the control of debiasing: how the gender direction is removed from the vectors."""
    texts = CHOICES["debias"].texts
    st.selectbox("Debiasing", tuple(texts), key="debias", format_func=texts.__getitem__, help=about)


def pairs_control() -> None:
    """The pairs that define the direction, as a text that can be changed."""
    current = st.session_state["pairs"] or PLAIN
    count = len(parse_pairs(current))
    label = f"Pairs: {count}" if current != PLAIN else f"Pairs: the {count}"
    with st.popover(label, width="stretch", help=term("gender pairs")):
        key = f"{TYPED}_{abs(hash(current))}"  # a new key shows the new text
        st.text_area("Female-male pairs, separated by commas", current, key=key, height=160)
        st.button("Use these pairs", on_click=guarded(_use_typed), args=(key,), type="primary")
        st.button("The ten of the paper", on_click=guarded(_use_paper), disabled=current == PLAIN)
        html.problem(st.session_state.pop(PROBLEM, None))


def _use_typed(key: str) -> None:
    """Set the pairs to those in the field of this key; store an error for the popover."""
    try:
        pairs = parse_pairs(st.session_state[key])
        if 0 < len(pairs) < FEWEST_PAIRS:
            raise FairvizError(
                f"{len(pairs)} pairs are too few for a gender direction", f"Give {FEWEST_PAIRS} pairs or more."
            )
    except FairvizError as error:
        st.session_state[PROBLEM] = error
        return
    st.session_state["pairs"] = "" if pairs in ((), PAIRS) else format_pairs(pairs)


def _use_paper() -> None:
    st.session_state["pairs"] = ""


def active(settings: Settings) -> Active:
    """Return the vectors of the settings. If they are not fetched, offer to fetch them, and stop the page."""
    if settings.embedding == GOOGLE_NEWS and not os.path.isfile(google_news_path()):
        html.message(
            "warning",
            f"The word vectors {GOOGLE_NEWS} are not fetched.",
            f"Fetch them here, or run: fairviz fetch {GOOGLE_NEWS}",
        )
        fetching.offer(DATASETS[GOOGLE_NEWS])
        frame.stop()
    direction = cache.direction(settings)
    return Active(direction, cache.centre(settings))


def about(study: Study, settings: Settings, using: Active) -> None:
    """Draw, folded: coverage, what the direction explains, missing pairs, words without a vector, and the offset."""
    with st.expander("About the word vectors", key="about_vectors", type="compact"):
        missing = cache.unknown(study, settings)
        told = {
            "Sign": offset_text(using),
            "Vectors": about_text(using, cache.coverage(study, settings) if study.has("queries") else None),
            "g": "It reflects how texts used a word. Intervals are over the choice of defining pairs.",
            "Unknown": f"{len(missing):,} words of this study have no vector, and therefore no g.",
        }
        html.definitions(told.items())
        st.dataframe(missing, hide_index=True, height=300, key="unknown_words", alt="Words without a vector.")


def about_text(using: Active, covered: tuple[int, int] | None) -> str:
    """The vectors, how much of the study they cover, and what their first direction explains."""
    direction = using.direction
    size = f"{len(direction.embedding.vectors):,} words of {len(direction.vector)} numbers"
    parts = [f"{direction.embedding.name}: {size}"]
    if covered is not None:
        parts.append(f"a vector for {covered[0]:,} of the study's {covered[1]:,} different words")
    parts.append(f"gender, from {len(direction.pairs)} pairs, is {direction.explained[0]:.1%} of the pairs' variance")
    text = "; ".join(parts) + "."
    if direction.missing:
        missing = ", ".join("-".join(pair) for pair in direction.missing)
        text += f" Left out, as a word has no vector: {missing}."
    return text


def offset_text(using: Active) -> str:
    """Return the meaning of the sign of g, and the g to compare it with."""
    mean = decimal(using.centre, sign="+")
    offset = "close to 0" if abs(using.centre) < SMALL else "compare with that, not with 0, as the colours do"
    return f"g: + female, − male. The average word has {mean}: {offset}."
