"""The page Stereotypes: GSR, what carries it, how far it can be trusted.

May import shell, live, kept, state, kit and everything below the interface.
"""
