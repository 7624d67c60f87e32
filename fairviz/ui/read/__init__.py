"""The page Read: documents one by one, adjudicated by keyboard.

May import shell, kept, state, kit and everything below the interface.
"""
