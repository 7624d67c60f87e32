"""The pages of the app, and every choice of a page: its key, its default, and its name on a chip.

To add a page: its file in `pages/`, and a line in PAGES, from which menus, addresses and links to the manual are made.
See `choices` for the use of choices.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from fairviz.analyses import ANALYSES, Analysis
from fairviz.analyses.reading.filters import Filters
from fairviz.analyses.sensitivity.levels import CHOICES as VARIED
from fairviz.installed import Registry, owner_of, record_fault
from fairviz.parameters import Parameter, format_value
from fairviz.study.record import Study

V = TypeVar("V")
ANY, STUDY_OWNER, SERVER_OWNER = "whoever may open the study", "an owner of the study", "an owner of the server"
FIRST = None  # the default is the first option of the page
Value = str | bool | int | list[str]


@dataclass(frozen=True)
class PageChoice:
    """One choice of a page.

    key: in the session and in the address. default: its type is that of the value in the address; FIRST for text whose
    default is the first option of the page. label: the name on a chip, empty for none. allowed: the valid texts, if
    they do not depend on the study. least: the smallest valid number. stated: whether the address contains it at its
    default too, which depends on the data, so that a link asks the same question after they have changed.
    """

    key: str
    default: Value | None = FIRST
    label: str = ""
    allowed: tuple[str, ...] = ()
    least: int = 0
    stated: bool = False


@dataclass(frozen=True)
class JobKind:
    """A kind of jobs. title: with {} for the second part of the key, the name of a study or an analysis. who: may start
    it on a server, and does so beside whoever owns more. reads_models: whether a demo refuses it."""

    title: str
    who: str = SERVER_OWNER
    reads_models: bool = True


@dataclass(frozen=True)
class Page:
    """A page of the app.

    name: its address, and its file in `pages/` without ending. title: in the menus. section: its menu. manual: its page
    of the manual, without ending. choices: the choices that are its own. reads: the names of shared ones. draw,
    question: what draws a page without a file, and its heading, which a file has as its docstring. analysis: the record
    from which a page is made. jobs: the kinds of its long work, by the first part of a job's key. part_of: the page
    that has this one as a view for the studies that it `fits`, in place of an entry in the menus; where that page is
    missing, it is a page of its own. offered: whether the menus have it, for this visitor. package: that of others from
    which it comes, with its version, set when it is loaded.
    """

    name: str
    title: str
    section: str = ""
    manual: str = "index"
    choices: tuple[PageChoice, ...] = ()
    reads: tuple[str, ...] = ()
    draw: Callable[[], None] | None = None
    question: str = ""
    analysis: Analysis | None = None
    jobs: Mapping[str, JobKind] = field(default_factory=dict)
    part_of: str = ""
    fits: Callable[[Study], bool] = lambda study: True
    offered: Callable[[], bool] = lambda: True
    package: str = ""


def adopt(page: Page) -> Page:
    """Return the record of a package. Raises ValueError, with the reason, for a record that cannot be used."""
    if not isinstance(page.name, str) or not re.fullmatch(r"[a-z][a-z0-9_-]*", page.name):
        raise ValueError(f"its name is {page.name!r}, and not lower-case letters, digits, underscores and hyphens")
    if page.draw is None or not page.title or not page.question:
        raise ValueError("it lacks one of title, question and draw")
    if strange := [choice.key for choice in page.choices if not choice.key.startswith(f"{page.name}_")]:
        raise ValueError(f"the key of its choice {strange[0]!r} does not begin with {page.name}_")
    return page


def analysis_key(analysis: Analysis, parameter: Parameter) -> str:
    """Return the key of a parameter's control on the page that is made from the analysis's record."""
    return f"{analysis.name}_{parameter.name}"


def _choice_of(analysis: Analysis, parameter: Parameter) -> PageChoice:
    """Return the choice of a parameter; a number that is not whole is a text, so that any can be typed."""
    default = "" if parameter.default is None else parameter.default
    default = format_value(default) if parameter.kind == "number" else default
    least = max(int(parameter.low), 0) if parameter.kind == "integer" else 0
    return PageChoice(analysis_key(analysis, parameter), default, parameter.name.replace("_", " "), least=least)


_PAGES = (
    Page("overview", "Overview", "Results", "tutorials/first-look", choices=(
        PageChoice("overview_intervals", False, "intervals"),
        PageChoice("overview_groups", False, "groups"),
        PageChoice("overview_ranks", False, "ranks"),
        PageChoice("overview_checks"),
    )),
    Page("tradeoff", "Trade-off", "Results", "tutorials/first-look", reads=("pair",), choices=(
        PageChoice("tradeoff_groups", False, "groups"),
        PageChoice("tradeoff_ranks", False, "ranks"),
        PageChoice("tradeoff_y", label="up"),
        PageChoice("tradeoff_x", label="across"),
        PageChoice("tradeoff_front", False, "best achievable"),
        PageChoice("tradeoff_per_query", False, "each query"),
        PageChoice("tradeoff_tab"),
        PageChoice("tradeoff_curve", label="curve"),
        PageChoice("tradeoff_baseline", "", "baseline"),
        PageChoice("tradeoff_measures", [], "curves of"),
        PageChoice("tradeoff_wide", "", "wide"),
    )),
    Page("compare", "Two systems", "Compare", "explanation/paired-comparisons", reads=("pair",), choices=(
        PageChoice("compare_slice", "", "apart by"),
        PageChoice("compare_margin", "0.02", "margin"),
        PageChoice("compare_power", "0.8", "power"),
        PageChoice("compare_tab"),
        PageChoice("compare_worst"),
    )),
    Page("measures", "Measures", "Compare", "tutorials/why-measures-disagree", reads=("compare", "pair"), choices=(
        PageChoice("compare_atlas", label="measures by"),
        PageChoice("compare_curves", [], "curves of"),
    )),
    Page("query", "Query", "Compare", "explanation/paired-comparisons", reads=("pair",), choices=(
        PageChoice("query_order", label="queries"),
        PageChoice("query_other"),
        PageChoice("query_lists", [], "lists"),
        PageChoice("query_excerpts", False, "excerpts"),
        PageChoice("query_part"),
        PageChoice("query_over"),
    )),
    Page("what_if", "What-if", "Compare", "how-to/mitigations", choices=(
        PageChoice("laboratory_edits", []),
        PageChoice("laboratory_rows", label="rows"),
        PageChoice("laboratory_measure", label="reach"),
        PageChoice("laboratory_loss", "0.05", "loss"),
    )),
    Page("sensitivity", "Sensitivity", "Robustness", "explanation/results", reads=("pair",), choices=(
        PageChoice("robustness_measures", [], "by", stated=True),
        PageChoice("robustness_choices", [], "varied", stated=True),
        PageChoice("robustness_up"), PageChoice("robustness_across"),
        *(PageChoice(f"robustness_{name}", [], f"levels of {name}", stated=True) for name in VARIED),
    )),
    Page("board", "Class board", "Robustness", "how-to/class-board", reads=("pair",), choices=(
        PageChoice("board_annotators", False, "annotators"),
    )),
    Page("gender_swap", "Gender swap", "Robustness", "explanation/results", choices=(
        PageChoice("counterfactual_ranker", "bm25", "ranker"),
        PageChoice("counterfactual_substitute", "both", "swapped"),
        PageChoice("counterfactual_seeds", 3, "placebos", least=1),
        *(PageChoice(f"counterfactual_{name}", "", name) for name in ("words", "names")),
        PageChoice("counterfactual_system"),
        PageChoice("counterfactual_placebo", label="against"),
    )),
    Page("read", "Read", "Labels", "tutorials/label-audit", reads=("pair",), choices=(
        *(PageChoice(f"inspect_{name}", usual, least=int(name == "first_rank"))
          for name, usual in vars(Filters()).items()),
        PageChoice("inspect_question"),
        PageChoice("inspect_source"),
        PageChoice("inspect_shade", False),
        PageChoice("inspect_standing"),
        PageChoice("inspect_neighbours"),
    )),
    Page("agreement", "Agreement", "Labels", "how-to/several-annotators", choices=(
        PageChoice("agreement_reference", "", "compare with"),
        PageChoice("agreement_labels", label="labels"),
        PageChoice("agreement_by", "", "split by"),
        PageChoice("agreement_empty", "", "left out without"),
        PageChoice("agreement_tab"),
        PageChoice("agreement_draw", label="intervals draw"),
        PageChoice("agreement_coefficient", label="coefficient"),
        PageChoice("agreement_one", label="annotator"),
        PageChoice("agreement_confusion", label="confusion of"),
        PageChoice("agreement_estimated", label="estimated for"),
        PageChoice("agreement_group_column", label="groups by"), PageChoice("agreement_group_measure", label="measure"),
    )),
    Page("annotate", "Annotate", "Labels", "how-to/language-models", choices=(
        PageChoice("annotators_reference", label="compare with"),
        PageChoice("annotators_view"), PageChoice("annotators_by", label="by"), PageChoice("annotators_one"),
        PageChoice("annotators_shared", False, "the same documents"),
        PageChoice("annotators_apart"), PageChoice("annotators_who", [], "disagreement of"),
        PageChoice("annotators_new", label="replacing"), PageChoice("annotators_old", label="replaced"),
        PageChoice("annotators_order"), PageChoice("annotators_sure"), PageChoice("annotators_threshold", 80),
        PageChoice("annotators_corrected_measure"), PageChoice("annotators_corrected_system"),
        PageChoice("annotators_measure", label="measure"), PageChoice("annotators_fill", False, "filled"),
        PageChoice("annotators_epsilon", "skilled", "people are"),
    )),
    Page("gsr", "GSR", "Stereotypes", "explanation/what-is-measured", choices=(
        PageChoice("stereotypes_variant", ""),
        PageChoice("stereotypes_question"),
        PageChoice("stereotypes_second"),
        PageChoice("stereotypes_direct_system"),
        PageChoice("stereotypes_wide", "", "wide"),
    )),
    Page("words", "Words", "Stereotypes", "how-to/words-and-groups", choices=(
        PageChoice("words_neighbour", label="neighbours of"),
    )),
    Page("mitigations", "Mitigations", "Rankers", "how-to/mitigations", reads=("audit_bench",),
         jobs={"mitigations": JobKind("Comparison of mitigations", STUDY_OWNER)}),
    Page("data", "Data", "", "tutorials/own-runs", choices=(PageChoice("data_tab"),)),
    Page("methods", "Methods", "", "reference/index", choices=(
        PageChoice("methods_tab"), PageChoice("methods_measure", ""),
    )),
)  # fmt: skip
SHARED = {  # choices of several pages, or of a part of one, by the name in its `reads`
    "shared": (
        PageChoice("pin", ""),
        PageChoice("chance", "study", "chance", allowed=("study", "run", "judged", "none")),
    ),
    "pair": (PageChoice("baseline", label="against"), PageChoice("measure", label="measure")),  # see `pair`
    "audit_bench": (
        PageChoice("audit_bench_mitigations", "", "mitigations"),
        PageChoice("audit_bench_measures", [], "fairness by"),
        PageChoice("audit_bench_share", "0.5", "held out"),
        PageChoice("audit_bench_up", label="up"),
        PageChoice("audit_bench_across", label="across"),
    ),
}  # fmt: skip
_OWN = {page.name: page for page in _PAGES}
for _analysis in ANALYSES.values():
    if _analysis.name in _OWN:
        record_fault("fairviz.analyses", f"{owner_of(_analysis)} has no page: the name is in use by fairviz.")
    elif not _analysis.page:
        _parameters = [each for each in _analysis.parameters if each.name not in _analysis.files]
        _OWN[_analysis.name] = Page(
            _analysis.name, _analysis.title, "Robustness", _analysis.manual or "index",
            tuple(_choice_of(_analysis, parameter) for parameter in _parameters), analysis=_analysis,
        )  # fmt: skip
PAGES: Registry[Page] = Registry("fairviz.pages", Page, _OWN, adopt)
FORMER = {  # names in older links, each with the present one
    **dict.fromkeys(("compare_system", "robustness_system", "inspect_first"), "system"),
    **dict.fromkeys(("compare_baseline", "robustness_baseline", "query_beside", "inspect_second"), "baseline"),
    "tradeoff_against": "baseline",
    **dict.fromkeys(("compare_measure", "query_measure", "inspect_measure"), "measure"),
}


class Late(Mapping[str, V]):
    """A mapping that is computed when it is first read: pages of packages import the modules that import this one."""

    def __init__(self, compute: Callable[[], dict[str, V]]) -> None:
        self._compute = compute

    @cached_property
    def computed(self) -> dict[str, V]:
        return self._compute()

    def __getitem__(self, name: str) -> V:
        return self.computed[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.computed)

    def __len__(self) -> int:
        return len(self.computed)


def parts_of(name: str) -> tuple[Page, ...]:
    """Return the pages that are views of this page."""
    return tuple(page for page in PAGES.values() if name and page.part_of == name)


def in_menus() -> tuple[Page, ...]:
    """Return the pages that the menus can have: all that are no view of another page."""
    return tuple(page for page in PAGES.values() if page.part_of not in PAGES)


REGISTRY = Late(lambda: SHARED | {name: page.choices for name, page in PAGES.items()})
CHOICES = Late(lambda: {choice.key: choice for choices in REGISTRY.values() for choice in choices})


def keys_of(page: str) -> set[str]:
    """Return the keys of the choices that this page reads, which its address may contain; without a page all."""
    parts = (part.name for part in parts_of(page))
    groups = ("shared", page, *(PAGES[page].reads if page in PAGES else ()), *parts) if page else REGISTRY
    return {choice.key for group in groups for choice in REGISTRY.get(group, ())}
