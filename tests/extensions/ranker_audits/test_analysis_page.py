"""A page that is made from a record sends texts only once that is confirmed."""

from tests.pages.conftest import no_exception as no_exception
from tests.ui.analyses.test_page import GO, opened
from tests.ui.analyses.test_page import registered as registered


def test_texts_leave_for_a_server_only_once_that_is_confirmed() -> None:
    page = opened()
    page.text_input(key="tried_rankers").set_value("llm_pairwise(model='m',url='http://localhost:9/v1')").run()
    (tick,) = [box for box in page.checkbox if "_send newswire" in str(box.key)]
    assert "Send the texts of newswire to localhost" in tick.label
    assert not [button for button in page.button if button.key == GO]
    assert tick.check().run().button(key=GO)
