"""The package of docs/template, installed by pip: its records are in use."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integrations.conftest import run_script
from tests.template import PACKAGE, TEMPLATE

pytestmark = pytest.mark.integration
RECORDS = """
import json

import fairviz
from fairviz.annotation.annotators import METHODS
from fairviz.installed import faults
from fairviz.measures import MEASURES
from fairviz.rankers import RANKERS
from fairviz.study.loaders import loaders

values = fairviz.evaluate(fairviz.open_study("football"), "Presence@4")["value"].tolist()
records = [MEASURES["Presence"], RANKERS["longest"], METHODS["pronoun"], loaders()[-1]]
print(json.dumps({"packages": [record.package for record in records], "values": values, "faults": faults()}))
"""


def test_the_template_is_installed_and_used(environment: Callable[..., Path], tmp_path: Path) -> None:
    python = environment("template", "-e", str(TEMPLATE), options=("--no-deps",))
    found = run_script(python, RECORDS, tmp_path)  # football: both genders in the left list, men in the right one
    assert found == {"packages": [PACKAGE] * 4, "values": [1.0, 0.5], "faults": []}
