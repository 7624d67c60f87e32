"""A function of a query and texts is audited as rankers are."""

import fairviz
from tests.test_added_records import longest


def test_a_function_is_audited(newswire) -> None:
    audited = fairviz.audit(newswire, {"longest": longest}, queries=3, anchor=False)
    assert set(audited.table["system"]) == {"longest"}
