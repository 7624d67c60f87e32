"""Documents that a system shows in no list within the cutoff: shares by group, concentration of exposure, their ids.

May import figures, comparison and the rooms below them.
"""
