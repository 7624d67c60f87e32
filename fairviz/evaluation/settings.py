"""Everything a person chose, nothing loaded: one frozen object, mirrored in the address bar."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from fairviz.errors import FairvizError
from fairviz.evaluation import setting_types, study_values
from fairviz.evaluation.choice_records import (
    LABELS,
    LISTS,
    TESTS,
    TOP,
    WORDS,
    Choice,
    Levels,
    Summaries,
    choice,
    choices_of,
)
from fairviz.evaluation.crossing import crossing_columns
from fairviz.evaluation.setting_types import refuse_unknown, typed
from fairviz.measures.gsr import DEPTHS as GSR_DEPTHS
from fairviz.measures.position_bias import parse_position_bias
from fairviz.measures.sums import UNLABELLED
from fairviz.statistics.families import parse_tests
from fairviz.study.tables import TIES
from fairviz.words.counting import parse_lexicon
from fairviz.words.genderedness import parse_pairs
from fairviz.words.gsr_words import parse_stop_words
from fairviz.words.sentences import agreeing
from fairviz.words.tokenizers import TOKENIZERS
from fairviz.words.vectors import NAMES

EFFECTIVENESS = ("nDCG", "RR", "P", "R", "AP", "Success")
DEFAULT_STUDY = "newswire"
_MOST_CHARACTERS = 200_000  # of a value in the address: a word list may be long
_MOST_LINES = 5
_LONGEST = 80


@dataclass(frozen=True)
class Settings:
    """The choices behind a figure. docs/decisions.md explains the defaults."""

    # fmt: off
    study: str = choice(DEFAULT_STUDY, help="name of the study on screen", reads=("study",))
    systems: tuple[str, ...] = choice(
        (), label="systems", reads=("lists",), group=LISTS, control="Systems", check=setting_types.check_systems,
        values=lambda study: study.systems, help="those shown, in order; empty for all",
    )
    filter_column: str = choice(
        "", label="queries", reads=("lists",), group=LISTS, control="Queries", last=True,
        values=study_values.filter_columns,
        help="with filter_values: keep the queries whose column holds one of the values; empty for all",
    )
    filter_values: tuple[str, ...] = choice((), part_of="filter_column", reads=("lists",), group=LISTS)
    cutoff: int = choice(
        10, label="k", reads=("text",), check=setting_types.check_cutoff, help="k, 1 or more",
        option="--k", metavar="K", option_help="the cutoff (default: %(default)s)", group=TOP,
        levels=Levels("the cutoff", "how far down the list", study_values.cutoff_levels, study_values.usual_cutoffs, 6),
    )
    alpha: float = choice(
        0.5, label="alpha", reads=("text",), check=setting_types.check_alpha, group=TOP,
        help="weight of neutrality in CWEx, 0 to 1",
        levels=Levels(
            "alpha", "CWEx's weight of neutrality", (0, 0.1, 0.25, 0.5, 0.75, 0.9, 1), (0.25, 0.5, 0.75), place=8
        ),
    )
    position_bias: str = choice(
        "log2", label="position bias", reads=("bias",), group=TOP,
        check=lambda value: value == "custom" or parse_position_bias(value),
        help="in the grammar of fairviz.measures.position_bias, or `custom` with its weights in custom_bias",
        option="--position-bias", metavar="BIAS", option_help="log2, reciprocal, rbp(p=0.8), linear, uniform, or a "
        "file with the columns rank and weight (default: %(default)s)",
        levels=Levels("the position bias", "attention by rank", study_values.bias_levels, place=7),
    )
    custom_bias: tuple[float, ...] = choice(
        (), part_of="position_bias", reads=("bias",), check=setting_types.check_custom_bias, group=TOP
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
        option_help="words and their group (default: the study's own, else the built-in one)",
        levels=Levels("the word list", "which words count", study_values.lexicon_levels, place=2),
    )
    tau: int = choice(
        1, label="tau", reads=("text",), least=0, help="gender words a neutral document may hold",
        group=WORDS, control="τ: gender words a neutral document may hold",
        levels=Levels("tau", "gender words a neutral document may hold", (0, 1, 2, 3, 5), (0, 1, 2), place=1),
    )
    background: str = choice(
        "candidates", label="background", reads=("text", "collection"), check=setting_types.check_background,
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
        (), label="columns", reads=("columns", "tests"), check=setting_types.check_columns, group=TOP,
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
        (), label="also tested", reads=("tests",), values=study_values.outsiders, group=TESTS, control="Also test",
        help="systems that join the families although they are references, edited or uploaded",
        option="--tested", metavar="NAME", option_help="a reference, an edited list or an uploaded run that joins the "
        "tests; may be given several times",
    )
    embedding: str = choice(
        "glove", label="embedding", reads=("gsr",), check=setting_types.check_embedding,
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
        option_help="GSR's stop list, a word a line (default: scikit-learn's English ones; gendered ones "
        "count)",
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
        (), label="word lists", check=setting_types.check_word_lists,
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
        for record in CHOICES.values():
            object.__setattr__(self, record.name, typed(record.name, getattr(self, record.name), record.default))
        for record in CHOICES.values():
            record.refuse_invalid(getattr(self, record.name))

    def changed(self, **choices: object) -> "Settings":
        """A copy with these fields replaced; raises FairvizError where a value is out of its range or its type."""
        refuse_unknown(choices, Settings)
        return replace(self, **choices)  # type: ignore[arg-type]

    def reset(self, *names: str) -> "Settings":
        """Return a copy with these fields at their defaults."""
        return self.changed(**{name: CHOICES[name].default for name in names})


CHOICES: dict[str, Choice] = choices_of(Settings)
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
            query[name] = [str(item) for item in _listed(value)]
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
            reason = error.message if isinstance(error, FairvizError) else "not a number"
            remedy = error.remedy if isinstance(error, FairvizError) else CHOICES[name].range_text
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
