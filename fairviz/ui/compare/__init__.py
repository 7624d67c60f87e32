"""The pages Two systems and Measures: two systems query by query, all against a baseline, and where measures disagree.

May import shell, kept, state, kit and everything below the interface.
"""
