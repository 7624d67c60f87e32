"""Fairness measures. To add one: a file with its function and record, and a line in MEASURES.

May import study and the rooms below it.
"""

from collections.abc import Mapping
from typing import Any

from fairviz.installed import Registry
from fairviz.measures.adopted import adopt
from fairviz.measures.awrf import AWRF
from fairviz.measures.cwex import CWEX
from fairviz.measures.effectiveness import known_name
from fairviz.measures.expected_exposure import EE_D, EE_L, EE_R
from fairviz.measures.exposure import ABS_EXPOSURE_GAP, EXPOSURE, EXPOSURE_GAP
from fairviz.measures.front_distance import DPFR, EFFECTIVENESS, front_question, is_front
from fairviz.measures.grammar import Question, distance, parse_question, unfairness
from fairviz.measures.group_exposure_ratio import GROUP_EXPOSURE_RATIO
from fairviz.measures.gsr import GSR
from fairviz.measures.neutrality import FAIRR, NFAIRR
from fairviz.measures.rank_bias import ARAB, RAB
from fairviz.measures.record import Measure
from fairviz.measures.term_exposure import RBDF, TED, TEXFAIR


def _reserved(name: str) -> str:
    """Return what outside the registry has the name of a measure, in any case of its letters; empty for nothing."""
    if name.casefold() == DPFR.name.casefold():
        return f"{DPFR.name} (package fairviz)"
    known = known_name(name)
    return f"{known} of ir_measures" if known else ""


_OWN = {
    measure.name: measure
    for measure in (
        CWEX,
        EXPOSURE,
        EXPOSURE_GAP,
        ABS_EXPOSURE_GAP,
        AWRF,
        GROUP_EXPOSURE_RATIO,
        NFAIRR,
        FAIRR,
        TEXFAIR,
        TED,
        RBDF,
        RAB,
        ARAB,
        EE_L,
        EE_D,
        EE_R,
        GSR,
    )
}
MEASURES: Registry[Measure] = Registry("fairviz.measures", Measure, _OWN, adopt, _reserved)


def parse(text: str, cutoff: int | None = None, chosen: Mapping[str, Any] | None = None) -> Question:
    """Return `CWEx(alpha=0.5)@10` as a Question; `cutoff` is that of a measure without @k. Raises UsageError.

    chosen: values of parameters missing in the text.

    >>> parse("NFaiRR(tau=0)", cutoff=5).text
    'NFaiRR(tau=0)@5'
    """
    if isinstance(text, str) and is_front(text):
        effectiveness = (chosen or {}).get("effectiveness", EFFECTIVENESS)
        return front_question(text, lambda measure: parse(measure, cutoff, chosen), effectiveness)
    return parse_question(text, MEASURES, cutoff, chosen)


__all__ = ["MEASURES", "Measure", "Question", "distance", "parse", "unfairness"]
