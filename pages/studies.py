"""Which studies are here, and what may I do with them?"""

from fairviz.ui.studies import table

table.draw()
