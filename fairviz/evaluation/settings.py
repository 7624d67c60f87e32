"""Everything a person chose, nothing loaded: one frozen object, mirrored in the address bar.

The record of each choice contains everything that the faces of the program read about a field of `Settings`. Command
line, sidebar, chips, pins, exports, capsules and the sensitivity analysis list no field by name: they read these
records. A new choice is a new field, and the code that computes with it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from math import inf
from numbers import Integral, Real
from typing import Any, NoReturn

from fairviz.declared import TAU
from fairviz.errors import FairvizError, UsageError, did_you_mean, value_text
from fairviz.evaluation import study_values
from fairviz.evaluation.study_values import crossing_columns
from fairviz.measures import Question, parse
from fairviz.measures.gsr import DEPTHS as GSR_DEPTHS
from fairviz.measures.position_bias import MAX_CUTOFF, parse_position_bias
from fairviz.measures.sums import UNLABELLED
from fairviz.normal_form import normal_form
from fairviz.statistics.families import parse_tests
from fairviz.study.record import Study
from fairviz.study.tables import TIES
from fairviz.words.counting import parse_lexicon
from fairviz.words.genderedness import parse_pairs
from fairviz.words.gsr_words import parse_stop_words
from fairviz.words.sentences import agreeing
from fairviz.words.stereotype_lists import WORD_LISTS
from fairviz.words.tokenizers import TOKENIZERS
from fairviz.words.vectors import NAMES

PATHS = ("study", "embedding")  # which are names of files too, as they are on the disk
MAX_WEIGHTS = 1000  # as many ranks as a table of weights may have
MOST_COLUMNS = 50
_LONGEST = 80
_KINDS: dict[type, tuple[type, type, str]] = {
    int: (Integral, int, "Use a whole number."),
    float: (Real, float, "Use a number."),
    str: (str, str, "Use text."),
}
Level = float | int | str
LISTS, LABELS, WORDS, TESTS = "Systems & queries", "Labels", "Word list", "Tests"
TOP, PAGES = "top", "pages"  # above the groups of the sidebar, and on the pages that use the choice
GROUPS = (TOP, LISTS, LABELS, WORDS, TESTS, PAGES)
EFFECTIVENESS = ("nDCG", "RR", "P", "R", "AP", "Success")
DEFAULT_STUDY = "newswire"
_MOST_CHARACTERS = 200_000  # of a value in the address: a word list may be long
_MOST_LINES = 5


def typed(name: str, value: Any, default: Any) -> Any:
    """Return a setting's value in the type of its default: a whole number, a number, text, or a tuple of these.

    Numbers of numpy and lists are taken; texts come in Unicode's composed form. Raises FairvizError, with the field's
    name, for anything else.
    """
    if isinstance(default, tuple):
        return _typed_tuple(name, value)
    kind, plain, remedy = _KINDS[type(default)]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise FairvizError(f"{name} is {value_text(value)}", remedy)
    return plain(normal_form(value) if isinstance(value, str) and name not in PATHS else value)


def _typed_tuple(name: str, value: Any) -> tuple:
    """Return the value of a setting of several as a tuple: of numbers for custom_bias, of texts for the others."""
    numbers = name == "custom_bias"
    kind, plain, _ = _KINDS[float if numbers else str]
    listed = None if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable) else tuple(value)
    if listed is None or not all(isinstance(item, kind) and not isinstance(item, bool) for item in listed):
        raise FairvizError(
            f"{name} is {value_text(value)}",
            f"Use a list of {'numbers, as [1, 0.5]' if numbers else 'texts, as [name]'}.",
        )
    return tuple(plain(item if numbers else normal_form(item)) for item in listed)


def refuse(problem: str, remedy: str) -> NoReturn:
    """Raise FairvizError with this problem and remedy."""
    raise FairvizError(problem, remedy)


def check_custom_bias(value: tuple[float, ...]) -> None:
    """Raise FairvizError for weights that are negative, infinite, all 0 or too many."""
    if len(value) > MAX_WEIGHTS:
        raise FairvizError(f"custom_bias holds {len(value):,} weights", f"Use {MAX_WEIGHTS:,} or fewer.")
    if value and (not all(0 <= weight < inf for weight in value) or not any(value)):
        raise FairvizError(
            "custom_bias is not a list of weights of 0 or more", "Give such weights, at least one above 0."
        )


def check_voters(value: tuple[str, ...]) -> None:
    """Raise FairvizError for an empty name, and for a name given twice."""
    if "" in value or len(set(value)) < len(value):
        wrong = "an empty name" if "" in value else f"{next(name for name in value if value.count(name) > 1)!r} twice"
        raise FairvizError(f"voters holds {wrong}", "Name each voter once.")


def check_columns(value: tuple[str, ...]) -> None:
    """Raise FairvizError for too many columns, a text that is no measure, one without values per query, or a measure
    that is named twice."""
    if len(value) > MOST_COLUMNS:
        raise FairvizError(f"columns holds {len(value):,} measures", f"Use {MOST_COLUMNS} or fewer.")
    names: set[str] = set()
    for text in value:
        question = parse(text, cutoff=10)
        if question.measure is not None and not question.measure.per_query:
            raise FairvizError(f"{question.name} has no value for one query", "Leave it out of the columns.")
        if question.name in names:
            raise FairvizError(f"columns names {question.name} twice", "Name each measure once.")
        names.add(question.name)


@dataclass(frozen=True)
class Levels:
    """The levels of a choice in a sensitivity analysis.

    label: the choice in sentences; question: in a few words. offered: levels to select from; usual: those varied
    without a selection, by default all. Each is a tuple, or a function of the study and the settings, without the
    present level. place: the position among the choices.
    """

    label: str
    question: str
    offered: tuple[Level, ...] | Callable[[Study, Any], Sequence[Level]] = ()
    usual: tuple[Level, ...] | Callable[[Study, Any], Sequence[Level]] = ()
    place: int = 99

    def offered_in(self, study: Study, settings: Any) -> Sequence[Level]:
        """Return the levels to select from in this study."""
        return self.offered(study, settings) if callable(self.offered) else self.offered

    def usual_in(self, study: Study, settings: Any) -> Sequence[Level]:
        """Return the levels that are varied without a selection in this study."""
        usual = self.usual or self.offered
        return usual(study, settings) if callable(usual) else usual


class Summaries(Mapping[str, str]):
    """The summaries of the records of a registry, which loads those of other packages when all are read."""

    def __init__(self, registry: Mapping[str, Any]) -> None:
        self._registry = registry

    def __getitem__(self, name: str) -> str:
        return self._registry[name].summary

    def __iter__(self) -> Iterator[str]:
        return iter(self._registry)

    def __len__(self) -> int:
        return len(self._registry)

    def __bool__(self) -> bool:
        return True


@dataclass(frozen=True)
class SettingChoice:
    """A field of `Settings` and its metadata.

    help: its meaning and values, for the documentation of `Settings`. label: its name on a chip; empty for no chip.
    reads: what is computed from it: parts of a question (`parts_of`), `lists` for the systems and queries shown,
    `collection` for the documents that are counted, `text` for what the text of a measure contains, `columns` for which
    measures a table has, `tests` for tests; nothing if only pages show it. texts: its values with their meanings, if
    there are few. least: its smallest value, if it is a count. check: raises FairvizError for an invalid value. values:
    its values in a study. part_of: the field of which it is a part. option, metavar, option_help: its option on the
    command line; empty for none. group: of GROUPS; control: the label of its widget in the sidebar, empty for none;
    last: whether it is below other widgets. verbs: those of the command line with the option; empty for all.
    """

    help: str = ""
    label: str = ""
    reads: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    least: int | None = None
    check: Callable[[Any], object] | None = None
    values: Callable[[Study], tuple[str, ...]] | None = None
    part_of: str = ""
    option: str = ""
    metavar: str | None = None
    option_help: str = "default: %(default)s"
    group: str = PAGES
    control: str = ""
    last: bool = False
    verbs: tuple[str, ...] = ()
    levels: Levels | None = None
    name: str = ""
    default: Any = None

    @property
    def shown_only(self) -> bool:
        """Return whether no value of a measure and no test depends on the choice."""
        return not self.reads

    @property
    def range_text(self) -> str:
        """Return the range of a count as a remedy; empty for other choices."""
        return "" if self.least is None else f"Use a whole number from {self.least} to {MAX_CUTOFF:,}."

    def refuse_invalid(self, value: Any) -> None:
        """Raise FairvizError for a value that the choice cannot have."""
        if self.texts and value not in self.texts:
            raise FairvizError(f"{self.name} is {value!r}", f"Use one of {', '.join(self.texts)}.")
        if self.least is not None and not self.least <= value <= MAX_CUTOFF:
            raise FairvizError(f"{self.name} is {value}", self.range_text)
        if self.check is not None:
            self.check(value)

    def is_read_by(self, question: Question) -> bool:
        """Return whether the values of the question depend on the choice otherwise than through its text."""
        return not parts_of(question).isdisjoint(self.reads)

    def named(self, value: str) -> str:
        """Return a value with its meaning: `strict: undefined lists`."""
        meaning = self.texts.get(value, "")
        return f"{value}: {meaning}" if meaning else value


def parts_of(question: Question) -> frozenset[str]:
    """Return what a question is computed from: `rankings`, `effectiveness`, `labels`, `words`, `gsr` or `bias`."""
    measure = question.measure
    family = question.family if measure is None or measure.per_query else "gsr"
    return frozenset(("rankings", family, *(("bias",) if measure is not None and measure.uses_bias else ())))


def choice(default: Any, **metadata: Any) -> Any:
    """Return a field of `Settings` with this default. metadata: fields of `SettingChoice`."""
    return field(default=default, metadata={"choice": SettingChoice(**metadata)})


def choices_of(settings: type) -> dict[str, SettingChoice]:
    """Return the records of all fields by name, in their order."""
    return {one.name: replace(one.metadata["choice"], name=one.name, default=one.default) for one in fields(settings)}


@dataclass(frozen=True)
class Settings:
    """The choices behind a figure. docs/decisions.md explains the defaults."""

    # fmt: off
    study: str = choice(DEFAULT_STUDY, help="name of the study on screen", reads=("study",))
    systems: tuple[str, ...] = choice(
        (), label="systems", reads=("lists",), group=LISTS, control="Systems", check=lambda value: [
            refuse(f"systems names {name[:_LONGEST]!r} twice", "Name each system once.")
            for place, name in enumerate(value) if name in value[:place]
        ],
        values=lambda study: study.systems, help="those shown, in order; empty for all",
        verbs=("evaluate", "compare", "report", "gsr", "never-shown", "wordings"), option="--systems", metavar="A,B,…",
        option_help="only these systems, in this order; may be given several times (default: all)",
    )
    filter_column: str = choice(
        "", label="queries", reads=("lists",), group=LISTS, control="Queries", last=True,
        values=study_values.filter_columns,
        help="with filter_values: keep the queries whose column holds one of the values; empty for all",
    )
    filter_values: tuple[str, ...] = choice(
        (), part_of="filter_column", reads=("lists",), group=LISTS, option="--where", metavar="COLUMN=VALUE",
        verbs=("evaluate", "compare", "report", "explain", "gsr", "atlas", "sensitivity", "never-shown", "wordings"),
        option_help="only the queries whose column has this value; may be given several times for one column",
    )
    cutoff: int = choice(
        10, label="k", reads=("text",), help="k, 1 or more",
        check=lambda value: 1 <= value <= MAX_CUTOFF
        or refuse(f"cutoff is {value}", f"Use a whole number from 1 to {MAX_CUTOFF:,}."),
        option="--k", metavar="K", option_help="the cutoff (default: %(default)s)", group=TOP,
        levels=Levels("the cutoff", "how far down the list", study_values.cutoff_levels, study_values.usual_cutoffs, 6),
    )
    alpha: float = choice(
        0.5, label="alpha", reads=("text",), group=TOP,
        check=lambda value: 0 <= value <= 1 or refuse(f"alpha is {value:g}", "Use a number from 0 to 1."),
        help="weight of neutrality in CWEx, 0 to 1",
        levels=Levels(
            "alpha", "CWEx's weight of neutrality", (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1), (0.25, 0.5, 0.75), place=8
        ),
    )
    position_bias: str = choice(
        "log2", label="position bias", reads=("bias",), group=TOP,
        check=lambda value: value == "custom" or parse_position_bias(value),
        help="in the grammar of fairviz.measures.position_bias, or `custom` with its weights in custom_bias",
        option="--position-bias", metavar="BIAS", option_help="log2, reciprocal, rbp(p=0.8), linear, uniform, a file "
        "with the columns rank and weight, or weights with commas (default: %(default)s)",
        levels=Levels("the position bias", "attention by rank", study_values.bias_levels, place=7),
    )
    custom_bias: tuple[float, ...] = choice(
        (), part_of="position_bias", reads=("bias",), check=check_custom_bias, group=TOP
    )
    tokenizer: str = choice(
        "word", label="tokenizer", reads=("words",), texts=Summaries(TOKENIZERS), help="the name of a tokenizer",
        option="--tokenizer", group=WORDS, control="Text is cut into",
        levels=Levels(
            "the tokenizer", "how text is cut", lambda study, settings: tuple(TOKENIZERS), ("word", "whitespace"), 0
        ),
    )
    lexicon: str = choice(
        "", label="lexicon", reads=("words",), check=lambda value: value in ("", "gsr") or parse_lexicon(value),
        help="empty for the study's own or else the built-in one, `gsr` for the built-in one, or words as "
        "`female:she|her;male:he|him`",
        group=WORDS, control="Word list", last=True, option="--lexicon", metavar="FILE",
        option_help="words and their group, gsr for the built-in ones, or the words themselves as "
        "'female:she|her;male:he|him' (default: the study's own, else the built-in one)",
        levels=Levels("the word list", "which words count", study_values.lexicon_levels, place=2),
    )
    tau: int = choice(
        TAU.default, label="tau", reads=("text",), least=int(TAU.low), help=TAU.help,
        group=WORDS, control="τ: gender words a neutral document may hold",
        levels=Levels("tau", "gender words a neutral document may hold", (0, 1, 2, 3, 5), (0, 1, 2), place=1),
    )
    background: str = choice(
        "candidates", label="background", reads=("text", "collection"),
        check=lambda value: value in ("candidates", "collection") or (value.startswith("run:") and len(value) > 4)
        or refuse(f"background is {value!r}", "Use candidates, collection or run:NAME."),
        values=study_values.backgrounds, help="`candidates`, `collection` or `run:NAME`",
        group=WORDS, control="Background of NFaiRR", option="--background", metavar="SET",
        option_help="NFaiRR's: candidates, collection or run:NAME (default: %(default)s)",
        levels=Levels(
            "the background", "what NFaiRR's ideal is drawn from",
            lambda study, settings: study_values.backgrounds(study), ("candidates", "collection"), place=3,
        ),
    )
    ties: str = choice(
        "file", label="ties", reads=("rankings",), help="`file` or `trec_eval`", option="--ties", last=True,
        texts={"file": "by the file's rank", "trec_eval": "by document id"},
        group=LISTS, control="Tied scores are ordered",
        levels=Levels("the order of ties", "how tied scores are ordered", TIES, place=9),
    )
    annotator: str = choice(
        "", label="annotator", reads=("labels",), values=study_values.annotators, group=LABELS, control="Annotator",
        help="a name, `majority`, `dawid-skene`, or empty for the study's default", option="--annotator",
        metavar="NAME", option_help="whose labels: a name, majority, dawid-skene, or adjudicated (a reader's "
        "decisions, else the default's labels)",
        levels=Levels(
            "the annotator", "whose labels count", lambda study, settings: study_values.annotators(study),
            study_values.usual_annotators, place=4,
        ),
    )
    voters: tuple[str, ...] = choice(
        (), label="voters", reads=("labels",), values=study_values.voters, check=check_voters,
        group=LABELS, control="Voters", help="whose labels vote in a consensus and count in disagreement: names, or "
        "one of `people`, `all but rules` and `all`; empty for the first of these with an annotator",
        option="--voters", metavar="NAME",
        option_help="whose labels vote: names, or people, 'all but rules', all (default: people if there are labels "
        "by people, else all but rules, else all)",
    )
    corrected_by: str = choice(
        "", label="corrected by", reads=("corrected",), values=study_values.correctors,
        verbs=("evaluate", "compare", "gate", "report"),
        help="whose labels of a drawn sample correct the annotator's in `fairviz.corrected`, empty for nobody's",
        option="--corrected-by", metavar="NAME", option_help="correct the annotator's labels, a machine's, by these "
        "of a sample that study-form --design drew (default: nobody's)",
    )
    crossed_with: str = choice(
        "", label="crossed with", reads=("labels",), values=crossing_columns, group=LABELS,
        control="Groups crossed with", help="a column of the documents that divides each gender group; empty for none",
        option="--crossed-with", metavar="COLUMN", option_help="divide each gender by a column of the documents",
    )
    unlabelled: str = choice(
        "skip", label="unlabelled", reads=("labels", "words"), help="`skip`, `neutral` or `strict`",
        texts={"skip": "left out", "neutral": "count as neutral", "strict": "undefined lists"},
        option="--unlabelled", group=LABELS, control="Documents without a label",
        levels=Levels("what lacks a label", "what a document without label or text counts as", UNLABELLED, place=5),
    )
    effectiveness: str = choice(
        "nDCG", label="effectiveness", reads=("text",), texts=dict.fromkeys(EFFECTIVENESS, ""), group=LISTS,
        control="Effectiveness", help="the measure set against fairness",
    )
    columns: tuple[str, ...] = choice(
        (), label="columns", reads=("columns", "tests"), check=check_columns, group=TOP,
        help="the measures that are columns of the Overview, in order, such as CWEx(alpha=0.3), each name once; empty "
        "for the default ones",
    )
    tests: str = choice(
        "maxT", label="tests", reads=("tests",), check=parse_tests, group=TESTS, control="Method",
        help="the families of tests and the method, as fairviz.statistics.families reads them",
        option="--tests", metavar="TESTS", option_help="families and method, such as maxT, holm(statistic='wilcoxon') "
        "or maxT(baseline='bm25') (default: %(default)s)",
    )
    tested: tuple[str, ...] = choice(
        (), label="also tested", reads=("tests",), values=lambda study: study.systems, group=TESTS,
        control="Also test", help="systems that join the tests although they are references, edited by hand or "
        "taken out of the study's tests", option="--tested", metavar="NAME", option_help="a reference or an edited "
        "list that joins the tests; may be given several times",
    )
    not_tested: tuple[str, ...] = choice(
        (), label="not tested", reads=("tests",), values=lambda study: study.systems, group=TESTS,
        help="systems that are shown and not tested", option="--not-tested", metavar="NAME",
        option_help="a system that is shown and not tested; may be given several times",
    )
    cluster: str = choice(
        "", label="clusters", reads=("tests",), group=TESTS, control="Clusters of queries",
        values=study_values.cluster_columns,
        help="a column of the queries, such as topic or category, whose queries are drawn together in tests and in "
        "intervals of differences; empty where each query is drawn by itself",
        verbs=("compare", "gate", "report", "evaluate"), option="--cluster", metavar="COLUMN",
        option_help="queries with the same value of this column are drawn together in tests and intervals",
    )
    embedding: str = choice(
        "glove", label="embedding", reads=("gsr",),
        check=lambda value: (value and "\0" not in value)
        or refuse(f"embedding is {repr(value) if value else 'empty'}",
                  f"Use {', '.join(NAMES)} or the path of a vector file."),
        help="word vectors by name or path", option="--embedding", metavar="VECTORS",
        option_help="GSR's word vectors: glove, google-news-subset or a word2vec or fastText file (default: "
        "%(default)s)",
    )
    pairs: str = choice(
        "", label="pairs", reads=("gsr",), check=parse_pairs,
        help="the gender pairs as `she-he, her-his`, empty for the ten of the GSR paper",
    )
    debias: str = choice(
        "none", label="debias", texts={"none": "as they are", "regular": "regular", "strong": "strong"},
        help="what the GSR and Words pages do to the vectors, `none`, `regular` or `strong`",
    )
    gsr_depth: str = choice(
        "cutoff", label="gsr depth", reads=("gsr", "text"), texts=dict.fromkeys(GSR_DEPTHS, ""),
        help="GSR looks at the top k (`cutoff`) or at as many documents as are relevant to the query (`relevant`)",
    )
    query_terms: str = choice(
        "exact", label="query terms", reads=("text",),
        texts={"exact": "equal words (the text)", "lemma": "forms of one noun (the code)"},
        help="which words GSR drops from documents, those of the query (`exact`) or all that share a noun's lemma with "
        "one (`lemma`)", option="--query-terms", option_help="GSR drops from documents the query's words, or all that "
        "share a noun's lemma with one, as its authors' code does (default: %(default)s)",
    )
    stop_words: str = choice(
        "", label="stop words", reads=("text",), check=lambda value: value and parse_stop_words(value),
        help="GSR's stop list, its words with blanks between them, empty for the built-in one",
        option="--stop-words", metavar="FILE",
        option_help="GSR's stop list, a file with a word a line, or the words with blanks between them (default: "
        "scikit-learn's English ones; gendered ones count)",
    )
    list_weights: str = choice(
        "equation", label="list weights", reads=("text",),
        texts={"equation": "1/log2(rank + 1) (the text)", "code": "1/max(1, log2 rank) (the code)"},
        help="of GSR's lists, those of the paper's `equation` 2 or of its authors' `code`", option="--list-weights",
        option_help="GSR's weight of a rank: 1/log2(rank + 1), or its authors' code's 1/max(1, log2 rank) (default: "
        "%(default)s)",
    )
    left_out: int = choice(
        0, label="left out", least=0, help="the number of most gendered queries that the GSR page leaves out"
    )
    word_lists: tuple[str, ...] = choice(
        (), label="word lists",
        check=lambda value: [
            refuse(f"there is no word list {name!r}", f"Use {', '.join(WORD_LISTS)}.")
            for name in value if name not in WORD_LISTS
        ],
        help="with words and against: lists of WORD_LISTS by name and two of its reader's own on the Words page",
    )
    words: str = choice("", label="words")
    against: str = choice("", label="against")
    system: str = choice(
        "", label="selected", group=LISTS, control="Selected system", help="with query and document: the selection",
        values=lambda study: ("", *study_values.selectable(study)),
    )
    query: str = choice(
        "", label="query", group=LISTS, last=True, values=lambda study: ("", *study.query_ids)
    )
    document: str = choice("")
    # fmt: on

    def __post_init__(self) -> None:
        self._check(CHOICES)

    def _check(self, names: Collection[str]) -> None:
        """Set these fields to their values as `typed` has them, and refuse what is out of its range."""
        records = [record for name, record in CHOICES.items() if name in names]
        for record in records:
            object.__setattr__(self, record.name, typed(record.name, getattr(self, record.name), record.default))
        for record in records:
            record.refuse_invalid(getattr(self, record.name))

    def changed(self, **choices: object) -> "Settings":
        """A copy with these fields replaced; raises FairvizError where a value is out of its range or its type."""
        for name in choices:
            if name not in CHOICES:
                remedy = f"{did_you_mean(name, CHOICES)}The settings are {', '.join(CHOICES)}."
                raise UsageError(f"there is no setting {name!r}", remedy)
        changed = copy(self)  # the other fields have been checked: to check them all takes ten times as long
        vars(changed).update(choices)
        changed._check(choices)
        return changed

    def reset(self, *names: str) -> "Settings":
        """Return a copy with these fields at their defaults."""
        return self.changed(**{name: CHOICES[name].default for name in names})


CHOICES: dict[str, SettingChoice] = choices_of(Settings)
SHOWN_ONLY = tuple(one.name for one in CHOICES.values() if one.shown_only)


Settings.__doc__ = "\n\n".join(
    [str(Settings.__doc__), *(f"{one.name}: {one.help}." for one in CHOICES.values() if one.help)]
)


def to_query(settings: Settings) -> dict[str, list[str]]:
    """The settings as URL query parameters: the study, and what differs from the default; lists repeat theirs."""
    query = {}
    for name, choice_record in CHOICES.items():
        value = getattr(settings, name)
        if name == "study" or value != choice_record.default:
            query[name] = [str(item) for item in (value if isinstance(value, tuple) else (value,))]
    return query


def from_query(query: Mapping[str, list[str]], vectors: Collection[str] = NAMES) -> tuple[Settings, list[str]]:
    """The settings that URL parameters name, and a line for each that was ignored; beyond five, one that counts them.

    vectors: the names that the address may give as embedding. A path is none: a link must not open a file.
    """
    settings, ignored = Settings(), []
    for name, texts in query.items():
        if name not in CHOICES:
            ignored.append(f"The address holds {name[:_LONGEST]!r}, which is not a setting; it was ignored.")
            continue
        try:
            value = _parsed(name, CHOICES[name].default, texts)
            if name == "embedding" and value and value not in vectors:
                raise FairvizError("no vectors of that name are here; the Data page adds some")
            settings = settings.changed(**{name: value})
        except (ValueError, FairvizError) as error:
            reason, remedy = "not a number", CHOICES[name].range_text
            if isinstance(error, FairvizError):
                reason, remedy = error.message, error.remedy
            text = ", ".join(texts[:_LONGEST])[:_LONGEST]
            line = f"The address sets {name} to {text!r} ({_cut(reason)}); the default was used. {_cut(remedy)}"
            ignored.append(line.rstrip())
    if settings.position_bias == "custom" and not settings.custom_bias:
        settings = settings.changed(position_bias=Settings.position_bias)
        ignored.append("The address sets position_bias to 'custom' without weights; the default was used.")
    return settings, few(ignored)


def _cut(text: str) -> str:
    return text if len(text) <= 2 * _LONGEST else f"{text[: 2 * _LONGEST]}…"


def few(lines: list[str]) -> list[str]:
    """The first lines of what the address gets wrong, and how many more there are."""
    rest = len(lines) - _MOST_LINES
    more = [f"{rest:,} more of what the address holds {agreeing(rest, 'was', 'were')} ignored."]
    return lines if rest <= 0 else lines[:_MOST_LINES] + more


def _parsed(name: str, default: object, texts: list[str]) -> object:
    if sum(map(len, texts)) > _MOST_CHARACTERS:
        raise FairvizError(f"longer than {_MOST_CHARACTERS:,} characters")
    if isinstance(default, tuple):
        return tuple(float(text) for text in texts) if name == "custom_bias" else tuple(texts)
    text = texts[-1] if texts else ""
    if isinstance(default, int):
        return int(text)
    return float(text) if isinstance(default, float) else text
