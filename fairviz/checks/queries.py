"""FV103: whether means are over enough queries, and over the same ones."""

from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.measures import parse
from fairviz.words.sentences import agreeing, counted

FEWEST = 10  # queries, below which a paired test has next to no power
MOST = 0.05  # share of the queries by which undefined ones may differ


def _run(context: Context) -> Finding | None:
    answered = set(context.study.answered)
    count = len(answered.intersection(context.queries))
    if count < FEWEST:
        has = agreeing(count, "is", "are")
        return Finding(
            f"There {has} {counted(count, 'query', 'queries')}: a difference between systems is hardly ever "
            "significant, and a mean says little about other queries.",
            {"queries": count},
            f"Add queries: {FEWEST} are the least for a test, and 50 are usual.",
            Link("overview"),
        )
    ends = context.summary.groupby("measure", observed=True, sort=False)["undefined"].agg(["min", "max"])
    spread = (ends["max"] - ends["min"]).sort_values(ascending=False, kind="stable")
    if spread.empty or spread.iloc[0] <= MOST * count:
        return None
    text = str(spread.index[0])
    rows = context.summary[context.summary["measure"] == text].sort_values("undefined", kind="stable")
    few, many = rows.iloc[0], rows.iloc[-1]
    return Finding(
        f"{parse(text).name} is undefined for {int(many['undefined']):,} of {counted(count, 'query', 'queries')} in "
        f"{many['system']} and for {int(few['undefined']):,} in {few['system']}: the means are of other queries.",
        {str(name): int(number) for name, number in rows[["system", "undefined"]].itertuples(index=False)},
        "Compare query by query, on the queries that both have a value for, and report how many these are.",
        Link("compare", {"measure": parse(text).name, "system": many["system"], "baseline": few["system"]}),
        (parse(text).name,),
    )


QUERIES = Check(
    "FV103",
    "few queries, or other ones for each system",
    "Are means over enough queries, and over the same ones?",
    ("runs", "measures"),
    "issue",
    _run,
    means="Tests are over queries. With fewer than ten, intervals are wide and only enormous differences are "
    "significant. Where a measure is undefined for more queries in one system than in another (by more than 5 % of "
    "all), the two means are over different queries, and the easier ones may be missing in one of them.",
    harmless="The study is an example of a list or two, and nothing is said about systems; or tables are of paired "
    "differences, which are over common queries alone.",
    advice="Add queries, or name the number beside every mean. See the differences query by query on Two systems, and "
    "find out why values are undefined: unanswered queries, lists without labels, or words that do not occur.",
)
