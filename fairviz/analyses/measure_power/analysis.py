"""The record of the analysis `measure-power`; see `fairviz.analyses.record`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fairviz.analyses.record import Analysis, Drawing, Progress, Table
from fairviz.parameters import Parameter

if TYPE_CHECKING:
    from fairviz.analyses.measure_power.answer import MeasurePower
    from fairviz.evaluation.settings import Settings
    from fairviz.figures.style import Theme
    from fairviz.study.record import Study

USUAL = "CWEx AbsExposureGap AWRF NFaiRR NFaiRR(of='labels') TExFAIR RaB nDCG"


def _compute(
    study: "Study", settings: "Settings", progress: Progress, *, measures: str, splits: int, seed: int
) -> "MeasurePower":
    from fairviz.analyses.measure_power.answer import measure_power

    return measure_power(study, settings, measures, splits, seed)


def _sentences(found: "MeasurePower") -> Sequence[str]:
    return found.sentences


def _curve(found: "MeasurePower", theme: "Theme") -> Drawing:
    from fairviz.figures import sorted_p

    curves = sorted_p.info(found.curve)
    return Drawing(sorted_p.draw(curves, theme), curves.alt)


MEASURE_POWER = Analysis(
    name="measure-power",
    title="Power of measures",
    question="Which measure tells systems apart, and which properties has it?",
    summary="how many pairs of systems each measure tells apart, and the properties of lists that it respects",
    compute=_compute,
    tables={
        "power": Table(
            lambda found: found.power,
            "a row a measure: significant pairs, corrected and each alone, the median smallest detectable difference, "
            "and Kendall's tau of the orders on two halves of the queries",
        ),
        "properties": Table(lambda found: found.wide, "a row a property, with ✓, ✗ and the smallest counterexample"),
        "counterexamples": Table(
            lambda found: found.properties, "a row a property and measure, with the values of the counterexample"
        ),
        "curve": Table(lambda found: found.curve, "a row a measure and pair of systems, by rising p"),
    },
    sentences=_sentences,
    parameters=(
        Parameter("measures", USUAL, "measures, with blanks between them"),
        Parameter("splits", 500, "the number of random halves of the queries", low=10, high=10_000, whole=True),
        Parameter("seed", 0, "of the halves", low=0, high=2**31 - 1, whole=True),
    ),
    needs={"runs": ""},
    reads=None,
    figures={"Pairs of systems by p": _curve},
    notes=lambda found: found.left_out,
    details=(
        "Discriminative power is the share of pairs of tested systems that differ significantly at .05, by the tests "
        "of the settings and, as `alone`, without a correction (Sakai: Evaluating evaluation metrics based on the "
        "bootstrap, SIGIR 2006, whose curve shows all p by rank). detectable: the median over pairs of the difference "
        "that would be significant in 80 % of samples of queries. tau: mean over random halves, with its 2.5 and "
        "97.5 % quantiles. A powerful measure need not measure what matters.",
        "Properties are tried on all lists of up to 3 ranks of each label, with words that agree with the label. ✓: no "
        "such list contradicts the property, which is no proof for longer ones. ✗: with the first counterexample.",
    ),
    example="measure-power newswire --measures 'CWEx AWRF nDCG'",
    manual="explanation/paired-comparisons",
)  # fmt: skip
