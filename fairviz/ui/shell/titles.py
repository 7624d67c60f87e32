"""The present value of each group of the sidebar, for its title."""

from collections.abc import Callable, Mapping

from fairviz.evaluation.choices import chosen_annotator, chosen_lexicon, chosen_systems
from fairviz.evaluation.settings import LABELS, LISTS, TESTS, WORDS, Settings
from fairviz.statistics.families import Tests, parse_tests
from fairviz.study.record import Study
from fairviz.ui.shell.chips import tests_text
from fairviz.words.counting import GSR_LEXICON


def value(group: str, study: Study, settings: Settings) -> str:
    """Return the value of a group: `9 of 9`."""
    return VALUES[group](study, settings)


def _systems(study: Study, settings: Settings) -> str:
    return f"{len(chosen_systems(study, settings)):,} of {len(study.systems):,}"


def _annotator(study: Study, settings: Settings) -> str:
    return chosen_annotator(study, settings) or "none"


def _words(study: Study, settings: Settings) -> str:
    if chosen_lexicon(study, settings) == GSR_LEXICON:
        name = "built-in"
    else:
        name = "edited" if settings.lexicon else "the study's"
    return f"{name}, τ {settings.tau}"


def _tests(study: Study, settings: Settings) -> str:
    tests = parse_tests(settings.tests)
    is_t = tests.statistic == Tests.statistic and tests.method != "tukey"
    return f"paired t, {tests_text(tests)}" if is_t else tests_text(tests)


VALUES: Mapping[str, Callable[[Study, Settings], str]] = {
    LISTS: _systems,
    LABELS: _annotator,
    WORDS: _words,
    TESTS: _tests,
}
