"""counterfactual: changes of rankings when every gender word and first name is replaced by its counterpart."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.evaluate import check_choices
from fairviz.cli.options import add_choices, settings_of
from fairviz.cli.record import (
    CODES_KEPT,
    Command,
    add_output,
    add_study,
    between_0_and_1,
    format_epilog,
    print_notices,
    whole_number,
    write,
)
from fairviz.errors import FairvizError
from fairviz.evaluation.formats import ProgressLines, say

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.analyses.counterfactuals.answer import Counterfactual

TABLES = {
    "crbo": "CRBO, the placebos, TExFAIR and NFaiRR of each ranker, with intervals and paired tests (the default)",
    "wide": "a row a ranker and a column a measure, as table 2 of the TExFAIR paper",
    "queries": "CRBO and the placebos of each query, those that move most first",
    "triples": "which wording of a document that stands in three of them a ranker prefers (Grep-BiasIR)",
}
EPILOG = (
    "The documents are ranked as they are, with every gender word and first name replaced by its counterpart, and, as "
    "a placebo, with as many content words of each document replaced by near ones: once any words, once sparing those "
    "of the queries. CRBO is rank-biased overlap (--p, extrapolated) of the lists before and after; 1 is unmoved.",
    "A placebo's row has the difference, CRBO minus the placebo's, query by query; all placebos of all rankers are one "
    "family (--tests says by which method). Where CRBO is lower than both, gender matters to the ranker; where it is "
    "higher, a swap of gender disturbs less than other edits of that size. by_construction: queries whose value is 1 "
    "whatever was replaced, as bm25 and qlm read only the queries' words and none of these was.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("--ranker", default="bm25", metavar="RANKERS", help="one or more, as `rank --with` takes them (default: "
           "%(default)s)")  # fmt: skip
    option("--words", metavar="FILE", help="gender words in place of the packaged ones: lines female,male")
    option("--names", metavar="FILE", help="first names in place of the packaged ones: lines female,male")
    option("--substitute", choices=("both", "words", "names"), default="both", help="default: %(default)s")
    option("--seeds", type=whole_number, default=3, metavar="N", help="placebos of each kind (default: %(default)s)")
    option("--depth", type=whole_number, default=100, metavar="N", help="longest list (default: %(default)s)")
    option("--p", type=between_0_and_1, default=0.9, metavar="P", help="persistence of RBO (default: %(default)s)")
    option("--table", choices=tuple(TABLES), default="crbo", help="see below (default: %(default)s)")
    add_choices(parser)
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.rankers import parse_rankers

    settings = settings_of(arguments)
    parse_rankers(arguments.ranker, settings.embedding)
    from fairviz.analyses.counterfactuals.answer import counterfactual
    from fairviz.evaluation.exports import origin
    from fairviz.evaluation.opening import open_study
    from fairviz.study.loaders.word_files import read_counterparts

    words = read_counterparts(arguments.words) if arguments.words else None
    names = read_counterparts(arguments.names) if arguments.names else None
    study = open_study(arguments.study)
    check_choices(study, settings)
    print_notices(study)
    parameters = {name: getattr(arguments, name) for name in ("substitute", "seeds", "depth", "p")}
    progress = ProgressLines()
    try:
        answer = counterfactual(
            study, arguments.ranker, words=words, names=names, settings=settings, progress=progress, **parameters
        )
    finally:
        progress.close()
    for line in notes(answer):
        say(f"note: {line}")
    provenance = [("rankers", ", ".join(answer.experiment.systems)), *parameters.items(), *_file_arguments(arguments)]
    measures = [text for text in answer.table["measure"].unique() if "@" in text]
    write(_select_table(answer, arguments.table), arguments, lambda: origin(study, settings, measures, provenance))
    return 0


def _file_arguments(arguments: argparse.Namespace) -> list[tuple[str, object]]:
    return [(name, getattr(arguments, name)) for name in ("words", "names") if getattr(arguments, name)]


def _select_table(answer: "Counterfactual", name: str) -> "pd.DataFrame":
    if name == "triples" and answer.triples.empty:
        raise FairvizError(
            f"{answer.experiment.study.name} has no documents in three wordings",
            "They are documents with a column query_id, judged alike for it, with a label of each gender and neutral.",
        )
    return {"crbo": answer.table, "wide": answer.wide(), "queries": answer.queries, "triples": answer.triples}[name]


def notes(answer: "Counterfactual") -> list[str]:
    """Return notes on replacements, short lists, rankers' messages, findings and tests."""
    from fairviz.analyses.counterfactuals.sentences import lacking

    documents, changed_documents, words = answer.experiment.counts
    replacements = f"{words:,} words and names replaced in {changed_documents:,} of {documents:,} documents."
    tested = f"Tests: {answer.family}."
    return list(
        filter(None, (replacements, lacking(answer.experiment.short), *answer.messages, *answer.sentences, tested))
    )


def _epilog() -> str:
    return format_epilog(EPILOG, TABLES)


COUNTERFACTUAL = Command(
    "counterfactual", "whether rankings change when genders are swapped, more than by other edits", _add_arguments,
    _run, _epilog, CODES_KEPT,
)  # fmt: skip
