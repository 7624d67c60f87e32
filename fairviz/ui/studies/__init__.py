"""The page Studies of a server.

May import state, kit, kept and shell of the interface, and what lies below it.
"""
