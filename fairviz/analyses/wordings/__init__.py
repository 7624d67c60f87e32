"""ComSRB: whether the list for a neutral wording of a query resembles that for its stereotypical wording.

May import figures, comparison and the rooms below them.
"""

VARIANTS = ("N", "P", "CP")  # neutral, prototypical and counter-prototypical wording
REMEDY = "Give queries.csv the columns variant (N, P or CP) and base, one name for the three wordings of a query."
