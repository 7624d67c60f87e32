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
        "Each measure has a grid of its own over the choices that it reads: τ does not touch CWEx, so it does not "
        "multiply its combinations. Levels that stand for the same (an annotator and the study's default) are one. The "
        "order of ties is varied where tied scores reach the cutoff, and what lacks a label where something lacks one. "
        "Both counts are said: distinct combinations, and those of all levels.",
    ),
    (
        "Who is fairer",
        "By the means over the queries that both systems have a value for, in the measure's own direction; by the "
        "distance from there for measures that are fairest at 0 or 1. Combinations without a value for one of the two "
        "are shown and counted, and count for nobody; those that rest on fewer than half of the queries are named.",
    ),
    (
        "What a test supports",
        "Each combination is a family of its own: all pairs of the systems shown, by the method of the sidebar. Its "
        "verdict is the one that every page has under these settings. The count of significant combinations is a "
        "description, not a test. All combinations rest on the same queries, so agreement of many adds no evidence.",
    ),
    (
        "Interval and chance",
        "The interval of the difference comes from the tests of its combination; see Comparisons. The chance is the "
        "share of 1,000 resamples of queries in which the system is fairer, a draw for half. A cell of the map has the "
        "mean chance over all other choices that are varied: the chance that the system is fairer under one taken at "
        "random, in queries drawn anew.",
    ),
    (
        "Scale",
        "One measure is drawn in its own unit. Units of several cannot be compared: each difference is then divided by "
        "the standard deviation of its differences by query (Cohen's d for pairs, t/√n; for GSR r/√(1 − r²), its "
        "t/√(n − 2)).",
    ),
    (
        "Share of the variance",
        "A functional analysis of variance over the full grid, in which all measures weigh the same, and a choice that "
        "a measure does not read is varied without effect. A choice's share alone is the variance of its levels' means "
        "over that of all combinations (Sobol's first-order index); what no choice carries alone is interaction, and "
        "both sum to 1. With others: the mean variance over the levels of the choice, all else held (the total index); "
        "interactions are in it once for each choice that takes part, so that these sum to more than 1.",
    ),
    (
        "Where combinations are undefined",
        "The grid has holes, and choices are no longer independent of one another. A choice's share is then what it "
        "adds to the variance that an additive model of the choices explains, averaged over all orders in which they "
        "can enter (Lindeman, Merenda and Gold; Shapley's value); what the model leaves is interaction. On a full grid "
        "both are the same number, no share is negative, and all sum to 1.",
    ),
    (
        "What decides the rest",
        "The shares of the order, +1, −1 or 0 for neither. A choice decides most of the rest where it carries more "
        "than half of that variance alone, two together where they do; else the sentence says that none does. Where "
        "all combinations agree there is no rest, and the sentence says what moves the size of the difference.",
    ),
    (
        "Sources",
        "Simonsohn, Simmons, Nelson: Specification curve analysis. Nature Human Behaviour 4, 2020. Hooker: Generalized "
        "functional ANOVA diagnostics. JCGS 16, 2007. Sobol: Sensitivity estimates for nonlinear mathematical models. "
        "1993. Lindeman, Merenda, Gold: Introduction to bivariate and multivariate analysis. 1980.",
    ),
    (
        "Anywhere else",
        "fairviz robustness STUDY --systems A,B --measure CWEx --choice tau=0,1 gives the same, and fairviz.robustness "
        "in Python.",
    ),
)
