"""FV119: whether the lists of all systems have text alike."""

from fairviz.checks.context import Context
from fairviz.checks.label_coverage import by_share, is_uneven
from fairviz.checks.record import Check, Finding, Link
from fairviz.words.sentences import percent

POLICIES = {
    "skip": "leave ranks without text out",
    "neutral": "count ranks without text as neutral",
    "strict": "have no value for lists with a rank without text",
}


def _run(context: Context) -> Finding | None:
    coverage = by_share(context.text_coverage)
    if not is_uneven(coverage):
        return None
    least, most = coverage.iloc[0], coverage.iloc[-1]
    is_missing, is_empty = least["places"] > least["known"], least["known"] > least["written"]
    ways = [POLICIES[context.settings.unlabelled]] if is_missing else []
    ways += ["count empty texts as neutral"] if is_empty else []
    remedy = f"Add the texts of the documents of {least['system']}"
    return Finding(
        f"Of the first {context.settings.cutoff} ranks, {percent(least['share'])} have text in {least['system']} and "
        f"{percent(most['share'])} in {most['system']}. Measures of words {' and '.join(ways)}, so that the two are "
        "not measured alike.",
        {str(name): float(part) for name, part in coverage[["system", "share"]].itertuples(index=False)},
        f"{remedy}, or compare under another policy for unlabelled documents." if is_missing else f"{remedy}.",
        Link("sensitivity", {"robustness_choices": ["unlabelled"]}) if is_missing else Link("data"),
        tuple(one.name for one in context.questions if one.family == "words"),
    )


TEXT_COVERAGE = Check(
    "FV119",
    "texts are missing for the documents of some systems",
    "Do the lists of all systems have text alike?",
    ("runs", "two systems", "texts"),
    "issue",
    _run,
    means="The share of ranks within the cutoff whose document has text differs by more than five percentage points "
    "between two tested systems. Measures of words leave ranks whose text is missing out, count them as neutral or "
    "make the list undefined, by the setting for unlabelled documents; an empty text, such as an empty cell of a "
    "table, always counts as neutral. Part of a difference between the systems is then one of missing texts.",
    harmless="No conclusion is drawn from measures of words, such as NFaiRR, or the documents have no text by nature.",
    advice="Add the missing texts, or lower the cutoff to where all documents have text. Where texts are missing and "
    "not empty, show on Sensitivity that the conclusion holds under every policy for unlabelled documents.",
)
