"""Counts of the parts of a study, and warnings about inconsistencies, none of which stops the user."""

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import astuple, dataclass, fields, replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError
from fairviz.study.attributes import groups_without_label
from fairviz.study.loaders.finding import find_files
from fairviz.study.record import Study
from fairviz.study.tables import list_numbers, ranked
from fairviz.words.counting import document_text, list_use
from fairviz.words.sentences import counted, first_listed, listed, out_of
from fairviz.words.tokenizers import UNACCENTED

TOP = 10
TOKENIZER = "word"  # that of a study without a choice
NAMED = 3
_RUN = "{}"  # the place of the run's name in an item
_IF_WRONG = "Nothing, if this is right; otherwise correct the file."
MOST_ANNOTATORS = 50  # whose ids are compared apart
FEWEST = 0.1  # share of the ids without a match, below which a likeness is chance
ALIKE = "Write them alike in both."
SWAPPED = "Exchange its columns of query and document."
_BY_TEXT = "by text"


@dataclass(frozen=True)
class Finding:
    """A line of the report. A finding with a remedy is a warning; one without is a count.

    system: the run of the line, whose name replaces {} in `item`; empty for other lines.
    """

    part: str
    item: str
    count: int
    detail: str = ""
    remedy: str = ""
    system: str = ""


def check(study: Study) -> pd.DataFrame:
    """Return the report: part, item, count, detail, remedy; counts first, then warnings (with a remedy).

    Lines that differ only by the run are one line, `12 runs: …`, in the place of the first, with the runs' names if
    these are not all.
    """
    names_by_finding: dict[Finding, list[str]] = {}
    for finding in [*_counts(study), *(finding for finding in _warnings(study) if finding.count)]:
        names_by_finding.setdefault(replace(finding, system=""), []).append(finding.system)
    rows = []
    for finding, names in names_by_finding.items():
        if len(names) == 1:  # of one run, or of none, whose items have no place for its name
            finding = replace(finding, item=finding.item.replace(_RUN, names[0]) if names[0] else finding.item)
        elif names[0]:
            item = finding.item.replace(f" of {_RUN}", "").replace(f"{_RUN} lacks", "are lacking")
            names_text = f"in each of {', '.join(names)}" if len(names) < len(study.run_names) else ""
            detail = "; ".join(filter(None, (finding.detail, names_text)))
            finding = replace(finding, item=f"{len(names):,} runs: {item}", detail=detail)
        rows.append(astuple(finding)[:-1])
    return pd.DataFrame(rows, columns=[field.name for field in fields(Finding)][:-1])


def _counts(study: Study) -> Iterator[Finding]:
    yield Finding("queries", "queries", len(study.queries))
    yield Finding("documents", "documents", len(study.documents))
    yield Finding("runs", "systems", len(study.systems), ", ".join(map(study.system_text, study.systems)))
    if study.has("runs"):
        lists = study.lengths
        for place, system in enumerate(study.run_names):
            lengths = lists[place][lists[place] > 0]
            if not len(lengths):
                continue
            depth = f"{lengths.min():,} to {lengths.max():,}" if lengths.min() < lengths.max() else f"{lengths.max():,}"
            yield Finding("runs", f"lists of {_RUN}", len(lengths), f"{depth} documents each", system=system)
    yield Finding("qrels", "judged pairs", len(study.qrels), _relevance_text(study.qrels))
    if study.has("qrels") and study.has("runs"):
        judged, retrieved = study.qrels["doc_id"].drop_duplicates(), study.retrieved
        unseen = judged[~is_among(judged, retrieved)]
        if len(unseen):
            yield Finding("qrels", "judged documents that no run has", len(unseen), first_listed(unseen, NAMED))
    for annotator, labels in study.labels.groupby("annotator", sort=False)["label"]:
        shares = ", ".join(f"{label} {count:,}" for label, count in labels.value_counts().head(6).items())
        yield Finding("labels", f"labels by {annotator}", len(labels), shares)
    if study.lexicon is not None:
        use = list_use(study.lexicon, TOKENIZER, study.groups)
        yield Finding("lexicon", f"words of {study.lexicon.name}", len(study.lexicon.words), " ".join(use.rules))


def _relevance_text(qrels: pd.DataFrame) -> str:
    """Return the number of relevant pairs, and of judged queries; empty without judgements."""
    if not len(qrels):
        return ""
    relevant = int((qrels["relevance"] > 0).sum())
    return f"{relevant:,} relevant, in {counted(qrels['query_id'].nunique(), 'query')}"


def _warnings(study: Study) -> Iterator[Finding]:
    for warning in study.warnings:
        text, _, step = warning.partition("\n")
        yield Finding("study", "noticed while reading", 1, text, step or _IF_WRONG)
    for miss in near_misses(study):
        item = f"{'ids' if miss.column else 'rows'} that nearly match"
        yield Finding(miss.part, item, miss.count, miss.sentence, miss.remedy)
    if study.has("runs"):
        yield from _query_warnings(study)
        yield from _document_warnings(study)
        yield from _order_warnings(study)
    yield from _label_warnings(study)
    yield from _qrels_warnings(study)
    yield from _lexicon_warnings(study)


def _listing(part: str, item: str, names: Collection[str], remedy: str, system: str = "") -> Finding:
    """Return the warning on these names: their number, and the first few of them."""
    return Finding(part, item, len(names), first_listed(names, NAMED), remedy, system)


def _unless_near(study: Study, part: str, column: str, remedy: str) -> str:
    """Return the remedy for ids without a match; where they nearly match, that this is said above."""
    return "They nearly match: see above." if near_miss_text(study, part, column) else remedy


def _query_warnings(study: Study) -> Iterator[Finding]:
    """Yield the queries of runs that the queries table or other runs lack, and the other way round."""
    lengths = study.lengths
    queries = study.answered
    if study.has("queries"):
        unknown = queries[~queries.isin(study.queries["query_id"])]
        remedy = _unless_near(study, "runs", "query_id", "No measure counts them; add them to queries.")
        yield _listing("queries", "in a run, without text", unknown, remedy)
        unused = study.queries.loc[~study.queries["query_id"].isin(queries), "query_id"]
        remedy = _unless_near(study, "runs", "query_id", "Rank them, or leave them out of queries.")
        yield _listing("queries", "in no run", unused, remedy)
    if len(study.run_names) > 1:
        remedy = "Compare systems on common queries."
        yield _listing("runs", "queries in one run only", queries[(lengths > 0).sum(axis=0) == 1], remedy)
        for own, system in zip(lengths, study.run_names, strict=True):
            missing = queries[(own == 0) & lengths.any(axis=0)]
            yield _listing("runs", f"queries that {_RUN} lacks", missing, remedy, system)
            short = queries[(own > 0) & (own < lengths.max(axis=0))]
            item = f"lists of {_RUN} shorter than another system's"
            yield _listing("runs", item, short, "Avoid cutoffs beyond their end.", system)


def _document_warnings(study: Study) -> Iterator[Finding]:
    """Yield the documents of runs without word counts, without an entry among the documents, and without text."""
    retrieved = study.retrieved
    if study.word_counts:
        unknown = retrieved[~study.word_counts.counts(pd.Index(retrieved, dtype="str"), ()).known]
        remedy = _unless_near(study, "runs", "doc_id", "Count the collection that the runs were made from.")
        yield _listing("documents", "in a run, not in the word counts", unknown, remedy)
    if study.has("documents"):
        doc_ids, text = study.documents["doc_id"], study.documents["text"]
        remedy = _unless_near(study, "runs", "doc_id", "Add them to documents.")
        yield _listing("documents", "in a run, not in documents", retrieved[~retrieved.isin(doc_ids)], remedy)
        is_empty = text.str.strip().eq("").fillna(False) & (study.documents["title"].str.strip() == "")
        for item, condition in (("in a run, text missing", text.isna()), ("in a run, text empty", is_empty)):
            names = doc_ids[doc_ids.isin(retrieved) & condition.astype(bool)]
            yield _listing("documents", item, names, "Add their text, for measures of words.")


def _order_warnings(study: Study) -> Iterator[Finding]:
    """Yield, for each run, its tied neighbours, lists with gaps in their ranks, and neighbours out of order."""
    tied, gaps, contradicted = map(np.concatenate, zip(*map(_order_slips, study.runs_in_parts()), strict=True))
    tie_rule, which = "Set a tie rule: it decides their order.", "Check which of the two is meant."
    gap_item = f"lists of {_RUN} with gaps or repeats in their ranks"
    contradicted_item = f"neighbours of {_RUN} whose ranks contradict their scores"
    kinds = [
        (f"tied neighbours of {_RUN}", tied, "pairs with the same score", tie_rule),
        (gap_item, gaps, "ranks are renumbered", "Check whether ranks were left out of the file."),
        (contradicted_item, contradicted, "the score decides", which),
    ]
    counts = [np.bincount(systems, minlength=len(study.run_names)).tolist() for _, systems, *_ in kinds]
    for place, system in enumerate(study.run_names):
        for (item, _, detail, remedy), count in zip(kinds, counts, strict=True):
            yield Finding("runs", item, count[place], detail, remedy, system)


def _order_slips(runs: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the systems' codes of tied neighbours, of lists with gaps in ranks, and of neighbours out of order."""
    codes = runs["system"].cat.codes.to_numpy()
    lists, rank, score = list_numbers(runs), runs["rank"].to_numpy(), runs["score"].to_numpy()
    list_steps, rank_steps = np.diff(lists), np.diff(rank)
    if not ((list_steps > 0) | ((list_steps == 0) & (rank_steps >= 0))).all():
        order = np.lexsort((rank, lists))
        codes, lists, rank, score = codes[order], lists[order], rank[order], score[order]
    in_one_list = lists[1:] == lists[:-1]
    gap_lists = np.unique(lists[1:][in_one_list & (np.diff(rank) != 1)])
    rises = in_one_list & (score[1:] > score[:-1])
    contradicted = codes[1:][rises & (rank[1:] != rank[:-1])]  # equal ranks, as BEIR writes 0, contradict nothing
    if rises.any():
        ordered = ranked(runs)
        codes, lists, score = ordered["system"].cat.codes.to_numpy(), list_numbers(ordered), ordered["score"].to_numpy()
        in_one_list = lists[1:] == lists[:-1]
    tied = codes[1:][in_one_list & (score[1:] == score[:-1])]
    return tied, gap_lists // len(runs["query_id"].cat.categories), contradicted


def _label_warnings(study: Study) -> Iterator[Finding]:
    if study.has("labels") and study.label_kind == "gender":
        absent = groups_without_label(study.labels, study.groups)
        remedy = "Add such labels, or take it out of groups in study.toml: for measures it is never shown."
        yield _listing("labels", "groups that no label has", [study.group_text(group) for group in absent], remedy)
    if not study.has("labels") or not study.has("runs"):
        return
    documents = study.retrieved
    tops = []
    for part in study.runs_in_parts():
        ordered = ranked(part)
        top_ids = ordered["doc_id"][ordered["rank"].to_numpy() <= TOP].cat
        codes = top_ids.codes.to_numpy()
        tops.append(codes if top_ids.categories.equals(documents) else documents.get_indexer(top_ids.categories)[codes])
    top, retrieved = np.concatenate(tops), documents
    for annotator, labels in study.labels.groupby("annotator", sort=False)["doc_id"]:
        covered = int(documents.isin(labels)[top].sum())
        item = f"in a run, without a label by {annotator}"
        detail = f"{covered:,} of {len(top):,} ranks in the top {TOP} are labelled"
        missing = int((~retrieved.isin(labels)).sum())
        yield Finding("labels", item, missing, detail, "Check the label coverage next to each figure.")
    unused = study.labels.loc[~study.labels["doc_id"].isin(retrieved), "doc_id"].drop_duplicates()
    remedy = _unless_near(study, "labels", "doc_id", "They count only for agreement.")
    yield _listing("labels", "for documents in no run", unused, remedy)


def _qrels_warnings(study: Study) -> Iterator[Finding]:
    if not study.has("qrels"):
        return
    run_queries = study.answered
    judged = study.qrels["query_id"].drop_duplicates()
    if len(run_queries) or study.has("queries"):
        unknown = judged[~judged.isin(run_queries) & ~judged.isin(study.queries["query_id"])]
        remedy = _unless_near(study, "qrels", "query_id", "Check that the ids are those of the queries.")
        yield _listing("qrels", "queries unknown to the study", unknown, remedy)
    remedy = "They are left out of effectiveness; add judgements for them."
    remedy = _unless_near(study, "qrels", "query_id", remedy)
    yield _listing("qrels", "queries in a run, without judgements", run_queries[~run_queries.isin(judged)], remedy)


def _lexicon_warnings(study: Study) -> Iterator[Finding]:
    if study.lexicon is None:
        return
    texts = document_text(study.documents).dropna()
    use = list_use(study.lexicon, TOKENIZER, study.groups, texts if len(texts) else None)
    remedy = "Write words with letters; * stands for the rest of a word at the end of an entry alone."
    yield _listing("lexicon", "words that can never match", use.lost, remedy)
    remedy = "Check their spelling, or ignore this where they are rare."
    if len(use.absent) + len(use.lost) == use.entries:
        remedy = "Measures of words are undefined: give words in the language and spelling of the documents."
    yield _listing("lexicon", "words in no document", use.absent, remedy)
    remedy = f"Choose the tokenizer {UNACCENTED.name}, or write them as the documents do."
    yield _listing("lexicon", "words in no document but with other accents", use.unaccented, remedy)


# --- Ids that nearly join: those of one part of a study that another part has in another spelling. One function
# compares them over all joins: labels with runs, runs with documents and queries, judgements with both, and runs
# with each other. `check`, uploads and the reasons of undefined values name what it finds.


@dataclass(frozen=True)
class NearMiss:
    """Ids, or rows, of a part that would be found in another part if they were written as there.

    column: of the ids, empty for rows. count: those that do not match and would. sentence: with an example.
    """

    part: str
    column: str
    count: int
    sentence: str
    remedy: str = ALIKE


@dataclass(frozen=True)
class _Join:
    """Distinct ids of a part, and those among which they are looked up; texts: by these, such as titles.

    name: of the ids in sentences, by default that of the part.
    """

    part: str
    column: str
    ids: pd.Index
    known_part: str
    known: pd.Index
    texts: pd.Series | None = None
    name: str = ""


Way = Callable[[Any], Any]  # from ids as they are to ids as they are compared, both as Arrow texts
_FOUND: WeakKeyDictionary[Study, tuple[NearMiss, ...]] = WeakKeyDictionary()


def near_misses(study: Study) -> tuple[NearMiss, ...]:
    """Return the ids of each part that another part has in another spelling; computed once a study."""
    if study not in _FOUND:
        swapped = tuple(_swapped(study))
        exchanged = {miss.part for miss in swapped}
        joins = (join for join in _joins(study) if join.part not in exchanged)
        _FOUND[study] = (*swapped, *(miss for join in joins for miss in _near_misses(study, join)))
    return _FOUND[study]


def near_miss_text(study: Study, part: str = "", column: str = "") -> str:
    """Return the sentences on ids that nearly join, by default of all parts and columns; empty for none."""
    found = near_misses(study)
    return " ".join(
        miss.sentence for miss in found if part in ("", miss.part) and (not column or miss.column in ("", column))
    )


def _joins(study: Study) -> Iterator[_Join]:
    """Yield every pair of parts whose ids should be the same."""
    documents, queries = pd.Index(study.documents["doc_id"]), pd.Index(study.queries["query_id"])
    ranked, asked = study.retrieved, study.answered
    titles = study.documents.set_index("doc_id")["title"]
    texts = study.queries.set_index("query_id")["text"]
    shown: tuple[str, pd.Index] = ("runs", ranked) if len(ranked) else ("documents", documents)
    searched: tuple[str, pd.Index] = ("runs", asked) if len(asked) else ("queries", queries)
    if 1 < study.labels["annotator"].nunique() <= MOST_ANNOTATORS:
        for annotator, rows in study.labels.groupby("annotator", sort=False):
            yield _Join("labels", "doc_id", _distinct(rows["doc_id"]), *shown, titles, f"the labels by {annotator}")
    else:
        yield _Join("labels", "doc_id", _distinct(study.labels["doc_id"]), *shown, titles)
    yield _Join("runs", "doc_id", ranked, "documents", documents, titles)
    yield _Join("runs", "query_id", asked, "queries", queries, texts)
    yield _Join("qrels", "query_id", _distinct(study.qrels["query_id"]), *searched, texts)
    yield _Join("qrels", "doc_id", _distinct(study.qrels["doc_id"]), *shown, titles)
    if len(study.run_names) > 1 and not len(queries):
        yield from _joins_of_runs(study)
    if study.word_counts and len(ranked):
        yield _join_with_counts(study.word_counts, ranked)


def _joins_of_runs(study: Study) -> Iterator[_Join]:
    """Yield the queries of each run with those of the others."""
    queries = study.answered
    has_list = study.lengths > 0
    for place, name in enumerate(study.run_names):
        own = queries[has_list[place]]
        others = queries[np.flatnonzero(np.delete(has_list, place, axis=0).any(axis=0))]
        yield _Join("runs", "query_id", own, "runs", others, name=f"the run {name}")


def _join_with_counts(word_counts: Any, ranked: pd.Index) -> _Join:
    """Return the join of runs and word counts, whose ids can be looked up and not listed: other spellings are tried."""
    is_known: np.ndarray = word_counts.counts(ranked, ()).known
    missing = _arrow(ranked[~is_known])
    spelled = [pd.Index(pd.array(way(missing), dtype="str")) for way in _WAYS.values()]
    spellings = spelled[0].append(spelled[1:]).unique()
    spellings = spellings[word_counts.counts(spellings, ()).known]
    return _Join("runs", "doc_id", ranked, "word counts", ranked[is_known].append(spellings))


def _distinct(values: pd.Series) -> pd.Index:
    """Return the texts that occur in a column, each once."""
    if not isinstance(values.dtype, pd.CategoricalDtype):
        return pd.Index(values.unique(), dtype="str")
    texts = values.cat.categories
    return texts[np.bincount(values.cat.codes.to_numpy(), minlength=len(texts)) > 0]


def _replaced(texts: Any, pattern: str, sign: str = "") -> Any:
    import pyarrow.compute as pc

    return pc.replace_substring_regex(texts, pattern, sign)


def _in_lower_case(texts: Any) -> Any:
    import pyarrow.compute as pc

    return pc.utf8_lower(texts)


def _in_one_form(texts: Any) -> Any:
    import pyarrow.compute as pc

    return pc.utf8_normalize(texts, "NFKC")


_WAYS: dict[str, Way] = {
    "without .0": partial(_replaced, pattern=r"([0-9])\.0+$", sign=r"\1"),
    "without blanks": partial(_replaced, pattern=r"[\s\p{Z}\p{Cf}]+"),
    "in lower case": _in_lower_case,
    "without leading zeros": partial(_replaced, pattern=r"(^|[^0-9])0+([0-9])", sign=r"\1\2"),
    "in one Unicode form": _in_one_form,
    "without quotation marks": partial(_replaced, pattern="[\"'`´‘’“”«»„]+"),
    "with the same signs between their parts": partial(_replaced, pattern="[-_/.:]+", sign="_"),
}


def _in_all_ways(texts: Any) -> Any:
    """Return Arrow texts spelled in all ways, one after another."""
    for way in _WAYS.values():
        texts = way(texts)
    return texts


def _affixes(missing: Any, known: Any) -> dict[str, Way]:
    """Return the ways without what all ids of one side have in front or at the end."""
    import pyarrow.compute as pc

    ways: dict[str, Way] = {}
    sides = [
        (_common_start(ids).rstrip("0123456789"), _common_start(pc.utf8_reverse(ids))[::-1].lstrip("0123456789"))
        if len(ids) > 1
        else ("", "")
        for ids in (missing, known)
    ]
    for (front, end), (other_front, other_end) in (sides, sides[::-1]):
        if front := front.removesuffix(other_front):
            ways[f"without {front!r} in front"] = partial(_replaced, pattern=f"^{re.escape(front)}")
        if end := end.removeprefix(other_end):
            ways[f"without {end!r} at the end"] = partial(_replaced, pattern=f"{re.escape(end)}$")
    return ways


def _common_start(texts: Any) -> str:
    """Return what all texts begin with: as much as the first and the last in their order have in common."""
    import pyarrow.compute as pc

    first, last = pc.min_max(texts).as_py().values()
    same = (place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(same, min(len(first), len(last)))]


def _arrow(ids: Any) -> Any:
    """Return the texts of an index or a column as Arrow."""
    import pyarrow as pa

    return ids if isinstance(ids, (pa.Array, pa.ChunkedArray)) else pa.array(ids.array, type=pa.large_string())


def is_among(ids: Any, known: Any) -> np.ndarray:
    """Return whether each id is one of the known ones, (N,); both an index or a column of texts."""
    import pyarrow.compute as pc

    return pc.is_in(_arrow(ids), _arrow(known)).to_numpy(zero_copy_only=False)


def _near_misses(study: Study, join: _Join) -> Iterator[NearMiss]:
    """Yield each way in which a tenth of the ids without a match, on the side that has fewer, would have one."""
    ids, known = _arrow(join.ids), _arrow(join.known)
    missing, spare = ids.filter(~is_among(ids, known)), known.filter(~is_among(known, ids))
    if not len(missing) or not len(known):
        return
    least = max(1.0, FEWEST * min(len(missing), len(spare) or len(missing)))
    ways = {**_WAYS, **_affixes(missing, known), "": _in_all_ways}
    tries = [(how, known, known, way) for how, way in ways.items()]
    if join.texts is not None and len(join.texts):
        tries.append((_BY_TEXT, _arrow(join.texts.fillna("")), _arrow(join.texts.index), _in_all_ways))
    for how, texts, names, way in tries:
        places = _places(missing, texts, way)
        is_match = places >= 0
        count = int(is_match.sum())
        if count < least:
            continue
        first = int(is_match.argmax())
        pair = missing[first].as_py(), names[int(places[first])].as_py()
        yield _near_miss(study, join, count, how or _steps_text(*pair), *pair)
        missing = missing.filter(~is_match)


def _places(missing: Any, texts: Any, way: Way) -> np.ndarray:
    """Return for each missing id the place of a known text that is the same in this way, (N,); -1 for none, for empty
    texts, and where the way changes no text."""
    import pyarrow.compute as pc

    own, others = way(missing), way(texts)
    if own.equals(missing) and others.equals(texts):
        return np.full(len(missing), -1)
    places = pc.fill_null(pc.index_in(own, value_set=others), -1).to_numpy()
    return np.where(pc.equal(own, "").to_numpy(zero_copy_only=False), -1, places)


def _near_miss(study: Study, join: _Join, count: int, how: str, own: str, other: str) -> NearMiss:
    """Return the near miss with its sentence. own, other: an id, and that of the other part which it would match."""
    if how == _BY_TEXT:
        part, text = ("documents", "title") if join.column == "doc_id" else ("queries", "text")
        way = f"by the {text} in place of the id ({own!r}, of {other!r} in {_name(study, part)})"
    else:
        way = f"{how} ({own!r}, for {other!r} in {_name(study, join.known_part)})"
    of_ids = f"{out_of(count, len(join.ids), join.column)} of {join.name or _name(study, join.part)}"
    return NearMiss(join.part, join.column, count, f"{of_ids} would match {way}.")


def _steps_text(*ids: str) -> str:
    """Return the ways that change any of the ids, one after another: `without blanks and in lower case`."""
    steps, texts = [], _arrow(pd.Index(ids, dtype="str"))
    for how, way in _WAYS.items():
        spelled = way(texts)
        if not spelled.equals(texts):
            steps.append(how)
        texts = spelled
    return listed(steps)


def _swapped(study: Study) -> Iterator[NearMiss]:
    """Yield judgements, or runs, whose queries are the documents of the other parts and the other way round."""
    queries, documents = pd.Index(study.queries["query_id"]), pd.Index(study.documents["doc_id"])
    ranked, asked = study.retrieved, study.answered
    labelled = pd.Index(study.labels["doc_id"].unique(), dtype="str")
    known = {
        "qrels": (asked.append(queries), ranked.append(documents)),
        "runs": (queries, documents.append(labelled)),
    }
    for part, (known_queries, known_documents) in known.items():
        own = study.answered if part == "runs" else _distinct(study.qrels["query_id"])
        if 2 * is_among(own, known_documents).sum() <= len(own):  # also without any
            continue
        table = getattr(study, part)
        query, document = (_arrow(table[name].astype("str")) for name in ("query_id", "doc_id"))
        right = (is_among(query, known_queries) & is_among(document, known_documents)).sum()
        count = (is_among(query, known_documents) & is_among(document, known_queries)).sum()
        if 2 * right < len(table) <= 2 * count:
            rows = out_of(int(count), len(table), "row")
            sentence = f"{rows} of {_name(study, part)} would match with query and document exchanged."
            yield NearMiss(part, "", int(count), sentence, SWAPPED)


def _name(study: Study, part: str) -> str:
    """Return the words for a part: its file in a folder, `labels.csv`, else `the labels`."""
    if study.folder is not None:
        with suppress(FairvizError):
            if paths := find_files(study.folder).parts.get(part):
                return paths[0].name
    return f"the {part}"
