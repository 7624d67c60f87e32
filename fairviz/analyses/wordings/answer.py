"""The measures of ComSRB for each base query, their means with tests over the bases, and the lists that they compare.

Axis letters: K ranks of a list within the cutoff, B bases.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.analyses.wordings import REMEDY, VARIANTS
from fairviz.comparison.conditions import snippet
from fairviz.errors import FairvizError, value_text
from fairviz.evaluation.choices import aligned_runs, chosen_queries, chosen_systems
from fairviz.evaluation.settings import Settings
from fairviz.statistics.contrasts import EQUAL
from fairviz.statistics.intervals import mean_interval
from fairviz.statistics.paired import corrected
from fairviz.study.record import Study
from fairviz.words.sentences import counted, decimal, first_listed, listed, p_value, signed

Array = np.ndarray
MEASURES = ("RaB", "ARaB", "nDRaB")
SURE = 0.05  # p below which a system is said to lean
FEWEST = 5  # bases that a sentence on a system needs
MOST_NAMES = 3
SYSTEM_COLUMNS = (
    "system", "measure", "mean", "ci_low", "ci_high", "t", "p", "p_corrected", "d", "bases"
)  # fmt: skip
BASE_COLUMNS = ("system", "base", "text", "documents", "p_share", "cp_share", *MEASURES)
LIST_COLUMNS = ("system", "base", "rank", "doc_id", "in_p", "in_cp", "text")


def comsrb(in_p: Array, in_cp: Array) -> tuple[float, float, float]:
    """Return RaB, ARaB and nDRaB of one list for a neutral query (Ratz, Schedl, Kopeinik, Rekabsaz, ECIR 2024).

    in_p, in_cp (K,): N_P and N_CP, whether the document at each rank of N's list is in P's list, and in CP's. With
    d = N_P − N_CP and w(i) = 1 / log2(i + 1): RaB is the mean of d, ARaB the mean over x of the mean of d to rank x,
    nDRaB is Σ w d / Σ w. All are in [−1, 1]; NaN for an empty list.

    >>> values = comsrb(np.array([True, True, False]), np.array([True, False, False]))
    >>> [round(value, 3) for value in values]  # d is 0, 1, 0: 1/3, (0 + 1/2 + 1/3) / 3, 0.631 / 2.131
    [0.333, 0.278, 0.296]
    """
    difference = in_p.astype(float) - in_cp.astype(float)
    ranks = np.arange(1, len(difference) + 1)
    if not len(ranks):
        return np.nan, np.nan, np.nan
    weights = 1 / np.log2(ranks + 1)
    prefixes = difference.cumsum() / ranks
    return float(difference.mean()), float(prefixes.mean()), float(weights @ difference / weights.sum())


@dataclass(frozen=True, eq=False)
class Wordings:
    """ComSRB of each system and base.

    names: of the systems. bases: BASE_COLUMNS, a row a system and base: text of N, documents of N's list within the
    cutoff, p_share and cp_share of them that are in P's and CP's list, and MEASURES, means over the draws of a
    stochastic system. lists: LIST_COLUMNS, of the first draw. incomplete: bases without one query of each variant.
    unequal: comparisons of three lists that differ in length within the cutoff. left_out: queries without a base.
    """

    names: tuple[str, ...]
    bases: pd.DataFrame
    lists: pd.DataFrame
    cutoff: int
    incomplete: tuple[str, ...] = ()
    unequal: int = 0
    left_out: int = 0

    @cached_property
    def systems(self) -> pd.DataFrame:
        """SYSTEM_COLUMNS, a row a system and measure. p is 1 where every base has 0, and 2 / 2^n, that of n equal
        signs, where all have one other value; t and d are then undefined."""
        rows = []
        for system in self.names:
            of_system = self.bases[self.bases["system"] == system]
            for measure in MEASURES:
                values = of_system[measure].to_numpy(dtype=float)
                rows.append((system, measure, *_test(values[~np.isnan(values)])))
        table = pd.DataFrame(rows, columns=[name for name in SYSTEM_COLUMNS if name != "p_corrected"])
        family = table.groupby("measure")["p"].transform(lambda p: corrected(p.to_numpy(), "holm"))
        return table.assign(p_corrected=family)[list(SYSTEM_COLUMNS)]

    @property
    def sentences(self) -> list[str]:
        """Return a sentence for each system: where its neutral lists lean by nDRaB, or that it was not found."""
        texts = []
        for row in self.systems[self.systems["measure"] == "nDRaB"].to_dict("records"):
            if row["bases"] < FEWEST:
                texts.append(
                    f"{row['system']}: only {counted(row['bases'], 'base')} with lists; a test needs {FEWEST}."
                )
                continue
            p = p_value(row["p_corrected"])
            if row["p_corrected"] > SURE:
                lean = "the neutral lists lean significantly towards neither wording"
            else:
                lean = f"the neutral lists lean to the {'' if row['mean'] > 0 else 'counter-'}prototypical wording"
            size = "" if np.isnan(row["d"]) else f", d {decimal(row['d'], 2)}"
            bases = counted(row["bases"], "base")
            texts.append(f"{row['system']}: {lean} (nDRaB {signed(row['mean'])}, {p}{size}, {bases}).")
        return texts

    @property
    def notes(self) -> list[str]:
        """Return notes on what is left out, and on what an overlap cannot show."""
        lines = []
        if self.incomplete:
            named = first_listed(self.incomplete, MOST_NAMES)
            lines.append(
                f"Without a query of each variant, and left out: {counted(len(self.incomplete), 'base')}, {named}."
            )
        if self.left_out:
            lines.append(f"Without a base, and left out: {counted(self.left_out, 'query', 'queries')}.")
        undefined = self.bases[self.bases["RaB"].isna()]
        if len(undefined):
            systems = undefined.groupby("system", sort=False).size()
            named = first_listed([f"{name} {count:,}" for name, count in systems.items()], MOST_NAMES)
            lines.append(f"Bases with an unanswered wording, undefined: {named}.")
        if self.unequal:
            lines.append(
                f"{counted(self.unequal, 'comparison')} of lists of different length within {self.cutoff}: a shorter "
                "list can share fewer documents."
            )
        return [*lines, "Shared documents are counted, not their genders: a wording with rarer words shares less, too."]


def _test(values: Array) -> tuple[float, float, float, float, float, float, int]:
    """Return mean, ends of its interval, t, p, Cohen's d and the number of values."""
    from scipy.special import stdtr

    count = len(values)
    if not count:
        return np.nan, np.nan, np.nan, np.nan, np.nan, np.nan, 0
    mean = float(values.mean())
    low, high = (float(end) for end in mean_interval(values))
    deviation = float(values.std(ddof=1)) if count > 1 else np.nan
    if deviation <= EQUAL:  # the same on every base
        return mean, low, high, np.nan, 1.0 if abs(mean) <= EQUAL else 2.0 ** (1 - min(count, 1000)), np.nan, count
    d = mean / deviation
    t = d * np.sqrt(count)
    return mean, low, high, t, float(2 * stdtr(count - 1, -abs(t))) if count > 1 else np.nan, d, count


def wordings(study: Study, settings: Settings) -> Wordings:
    """Return ComSRB of the systems of the settings at their cutoff, over the bases whose queries the filter keeps.

    The queries have the columns variant and base. Raises FairvizError for another variant than N, P and CP, two queries
    of one base and variant, and where no base is complete.

    >>> import fairviz
    >>> answer = wordings(fairviz.open_study("wordings"), fairviz.Settings())
    >>> answer.systems.query("measure == 'RaB'").set_index("system")["mean"].round(2).to_dict()
    {'typical': 0.36, 'even': -0.02, 'reverse': -0.36}
    """
    queries = chosen_queries(study, settings)
    by_base, left_out = _by_base(study, queries)
    complete = {base: ids for base, ids in by_base.items() if len(ids) == len(VARIANTS)}
    incomplete = tuple(base for base in by_base if base not in complete)
    if not complete:
        lacking = f"{incomplete[0]!r} has {listed(sorted(by_base[incomplete[0]]))} only" if incomplete else "none is"
        raise FairvizError(
            f"no base of {study.name} has a query of each variant N, P and CP: {lacking}",
            "Keep all three wordings of a query in queries.csv, and in the filter.",
        )
    rankings = aligned_runs(study, settings)
    places = {query: place for place, query in enumerate(rankings.queries)}
    texts = study.queries.set_index("query_id")["text"]
    names = chosen_systems(study, settings)
    rows, lists, unequal = [], [], 0
    for system in names:
        draws = rankings.rows_of(system)
        for base, ids in complete.items():
            top = rankings.documents[: settings.cutoff][:, draws][:, :, [places[ids[variant]] for variant in VARIANTS]]
            found = []
            for place in range(len(draws)):
                neutral, typical, counter = (codes[codes >= 0] for codes in top[:, place].T)
                unequal += len({len(neutral), len(typical), len(counter)}) > 1
                in_p, in_cp = np.isin(neutral, typical), np.isin(neutral, counter)
                if place == 0:
                    cells = {"rank": np.arange(1, len(neutral) + 1), "code": neutral, "in_p": in_p, "in_cp": in_cp}
                    lists.append(pd.DataFrame(cells).assign(system=system, base=base))
                if min(len(neutral), len(typical), len(counter)):  # else a list is missing, and no overlap is known
                    found.append((in_p.mean(), in_cp.mean(), *comsrb(in_p, in_cp)))
            values = np.mean(found, axis=0) if found else np.full(2 + len(MEASURES), np.nan)
            documents = int((top[:, 0, 0] >= 0).sum())
            rows.append((system, base, texts[ids["N"]], documents, *map(float, values)))
    shown = pd.concat(lists, ignore_index=True)
    doc_ids = rankings.doc_ids[shown["code"]]
    bodies = study.documents.set_index("doc_id")["text"].reindex(doc_ids)
    shown = shown.assign(doc_id=doc_ids.astype("str"), text=[snippet(text) for text in bodies])
    bases = pd.DataFrame(rows, columns=list(BASE_COLUMNS))
    return Wordings(names, bases, shown[list(LIST_COLUMNS)], settings.cutoff, incomplete, unequal, left_out)


def _by_base(study: Study, queries: Sequence[str]) -> tuple[dict[str, dict[str, str]], int]:
    """Return the query of each variant by base, and the number of queries without a base."""
    rows = study.queries[study.queries["query_id"].isin(queries)]
    by_base: dict[str, dict[str, str]] = {}
    left_out = 0
    for query, variant, base in zip(rows["query_id"], rows["variant"], rows["base"], strict=True):
        if pd.isna(base) or not str(base).strip():
            left_out += 1
            continue
        name = "" if pd.isna(variant) else str(variant).strip().upper()
        if name not in VARIANTS:
            raise FairvizError(f"query {query!r} of {study.name} has the variant {value_text(variant)}", REMEDY)
        of_base = by_base.setdefault(str(base), {})
        if name in of_base:
            raise FairvizError(
                f"base {str(base)!r} of {study.name} has two queries {name}: {of_base[name]!r} and {query!r}",
                "Give one of them another base.",
            )
        of_base[name] = query
    return by_base, left_out
