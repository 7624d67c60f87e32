"""The record of the analysis `annotator-groups`; see `fairviz.analyses.record`."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from fairviz import declared
from fairviz.analyses.record import Analysis, ArgumentsOf, Control, Progress, Table
from fairviz.analyses.views import FigureView, Fold, TableView, TextView, View
from fairviz.parameters import Parameter

if TYPE_CHECKING:
    from fairviz.analyses.annotator_groups.answer import GroupComparison
    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study

DETAILS = (
    "Groups are the values of a column of annotators.csv (annotator, and any columns). Agreement of two people of a "
    "group, or of two groups; kappa corrects for chance. Each measure and verdict if only one group labelled: by the "
    "majority of its members, against the majority of everyone.",
    "The interval of a difference is over queries and annotators. A group that labelled fewer documents changes values "
    "by that alone: see the column labelled.",
)
AGREEMENT = "agreement of two people of a group or of two groups, with 95 % intervals"
VALUES = "each measure if only this group labelled, minus its value with everyone"
VERDICTS = "each verdict on two systems with everyone and if only this group labelled"


def _compute(study: "Study", settings: "Settings", progress: Progress, **values: Any) -> "GroupComparison":
    from fairviz.analyses.annotator_groups.answer import annotator_groups

    progress("drawing annotators", 0, 1)
    found = annotator_groups(study, settings, **values)
    progress("drawing annotators", 1, 1)
    return found


def _call(study: "Study", settings: "Settings", values: Mapping[str, Any]) -> ArgumentsOf:
    from fairviz.analyses.annotator_groups.answer import annotator_groups

    return annotator_groups, (study, settings), dict(values)


def _columns(study: "Study", settings: "Settings") -> Sequence[str]:
    from fairviz.analyses.annotator_groups.answer import annotator_columns

    return annotator_columns(study, settings.voters)


def _measures(study: "Study", settings: "Settings") -> Sequence[str]:
    from fairviz.evaluation.choices import missing_part
    from fairviz.evaluation.questions import ask
    from fairviz.measures import MEASURES

    names = [name for name, one in MEASURES.items() if one.of_exposures and not one.of_one_group]
    return [name for name in names if not missing_part(study, ask(name, settings), settings)]


def _views(found: "GroupComparison", _: Mapping[str, Any]) -> Sequence[View]:
    from fairviz.figures import intervals

    views: list[View] = [TextView(found.sentences, "finding"), TextView(found.notes, "note")]
    pairs = zip(found.agreement["first"], found.agreement["second"], strict=True)
    names = [f"within {one}" if one == other else f"{one} and {other}" for one, other in pairs]
    table = found.agreement.assign(people=names)
    pair = (
        ("agreement", "agreement", "agreement_low", "agreement_high"), ("kappa", "kappa", "kappa_low", "kappa_high"),
    )  # fmt: skip
    figure = intervals.info(f"Agreement of groups by {found.column}", table, "people", pair)
    views.append(
        FigureView(
            "agreement_groups_within", found.agreement, partial(_drawn, figure), figure.alt,
            {"table": "found.agreement"}, text=f"{AGREEMENT[:1].upper()}{AGREEMENT[1:]}.",
        )
    )  # fmt: skip
    views += _of_measures(found)
    if len(found.verdicts):
        shown = found.verdicts[found.verdicts["changes"]]
        views.append(
            TableView(
                "agreement_groups_verdicts", found.verdicts, f"{VERDICTS}.", recipe={"table": "found.verdicts"},
                cells=shown.drop(columns=["changes"]), text=f"{len(shown)} of {len(found.verdicts)} verdicts change.",
            )
        )  # fmt: skip
    if len(found.values):
        views.append(
            TableView(
                "agreement_groups_values", found.values, f"{VALUES}.", recipe={"table": "found.values"},
                text=f"{VALUES[:1].upper()}{VALUES[1:]}.", fold=Fold("System by system", "agreement_groups_rows"),
            )
        )  # fmt: skip
    return views


def _drawn(figure: Any, theme: Any) -> Any:
    from fairviz.figures import intervals

    return intervals.draw(figure, theme, 110 + 44 * max(len(figure.lines), 3))


def _of_measures(found: "GroupComparison") -> list[View]:
    """Return a figure a measure: the value of each system with everyone, and by each group."""
    from fairviz.figures import annotator_values
    from fairviz.figures.style import system_styles
    from fairviz.measures import parse

    views: list[View] = []
    for measure, rows in found.values.groupby("measure", sort=False) if len(found.values) else ():
        table = rows.rename(columns={"group": "annotator", "value_everyone": "before", "value": "after"})
        figure = annotator_values.info(table, "everyone", str(measure), parse(str(measure)).direction)
        systems = list(dict.fromkeys(rows["system"]))
        height = 110 + max(84, 26 + 13 * len(systems)) * len(found.groups)

        def draw(theme: Any, figure: Any = figure, systems: Any = systems, height: int = height) -> Any:
            return annotator_values.draw(figure, system_styles(systems, theme), theme, height)

        key = "agreement_groups_" + "".join(letter for letter in str(measure).lower() if letter.isalnum())
        views.append(
            FigureView(
                key, rows, draw, figure.alt, {"table": "found.values"}, text="Bars: 95 % over queries and annotators."
            )
        )
    return views


ANNOTATOR_GROUPS = Analysis(
    name="annotator-groups",
    title="Groups of annotators",
    question="Do groups of annotators agree, and what if only one of them labelled?",
    summary="compare groups of annotators: agreement, and values and verdicts if only one group labelled",
    compute=_compute,
    tables={
        "values": Table(lambda found: found.values, VALUES),
        "agreement": Table(lambda found: found.agreement, AGREEMENT),
        "verdicts": Table(lambda found: found.verdicts, VERDICTS),
    },
    sentences=lambda found: found.sentences,
    parameters=(
        Parameter("measures", (), "of labels; nothing for those of Overview", names="measures"),
        *declared.ANNOTATOR_GROUPS.values(),
    ),
    needs={"labels": "by groups of annotators"},
    reads=None,
    notes=lambda found: found.notes,
    details=DETAILS,
    example="annotator-groups my-study CWEx",
    page="agreement",
    group="Label",
    manual="how-to/several-annotators",
    views=_views,
    controls=(
        Control(
            "column", "select", "agreement_group_column", "Groups by", "A column of annotators.csv.", offers=_columns
        ),
        Control(
            "measures", "select", "agreement_group_measure", "Measure", "If only one group labelled.", offers=_measures,
            value=lambda measure: (measure,) if measure else (),
        ),
    ),
    call=_call,
)  # fmt: skip
