"""The page Mitigations: re-rankers and debiased rankers side by side.

May import shell, kept, state, kit and everything below the interface.
"""
