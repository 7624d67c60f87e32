"""Every mitigation on the same held-out queries: the mitigations, their runs, the bench and its sentences.

May import what analyses may.
"""

NAME = "WordingGap"  # the measure of wordings, which only the bench has
USUAL = ("CWEx", "AbsExposureGap", "NFaiRR", "TExFAIR", NAME)
