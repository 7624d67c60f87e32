"""The page Label, which shows the batch of one link and nothing else, and the card of labelling forms on Agreement.

May import shell, kept, state, kit and everything below the interface.
"""
