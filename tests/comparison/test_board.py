"""The class board: links as data, entries of many people, and their verdicts, in Python and on its page."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

import fairviz
from fairviz.comparison.board import MOST, read_links, sentence, varied, verdicts
from fairviz.comparison.pairs import Row
from fairviz.datasets import board
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.home.permissions import Visitor, visiting
from fairviz.measures import parse
from tests.pages.conftest import first_run, html_of

APP = "http://localhost:8501/overview?study=newswire"


def row_of(difference: float, settings: Settings) -> Row:
    ends = {"ci_low": difference - 0.1, "ci_high": difference + 0.3}
    known = {"difference": difference, **ends, "p_corrected": 0.01, "verdict": "ahead"}
    return Row(**{**dict.fromkeys(Row._fields), **known})


def test_a_line_is_a_name_and_a_link() -> None:
    text = f"ann: {APP}&cutoff=5\n\n bob,{APP}&alpha=0.9#here\ncaro d\t{APP}\n{APP}&tau=0\nann {APP}&cutoff=7\n"
    entries = read_links(text, "newswire")
    assert [(entry.name, entry.problem) for entry in entries] == [(name, "") for name in ("bob", "caro d", "4", "ann")]
    assert [entry.settings.cutoff for entry in entries] == [10, 10, 10, 7]
    assert (entries[0].settings.alpha, entries[2].settings.tau) == (0.9, 0)


def test_a_hostile_line_is_an_entry_with_its_problem() -> None:
    problems = {
        "javascript:alert(1)": "is no link of the app",
        "ann: /?study=football": "is of another study, and not of newswire",
        "ann: http://[?cutoff=5": "is of another study",
        f"ann: {APP}&cutoff=0": "The address sets cutoff to '0'",
        f"ann: {APP}&embedding=/etc/passwd": "The address sets embedding to '/etc/passwd'",
        f"ann: {APP}&{'&'.join(f'a{place}=1' for place in range(MOST + 1))}": "has too many settings",
        f"ann: {APP}&lexicon=female:{'x' * 30_000}": "is no link of the app",
    }
    for line, problem in problems.items():
        (entry,) = read_links(line, "newswire")
        assert entry.problem.startswith(problem)
    many = read_links("javascript:alert(1)\n" * (MOST + 5), "newswire")
    assert many[-1].problem.startswith("5 lines more than")


def test_a_verdict_is_towards_the_fairer_system() -> None:
    """CWEx is fairer where it is higher; AbsExposureGap where it is lower, so that its signs and ends turn."""
    entries = read_links(f"a: {APP}\nb: {APP}&cutoff=5", "newswire")
    for measure, sign in (("CWEx@10", 1), ("AbsExposureGap@10", -1)):
        table = verdicts(entries, parse(measure), ("x", "y"), partial(row_of, 0.2 * sign))
        assert (table["value"] == 0.2).all()
        assert (table["fairer"] == "x").all()
        low, high = (0.1, 0.5) if sign == 1 else (-0.1, 0.3)  # of -0.3 to 0.1, turned
        assert table[["low", "high"]].to_numpy().tolist() == [pytest.approx([low, high])] * 2
        assert table["cutoff"].tolist() == ["10", "5"]
    assert varied(entries) == {"cutoff": ["5", "10"]}
    assert sentence(table, ("x", "y")) == (
        "2 entries: x is fairer for 2, significantly for 2; y is fairer for 0, significantly for 0."
    )

    def refuse(settings: Settings) -> Row:
        raise FairvizError("no labels", "Add some.")

    refused = verdicts(entries, parse("CWEx@10"), ("x", "y"), refuse)
    assert refused["problem"].tolist() == ["no labels. Add some."] * 2
    assert sentence(refused, ("x", "y")) == "No entry counts yet."


def test_thirty_people_add_at_once_and_each_has_one_entry() -> None:
    study = fairviz.open_study("newswire")

    def add(number: int) -> None:
        with visiting(Visitor(f"student{number % 30:02}")):
            board.put_link(study, "somebody else", f"study=newswire&cutoff={3 + number // 30}")

    with ThreadPoolExecutor(30) as pool:
        list(pool.map(add, range(60)))
    entries = board.links(study)
    assert [name for name, _ in entries] == [f"student{number:02}" for number in range(30)]
    with visiting(Visitor("student07")):
        board.remove_link(study, "student08")
    assert [name for name, _ in board.links(study)] == [name for name, _ in entries if name != "student07"]
    board.clear(study)
    assert board.links(study) == []
    with pytest.raises(FairvizError, match="the entry has no name"):
        board.put_link(study, "  ", "study=newswire")


def test_the_page_has_a_point_for_each_entry_and_names_what_does_not_count() -> None:
    study = fairviz.open_study("newswire")
    for number in range(3):
        board.put_link(study, f"s{number:02}", f"study=newswire&alpha={number / 20}")
    page = first_run("board.py", study="newswire", system="w2v_add", baseline="bm25", measure="CWEx")
    pasted = [f"p{number:02}: {APP}&cutoff={number + 1}" for number in range(3)]
    hostile = f"<script>alert(1)</script>: {APP}&annotator=nobody\n<b>x</b>: {APP}&cutoff=-1"
    page.text_area(key="board_links").input("\n".join([*pasted, hostile]))
    page.text_input(key="board_own_name").input("me").run()
    page.button(key="board_add").click().run()
    assert ("me", "study=newswire&system=w2v_add") in board.links(study)
    shown = next(frame.value for frame in page.dataframe if "choices" in frame.value)
    assert sorted(shown["name"]) == ["me", *(f"{letter}{number:02}" for letter in "ps" for number in range(3))]
    by_hand = fairviz.compare(
        fairviz.evaluate(study, ["CWEx"], cutoff=3, systems=("w2v_add", "bm25")), baseline="bm25"
    ).set_index("system")
    third = shown.set_index("name").loc["p02"]
    assert third[["value", "low", "high"]].tolist() == pytest.approx(
        by_hand.loc["w2v_add", ["difference", "ci_low", "ci_high"]].tolist()
    )
    text = html_of(page)
    assert "7 entries: w2v_add is fairer for" in text
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;: the study" in text
