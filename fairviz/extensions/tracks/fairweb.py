"""Studies of NTCIR's FairWeb tasks, read from the user's files: relevance, memberships, gold distributions and runs."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from fairviz.errors import FairvizError, UsageError, expect, use_one_of, value_text
from fairviz.extensions.tracks.fairweb_files import (
    GOLD_ENDING,
    Memberships,
    read_described_run,
    read_gold,
    read_levels,
    read_memberships,
    set_name,
)
from fairviz.extensions.tracks.trec_fair import Paths, paths_of
from fairviz.study.attributes import BETWEEN, JOINED, SHARE_SIGN, Attribute
from fairviz.study.loaders import reader_of
from fairviz.study.loaders.lines import repeated_names
from fairviz.study.loaders.runs import stack_files
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study
from fairviz.words.sentences import counted

ANNOTATOR = "memberships"
ORDINAL = ("HINDEX", "RATINGS", "REVIEWS", "FOLLOWERS", "SUBSCS")  # of FairWeb's sets, behind the letter of the type
CITATION = (
    "Tao, Chen, Sakai, Chu, Arai, Soboroff, Ferro, Maistro: Overview of the NTCIR-17 FairWeb-1 Task, pp. 284-305, 2023"
)
TOPIC_SIGN = "#"  # between a document and its topic, where its memberships differ between topics
Names = dict[tuple[str, str], str]


def read_fairweb(
    memberships: Paths,
    qrels: str | Path,
    runs: Paths,
    *,
    gold: Paths = (),
    topics: str | Path | None = None,
    ordinal: Sequence[str] | None = None,
    name: str = "fairweb",
) -> Study:
    r"""Return a study of the topics of one type, from the files that NTCIREVAL reads; `save_study` stores it.

    The first set of memberships becomes the groups of the study, the others its attribute sets: the GFR of the task is
    `GFR(attributes='SET')`. A document whose memberships differ between topics is stored once for each topic, as
    DOCUMENT#TOPIC.

    Parameters
    ----------
    memberships : path or list of paths
        A file SET.gmemb for each attribute set of the type.
    qrels : path
        Relevance of all topics, as the highest level of all is that of the task.
    runs : path or list of paths
        TREC runs, one for each system.
    gold : path or list of paths
        A file SET.golddistr for each set that has targets; other sets have equal targets.
    topics : path, optional
        Queries in a format of study folders. The tasks' own file of topics is not read.
    ordinal : list of str, optional
        The sets whose groups have an order; by default those of FairWeb (HINDEX, RATINGS, FOLLOWERS, SUBSCS).
    name : str
        The name of the study.

    Returns
    -------
    Study
        With the topics of the memberships as queries.

    Raises
    ------
    DataError
        With every bad line.
    FairvizError
        If the files do not match.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import fairviz
    >>> folder = Path(tempfile.mkdtemp())
    >>> memberships, qrels, run = folder / "R-GENDER.gmemb", folder / "qrels", folder / "mine"
    >>> _ = memberships.write_text("R1 a 1 0\nR1 b 0 1\n")
    >>> _ = qrels.write_text("R1 a L1\nR1 b L0\n")
    >>> _ = run.write_text("R1 Q0 a 1 2 mine\nR1 Q0 b 2 1 mine\n")
    >>> fairviz.read_fairweb(memberships, qrels, run).systems
    ('mine',)
    """
    _check_arguments(qrels, topics, ordinal, name)
    sets = [read_memberships(path) for path in paths_of("memberships", memberships)]
    targets = {set_name(path, GOLD_ENDING): read_gold(path) for path in (paths_of("gold", gold) if gold else [])}
    _check_sets(sets, targets, ordinal or ())
    (first, *further), query_ids = sets, sets[0].topics
    attributes = {one.name: _attribute(one, targets, ordinal) for one in sets}
    own = attributes.pop(first.name)
    ranked, judged = _runs(paths_of("runs", runs), query_ids), read_levels(qrels)
    ids = _document_ids(sets, ranked, judged)
    return make_study(
        name,
        title=f"NTCIR FairWeb: {', '.join(one.name for one in sets)}",
        citation=CITATION,
        groups=own.levels,
        scale=own.scale,
        targets=dict(zip(own.levels, own.target, strict=True)) if own.target else {},
        queries=_queries(topics, query_ids),
        runs=ranked.assign(doc_id=_renamed(ranked, ids).astype("category")),
        qrels=judged.assign(doc_id=_renamed(judged, ids)),
        labels=_labels(first, ids),
        documents=_documents(further, ids) if further else None,
        attributes=attributes,
        annotators={ANNOTATOR: Annotator(ANNOTATOR, "person", f"Groups of {first.name}, by the organisers of FairWeb")},
        notices=_notices(first, own, ids),
    )


def _check_arguments(qrels: object, topics: object, ordinal: object, name: object) -> None:
    expect("qrels", qrels, (str, Path), "Give the path of the file of relevance levels.")
    expect("topics", topics, (str, Path, type(None)), "Give the path of a file of queries, or None.")
    expect("name", name, str, "Give the study a name, as text.")
    expect("ordinal", ordinal, (list, tuple, type(None)), "Give a list of attribute sets, or None for FairWeb's own.")
    if isinstance(ordinal, (list, tuple)) and not all(isinstance(one, str) for one in ordinal):
        raise UsageError(f"ordinal is {value_text(ordinal)}", "Give a list of attribute sets, as ['R-HINDEX'].")


def _check_sets(sets: list[Memberships], targets: Mapping[str, tuple[float, ...]], ordinal: Sequence[str]) -> None:
    """Raise FairvizError for sets of different topics, and for targets and ordinal sets that do not fit."""
    names, first = [one.name for one in sets], sets[0]
    if repeated := repeated_names(names):
        raise FairvizError(f"two files hold the attribute set {repeated[0]!r}", "Name one file of each set.")
    for one in sets[1:]:
        if lone := sorted(set(one.topics) ^ set(first.topics)):
            has, lacks = (one, first) if lone[0] in one.topics else (first, one)
            raise FairvizError(
                f"{has.name} has the topic {lone[0]!r}, which {lacks.name} lacks",
                "Name the attribute sets of one type of topics, as R-GENDER and R-HINDEX.",
            )
    for name, shares in targets.items():
        groups = next((one.groups for one in sets if one.name == name), None)
        if groups is None:
            raise FairvizError(
                f"no memberships of the set {name!r}, of which there are targets", use_one_of(names, name)
            )
        if groups != len(shares):
            raise FairvizError(
                f"{name} has {groups} groups and {len(shares)} targets", "Give a target share for each group."
            )
    if unknown := [name for name in ordinal if name not in names]:
        raise FairvizError(f"no memberships of the ordinal set {unknown[0]!r}", use_one_of(names, unknown[0]))


def _attribute(one: Memberships, targets: Mapping[str, tuple[float, ...]], ordinal: Sequence[str] | None) -> Attribute:
    """Return a set of memberships as an attribute set; its groups have an order by name, unless `ordinal` is given."""
    is_ordinal = one.name.rpartition("-")[2].upper() in ORDINAL if ordinal is None else one.name in ordinal
    levels = tuple(str(place) for place in range(1, one.groups + 1))
    return Attribute(levels, "ordinal" if is_ordinal else "nominal", targets.get(one.name, ()))


def _runs(paths: list[str | Path], query_ids: Sequence[str]) -> pd.DataFrame:
    """Return the runs without the topics of other types. Raises FairvizError for one without any topic of this type."""
    tables = []
    for path in paths:
        table = read_described_run(path)
        table = table[table["query_id"].isin(query_ids)]
        if not len(table):
            raise FairvizError(
                f"the run {Path(path).name} ranks none of the topics {', '.join(query_ids[:3])}, …",
                "Name the runs of the topics of the memberships.",
            )
        tables.append(table)
    return stack_files(tables)


def _queries(topics: str | Path | None, query_ids: Sequence[str]) -> pd.DataFrame | None:
    """Return the queries of these topics, None without a file. Raises FairvizError for a topic that the file lacks."""
    if topics is None:
        return None
    queries = reader_of("queries", topics)(topics)
    if missing := [query for query in query_ids if query not in set(queries["query_id"])]:
        raise FairvizError(f"{Path(topics).name} has no topic {missing[0]!r}", "Name the file of these topics.")
    return queries[queries["query_id"].isin(query_ids)]


def _document_ids(sets: list[Memberships], ranked: pd.DataFrame, judged: pd.DataFrame) -> Names:
    """Return the id of each document of a topic: its own, or DOCUMENT#TOPIC where its memberships differ."""
    pairs = dict.fromkeys(pair for one in sets for pair in one.shares)
    pairs |= dict.fromkeys([*_pairs(ranked), *_pairs(judged)])
    topics = set(sets[0].topics)
    memberships: dict[str, set] = defaultdict(set)  # those that a document has in any topic
    for topic, document in pairs:
        if topic in topics:
            memberships[document].add(tuple(one.shares.get((topic, document)) for one in sets))
    return {
        (topic, document): f"{document}{TOPIC_SIGN}{topic}" if len(memberships[document]) > 1 else document
        for topic, document in pairs
        if topic in topics
    }


def _pairs(table: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Return the query and the document of each row."""
    return zip(table["query_id"].astype("str"), table["doc_id"].astype("str"), strict=True)


def _renamed(table: pd.DataFrame, ids: Names) -> pd.Series:
    return pd.Series([ids.get(pair, pair[1]) for pair in _pairs(table)], index=table.index, dtype="str")


def _labels(first: Memberships, ids: Names) -> pd.DataFrame:
    """Return a row for each group that a document belongs to, with its share."""
    rows = dict.fromkeys(
        (ids[pair], ANNOTATOR, str(group), share)
        for pair, shares in first.shares.items()
        for group, share in enumerate(shares, start=1)
        if share > 0
    )
    return pd.DataFrame([*rows], columns=["doc_id", "annotator", "label", "share"])


def _documents(further: list[Memberships], ids: Names) -> pd.DataFrame:
    """Return a column for each further set, whose cells are as `fairviz.study.attributes` reads them."""
    cells: dict[str, dict[str, str]] = {}
    for one in further:
        for pair, shares in one.shares.items():
            named = [f"{group}{SHARE_SIGN}{share!r}" for group, share in enumerate(shares, start=1) if share > 0]
            row = cells.setdefault(ids[pair], dict.fromkeys((each.name for each in further), ""))
            row[one.name] = BETWEEN.join(named)
    frame = pd.DataFrame.from_dict(cells, orient="index", dtype="str").rename_axis("doc_id").reset_index()
    frame.insert(1, "text", pd.Series([None] * len(frame), dtype="str"))
    return frame


def _notices(first: Memberships, own: Attribute, ids: Names) -> tuple[str, ...]:
    order = "in order" if own.scale == "ordinal" else "without an order"
    notices = [f"The groups are those of {first.name}, {order}, numbered as in the file, which has no names of groups."]
    if apart := {document for (_, document), named in ids.items() if named != document}:
        scope = "with memberships that differ between topics: stored once for each topic."
        notices.append(f"{counted(len(apart), 'document')} {scope}")
    return tuple(notices)


def task_measures(study: Study) -> tuple[str, ...]:
    """Return the task's measures of such a study: GFR by ERR and by iRBU, over all its sets."""
    parts = ["distance='rnod'"] if study.scale == "ordinal" else []
    parts += [f"attributes='{JOINED.join(study.attributes)}'"] if study.attributes else []
    brackets = (",".join(one) for one in (parts, ["user='irbu'", *parts]))
    return tuple(f"GFR({inner})" if inner else "GFR" for inner in brackets)
