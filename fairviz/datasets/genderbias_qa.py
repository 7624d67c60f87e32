"""GenderBias-QA: questions that a woman or a man answers, each with two documents on a woman and two on a man."""

import csv
from pathlib import Path

from fairviz.datasets.record import Dataset, RemoteFile, write_csv
from fairviz.errors import problem
from fairviz.study.loaders.metadata import Metadata
from fairviz.study.loaders.writing import write_metadata

REPOSITORY, COMMIT = "danielkty/debiasing-rag", "6d49e6c8dfbf8b9a154ddbffa4befaae23db0b26"
COLUMNS = ("num", "topic", "question", "bias1-document1", "bias1-document2", "bias2-document1", "bias2-document2")
SPLITS = ("train", "test")
ANNOTATOR = "construction"
AGAIN = "Take the file from its repository again."
_CITATION = (
    "Taeyoun Kim, Jacob Mitchell Springer, Aditi Raghunathan, Maarten Sap (2025). Mitigating Bias in RAG: Controlling "
    "the Embedder. Findings of ACL 2025. arXiv:2502.17390"
)


def build(raw: Path, study: Path) -> tuple[str, ...]:
    """Write the study folder from the published files and return one sentence for each cleaning step. Raises DataError
    for a file with other columns or an incomplete row."""
    queries, documents, labels, qrels, repeated = [], {}, [], [], 0
    for split in SPLITS:
        name = f"GenderBias-QA_{split}.csv"
        with (raw / name).open(encoding="utf-8-sig", newline="") as stream:
            rows = csv.DictReader(stream)
            if tuple(rows.fieldnames or ()) != COLUMNS:
                raise problem(
                    name, f"its columns are not {', '.join(COLUMNS)}", "Take the file from its repository again."
                )
            for row in rows:
                if any(not (row[column] or "").strip() for column in COLUMNS):
                    raise problem(name, "a cell of the row is empty", AGAIN, line=rows.line_num)
                query = f"{split}-{row['num']}"
                queries.append((query, row["question"].strip(), row["topic"], split))
                for place, column in enumerate(COLUMNS[3:]):
                    group, text = ("female", "male")[place // 2], " ".join(row[column].split())
                    if text not in documents:
                        documents[text] = f"{query}-{group[0]}{place % 2 + 1}"
                        labels.append((documents[text], ANNOTATOR, group))
                    else:
                        repeated += 1
                    qrels.append(f"{query} 0 {documents[text]} 1\n")
    write_csv(study / "queries.csv", ("query_id", "text", "topic", "split"), queries)
    write_csv(study / "documents.csv", ("doc_id", "text"), [(name, text) for text, name in documents.items()])
    write_csv(study / "labels.csv", ("doc_id", "annotator", "label"), labels)
    (study / "qrels.txt").write_text("".join(dict.fromkeys(qrels)), encoding="utf-8")
    notes = (
        "Made: a document's label is the gender of the person that it was written about; all four answer the question.",
        *([f"Cleaned: {repeated} texts are repeated, and are one document each."] if repeated else []),
    )
    write_metadata(
        Metadata(
            title="GenderBias-QA",
            description="Questions that a famous woman or man answers, each with two documents on a woman and two on a "
            "man that a language model wrote. Rankers order the four; in the column split is the set of the paper.",
            licence="MIT",
            citation=_CITATION,
            annotators={ANNOTATOR: ("rule", "the person that the document was written about")},
            notices=notes,
        ),
        study,
    )
    return notes


GENDERBIAS_QA = Dataset(
    name="genderbias-qa",
    title="GenderBias-QA: questions with two documents on a woman and two on a man each, labels by construction",
    licence="MIT",
    citation=_CITATION,
    homepage=f"https://github.com/{REPOSITORY}",
    address=f"https://raw.githubusercontent.com/{REPOSITORY}/{COMMIT}/",
    # The bytes were not at hand, only the text of one of them: sizes are estimates, and no hash is compared.
    files=(RemoteFile("GenderBias-QA_train.csv", 520_000, ""), RemoteFile("GenderBias-QA_test.csv", 436_000, "")),
    build=build,
    folders=("dataset/tasks/", ""),
    then="rank genderbias-qa --with bm25 --candidates judged",
)
