"""The page Inspect: documents one by one, decided by keyboard.

May import shell, live, kept, state, kit and everything below the interface.
"""
