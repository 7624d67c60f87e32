"""The values that a choice can have in a study, and the levels among which a sensitivity analysis varies it."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from fairviz.annotation.forms.database import corrected_machines
from fairviz.annotation.voters import ALL, CONSENSUSES, GROUPS, annotator_names, is_machine, voter_groups
from fairviz.datasets.stored import published_lists
from fairviz.errors import FairvizError
from fairviz.measures import parse
from fairviz.measures.position_bias import ATTENTION
from fairviz.study.record import Study
from fairviz.words.counting import format_lexicon
from fairviz.words.sentences import shortest

MOST_VALUES = 50  # different values of a column to filter by
FEW_ANNOTATORS = 4  # up to this number, all are varied without a selection
CUTOFFS, USUAL_CUTOFFS = (1, 3, 5, 10, 20, 50, 100), (5, 10, 20)


def selectable(study: Study) -> tuple[str, ...]:
    """Return the systems, and after them the draws of stochastic ones, whose lists can be read one by one."""
    return tuple(dict.fromkeys((*study.systems, *study.run_names)))


def backgrounds(study: Study) -> tuple[str, ...]:
    """Return the backgrounds: sets of documents that NFaiRR's ideal can be taken from."""
    return ("candidates", "collection", *(f"run:{name}" for name in study.systems))


def known_columns(study: Study, columns: Sequence[str]) -> list[str]:
    """Return the measures without a background of their own that this study lacks."""
    own = {text: parse(text, cutoff=10).written.get("background", "candidates") for text in columns}
    return [text for text in columns if own[text] in backgrounds(study)]


def annotators(study: Study) -> tuple[str, ...]:
    """Return the default (empty), each annotator, and the consensuses if there are several annotators."""
    names = annotator_names(study)
    return ("", *names, *(CONSENSUSES if len(names) > 1 else ()))


def voters(study: Study) -> tuple[str, ...]:
    """Return the groups of voters that have members, and each annotator that can vote."""
    groups = voter_groups(study)
    return (*(name for name in GROUPS if groups[name] and name not in groups[ALL]), *groups[ALL])


def correctors(study: Study) -> tuple[str, ...]:
    """Return nobody (empty) and, where a sample was drawn, those whose labels may correct a machine's: people, and
    the consensuses of several."""
    with suppress(FairvizError):  # a database that cannot be read: the page of forms tells of it
        if machines := corrected_machines(study):
            people = [name for name in annotator_names(study) if not is_machine(study, name) and name not in machines]
            return ("", *people, *(CONSENSUSES if len(people) > 1 else ()))
    return ("",)


def filter_columns(study: Study) -> tuple[str, ...]:
    """Return the columns to filter by: none (empty), those of the queries with at most fifty values, and the query
    id."""
    columns = [name for name in study.queries.columns if name not in ("query_id", "text")]
    short = [str(name) for name in columns if study.queries[name].nunique(dropna=True) <= MOST_VALUES]
    return ("", *short, "query_id") if study.query_ids else ("",)


def filter_values(study: Study, column: str) -> tuple[str, ...]:
    """Return the values of a filter's column, in order."""
    if not column:
        return ()
    if column == "query_id":
        return study.query_ids
    return tuple(sorted(study.queries[column].dropna().astype("str").unique()))


def deepest_rank(study: Study) -> int:
    """Return the length of the longest list; 0 without runs."""
    return int(study.runs["rank"].max()) if study.has("runs") else 0


def cutoff_levels(study: Study, settings: Any) -> list[int]:
    """Return the cutoffs that the lists of the study reach."""
    return [cutoff for cutoff in CUTOFFS if cutoff <= max(deepest_rank(study), 1)]


def usual_cutoffs(study: Study, settings: Any) -> list[int]:
    """Return the cutoffs that are varied without a selection."""
    return [cutoff for cutoff in cutoff_levels(study, settings) if cutoff in USUAL_CUTOFFS]


def bias_levels(study: Study, settings: Any) -> list[str]:
    """Return every position bias at its default, and the custom one if it has weights."""
    named = [f"{each.name}({each.parameter}={shortest(each.default)})" if each.parameter else each.name
             for each in ATTENTION.values()]  # fmt: skip
    return [*named, *(["custom"] if settings.custom_bias else [])]


def usual_annotators(study: Study, settings: Any) -> list[str]:
    """Return the annotators if they are few, else the study's default and the consensuses."""
    names = annotator_names(study)
    return [*names] if len(names) <= FEW_ANNOTATORS else ["", *CONSENSUSES]


def lexicon_levels(study: Study, settings: Any) -> list[str]:
    """Return the study's list, the built-in one, and those of fetched data sets with words of all groups."""
    published = [each for each in published_lists().values() if set(study.groups) <= set(each.groups)]
    return ["", "gsr", *map(format_lexicon, published)]
