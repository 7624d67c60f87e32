"""The page Methods: every formula as coded.

May import shell, kept, state, kit and everything below the interface.
"""
