"""The state of a session: its studies and its settings, mirrored in the address.

May import everything below the interface.
"""
