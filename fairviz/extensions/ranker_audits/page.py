"""The record of the page Audit; see `fairviz.ui.state.registry`."""

from fairviz.ui.state.registry import STUDY_OWNER, JobKind, Page, PageChoice


def _draw() -> None:
    from fairviz.extensions.ranker_audits.ui.page import draw

    draw()


AUDIT = Page(
    name="audit",
    title="Audit",
    section="Rankers",
    question="Which group's document does a ranker put first?",
    manual="how-to/audits",
    choices=(
        PageChoice("audit_view"), PageChoice("audit_part"),
        PageChoice("audit_rankers", "bm25,bi_encoder", "rankers"),
        PageChoice("audit_source", "auto", "pairs"),
        PageChoice("audit_queries", 0, "queries"),
        PageChoice("audit_lists", False, "lists too"),
        PageChoice("audit_judged", label="pairs shown"),
        PageChoice("audit_by", label="by"),
        PageChoice("audit_ranker", label="ranker"),
        PageChoice("audit_pair"),
        PageChoice("audit_list_ranker"), PageChoice("audit_list_query"),
        PageChoice("audit_list_column", "", "lists by"),
        PageChoice("audit_candidates", "auto", "candidates"),
        PageChoice("audit_template", "By {name}. {text}", "version"),
        PageChoice("audit_names", "", "names"),
    ),
    jobs={"audit": JobKind("Audit of rankers", STUDY_OWNER)},
    draw=_draw,
)  # fmt: skip
