"""Labels from people's answers, with the people left out and the documents without a majority."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fairviz.annotation.forms.database import storable
from fairviz.annotation.forms.forms import Link, links, name_annotators, suggestions, texts
from fairviz.declared import COLLECT
from fairviz.errors import FairvizError
from fairviz.home.permissions import changes_study
from fairviz.words.sentences import counted, first_listed, out_of

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.study.record import Annotator, Study

LEAST_TESTS = COLLECT["least_tests"].default  # the share of right answers to test questions required by the CWEx paper
MOST_NAMED = 20
STATUS = (
    "form", "batch", "person", "annotator", "answered", "questions", "undecided", "tests_right", "tests_answered",
    "latest", "open",
)  # fmt: skip


@dataclass(frozen=True)
class Collected:
    """labels: doc_id, annotator, label, with rationale where there are comments. people: the links of these labels, by
    annotator. left_out: the links with too few right test questions, by annotator. changed: documents whose text in the
    study has changed, or that it no longer contains; their labels are left out. divided: documents without a majority
    among these people and without an adjudication."""

    labels: "pd.DataFrame"
    people: dict[str, Link]
    left_out: dict[str, Link]
    changed: tuple[str, ...]
    divided: tuple[str, ...]


def collect(study: "Study", *, least_tests: float = LEAST_TESTS, with_tests: bool = True, form: int = 0) -> Collected:
    """Return the labels from people's answers so far; nothing is written.

    least_tests: people with a smaller share of right answers to test questions are left out; people without such
    answers stay. with_tests: include answers to test questions, as rows with the right answer in the column
    `test_label`: they are part of people's records, and not used by agreement and votes. Raises FairvizError without
    answers, and for labels that are not in the study, UsageError for a share outside [0, 1].
    """
    COLLECT["least_tests"].check(least_tests)
    answered_links = [link for link in links(study, form=form) if link.answers]
    if not answered_links:
        raise FairvizError(
            f"nobody has answered a labelling form of {study.name} yet", "Send people their links: --status shows them."
        )
    _refuse_foreign(study, answered_links)
    links_by_name = annotator_names(study, answered_links)
    passed = {name: link for name, link in links_by_name.items() if share_right(link) >= least_tests}
    changed = _changed(study, passed.values())
    labels = _labels(passed, changed, with_tests, suggestions(study))
    left_out = {name: link for name, link in links_by_name.items() if name not in passed}
    return Collected(labels, passed, left_out, tuple(sorted(changed)), divided(study, labels))


def _refuse_foreign(study: "Study", answered_links: Iterable[Link]) -> None:
    """Raise FairvizError for an answer outside the study's present groups, with which the study could not be opened."""
    groups = (study.neutral, *study.groups)
    for link in answered_links:
        foreign = {answer.label for answer in link.answers if answer.said == "label"} - set(groups)
        if foreign:
            raise FairvizError(
                f"labelling form {link.form} was answered with {', '.join(sorted(foreign))}, and the labels of "
                f"{study.name} are {', '.join(groups)} now",
                "Give study.toml the groups of then, or bring in other forms alone: --form NUMBER.",
            )


def _changed(study: "Study", passed: Iterable[Link]) -> set[str]:
    """Return the answered documents whose text in the study differs from the text that people read."""
    table = study.documents
    texts_now = {
        name: f"{storable(title)}\n{storable(text)}"
        for name, title, text in zip(table["doc_id"], table["title"].fillna(""), table["text"].fillna(""), strict=True)
    }
    texts_read = texts(study)
    return {
        answer.doc_id
        for link in passed
        for answer in link.answers
        if texts_read[link.form, answer.doc_id] != texts_now.get(answer.doc_id)
    }


@changes_study("collect labels")
def collect_named(
    study: "Study", *, least_tests: float = LEAST_TESTS, with_tests: bool = True, form: int = 0
) -> "tuple[Collected, dict[str, Annotator], set[str]]":
    """Return the labels from people's answers, their annotators, and the annotators whose earlier labels they replace.

    `fairviz.datasets.save_labels` takes all three. The people's names are stored here, before any label: where the
    process ends between the two, the next one finds its own labels. Raises FairvizError without labels; for other
    errors see `collect`.
    """
    from fairviz.study.record import Annotator

    collection = collect(study, least_tests=least_tests, with_tests=with_tests, form=form)
    if not len(collection.labels):
        raise FairvizError(
            f"no answer can be brought into {study.name}: {_reason_of_none(collection)}",
            "Labels that were brought in before stay as they are.",
        )
    earlier = {link.annotator for link in links(study, form=form) if link.annotator}
    names = set(collection.labels["annotator"])
    people = {name: link for name, link in collection.people.items() if name in names}
    name_annotators((link.token, name) for name, link in {**collection.people, **collection.left_out}.items())
    annotators = {
        name: Annotator(name, "person", f"A person's answers to labelling form {link.form}, link {link.person}.")
        for name, link in people.items()
    }
    return collection, annotators, earlier


def _reason_of_none(collection: Collected) -> str:
    """Return why a collection has no labels."""
    if collection.left_out:
        people_text = ", ".join(f"{name} ({tests_text(link)})" for name, link in collection.left_out.items())
        return f"too few test questions are right: {people_text}"
    if collection.changed:
        return "the documents that were answered have another text now"
    return "people answered test questions alone, or could not decide"


def status(study: "Study", listed: Sequence[Link]) -> "pd.DataFrame":
    """Return a row for each of these links: STATUS. annotator: the name of the link's labels, present or future.
    latest: the time of the last answer, UTC."""
    import pandas as pd

    names = {link.token: name for name, link in annotator_names(study, listed).items()}
    rows = [
        (link.form, link.batch, link.person, names[link.token], link.answered, link.questions, link.undecided,
         link.right, link.tests, link.latest, not link.closed)
        for link in listed
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(STATUS))


def share_right(link: Link) -> float:
    """Return the share of right answers among the person's answers to test questions; 1 without any."""
    return link.right / link.tests if link.tests else 1.0


def tests_text(link: Link) -> str:
    """Return a text such as `9 of 10 test questions right`."""
    if not link.tests:
        return "no test question answered"
    return f"{link.right} of {counted(link.tests, 'test question')} right"


def annotator_names(study: "Study", listed: Iterable[Link]) -> dict[str, Link]:
    """Return each link by the annotator's name of its answers: the stored name, else the person's or the link's, with
    the link's appended where another annotator has that name."""
    from fairviz.annotation.adjudications import ADJUDICATED
    from fairviz.annotation.voters import CONSENSUSES

    listed = list(listed)
    every_link = links(study)
    stored_names = {link.annotator for link in every_link if link.annotator}
    taken_names = {ADJUDICATED, *CONSENSUSES, *study.annotators, *study.labels["annotator"].unique(), *stored_names}
    wanted_names = [link.name or link.person for link in every_link]
    links_by_name: dict[str, Link] = {}
    for link in listed:
        name = link.annotator or link.name or link.person
        if not link.annotator and (name in taken_names or wanted_names.count(name) > 1):
            name = f"{name} ({link.person})"
            while name in taken_names:
                name += "*"
        taken_names.add(name)
        links_by_name[name] = link
    return links_by_name


def _labels(
    passed: dict[str, Link], changed: set[str], with_tests: bool, suggested: Mapping[tuple[int, str], str]
) -> "pd.DataFrame":
    """Return the labels; rationale, the right answers of test questions, the suggested labels and second labels where
    there are any. The first answer about a document is the label, and the second stands beside it.

    suggested: by form and document.
    """
    import pandas as pd

    from fairviz.annotation.agreement.votes import SUGGESTED
    from fairviz.study.loaders.labels import LABEL_AGAIN, TEST_LABEL

    rows = []
    for name, link in passed.items():
        answers = [answer for answer in link.answers if answer.said == "label" and answer.doc_id not in changed]
        second_labels = {answer.doc_id: answer.label for answer in answers if answer.again}
        answers = [answer for answer in answers if not answer.again]
        if all(answer.right_answer for answer in answers):  # only test questions: no labels to judge by them
            continue
        if not with_tests:
            answers = [answer for answer in answers if not answer.right_answer]
        rows += [
            (answer.doc_id, name, answer.label, answer.comment, answer.right_answer,
             suggested.get((link.form, answer.doc_id), ""), second_labels.get(answer.doc_id, ""))
            for answer in answers
        ]  # fmt: skip
    optional = ("rationale", TEST_LABEL, SUGGESTED, LABEL_AGAIN)
    table = pd.DataFrame(rows, columns=["doc_id", "annotator", "label", *optional]).astype("str")
    return table.drop(columns=[column for column in optional if not (table[column] != "").any()])


def divided(study: "Study", labels: "pd.DataFrame") -> tuple[str, ...]:
    """Return the documents without a majority among these labels and without an adjudication; as in every vote, answers
    to test questions and people who fail them do not count."""
    from fairviz.annotation.adjudications import ADJUDICATED
    from fairviz.annotation.voters import open_ties, quality_control

    decided_ids = set(study.labels.loc[study.labels["annotator"] == ADJUDICATED, "doc_id"])
    tied_ids = open_ties(quality_control(labels).labels)["doc_id"] if len(labels) else ()
    return tuple(name for name in tied_ids if name not in decided_ids)


def sentences(collection: Collected, least_tests: float = LEAST_TESTS) -> list[str]:
    """Return a line for each person, for each reason to leave out answers, and for documents without a majority."""
    from fairviz.annotation.agreement import left_out_text
    from fairviz.annotation.voters import quality_control

    lines = [
        f"{name}: {out_of(link.answered, link.questions, 'question')} answered, {link.undecided:,} of them undecided; "
        f"{tests_text(link)}"
        for name, link in collection.people.items()
    ]
    lines += [
        f"left out: {name}, {tests_text(link)}, fewer than {100 * least_tests:.0f} %"
        for name, link in collection.left_out.items()
    ]
    lines += [
        f"{name} is in the study, but votes in no consensus: {tests_text(collection.people[name])}, fewer than "
        f"{100 * LEAST_TESTS:.0f} %; fairviz study-form --collect --without-tests would let those labels vote"
        for name in quality_control(collection.labels).dropped
    ]
    if left_out := left_out_text(collection.labels):
        lines.append(left_out)
    if collection.changed:
        lines.append(
            f"left out: the answers about {counted(len(collection.changed), 'document')} with another text now: "
            f"{first_listed(collection.changed, MOST_NAMED)}"
        )
    if collection.divided:
        lines.append(
            f"no majority on {counted(len(collection.divided), 'document')}, for an expert to decide: "
            f"{first_listed(collection.divided, MOST_NAMED)}"
        )
    return lines
