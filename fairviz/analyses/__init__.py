"""Questions that go beyond a score, one folder each: inputs and parameters in, tables and sentences out.

May import figures, comparison and the rooms below them.
"""
