"""The page Words: words between male and female.

May import shell, live, kept, state, kit and everything below the interface.
"""
