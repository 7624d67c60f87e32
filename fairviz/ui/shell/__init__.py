"""The parts around every page: server, frame and sidebar.

May import live, kept, state, kit and everything below the interface.
"""
