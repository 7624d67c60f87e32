"""Annotators from other packages."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from fairviz.annotation.annotators.record import Labelled, Method, Values, Work
from fairviz.errors import PackageError
from fairviz.installed import Owner, contained, owner_of
from fairviz.parameters import check_record


def adopt(record: Method) -> Method:
    """Return the record with a `label` whose codes are checked.

    Raises ValueError, with the reason, for a record that cannot be used.
    """
    check_record(record)
    if record.kind not in ("rule", "model"):
        raise ValueError(f"its kind is {record.kind!r}, and not rule or model")
    label = partial(_labelled, record.label, owner_of(record))
    return replace(record, summary=f"{record.summary} (package {record.package})", label=label)


def _labelled(
    label: Callable[..., Any], owner: Owner, work: Work, values: Values, others: Sequence[Labelled]
) -> Labelled:
    """Return the labels. Raises PackageError for codes that are no labels of these documents."""
    result = label(work, values, others)
    codes = contained(np.asarray, owner, getattr(result, "codes", None))
    shape, most = (len(work.texts),), len(work.classes) - 1
    is_labelled = isinstance(result, Labelled) and len(result.outcomes) == len(work.texts)
    if (
        not is_labelled or codes.shape != shape or codes.dtype.kind not in "iu"
        or codes.min(initial=0) < -1 or codes.max(initial=0) > most
    ):  # fmt: skip
        raise PackageError(
            f"{owner} gives no labels of the documents", f"Give {shape[0]:,} whole numbers from -1 (none) to {most}."
        )
    return result
