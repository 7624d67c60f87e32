"""What does each mitigation do to fairness and to effectiveness?"""

from fairviz.ui.kit import html
from fairviz.ui.mitigations import views
from fairviz.ui.shell import frame

study, settings = frame.current()
html.heading("Mitigations", "What does each mitigation do to fairness and to effectiveness?")
views.draw(study, settings)
