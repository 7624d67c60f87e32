"""The page Backpack: the weight of a ranker's gender senses, what it does to lists and measures, and its placebo.

May import shell, kept, state, kit and everything below the interface.
"""
