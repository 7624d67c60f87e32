"""What moves while a slider is dragged: for each of its stops what the figures, tables and sentences of a page show,
packed as numbers, and the one script that draws a stop over the page while the hand is on the slider.

A page's own folder says what moves (`Moving`) by the same `info` functions and sentences as its cards; this room packs
and delivers it after the page stands, and knows no page. Without the script the page works as it would without this.

May import kept, state, kit and everything below the interface.
"""
