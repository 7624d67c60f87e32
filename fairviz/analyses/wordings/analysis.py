"""The record of the analysis `wordings`; see `fairviz.analyses.record`."""

from typing import TYPE_CHECKING

from fairviz.analyses.record import Analysis, Drawing, Progress, Table
from fairviz.analyses.wordings import REMEDY

if TYPE_CHECKING:
    from fairviz.analyses.wordings.answer import Wordings
    from fairviz.evaluation.settings import Settings
    from fairviz.figures.style import Theme
    from fairviz.study.record import Study

SOURCE = "Ratz, Schedl, Kopeinik and Rekabsaz, ECIR 2024"
DETAILS = (
    "The queries have the columns variant (N, P or CP) and base, one name for the three wordings: neutral (famous "
    "engineers), prototypical (famous male engineers) and counter-prototypical (famous female engineers). Neither "
    f"labels nor gender words are read. The measures are those of ComSRB ({SOURCE}).",
    "A document of N's list within k counts for P if it is within k of P's list, and for CP likewise. RaB: the share "
    "of N's list that counts for P, less that for CP. ARaB: the mean of this difference over all beginnings of N's "
    "list. nDRaB: the same shares weighted by 1 / log2(rank + 1). All are from −1 (as CP) to 1 (as P); 0 is even. RaB "
    "and ARaB here are not the measures of gender words with these names.",
    "p is of a one-sample t test of mean 0 over the bases; d is Cohen's, the mean in standard deviations. p_corrected "
    "is Holm's over the systems, for each measure; intervals are of one system, uncorrected.",
)


def _lacks(study: "Study") -> tuple[str, str]:
    missing = [name for name in ("variant", "base") if name not in study.queries]
    return (f"the queries of {study.name} have no column {missing[0]}", REMEDY) if missing else ("", "")


def _compute(study: "Study", settings: "Settings", progress: Progress) -> "Wordings":
    from fairviz.analyses.wordings.answer import wordings

    progress("comparing lists", 0, 1)
    answer = wordings(study, settings)
    progress("comparing lists", 1, 1)
    return answer


def _means(answer: "Wordings", theme: "Theme") -> Drawing:
    from fairviz.analyses.wordings.answer import MEASURES
    from fairviz.figures import crbo

    columns = ["system", "measure", "mean", "ci_low", "ci_high"]
    title = f"Which wording's list the neutral one resembles, top {answer.cutoff}"
    axis = "counter-prototypical ← 0 → prototypical, mean over bases, 95 % interval"
    overlaps = crbo.info(
        answer.systems, title, axis, MEASURES, columns, even=0.0, nothing="No base has a list for each wording."
    )
    return Drawing(crbo.draw(overlaps, theme), overlaps.alt)


WORDINGS = Analysis(
    name="wordings",
    title="Wordings",
    question="Does the neutral wording of a query get the list of its stereotype?",
    summary="compare the list of a neutral query with those of its gendered wordings (ComSRB)",
    compute=_compute,
    tables={
        "systems": Table(
            lambda answer: answer.systems, "a row a system and measure: mean over bases, interval, t test, Cohen's d"
        ),
        "bases": Table(
            lambda answer: answer.bases,
            "a row a system and base: shares of N's list that count for P and for CP, and the measures",
        ),
        "lists": Table(
            lambda answer: answer.lists,
            "N's list of each system and base, rank by rank: whether the document is in P's list, and in CP's",
            opens="document",
        ),
    },
    sentences=lambda answer: answer.sentences,
    needs={"runs": "", "queries": ""},
    lacks=_lacks,
    reads=("systems", "cutoff", "ties", "filter_column", "filter_values"),
    figures={"Overlap with either wording": _means},
    notes=lambda answer: answer.notes,
    details=DETAILS,
    example="wordings wordings",
    manual="explanation/wordings",
    quick=True,
    aliases=("comsrb",),
)
