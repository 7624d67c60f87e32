"""What does each mitigation do to fairness and to effectiveness?"""

from fairviz.ui.mitigations import views
from fairviz.ui.shell import frame

study, settings = frame.current()
views.draw(study, settings)
