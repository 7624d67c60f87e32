"""The page What-if: manual edits of one list, and their effect on every measure.

May import shell, kept, state, kit and everything below the interface.
"""
