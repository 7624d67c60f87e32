"""The parts around every page: server, frame and sidebar.

May import kept, state, kit and everything below the interface.
"""
