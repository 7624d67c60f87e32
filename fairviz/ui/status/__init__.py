"""The page of a server's owners: its processes, jobs, changes and roles.

May import shell, kept, state, kit and everything below the interface.
"""
