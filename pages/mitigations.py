"""What does each mitigation do to fairness and to effectiveness?"""

from fairviz.ui.mitigations import bench
from fairviz.ui.shell import frame

bench.cards(*frame.current())
