"""3,750 MS MARCO queries, each annotated with its gender; the neutral ones are QS1."""

from collections import Counter
from pathlib import Path

from fairviz.datasets.record import Dataset, RemoteFile, copy_lexicon, write_csv
from fairviz.study.loaders.metadata import Metadata
from fairviz.study.loaders.writing import write_metadata

REPOSITORY, COMMIT = "navid-rekabsaz/GenderBias_IR", "3b940f978e8db5a890899b953dba1fa3e05cc3d3"
_ANNOTATIONS = {"n": "neutral", "f": "female", "m": "male", "o": "other"}
_CITATION = (
    "Navid Rekabsaz, Markus Schedl (2020). Do Neural Ranking Models Intensify Gender Bias? SIGIR 2020. arXiv:2005.00372"
)


def build(raw: Path, study: Path) -> tuple[str, ...]:
    """Write the study folder from the published files and return one sentence for each cleaning step."""
    lines = (raw / "queries_gender_annotated.csv").read_text(encoding="utf-8-sig").splitlines()
    queries = [_query(line) for line in lines if line.strip()]
    header = ("query_id", "text", "annotation", "query_set")
    write_csv(study / "queries.csv", header, queries)
    lexicon, _ = copy_lexicon(raw / "wordlist_genderspecific.txt", study, "rekabsaz-64")
    commas = sum("," in text for _, text, _, _ in queries)
    counts = Counter(annotation for _, _, annotation, _ in queries)
    notes = (
        f"Cleaned: {commas} queries hold commas that the published file does not quote; they are whole here.",
        "Cleaned: the annotations n, f, m and o became "
        + ", ".join(f"{name} ({counts[name]:,})" for name in _ANNOTATIONS.values())
        + ".",
    )
    write_metadata(
        Metadata(
            title="MS MARCO queries with gender annotations",
            description="3,750 queries of MS MARCO's development set that were annotated with the gender they are "
            "about, in the column annotation. The 1,765 neutral ones are the set QS1 of later papers, in the column "
            "query_set. Without documents and runs: it is a set of queries to rank.",
            licence="MIT",
            citation=_CITATION,
            lexicon=lexicon,
            notices=notes,
        ),
        study,
    )
    return notes


def _query(line: str) -> tuple[str, str, str, str]:
    """Return id, text, annotation and set: the id precedes the first comma, the annotation follows the last."""
    name, _, text_and_letter = line.partition(",")
    text, _, letter = text_and_letter.rpartition(",")
    annotation = _ANNOTATIONS[letter.strip()]
    return name.strip(), text.strip(), annotation, "QS1" if annotation == "neutral" else ""


GENDERBIAS_IR = Dataset(
    name="genderbias-ir",
    title="GenderBias_IR: 3,750 MS MARCO queries annotated with their gender, 1,765 of them neutral (QS1)",
    licence="MIT",
    citation=_CITATION,
    homepage=f"https://github.com/{REPOSITORY}",
    address=f"https://raw.githubusercontent.com/{REPOSITORY}/{COMMIT}/",
    files=(
        RemoteFile(
            "queries_gender_annotated.csv", 155764, "5ed2f3b3892495dd4d240fc2599fd9335b545f4286705b94607a354f2ad19e3d"
        ),
        RemoteFile(
            "wordlist_genderspecific.txt", 578, "cf7d62732c95e1b51c0c81cfdacdda7f12fd3e146a6770c47a07218111f811b3"
        ),
    ),
    build=build,
    folders=("resources/", ""),
    then="check genderbias-ir",
)
