"""The cache of what pages compute. A key holds all that a value depends on, and no more: see `entries`.

May import state, kit and everything below the interface.
"""
