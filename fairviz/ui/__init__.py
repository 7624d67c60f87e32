"""The app: settings in the address, caches, controls, boxes and charts. Only this package, the pages and app.py import
streamlit.

May import everything but cli. Its rooms: kit and state, below kept, below live, below shell, below a folder a page.
"""
