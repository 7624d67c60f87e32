"""Counts of the parts of a study, and warnings about inconsistencies, none of which stops the user."""

from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields, replace

import numpy as np
import pandas as pd

from fairviz.study.memberships import groups_without_label
from fairviz.study.near_misses import is_among, near_miss_text, near_misses
from fairviz.study.record import Study
from fairviz.study.tables import list_numbers, ranked
from fairviz.words.counting import document_text, list_use
from fairviz.words.sentences import counted, first_listed
from fairviz.words.tokenizers import UNACCENTED

TOP = 10
TOKENIZER = "word"  # that of a study without a choice
NAMED = 3
_RUN = "{}"  # the place of the run's name in an item
_IF_WRONG = "Nothing, if this is right; otherwise correct the file."


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

    Lines that differ only by the run are one line, in the place of the first.
    """
    findings = [*_counts(study), *(finding for finding in _warnings(study) if finding.count)]
    names = [field.name for field in fields(Finding)][:-1]
    return pd.DataFrame(
        [astuple(finding)[:-1] for finding in _merge_runs(findings, len(study.run_names))], columns=names
    )


def _merge_runs(findings: Iterable[Finding], systems: int) -> list[Finding]:
    """Return the findings with equal findings of several runs as one, `12 runs: …`, with the runs' names if not all."""
    names_by_finding: dict[Finding, list[str]] = {}
    for finding in findings:
        names_by_finding.setdefault(replace(finding, system=""), []).append(finding.system)
    return [_merged_finding(finding, names, systems) for finding, names in names_by_finding.items()]


def _merged_finding(finding: Finding, names: list[str], systems: int) -> Finding:
    if not names[0]:
        return finding
    if len(names) == 1:
        return replace(finding, item=finding.item.replace(_RUN, names[0]))
    item = f"{len(names):,} runs: {finding.item.replace(f' of {_RUN}', '').replace(f'{_RUN} lacks', 'are lacking')}"
    names_text = f"in each of {', '.join(names)}" if len(names) < systems else ""
    detail = "; ".join(filter(None, (finding.detail, names_text)))
    return replace(finding, item=item, detail=detail)


def _counts(study: Study) -> Iterator[Finding]:
    yield Finding("queries", "queries", len(study.queries))
    yield Finding("documents", "documents", len(study.documents))
    yield Finding("runs", "systems", len(study.systems), ", ".join(map(study.system_text, study.systems)))
    if study.has("runs"):
        lists = _list_lengths(study.runs)
        for place, system in enumerate(study.run_names):
            lengths = lists[place][lists[place] > 0]
            if not len(lengths):
                continue
            depth = f"{lengths.min():,} to {lengths.max():,}" if lengths.min() < lengths.max() else f"{lengths.max():,}"
            yield Finding("runs", f"lists of {_RUN}", len(lengths), f"{depth} documents each", system=system)
    yield Finding("qrels", "judged pairs", len(study.qrels), _relevance_text(study.qrels))
    if study.has("qrels") and study.has("runs"):
        judged = study.qrels["doc_id"].drop_duplicates()
        unseen = judged[~is_among(judged, _retrieved(study))]
        if len(unseen):
            yield Finding("qrels", "judged documents that no run has", len(unseen), _names(unseen))
    for annotator, labels in study.labels.groupby("annotator", sort=False)["label"]:
        shares = ", ".join(f"{label} {count:,}" for label, count in labels.value_counts().head(6).items())
        yield Finding("labels", f"labels by {annotator}", len(labels), shares)
    if study.lexicon is not None:
        use = list_use(study.lexicon, TOKENIZER, study.groups)
        yield Finding("lexicon", f"words of {study.lexicon.name}", len(study.lexicon.words), " ".join(use.rules))


def _relevance_text(qrels: pd.DataFrame) -> str:
    if not len(qrels):
        return ""
    relevant = int((qrels["relevance"] > 0).sum())
    return f"{relevant:,} relevant, in {counted(qrels['query_id'].nunique(), 'query')}"


def _warnings(study: Study) -> Iterator[Finding]:
    yield from (
        Finding("study", "noticed while reading", 1, text, step or _IF_WRONG)
        for text, _, step in (warning.partition("\n") for warning in study.warnings)
    )
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


def _unless_near(study: Study, part: str, column: str, remedy: str) -> str:
    """Return the remedy for ids without a match; where they nearly match, that this is said above."""
    return "They nearly match: see above." if near_miss_text(study, part, column) else remedy


def _list_lengths(runs: pd.DataFrame) -> np.ndarray:
    """Return the number of documents that each system returned for each query, (S, Q), in the order of the
    categories."""
    shape = (len(runs["system"].cat.categories), len(runs["query_id"].cat.categories))
    return np.bincount(list_numbers(runs), minlength=shape[0] * shape[1]).reshape(shape)


def _names(texts: Iterable[str]) -> str:
    """Return the first few texts, and the number of the others."""
    return first_listed(texts, NAMED)


def _query_warnings(study: Study) -> Iterator[Finding]:
    lengths = _list_lengths(study.runs)
    queries = study.runs["query_id"].cat.categories
    if study.has("queries"):
        unknown = queries[~queries.isin(study.queries["query_id"])]
        remedy = _unless_near(study, "runs", "query_id", "No measure counts them; add them to queries.")
        yield Finding("queries", "in a run, without text", len(unknown), _names(unknown), remedy)
        unused = study.queries.loc[~study.queries["query_id"].isin(queries), "query_id"]
        remedy = _unless_near(study, "runs", "query_id", "Rank them, or leave them out of queries.")
        yield Finding("queries", "in no run", len(unused), _names(unused), remedy)
    if len(study.run_names) < 2:
        return
    single_run_queries = queries[(lengths > 0).sum(axis=0) == 1]
    yield Finding(
        "runs",
        "queries in one run only",
        len(single_run_queries),
        _names(single_run_queries),
        "Compare systems on common queries.",
    )
    for place, system in enumerate(study.run_names):
        missing = queries[(lengths[place] == 0) & lengths.any(axis=0)]
        item = f"queries that {_RUN} lacks"
        yield Finding("runs", item, len(missing), _names(missing), "Compare systems on common queries.", system)
        short = queries[(lengths[place] > 0) & (lengths[place] < lengths.max(axis=0))]
        item = f"lists of {_RUN} shorter than another system's"
        yield Finding("runs", item, len(short), _names(short), "Avoid cutoffs beyond their end.", system)


def _document_warnings(study: Study) -> Iterator[Finding]:
    if study.word_counts:
        retrieved = pd.Index(_retrieved(study), dtype="str")
        unknown = retrieved[~study.word_counts.counts(retrieved, ()).known]
        remedy = _unless_near(study, "runs", "doc_id", "Count the collection that the runs were made from.")
        yield Finding("documents", "in a run, not in the word counts", len(unknown), _names(unknown), remedy)
    if not study.has("documents"):
        return
    retrieved = _retrieved(study)
    has_document = retrieved.isin(study.documents["doc_id"])
    unknown = retrieved[~has_document]
    remedy = _unless_near(study, "runs", "doc_id", "Add them to documents.")
    yield Finding("documents", "in a run, not in documents", len(unknown), _names(unknown), remedy)
    text = study.documents["text"]
    in_runs = study.documents["doc_id"].isin(retrieved)
    for item, condition in (
        ("in a run, text missing", text.isna()),
        ("in a run, text empty", text.str.strip().eq("").fillna(False) & (study.documents["title"].str.strip() == "")),
    ):
        names = study.documents.loc[in_runs & condition.astype(bool), "doc_id"]
        yield Finding("documents", item, len(names), _names(names), "Add their text, for measures of words.")


def _retrieved(study: Study) -> pd.Index:
    """Return the ids of the documents that any system returned."""
    documents = study.runs["doc_id"].cat
    counts = np.bincount(documents.codes.to_numpy(), minlength=len(documents.categories))
    return documents.categories if counts.all() else documents.categories[counts > 0]


def _order_warnings(study: Study) -> Iterator[Finding]:
    ties, gaps, contradicted = (_per_system(study, rows) for rows in _order_slips(study.runs))
    for place, system in enumerate(study.run_names):
        remedy = "Set a tie rule: it decides their order."
        yield Finding("runs", f"tied neighbours of {_RUN}", ties[place], "pairs with the same score", remedy, system)
        item, remedy = (
            f"lists of {_RUN} with gaps or repeats in their ranks",
            "Check whether ranks were left out of the file.",
        )
        yield Finding("runs", item, gaps[place], "ranks are renumbered", remedy, system)
        item, remedy = f"neighbours of {_RUN} whose ranks contradict their scores", "Check which of the two is meant."
        yield Finding("runs", item, contradicted[place], "the score decides", remedy, system)


def _per_system(study: Study, systems: np.ndarray) -> list[int]:
    return np.bincount(systems, minlength=len(study.run_names)).tolist()


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
    width = len(runs["query_id"].cat.categories)
    rises = in_one_list & (score[1:] > score[:-1])
    contradicted = codes[1:][rises & (rank[1:] != rank[:-1])]  # equal ranks, as BEIR writes 0, contradict nothing
    if rises.any():
        ordered = ranked(runs)
        codes, lists, score = ordered["system"].cat.codes.to_numpy(), list_numbers(ordered), ordered["score"].to_numpy()
        in_one_list = lists[1:] == lists[:-1]
    tied = codes[1:][in_one_list & (score[1:] == score[:-1])]
    return tied, gap_lists // width, contradicted


def _label_warnings(study: Study) -> Iterator[Finding]:
    if study.has("labels") and study.label_kind == "gender":
        absent = groups_without_label(study.labels, study.groups)
        remedy = "Add such labels, or take it out of groups in study.toml: for measures it is never shown."
        yield Finding("labels", "groups that no label has", len(absent), _names(map(study.group_text, absent)), remedy)
    if not study.has("labels") or not study.has("runs"):
        return
    documents = study.runs["doc_id"].cat.categories
    ordered = ranked(study.runs)
    top = ordered["doc_id"].cat.codes.to_numpy()[ordered["rank"].to_numpy() <= TOP]
    retrieved = _retrieved(study)
    for annotator, labels in study.labels.groupby("annotator", sort=False)["doc_id"]:
        labelled = documents.isin(labels)
        covered = int(labelled[top].sum())
        item = f"in a run, without a label by {annotator}"
        detail = f"{covered:,} of {len(top):,} ranks in the top {TOP} are labelled"
        missing = len(retrieved) - int(retrieved.isin(labels).sum())
        yield Finding("labels", item, missing, detail, "Check the label coverage next to each figure.")
    unused = study.labels.loc[~study.labels["doc_id"].isin(retrieved), "doc_id"].drop_duplicates()
    remedy = _unless_near(study, "labels", "doc_id", "They count only for agreement.")
    yield Finding("labels", "for documents in no run", len(unused), _names(unused), remedy)


def _lexicon_warnings(study: Study) -> Iterator[Finding]:
    lexicon = study.lexicon
    if lexicon is None:
        return
    texts = document_text(study.documents).dropna()
    use = list_use(lexicon, TOKENIZER, study.groups, texts if len(texts) else None)
    remedy = "Write words with letters; * stands for the rest of a word at the end of an entry alone."
    yield Finding("lexicon", "words that can never match", len(use.lost), _names(use.lost), remedy)
    remedy = "Check their spelling, or ignore this where they are rare."
    if len(use.absent) + len(use.lost) == use.entries:
        remedy = "Measures of words are undefined: give words in the language and spelling of the documents."
    yield Finding("lexicon", "words in no document", len(use.absent), _names(use.absent), remedy)
    remedy = f"Choose the tokenizer {UNACCENTED.name}, or write them as the documents do."
    item = "words in no document but with other accents"
    yield Finding("lexicon", item, len(use.unaccented), _names(use.unaccented), remedy)


def _qrels_warnings(study: Study) -> Iterator[Finding]:
    if not study.has("qrels"):
        return
    judged = study.qrels["query_id"].drop_duplicates()
    run_queries = study.runs["query_id"].cat.categories
    if len(run_queries) or study.has("queries"):
        unknown = judged[~judged.isin(run_queries) & ~judged.isin(study.queries["query_id"])]
        remedy = _unless_near(study, "qrels", "query_id", "Check that the ids are those of the queries.")
        yield Finding("qrels", "queries unknown to the study", len(unknown), _names(unknown), remedy)
    unjudged = run_queries[~run_queries.isin(judged)]
    remedy = _unless_near(study, "qrels", "query_id", "They are left out of effectiveness; add judgements for them.")
    yield Finding("qrels", "queries in a run, without judgements", len(unjudged), _names(unjudged), remedy)
