"""Grep-BiasIR: 117 bias-sensitive queries, each with documents in female, male and neutral wording."""

import csv
from collections import Counter
from pathlib import Path

from fairviz.datasets.record import Dataset, RemoteFile, write_csv

COMMIT = "ed44a461054bd4fa506049ad29c44ef405c53fec"
_LABELS = {"N": "neutral", "F": "female", "M": "male", "both": "neutral", "botrh": "neutral"}
_STEREOTYPES = {"Towards female": "Towards Female"}
_STUDY = """\
title = "Grep-BiasIR"
description = \"\"\"
117 bias-sensitive queries on seven topics, 702 documents (title and text), each written for one query, relevant to \\
it or not, in female, male and neutral wording. The gender is that of the content, the stereotype that which its \\
authors expect for the query.\\
\"\"\"
licence = "CC0 1.0"
citation = \"\"\"
Klara Krieg, Emilia Parada-Cabaleiro, Gertraud Medicus, Oleg Lesota, Markus Schedl, Navid Rekabsaz (2023). \\
Grep-BiasIR: A Dataset for Investigating Gender Representation-Bias in Information Retrieval Results. CHIIR 2023.\\
\"\"\"
annotator = "gold"
notices = [
{notices}]

[annotators.gold]
kind = "person"
description = "The gender of the content, as published by the authors of Grep-BiasIR."
"""


def build(raw: Path, study: Path) -> tuple[str, ...]:
    """Write the study folder from the published files and return one sentence for each cleaning step."""

    def read(name: str) -> list[dict[str, str]]:
        with (raw / name).open(encoding="utf-8-sig", newline="") as stream:
            return list(csv.DictReader(stream))

    queries = read("queries.csv")
    categories = {row["q_id"]: row["category"] for row in queries}
    documents = [row for file in FILES if file.name != "queries.csv" for row in read(file.name)]
    documents.sort(key=lambda row: int(row["d_id"]))
    header = ("query_id", "text", "category")
    write_csv(study / "queries.csv", header, ([row["q_id"], row["query"], row["category"]] for row in queries))
    write_csv(
        study / "documents.csv",
        ("doc_id", "title", "text", "query_id", "category", "stereotype"),
        (
            [
                *(row[name] for name in ("d_id", "doc_title", "document", "q_id")),
                categories[row["q_id"]],
                _STEREOTYPES.get(row["exp_stereotype"], row["exp_stereotype"]),
            ]
            for row in documents
        ),
    )
    labels = ([row["d_id"], "gold", _LABELS[row["content_gender"]]] for row in documents)
    write_csv(study / "labels.csv", ("doc_id", "annotator", "label"), labels)
    qrels_lines = (f"{row['q_id']} 0 {row['d_id']} {row['relevant']}\n" for row in documents)
    (study / "qrels.txt").write_text("".join(qrels_lines), encoding="utf-8")

    genders = Counter(row["content_gender"] for row in documents)
    respelt = sum(row["exp_stereotype"] in _STEREOTYPES for row in documents)
    both, misspelt = genders["both"], genders["botrh"]
    notes = (
        f"Cleaned: {both + misspelt} documents labelled both ({both}) or botrh ({misspelt}) count as neutral.",
        f"Cleaned: {respelt} stereotypes spelt 'Towards female' became 'Towards Female'.",
    )
    notices = "".join(f'    "{note}",\n' for note in notes)
    (study / "study.toml").write_text(_STUDY.format(notices=notices), encoding="utf-8")
    return notes


FILES = (
    RemoteFile("queries.csv", 5755, "ba624ec690b750117e10a59ca9c6f743de88347773d77e260d82bbc59f452996"),
    RemoteFile(
        "queries-documents_Appearance.csv", 21525, "dd76b7ac6d322954d1bec1132d92e81d6519b39e109baa79b7931853ed246f5a"
    ),
    RemoteFile(
        "queries-documents_Career.csv", 39092, "4ea276ac1cfa5be240235c3d5c6c567912c101db57272dc8a8f0b5fb6f8fed41"
    ),
    RemoteFile(
        "queries-documents_Child Care.csv", 25995, "b7cd1604e1160b3dbe217df14e024688eaf14ae66cff3e480dbff585fc476869"
    ),
    RemoteFile(
        "queries-documents_Cognitive Capabilities.csv",
        24624,
        "ba637ea8666416850b1875a5216d3fa9bfb0174f2ddd8237c65a7589a421cc10",
    ),
    RemoteFile(
        "queries-documents_Domestic Work.csv", 27759, "bb8e239d46314f6b927c3807d5026ba355e2e00ecad251bcba6183d3d906b63c"
    ),
    RemoteFile(
        "queries-documents_Physical Capabilities.csv",
        37388,
        "4241043dae3e4e8a8d5504207b230d56fe696bd18586e07af7f058ea65af5c8e",
    ),
    RemoteFile(
        "queries-documents_Sex & Relationship.csv",
        51486,
        "bbf1a7cb741a26d9d64089a8afc5d7c9ff4b82a9b2306f51e96b8a34cdcc5001",
    ),
)

GREP_BIASIR = Dataset(
    name="grep-biasir",
    title="Grep-BiasIR: 117 bias-sensitive queries, 702 documents in female, male and neutral wording",
    licence="CC0 1.0",
    citation="Krieg, Parada-Cabaleiro, Medicus, Lesota, Schedl, Rekabsaz: Grep-BiasIR: A Dataset for Investigating "
    "Gender Representation-Bias in Information Retrieval Results. CHIIR 2023. arXiv:2201.07754",
    homepage="https://github.com/KlaraKrieg/GrepBiasIR",
    address=f"https://raw.githubusercontent.com/KlaraKrieg/GrepBiasIR/{COMMIT}/",
    files=FILES,
    build=build,
    then="rank grep-biasir --with bm25,tfidf",
    folders=("", "csv_formatted/"),  # one or the other, by version of the repository
)
