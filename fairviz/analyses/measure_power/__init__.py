"""Which measures tell systems apart, and which properties of lists each measure respects.

May import figures, comparison and the rooms below them.
"""
