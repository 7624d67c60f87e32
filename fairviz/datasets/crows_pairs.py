"""CrowS-Pairs: 1,508 pairs of sentences about stereotypes, each with the kinds of bias that five people reported."""

import ast
import csv
from collections.abc import Sequence
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
    documents, labels = [], []
    with (raw / "crows_pairs_anonymized.csv").open(encoding="utf-8-sig", newline="") as stream:
        for row in csv.DictReader(stream):
            name = f"pair-{row['']}"
            text = "\n".join(" ".join(row[part].split()) for part in ("sent_more", "sent_less"))
            documents.append((name, text, row["bias_type"], row["stereo_antistereo"]))
            # a label for each of the pair's annotators: gender if they named it among the kinds of bias
            people, annotations = ast.literal_eval(row["anon_annotators"]), ast.literal_eval(row["annotations"])
            for who, kinds in zip(people, annotations, strict=True):
                labels.append((name, who, GENDER if GENDER in kinds else NOT_GENDER, "|".join(kinds)))
    write_csv(study / "documents.csv", ("doc_id", "text", "bias_type", "direction"), documents)
    write_csv(study / "labels.csv", ("doc_id", "annotator", "label", "bias_types"), labels)
    empty = sum(not types for *_, types in labels)
    notes = (
        f"Cleaned: {empty} of {len(labels):,} annotations name no kind of bias and count as '{NOT_GENDER}'; the column "
        "bias_types of the labels is empty there.",
        "Cleaned: the two sentences of a pair are one document, the more stereotyping one first.",
    )
    write_metadata(_metadata(labels, notes), study)
    return notes


def _metadata(labels: Sequence[tuple[str, str, str, str]], notes: tuple[str, ...]) -> Metadata:
    return Metadata(
        title="CrowS-Pairs",
        description="1,508 pairs of sentences, one of which is more stereotyping than the other, each annotated by 5 "
        "of 287 people with the kind of bias that it expresses. A pair is a document here, its labels record whether a "
        "person saw a gender bias in it: real annotators who disagree, for the measures of agreement.",
        licence="CC BY-SA 4.0",
        citation=_CITATION,
        labels="other",
        annotators={who: ("person", "") for _, who, *_ in labels},
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
