"""study-form: people label a study's documents by a link each, with test questions among them."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.record import (
    Command,
    add_output,
    add_study,
    say_notices,
    share_called,
    whole_number,
    whole_number_from,
    write,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import say
from fairviz.labelling.links import HERE, UNKNOWN

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.labelling.drawing import Plan
    from fairviz.study.study import Study

WANTED = ("show_guideline", "status", "collect", "close", "moved_from")
DRAWING = ("documents", "per_document", "test_every", "batch_size", "seed", "top", "reference")  # fields of Plan


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--status", action="store_true", help="how far each person is, with the links")
    what.add_argument("--collect", action="store_true", help="bring the answers into the study as labels of people")
    what.add_argument("--close", action="store_true", help="end the links; what was answered stays")
    what.add_argument("--show-guideline", action="store_true", help="write the guideline that people would read, to "
                      "be edited and given back with --guideline")  # fmt: skip
    what.add_argument("--moved-from", default="", metavar="FOLDER", help="the study was moved: let the forms that were "
                      "made when it lay there go with it")  # fmt: skip
    option("--documents", type=whole_number, metavar="N", help="to be labelled (default: 100)")
    option("--per-document", type=whole_number, metavar="N", help="people who label each document (default: 3)")
    option("--test-every", type=whole_number_from(0), metavar="N",
           help="one question in N has a known answer, 0 for none (default: 10)")  # fmt: skip
    option("--batch-size", type=whole_number, metavar="N",
           help="documents of one link at most, test questions not counted (default: 100)")  # fmt: skip
    option("--seed", type=whole_number_from(0), metavar="N", help="of the drawing (default: 0)")
    option("--top", type=whole_number_from(0), metavar="N", help="draw only documents that a system has in its first N")
    option("--reference", metavar="NAME",
           help="whose labels are the known answers (default: those of people that count in the study)")  # fmt: skip
    option("--guideline", metavar="FILE", help="text that people read in place of the program's own")
    option("--form", type=whole_number, default=0, metavar="N",
           help="with --status, --collect or --close: this form alone")  # fmt: skip
    option("--least-tests", type=share_called("share"), default=None, metavar="X",
           help="with --collect: leave out who answered a smaller share of the test questions rightly "
           "(default: 0.8)")  # fmt: skip
    option("--without-tests", action="store_true", help="with --collect: leave out the answers to test questions, "
           "which otherwise come in as each person's record, with the right ones in the column test_label, and count "
           "in no agreement")  # fmt: skip
    option("--url", type=_server, metavar="URL",
           help="of the app in the links (default: that of the app that runs)")  # fmt: skip
    add_output(parser)


def _server(text: str) -> str:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
    except ValueError:
        good = False
    if not good:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is no address of a server, such as {HERE}")
    return text.rstrip("/")


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.labelling.places import take_along

    wanted = next((name for name in WANTED if getattr(arguments, name)), "")
    _refuse_misplaced(arguments, wanted)
    study = _opened(arguments.study)
    if wanted == "show_guideline":
        return _show_guideline(study, arguments)
    if wanted == "moved_from":
        say(f"{take_along(study, arguments.moved_from).description}: now of {study.name}")
    else:
        _say_left(study, arguments)
    if wanted == "collect":
        return _collect(study, arguments)
    if wanted == "close":
        return _close(study, arguments)
    if not wanted:
        say_notices(study)
    return _status(study, arguments) if wanted else _make(study, arguments)


def _opened(named: str) -> "Study":
    """The study. Raises as open_study, with what can be done about the forms of one that is gone."""
    from fairviz.datasets import open_study
    from fairviz.labelling.places import left_at

    try:
        return open_study(named)
    except FairvizError as error:
        left = left_at(named)
        if left is None:
            raise
        raise FairvizError(
            f"{left.description}; nothing that was answered is lost",
            f"Put the study back, or name where it lies now: {left.command()}",
        ) from error


def _say_left(study: "Study", arguments: argparse.Namespace) -> None:
    """Forms that may be of this study, made before it was moved."""
    from fairviz.labelling.places import left_behind

    for left in left_behind(study):
        say(f"note: {left.description}. If it is {study.name}, moved: {left.command(arguments.study)}")


def _refuse_misplaced(arguments: argparse.Namespace, wanted: str) -> None:
    """Raises UsageError for an option that would do nothing."""
    if wanted != "collect" and (arguments.least_tests is not None or arguments.without_tests):
        raise UsageError("--least-tests and --without-tests go with --collect", "Leave them out, or add --collect.")
    if arguments.form and wanted not in ("status", "collect", "close"):
        raise UsageError("--form goes with --status, --collect or --close", "Leave it out: a new form gets a number.")
    drawing = next((name for name in DRAWING if getattr(arguments, name) is not None), "")
    if wanted and drawing and (wanted, drawing) != ("show_guideline", "test_every"):
        option = drawing.replace("_", "-")
        raise UsageError(f"--{option} goes with a new form", f"Leave out --{wanted.replace('_', '-')}, or --{option}.")
    if arguments.guideline and wanted:
        raise UsageError("--guideline goes with a new form", f"Leave out --{wanted.replace('_', '-')}, or --guideline.")


def _show_guideline(study: "Study", arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.formats import emit
    from fairviz.labelling.guideline import guideline

    emit(guideline(study, tests=arguments.test_every != 0) + "\n", arguments.output)
    return 0


def _make(study: "Study", arguments: argparse.Namespace) -> int:
    from fairviz.labelling.collecting import count_text
    from fairviz.labelling.drawing import Plan, whose_are_right
    from fairviz.labelling.forms import links, make_form
    from fairviz.labelling.guideline import guideline, read_guideline

    plan = Plan(**{name: value for name in DRAWING if (value := getattr(arguments, name)) is not None})
    own = read_guideline(arguments.guideline) if arguments.guideline else ""
    form = make_form(study, plan, own or guideline(study, tests=bool(plan.test_every)))
    made = links(study, form=form)
    batches = {link.batch: link.questions for link in made}
    tests = sum(batches.values()) - plan.documents
    say(
        f"form {form} of {study.name}: {count_text(plan.documents, 'document')} and "
        f"{count_text(tests, 'test question')} in {count_text(len(batches), 'batch', 'batches')}, each for "
        f"{count_text(plan.per_document, 'person', 'people')}"
    )
    if tests:
        say(f"right answers to test questions: those of {' and '.join(whose_are_right(study, plan.reference))}")
    say(
        "Give each link to one person: whoever has it answers as that person. They open while the app runs: fairviz app"
    )
    _write_links(study, arguments, form, plan)
    return 0


def _server_of_links(arguments: argparse.Namespace) -> str:
    """The address that was given, else that of the app that runs; PORT in it, and a line, where neither is known."""
    from fairviz.labelling.serving import running_address

    known = arguments.url or running_address()
    if not known:
        say(
            "note: no app runs on this data folder, so the links hold PORT in place of its port. Start fairviz app and "
            f"see them with fairviz study-form {arguments.study} --status, or name the app's address with --url."
        )
    return known or UNKNOWN


def _write_links(study: "Study", arguments: argparse.Namespace, form: int, plan: "Plan") -> None:
    import pandas as pd

    from fairviz.labelling.forms import links
    from fairviz.labelling.links import address

    server = _server_of_links(arguments)
    rows = [
        (link.form, link.batch, link.person, link.questions, address(link.token, server))
        for link in links(study, form=form)
    ]
    table = pd.DataFrame(rows, columns=["form", "batch", "person", "questions", "link"])
    _write(study, arguments, table, tuple((name, str(value)) for name, value in vars(plan).items()))


def _status(study: "Study", arguments: argparse.Namespace) -> int:
    from fairviz.labelling.collecting import status
    from fairviz.labelling.forms import links
    from fairviz.labelling.links import address

    found = links(study, form=arguments.form)
    if not found:
        say(f"{study.name} has no labelling form yet; fairviz study-form {arguments.study} makes one")
        return 0
    table = status(study, found)
    server = "" if all(link.closed for link in found) else _server_of_links(arguments)
    table["link"] = ["" if link.closed else address(link.token, server) for link in found]
    _write(study, arguments, table, ())
    return 0


def _write(
    study: "Study", arguments: argparse.Namespace, table: "pd.DataFrame", asked: tuple[tuple[str, str], ...]
) -> None:
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.settings import Settings

    write(table, arguments, lambda: origin(study, Settings(), (), asked))


def _collect(study: "Study", arguments: argparse.Namespace) -> int:
    from fairviz.labelling.collecting import LEAST_TESTS, bring_in, count_text, sentences

    least = LEAST_TESTS if arguments.least_tests is None else arguments.least_tests
    file, found = bring_in(study, least_tests=least, with_tests=not arguments.without_tests, form=arguments.form)
    for line in sentences(found, least):
        say(line)
    say(
        f"wrote {file}: {count_text(len(found.labels), 'label')} by {count_text(len(found.people), 'person', 'people')}"
    )
    say(f"How far they agree: fairviz agree {arguments.study}, or the page Agreement")
    return 0


def _close(study: "Study", arguments: argparse.Namespace) -> int:
    from fairviz.labelling.collecting import count_text
    from fairviz.labelling.forms import close

    say(f"closed {count_text(close(study, arguments.form), 'link')}; what was answered stays")
    return 0


STUDY_FORM = Command(
    "study-form", "let people label documents, by a link each with test questions among them", _add_arguments, _run
)
