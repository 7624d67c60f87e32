"""The Python that makes the numbers of a panel again: programs to copy, each of which leaves its numbers in `table`.

A program asks the library what the page asked it, under the settings of the page. What is pinned beside is not in it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fairviz.comparison.family import how_of
from fairviz.comparison.how import How
from fairviz.datasets.stored import resolve
from fairviz.evaluation.choices import chosen_systems
from fairviz.evaluation.settings import CHOICES, SHOWN_ONLY, Settings
from fairviz.statistics.families import Tests
from fairviz.study.record import Study

FOLDER = "FOLDER"  # stands for where a study lies that was only uploaded
DIRECTION = "from fairviz.evaluation.gsr import direction_of"
_WIDTH = 96


def program(study: Study, settings: Settings, imports: Sequence[str], lines: Sequence[str]) -> str:
    """A program: what it imports, the study, the settings that differ from the defaults, and the lines."""
    head = ["import fairviz", *sorted(imports), "", f"study = fairviz.open_study({_place(study)})"]
    return "\n".join([*head, f"settings = {_settings(settings)}", *lines]) + "\n"


def _place(study: Study) -> str:
    if study.folder is None:
        return f"{FOLDER!r}" if not study.name.startswith("ir_datasets:") else repr(study.name)
    return repr(study.name if study.read_only or resolve(study.name) == study.folder else str(study.folder))


def _settings(settings: Settings) -> str:
    values = {name: getattr(settings, name) for name in CHOICES if name not in ("study", *SHOWN_ONLY)}
    changed = {name: value for name, value in values.items() if value != CHOICES[name].default}
    return _call("fairviz.Settings", changed)


def _call(name: str, given: Mapping[str, object], *first: str) -> str:
    """A call on one line, or one argument a line where it would be long."""
    parts = [*first, *(f"{key}={value!r}" for key, value in given.items())]
    line = f"{name}({', '.join(parts)})"
    if len(line) <= _WIDTH:
        return line
    inner = "".join(f"    {part},\n" for part in parts)
    return f"{name}(\n{inner})"


def _measures(texts: Sequence[str]) -> str:
    listed = "".join(f"    {text!r},\n" for text in texts)
    return f"measures = [\n{listed}]"


def _scores(texts: Sequence[str]) -> list[str]:
    return [_measures(texts), "scores = fairviz.evaluate(study, measures, settings)"]


def summary(study: Study, settings: Settings, texts: Sequence[str]) -> str:
    """Means with their intervals."""
    return program(study, settings, [], [*_scores(texts), "table = fairviz.summarise(scores)"])


def exposures(study: Study, settings: Settings, *, per_query: bool = False) -> str:
    """Exposure by group of each system, or of each query."""
    imports = ["from fairviz.evaluation.scores import exposures"]
    return program(study, settings, imports, [f"table = exposures(study, settings, per_query={per_query})"])


def over_alpha(study: Study, settings: Settings) -> str:
    """CWEx along alpha."""
    imports = ["from fairviz.evaluation.scores import over_alpha"]
    return program(study, settings, imports, ["table = over_alpha(study, settings)"])


def over_cutoffs(study: Study, settings: Settings, texts: Sequence[str]) -> str:
    """Measures along the cutoff."""
    imports = ["from fairviz.comparison.curves import over_cutoffs"]
    return program(study, settings, imports, [f"table = over_cutoffs(study, {list(texts)!r}, settings)"])


def order(study: Study, settings: Settings, texts: Sequence[str]) -> str:
    """The rank of each system by each measure."""
    imports = ["import pandas as pd", "from fairviz.figures import bump", "from fairviz.measures import parse"]
    lines = [
        *_scores(texts),
        "drawn = bump.info(fairviz.summarise(scores), [parse(text) for text in measures])",
        "columns = list(drawn.measures)",
        "ranks = {**drawn.ranks, **{name: (None,) * len(columns) for name in drawn.references}}",
        "table = pd.DataFrame.from_dict(ranks, orient='index', columns=columns).rename_axis('system')",
        "table = table.astype('Int64').reset_index()",
    ]
    return program(study, settings, imports, lines)


def compared(study: Study, settings: Settings, texts: Sequence[str], baseline: str, how: How, **more: object) -> str:
    """Return the program for every system against a baseline, or the best of each measure."""
    left_out = [name for name in study.drafts if name not in how.ticked]
    every = (*texts, *how.beside(texts))
    tests = how.tests if set(every) & set(how.chosen) else replace(how.tests, family="pairs")
    given: dict[str, object] = {"tests": tests.text} if tests != Tests() else {}
    given |= {"ticked": list(how.ticked)} if how.ticked else {}
    given |= {"outside": left_out} if left_out else {}
    more |= {"chosen": list(how.chosen)} if tests.family == "measures" and set(every) - set(how.chosen) else {}
    lines = [*_scores(every), f"table = {_call('fairviz.compare', {**given, **more}, 'scores', repr(baseline))}"]
    lines += (
        [f"table = table[table['measure'].isin({list(texts)!r})].reset_index(drop=True)"]
        if len(every) > len(texts)
        else []
    )
    return program(study, settings, [], lines)


def by_query(
    study: Study, settings: Settings, texts: Sequence[str], pair: tuple[str, str] = ("", ""), measure: str = ""
) -> str:
    """Two systems on every query. pair: the system and the baseline; measure: of which the rows are kept."""
    imports = ["from fairviz.comparison.by_query import by_query"]
    how = how_of(study, settings)
    tested = [name for name in chosen_systems(study, settings) if how.is_tested(name)]
    among = f", among={tested!r}" if how.ticked or how.outside else ""
    lines = [*_scores(texts), f"table = by_query(scores, {pair[0]!r}, {pair[1]!r}{among})"]
    lines += [f"table = table[table['measure'] == {measure!r}]"] if measure else []
    return program(study, settings, imports, lines)


def atlas(study: Study, settings: Settings, texts: Sequence[str], which: str) -> str:
    """Measures against measures: `correlations` or `orders`."""
    lines = [_measures(texts), f"table = fairviz.atlas(study, measures, settings).{which}"]
    return program(study, settings, [], lines)


def points(study: Study, settings: Settings) -> str:
    """GSR's points, a row a system and query."""
    imports = ["from fairviz.evaluation.gsr import gsr_points"]
    return program(study, settings, imports, ["table = gsr_points(study, settings)"])


def parts(study: Study, settings: Settings, measure: str, system: str, query: str | None, against: str | None) -> str:
    """What a value is made of."""
    imports = ["from fairviz.evaluation.contributions import contributions"]
    given: dict[str, object] = {"against": against} if against else {}
    call = _call("contributions", given, "study", repr(measure), repr(system), repr(query), "settings")
    return program(study, settings, imports, [f"table = {call}"])


def ties(study: Study, settings: Settings, texts: Sequence[str]) -> str:
    """The ends of each mean over all orders of tied documents."""
    return program(study, settings, [], [_measures(texts), "table = fairviz.ties(study, measures, settings)"])


def mapped(
    study: Study,
    settings: Settings,
    pair: tuple[str, str],
    measures: Sequence[str],
    choices: Mapping[str, Sequence[object]],
) -> str:
    """Two systems under every combination of choices."""
    levels = "".join(f"    {name!r}: {list(held)!r},\n" for name, held in choices.items())
    lines = [_measures(measures), f"choices = {{\n{levels}}}",
             f"table = fairviz.robustness(study, {list(pair)!r}, measures, choices, settings).table"]  # fmt: skip
    return program(study, settings, [], lines)


def counterfactual(study: Study, settings: Settings, rankers: str, part: str, given: Mapping[str, object]) -> str:
    """One table of counterfactual lists. part: `table`, `queries` or `triples`; given: what differs from the defaults
    of fairviz.counterfactual."""
    call = _call("fairviz.counterfactual", given, "study", repr(rankers), "settings=settings")
    return program(study, settings, [], [f"found = {call}", f"table = found.{part}"])


def audits(
    study: Study,
    rankers: str,
    given: Mapping[str, Mapping[str, object]],
    lines: Sequence[str],
    imports: Sequence[str] = (),
) -> str:
    """A table of audits. given: what differs from the defaults of fairviz.audit, by the name that each audit gets."""
    calls = [f"{name} = {_call('fairviz.audit', held, 'study', repr(rankers))}" for name, held in given.items()]
    head = ["import fairviz", *sorted(imports), "", f"study = fairviz.open_study({_place(study)})"]
    return "\n".join([*head, *calls, *lines]) + "\n"


def mended(study: Study, settings: Settings, given: Mapping[str, object]) -> str:
    """What training an encoder changed. given: the arguments of fairviz.mend."""
    call = _call("fairviz.mend", given, "study", "settings=settings")
    return program(study, settings, [], [f"table = {call}.table"])


def one_query(study: Study, settings: Settings, texts: Sequence[str], query: str, systems: Sequence[str]) -> str:
    """Every measure of one query, a row a measure and a column a system; of two systems their difference too."""
    lines = [
        *_scores(texts),
        f"mine = scores[scores['query_id'] == {query!r}].astype({{'measure': 'str', 'system': 'str'}})",
        "table = mine.pivot(index='measure', columns='system', values='value').reindex(scores['measure'].unique())",
        f"table = table[{list(systems)!r}]",
    ]
    if len(systems) == 2:
        lines.append(f"table['difference'] = table[{systems[0]!r}] - table[{systems[1]!r}]")
    lines.append("table = table.rename_axis('measure').reset_index()")
    return program(study, settings, [], lines)


def calling(study: Study, settings: Settings, place: str, name: str, *given: object, ending: str = "") -> str:
    """A program that calls `name` of the module `place` with study, settings and what else is given. ending: what is
    done to what it returns, as `.sample`."""
    call = _call(name, {}, "study", "settings", *map(repr, given))
    return program(study, settings, [f"from {place} import {name}"], [f"table = {call}{ending}"])


def left_out(study: Study, settings: Settings, most: int) -> str:
    """GSR's slopes without the most gendered queries, for none to so many of them."""
    imports = [
        "import pandas as pd",
        "from fairviz.evaluation.gsr import gsr_points",
        "from fairviz.evaluation.slopes import gsr, leave_out",
    ]
    lines = [
        "points = gsr_points(study, settings)",
        "table = pd.concat(",
        f"    [gsr(leave_out(points, number)).assign(left_out=number) for number in range({most + 1})],",
        "    ignore_index=True,",
        ")",
    ]
    return program(study, settings, imports, lines)


def agreement(study: Study, settings: Settings, comparison: object, what: str, annotator: str = "") -> str:
    """One table of a comparison of annotators. comparison: its `analyses.annotator_accuracy.comparisons.Comparison`."""
    imports = ["from fairviz.analyses.annotator_accuracy.comparisons import Comparison, table as compared"]
    lines = [f"table = compared(study, settings, {comparison!r}, {what!r})"]
    lines += [f"table = table[table['annotator'] == {annotator!r}]"] if annotator else []
    return program(study, settings, imports, lines)


def direct(study: Study, settings: Settings, system: str, smoothing: float, *, shares: bool = False) -> str:
    """Whom one system's lists mention, against the relevant documents; shares: counted by the leaning of queries."""
    imports = [
        DIRECTION,
        "from fairviz.analyses.gsr_validity.direct import by_leaning, direct_stereotypes",
        "from fairviz.words.genderedness import vocabulary_mean",
    ]
    lines = [f"table = direct_stereotypes(study, settings.changed(systems=()), smoothing={smoothing!r})"]
    lines += ["table = by_leaning(table, vocabulary_mean(direction_of(settings)))"] if shares else []
    return program(study, settings, imports, [*lines, f"table = table[table['system'] == {system!r}]"])


def label_ranges(study: Study, settings: Settings, measure: str, what: str, function: str, *given: object) -> str:
    """The interval of one measure over queries beside what labels can do to it. what: `noise` or `bounds`."""
    imports = [
        f"from fairviz.analyses.label_effects import {function}",
        "from fairviz.figures import label_ranges",
        "from fairviz.measures import parse",
    ]
    keywords = f", source={given[0]!r}" if given else ""
    lines = [
        *_scores([measure]),
        f"found = {function}(study, settings, measures[0]{keywords})",
        "summary, direction = fairviz.summarise(scores), parse(measures[0]).direction",
        f"table = label_ranges.info(summary, measures[0], direction, {what}=found).table",
    ]
    return program(study, settings, imports, lines)


def words(settings: Settings, listed: Sequence[str]) -> str:
    """The genderedness of words; under a debiasing what is left of it, without intervals."""
    imports = [DIRECTION, "from fairviz.words.genderedness import word_genderedness"]
    lines = [f"words = {list(listed)!r}", "direction = direction_of(settings)",
             "table = word_genderedness(direction, words)"]  # fmt: skip
    if settings.debias != "none":
        imports += ["from dataclasses import replace", "from fairviz.words.debiasing import debias"]
        lines += [
            f"vectors = debias(direction.embedding, {settings.debias!r}, direction)",
            "table = table[['word']].assign(g=replace(direction, embedding=vectors).of(words))",
        ]
    return _without_study(settings, imports, lines)


def explained(settings: Settings) -> str:
    """How much of the pairs' variance each direction explains."""
    lines = ["shares = direction_of(settings).explained",
             "table = pd.DataFrame({'direction': range(1, len(shares) + 1), 'share': shares})"]  # fmt: skip
    return _without_study(settings, ["import pandas as pd", DIRECTION], lines)


def parity(settings: Settings) -> str:
    """The toy set on which GSR is set against statistical parity."""
    imports = [DIRECTION, "from fairviz.analyses.gsr_validity.parity import parity_agreement"]
    return _without_study(settings, imports, ["table = parity_agreement(direction_of(settings)).sample"])


def _without_study(settings: Settings, imports: Sequence[str], lines: Sequence[str]) -> str:
    """A program on word vectors alone."""
    held = {name: getattr(settings, name) for name in ("embedding", "pairs")}
    call = _call("fairviz.Settings", {name: value for name, value in held.items() if value != getattr(Settings, name)})
    return "\n".join(["import fairviz", *sorted(imports), "", f"settings = {call}", *lines]) + "\n"
