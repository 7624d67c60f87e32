"""Everything a person chose, nothing loaded: one frozen object, mirrored in the address bar."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from math import inf

from fairviz.errors import FairvizError
from fairviz.evaluation.setting_types import refuse_unknown, typed
from fairviz.measures.gsr import DEPTHS as GSR_DEPTHS
from fairviz.measures.gsr import LIST_WEIGHTS
from fairviz.measures.position_bias import MAX_CUTOFF, parse_position_bias
from fairviz.measures.sums import UNLABELLED
from fairviz.statistics.families import parse_tests
from fairviz.study.tables import TIES
from fairviz.words.counting import TOKENIZERS, parse_lexicon
from fairviz.words.debiasing import DEBIASINGS
from fairviz.words.genderedness import parse_pairs
from fairviz.words.query_terms import QUERY_TERMS
from fairviz.words.sentences import agreeing
from fairviz.words.stereotype_lists import WORD_LISTS
from fairviz.words.stop_lists import parse_stop_words
from fairviz.words.vectors import NAMES

EFFECTIVENESS = ("nDCG", "RR", "P", "R", "AP", "Success")
DEFAULT_STUDY = "newswire"
MAX_WEIGHTS = 1000  # as many ranks as a table of weights may have
_MOST_CHARACTERS = 200_000  # of a value in the address: a word list may be long
_MOST_LINES = 5
_SHOWN = 80


@dataclass(frozen=True)
class Settings:
    """The choices behind a figure. docs/decisions.md says why the defaults are what they are.

    study: name of the study on screen. systems: those shown, in order; empty for all. filter_column and
    filter_values: keep the queries whose column holds one of the values; empty for all. cutoff: k, 1 or more.
    alpha: weight of neutrality in CWEx, 0 to 1. position_bias: in the grammar of fairviz.measures.position_bias, or
    `custom` with its weights in custom_bias. tokenizer: `word` or `whitespace`. lexicon: empty for the study's own or
    else the built-in one, `gsr` for the built-in one, or words as `female:she|her;male:he|him`. tau: gender words a
    neutral document may hold. background: `candidates`, `collection` or `run:NAME`. ties: `file` or `trec_eval`.
    annotator: a name, `majority`, `dawid-skene`, or empty for the study's default. unlabelled: `skip`, `neutral` or
    `strict`. effectiveness: the measure set against fairness. tests: the families
    of tests and the method, as fairviz.statistics.families reads them. tested: systems that join the families although
    they are references, edited or uploaded. embedding: word vectors by name or path. pairs: the
    gender pairs as `she-he, her-his`, empty for the ten of the GSR paper. debias: what the
    Stereotypes and Words pages do to the vectors, `none`, `regular` or `strong`. gsr_depth: GSR looks at the top k
    (`cutoff`) or at as many documents as are relevant to the query (`relevant`). query_terms: which words GSR drops
    from documents, those of the query (`exact`) or all that share a noun's lemma with one (`lemma`). stop_words: GSR's
    stop list, its words with blanks between them, empty for the built-in one. list_weights: of GSR's lists, those of
    the paper's `equation` 2 or of its authors' `code`. left_out: how many of the most gendered queries the Stereotypes
    page leaves out of GSR. word_lists, words, against: what the Words page shows, lists of WORD_LISTS by name and two
    of its reader's own. system, query, document: what is selected.
    """

    study: str = DEFAULT_STUDY
    systems: tuple[str, ...] = ()
    filter_column: str = ""
    filter_values: tuple[str, ...] = ()
    cutoff: int = 10
    alpha: float = 0.5
    position_bias: str = "log2"
    custom_bias: tuple[float, ...] = ()
    tokenizer: str = "word"
    lexicon: str = ""
    tau: int = 1
    background: str = "candidates"
    ties: str = "file"
    annotator: str = ""
    unlabelled: str = "skip"
    effectiveness: str = "nDCG"
    tests: str = "maxT"
    tested: tuple[str, ...] = ()
    embedding: str = "glove"
    pairs: str = ""
    debias: str = "none"
    gsr_depth: str = "cutoff"
    query_terms: str = "exact"
    stop_words: str = ""
    list_weights: str = "equation"
    left_out: int = 0
    word_lists: tuple[str, ...] = ()
    words: str = ""
    against: str = ""
    system: str = ""
    query: str = ""
    document: str = ""

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, typed(field.name, getattr(self, field.name), field.default))
        for name, check in _CHECKS.items():
            check(getattr(self, name))

    def changed(self, **choices: object) -> "Settings":
        """A copy with these fields replaced; raises FairvizError where a value is out of its range or its type."""
        refuse_unknown(choices, Settings)
        return replace(self, **choices)  # type: ignore[arg-type]


def _one_of(name: str, allowed: tuple[str, ...]):
    def check(value: str) -> None:
        if value not in allowed:
            raise FairvizError(f"{name} is {value!r}", f"Use one of {', '.join(allowed)}.")

    return check


def _check_cutoff(value: int) -> None:
    if not 1 <= value <= MAX_CUTOFF:
        raise FairvizError(f"cutoff is {value}", f"Use a whole number from 1 to {MAX_CUTOFF:,}.")


def _check_alpha(value: float) -> None:
    if not 0 <= value <= 1:
        raise FairvizError(f"alpha is {value:g}", "Use a number from 0 to 1.")


def _check_tau(value: int) -> None:
    if not 0 <= value <= MAX_CUTOFF:
        raise FairvizError(f"tau is {value}", "Use a whole number of 0 or more.")


def _check_embedding(value: str) -> None:
    if not value:
        raise FairvizError("embedding is empty", f"Use {', '.join(NAMES)} or the path of a vector file.")
    if "\0" in value:
        raise FairvizError(f"embedding is {value!r}", f"Use {', '.join(NAMES)} or the path of a vector file.")


def _check_left_out(value: int) -> None:
    if not 0 <= value <= MAX_CUTOFF:
        raise FairvizError(f"left_out is {value}", "Use a whole number of 0 or more.")


def _check_bias(value: str) -> None:
    if value != "custom":
        parse_position_bias(value)


def _check_custom_bias(value: tuple[float, ...]) -> None:
    if len(value) > MAX_WEIGHTS:
        raise FairvizError(f"custom_bias holds {len(value):,} weights", f"Use {MAX_WEIGHTS:,} or fewer.")
    if value and (not all(0 <= weight < inf for weight in value) or not any(value)):
        raise FairvizError("custom_bias is no list of weights of 0 or more, one above 0", "Give such weights.")


def _check_systems(value: tuple[str, ...]) -> None:
    twice = next((name for place, name in enumerate(value) if name in value[:place]), None)
    if twice is not None:
        raise FairvizError(f"systems names {twice[:_SHOWN]!r} twice", "Name each system once.")


def _check_word_lists(value: tuple[str, ...]) -> None:
    unknown = next((name for name in value if name not in WORD_LISTS), None)
    if unknown is not None:
        raise FairvizError(f"there is no word list {unknown!r}", f"Use {', '.join(WORD_LISTS)}.")


def _check_background(value: str) -> None:
    if value not in ("candidates", "collection") and not (value.startswith("run:") and len(value) > 4):
        raise FairvizError(f"background is {value!r}", "Use candidates, collection or run:NAME.")


def _check_lexicon(value: str) -> None:
    if value not in ("", "gsr"):
        parse_lexicon(value)


def _check_stop_words(value: str) -> None:
    if value:
        parse_stop_words(value)


_CHECKS = {
    "systems": _check_systems,
    "cutoff": _check_cutoff,
    "alpha": _check_alpha,
    "tau": _check_tau,
    "position_bias": _check_bias,
    "custom_bias": _check_custom_bias,
    "embedding": _check_embedding,
    "pairs": parse_pairs,
    "debias": _one_of("debias", DEBIASINGS),
    "gsr_depth": _one_of("gsr_depth", GSR_DEPTHS),
    "query_terms": _one_of("query_terms", QUERY_TERMS),
    "stop_words": _check_stop_words,
    "list_weights": _one_of("list_weights", LIST_WEIGHTS),
    "left_out": _check_left_out,
    "tokenizer": _one_of("tokenizer", tuple(TOKENIZERS)),
    "ties": _one_of("ties", TIES),
    "unlabelled": _one_of("unlabelled", UNLABELLED),
    "effectiveness": _one_of("effectiveness", EFFECTIVENESS),
    "background": _check_background,
    "word_lists": _check_word_lists,
    "lexicon": _check_lexicon,
    "tests": parse_tests,
}


def to_query(settings: Settings) -> dict[str, list[str]]:
    """The settings as URL query parameters: the study, and what differs from the default; lists repeat theirs."""
    query = {}
    for field in fields(Settings):
        value = getattr(settings, field.name)
        if field.name == "study" or value != field.default:
            query[field.name] = [str(item) for item in _listed(value)]
    return query


def from_query(query: Mapping[str, list[str]], vectors: Collection[str] = NAMES) -> tuple[Settings, list[str]]:
    """The settings that URL parameters name, and a line for each that was ignored; beyond five, one that counts them.

    vectors: the names that the address may give as embedding. A path is none: a link must not open a file.
    """
    settings, ignored = Settings(), []
    known = {field.name: field for field in fields(Settings)}
    for name, texts in query.items():
        if name not in known:
            ignored.append(f"The address holds {name[:_SHOWN]!r}, which is no setting; it was ignored.")
            continue
        try:
            value = _parsed(name, known[name].default, texts)
            if name == "embedding" and value and value not in vectors:
                raise FairvizError("no vectors of that name are here; the Data page adds some")
            settings = settings.changed(**{name: value})
        except (ValueError, FairvizError) as error:
            reason = error.message if isinstance(error, FairvizError) else "not a number"
            shown = ", ".join(texts[:_SHOWN])[:_SHOWN]
            ignored.append(f"The address sets {name} to {shown!r} ({_cut(reason)}); the default was used.")
    if settings.position_bias == "custom" and not settings.custom_bias:
        settings = settings.changed(position_bias=Settings.position_bias)
        ignored.append("The address sets position_bias to 'custom' without weights; the default was used.")
    return settings, few(ignored)


def _cut(text: str) -> str:
    return text if len(text) <= 2 * _SHOWN else f"{text[: 2 * _SHOWN]}…"


def few(lines: list[str]) -> list[str]:
    """The first lines of what the address gets wrong, and how many more there are."""
    rest = len(lines) - _MOST_LINES
    more = [f"{rest:,} more of what the address holds {agreeing(rest, 'was', 'were')} ignored."]
    return lines if rest <= 0 else lines[:_MOST_LINES] + more


def _listed(value: object) -> tuple:
    return value if isinstance(value, tuple) else (value,)


def _parsed(name: str, default: object, texts: list[str]) -> object:
    if sum(map(len, texts)) > _MOST_CHARACTERS:
        raise FairvizError(f"longer than {_MOST_CHARACTERS:,} characters")
    if isinstance(default, tuple):
        return tuple(float(text) for text in texts) if name == "custom_bias" else tuple(texts)
    text = texts[-1] if texts else ""
    if isinstance(default, int):
        return int(text)
    return float(text) if isinstance(default, float) else text
