"""The choices of a sensitivity analysis and their levels: the present one, and others that are defended as well."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fairviz.datasets.stored import published_lists
from fairviz.errors import FairvizError, UsageError, did_you_mean, expect
from fairviz.errors import value_text as written
from fairviz.evaluation.choices import chosen_annotator, chosen_lexicon, missing_hits
from fairviz.evaluation.settings import CHOICES as RECORDS
from fairviz.evaluation.settings import Level, Settings
from fairviz.measures.position_bias import parse_position_bias
from fairviz.study.record import Study
from fairviz.words.counting import GSR_LEXICON, format_lexicon
from fairviz.words.sentences import shortest

ALIASES = {"k": "cutoff", "bias": "position_bias"}
_VARIED = {name: one.levels for name, one in RECORDS.items() if one.levels is not None}
CHOICES = dict(sorted(_VARIED.items(), key=lambda each: each[1].place))  # what a map of choices can vary
MEASURE = "measure"
LABELS = {MEASURE: "the measure", **{name: choice.label for name, choice in CHOICES.items()}}


def choice_text(name: str) -> str:
    """Return the name of a choice for heads and selections: `measure`, `tokenizer`."""
    return LABELS.get(name, name).removeprefix("the ")


def choice_named(name: str) -> str:
    """Return the field of this name, as `tau`, `position-bias` or `k`. Raises UsageError that names them all."""
    plain = name.strip().replace("-", "_")
    plain = ALIASES.get(plain, plain)
    if plain not in CHOICES:
        remedy = f"{did_you_mean(plain, CHOICES)}The choices are {', '.join(CHOICES)}."
        raise UsageError(f"there is no choice {name[:60]!r}", remedy)
    return plain


def levels_of(study: Study, settings: Settings, name: str, wanted: Iterable[Level] | None = None) -> tuple[Level, ...]:
    """Return the levels to vary: those requested, else the usual ones, in their order; of equal ones the present level.

    Two equivalent levels, such as an annotator and the study's default, are one. Raises UsageError for a level that the
    choice cannot have.
    """
    name = choice_named(name)
    if wanted is None:
        wanted = _answered(study, settings, name, CHOICES[name].usual_in(study, settings))
    present = getattr(settings, name)
    meant: dict[object, Level] = {meaning(study, settings, name, present): present}
    order: dict[object, int] = {}  # the first place of each meaning; the present level is first where it is not wanted
    for place, level in enumerate([_checked(study, settings, name, each) for each in wanted]):
        what = meaning(study, settings, name, level)
        meant.setdefault(what, level)
        order.setdefault(what, place)
    if all(isinstance(level, (int, float)) for level in meant.values()):
        return tuple(sorted(meant.values()))
    return tuple(meant[each] for each in sorted(meant, key=lambda each: order.get(each, -1)))


def offered_levels(study: Study, settings: Settings, name: str) -> tuple[Level, ...]:
    """The levels that a reader may choose among, the present one with them."""
    return levels_of(study, settings, name, _answered(study, settings, name, CHOICES[name].offered_in(study, settings)))


def _answered(study: Study, settings: Settings, name: str, levels: Iterable[Level]) -> list[Level]:
    """Return the levels that the study's word counts, or words in its texts, can answer."""
    return [level for level in levels if not _refusal(study, settings.changed(**{name: level}), name)]


def _refusal(study: Study, settings: Settings, name: str) -> str:
    if name not in ("tokenizer", "lexicon"):
        return ""
    choices = chosen_lexicon(study, settings), settings.tokenizer
    if study.word_counts is None:
        return missing_hits(study, *choices)
    return ". ".join(study.word_counts.refusal(*choices, study.groups))


def meaning(study: Study, settings: Settings, name: str, level: Level) -> object:
    """Return the level's meaning in this study: equal meanings are one level."""
    if name == "position_bias":
        return level if level == "custom" else parse_position_bias(str(level))
    if name == "annotator":
        return chosen_annotator(study, settings.changed(annotator=level))
    if name == "lexicon":  # the words that count with their groups, whatever their order in the list
        return frozenset(chosen_lexicon(study, settings.changed(lexicon=level)).words)
    return level


def _checked(study: Study, settings: Settings, name: str, level: Level) -> Level:
    """The level, if Settings and the study take it. Raises UsageError."""
    if name == "position_bias" and level == "custom" and not settings.custom_bias:
        raise UsageError("position_bias is 'custom' without weights", "Give the weights with the settings.")
    try:
        value = getattr(settings.changed(**{name: level}), name)
        meaning(study, settings, name, value)
    except FairvizError as error:
        raise UsageError(error.message, error.remedy) from error
    if name == "background" and value.startswith("run:") and value[4:] not in study.systems:
        raise UsageError(
            f"the study {study.name!r} has no run {value[4:]!r} for the background",
            f"Its runs are {', '.join(study.systems) or 'none'}.",
        )
    if refusal := _refusal(study, settings.changed(**{name: value}), name):
        raise UsageError(f"{name} cannot be {level!r}: {refusal}", "Vary another choice.")
    return value


def level_text(study: Study, settings: Settings, name: str, level: Level) -> str:
    """The level as figures, tables and sentences call it."""
    if name == "annotator":
        return chosen_annotator(study, settings.changed(annotator=level))
    if name != "lexicon":
        return shortest(level) if isinstance(level, float) else str(level)
    # One list has one name, whatever its source.
    words = frozenset(chosen_lexicon(study, settings.changed(lexicon=level)).words)
    if words == frozenset(GSR_LEXICON.words):
        list_name = "built-in"
    elif level == "" and study.lexicon:
        list_name = "the study's"
    else:
        named = (name for name, each in published_lists().items() if frozenset(each.words) == words)
        list_name = next(named, "own")
    return f"{list_name}, {len(words):,} words"


def read_levels(texts: Sequence[str], words: Callable[[str], str]) -> dict[str, list[Level] | None]:
    """`tau=0,1` and so on as levels by choice; `tau` alone, or `tau=all`, for the usual ones. A choice that is given
    twice has the levels of both. words: gives the word list of a file. Raises UsageError for what cannot be read."""
    levels_by_choice: dict[str, list[Level] | None] = {}
    for text in texts:
        name, separator, listed = text.partition("=")
        field = choice_named(name)
        if not separator or listed.strip() == "all":
            levels_by_choice.setdefault(field, None)
            continue
        levels = [_read_level(field, level.strip(), words) for level in listed.split(",") if level.strip()]
        if not levels:
            raise UsageError(f"{text!r} names no level", f"Write {field}=… with commas between levels.")
        levels_by_choice[field] = [*(levels_by_choice.get(field) or []), *levels]
    return levels_by_choice


def _read_level(field: str, text: str, words: Callable[[str], str]) -> Level:
    """Return one level of a choice. Raises UsageError for one that is no number where the choice is."""
    usual: Any = getattr(Settings, field)
    if isinstance(usual, (int, float)):
        try:
            return type(usual)(text)
        except ValueError as error:
            sort = "a whole number" if isinstance(usual, int) else "a number"
            raise UsageError(f"{field} is {text[:60]!r}", f"Use {sort}, as {field}={usual:g}.") from error
    if field == "lexicon":
        published = {name: format_lexicon(lexicon) for name, lexicon in published_lists().items()}
        named = {"study": "", "gsr": "gsr"} | published
        return named[text] if text in named else words(text)
    return "" if field == "annotator" and text == "default" else text


def wanted_levels(
    study: Study, settings: Settings, choices: Mapping[str, Iterable[Level] | None]
) -> dict[str, tuple[Level, ...]]:
    """The levels of each choice that is ticked, by name. Raises UsageError as `levels_of`."""
    levels_by_choice = {}
    for name, levels in choices.items():
        expect("choices", name, str, "Name choices as text, such as 'tau'.")
        if levels is not None and (isinstance(levels, str) or not isinstance(levels, Iterable)):
            raise UsageError(
                f"choices[{name!r}] is {written(levels)}", f"Give a list of levels, as [{written(levels)}]."
            )
        levels_by_choice[choice_named(name)] = levels_of(study, settings, name, levels)
    return levels_by_choice
