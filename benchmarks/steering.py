"""docs/explanation/backpack.md: `python -m benchmarks.steering MODEL…`, models of several seeds, packaged one first.

Every number of the page is computed here, with Grep-BiasIR fetched. Nothing is chosen by what comes out: the weights,
the two senses, the cutoff of 10 and all measures stood before.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

import fairviz
from fairviz.evaluation.formats import to_markdown
from fairviz.extensions.backpack.lists import Lists, lists_of
from fairviz.extensions.backpack.seeds import card_facts
from fairviz.extensions.backpack.steering import APART, BACKPACK, BETTER, FEW, PLACEBO, WORSE, Steering, answer
from fairviz.rankers.record import silent

TARGET = Path(__file__).parents[1] / "docs" / "explanation" / "backpack.md"
TEMPLATE = Path(__file__).with_name("steering.md.txt")
STUDIES = ("grep-biasir", "newswire")
SHOWN = (2.0, 1.5, 1.0, 0.5, 0.0)
ROUNDS = 20


def over_seeds(found: Steering) -> pd.DataFrame:
    """A row a ranker and weight: mean ± standard deviation over the models, or the reference's value."""
    names = {column.text: column.name for column in found.columns}
    rows = []
    table = found.table
    for reference, shown in (("bm25", "BM25"), ("bi_encoder", "MiniLM")):
        own = table[table["ranker"] == reference].set_index("measure")["value"]
        rows.append({"ranker": shown, "weight": "–"} | {names[text]: _number(own[text]) for text in names})
    for ranker, shown in ((BACKPACK, "gender senses"), (PLACEBO, "placebo")):
        for weight in SHOWN:
            own = found.seeds[(found.seeds["ranker"] == ranker) & (found.seeds["weight"] == weight)]
            own = own.set_index("measure")
            cells = {
                name: f"{_number(own['mean'][text])} ± {own['deviation'][text]:.3f}" for text, name in names.items()
            }
            rows.append({"ranker": shown, "weight": f"{weight:g}"} | cells)
    return pd.DataFrame(rows)


def changes(found: Sequence[Steering]) -> pd.DataFrame:
    """Return a row a measure: the verdicts of each model's own tests of weight 0 against 1, counted, and the rank of
    the gender senses by size of change among all sets of senses, model by model."""
    heads = {"": "gender senses at 0", "placebo_": "placebo at 0", "beyond_": "beyond the placebo"}
    tables, rows = [one.change(0.0) for one in found], []
    for place, column in enumerate(found[0].columns):
        own = [table.iloc[place] for table in tables]
        row = {"measure": column.name}
        row |= {head: _counted([one[f"{prefix}verdict"] for one in own]) for prefix, head in heads.items()}
        sets = own[0]["sets"]
        rows.append(row | {f"ranks of {sets:.0f}": ", ".join(f"{one['rank']:.0f}" for one in own)})
    return pd.DataFrame(rows)


def _counted(verdicts: Sequence[str]) -> str:
    counts = {verdict: verdicts.count(verdict) for verdict in (BETTER, WORSE, APART, FEW)}
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)


def _number(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def speed(found: Steering) -> str:
    """Return the processor time of a move of the weight: what changed with its tests, and one query's two lists."""
    query, best = found.found.queries[0], float("inf")
    for _ in range(ROUNDS):
        began = time.process_time()
        found.change(0.4)
        found.lists.scores(query, (1.0, 0.4))
        best = min(best, time.process_time() - began)
    return f"{1000 * best:.0f} ms"


def page(models: Sequence[str]) -> str:
    """The page's text."""
    parts: dict[str, str] = {"count": str(len(models)), "last": str(len(models) - 1), "model": _card(models[0])}
    for name in STUDIES:
        study = fairviz.open_study(name)
        lists = lists_of(study, models, silent)
        found = answer(lists, fairviz.Settings())
        alone = [answer(_only(lists, place), fairviz.Settings()) for place in range(len(models))]
        key = name.replace("-", "_")
        parts[f"{key}_table"] = to_markdown(over_seeds(found)).strip()
        parts[f"{key}_changes"] = to_markdown(changes(alone)).strip()
        parts[f"{key}_speed"] = speed(found)
        parts[f"{key}_queries"] = str(len(found.found.queries))
        print(name, parts[f"{key}_speed"], flush=True)
    return TEMPLATE.read_text(encoding="utf-8").format(**parts)


def _only(lists: Lists, place: int) -> Lists:
    """The lists of one of the models."""
    return replace(lists, models=(lists.models[place],))


def _card(name: str) -> str:
    return "\n".join(f"- **{head}**: “{text.rstrip('.')}.”" for head, text in card_facts(name))


if __name__ == "__main__":
    TARGET.write_text(page(sys.argv[1:] or [""]), encoding="utf-8")
    print(f"wrote {TARGET}")
