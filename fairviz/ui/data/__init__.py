"""The page Data: what a study holds, what is added to it, fetched, ranked and downloaded.

May import shell, live, kept, state, kit and everything below the interface.
"""
