"""The drawn sample that an annotator has labelled whole, from which a machine can be corrected."""

from collections.abc import Sequence

from fairviz.annotation.forms.database import Sample, samples_of
from fairviz.annotation.voters import labels_of
from fairviz.errors import FairvizError
from fairviz.study.record import Study
from fairviz.words.sentences import first_listed

NOT_DRAWN = "Labels that a person chose, or labelled first, have no known probability and correct nothing."


def sample_for(study: Study, name: str, voters: Sequence[str] = ()) -> Sample:
    """Return the newest sample of queries of which this annotator, or consensus, has labelled every document, else the
    newest of documents. voters: of a consensus, as in `Settings.voters`.

    Raises FairvizError where no sample was drawn, or none is labelled.
    """
    samples = sorted(samples_of(study), key=lambda sample: sample.design != "queries")  # stable: newest first
    if not samples:
        raise FairvizError(
            f"no sample was drawn in {study.name}, so {name} cannot correct a machine. {NOT_DRAWN}",
            f"Draw one: fairviz study-form {study.name} --design queries --budget 100",
        )
    labelled = set(labels_of(study, name, voters)["doc_id"])
    missing = {sample.form: [doc for doc in sample.documents if doc not in labelled] for sample in samples}
    for sample in samples:
        if not missing[sample.form]:
            return sample
    best = min(samples, key=lambda sample: len(missing[sample.form]) / len(sample.documents))
    lacking = missing[best.form]
    raise FairvizError(
        f"{name} labelled {len(best.documents) - len(lacking):,} of the {len(best.documents):,} documents that form "
        f"{best.form} of {study.name} drew; without are {first_listed(lacking, 3)}. {NOT_DRAWN}",
        f"Bring in all answers (fairviz study-form {study.name} --collect), or decide where people differ: majority "
        "has no label there, dawid-skene has.",
    )
