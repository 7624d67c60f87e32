"""FV107: whether the best value is one that chance gives."""

from fairviz.checks.context import Context, fairest
from fairviz.checks.record import Check, Finding, Link
from fairviz.measures import parse
from fairviz.orders.chance import chance
from fairviz.words.sentences import decimal, listed


def _run(context: Context) -> Finding | None:
    questions = [one for one in context.questions if one.measure and one.per_query and one.direction != "none"]
    bands = chance(context.study, [one.text for one in questions], context.settings, rankings=context.rankings)
    within: list[str] = []
    numbers: dict[str, float] = {}
    sentence = ""
    for text, rows in (
        bands[bands["system"].isin(context.systems)].dropna(subset=["low"]).groupby("measure", sort=False)
    ):
        question = parse(str(text))
        best = rows.iloc[fairest(question, rows)]
        if not best["low"] <= best["value"] <= best["high"]:
            continue
        within.append(question.name)
        numbers |= {f"{question.name}, {end}": float(best[end]) for end in ("value", "low", "high")}
        sentence = sentence or (
            f"{best['system']} has the fairest {question.name}, {decimal(best['value'])}, and 95 of 100 random orders "
            f"of the same documents lie between {decimal(best['low'])} and {decimal(best['high'])}: a ranker that "
            "knows nothing would do as well."
        )
    if not sentence:
        return None
    others = f" The same holds for the best value in {listed(within[1:])}." if within[1:] else ""
    return Finding(
        sentence + others,
        numbers,
        "Report the distance from chance beside the value, and compare systems by it.",
        Link("tradeoff"),
        tuple(within),
    )


CHANCE_BAND = Check(
    "FV107",
    "the best value is one that chance gives",
    "Is the fairest system fairer than a random order?",
    ("runs", "measures"),
    "tip",
    _run,
    means="The fairest system's mean lies within the band of 95 % of the random orders of the candidates of each "
    "query. A ranker that knows nothing of the documents would have such a value as often as not.",
    harmless="Chance is the aim: a list that is as fair as a random one may be all that is wanted.",
    advice="Show the chance band on Trade-off, and say how far beyond it the systems are. Look whether another set of "
    "candidates (the judged documents, the system's own run) says the same.",
    slow=True,
)
