"""study-form: labelling by people, each with a link of their own, with test questions."""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fairviz import declared
from fairviz.annotation.forms.drawing import (
    SamplePlan,
    batch_sizes,
    count_of_repeats,
    guideline,
    read_guideline,
    whose_are_right,
)
from fairviz.annotation.forms.serving import HERE, UNKNOWN, address, running_address
from fairviz.cli.record import (
    Command,
    add_output,
    add_parameters,
    add_study,
    more_options,
    print_notices,
    write_result,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import emit, say
from fairviz.files import check_output, write_output
from fairviz.words.sentences import counted, listed

if TYPE_CHECKING:
    from fairviz.annotation.forms.database import Sample
    from fairviz.annotation.forms.forms import Link
    from fairviz.study.record import Study

MORE = 50  # labels of which --status tells what they would bring
WANTED = ("show_guideline", "status", "collect", "close", "moved_from")
ADDRESS_TEXT = (
    "Give each link to one person: whoever has it answers as that person. They open while the app runs: fairviz app"
)
FILE_TEXT = (
    "Give each file to one person: whoever has it answers as that person. Bring the exports back: fairviz study-form "
    "{} --collect FILE…"
)
SAMPLING = ("systems", "measure", "budget", "annotator")
DRAWING = (  # fields of SamplePlan
    *("documents", "per_document", "test_every", "batch_size", "repeat", "seed", "top", "reference", "suggested_by"),
    "voters",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    _add_actions(parser)
    _add_drawing(parser, more_options(parser))
    _add_collecting(parser, more_options(parser))
    parser.add_argument("--url", type=_server, metavar="URL",
                        help="of the app in the links (default: that of the app that runs)")  # fmt: skip
    add_output(parser)


def _add_actions(parser: argparse.ArgumentParser) -> None:
    """Add what is done in place of making a form."""
    option = parser.add_mutually_exclusive_group().add_argument
    option("--status", action="store_true", help="how far each person is, with the links")
    option("--collect", nargs="*", metavar="FILE", help="bring the answers into the study as labels of people; FILE: "
           "exported from the HTML file of a person")  # fmt: skip
    option("--close", action="store_true", help="end the links; answers stay")
    option("--show-guideline", action="store_true", help="write the guideline that people would read, to be edited and "
           "given back with --guideline")  # fmt: skip
    option("--moved-from", default="", metavar="FOLDER", help="the study was moved: let the forms that were made when "
           "it lay there go with it")  # fmt: skip


def _add_drawing(parser: argparse.ArgumentParser, rare: "argparse._ArgumentGroup") -> None:
    """Add the options of a new form: its documents, its test questions, and what people read. rare: for the less common
    ones."""
    form = declared.FORM
    add_parameters(parser, form, "documents", "per_document", "test_every", "batch_size", "repeat", unset=True)
    add_parameters(rare, form, "seed", unset=True)
    add_parameters(parser, form, "top", unset=True)
    parser.add_argument("--design", choices=("queries", "documents"), help="draw at random what corrects a machine's "
                        "labels: all top documents of some queries, for any measure of labels, or single documents, "
                        "for Exposure and ExposureGap")  # fmt: skip
    rare.add_argument("--for", dest="systems", metavar="A,B", help="with --design: the systems to measure (default: "
                      "all)")  # fmt: skip
    rare.add_argument("--measure", metavar="MEASURE", help="with --design: the measure, whose cutoff bounds the "
                      "documents (default: CWEx@10, or ExposureGap@10 for documents)")  # fmt: skip
    add_parameters(rare, declared.SAMPLE, "budget", unset=True)
    rare.add_argument("--annotator", metavar="NAME", help="with --design: the machine whose labels are corrected")
    parser.add_argument("--reference", metavar="NAME", help="whose labels are the known answers (default: those of "
                        "people that count in the study)")  # fmt: skip
    rare.add_argument("--voters", nargs="+", metavar="NAME", help="of a consensus, as in evaluate; documents on which "
                      "they differ are the last to become test questions")  # fmt: skip
    parser.add_argument("--suggest", dest="suggested_by", metavar="NAME", help="show people this annotator's labels; "
                        "recorded with each answer, and not with --design")  # fmt: skip
    parser.add_argument("--html", metavar="FILE", help="write one HTML file for each person, to be answered without a "
                        "server; with --form N those of that form")  # fmt: skip
    parser.add_argument("--guideline", metavar="FILE", help="text that people read in place of the program's own")


def _add_collecting(parser: argparse.ArgumentParser, rare: "argparse._ArgumentGroup") -> None:
    """Add the options of forms that are there. rare: for the less common ones."""
    add_parameters(parser, declared.COLLECT, "form")
    add_parameters(rare, declared.COLLECT, "least_tests", unset=True)
    rare.add_argument("--without-tests", action="store_true", help="with --collect: leave out the answers to test "
                      "questions, which otherwise come in as each person's record, with the right ones in the column "
                      "test_label, and count in no agreement")  # fmt: skip


def _server(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_server = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
    except ValueError:
        is_server = False
    if not is_server:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not an address of a server, such as {HERE}")
    return text.rstrip("/")


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.annotation.forms.database import left_behind, take_along
    from fairviz.annotation.forms.forms import close

    action = next((name for name in WANTED if getattr(arguments, name) not in (None, False, "")), "")
    _refuse_misplaced(arguments, action)
    study = _open_study(arguments.study)
    if action == "show_guideline":
        emit(guideline(study, tests=arguments.test_every != 0) + "\n", arguments.output)
        return 0
    if action == "moved_from":
        say(f"{take_along(study, arguments.moved_from).description}: now of {study.name}")
    else:
        for remains in left_behind(study):  # forms that may be of this study from before it was moved
            say(f"note: {remains.description}. If it is {study.name}, moved: {remains.command(arguments.study)}")
    if action == "collect":
        return _collect(study, arguments)
    if action == "close":
        say(f"closed {counted(close(study, arguments.form), 'link')}; answers stay")
        return 0
    if not action:
        print_notices(study)
    if action:
        return _status(study, arguments)
    return _write_files(study, arguments, arguments.form) if arguments.form else _make(study, arguments)


def _open_study(name: str) -> "Study":
    """Return the study. Raises: see `open_study`; for a study that was moved, with the command that restores its
    forms.
    """
    from fairviz.annotation.forms.database import left_at
    from fairviz.evaluation.opening import open_study

    try:
        return open_study(name)
    except FairvizError as error:
        remains = left_at(name)
        if remains is None:
            raise
        raise FairvizError(
            f"{remains.description}; nothing that was answered is lost",
            f"Put the study back, or register its new folder: {remains.command()}",
        ) from error


def _refuse_misplaced(arguments: argparse.Namespace, action: str) -> None:
    """Raise UsageError for an option without effect."""
    if action != "collect" and (arguments.least_tests is not None or arguments.without_tests):
        raise UsageError("--least-tests and --without-tests go with --collect", "Leave them out, or add --collect.")
    if arguments.form and action not in ("status", "collect", "close") and not arguments.html:
        raise UsageError(
            "--form goes with --status, --collect, --close or --html", "Leave it out: a new form gets a number."
        )
    if arguments.html and (action or arguments.url):
        other = action.replace("_", "-") or "url"
        raise UsageError(f"--html does not go with --{other}", f"Leave out --{other}, or --html.")
    drawing = next((name for name in DRAWING if getattr(arguments, name) is not None), "")
    action = action or ("form" if arguments.form else "")
    if action and drawing and (action, drawing) != ("show_guideline", "test_every"):
        option = "suggest" if drawing == "suggested_by" else drawing.replace("_", "-")
        raise UsageError(f"--{option} goes with a new form", f"Leave out --{action.replace('_', '-')}, or --{option}.")
    sampling = next((name for name in ("design", *SAMPLING) if getattr(arguments, name) is not None), "")
    if sampling and (action or arguments.design is None):
        option = "for" if sampling == "systems" else sampling
        raise UsageError(
            f"--{option} goes with a new form that --design draws", f"Add --design, or leave out --{option}."
        )
    if arguments.design and (arguments.documents is not None or arguments.top is not None):
        raise UsageError("--design draws the documents", "Leave out --documents and --top; --budget is their number.")
    if arguments.guideline and action:
        raise UsageError("--guideline goes with a new form", f"Leave out --{action.replace('_', '-')}, or --guideline.")


def _make(study: "Study", arguments: argparse.Namespace) -> int:
    from fairviz.annotation.forms.forms import links, make_form

    if arguments.html:
        check_output(arguments.html)
    plan = SamplePlan(**{name: value for name in DRAWING if (value := getattr(arguments, name)) is not None})
    plan = replace(plan, voters=tuple(plan.voters))
    sample = _sample(study, arguments, plan.seed) if arguments.design else None
    plan = replace(plan, documents=len(sample.documents)) if sample else plan
    custom_guideline = read_guideline(arguments.guideline) if arguments.guideline else ""
    form = make_form(study, plan, custom_guideline or guideline(study, tests=bool(plan.test_every)), sample)
    form_links = links(study, form=form)
    _print_form(study, plan, form, form_links)
    parameters = [(name, str(value)) for name, value in vars(plan).items()]
    if arguments.html:
        return _write_files(study, arguments, form, parameters)
    say(ADDRESS_TEXT)
    server = _server_of_links(arguments)
    _write_links(study, arguments, form_links, "link", [address(link.token, server) for link in form_links], parameters)
    return 0


def _write_links(
    study: "Study", arguments: argparse.Namespace, form_links: "Sequence[Link]", name: str, values: Sequence[str],
    parameters: Sequence[tuple[str, str]] = (),
) -> None:  # fmt: skip
    """Write a row for each link, with its value in the last column, of this name."""
    import pandas as pd

    rows = [(link.form, link.batch, link.person, link.questions) for link in form_links]
    table = pd.DataFrame(rows, columns=["form", "batch", "person", "questions"]).assign(**{name: list(values)})
    write_result(table, arguments, study, parameters)


def _write_files(
    study: "Study", arguments: argparse.Namespace, form: int, parameters: Sequence[tuple[str, str]] = ()
) -> int:
    """Write an HTML file for each open link of the form: the file of --html, or files with the people's names in
    theirs."""
    from fairviz.annotation.forms.forms import links
    from fairviz.annotation.forms.offline import offline_form

    open_links = [link for link in links(study, form=form) if not link.closed]
    if not open_links:
        raise FairvizError(f"form {form} of {study.name} is closed", "Make a new one: leave out --form.")
    path = Path(arguments.html)
    paths = [path.with_stem(f"{path.stem}-{link.person}") for link in open_links] if len(open_links) > 1 else [path]
    for link, file in zip(open_links, paths, strict=True):
        write_output(file, offline_form(link.token))
    say(FILE_TEXT.format(arguments.study))
    _write_links(study, arguments, open_links, "file", [str(file) for file in paths], parameters)
    return 0


def _print_form(study: "Study", plan: SamplePlan, form: int, form_links: "Sequence[Link]") -> None:
    """Print what the new form holds, and whose answers are right."""
    batches = {link.batch: link.questions for link in form_links}
    again = sum(count_of_repeats(size, plan.repeat) for size in batch_sizes(plan))
    tests = sum(batches.values()) - plan.documents - again
    parts = [counted(plan.documents, "document"), counted(tests, "test question")]
    parts += [f"{again:,} shown again"] if again else []
    say(
        f"form {form} of {study.name}: {listed(parts)} in {counted(len(batches), 'batch', 'batches')}, each for "
        f"{counted(plan.per_document, 'person', 'people')}"
    )
    if tests:
        right = whose_are_right(study, plan.reference, plan.voters)
        say(f"right answers to test questions: those of {' and '.join(right)}")


def _sample(study: "Study", arguments: argparse.Namespace, seed: int) -> "Sample":
    """Draw the sample for correction, and print its size. Raises: see `fairviz.draw_sample`."""
    from fairviz.correction.sampling import draw_sample

    measure = arguments.measure or ("ExposureGap@10" if arguments.design == "documents" else "CWEx@10")
    systems = tuple(filter(None, (name.strip() for name in (arguments.systems or "").split(","))))
    budget = declared.SAMPLE["budget"].default if arguments.budget is None else arguments.budget
    choices = {"annotator": arguments.annotator} if arguments.annotator else {}
    sample = draw_sample(study, arguments.design, measure, budget, systems=systems, seed=seed, **choices)
    say(f"drawn at random: {sample.text}, for {sample.measure} of {listed(sample.systems)} by {sample.annotator}")
    return sample


def _server_of_links(arguments: argparse.Namespace) -> str:
    """Return the given address, else that of the running app, else one with PORT in it, with a note."""
    server = arguments.url or running_address()
    if not server:
        say(
            "note: no app runs on this data folder, so the links hold PORT in place of its port. Start fairviz app and "
            f"see them with fairviz study-form {arguments.study} --status, or name the app's address with --url."
        )
    return server or UNKNOWN


def _status(study: "Study", arguments: argparse.Namespace) -> int:
    from fairviz.annotation.forms.collecting import status
    from fairviz.annotation.forms.forms import links

    form_links = links(study, form=arguments.form)
    if not form_links:
        say(f"{study.name} has no labelling form yet; fairviz study-form {arguments.study} makes one")
        return 0
    table = status(study, form_links)
    server = "" if all(link.closed for link in form_links) else _server_of_links(arguments)
    table["link"] = ["" if link.closed else address(link.token, server) for link in form_links]
    _print_samples(study, arguments.form)
    write_result(table, arguments, study)
    return 0


def _print_samples(study: "Study", form: int) -> None:
    """Print of each sample of the form, 0 for all, what is labelled, and the interval now and with more labels."""
    from fairviz.annotation.forms.database import samples_of
    from fairviz.correction.corrected import now_and_with_more
    from fairviz.evaluation.study_values import correctors

    for sample in samples_of(study):
        if form not in (0, sample.form):
            continue
        say(f"form {sample.form}: {sample.text} drawn at random for {sample.measure}, {sample.annotator} corrected")
        for name in filter(None, correctors(study)):
            if line := now_and_with_more(study, sample, name, MORE):
                say(f"  {line}")


def _collect(study: "Study", arguments: argparse.Namespace) -> int:
    from fairviz.annotation.forms.collecting import LEAST_TESTS, collect_named, sentences
    from fairviz.annotation.forms.offline import read_in
    from fairviz.datasets import save_labels

    least_tests = LEAST_TESTS if arguments.least_tests is None else arguments.least_tests
    if arguments.collect:
        for line in read_in(study, arguments.collect, arguments.form):
            say(line)
    answers, annotators, replaced = collect_named(
        study, least_tests=least_tests, with_tests=not arguments.without_tests, form=arguments.form
    )
    file = save_labels(study, answers.labels, annotators, own=replaced)
    for line in sentences(answers, least_tests):
        say(line)
    people = counted(len(answers.people), "person", "people")
    say(f"wrote {file}: {counted(len(answers.labels), 'label')} by {people}")
    say(f"How far they agree: fairviz agree {arguments.study}, or the page Agreement")
    return 0


STUDY_FORM = Command(
    "study-form", "make links by which people label documents, with test questions", _add_arguments, _run,
    example="study-form newswire --documents 100 --per-document 3",
)  # fmt: skip
