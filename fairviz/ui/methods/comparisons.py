"""The card of the Methods page on comparisons of systems: hypotheses, tests, and their limits."""

QUESTION = "Do two systems differ over the queries that both answer?"
COMPARISONS = (
    (
        "What is compared",
        "The differences of two systems on the queries that both have a value for. Intervals of two single means are "
        "no test: a query that is hard for one system is hard for the other too.",
    ),
    (
        "Family",
        "All pairs of the systems shown, within a measure. So a pair has one verdict on every page, in every file and "
        "on the command line. The side bar (Tests) declares another family: one baseline, or all measures of the "
        "Overview together. Name a baseline before looking at the results.",
    ),
    (
        "Method",
        "maxT by default: paired t statistics, signs of each query's centred values drawn at random (10,000 draws, "
        "seeded). p is the share of draws whose largest |t| of the family reaches the observed one. Intervals come "
        "from the same draws, so that p and interval agree. Holm, Bonferroni, Benjamini-Hochberg, randomised Tukey HSD "
        "and no correction are offered; their statistic can be Wilcoxon's or randomisation.",
    ),
    (
        "Intervals",
        "Simultaneous with maxT, Tukey and Bonferroni; else of one difference, uncorrected. Captions name which.",
    ),
    (
        "Fairest at 0 or 1",
        "Systems are ordered by the distance from there: |mean|, or |ln mean| of a ratio. Both the difference and the "
        "sum of the two means must differ from 0; the larger p counts.",
    ),
    (
        "GSR",
        "It has no value for one query. Two slopes over the same queries are compared by the slope of their lists' "
        "differences, with the same random signs.",
    ),
    (
        "Few queries",
        "No verdict is given with fewer than 10 common queries, or fewer than half of all. A warning counts the "
        "queries lost where they are many, or more for one system than for the other.",
    ),
    (
        "Star",
        "The best of a measure, and every system that is not significantly different from it. Not significantly "
        "different does not mean equal. With a baseline named beforehand only its own pairs are tested, so that stars "
        "appear only where it is the best.",
    ),
    (
        "Equivalence",
        "Shown where the simultaneous 90 % interval lies within a margin that you set. A difference can be significant "
        "and still not matter.",
    ),
    (
        "Power",
        "The minimum detectable difference: the smallest one that the family shows with the chosen chance, for the "
        "standard deviation observed.",
    ),
    (
        "Not tested",
        "References (perfect, random), lists edited by hand and added runs are shown in grey, without verdict and "
        "star. Adding them changes no other verdict. Tick one under Also test to let it join the family.",
    ),
    (
        "Anywhere else",
        "fairviz compare STUDY MEASURE… [--baseline NAME] [--tests TESTS] gives the same table, and "
        "fairviz.compare(scores) in Python.",
    ),
)
