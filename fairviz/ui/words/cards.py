"""The cards of the page Words: the axis, the plane, the tests, the explained variance, and nearest neighbours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from fairviz.analyses.gsr_validity.parity import word_list_tests
from fairviz.evaluation.settings import Settings
from fairviz.figures import explained_variance, gendered_axis, word_plane
from fairviz.figures.style import Theme
from fairviz.ui.kept import gsr as cache
from fairviz.ui.kept.entries import kept
from fairviz.ui.kit import charts, coloured_words, grids, html, pick
from fairviz.ui.kit.coloured_words import signed
from fairviz.ui.shell.vector_controls import Active, debiasing_control, pairs_control, vectors_control
from fairviz.ui.words import lists as words_lists
from fairviz.ui.words.lists import variance_recipe, words_recipe
from fairviz.words.genderedness import GenderDirection, vocabulary_mean
from fairviz.words.sentences import Sentence, Span, decimal, plain
from fairviz.words.stereotype_lists import WORD_LISTS, WordLists
from fairviz.words.vectors import nearest

KINDS = {"none": "as they are", "regular": "regular debiasing", "strong": "strong debiasing"}
NEIGHBOUR, TYPED = "words_neighbour", "words_typed_before"
NEIGHBOURS = 8
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LEVEL = 0.005  # a g that rounds to 0.00
_DEBIASED = (*cache.VECTORS, "debias")
_LISTS = (*_DEBIASED, "word_lists", "words", "against")
DEBIAS_HELP = (
    "Takes the gender direction out of the vectors, and shows what is left of each word's g. Regular: words such as "
    "woman keep theirs, and equal pairs get equal distances. Strong: no word keeps any."
)
WORDS_HELP = "Any words, separated by commas or spaces. Case counts where the vectors distinguish it."


@dataclass(frozen=True)
class WordsDeck:
    """The data of every card. words: list, word, g, ci_low, ci_high, before. direction: of debiased vectors if
    debiasing is chosen."""

    settings: Settings
    using: Active
    lists: tuple[WordLists, ...]
    direction: GenderDirection
    words: pd.DataFrame
    tests: pd.DataFrame
    centre: float
    theme: Theme


def controls() -> None:
    """Draw vectors, pairs and debiasing; the paper's lists and two lists of one's own."""
    vectors_column, pairs_column, debias_column, lists_column = st.columns(
        [4, 3, 3, 9], gap="small", vertical_alignment="bottom"
    )
    with vectors_column:
        vectors_control()
    with pairs_column:
        pairs_control()
    with debias_column:
        debiasing_control(DEBIAS_HELP)
    with lists_column:
        st.session_state["word_lists"] = [name for name in st.session_state["word_lists"] if name in WORD_LISTS]
        st.multiselect(
            "Lists of the GSR paper, tables A.4 to A.7",
            list(WORD_LISTS),
            key="word_lists",
            format_func=lambda name: WORD_LISTS[name].title,
            placeholder="A.4 and A.7",
        )
    own_column, against_column = st.columns(2, gap="small")
    own_column.text_input("My words", key="words", placeholder="nurse, hairdresser, poet", help=WORDS_HELP)
    against_column.text_input("Set against", key="against", placeholder="carpenter, engineer, rapper", help=WORDS_HELP)


@kept(cache.ENTRIES, _DEBIASED)
def _centre(settings: Settings) -> float:
    """Return the mean g of the vocabulary under the debiasing, the g without colour."""
    return vocabulary_mean(_direction(settings))


def make_deck(settings: Settings, using: Active) -> WordsDeck:
    """Return the words' genderedness and the tests. Raises: FairvizError for too many words."""
    lists = words_lists.chosen(settings)
    direction, words, tests = _direction(settings), _words(settings), _tests(settings)
    return WordsDeck(settings, using, lists, direction, words, tests, _centre(settings), charts.theme())


@kept(cache.ENTRIES, _DEBIASED)
def _direction(settings: Settings) -> GenderDirection:
    return words_lists.debiased(cache.direction(settings), settings.debias)


@kept(cache.ENTRIES, _LISTS)
def _words(settings: Settings) -> pd.DataFrame:
    return words_lists.word_table(cache.direction(settings), settings.debias, words_lists.chosen(settings))


@kept(cache.ENTRIES, _LISTS)
def _tests(settings: Settings) -> pd.DataFrame:
    complete_lists = [each for each in words_lists.chosen(settings) if each.female and each.male]
    return word_list_tests(_direction(settings), complete_lists)


def draw_verdicts(deck: WordsDeck) -> None:
    """Draw a line for each typed word: its leaning, and whether the pairs agree."""
    typed_words = _typed(deck)
    if not typed_words.empty:
        items = html.findings_html(*_verdicts(deck, typed_words))
        html.box("info", f'<div style="max-height:11.5rem;overflow:auto" tabindex="0">{items}</div>')


def _verdicts(deck: WordsDeck, words: pd.DataFrame) -> list[Sentence]:
    """Return the sentence on each row's word."""
    columns = (words[name] for name in ("word", "g", "from_mean", "from_mean_low", "from_mean_high"))
    kind = deck.settings.debias
    return [verdict(str(word), g, mean, low, high, kind) for word, g, mean, low, high in zip(*columns, strict=True)]


def _typed(deck: WordsDeck) -> pd.DataFrame:
    """Return the rows of the typed words, each word once, in the order of the two fields."""
    typed_words = deck.words[deck.words["list"].isin([words_lists.OWN, words_lists.AGAINST])]
    second = typed_words["list"].ne(words_lists.OWN)
    ordered = typed_words.assign(second=second).sort_values("second", kind="stable")
    return ordered.drop_duplicates("word").drop(columns="second")


def axis_card(deck: WordsDeck) -> None:
    """Draw every word between male and female, list by list."""
    axis = gendered_axis.info(deck.words, deck.centre)
    about = "Bar: mean. Whisker: 95 % over the pairs. Dotted: the vocabulary's mean."
    if deck.settings.debias != "none":
        about = "Bar: mean of the list. Each word's g after debiasing, without intervals."
    table = deck.words.assign(verdict=[plain(sentence) for sentence in _verdicts(deck, deck.words)])
    with st.container(border=True, gap="xsmall"):
        code = words_recipe(deck.settings, deck.words["word"].tolist())
        columns = ["list", "word", "g", "ci_low", "ci_high", "verdict", "before"]
        grids.head(missing_text(deck.words), table[columns], axis.alt, "words_axis", code, figure=True, notes=(about,))
        charts.chart(gendered_axis.draw(axis, deck.theme), axis.alt, "words_axis_chart")


def plane_card(deck: WordsDeck) -> None:
    """Draw the same words, with gender as x and their strongest other direction as y."""
    vectors, _ = deck.direction.embedding.lookup(deck.words["word"])
    axis_height = gendered_axis.info(deck.words, deck.centre).height
    height = min(max(word_plane.LEAST_HEIGHT, axis_height), word_plane.MOST_HEIGHT)
    plane = word_plane.info(deck.words, vectors, deck.direction.vector, deck.centre, height)
    with st.container(border=True, gap="xsmall"):
        _, table_column = st.columns([7, 3])
        with table_column:
            table = pd.DataFrame(plane.points).rename(columns={"group": "list"})
            charts.table(table.drop(columns="written", errors="ignore"), plane.alt, "words_plane")
        charts.chart(word_plane.draw(plane, deck.theme, height), plane.alt, "words_plane_chart")


ABOUT_TESTS = (
    "p: the share of divisions into lists of these sizes that differ as much.",
    "Random divisions: (hits + 1)/(draws + 1). The paper's p are those of Google News vectors.",
)
CHIP = "Chip: the word's g under that debiasing. Behind it: the cosine of the two words."


def tests_card(deck: WordsDeck) -> None:
    """Draw the means of the lists and the permutation tests, exact if all divisions can be counted."""
    with st.container(border=True, gap="xsmall"):
        title = "Do the lists differ? One-tailed permutation tests"
        if deck.tests.empty:
            html.strong(f"{title}: fill both fields")
            return
        notes = (words_lists.slips(deck.lists), *ABOUT_TESTS)
        charts.headed(title, deck.tests, "The permutation tests.", "words_tests", figure=False, notes=notes)
        rows = [_test_row(deck, row) for row in deck.tests.to_dict("records")]
        st.html(coloured_words.table_html(("lists", "means", "difference", "p", "divisions", "paper's p"), rows))


def _test_row(deck: WordsDeck, row: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the cells of a test as HTML."""
    edition = "" if row["table"] == "own" else f" ({row['table']}, {row['edition']})"
    means = (coloured_words.chip(row[name], deck.centre, deck.theme) for name in ("female_mean", "male_mean"))
    method, printed = "exact" if row["exact"] else "random", row["printed_p"]
    return (
        html.escape(f"{row['female']} above {row['male']}{edition}"),
        " ".join(means),
        decimal(row["difference"], sign="+"),
        f"<b>{p_text(row['p'])}</b>",
        f"{method}, {row['divisions']:,}" if row["divisions"] else "none",
        "" if np.isnan(printed) else "0, as printed" if printed == 0 else p_text(printed),
    )


def variance_card(deck: WordsDeck) -> None:
    """Draw the share of the pairs' variance explained by the gender direction."""
    variance = explained_variance.info(deck.using.direction.explained.tolist())
    with st.container(border=True, gap="xsmall"):
        table = pd.DataFrame({"direction": range(1, len(variance.shares) + 1), "share": variance.shares})
        notes = (f"From {len(deck.using.direction.pairs)} pairs, each centred on its midpoint.",)
        code = variance_recipe(deck.settings)
        charts.headed("The pairs' variance by direction", table, variance.alt, "words_variance", code, notes=notes)
        charts.chart(explained_variance.draw(variance, deck.theme), variance.alt, "words_variance_chart")


def neighbours_card(deck: WordsDeck) -> None:
    """Draw a word's nearest neighbours with the original vectors and with both debiasings."""
    with st.container(border=True, gap="xsmall"):
        html.strong("Nearest neighbours, and what debiasing does to them")
        word = _picked_word(deck)
        if not word:
            return
        columns = [_neighbours(deck, word, kind) for kind in KINDS]
        rows = list(zip_longest(*columns, fillvalue=""))
        if len(rows) == 1:
            html.note(f"{word} has no vector, so it has no neighbours.")
            return
        st.html(coloured_words.table_html(tuple(KINDS.values()), rows))


def _picked_word(deck: WordsDeck) -> str:
    """Draw the choice of a word and return it. The last typed word is selected, until another word is chosen."""
    state = st.session_state
    typed = tuple(_typed(deck)["word"])
    known_words = dict.fromkeys(deck.words.loc[deck.words["before"].notna(), "word"])
    options = list(dict.fromkeys([*(word for word in typed if word in known_words), *known_words]))
    if last_word := typed_last(state.get(TYPED, ()), [word for word in typed if word in options]):
        state[NEIGHBOUR] = last_word
    state[TYPED] = typed
    chosen = state.get(NEIGHBOUR)
    options = [chosen, *options] if chosen and chosen not in options else options
    return pick.select(NEIGHBOUR, "Word", options, accept_new_options=True, placeholder="any word", help=CHIP) or ""


def _neighbours(deck: WordsDeck, word: str, kind: str) -> list[str]:
    """Return the word and its neighbours under a debiasing as HTML, each with its g and its cosine to the word."""
    settings = deck.settings.changed(debias=kind)
    direction, centre = _direction(settings), _centre(settings)
    near = nearest(direction.embedding, word, NEIGHBOURS)
    shown = [f"<b>{html.escape(word)}</b>", *map(html.escape, near["word"])]
    cosines = ["", *(f"{cosine:.2f}" for cosine in near["cosine"])]
    g_values = direction.of([word, *near["word"]])
    return [
        f"{name} {coloured_words.chip(float(g), centre, deck.theme)} <small>{cosine}</small>"
        for name, g, cosine in zip(shown, g_values, cosines, strict=True)
    ]


def p_text(p: float) -> str:
    """Return p as text: `0.022`, `5.5 × 10⁻⁴`; `undefined` for NaN."""
    if np.isnan(p):
        return "undefined"
    if p >= 1e-3:
        return f"{p:.2g}"
    digits, power = f"{p:.1e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(SUPERSCRIPTS)}"


def verdict(word: str, g: float, relative: float, low: float, high: float, kind: str = "none") -> Sentence:
    """Return the sentence on a word's leaning: `nurse leans female (+0.35 [+0.10, +0.42] from the average word; g =
    +0.26).`

    relative: g minus the vocabulary's mean, low and high its interval over the pairs. If that contains 0, the direction
    is uncertain. kind: the debiasing, after which there is no interval.
    """
    name = Span(word, True)
    if np.isnan(g):
        return (name, Span(" has no vector, and so no genderedness."))
    side = "is in the middle" if abs(relative) < LEVEL else f"leans {'female' if relative > 0 else 'male'}"
    interval = f" [{signed(low)}, {signed(high)}]"
    if np.isnan(low) or np.isnan(high):
        interval = ""
    elif low <= 0 <= high:
        side = "has no certain direction"
    after = f" after {kind} debiasing" if kind != "none" else ""
    return (name, Span(f" {side}{after} ({signed(relative)}{interval} from the average word; g = {signed(g)})."))


def typed_last(before: Sequence[str], words: Sequence[str]) -> str:
    """Return the last new word; empty without one."""
    new_words = [word for word in words if word not in before]
    return new_words[-1] if new_words else ""


def missing_text(words: pd.DataFrame) -> str:
    """Return the list of words without a vector as text; empty without any."""
    missing = list(dict.fromkeys(words.loc[words["before"].isna(), "word"]))
    if not missing:
        return ""
    return f"Without a vector, and so without a genderedness: {', '.join(missing)}."
