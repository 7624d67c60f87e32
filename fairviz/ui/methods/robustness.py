"""The card of the Methods page on the map of choices: what is varied, counted and shared out."""

from fairviz.analyses.sensitivity.levels import CHOICES

QUESTION = "Does the order of two systems hold under every combination of defensible choices?"
ROBUSTNESS = (
    (
        "What is varied",
        "; ".join(f"{name.replace('_', ' ')} ({levels.question})" for name, levels in CHOICES.items())
        + "; and the measure, where there are several. The level that is set now is always among the levels.",
    ),
    (
        "What counts as a combination",
        "Each measure has its own grid over the choices that it reads: CWEx ignores τ. Equal levels (an annotator and "
        "the study's default) count once. The order of ties varies where tied scores reach the cutoff. Missing labels "
        "vary where a label is missing. Two counts are given: distinct combinations, and all of them.",
    ),
    (
        "Who is fairer",
        "By the means over common queries, in the measure's own direction. Measures that are fairest at 0 or 1: by "
        "the distance from it. Combinations without a value for one system are shown and count for neither. "
        "Combinations with fewer than half of the queries are named.",
    ),
    (
        "What a test supports",
        "Each combination is its own family: all pairs shown, tested as in the side bar. Every page "
        "has the same verdict under these settings. The count of significant combinations is a description, not a "
        "test. All combinations share the queries, so agreement of many adds no evidence.",
    ),
    (
        "Interval and chance",
        "The interval of the difference comes from the tests of its combination; see Comparisons. The chance: the "
        "share of 1,000 bootstraps over queries in which the system is fairer. Equal values count half. A cell of the "
        "map shows the mean chance over the other choices.",
    ),
    (
        "Scale",
        "One measure is drawn in its own unit. Several measures: each difference is divided by the standard deviation "
        "of its differences by query. This is Cohen's d for pairs, t/√n. For GSR: r/√(1 − r²), its t/√(n − 2).",
    ),
    (
        "Share of the variance",
        "A functional analysis of variance over the full grid, with equal weight for each measure. A choice that a "
        "measure does not read has no effect. Alone: the variance of the levels' means over that of all combinations "
        "(Sobol's first-order index). The rest is interaction; both sum to 1. With others: the mean variance over the "
        "choice's levels, all else fixed (total index). Each interaction counts for each of its choices, so totals sum "
        "to more than 1.",
    ),
    (
        "Where combinations are undefined",
        "The grid has holes, and choices are no longer independent of one another. A share is then the variance that "
        "the choice adds to an additive model. It is averaged over all orders of entry (Lindeman, Merenda and Gold; "
        "Shapley's value). The rest is interaction. On a full grid both definitions give the same number. "
        "No share is negative, and all sum to 1.",
    ),
    (
        "What decides the rest",
        "The shares of the order, +1, −1 or 0 for neither. A choice decides most if it carries more than half of that "
        "variance alone. Else two choices together may; else none does. If all combinations agree, the size of the "
        "difference is explained instead.",
    ),
    (
        "Sources",
        "Simonsohn, Simmons, Nelson: Specification curve analysis. Nature Human Behaviour 4, 2020. Hooker: Generalized "
        "functional ANOVA diagnostics. JCGS 16, 2007. Sobol: Sensitivity estimates for nonlinear mathematical models. "
        "1993. Lindeman, Merenda, Gold: Introduction to bivariate and multivariate analysis. 1980.",
    ),
    (
        "Anywhere else",
        "Command line: fairviz robustness STUDY --systems A,B --measure CWEx --choice tau=0,1. Python: "
        "fairviz.robustness.",
    ),
)
