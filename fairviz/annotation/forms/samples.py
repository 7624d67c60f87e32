"""Samples for correction: the documents that people are to label, drawn with known probabilities, kept with a form."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from fairviz.annotation.forms.database import store
from fairviz.annotation.forms.places import place_of

if TYPE_CHECKING:
    from fairviz.study.record import Study

Design = Literal["queries", "documents"]
DESIGNS: tuple[Design, ...] = ("queries", "documents")


@dataclass(frozen=True)
class Sample:
    """A sample of queries, or of documents, whose documents people label to correct a machine's labels.

    design: `queries` or `documents`. annotator: the machine whose labels are corrected. systems, measure: those that it
    was drawn for; the measure's cutoff bounds the documents. budget: documents wished for. frame: the probability of
    each query, or document, to be drawn, above 0 and up to 1. drawn: those that were. documents: those to label. form:
    the number of the form with them, 0 for none.
    """

    design: Design
    annotator: str
    systems: tuple[str, ...]
    measure: str
    budget: int
    seed: int
    frame: Mapping[str, float]
    drawn: tuple[str, ...]
    documents: tuple[str, ...]
    form: int = 0

    @property
    def text(self) -> str:
        """`15 of 40 queries` or `100 of 266 documents`."""
        return f"{len(self.drawn):,} of {len(self.frame):,} {self.design}"


def samples_of(study: "Study") -> tuple[Sample, ...]:
    """Return the samples of the study's forms, the newest first; none for a study that cannot have forms.

    Raises FairvizError where the database cannot be read.
    """
    if study.folder is None and not study.read_only:
        return ()
    with store().reading() as database:
        rows = database.execute(
            "SELECT form, plan FROM forms WHERE place = ? ORDER BY form DESC", (place_of(study),)
        ).fetchall()
    plans = ((form, json.loads(text)) for form, text in rows)
    return tuple(replace(_sample(plan["sample"]), form=form) for form, plan in plans if "sample" in plan)


def corrected_machines(study: "Study") -> frozenset[str]:
    """Return the annotators that samples were drawn to correct, without reading these. Raises: see `samples_of`."""
    if study.folder is None and not study.read_only:
        return frozenset()
    with store().reading() as database:
        rows = database.execute(
            "SELECT DISTINCT json_extract(plan, '$.sample.annotator') FROM forms WHERE place = ?", (place_of(study),)
        ).fetchall()
    return frozenset(name for (name,) in rows if name)


def fields_of(sample: Sample) -> dict[str, object]:
    """Return the sample as the database keeps it, in the form's plan."""
    return asdict(replace(sample, frame=dict(sample.frame)))


def _sample(fields: dict[str, Any]) -> Sample:
    return Sample(**fields | {name: tuple(fields[name]) for name in ("systems", "drawn", "documents")})
