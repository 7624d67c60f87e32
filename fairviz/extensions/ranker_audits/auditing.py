"""`fairviz.audit`: rankers by name, the plan by its fields, and the audit of each kind."""

from collections.abc import Mapping, Sequence

from fairviz.errors import UsageError, expect, expect_progress, value_text
from fairviz.evaluation.questions import chosen_settings
from fairviz.evaluation.settings import Settings
from fairviz.extensions.ranker_audits.analysis import AUDITS
from fairviz.extensions.ranker_audits.attribution import (
    ANCHOR,
    AttributionAudit,
    audit_attribution,
    estimates_attribution,
)
from fairviz.extensions.ranker_audits.attribution_plan import AUTO, TEMPLATE, AttributionPlan
from fairviz.extensions.ranker_audits.author_names import GENDERS, names_of, packaged_names
from fairviz.extensions.ranker_audits.declared import AUDIT, AUDIT_LISTS
from fairviz.extensions.ranker_audits.judging import Progress, texts_of_pairs
from fairviz.extensions.ranker_audits.list_plan import ListwisePlan
from fairviz.extensions.ranker_audits.listwise import ListwiseAudit, audit_listwise, estimates_listwise
from fairviz.extensions.ranker_audits.pairs import PairwisePlan, pairs_of
from fairviz.extensions.ranker_audits.pairwise import PairwiseAudit, audit_pairwise
from fairviz.extensions.ranker_audits.rankers.listwise import STEP, WINDOW
from fairviz.extensions.ranker_audits.rankers.pairwise import NAME as ASKED
from fairviz.extensions.ranker_audits.rankers.pairwise import questions
from fairviz.models.asking import Estimate, estimate
from fairviz.parameters import check_parameters
from fairviz.rankers import RANKERS, text_of
from fairviz.rankers.adopted import ScorePairs
from fairviz.rankers.grammar import RankerChoice, parse_choices
from fairviz.study.record import A_STUDY, Study

PAIRWISE, LISTWISE, ATTRIBUTION = "pairwise", "listwise", "attribution"
_OF_PLANS: dict[type, tuple[str, tuple[str, ...]]] = {  # the kind, and the fields of this plan alone
    PairwisePlan: (PAIRWISE, ("source", "per_query", "neutral")),
    ListwisePlan: (LISTWISE, ("window", "step", "per_list")),
    AttributionPlan: (ATTRIBUTION, ("candidates", "per_query", "template")),
}


def audit(
    study: Study,
    rankers: str | Mapping[str, ScorePairs] = "bm25,bi_encoder",
    *,
    kind: str = PAIRWISE,
    source: str = "auto",
    per_query: int = AUDIT["per_query"].default,
    queries: int = 0,
    neutral: bool = True,
    annotator: str = "",
    anchor: bool = True,
    window: int = WINDOW,
    step: int = STEP,
    per_list: int = AUDIT_LISTS["per_list"].default,
    names: Mapping[str, Sequence[str]] | None = None,
    candidates: str = AUTO,
    template: str = TEMPLATE,
    seed: int = 0,
    most_requests: int = 0,
    embedding: str = "",
    progress: Progress | None = None,
    voters: Sequence[str] = (),
) -> PairwiseAudit | ListwiseAudit | AttributionAudit:
    """Measure the group whose documents rankers prefer, and the integrity of their answers.

    In pairs or in lists (Wang et al. 2024); or the gender whose name they prefer as the author of a document.

    Parameters
    ----------
    study : Study
        With queries, documents and labels.
    rankers : str or mapping
        As `fairviz rank --with` takes them, or functions by name, {'mine': score}, of a query and texts to a score
        each. llm(model='…') is a language model, which gets pairs or lists.
    kind : {'pairwise', 'listwise', 'attribution'}
        The question: pairs, lists, or authors' names.
    source, per_query, neutral, most_requests
        Of pairs: see `fairviz.extensions.ranker_audits.pairs.PairwisePlan`.
    queries : int
        Only this many first queries; 0 for all.
    annotator : str
        Whose labels count; empty for the study's default.
    anchor : bool
        Whether BM25, which does not distinguish most wordings of a text, is audited as well.
    window, step, per_list
        Of lists: see `fairviz.extensions.ranker_audits.list_plan.ListwisePlan`.
    names, candidates, template
        Of authors' names ({'female': […], 'male': […]}, None for the packaged ones): see
        `fairviz.extensions.ranker_audits.attribution_plan.AttributionPlan`.
    seed : int
        Of the drawn pairs.
    embedding : str
        Word vectors for rankers that take some, if theirs are not named.
    progress : callable, optional
        Called with what is done, and the numbers done and in all.
    voters : sequence of str
        Whose labels vote, where a consensus counts: names or one of `people`, `all but rules` and `all`.

    Returns
    -------
    PairwiseAudit, ListwiseAudit or AttributionAudit
        By kind, with the answers and their table.

    Raises
    ------
    FairvizError
        If the study lacks what pairs, lists, versions or a ranker need.

    Examples
    --------
    >>> import fairviz
    >>> table = fairviz.audit(fairviz.open_study("football"), "bm25").table
    >>> table[["group", "other", "pairs"]].head(1).values.tolist()
    [['female', 'male', 5]]
    """
    expect("study", study, Study, A_STUDY)
    expect("embedding", embedding, str, "Use the name of word vectors, or the path of a file of them.")
    choices = rankers_of(rankers, kind, anchor=anchor, embedding=embedding)
    voters = chosen_settings(study, None, {"voters": voters}).voters
    plan = PairwisePlan(source, per_query, queries, neutral, annotator, seed, most_requests, voters)
    authors = packaged_names()
    if names is not None:
        remedy = "Give names by gender, as {'female': ['Mary', 'Linda'], 'male': ['James', 'John']}."
        expect("names", names, Mapping, remedy)
        rows = []
        for gender, each in names.items():
            if gender not in GENDERS or not isinstance(each, Sequence) or isinstance(each, str | bytes):
                raise UsageError(f"names holds {value_text(gender)}: {value_text(each)}", remedy)
            rows += [(gender, name if isinstance(name, str) else "") for name in each]
        authors = names_of(rows)
    versions = AttributionPlan(
        candidates, per_query, queries, authors, template, annotator, seed, most_requests, voters
    )
    check_parameters({"window": window, "step": step, "per_list": per_list}, AUDIT_LISTS)
    expect_progress(progress)
    if kind == PAIRWISE:
        return audit_pairwise(study, choices, plan, progress)
    if kind == ATTRIBUTION:
        return audit_attribution(study, choices, versions, progress)
    lists = ListwisePlan(
        window, step, per_list, seed, queries=queries or None, annotator=annotator, most_requests=most_requests,
        voters=voters,
    )  # fmt: skip
    return audit_listwise(study, choices, lists, progress)


def keywords_of(plan: PairwisePlan | ListwisePlan | AttributionPlan, embedding: str = "") -> dict[str, object]:
    """Return the keywords of `audit` for this plan, for recipes. embedding: of the settings."""
    kind, own_names = _OF_PLANS[type(plan)]
    values = {name: getattr(plan, name) for name in ("queries", "annotator", "seed", *own_names)}
    values |= {"kind": kind, "queries": plan.queries or 0}
    values |= {"embedding": embedding} if embedding != Settings.embedding else {}
    if isinstance(plan, AttributionPlan):
        is_packaged = plan.names == packaged_names()
        values["names"] = None if is_packaged else {"female": plan.names.female, "male": plan.names.male}
    return values


def rankers_of(
    text: object, kind: object = PAIRWISE, *, anchor: object = True, embedding: str = ""
) -> tuple[RankerChoice, ...]:
    """Return the rankers that the text names, `llm` for the language model of this kind; the anchor before them where
    it is wanted and not named. embedding: word vectors for those that take some. Raises UsageError."""
    text = text_of(text)
    expect("kind", kind, str, f"Use one of {', '.join(AUDITS)}.")
    expect("anchor", anchor, bool, "Use True or False.")
    if kind not in AUDITS:
        raise UsageError(f"kind is {kind!r}", f"Use one of {', '.join(AUDITS)}.")
    defaults = {"embedding": embedding} if embedding else {}
    model = RANKERS["llm_listwise" if kind == LISTWISE else ASKED]
    choices = parse_choices(text, {**RANKERS, "llm": model}, defaults)
    if anchor and ANCHOR not in [choice.ranker.name for choice in choices]:
        return (*parse_choices(ANCHOR, RANKERS, {}), *choices)
    return choices


def estimates(
    study: Study, choices: Sequence[RankerChoice], plan: PairwisePlan | ListwisePlan | AttributionPlan
) -> dict[str, Estimate]:
    """Return the requests to language models that this plan needs, by system, without sending any. Raises: see
    `audit`."""
    if isinstance(plan, ListwisePlan):
        return estimates_listwise(study, choices, plan)
    if isinstance(plan, AttributionPlan):
        return estimates_attribution(study, choices, plan)
    language_models = [choice for choice in choices if choice.ranker.name == ASKED]
    texts = texts_of_pairs(study, pairs_of(study, plan).table) if language_models else []
    return {choice.system: estimate(*questions(texts, choice.parameters)) for choice in language_models}
