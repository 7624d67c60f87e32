"""The card of the Methods page on comparisons of systems: what is tested, how, and what that does not say."""

from fairviz.ui.kit import html

QUESTION = "Two systems answer the same queries: do their differences, query by query, lie on one side of 0?"
COMPARISONS = (
    (
        "What is compared",
        "The differences of two systems on each query that both have a value for; their mean is the difference, and "
        "its 95 % interval comes from the resamples of queries that all intervals share. The two intervals of two "
        "systems say how sure each mean is, and are no test: what makes a query hard for one system makes it hard for "
        "the other too.",
    ),
    (
        "Fairest at 0 or 1",
        "Systems are ordered by the distance from there: |mean| for measures fairest at 0, |ln mean| for ratios that "
        "are fairest at 1 (to first order in each query). The difference is one of these distances, less is fairer.",
    ),
    (
        "GSR",
        "Has no value for one query. Two slopes over the same queries differ by the slope of their lists' differences, "
        "and its two-sided p is that of least squares, whatever test is chosen.",
    ),
    (
        "Tests",
        "Student's paired t by default. The randomisation test exchanges signs of differences at random (all signs up "
        "to 13 queries, else 9,999 draws, seeded). Wilcoxon's signed-rank test goes by ranks; where it points the "
        "other way than the mean, no order is claimed. All are two-sided, at 5 %.",
    ),
    (
        "Family and correction",
        "All shown systems against the baseline, times all measures of the table or card; its size is always said. "
        "Holm by default or Bonferroni hold the chance of one false claim in the family, Benjamini-Hochberg the share "
        "of false ones. Another family on another page can therefore end differently.",
    ),
    (
        "The best as baseline",
        "Without a chosen baseline each measure has its own: the system with the fairest mean. It is chosen from the "
        "same queries that test it, which flatters it a little: take this family as a guide, and name the baseline "
        "beforehand for a claim.",
    ),
    (
        "Star",
        "The best of a measure, and every system that is not told apart from it. Not told apart is not the same as "
        "equal: more queries may tell. Nobody is starred where fewer than two queries are common.",
    ),
    (
        "Equivalence",
        "Two one-sided t tests (TOST) say whether a difference lies within a margin that you set, corrected over the "
        "same family; so a difference can be found and still not matter. For a measure fairest at 0 or 1 it is the "
        "distances that are alike. By t, whatever test is chosen; for GSR with the error of its slope.",
    ),
    (
        "Power",
        "The minimum detectable difference: the smallest that a two-sided t test finds with the chosen chance, over as "
        "many queries with the standard deviation observed: in one test at 5 %, and at 5 % over the family's size.",
    ),
    (
        "References",
        "perfect (the relevant documents themselves) and random (chance), with or without parameters, are no "
        "contenders: they are shown apart, are in no family, and have no star.",
    ),
    (
        "Anywhere else",
        "fairviz compare STUDY MEASURE… [--baseline NAME] gives the same table, and fairviz.compare(scores) in Python.",
    ),
)


def card() -> None:
    """Everything about comparisons."""
    html.strong(QUESTION)
    html.definitions(COMPARISONS)
