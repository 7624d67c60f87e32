"""The two data sets of the ComSRB paper: 280 queries in three wordings, and the lists of three search engines.

Their repository states no licence, so that nothing of it is in fairviz and nothing is downloaded: the files are read
from a copy of the user's.
"""

import csv
import json
from pathlib import Path

from fairviz.datasets.record import Dataset, RemoteFile, write_csv
from fairviz.errors import BadLines, parsing, problem
from fairviz.study.loaders.metadata import Metadata
from fairviz.study.loaders.writing import write_metadata

REPOSITORY, COMMIT = "CPJKU/search-result-bias-metrics", "5c671d8330372034cc0f589dadb22bd8c4486920"
NO_LICENCE = "no licence stated"
VARIANTS = ("N", "P", "CP")
STEREOTYPES = {"F": "female", "M": "male"}  # the last letter of a topic
_CITATION = (
    "Linda Ratz, Markus Schedl, Simone Kopeinik, Navid Rekabsaz (2024). Measuring Bias in Search Results Through "
    "Retrieval List Comparison. ECIR 2024."
)
_HOMEPAGE = f"https://github.com/{REPOSITORY}"
_REMEDY = f"Take the file again from {_HOMEPAGE}."
_HEADER = ("query_id", "text", "variant", "base", "topic", "stereotype")


def build_queries(raw: Path, study: Path) -> tuple[str, ...]:
    """Write the study folder from the published file, one JSON object {topic: {number: [N, P, CP]}}."""
    name = "retrieval_queries.jsonl"
    with parsing(name, "is not one JSON object", _REMEDY):
        topics = json.loads((raw / name).read_text(encoding="utf-8-sig"))
    rows = []
    with parsing(name, "is not {topic: {number: [N, P, CP]}}", _REMEDY):
        for topic, texts_by_number in topics.items():
            for number, texts in texts_by_number.items():
                base = f"{topic}_{number}"
                rows += [
                    (f"{base}_{variant}", " ".join(text.split()), variant, base, topic, STEREOTYPES[topic[-1]])
                    for variant, text in zip(VARIANTS, texts, strict=True)
                ]
    write_csv(study / "queries.csv", _HEADER, rows)
    metadata = Metadata(
        title="ComSRB: queries in three wordings",
        description="280 bias-sensitive queries on eight topics, each neutral (variant N), in the prototypical wording "
        "(P) and in the counter-prototypical one (CP). Without documents and runs: it is a set of queries to rank.",
        licence=NO_LICENCE,
        citation=_CITATION,
    )
    write_metadata(metadata, study)
    return ()


def build_lists(raw: Path, study: Path) -> tuple[str, ...]:
    """Write the study folder from the published file, rows of qid;rank;tag;docurl, and return sentences on what was
    left out."""
    name = "se_results.csv"
    bad = BadLines(name, _REMEDY)
    ranked: dict[str, dict[tuple[str, str], int]] = {}
    queries: dict[str, tuple[str, ...]] = {}
    repeats = 0
    with (raw / name).open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream, delimiter=";")
        if reader.fieldnames != ["qid", "rank", "tag", "docurl"]:
            raise problem(name, "its columns are not qid;rank;tag;docurl", _REMEDY, ";".join(reader.fieldnames or ()))
        for row in reader:
            topic, _, variant = (row["qid"] or "").rpartition("_")
            if variant not in VARIANTS or topic[-1:] not in STEREOTYPES or not (row["rank"] or "").isdecimal():
                bad.add(reader.line_num, "is not qid;rank;tag;docurl of a query TOPIC_N, TOPIC_P or TOPIC_CP",
                        ";".join(str(value) for value in row.values()))  # fmt: skip
                continue
            queries[row["qid"]] = (row["qid"], row["qid"], variant, topic, topic, STEREOTYPES[topic[-1]])
            of_engine = ranked.setdefault(row["tag"], {})
            repeats += (row["qid"], row["docurl"]) in of_engine
            of_engine.setdefault((row["qid"], row["docurl"]), int(row["rank"]))
    bad.raise_collected()
    write_csv(study / "queries.csv", _HEADER, list(queries.values()))
    (study / "runs").mkdir()
    for engine, of_engine in ranked.items():
        rows = [(query, address, str(rank)) for (query, address), rank in of_engine.items()]
        write_csv(study / "runs" / f"{engine}.csv", ("query_id", "doc_id", "rank"), rows)
    notes = (f"Cleaned: {repeats} repeated addresses of a list are left out.",) if repeats else ()
    metadata = Metadata(
        title="ComSRB: lists of three search engines",
        description="The first ten addresses of Google, Bing and DuckDuckGo for eight queries, each neutral (variant "
        "N), in the prototypical wording (P) and in the counter-prototypical one (CP). The published file has no text "
        "of the queries: their ids stand for it.",
        licence=NO_LICENCE,
        citation=_CITATION,
        notices=notes,
    )
    write_metadata(metadata, study)
    return notes


def _dataset(name: str, title: str, folder: str, file: RemoteFile, **fields: object) -> Dataset:
    return Dataset(
        name=name, title=title, licence=NO_LICENCE, citation=_CITATION, homepage=_HOMEPAGE,
        address=f"https://raw.githubusercontent.com/{REPOSITORY}/{COMMIT}/", files=(file,), folders=(folder,),
        local=True, **fields,  # type: ignore[arg-type]
    )  # fmt: skip


COMSRB_QUERIES = _dataset(
    "comsrb", "ComSRB: 280 bias-sensitive queries in three wordings each", "SRB/data/",
    RemoteFile("retrieval_queries.jsonl", 33_452), build=build_queries, then="check comsrb",
)  # fmt: skip
SEARCH_ENGINES = _dataset(
    "search-engines", "ComSRB: lists of three search engines for eight queries in three wordings", "SRB_SE/data/",
    RemoteFile("se_results.csv", 65_877), build=build_lists, then="wordings search-engines",
)  # fmt: skip
