"""What pages computed, kept under one discipline of keys: all that a value depends on, and no more.

May import state, kit and everything below the interface.
"""
