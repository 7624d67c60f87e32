"""`fairviz.audit`: rankers by name, the plan by its fields, and the audit of either kind."""

from collections.abc import Mapping, Sequence
from numbers import Integral

from fairviz.analyses.audit.judging import Progress, texts_of_pairs
from fairviz.analyses.audit.list_plan import PER_LIST, ListwisePlan
from fairviz.analyses.audit.listwise import ListwiseAudit, audit_listwise, estimates_listwise
from fairviz.analyses.audit.pairs import PairwisePlan, pairs_of
from fairviz.analyses.audit.pairwise import PairwiseAudit, audit_pairwise
from fairviz.errors import UsageError, expect, expect_progress
from fairviz.models.asking import Estimate, estimate
from fairviz.rankers import RANKERS, text_of
from fairviz.rankers.adopted import ScorePairs
from fairviz.rankers.grammar import Choice, parse_choices
from fairviz.rankers.llm_pairwise import NAME as ASKED
from fairviz.rankers.pairwise_asking import questions
from fairviz.rankers.windows import STEP, WINDOW
from fairviz.study.record import A_STUDY, Study

PAIRWISE, LISTWISE = "pairwise", "listwise"
KINDS = (PAIRWISE, LISTWISE)
ANCHOR = "bm25"


def audit(
    study: Study,
    rankers: str | Mapping[str, ScorePairs] = "bm25,bi_encoder",
    *,
    kind: str = PAIRWISE,
    source: str = "auto",
    per_query: int = 5,
    queries: int = 0,
    neutral: bool = True,
    annotator: str = "",
    anchor: bool = True,
    window: int = WINDOW,
    step: int = STEP,
    per_list: int = PER_LIST,
    seed: int = 0,
    most_requests: int = 0,
    embedding: str = "",
    progress: Progress | None = None,
) -> PairwiseAudit | ListwiseAudit:
    """Measure the group whose documents rankers prefer, in pairs or in lists (Wang et al. 2024), and the integrity of
    their answers.

    rankers: as `fairviz rank --with` takes them, or functions by name, {'mine': score}, of a query and texts to scores;
    llm(model='…') is a language model, which gets pairs or lists, by kind. anchor: whether BM25, which does not
    distinguish most wordings of a text, is audited as well. embedding: word vectors for rankers that take some, where
    theirs are not named. Pairwise: source, per_query, queries, neutral,
    annotator, most_requests, see `fairviz.analyses.audit.pairs.PairwisePlan`. Listwise: window, step, per_list,
    queries, annotator, see `fairviz.analyses.audit.list_plan.ListwisePlan`. progress(what, done, in all). Raises
    FairvizError where the study lacks what pairs, lists or a ranker need.
    """
    expect("study", study, Study, A_STUDY)
    expect("embedding", embedding, str, "Use the name of word vectors, or the path of a file of them.")
    choices = rankers_of(rankers, kind, anchor=anchor, embedding=embedding)
    plan = PairwisePlan(source, per_query, queries, neutral, annotator, seed, most_requests)
    for name, value in (("window", window), ("step", step), ("per_list", per_list)):
        expect(name, value, Integral, "Use a whole number.")
    expect_progress(progress)
    if kind == PAIRWISE:
        return audit_pairwise(study, choices, plan, progress)
    lists = ListwisePlan(
        window, step, per_list, seed, queries=queries or None, annotator=annotator, most_requests=most_requests
    )
    return audit_listwise(study, choices, lists, progress)


def rankers_of(
    text: object, kind: object = PAIRWISE, *, anchor: object = True, embedding: str = ""
) -> tuple[Choice, ...]:
    """Return the rankers that the text names, `llm` for the language model of this kind; the anchor before them where
    it is wanted and not named. embedding: word vectors for those that take some. Raises UsageError."""
    text = text_of(text)
    expect("kind", kind, str, f"Use {' or '.join(KINDS)}.")
    expect("anchor", anchor, bool, "Use True or False.")
    if kind not in KINDS:
        raise UsageError(f"kind is {kind!r}", f"Use {' or '.join(KINDS)}.")
    defaults = {"embedding": embedding} if embedding else {}
    choices = parse_choices(text, {**RANKERS, "llm": RANKERS[f"llm_{kind}"]}, defaults)
    if anchor and ANCHOR not in [choice.ranker.name for choice in choices]:
        return (*parse_choices(ANCHOR, RANKERS, {}), *choices)
    return choices


def estimates(study: Study, choices: Sequence[Choice], plan: PairwisePlan | ListwisePlan) -> dict[str, Estimate]:
    """Return the requests to language models that this plan needs, by system, without sending any. Raises: see
    `audit`."""
    if isinstance(plan, ListwisePlan):
        return estimates_listwise(study, choices, plan)
    language_models = [choice for choice in choices if choice.ranker.name == ASKED]
    texts = texts_of_pairs(study, pairs_of(study, plan).table) if language_models else []
    return {choice.system: estimate(*questions(texts, choice.parameters)) for choice in language_models}
