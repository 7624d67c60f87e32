"""The page Sensitivity: two systems under every combination of choices, while it is computed and after.

May import shell, kept, state, kit and everything below the interface.
"""
