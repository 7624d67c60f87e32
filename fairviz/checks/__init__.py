"""Checks of claims: what would change a conclusion, one file each.

To add one: a file with its record, and a line in CHECKS. Command line, page, report and manual read these.

May import analyses and the rooms below it.
"""

from fairviz.checks.agreement import AGREEMENT
from fairviz.checks.annotator_groups import ANNOTATOR_GROUPS
from fairviz.checks.background import BACKGROUND
from fairviz.checks.chance_band import CHANCE_BAND
from fairviz.checks.choices_decide import CHOICES_DECIDE
from fairviz.checks.detectable import DETECTABLE
from fairviz.checks.ends import ENDS
from fairviz.checks.groups_present import GROUPS_PRESENT
from fairviz.checks.label_coverage import LABEL_COVERAGE
from fairviz.checks.labels_of_words import LABELS_OF_WORDS
from fairviz.checks.leaves_claim import LEAVES_CLAIM
from fairviz.checks.looked import LOOKED
from fairviz.checks.machine_labels import MACHINE_LABELS
from fairviz.checks.model_family import MODEL_FAMILY
from fairviz.checks.near_ids import NEAR_IDS
from fairviz.checks.own_majority import OWN_MAJORITY
from fairviz.checks.queries import QUERIES
from fairviz.checks.record import Check, Finding, Link, adopt
from fairviz.checks.text_coverage import TEXT_COVERAGE
from fairviz.checks.tied import TIED
from fairviz.checks.word_list import WORD_LIST
from fairviz.installed import Registry

_OWN = (
    WORD_LIST,
    LABEL_COVERAGE,
    QUERIES,
    MACHINE_LABELS,
    AGREEMENT,
    GROUPS_PRESENT,
    CHOICES_DECIDE,
    TIED,
    CHANCE_BAND,
    ENDS,
    NEAR_IDS,
    BACKGROUND,
    DETECTABLE,
    LOOKED,
    MODEL_FAMILY,
    OWN_MAJORITY,
    LABELS_OF_WORDS,
    TEXT_COVERAGE,
    LEAVES_CLAIM,
    ANNOTATOR_GROUPS,
)  # fmt: skip
CHECKS: Registry[Check] = Registry(
    "fairviz.checks", Check, {check.code: check for check in sorted(_OWN, key=lambda check: check.code)}, adopt
)

__all__ = ["CHECKS", "Check", "Finding", "Link"]
