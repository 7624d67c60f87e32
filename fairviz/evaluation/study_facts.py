"""The facts of a study that head its overview: counts, label coverage, whose labels count, and what is missing."""

from collections.abc import Sequence

import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.agreement import Votes
from fairviz.annotation.voters import (
    PEOPLE,
    PHRASES,
    annotator_names,
    default_annotator,
    is_consensus,
    kind_of,
    labels_of,
    members_of,
    voter_groups,
    voters_of,
)
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.study.attributes import groups_without_label
from fairviz.study.record import Study
from fairviz.words.sentences import agreeing, counted, listed, out_of

NAMED = 3  # voters that are named one by one
FULLY_LABELLED = "fully labelled"
FIRST_COUNTS = 3  # of `study_counts`: systems, queries and documents


def speakers(study: Study, annotator: str, voters: Sequence[str] = ()) -> str:
    """`gold (people)`, `majority of ann and bob (people)`, `majority of 287 annotators (people)`.

    voters: of a consensus, as in `Settings.voters`. Adjudications are named together with the annotator of all other
    documents. Empty for no annotator.
    """
    if is_consensus(study, annotator):
        return f"{annotator} of {told_voters(study, voters_of(study, voters))}"
    if annotator == ADJUDICATED:
        others = default_annotator(study)
        rest = f", else {speakers(study, others, voters)}" if others not in ("", ADJUDICATED) else ""
        return f"{ADJUDICATED} (a reader's decisions){rest}"
    return f"{annotator} ({PHRASES[kind_of(study, annotator)]})" if annotator else ""


def told_voters(study: Study, voters: Sequence[str]) -> str:
    """`ann and bob (people)`, `5 annotators (language model, rule)`, `nobody`. voters: names, of `voters_of`."""
    kinds = ", ".join(dict.fromkeys(PHRASES[kind_of(study, name)] for name in voters))
    return f"{names_text(voters)} ({kinds})" if voters else "nobody"


def disagreement_text(votes: Votes) -> str:
    """Return whose votes differ on how many of the documents with two votes or more, without a full stop:
    `anna, ben and cleo disagree on 24 of 60 documents`. Where nobody can disagree, the reason. votes: of `votes_of`."""
    names, shared = votes.annotators, int(votes.is_shared.sum())
    if not names:
        return "nobody votes, so nobody can disagree"
    if len(names) == 1:
        return f"only {names[0]} votes, and one annotator cannot disagree"
    if not shared:
        return f"{names_text(names)} labelled no document in common"
    return f"{names_text(names)} disagree on {out_of(int(votes.is_disputed.sum()), shared, 'document')}"


def people_counted(study: Study, settings: Settings) -> tuple[str, ...]:
    """Return the people who have a part in the labels that count, or correct them."""
    used = set()
    for name in filter(None, (chosen_annotator(study, settings), settings.corrected_by)):
        basis = default_annotator(study) if name == ADJUDICATED else name
        used |= {*members_of(study, basis, settings.voters)}
    return tuple(name for name in voter_groups(study)[PEOPLE] if name in used)


def unused_people_labels(study: Study, settings: Settings) -> int:
    """Return the number of people's labels without a part in the labels that count or correct them."""
    people = voter_groups(study)[PEOPLE]
    able = voters_of(study, people) if people else ()
    unused = {*able} - {*people_counted(study, settings)}
    return int(study.labels["annotator"].isin(unused).sum())


def counting_text(study: Study, settings: Settings) -> str:
    """Return whose labels count, and that people's do not: `labels: project (model with a reader); 15 labels by people
    are not used`."""
    whose = speakers(study, chosen_annotator(study, settings), settings.voters)
    if settings.corrected_by:
        whose += f", corrected by {speakers(study, settings.corrected_by, settings.voters)}"
    unused = unused_people_labels(study, settings)
    rest = f"; {counted(unused, 'label')} by people {agreeing(unused, 'is', 'are')} not used" if unused else ""
    return f"labels: {whose}{rest}"


def names_text(names: Sequence[str]) -> str:
    """Return `ann, bob and eve`, or `5 annotators`."""
    return listed(names) if len(names) <= NAMED else counted(len(names), "annotator")


def labels_note(study: Study, settings: Settings, scores: pd.DataFrame) -> str:
    """Return `1,170 of 1,170 ranks labelled: gold (people).`: label coverage of each system's lists down to the cutoff,
    whose labels, and the groups that none of them is. scores: from `evaluate`; empty without a measure of labels."""
    rows = scores.dropna(subset=["labelled", "places"])
    if rows.empty:
        return ""
    by_list = rows.groupby(["measure", "system"], observed=True, sort=False)[["labelled", "places"]].sum()
    annotator = chosen_annotator(study, settings)
    absent = groups_without_label(labels_of(study, annotator, settings.voters), study.groups)
    unused = f" No label is {listed([*map(study.group_text, absent)], 'or')}." if absent else ""
    return f"{_reach(by_list.reset_index())} labelled: {speakers(study, annotator, settings.voters)}.{unused}"


def _reach(table: pd.DataFrame) -> str:
    """Return `1,170 of 1,170 ranks`, or from the least to the best covered system; for systems that are covered whole
    and differ in length, `all ranks (1,163 to 1,170 per system)`. table: system, labelled, places."""
    kept = table[table["places"] > 0].astype({"labelled": int, "places": int})
    if kept.empty:
        return "0 of 0 ranks"
    order = (kept["labelled"] / kept["places"]).argsort(kind="stable")
    rows = [kept.iloc[order.iloc[place]] for place in (0, -1)]
    (labelled, places, system), (most, _, best) = ((row["labelled"], row["places"], row["system"]) for row in rows)
    if len(kept[["labelled", "places"]].drop_duplicates()) == 1:
        return f"{labelled:,} of {places:,} ranks"
    if labelled == places:
        return f"all ranks ({kept['places'].min():,} to {kept['places'].max():,} per system)"
    if kept["places"].nunique() == 1:
        return f"{labelled:,} ({system}) to {most:,} ({best}) of {places:,} ranks"
    ends = (f"{row['labelled']:,} of {row['places']:,} ({row['system']})" for row in rows)
    return f"{' to '.join(dict.fromkeys(ends))} ranks"


def study_counts(study: Study) -> list[tuple[str, str]]:
    """Return the counts of a study as (noun, number): systems, queries, documents, ranks, judged pairs, labelled
    documents."""
    counts = (
        ("system", "systems", len(study.systems)),
        ("query", "queries", len(study.queries) or len(study.answered)),
        ("document", "documents", study.word_counts.documents if study.word_counts else len(study.documents)),
        ("ranked document", "ranked documents", study.size("runs")),
        ("judged pair", "judged pairs", len(study.qrels)),
        ("labelled document", "labelled documents", study.labels["doc_id"].nunique()),
    )
    return [(singular if count == 1 else plural, f"{count:,}") for singular, plural, count in counts]


def overview_facts(study: Study, settings: Settings, label_scores: pd.DataFrame | None) -> list[tuple[str, str]]:
    """Return the short facts of a study with runs as (text, tone), the tone being empty, or `caution` where none of the
    labels that count is a person's.

    label_scores: of `evaluate` for one measure of labels; None if the study has no data for any.
    """
    facts = [(f"{number} {noun}", "") for noun, number in study_counts(study)[:FIRST_COUNTS]]
    if label_scores is not None:
        facts.append((coverage(label_scores, settings.cutoff), ""))
    if annotator_names(study):
        tone = "" if people_counted(study, settings) else "caution"
        facts.append((counting_text(study, settings), tone))
    return facts


def coverage(label_scores: pd.DataFrame, cutoff: int) -> str:
    """Return `top 10 fully labelled`, or the share of the ranks that are labelled. label_scores: see
    `overview_facts`."""
    scores = label_scores.dropna(subset=["labelled", "places"])
    labelled, places = scores["labelled"].sum(), scores["places"].sum()
    if not places:
        return "no ranked document labelled"
    if labelled == places:
        return f"top {cutoff} {FULLY_LABELLED}"
    return f"top {cutoff}: {labelled / places:.0%} labelled"


def missing_lines(parts: Sequence[tuple[str, str]]) -> list[str]:
    """Return a line for each reason why measures cannot be computed: their names, the reason and its remedy.

    parts: of `Asked.missing`, (measure, reason).

    >>> missing_lines([("CWEx", "it has no labels."), ("AWRF", "it has no labels.")])
    ['CWEx, AWRF: it has no labels.']
    """
    names_by_reason: dict[str, list[str]] = {}
    for name, reason in parts:
        names_by_reason.setdefault(reason, []).append(name)
    return [f"{', '.join(names)}: {reason}" for reason, names in names_by_reason.items()]


def nothing_ranked(study: Study) -> tuple[str, str]:
    """Return the message about a study without runs, and its remedy."""
    return (
        f"{study.title or study.name} holds no ranked runs, so there is nothing to measure yet.",
        f"Upload a TREC run on Data, or rank the documents: fairviz rank {study.name} --with bm25",
    )
