"""The verb `score`: the gender words of a whole collection, counted in parts."""

import argparse
import os
import re
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.cli.options import add_execution, executor_of, scheduler_of
from fairviz.cli.record import Command, stop_words_text
from fairviz.errors import UsageError
from fairviz.evaluation.formats import ProgressLine, say
from fairviz.words.tokenizers import TOKENIZERS

if TYPE_CHECKING:
    from fairviz.extensions.collections.counts import CountingPlan
    from fairviz.extensions.collections.score import State
    from fairviz.study.collection_counts import Genderedness

EACH, EACH_WITH_G = 600_000_000, 1_000_000_000  # bytes of a process, measured with some room
EPILOG = (
    "COLLECTION has doc_id, a tab and the text on each line (.tsv), an object with doc_id and text on each line "
    "(.jsonl), or these columns (.parquet); the first two may be compressed. DIR gets a Parquet file for each part: "
    "doc_id, tokens, and the words of each group. Parts that are whole are not made again, so that the same command "
    "resumes. manifest.json is written when no part is missing.",
    "A study reads the counts in place of texts: put DIR into it as the folder word_counts, or name it in its "
    "study.toml (word_counts = 'DIR'). GSR needs --queries with the study's queries.",
    "Several machines: run the command with --part 1/16, --part 2/16, … in any order, as a job array does, or give the "
    "scheduler of a Dask cluster.",
)


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "collection", metavar="COLLECTION", help="a file, a folder, a quoted glob of files, or ir_datasets:NAME"
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder of the counts")
    parser.add_argument("--lexicon", metavar="FILE", help="the word list (default: the built-in one)")
    parser.add_argument("--tokenizer", choices=tuple(TOKENIZERS), default="word", help="default: %(default)s")
    parser.add_argument("--embedding", metavar="NAME", help="word vectors: also sum the genderedness of words")
    parser.add_argument("--pairs", default="", metavar="PAIRS", help="female-male pairs that make its direction")
    parser.add_argument("--queries", metavar="FILE", help="queries whose words GSR leaves out (with --embedding)")
    parser.add_argument("--stop-words", metavar="FILE", help="stop words of genderedness (default: built-in)")
    add_execution(parser)
    parser.add_argument("--memory", type=_size, metavar="SIZE", help="no more processes than fit, such as 2G")
    parser.add_argument("--part", type=_share, metavar="I/N", help="make every N-th part, from the I-th, alone")
    parser.add_argument("--skip-broken", action="store_true", help="leave out documents that cannot be read")
    parser.add_argument("--status", action="store_true", help="print what is there, and stop")


def _share(text: str) -> tuple[int, int]:
    share = re.fullmatch(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})", text)
    if not share:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a part such as 3/16")
    return int(share[1]), int(share[2])


def _size(text: str) -> int:
    size = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)([MG])B?", text, re.IGNORECASE)
    if not size:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a size such as 2G or 800M")
    return int(float(size[1]) * 10 ** (9 if size[2] in "Gg" else 6))


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.extensions.collections.score import state_of
    from fairviz.study.collection_counts import MANIFEST

    folder = Path(arguments.out)
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", arguments.out):
        raise UsageError(f"--out is {arguments.out!r}, an address", "Name a folder of this machine.")
    plan = _plan_of(arguments)
    state = state_of(arguments.collection, folder, plan) if arguments.status else _score(arguments, folder, plan)
    left_out = f"; {state.broken:,} that cannot be read are left out" if state.broken else ""
    say(f"{state.parts - len(state.missing):,} of {state.parts:,} parts, {state.documents:,} documents{left_out}")
    if (folder / MANIFEST).is_file() and state.is_complete:
        say(f"complete: {folder / MANIFEST}")
    return 0


def _plan_of(arguments: argparse.Namespace) -> "CountingPlan":
    from fairviz.extensions.collections.counts import CountingPlan
    from fairviz.study.collection_counts import G_COLUMNS, QUERY_COLUMNS
    from fairviz.study.loaders import read_lexicon
    from fairviz.words.counting import GSR_LEXICON

    lexicon = read_lexicon(Path(arguments.lexicon), groups=None) if arguments.lexicon else GSR_LEXICON
    columns = {"doc_id", "tokens", *G_COLUMNS, *QUERY_COLUMNS}
    if clash := sorted(columns & set(lexicon.groups)):
        raise UsageError(f"a group of the word list is named {clash[0]}", "This is a column; name the group otherwise.")
    given = _genderedness(arguments)
    return CountingPlan(
        lexicon, lexicon.groups, arguments.tokenizer, given, arguments.skip_broken, _options_of_plan(arguments)
    )


def _options_of_plan(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the options that make the same plan from any folder."""
    files = {"--lexicon": arguments.lexicon, "--queries": arguments.queries, "--stop-words": arguments.stop_words}
    texts = {"--embedding": arguments.embedding, "--pairs": arguments.pairs}
    texts |= {"--tokenizer": "" if arguments.tokenizer == "word" else arguments.tokenizer}
    texts |= {option: os.path.abspath(file) for option, file in files.items() if file}
    options = [word for option, value in texts.items() if value for word in (option, value)]
    return (*options, *(["--skip-broken"] if arguments.skip_broken else []))


def _score(arguments: argparse.Namespace, folder: Path, plan: "CountingPlan") -> "State":
    """Count the parts that are asked for and not there yet, with a line of progress."""
    from fairviz.extensions.collections.score import Share, score

    with closing(ProgressLine("counting parts")) as line:
        began = time.monotonic()

        def progress(done: int, total: int, documents: int) -> None:
            line.rate = f"{documents / max(time.monotonic() - began, 0.001):,.0f} documents a second"
            line(done, total)

        share, executor = Share(*(arguments.part or (1, 1))), executor_of(arguments, _most_processes(arguments))
        return score(arguments.collection, folder, plan, executor=executor, share=share, progress=progress)


def _most_processes(arguments: argparse.Namespace) -> int | None:
    """Return how many processes fit into --memory. Raises UsageError for none, and for a cluster."""
    if not arguments.memory:
        return None
    if scheduler_of(arguments):
        raise UsageError("--memory is of processes of this machine", "Limit a cluster's workers where they start.")
    each = EACH_WITH_G if arguments.queries or arguments.embedding else EACH
    if arguments.memory < each:
        raise UsageError(f"one process needs {each / 1e9:.1f} GB", f"Give --memory {each / 1e9:.1f}G or more.")
    return int(arguments.memory // each)


def _genderedness(arguments: argparse.Namespace) -> "Genderedness | None":
    from fairviz.evaluation.settings import Settings
    from fairviz.extensions.collections.counts import genderedness
    from fairviz.study.loaders.texts import read_queries

    if not arguments.embedding and not arguments.queries:
        if arguments.pairs or arguments.stop_words:
            raise UsageError("--pairs and --stop-words are of genderedness", "Add --queries FILE or --embedding NAME.")
        return None
    queries = read_queries(arguments.queries)["text"].tolist() if arguments.queries else []
    stop_words = stop_words_text(arguments.stop_words) if arguments.stop_words else ""
    return genderedness(arguments.embedding or Settings.embedding, arguments.pairs, stop_words, queries)


SCORE = Command(
    "score", "count the gender words of a whole collection, in parts", _add_arguments, _run, EPILOG,
    group="Data", stopped="stopped: whole parts are kept; run the same command to resume",
    example="score collection.tsv --out counts",
)  # fmt: skip
