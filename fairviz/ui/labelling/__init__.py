"""The page Label, which shows the batch of one link and nothing else.

May import shell, kept, state, kit and everything below the interface.
"""
