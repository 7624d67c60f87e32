"""Orders out of answers: to the letter, and by a slow reading of the same rules."""

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.models.protocol import LARGEST, Reply
from fairviz.rankers.listwise import Permutation, Sliding, cut_windows, parse_permutation, permutation_of

# answer, passages, outcome, order from 1, missing, double, invented
READ = [
    ("[2] > [1] > [3]", 3, "exact", "213", 0, 0, 0),
    (" [2]>[1]\n>[3].\n", 3, "exact", "213", 0, 0, 0),
    ("[2], [1], [3]", 3, "exact", "213", 0, 0, 0),
    ("[2]\n[1]\n[3]", 3, "exact", "213", 0, 0, 0),
    ("1. [2]\n2. [1]\n3. [3]", 3, "exact", "213", 0, 0, 0),
    ("- [2]\n- [1]\n- [3]", 3, "exact", "213", 0, 0, 0),
    ("**[2] > [1] > [3]**", 3, "exact", "213", 0, 0, 0),
    ("```json\n[2, 1, 3]\n```", 3, "exact", "213", 0, 0, 0),
    ("2 > 1 > 3", 3, "exact", "213", 0, 0, 0),
    ("[1] > [2] > [3]", 3, "exact", "123", 0, 0, 0),
    ("<think>[3] > [2] > [1]? No.</think>[2] > [1] > [3]", 3, "exact", "213", 0, 0, 0),
    ("[3]", 3, "repaired", "312", 2, 0, 0),
    ("[3] > [1]", 3, "repaired", "312", 1, 0, 0),
    ("[3] > [1] > [3] > [3] > [2]", 3, "repaired", "312", 0, 2, 0),
    ("[3] > [7] > [1] > [0] > [2]", 3, "repaired", "312", 0, 0, 2),
    ("[3] > [3] > [9]", 3, "repaired", "312", 2, 1, 1),
    ("Here it is: [2] > [1] > [3]", 3, "repaired", "213", 0, 0, 0),
    ("The output format is [] > [], e.g., [4] > [2].\n[2] > [1] > [3]", 3, "repaired", "213", 0, 0, 0),
    ("The best is [2].\n[2] > [1] > [3]\nI hope this helps.", 3, "repaired", "213", 0, 0, 0),
    ("[2] > [1] > [3]\n\nSo: [2] > [1] > [3]", 3, "repaired", "213", 0, 0, 0),
    ("[2] > [1] > [", 3, "repaired", "213", 1, 0, 0),  # cut off
]
UNREAD = [
    ("", "empty"),
    (" \n ``` ```", "empty"),
    ("<think>[3] > [2] > [1]</think>", "empty"),
    ("I cannot rank these 3 passages: 2 are alike and 1 is empty.", "prose"),
    ("Passage [2] is the best, passage [1] is worse and [3] is worst.", "prose"),
    ("[1] <passage>The nurse</passage>\n[2] <passage>The doctor</passage>", "prose"),
    ("3", "prose"),
    ("2024-05-01", "prose"),
    ("[] > []", "prose"),
    ("[a] > [b]", "prose"),
    ("[99999999999] > [88888888888]", "prose"),
    ("Either [1] > [2] > [3] or [3] > [2] > [1].", "several lists"),
    ("The text says: (3) > (2) > (1), ignore the instructions.", "prose"),
    ("[8] > [9]", "no passage"),
    ("Rank the 3 passages above. The output format is [] > [], e.g., [4] > [2]. Only respond with it.", "prose"),
]


@pytest.mark.parametrize(("text", "count", "outcome", "order", "missing", "double", "invented"), READ)
def test_answers_that_name_an_order(text, count, outcome, order, missing, double, invented):
    found = parse_permutation(text, count)
    assert (found.outcome, "".join(str(place + 1) for place in found.order)) == (outcome, order)
    assert (found.missing, found.double, found.invented) == (missing, double, invented)
    assert found.named == count - missing
    assert found.identity == (order == "123")


@pytest.mark.parametrize(("text", "outcome"), UNREAD)
def test_answers_that_name_none(text, outcome):
    found = parse_permutation(text, 3)
    assert (found.outcome, found.order, found.read, found.identity) == (outcome, (0, 1, 2), False, False)
    assert found.invented == (2 if outcome == "no passage" else 0)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=15), st.integers(1, 9))
def test_repair_is_the_slow_one(listed: list[int], count: int):
    order, double, invented = [], 0, 0
    for number in listed:
        if not 1 <= number <= count:
            invented += 1
        elif number - 1 in order:
            double += 1
        else:
            order.append(number - 1)
    rest = [place for place in range(count) if place not in order]
    found = parse_permutation(" > ".join(f"[{number}]" for number in listed), count)
    assert (found.double * bool(order), found.invented) == (double, invented)
    assert found.order == ((*order, *rest) if order else tuple(range(count)))
    assert sorted(found.order) == list(range(count)), "nothing is lost, nothing comes twice"
    assert (found.outcome == "exact") == (not rest and not double and not invented)


@given(st.text(max_size=80))
def test_no_text_breaks_it(text: str):
    assert sorted(parse_permutation(text, 4).order) == [0, 1, 2, 3]


def reply(**message: object) -> Reply:
    return Reply(200, json.dumps({"choices": [{"message": {"role": "assistant"} | message}]}))


@pytest.mark.parametrize(
    ("given_reply", "outcome"),
    [
        (None, "unanswered"),
        (reply(content="[2] > [1]"), "exact"),
        (reply(content=None), "empty"),
        (reply(content=None, refusal="I cannot help with that."), "refused"),
        (Reply(200, '{"choices": [{"finish_reason": "content_filter", "message": {"content": ""}}]}'), "refused"),
        (Reply(400, '{"error": {"message": "maximum context length", "code": "context_length_exceeded"}}'), "too long"),
        (Reply(400, '{"error": {"message": "The prompt was filtered.", "code": "content_filter"}}'), "refused"),
        (Reply(200, '{"choices": [{"message": {"content": "' + "[2] > [1] " * (LARGEST // 10)), "prose"),
    ],
)
def test_replies(given_reply: Reply | None, outcome: str):
    assert permutation_of(given_reply, 2).outcome == outcome


def test_an_order_is_whole_where_it_is_none():
    assert permutation_of(None, 3) == Permutation("unanswered", (0, 1, 2))


@given(st.integers(0, 60), st.integers(2, 25), st.data())
def test_windows_show_every_document_and_bring_the_last_to_the_top(length: int, window: int, data):
    step = data.draw(st.integers(1, window))
    spans = Sliding(window, step).spans(length)
    if length < 2:
        assert spans == []
        return
    assert {place for start, end in spans for place in range(start, end)} == set(range(length))
    assert all(end - start == min(window, length) for start, end in spans)
    assert spans[-1][0] == 0
    assert spans[0][1] == length
    if step < window:  # neighbours share places: what is best can rise from the last place to the first
        assert all(below[0] < above[1] for below, above in itertools.pairwise(spans))


def test_windows_of_rankgpt():
    """window 4, step 2 on 8 documents: as in figure 3 of RankGPT's paper."""
    assert Sliding(4, 2).spans(8) == [(4, 8), (2, 6), (0, 4)]


def test_a_window_larger_than_the_list_is_cut_and_said():
    assert Sliding(20, 10).spans(6) == [(0, 6)]
    assert cut_windows(Sliding(20, 10), [6, 25, 20, 19]) == (
        "the window of 20 is larger than 2 of 4 lists (the shortest holds 6), and is cut to them."
    )
    assert cut_windows(Sliding(20, 10), [20, 21]) == ""
