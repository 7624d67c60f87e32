"""What stands around every page: server, frame, sidebar and the boundary where errors meet the screen.

May import live, kept, state, kit and everything below the interface.
"""
