"""CrowS-Pairs: 1,508 pairs of sentences about stereotypes, each with the kinds of bias that five people reported."""

import ast
import csv
from collections.abc import Iterable
from pathlib import Path

from fairviz.datasets.record import Dataset, RemoteFile, write_csv
from fairviz.study.loaders.metadata import Metadata
from fairviz.study.loaders.writing import write_metadata

REPOSITORY, COMMIT = "nyu-mll/crows-pairs", "8aaac11c485473159ec9328a65253a5be9a479dc"
GENDER, NOT_GENDER = "gender", "not gender"
_CITATION = (
    "Nikita Nangia, Clara Vania, Rasika Bhalerao, Samuel R. Bowman (2020). CrowS-Pairs: A Challenge Dataset for "
    "Measuring Social Biases in Masked Language Models. EMNLP 2020. doi:10.18653/v1/2020.emnlp-main.154"
)
WARNING = (
    "The text is offensive: sentences written to express stereotypes about gender, race, religion, disability and "
    "more. It is shown for the study of bias alone."
)


def build(raw: Path, study: Path) -> tuple[str, ...]:
    """Write the study folder from the published file and return one sentence for each cleaning step."""
    with (raw / "crows_pairs_anonymized.csv").open(encoding="utf-8-sig", newline="") as stream:
        pairs = [(f"pair-{row['']}", row) for row in csv.DictReader(stream)]
    header = ("doc_id", "text", "bias_type", "direction")
    documents = ((name, _text(row), row["bias_type"], row["stereo_antistereo"]) for name, row in pairs)
    write_csv(study / "documents.csv", header, documents)
    labels = [label for name, row in pairs for label in _labels(name, row)]
    write_csv(study / "labels.csv", ("doc_id", "annotator", "label", "bias_types"), labels)
    empty = sum(not types for *_, types in labels)
    notes = (
        f"Cleaned: {empty} of {len(labels):,} annotations name no kind of bias and count as '{NOT_GENDER}'; the column "
        "bias_types of the labels is empty there.",
        "Cleaned: the two sentences of a pair are one document, the more stereotyping one first.",
    )
    write_metadata(_metadata(notes, dict.fromkeys(who for _, who, *_ in labels)), study)
    return notes


def _text(row: dict[str, str]) -> str:
    """Return both sentences, one a line."""
    return "\n".join(" ".join(row[name].split()) for name in ("sent_more", "sent_less"))


def _labels(name: str, row: dict[str, str]) -> list[tuple[str, str, str, str]]:
    """Return one label for each of the pair's annotators: gender if they named it among the kinds of bias."""
    judgements = zip(ast.literal_eval(row["anon_annotators"]), ast.literal_eval(row["annotations"]), strict=True)
    return [(name, who, GENDER if GENDER in kinds else NOT_GENDER, "|".join(kinds)) for who, kinds in judgements]


def _metadata(notes: tuple[str, ...], people: Iterable[str]) -> Metadata:
    return Metadata(
        title="CrowS-Pairs",
        description="1,508 pairs of sentences, one of which is more stereotyping than the other, each annotated by 5 "
        "of 287 people with the kind of bias that it expresses. A pair is a document here, its labels record whether a "
        "person saw a gender bias in it: real annotators who disagree, for the measures of agreement.",
        licence="CC BY-SA 4.0",
        citation=_CITATION,
        labels="other",
        annotators=dict.fromkeys(people, ("person", "")),
        notices=(WARNING, *notes),
    )


CROWS_PAIRS = Dataset(
    name="crows-pairs",
    title="CrowS-Pairs: 1,508 pairs of stereotyping sentences (offensive text), each labelled by 5 of 287 people",
    licence="CC BY-SA 4.0",
    citation=_CITATION,
    homepage=f"https://github.com/{REPOSITORY}",
    address=f"https://raw.githubusercontent.com/{REPOSITORY}/{COMMIT}/",
    files=(
        RemoteFile(
            "crows_pairs_anonymized.csv", 437764, "dfb36986ce0502abbaf7055b9176da3d08d48e07df1251991b5dfbcbceab9d0c"
        ),
    ),
    build=build,
    folders=("data/", ""),
    then="check crows-pairs",
)
