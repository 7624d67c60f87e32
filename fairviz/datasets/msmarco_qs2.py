"""215 bias-sensitive MS MARCO queries with published runs, joined with human labels of the passages."""

import csv
import shutil
from pathlib import Path

from fairviz.datasets.record import Dataset, RemoteFile, copy_lexicon, github, write_csv
from fairviz.study.loaders.metadata import Metadata
from fairviz.study.loaders.writing import write_metadata

RESULTS, RESULTS_COMMIT = "CPJKU/FairnessRetrievalResults", "81693da5305d67307673574252a4d963510a3632"
LABELS, LABELS_COMMIT = "MaryamMousavian/MSMGenderBias", "ba5ead1f690b73a1a3d1cab499ba9131686600c8"
SYSTEMS = ("BM25", "tk", "bert_L4", "advbert_L4")
_GROUPS = {"N": "neutral", "F": "female", "M": "male"}
_CITATION = (
    "Navid Rekabsaz, Simone Kopeinik, Markus Schedl (2021). Societal Biases in Retrieved Contents: Measurement "
    "Framework and Adversarial Mitigation of BERT Rankers. SIGIR 2021. doi:10.1145/3404835.3462949. Labels: Maryam "
    "Mousavian, Zahra Abbasiantaeb, Mohammad Aliannejadi, Fabio Crestani (2025). Towards Fair Rankings: Leveraging "
    "LLMs for Gender Bias Detection and Measurement. ICTIR 2025."
)


def build(raw: Path, study: Path) -> tuple[str, ...]:
    """Write the study folder from the published files and return one sentence for each cleaning step."""
    shutil.copyfile(raw / "msmarco_passage.dev.fair.tsv", study / "queries.tsv")
    (study / "runs").mkdir()
    for system in SYSTEMS:
        shutil.copyfile(raw / "runs" / f"{system}.run", study / "runs" / f"{system}.run")
    with (raw / "MSMGenderBias.csv").open(encoding="utf-8-sig", newline="") as stream:
        labels = [(row["doc_id"], "human", _GROUPS[row["gender_bias"]]) for row in csv.DictReader(stream)]
    write_csv(study / "labels.csv", ("doc_id", "annotator", "label"), labels)
    lexicon, lowered = copy_lexicon(raw / "wordlist_gender_representative.txt", study, "rekabsaz-326")
    notes = (
        f"Cleaned: {len(labels)} labels N, F and M became neutral, female and male.",
        f"Cleaned: {lowered} words of the lexicon that were in capitals became lower case.",
    )
    write_metadata(_metadata(lexicon, notes), study)
    return notes


def _metadata(lexicon: str, notes: tuple[str, ...]) -> Metadata:
    return Metadata(
        title="MS MARCO, bias-sensitive queries (QS2)",
        description="215 MS MARCO queries whose results should not depend on gender, four published runs of up to 200 "
        "passages, and gender labels by people for 893 of the passages. The text of the passages is not published "
        "with them: fairviz attach msmarco-qs2 --collection collection.tsv adds it.",
        licence="MIT (queries, runs, word list), CC BY 4.0 (labels)",
        citation=_CITATION,
        lexicon=lexicon,
        annotator="human",
        annotators={"human": ("person", "The gender that a passage leans to, by workers on Mechanical Turk.")},
        notices=(
            "Few places are labelled: 210 of BM25's 2,150 top ten places, all of them in 21 of the 215 queries. Check "
            "the label coverage next to each figure, and choose how unlabelled documents count.",
            "The neural runs hold thousands of neighbours with the same score, and lists shorter than 200: the tie "
            "rule moves figures.",
            "There are no judgements of relevance for these queries.",
            *notes,
        ),
        systems=SYSTEMS,
    )


def _results(name: str, size: int, sha256: str, *folders: str) -> RemoteFile:
    file_name = Path(name).name
    addresses = github(RESULTS, RESULTS_COMMIT, *(f"{folder}/{file_name}" for folder in folders))
    return RemoteFile(name, size, sha256, "fairness-retrieval-results", addresses)


def _run(system: str, size: int, sha256: str) -> RemoteFile:
    homes = ("fairness_measurement", "fairness_metrics", "measurement")  # its name, by version
    return _results(f"runs/{system}.run", size, sha256, *(f"{home}/sample_trec_runs/msmarco_passage" for home in homes))


FILES = (
    _results(
        "msmarco_passage.dev.fair.tsv",
        9240,
        "4fe4a2a0fb0302bf45d955b178f8920c49723e1107e8d68bbf65c9b3f7217c7a",
        "resources/fairnesssensitive_queries",
        "fairnesssensitive_queries",
        "dataset",
    ),
    _results(
        "wordlist_gender_representative.txt",
        2917,
        "4c9f497b792189d1a8b5834e0de2f3664ab837dfe1079bf48f58e2583a3cd432",
        "resources",
        "fairness_measurement",
        "fairness_metrics",
        "measurement",
    ),
    _run("BM25", 1543011, "4915d75f95c0f68f90a0589d51dba7363fe2cc43faebe6518f9f972c83aed9be"),
    _run("advbert_L4", 2289618, "c24dc45b5e539f506c638da29dfe5c5f82de1f536f5e29d21bd7f947ca086039"),
    _run("bert_L4", 1765481, "04c364167f30dd8ba5a6c94a817393d899d58dfe03da9114017b9d427c99f322"),
    _run("tk", 1719472, "138a03f2a3b928dde0aa3ee828d2184ad1829a43539976ddefa18867dce65907"),
    RemoteFile(
        "MSMGenderBias.csv",
        8847,
        "cc41962c95733e2e7c7a0a34140c17ca45b3b93e108e8c078a3c3df481148618",
        "msmgenderbias",
        github(LABELS, LABELS_COMMIT, "MSMGenderBias.csv"),
    ),
)

MSMARCO_QS2 = Dataset(
    name="msmarco-qs2",
    title="MS MARCO QS2: 215 bias-sensitive queries, four published runs, human labels of 893 passages, no text",
    licence="MIT (queries, runs, word list), CC BY 4.0 (labels)",
    citation=_CITATION,
    homepage=f"https://github.com/{RESULTS} and https://github.com/{LABELS}",
    address=f"https://raw.githubusercontent.com/{RESULTS}/{RESULTS_COMMIT}/",
    files=FILES,
    build=build,
    then="check msmarco-qs2",
)
