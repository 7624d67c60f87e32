import pytest

from fairviz.ui.shell.gate import address_before_login, destination, is_to_remember, paths


def test_every_page_is_a_place_to_arrive_at() -> None:
    assert {"/", "/overview", "/tradeoff", "/read"} <= paths()


@pytest.mark.parametrize(
    ("path", "query", "place"),
    [
        ("/", "", "/?study=newswire"),
        ("/tradeoff", "alpha=0.2", "/tradeoff?study=newswire&alpha=0.2"),
        ("/tradeoff", "alpha=0.2&study=x", ""),
        ("/inspect", "", "/read?study=newswire"),
        ("/robustness", "study=x&robustness_choices=tau", "/sensitivity?study=x&robustness_choices=tau"),
        ("//robustness", "", ""),
        ("/tradeoff", "study=", ""),
        ("//evil.example", "", ""),
        ("//evil.example/tradeoff", "", ""),
        ("/_stcore/health", "", ""),
        ("/static/x.js", "", ""),
        ("/", "x=" + "1" * 3000, ""),
        ("/label", "token=abc", ""),
        ("/label", "", ""),
        ("/", "token=abc", ""),
    ],
)
def test_a_browser_is_sent_to_the_study_once(path: str, query: str, place: str) -> None:
    assert destination(path, query, "newswire") == place


def test_a_study_of_any_name_can_be_sent_to() -> None:
    assert destination("/", "", "/home/me/a b&c") == "/?study=%2Fhome%2Fme%2Fa+b%26c"


def test_below_a_base_path_only_its_pages_redirect() -> None:
    assert destination("/fairviz/tradeoff", "", "football", "fairviz") == "/fairviz/tradeoff?study=football"
    assert destination("/fairviz/", "", "football", "/fairviz/") == "/fairviz/?study=football"
    assert destination("/fairviz/inspect", "", "", "fairviz") == "/fairviz/read"
    assert destination("/tradeoff", "", "football", "fairviz") == ""
    assert destination("/fairviz/tradeoff", "", "football") == ""


LOGGED_IN = {"_streamlit_user": "x"}


@pytest.mark.parametrize(
    ("path", "cookies", "target"),
    [
        ("/", {"fairviz_next": "%2Ftradeoff%3Fstudy%3Dmine", **LOGGED_IN}, "/tradeoff?study=mine"),
        ("/", {"fairviz_next": "%2Ftradeoff"}, ""),
        ("/", LOGGED_IN, ""),
        ("/tradeoff", {"fairviz_next": "/", **LOGGED_IN}, ""),
        *(
            ("/", {"fairviz_next": text, **LOGGED_IN}, "")
            for text in ("//evil.org", "https://evil.org/", "/\\evil.org", "/none", "/tradeoff?%0d%0a", "/label", "é")
        ),
    ],
)  # fmt: skip
def test_a_login_leads_back_to_the_page_that_was_opened(path: str, cookies: dict[str, str], target: str) -> None:
    assert address_before_login(path, cookies) == target


@pytest.mark.parametrize(
    ("path", "query", "cookies", "is_remembered"),
    [
        ("/tradeoff", "study=mine", {}, True),
        ("/tradeoff", "study=mine", LOGGED_IN, False),
        ("/label", "token=x", {}, False),
        ("/static/x.js", "", {}, False),
        ("/tradeoff", "a" * 3000, {}, False),
    ],
)
def test_the_address_of_a_page_is_remembered_until_the_login(
    path: str, query: str, cookies: dict[str, str], is_remembered: bool
) -> None:
    assert is_to_remember(path, query, cookies) == is_remembered
