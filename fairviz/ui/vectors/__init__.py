"""The choice of word vectors, which the pages Stereotypes and Words share.

May import shell, live, kept, state, kit and everything below the interface.
"""
