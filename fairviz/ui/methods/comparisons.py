"""The card of the Methods page on comparisons of systems: hypotheses, tests, and their limits."""

QUESTION = "Do two systems differ over the queries that both answer?"
COMPARISONS = (
    (
        "What is compared",
        "The differences of two systems on the queries that both have a value for. Intervals of two single means are "
        "not a test. A query that is hard for one system is hard for the other too.",
    ),
    (
        "Family",
        "All pairs of the systems shown, within a measure. A pair has one verdict on all pages, files and the command "
        "line. Tests, in the side bar, sets another family: one baseline, or all measures of Overview. Name a baseline "
        "before looking at the results.",
    ),
    (
        "Method",
        "maxT by default: paired t statistics with random signs of each query's centred values. There are 10,000 "
        "seeded draws. p is the share of draws whose largest |t| reaches the observed one. Intervals come from the "
        "same draws, so p and interval agree. Other corrections: Holm, Bonferroni, Benjamini-Hochberg, randomised "
        "Tukey HSD, none. Their statistic is t, Wilcoxon's or a randomisation test.",
    ),
    (
        "Intervals",
        "Simultaneous with maxT, Tukey and Bonferroni; else of one difference, uncorrected. Captions name which.",
    ),
    (
        "Fairest at 0 or 1",
        "Systems are ordered by their distance from it: |mean|, or |ln mean| of a ratio. Difference and sum of the two "
        "means must both differ from 0. The larger p counts.",
    ),
    (
        "GSR",
        "It has no value for one query. Two slopes are compared by the slope of their lists' differences. Both "
        "slopes use the same random signs.",
    ),
    (
        "Few queries",
        "A verdict needs 10 common queries and half of all queries. A warning counts lost queries: many, or more for "
        "one system than the other.",
    ),
    (
        "Star",
        "The best of a measure, and every system that is not significantly different from it. Not significantly "
        "different does not mean equal. With a baseline, only its pairs are tested. Stars then appear only where it is "
        "the best.",
    ),
    (
        "Equivalence",
        "Shown where the simultaneous 90 % interval is within a margin that you set. A difference can be significant "
        "and still not matter.",
    ),
    (
        "Power",
        "The minimum detectable difference: the smallest that the family detects with the chosen power. It uses the "
        "observed standard deviation.",
    ),
    (
        "Not tested",
        "References (perfect, random) and edited lists are grey, without verdict and star. Adding them changes no "
        "other verdict. Tick one under Also test to let it join the family; Test without takes systems out. A run that "
        "is added joins at once.",
    ),
    (
        "Anywhere else",
        "Command line: fairviz compare STUDY MEASURE… [--baseline NAME] [--tests TESTS]. Python: "
        "fairviz.compare(scores).",
    ),
)
