"""A gate's answer as one page of HTML that needs nothing else: no script, no file beside it, no network."""

from collections.abc import Iterable, Sequence
from html import escape

import numpy as np
import pandas as pd

from fairviz.comparison.gate import BEYOND, POSSIBLE, UNDECIDED, WITHIN, Gate, alone_notes, lost_notes
from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.evaluation.exports import Origin, lines
from fairviz.evaluation.formats import one_line

SAID = {
    BEYOND: "the whole interval is beyond the limit",
    POSSIBLE: "beyond the limit, but its interval reaches back",
    WITHIN: "not beyond the limit",
    UNDECIDED: f"fewer than {FEWEST_QUERIES} common queries, or half of all, or skewed differences",
}
LABEL = 60  # how far apart two labels of the picture stand, of its 400 units
_STYLE = """
:root { color-scheme: light dark; --text: #1c2430; --quiet: #5b6675; --line: #d7dce3; --ground: #ffffff; --bad: #c0392b;
  --good: #1f8a4c; --open: #9a6b00; --band: rgba(192, 57, 43, .14); }
@media (prefers-color-scheme: dark) { :root { --text: #e6eaf0; --quiet: #a0aab8; --line: #38414e; --ground: #12161d;
  --bad: #ff8a7a; --good: #6fd39b; --open: #e8b84a; --band: rgba(255, 138, 122, .18); } }
body { margin: 2rem auto; max-width: 68rem; padding: 0 1rem; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .3rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p { margin: .3rem 0; } .quiet { color: var(--quiet); }
.verdict { display: inline-block; padding: .1rem .6rem; border: 2px solid currentColor; border-radius: .4rem;
  font-weight: 600; }
.beyond { color: var(--bad); } .within { color: var(--good); } .open { color: var(--open); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--quiet); font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.text { overflow-wrap: anywhere; min-width: 12rem; }
svg { display: block; width: 100%; height: 3.2rem; } svg text { fill: var(--quiet); font-size: 17px; }
"""


def page(found: Gate, about: Origin) -> str:
    """The page, whole. Every text of the data is escaped; a policy forbids the browser to load anything."""
    title = f"{found.candidate} against {found.baseline}"
    head = (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
    )
    sections = [_verdict(found, title), _conditions(found), *(_moved(found, each.text) for each in found.conditions)]
    told = "".join(f"<p>{_text(line)}</p>\n" for line in lines(about))
    sections.append(f'<h2>Made of</h2>\n<div class="quiet">\n{told}</div>\n')
    return f"{head}<body>\n{''.join(sections)}</body>\n</html>\n"


def _verdict(found: Gate, title: str) -> str:
    said = {BEYOND: "not passed", UNDECIDED: "undecided", WITHIN: "passed"}[found.state]
    notes = "".join(f"<p>{_text(note)}</p>\n" for note in (*alone_notes(found), *lost_notes(found)))
    return (
        f'<h1>{_text(title)}</h1>\n<p class="{_colour(found.state)}"><span class="verdict">{said}</span></p>\n'
        f"<p>Not passed: the whole {100 * found.level:g} % interval of a difference (candidate minus baseline), or of "
        "the candidate's value, is beyond its limit. Measures fairest at 0 or 1 are compared by their distance from "
        "there.</p>\n"
        f"{notes}"
    )


def _conditions(found: Gate) -> str:
    headers = [
        "condition",
        "measure",
        "baseline",
        "candidate",
        "difference",
        f"{100 * found.level:g} % interval",
        "queries",
        "",
    ]
    rows = []
    for condition, row in zip(found.conditions, found.table.to_dict("records"), strict=True):
        span = f"{_number(row['ci_low'], '+')} to {_number(row['ci_high'], '+')}"
        told = f'<span class="{_colour(row["state"])}">{row["state"]}</span>: {SAID[row["state"]]}'
        cells = [
            _cell(row["condition"]), _cell(row["measure"]), _cell(_number(row["baseline_value"]), "number"),
            _cell(_number(row["value"]), "number"), _cell(_number(row["difference"], "+"), "number"),
            _cell(span, "number"), _cell(f"{row['queries']:,}", "number"), f"<td>{told}{_drawn(row, condition)}</td>",
        ]  # fmt: skip
        rows.append(cells)
    return f"<h2>Conditions</h2>\n{_table(headers, rows, (2, 3, 4, 5, 6))}"


def _drawn(row: dict, condition: object) -> str:
    """The interval against the limit as a picture, the side beyond it shaded; nothing where there is no interval."""
    limit, below = getattr(condition, "limit", 0.0), getattr(condition, "below", True)
    number = row["difference"] if row["of"] == "difference" else row["value"]
    marks = [row["ci_low"], row["ci_high"], number, limit, 0.0]
    if np.isnan(marks).any():
        return ""
    low, high = min(marks), max(marks)
    room = (high - low) * 0.08 or 1.0
    low, high = low - room, high + room

    def at(value: float) -> str:
        return f"{10 + 380 * (value - low) / (high - low):.1f}"

    side = ("10", f"{float(at(limit)) - 10:.1f}") if below else (at(limit), f"{390 - float(at(limit)):.1f}")
    far = abs(float(at(limit)) - float(at(0))) > LABEL
    said = f"{row['of']} {_number(number, '+')}, limit {_number(limit, '+')}"
    return (
        f'<svg viewBox="0 0 400 52" role="img" aria-label="{_text(said)}">'
        f'<rect x="{side[0]}" y="4" width="{side[1]}" height="26" fill="var(--band)"/>'
        f'<line x1="{at(0)}" x2="{at(0)}" y1="4" y2="30" stroke="var(--line)"/>'
        f'<line x1="{at(limit)}" x2="{at(limit)}" y1="4" y2="30" stroke="var(--bad)" stroke-dasharray="3 2"/>'
        f'<line x1="{at(row["ci_low"])}" x2="{at(row["ci_high"])}" y1="17" y2="17" stroke="currentColor" '
        f'stroke-width="2"/><circle cx="{at(number)}" cy="17" r="4" fill="currentColor"/>'
        + (f'<text x="{at(0)}" y="48" text-anchor="middle">0</text>' if not limit or far else "")
        + (f'<text x="{at(limit)}" y="48" text-anchor="middle">{_number(limit, "+")}</text>' if limit else "")
        + "</svg>"
    )


def _moved(found: Gate, condition: str) -> str:
    queries = found.queries[found.queries["condition"] == condition]
    if queries.empty:
        return f"<h2>What moved most: {_text(condition)}</h2>\n<p>No query moves in this direction.</p>\n"
    headers = ["query", "text", "baseline", "candidate", "difference", "adds"]
    rows = [
        [
            _cell(row["query_id"]), _cell(row["text"], "text"), _cell(_number(row["baseline_value"]), "number"),
            _cell(_number(row["value"]), "number"), _cell(_number(row["difference"], "+"), "number"),
            _cell(_number(row["share"], "+"), "number"),
        ]
        for row in queries.to_dict("records")
    ]  # fmt: skip
    table = _table(headers, rows, (2, 3, 4, 5))
    return f"<h2>What moved most: {_text(condition)}</h2>\n{table}{_documents(found.documents, condition)}"


def _documents(documents: pd.DataFrame, condition: str) -> str:
    listed = documents[documents["condition"] == condition]
    if listed.empty:
        return '<p class="quiet">No document of these queries changed its place within the cutoff.</p>\n'
    headers = ["query", "document", "rank before", "rank after", "attention", "label", "text"]
    rows = [
        [
            _cell(row["query_id"]), _cell(row["doc_id"]), _cell(_rank(row["rank_before"]), "number"),
            _cell(_rank(row["rank_after"]), "number"), _cell(_number(row["attention"], "+"), "number"),
            _cell(row["label"] or "–"), _cell(row["text"], "text"),
        ]
        for row in listed.to_dict("records")
    ]  # fmt: skip
    return f'<p class="quiet">Documents whose attention changed most:</p>\n{_table(headers, rows, (2, 3, 4))}'


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int]) -> str:
    head = "".join(
        f'<th class="number">{_text(name)}</th>' if place in numbers else f"<th>{_text(name)}</th>"
        for place, name in enumerate(headers)
    )
    body = "".join(f"<tr>{''.join(cells)}</tr>\n" for cells in rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table></div>\n'


def _cell(value: object, kind: str = "") -> str:
    return f'<td class="{kind}">{_text(value)}</td>' if kind else f"<td>{_text(value)}</td>"


def _text(value: object) -> str:
    return escape(one_line(str(value)), quote=True)


def _number(value: float, sign: str = "") -> str:
    return "–" if value != value else f"{value:{sign}.4f}".replace("-", "−")


def _rank(value: object) -> str:
    return "–" if pd.isna(value) else f"{value:,}"  # type: ignore[call-overload]


def _colour(state: str) -> str:
    return {BEYOND: "beyond", WITHIN: "within"}.get(state, "open")
