"""Live updates while a slider is dragged: the figures, tables and sentences of a page at each stop of the slider,
packed as numbers, and the script that draws a stop over the page during the drag.

A page's own package defines the moving parts (`Moving`) by the same `info` functions and sentences as its cards; this
package packs and delivers them after the page is drawn, for any page. The page works without the script too.

May import kept, state, kit and everything below the interface.
"""
