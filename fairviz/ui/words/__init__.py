"""The page Words: where words lie between male and female.

May import shell, live, kept, state, kit and everything below the interface.
"""
