"""The page Studies of a server.

May import shell, kept, state, kit and everything below the interface.
"""
