"""Annotators from other packages."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fairviz.annotation.annotators.record import Labelled, Method, Values, Work
from fairviz.errors import FairvizError
from fairviz.installed import contained
from fairviz.parameters import check_record


def adopt(record: Any, package: str) -> Method:
    """Return the record with its package, and a `label` whose faults name it.

    Raises ValueError, with the reason, for a record that cannot be used.
    """
    check_record(record, Method)
    if record.kind not in ("rule", "model"):
        raise ValueError(f"its kind is {record.kind!r}, and not rule or model")
    label = partial(_labelled, record.label, f"{record.name} (package {package})")
    return replace(record, package=package, summary=f"{record.summary} (package {package})", label=label)


def _labelled(
    label: Callable[..., Any], owner: str, work: Work, values: Values, others: Sequence[Labelled]
) -> Labelled:
    """Return the labels. Raises FairvizError for a fault, and for codes that are no labels of these documents."""
    result = contained(label, owner, work, values, others)
    codes = np.asarray(getattr(result, "codes", None))
    shape, most = (len(work.texts),), len(work.classes) - 1
    if codes.shape != shape or codes.dtype.kind not in "iu" or codes.min(initial=0) < -1 or codes.max(initial=0) > most:
        raise FairvizError(
            f"{owner} gives no labels of the documents", f"Give {shape[0]:,} whole numbers from -1 (none) to {most}."
        )
    return result
