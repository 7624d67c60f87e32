"""The page Annotators: labels from code and from models, made, set against a reference, and put to use.

May import shell, kept, state, kit and everything below the interface.
"""
