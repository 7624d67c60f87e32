"""The choice of word vectors, which the pages Stereotypes and Words share.

May import shell, kept, state, kit and everything below the interface.
"""
