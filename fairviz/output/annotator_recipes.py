"""The Python that makes the numbers of the Annotators page: programs to copy, as those of `recipes`."""

from collections.abc import Sequence

from fairviz.evaluation.settings import Settings
from fairviz.home import BUILTIN
from fairviz.output.recipes import program
from fairviz.study.record import Study


def against(
    study: Study, settings: Settings, names: Sequence[str], reference: str, by: str, classes: str, *, shared: bool
) -> str:
    """Rules and models against a reference; those that were asked and gave no label are counted. classes: of which the
    rows are kept, empty for all of them. shared: over the documents of all of them alone."""
    imports = ["from fairviz.annotation.annotators.accounts import account",
               "from fairviz.analyses.annotator_accuracy.annotator_table import annotator_table"]  # fmt: skip
    lines = [
        f"names = {list(names)!r}",
        "known = {name: account(study, name) for name in names}",
        "tried = {name: one.outcomes['doc_id'].tolist() for name, one in known.items() if one is not None}",
        "documents = None" if not shared else "documents = shared_documents(study, names, tried)",
        f"table = annotator_table(study, names, {reference!r}, {by!r}, settings, tried, documents)",
    ]
    imports += ["from fairviz.analyses.annotator_accuracy.labellers import shared_documents"] if shared else []
    lines += [f"table = table[table['classes'] == {classes!r}]"] if classes else []
    return _program(study, settings, imports, lines)


def apart(study: Study, settings: Settings, names: Sequence[str], reference: str, how: str) -> str:
    """The documents on which annotators part."""
    imports = ["from fairviz.analyses.annotator_accuracy.labellers import parting"]
    return _program(study, settings, imports, [f"table = parting(study, {list(names)!r}, {reference!r}, {how!r})"])


def replacing(
    study: Study, settings: Settings, measure: str, names: Sequence[str], other: str, *, fill: bool
) -> str:  # fmt: skip
    """A measure of each system when annotators' labels replace another's."""
    imports = ["from fairviz.analyses.label_effects.replacing import replaced"]
    call = f"table = replaced(study, settings, {measure!r}, {list(names)!r}, {other!r}, fill={fill})"
    return _program(study, settings, imports, [call])


def _program(study: Study, settings: Settings, imports: Sequence[str], lines: Sequence[str]) -> str:
    """The program with the labels that lie beside a built-in study joined to it."""
    if study.name not in BUILTIN:
        return program(study, settings, imports, lines)
    beside = "from fairviz.annotation.alongside import with_labels_alongside"
    return program(study, settings, [*imports, beside], ["study = with_labels_alongside(study)", *lines])
