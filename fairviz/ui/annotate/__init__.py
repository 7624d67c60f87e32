"""The page Annotate: labels by rules and models, compared with a reference and used.

May import shell, kept, state, kit and everything below the interface.
"""
