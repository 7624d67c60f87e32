"""Questions that go beyond a score, one folder or file each: inputs and parameters in, tables and sentences out.

To add one: a file with its record, and a line in ANALYSES, from which its verb and its page are made.

May import figures, comparison and the rooms below them.
"""

from fairviz.analyses.all_lists.analysis import ALL_LISTS
from fairviz.analyses.annotator_groups.analysis import ANNOTATOR_GROUPS
from fairviz.analyses.gender_swap.analysis import COUNTERFACTUAL
from fairviz.analyses.measure_power.analysis import MEASURE_POWER
from fairviz.analyses.mitigations.analysis import BENCH
from fairviz.analyses.never_shown.analysis import NEVER_SHOWN
from fairviz.analyses.record import Analysis, adopt
from fairviz.analyses.replace_people.analysis import REPLACE_PEOPLE
from fairviz.analyses.target_shares import TARGET_SHARES
from fairviz.analyses.wordings.analysis import WORDINGS
from fairviz.installed import Registry

_OWN = {
    analysis.name: analysis
    for analysis in (
        COUNTERFACTUAL,
        NEVER_SHOWN,
        BENCH,
        REPLACE_PEOPLE,
        WORDINGS,
        ANNOTATOR_GROUPS,
        ALL_LISTS,
        MEASURE_POWER,
        TARGET_SHARES,
    )
}  # fmt: skip
ANALYSES: Registry[Analysis] = Registry("fairviz.analyses", Analysis, _OWN, adopt)

__all__ = ["ANALYSES", "Analysis"]
