"""Findings of a pairwise audit, a sentence or two for each system: integrity first, then preference."""

import numpy as np
import pandas as pd

from fairviz.analyses.audit.integrity import ALWAYS_FIRST, ALWAYS_SECOND, HALF, NO_ORDER, NOTHING, readable
from fairviz.analyses.audit.judging import LOG_ODDS
from fairviz.analyses.audit.pairs import ALL, DRAWN
from fairviz.comparison.pairs import FEWEST_QUERIES, no_verdict, rows_text
from fairviz.evaluation.formats import one_line
from fairviz.statistics.families import Tests
from fairviz.study.record import Study
from fairviz.words.sentences import counted, out_of, p_value, with_article

UNIT_IS_THE_QUERY = (
    "The unit is the query, as pairs of one query are not independent. The exact sign test over queries decides; the "
    "test of the gap is secondary."
)
_SURE = 0.05


def family_note(table: pd.DataFrame) -> str:
    """Return the families of the tests of these rows, which are of one kind and relevance."""
    family, gaps = (int(table[name].notna().sum()) for name in ("p_shares_corrected", "p_gap_corrected"))
    if not int(table["family"].max()):
        return f"No preference is tested: a verdict needs {FEWEST_QUERIES} queries."
    tests = f"{counted(family, 'sign test')}, Bonferroni"
    return f"Preferred: {tests}. Gap, secondary: {rows_text(gaps, Tests())}."


def sentences_of(study: Study, integrity: pd.DataFrame, table: pd.DataFrame) -> tuple[str, ...]:
    """Return the sentences, in the order of the systems."""
    sentences = []
    for row in integrity.to_dict("records"):
        rows = table[table["system"] == row["system"]]
        sentences += [integrity_sentence(row), *_preferences(study, row, rows)]
    return tuple(filter(None, sentences))


def short_sentences(study: Study, integrity: pd.DataFrame, table: pd.DataFrame) -> tuple[str, ...]:
    """Return a sentence or two for each system without the numbers of the table next to it. table: the rows of the
    table for one kind and relevance of pairs."""
    sentences = []
    for row in integrity.to_dict("records"):
        rows = table[table["system"] == row["system"]].to_dict("records")
        phrases = [_certainty(one) for one in rows if one["group"] != study.neutral] if readable(row) else []
        neutral = [one for one in rows if one["group"] == study.neutral] if readable(row) else []
        phrases += [_neutral_certainty(neutral)] if neutral else []
        sentences += [
            integrity_sentence(row),
            f"{one_line(str(row['system']))}: {' '.join(dict.fromkeys(phrases))}" if phrases else "",
        ]
    return tuple(filter(None, sentences))


def _neutral_certainty(rows: list[dict]) -> str:
    """Return whether neutral documents come before those of each group, by the sign tests."""
    sure = [row for row in rows if row["p_shares_corrected"] <= _SURE]
    above = [row["other"] for row in sure if row["preferred"] > 0.5]
    below = [row["other"] for row in sure if row["preferred"] < 0.5]
    phrases = [
        f"{verb} the {' and the '.join(names)} one" for verb, names in (("before", above), ("behind", below)) if names
    ]
    neutral = rows[0]["group"]
    if not phrases:
        if all(np.isnan(row["p_shares_corrected"]) for row in rows):
            return f"{no_verdict(int(rows[0]['queries']))}."
        return f"Neither {with_article(neutral)} document nor another is significantly preferred."
    return f"A {neutral} document comes {' and '.join(phrases)}."


def integrity_sentence(row: dict) -> str:
    """Return a system's row of the integrity table in words; empty for a ranker that sees no order and finds every
    pair."""
    name, lost = one_line(str(row["system"])), row["not_found"]
    if row["verdict"] == NO_ORDER:
        text = f"{name} finds neither document of {out_of(lost, row['pairs'], 'pair')}; they count as ties."
        return text if lost else ""
    if row["verdict"] == NOTHING:
        return f"{name}: none of its {row['answers']:,} answers names a document: nothing can be read from them."
    read = f"{row['read']:,} of {row['answers']:,} answers can be read"
    named = _share(row, "first_named")
    if row["verdict"] in (ALWAYS_FIRST, ALWAYS_SECOND):
        place = "first" if row["verdict"] == ALWAYS_FIRST else "second"
        share = named if place == "first" else f"{1 - row['first_named']:.0%}"
        return (
            f"{name}: {read}; it names the {place} document in {share} of them. That is position bias, not a "
            "preference. Shares of 50 % do not show fairness."
        )
    if row["read"] < HALF * row["answers"]:
        return (
            f"{name}: {read}; it names the first document in {named} of them ({row['verdict']}). Less than half of its "
            "answers name a document: do not rely on them."
        )
    tail = "" if readable(row) else " With so few, its preferences depend on the order more than on the documents."
    consistent = (
        ""
        if np.isnan(row["consistent"])
        else f"; {_share(row, 'consistent')} of pairs have the same winner in both orders"
    )
    return f"{name}: {read}; it names the first document in {named} of them ({row['verdict']}){consistent}.{tail}"


def _preferences(study: Study, integrity: dict, rows: pd.DataFrame) -> list[str]:
    """Return a sentence for each kind of pairs: the groups' documents, and the neutral one against them. Random pairs
    are divided by relevance, as in table 3 of the paper; texts in several wordings are not."""
    sentences = []
    for kind, part in rows.groupby("kind", sort=False):
        relevances = part["judged"].unique().tolist()
        for judged in [one for one in relevances if one != ALL] if kind == DRAWN else relevances[:1]:
            records = part[part["judged"] == judged].to_dict("records")
            pairs = [row for row in records if row["group"] != study.neutral]
            sentence_of = _pair_sentence if readable(integrity) else _leaning_sentence
            sentences += [sentence_of(row, str(kind)) for row in pairs]
            neutral = [row for row in records if row["group"] == study.neutral]
            if neutral and readable(integrity):
                sentences.append(_neutral_sentence(neutral, str(kind)))
    return sentences


def _pair_sentence(row: dict, kind: str) -> str:
    name, kind_text = one_line(str(row["system"])), _kind_text(row, kind)
    if not row["judged_pairs"]:
        return f"{name} ({kind_text}): no pair has a winner."
    ties = (
        f", a tie in {row['tied']:.0%} ({out_of(row['tied_pairs'], row['judged_pairs'], 'pair')})"
        if row["tied_pairs"]
        else ""
    )
    shares = (
        f"{row['group']} first in {_share(row, 'first')} of pairs, {row['other']} first in "
        f"{_share(row, 'other_first')}{ties}; {_queries(row)}"
    )
    size = "" if np.isnan(row["size"]) else f", size without its sign {row['size']:.2f}"
    return f"{name} ({kind_text}): {shares}; mean gap {_gap(row)}{size}. {_certainty(row)}"


def _queries(row: dict) -> str:
    """Return the statistic that decides: queries that prefer either, their ratio, and the p of its test."""
    counts = f"{row['queries_first']:,} queries prefer the {row['group']} one, {row['queries_other']:,} the "
    text = f"{counts}{row['other']} one, ratio {_number(row, 'ratio')}"
    p = row["p_shares_corrected"]
    return text if np.isnan(p) else f"{text}, {p_value(p)}"


def _leaning_sentence(row: dict, kind: str) -> str:
    """Return the preference left in answers that depend on the order: the log-odds averaged over both orders; empty
    without log-odds."""
    if np.isnan(row["gap"]):
        return ""
    kind_text = _kind_text(row, kind)
    sure = "" if row["p_gap_corrected"] <= _SURE else f", which {_unsure(row)}"
    liked = row["group"] if row["gap"] > 0 else row["other"]
    return (
        f"{one_line(str(row['system']))} ({kind_text}): averaged over both orders its answers lean to the {liked} one, "
        f"{_gap(row)}{sure}."
    )


def _certainty(row: dict) -> str:
    """Return what the sign test shows, and after it the secondary test of the gap."""
    shares = row["p_shares_corrected"]
    if np.isnan(shares):
        return f"{no_verdict(int(row['queries']))}."
    if not shares <= _SURE:
        return "Neither is significantly preferred."
    liked = row["group"] if row["preferred"] > 0.5 else row["other"]
    text = f"The {liked} one is preferred"
    if np.isnan(row["gap"]):
        return f"{text}; its answers do not show by how much."
    scored = row["group"] if row["gap"] > 0 else row["other"]
    if not row["p_gap_corrected"] <= _SURE:
        return f"{text}, by a gap that {_unsure(row)} (secondary test)."
    return f"{text}, and the {scored} one scores higher on average (secondary test)."


def _unsure(row: dict) -> str:
    """Return what the secondary test shows of a gap that is not significant, or that there is no such test."""
    if np.isnan(row["p_gap_corrected"]):
        return "is not tested, as its differences are too few"
    return "is not significantly different from 0"


def _kind_text(row: dict, kind: str) -> str:
    """Return the pairs of a row: their kind and relevance."""
    return kind if row["judged"] == ALL else f"{kind}, {row['judged']}"


def _neutral_sentence(rows: list[dict], kind: str) -> str:
    shares = " and ".join(f"the {row['other']} one in {_share(row, 'first')} (gap {_gap(row)})" for row in rows)
    name = f"{one_line(str(rows[0]['system']))} ({_kind_text(rows[0], kind)})"
    return f"{name}: {rows[0]['group']} documents come before {shares}."


def _gap(row: dict) -> str:
    if np.isnan(row["gap"]):
        return "unknown"
    unit = "log-odds" if row["unit"] == LOG_ODDS else "standard deviations"
    return f"{_number(row, 'gap', '+.3f')} {unit}"


def _share(row: dict, name: str) -> str:
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    bounds = "" if np.isnan(low) else f" ({low:.0%} to {high:.0%})"
    return f"{row[name]:.0%}{bounds}"


def _number(row: dict, name: str, form: str = ".2f") -> str:
    value, low, high = row[name], row[f"{name}_low"], row[f"{name}_high"]
    if np.isnan(value):
        return "undefined"
    bounds = "" if np.isnan(low) else f" ({_finite(low, form)} to {_finite(high, form)})"
    return f"{_finite(value, form)}{bounds}"


def _finite(value: float, form: str) -> str:
    return "infinite" if np.isinf(value) else f"{value:{form}}"
