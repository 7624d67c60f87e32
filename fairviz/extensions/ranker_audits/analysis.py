"""The records of the three audits: of pairs, of lists and of authors' names; see `fairviz.analyses.record`.

Their parameters are rankers and a plan. One verb and one page have all three, `audit`, of which they are kinds.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairviz.analyses.record import Analysis, Control, Origin, Progress, Table
from fairviz.evaluation.formats import to_table

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.analyses.views import View
    from fairviz.evaluation.settings import Settings
    from fairviz.extensions.ranker_audits.attribution import AttributionAudit
    from fairviz.extensions.ranker_audits.listwise import ListwiseAudit
    from fairviz.extensions.ranker_audits.pairwise import PairwiseAudit
    from fairviz.study.record import Study

BY = ""  # the place of the column by which rows are divided
SHARES = ("system", BY, "kind", "judged", "group", "other", "preferred", "preferred_low", "preferred_high", "ratio",
         "ratio_low", "ratio_high", "p_shares_corrected", "queries_first", "queries_other", "first", "first_low",
         "first_high", "other_first", "other_first_low", "other_first_high", "tied", "gap", "gap_low", "gap_high",
         "size", "unit", "p_gap_corrected", "queries", "pairs", "family")  # fmt: skip
EXPOSURE = ("value", "system", "attribute", "window", "step", "queries", "preferred", "preferred_low",
            "preferred_high", "p_shares_corrected", "queries_first", "queries_other", "family", "P@10", "P@20",
            "ratio", "ratio_low", "ratio_high", "ratio_of_means", "ratio_of_means_low", "ratio_of_means_high",
            "rank_gap", "rank_gap_low", "rank_gap_high", "ratio_shift", "ratio_shift_low",
            "ratio_shift_high")  # fmt: skip


def _integrity(table: "pd.DataFrame") -> str:
    return f"Integrity:\n{to_table(table.dropna(axis='columns', how='all'))}"


def _compute_pairs(study: "Study", _: "Settings", progress: Progress | None, **values: Any) -> "PairwiseAudit":
    from fairviz.extensions.ranker_audits.pairwise import audit_pairwise

    return audit_pairwise(study, values["rankers"], values["plan"], progress)


def _notes_of_pairs(audit: "PairwiseAudit") -> Sequence[str]:
    from fairviz.extensions.ranker_audits.pairwise import UNIT_IS_THE_QUERY, family_note

    families = [
        f"{kind}, {judged}: {family_note(part)}"
        for (kind, judged), part in audit.table.groupby(["kind", "judged"], sort=False)
    ]
    return *audit.messages, *audit.sentences, UNIT_IS_THE_QUERY, *families


def _compute_lists(study: "Study", _: "Settings", progress: Progress | None, **values: Any) -> "ListwiseAudit":
    from fairviz.extensions.ranker_audits.listwise import audit_listwise

    return audit_listwise(study, values["rankers"], values["plan"], progress)


def _said_of_lists(audit: "ListwiseAudit", _study: str) -> Iterator[str]:
    """Yield integrity; of rankers with scores alone without the columns of zeros, which are of models."""
    from pandas.api.types import is_numeric_dtype

    integrity = audit.integrity
    has_answers = (integrity["answers"] > 0).any()
    if not has_answers:
        zero = [each for each in integrity if is_numeric_dtype(integrity[each]) and bool((integrity[each] == 0).all())]
        integrity = integrity.drop(columns=zero)
    yield _integrity(integrity)
    if has_answers:
        yield (
            f"note: {audit.asked:,} questions sent now; in all {audit.tokens_in:,} tokens of prompts, "
            f"{audit.tokens_out:,} of answers, {audit.seconds:.1f} s of answering"
        )


def _answers_to_lists(audit: "ListwiseAudit") -> "pd.DataFrame":
    joined = {part: [" ".join(map(str, one or ())) for one in audit.answers[part]] for part in ("shown", "order")}
    return audit.answers.assign(**joined)


def _compute_names(study: "Study", _: "Settings", progress: Progress | None, **values: Any) -> "AttributionAudit":
    from fairviz.extensions.ranker_audits.attribution import audit_attribution

    return audit_attribution(study, values["rankers"], values["plan"], progress)


def _notes_of_names(audit: "AttributionAudit") -> Sequence[str]:
    from fairviz.extensions.ranker_audits.attribution import ERRORS_ARE_CLUSTERED, family_note

    return *audit.messages, *audit.sentences, ERRORS_ARE_CLUSTERED, family_note(audit.table)


def _origin_of_names(audit: "AttributionAudit", values: Mapping[str, Any]) -> Origin:
    plan = values["plan"]
    names = f"{len(plan.names.female)} female, {len(plan.names.male)} male"
    return Origin([
        ("kind", "attribution"), ("candidates", plan.candidates), ("template", plan.template), ("names", names),
        ("per query", plan.per_query), ("seed", plan.seed),
    ])  # fmt: skip


def _views_of_pairs(audit: "PairwiseAudit", chosen: Mapping[str, Any]) -> "Sequence[View]":
    from fairviz.extensions.ranker_audits.views import pairs_views

    return pairs_views(audit, chosen["kind"], chosen["judged"])


def _views_of_names(audit: "AttributionAudit", _: Mapping[str, Any]) -> "Sequence[View]":
    from fairviz.extensions.ranker_audits.views import names_views

    return names_views(audit)


def _sources(_study: "Study", _settings: "Settings") -> Sequence[str]:
    from fairviz.extensions.ranker_audits.pairs import SOURCES

    return SOURCES


def _candidates(study: "Study", _settings: "Settings") -> Sequence[str]:
    from fairviz.extensions.ranker_audits.attribution_plan import SOURCES

    return *SOURCES, *study.systems


_RANKERS = Control(
    "rankers", "calls", "audit_rankers", "Rankers", width=6,
    help="Parameters has the fields of each. BM25 is always audited too. llm(model='smollm2') is a demonstration.",
)  # fmt: skip
_QUERIES = Control(
    "queries", "number", "audit_queries", "Queries", width=2,
    help="0: all. A language model gets two questions a pair, so take few queries first.",
)  # fmt: skip
PAIRWISE = Analysis(
    name="pairwise",
    title="In pairs",
    question="Which group's document does a ranker put first?",
    summary="test which group's documents rankers prefer in pairs",
    compute=_compute_pairs,
    tables={
        "shares": Table(
            lambda audit: audit.table,
            "how often each group's document comes first, the ratio, and by how much (the default)",
            columns=SHARES, by=lambda audit, column: audit.by(column),
        ),
        "integrity": Table(
            lambda audit: audit.integrity,
            "shares of answers that are unparsed, missing, always the same place, the same in both orders",
        ),
        "pairs": Table(
            lambda audit: audit.preferences(), "a row a ranker and pair, with the winner in both orders"
        ),
        "answers": Table(lambda audit: audit.answers, "a row a ranker, pair and order, with the model's text"),
    },
    sentences=lambda audit: audit.sentences,
    notes=_notes_of_pairs,
    views=_views_of_pairs,
    controls=(
        _RANKERS,
        Control(
            "source", "select", "audit_source", "Pairs", width=4, offers=_sources, texts={
                "auto": "wordings, else drawn", "same text": "one text, several wordings", "drawn": "drawn by lot",
            },
            help="Drawn pairs are two documents of one query, one of each group, both relevant or both not. Texts in "
            "several wordings differ in gender alone; Grep-BiasIR has them.",
        ),
        _QUERIES,
        Control(
            "lists", "toggle", "audit_lists", "Lists too", width=2,
            help="Has the rankers order whole lists too, under neutral queries and under queries that name a gender.",
        ),
    ),
    said=lambda audit, _: [_integrity(audit.integrity)],
    origin=lambda audit, values: Origin([
        ("pairs", values["plan"].source), ("pairs a query", values["plan"].per_query), ("seed", values["plan"].seed),
    ]),
)  # fmt: skip
LISTWISE = Analysis(
    name="listwise",
    title="In lists",
    question="Which group's documents does a ranker put higher in a list?",
    summary="test which group's documents rankers prefer in lists",
    compute=_compute_lists,
    tables={
        "exposure": Table(
            lambda audit: audit.by_attribute(),
            "precision, group exposure ratio and ranks by the attribute that queries name (the default)",
            columns=EXPOSURE, by=lambda audit, column: audit.sliced(column),
        ),
        "windows": Table(
            lambda audit: audit.by_window(),
            "the same by window and step, of language models under neutral queries", columns=EXPOSURE,
        ),
        "integrity": Table(
            lambda audit: audit.integrity,
            "what answers came to: exact, repaired, unread, identity, and how far the first order shows through",
        ),
        "queries": Table(lambda audit: audit.values, "precision, ratio and ranks of each query"),
        "ranks": Table(lambda audit: audit.ranks, "the rank of each document of each list before and after"),
        "answers": Table(_answers_to_lists, "a row a window that was sent to a model, with the model's text"),
    },
    sentences=lambda audit: audit.sentences,
    notes=lambda audit: (*audit.messages, *audit.integrity_sentences, *audit.sentences),
    said=_said_of_lists,
    origin=lambda audit, values: Origin([
        ("kind", "listwise"), ("window", values["plan"].window), ("step", values["plan"].step),
        ("documents a list", values["plan"].per_list), ("seed", values["plan"].seed),
    ]),
)  # fmt: skip
ATTRIBUTION = Analysis(
    name="attribution",
    title="Authors' names",
    question="Does a ranker prefer a document by the gender of its author's name?",
    summary="test which gender's authors' names rankers prefer",
    compute=_compute_names,
    tables={
        "names": Table(
            lambda audit: audit.table,
            "preference, gap, size and places between genders, within them, and beyond the latter (the default)",
        ),
        "unnamed": Table(
            lambda audit: audit.unnamed, "what female, male and any names do to the document as it is"
        ),
        "integrity": Table(lambda audit: audit.integrity, "shares of unusable answers, as of a pairwise audit"),
        "versions": Table(
            lambda audit: audit.comparisons(), "a row a ranker and comparison of two versions, with the names"
        ),
        "answers": Table(
            lambda audit: audit.answers, "a row a ranker, comparison and order, with the model's text"
        ),
    },
    sentences=lambda audit: audit.sentences,
    notes=_notes_of_names,
    views=_views_of_names,
    controls=(
        _RANKERS,
        Control(
            "candidates", "select", "audit_candidates", "Documents", offers=_candidates,
            texts={"auto": "pairs, else relevant", "pairs": "of the pairs"},
            help="The documents whose versions are compared; of a run its top five.",
        ),
        _QUERIES,
        Control(
            "template", "text", "audit_template", "Version",
            help="The text of a version. It has {name} and {text}, each once.",
        ),
        Control("names", "own", "audit_names", "Names"),
    ),
    said=lambda audit, _: [_integrity(audit.integrity)],
    origin=_origin_of_names,
)  # fmt: skip
AUDITS = {record.name: record for record in (PAIRWISE, LISTWISE, ATTRIBUTION)}
