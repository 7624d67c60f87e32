"""The page Words: words between male and female.

May import shell, kept, state, kit and everything below the interface, and of GSR its colours and numbers.
"""
