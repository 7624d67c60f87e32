"""docs/fidelity.md put together: the words of each chapter with its tables in their places, and a summary of all."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.fidelity import audit, backpack, cwex, gsr_chapter, societal, texfair
from benchmarks.fidelity.rows import VERDICTS, Chapter

TARGET = Path(__file__).parents[2] / "docs" / "fidelity.md"
FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Paper:
    """A chapter: the file of its words, the papers that it is about, what computes it from Indri's stop words, and the
    data sets that have to be fetched for it."""

    name: str
    title: str
    chapter: Callable[[str], Chapter]
    needs: tuple[str, ...] = ()


CHAPTERS: tuple[Paper, ...] = (
    Paper("gsr", "GSR, 2020", gsr_chapter.chapter, ("google-news-subset", "grep-biasir")),
    Paper("cwex", "CWEx, 2025", cwex.chapter, ("grep-biasir", "msmarco-qs2", "genderbias-ir")),
    Paper("societal", "NFaiRR, 2021, and RaB, 2020", societal.chapter, ("grep-biasir", "msmarco-qs2", "genderbias-ir")),
    Paper("texfair", "TExFAIR, 2024", texfair.chapter, ("msmarco-qs2", "genderbias-ir")),
    Paper("backpack", "Backpack ranker, 2025", backpack.chapter),
    Paper("audit", "Language models as rankers, 2024", audit.chapter),
)


def document(listed: str) -> str:
    """The whole of docs/fidelity.md; listed: Indri's stop words, as `Settings.stop_words` writes them."""
    made = {paper.name: paper.chapter(listed) for paper in CHAPTERS}
    first = _words("page").replace("{summary}", summary(made))
    return "\n".join([first, *(section(paper, made[paper.name]) for paper in CHAPTERS)])


def section(paper: Paper, chapter: Chapter) -> str:
    """The chapter's words with its tables and single words in their places. Raises ValueError for a table or a word
    that has none."""
    text = _words(paper.name)
    parts = {name: table.text() for name, table in chapter.tables.items()} | chapter.words
    for name, part in parts.items():
        if f"{{{name}}}" not in text:
            raise ValueError(f"{paper.name}.md.txt has no place for {name}")
        text = text.replace(f"{{{name}}}", part)
    return text


def summary(made: dict[str, Chapter]) -> str:
    """Counts of the rows of each chapter that agree, that differ and that are not available."""
    lines = [f"| chapter | {' | '.join(VERDICTS)} |", "|---" * (1 + len(VERDICTS)) + "|"]
    for paper in CHAPTERS:
        counts = Counter(row.kind for row in made[paper.name].rows)
        lines.append(f"| {paper.title} | {' | '.join(str(counts[verdict]) for verdict in VERDICTS)} |")
    return "\n".join(lines)


def _words(name: str) -> str:
    return (FOLDER / f"{name}.md.txt").read_text(encoding="utf-8")
