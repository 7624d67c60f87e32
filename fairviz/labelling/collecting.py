"""People's answers as labels of the study: whose come in, whose are left out and why, and what stays open."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.errors import FairvizError, UsageError
from fairviz.labelling.database import storable
from fairviz.labelling.forms import Link, links, name_annotators, texts

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.study.study import Study

LEAST_TESTS = 0.8  # the share of test questions that the CWEx paper asks for
MOST_NAMED = 20
STATUS = (
    "form", "batch", "person", "annotator", "answered", "questions", "undecided", "tests_right", "tests_answered",
    "latest", "open",
)  # fmt: skip


@dataclass(frozen=True)
class Collected:
    """labels: doc_id, annotator, label, with rationale where anybody wrote a comment. people: the links whose answers
    these are, by annotator. left_out: those who missed too many test questions, by the name that they would have.
    changed: documents whose text in the study is another now, or which it holds no more; their labels are left out.
    divided: those of which no label has a majority among these people, and which no expert has decided."""

    labels: "pd.DataFrame"
    people: dict[str, Link]
    left_out: dict[str, Link]
    changed: tuple[str, ...]
    divided: tuple[str, ...]


def collected(study: "Study", *, least_tests: float = LEAST_TESTS, with_tests: bool = True, form: int = 0) -> Collected:
    """What people's answers so far make as labels; nothing is written.

    least_tests: whose share of right answers to test questions is below it is left out; who answered none stays.
    with_tests: answers to test questions come in too, as rows whose column `test_label` holds the right answer: they
    are these people's record, and count in no agreement and no vote. Raises FairvizError where nobody has answered
    anything, or with labels that the study has not, UsageError for a share that is none.
    """
    if not 0 <= least_tests <= 1:
        raise UsageError(f"least_tests is {least_tests}", "Use a share from 0 to 1.")
    answered = [link for link in links(study, form=form) if link.answers]
    if not answered:
        raise FairvizError(
            f"nobody has answered a labelling form of {study.name} yet", "Send people their links: --status shows them."
        )
    _refuse_foreign(study, answered)
    named = annotator_names(study, answered)
    passed = {who: link for who, link in named.items() if share_right(link) >= least_tests}
    changed = _changed(study, passed.values())
    labels = _labels(passed, changed, with_tests)
    left_out = {who: link for who, link in named.items() if who not in passed}
    return Collected(labels, passed, left_out, tuple(sorted(changed)), divided(study, labels))


def bring_in(study: "Study", *, least_tests: float = LEAST_TESTS, with_tests: bool = True, form: int = 0) -> tuple[
    Path, Collected
]:  # fmt: skip
    """Writes people's answers into the study as labels of people, in place of what was brought in before, and returns
    the file and what it holds now. Raises FairvizError as `collected` does, and where nothing would come in."""
    from fairviz.datasets import save_labels
    from fairviz.study.study import Annotator

    found = collected(study, least_tests=least_tests, with_tests=with_tests, form=form)
    if not len(found.labels):
        raise FairvizError(
            f"no answer can be brought into {study.name}: {_why_none(found)}",
            "Labels that were brought in before stay as they are.",
        )
    earlier = {link.annotator for link in links(study, form=form) if link.annotator}
    given = set(found.labels["annotator"])
    people = {who: link for who, link in found.people.items() if who in given}
    # Named before they are written: where the process ends between the two, the next one finds its own labels.
    name_annotators((link.token, who) for who, link in {**found.people, **found.left_out}.items())
    annotators = {
        who: Annotator(who, "person", f"A person's answers to labelling form {link.form}, link {link.person}.")
        for who, link in people.items()
    }
    return save_labels(study, found.labels, annotators, own=earlier), found


def status(study: "Study", found: Sequence[Link]) -> "pd.DataFrame":
    """A row for each of these links: STATUS. annotator: the name that her labels have or would have; latest: when she
    last answered, UTC."""
    import pandas as pd

    names = {link.token: who for who, link in annotator_names(study, found).items()}
    rows = [
        (link.form, link.batch, link.person, names[link.token], link.answered, link.questions, link.undecided,
         link.right, link.tests, link.latest, not link.closed)
        for link in found
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(STATUS))


def share_right(link: Link) -> float:
    """The share of the test questions that she answered rightly, of those she answered; 1 where she answered none."""
    return link.right / link.tests if link.tests else 1.0


def told_tests(link: Link) -> str:
    """`9 of 10 test questions right`."""
    return (
        f"{link.right} of {counted(link.tests, 'test question')} right" if link.tests else "no test question answered"
    )


def annotator_names(study: "Study", found: Iterable[Link]) -> dict[str, Link]:
    """Each link by the annotator's name of its answers: the one under which they stand in the study, else the name
    that the person gave or that the link has, with the link's behind it where another annotator is called so."""
    from fairviz.annotation.adjudications import ADJUDICATED
    from fairviz.annotation.consensus import CONSENSUSES

    found = list(found)
    every = links(study)
    kept = {link.annotator for link in every if link.annotator}
    taken = {ADJUDICATED, *CONSENSUSES, *study.annotators, *study.labels["annotator"].unique(), *kept}
    wanted = [link.name or link.person for link in every]
    named: dict[str, Link] = {}
    for link in found:
        name = link.annotator or link.name or link.person
        if not link.annotator and (name in taken or wanted.count(name) > 1):
            name = f"{name} ({link.person})"
            while name in taken:
                name += "*"
        taken.add(name)
        named[name] = link
    return named


def _refuse_foreign(study: "Study", answered: Iterable[Link]) -> None:
    """Raises FairvizError where somebody gave a label that the study's groups no longer have: with it in the study,
    nobody could open that."""
    known = (study.neutral, *study.groups)
    for link in answered:
        said = {one.label for one in link.answers if one.said == "label"} - set(known)
        if said:
            raise FairvizError(
                f"labelling form {link.form} was answered with {', '.join(sorted(said))}, and the labels of "
                f"{study.name} are {', '.join(known)} now",
                "Give study.toml the groups of then, or bring in other forms alone: --form NUMBER.",
            )


def _changed(study: "Study", passed: Iterable[Link]) -> set[str]:
    """The documents that somebody answered about and whose text in the study is not the one that was read."""
    table = study.documents
    now = {
        name: f"{storable(title)}\n{storable(text)}"
        for name, title, text in zip(table["doc_id"], table["title"].fillna(""), table["text"].fillna(""), strict=True)
    }
    read = texts(study)
    return {one.doc_id for link in passed for one in link.answers if read[link.form, one.doc_id] != now.get(one.doc_id)}


def _labels(passed: dict[str, Link], changed: set[str], with_tests: bool) -> "pd.DataFrame":
    import pandas as pd

    from fairviz.study.loaders.labels import TEST_LABEL

    rows = []
    for who, link in passed.items():
        said = [one for one in link.answers if one.said == "label" and one.doc_id not in changed]
        if all(one.right_answer for one in said):  # a record of somebody who labelled nothing is of no use
            continue
        kept = said if with_tests else [one for one in said if not one.right_answer]
        rows += [(one.doc_id, who, one.label, one.comment, one.right_answer) for one in kept]
    table = pd.DataFrame(rows, columns=["doc_id", "annotator", "label", "rationale", TEST_LABEL]).astype("str")
    table = table if (table[TEST_LABEL] != "").any() else table.drop(columns=TEST_LABEL)
    return table if (table["rationale"] != "").any() else table.drop(columns="rationale")


def divided(study: "Study", labels: "pd.DataFrame") -> tuple[str, ...]:
    """The documents on which these labels leave no majority and nobody has decided in the label room; answers to test
    questions do not vote."""
    from fairviz.annotation.adjudications import ADJUDICATED
    from fairviz.annotation.consensus import open_ties

    decided = set(study.labels.loc[study.labels["annotator"] == ADJUDICATED, "doc_id"])
    left = open_ties(labels, everyone=True)["doc_id"] if len(labels) else ()
    return tuple(name for name in left if name not in decided)


def _why_none(found: Collected) -> str:
    if found.left_out:
        told = ", ".join(f"{who} ({told_tests(link)})" for who, link in found.left_out.items())
        return f"too few test questions are right: {told}"
    if found.changed:
        return "the documents that were answered have another text now"
    return "people answered test questions alone, or could not decide"


def told_people(names: Iterable[str]) -> str:
    """Names in a line, the first of many."""
    known = list(names)
    more = f" and {len(known) - MOST_NAMED:,} more" if len(known) > MOST_NAMED else ""
    return f"{', '.join(known[:MOST_NAMED])}{more}"


def sentences(found: Collected, least_tests: float = LEAST_TESTS) -> list[str]:
    """What came in, what was left out and why, and what is open: a line each."""
    from fairviz.annotation.agreement import left_out_text

    lines = [
        f"{who}: {link.answered:,} of {link.questions:,} questions answered, {link.undecided:,} of them undecided; "
        f"{told_tests(link)}"
        for who, link in found.people.items()
    ]
    lines += [
        f"left out: {who}, {told_tests(link)}, fewer than {100 * least_tests:.0f} %"
        for who, link in found.left_out.items()
    ]
    lines += [_told_mute(who, link) for who, link in _mute(found).items()]
    if told := left_out_text(found.labels):
        lines.append(told)
    if found.changed:
        lines.append(
            f"left out: the answers about {counted(len(found.changed), 'document')} with another text now: "
            f"{told_people(found.changed)}"
        )
    if found.divided:
        lines.append(
            f"no majority on {counted(len(found.divided), 'document')}, for an expert to decide: "
            f"{told_people(found.divided)}"
        )
    return lines


def _mute(found: Collected) -> dict[str, Link]:
    """Those whose answers came in with so many test questions failed that no consensus counts them."""
    from fairviz.annotation.consensus import quality_control

    return {who: found.people[who] for who in quality_control(found.labels).dropped}


def _told_mute(who: str, link: Link) -> str:
    return (
        f"{who} is in the study, but votes in no consensus: {told_tests(link)}, fewer than "
        f"{100 * LEAST_TESTS:.0f} %; fairviz study-form --collect --without-tests would let those labels vote"
    )


def counted(number: int, one: str, many: str = "") -> str:
    """`1 document`, `2 documents`."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
