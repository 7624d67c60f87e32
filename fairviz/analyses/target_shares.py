"""The genders' shares in the collection, of candidates and relevant documents, and of the exposure of each system."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairviz.analyses.record import Analysis, Drawing, Progress, Table

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.evaluation.settings import Settings
    from fairviz.figures.style import Theme
    from fairviz.study.record import Study

SETS = {"collection": "the collection", "candidates": "the candidates", "relevant": "relevant documents"}
COLUMNS = ("of", "kind", "group", "share", "ci_low", "ci_high", "queries")


@dataclass(frozen=True, eq=False)
class TargetShares:
    """table: COLUMNS, a row a set or system and group. distances: a row a system and target, of AWRF. groups: gender
    groups. left_out: why a set is not there."""

    table: "pd.DataFrame"
    distances: "pd.DataFrame"
    groups: tuple[str, ...]
    left_out: tuple[str, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The shares of the first group, and the system whose exposure is farthest from each set."""
        group = self.groups[0]
        own = self.table[self.table["group"] == group].set_index("of")["share"]
        sets = [f"{own[name]:.0%} of {SETS[name]}" for name in SETS if name in own.index]
        said = [f"Of gendered documents, {group} are {', '.join(sets)}."] if sets else []
        for target, rows in self.distances.groupby("target", sort=False):
            ordered = rows.dropna(subset="value").sort_values("value", kind="stable")
            if len(ordered) > 1:
                near, far = ordered.iloc[0], ordered.iloc[-1]
                whose = f"Nearest to {SETS[str(target)]}" if target in SETS else "Nearest to the study's targets"
                said.append(
                    f"{whose}: {near['system']} (AWRF {near['value']:.3f}); farthest: {far['system']} "
                    f"({far['value']:.3f})."
                )
        return tuple(said)


def _compute(study: "Study", settings: "Settings", progress: Progress) -> TargetShares:
    import numpy as np
    import pandas as pd

    from fairviz.evaluation.choices import Resolved, selection_of
    from fairviz.evaluation.questions import ask, split_by_data
    from fairviz.evaluation.scores import bias_of, evaluate, summarise
    from fairviz.measures.awrf import set_shares
    from fairviz.statistics.intervals import mean_interval, mean_over_queries

    asked = split_by_data(study, settings, ("AWRF", *(f"AWRF(target={name!r})" for name in SETS)))
    resolved = Resolved(study, settings)
    resolved.refuse_missing([ask("AWRF", settings)])
    rankings = resolved.align(collection=True)
    selection = selection_of(study, settings, rankings)
    known = {question.parameters["target"] for question in asked.questions}

    def of_queries(values: "np.ndarray") -> "pd.DataFrame":
        """Return share, ci_low, ci_high and queries of shares (…, Q), a row for each of the first axes."""
        low, high = mean_interval(values)
        counts = (~np.isnan(values)).sum(axis=-1)
        columns = {"share": mean_over_queries(values), "ci_low": low, "ci_high": high, "queries": counts}
        return pd.DataFrame({name: np.ravel(column) for name, column in columns.items()})

    parts = []
    for name in [name for name in SETS if name in known]:
        places = [rankings.lists.queries.index(query) for query in selection.queries]
        shares = set_shares(rankings, name)[:, places]  # (G, Q)
        part = of_queries(shares)
        if name == "collection":  # one set for all queries
            part = part.assign(share=shares[:, 0], ci_low=np.nan, ci_high=np.nan, queries=0)
        parts.append(part.assign(of=name, kind="set", group=rankings.groups))
    exposures = rankings.exposure(bias_of(rankings, settings, settings.cutoff), np.array([settings.cutoff]))[1:, 0]
    total = exposures.sum(axis=0)
    gendered = selection.take(exposures / np.where(total > 0, total, np.nan))  # (G, S, Q)
    for place, system in enumerate(selection.systems):
        parts.append(of_queries(gendered[:, place]).assign(of=system, kind="system", group=rankings.groups))
    table = pd.concat(parts, ignore_index=True)[list(COLUMNS)].astype({"of": "str", "kind": "str", "group": "str"})

    target_of = {question.text: question.parameters["target"] for question in asked.questions}
    distances = summarise(evaluate(study, asked.questions, settings, rankings=rankings))
    distances.insert(1, "target", distances["measure"].astype("str").map(target_of))
    return TargetShares(table, distances, rankings.groups, tuple(f"{name}: {why}" for name, why in asked.missing))


def _sentences(found: TargetShares) -> Sequence[str]:
    return found.sentences


def _bars(found: TargetShares, theme: "Theme") -> Drawing:
    from fairviz.figures import target_shares

    bars = target_shares.info(found.table, found.groups)
    return Drawing(target_shares.draw(bars, theme), bars.alt)


TARGET_SHARES = Analysis(
    name="target-shares",
    title="Targets",
    question="Which share of the exposure would be fair?",
    summary="the genders' shares in the collection, the candidates, relevant documents and the exposure",
    compute=_compute,
    tables={
        "shares": Table(
            lambda found: found.table, "each gender's share of gendered documents of a set, or of a system's exposure"
        ),
        "distances": Table(
            lambda found: found.distances, "AWRF of each system, by the shares that its targets are taken from"
        ),
    },
    sentences=_sentences,
    needs={"runs": "", "labels": "to count genders by"},
    reads=(
        "systems", "cutoff", "position_bias", "custom_bias", "ties", "annotator", "voters", "unlabelled",
        "filter_column", "filter_values", "crossed_with",
    ),
    figures={"Shares in documents and in exposure": _bars},
    notes=lambda found: found.left_out,
    details=(
        "Shares are of documents with a gender; neutral ones and those without a label do not count. Of candidates, "
        "relevant documents and exposure, the mean over queries with its 95 % interval. AWRF(target='collection'), "
        "'candidates' and 'relevant' measure the distance of each list's exposure from these shares, query by query.",
    ),
    manual="explanation/groups",
    quick=True,
)  # fmt: skip
