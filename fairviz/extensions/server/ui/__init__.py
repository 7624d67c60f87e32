"""Pages, login and requests of the server.

May import the server's own modules and everything of the app.
"""
