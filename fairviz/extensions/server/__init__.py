"""The lab server: studies served to people with logins and roles, the queue of their jobs over processes, and backups.

In its processes it answers what `fairviz.home.permissions` asks. May import everything but other extensions.
"""
