"""Rules of language that a test can check, in docstrings, names, Markdown and the texts of the program.

Docstrings: how they begin, and verbs of speech. Names: bare participles. Markdown: verbs of speech, phrases that have a
better term, sentences that begin with a relative clause, and length. Messages, labels and help: as Markdown, without
length, which tests/ui/test_sentences.py checks.
"""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.test_sentences import END, FIELD, TAG, texts

ROOT = Path(__file__).parent.parent / "fairviz"
PAGES = [*sorted((ROOT.parent / "pages").glob("*.py")), ROOT.parent / "app.py"]
FILES = sorted(ROOT.rglob("*.py"))
QUESTION = re.compile(r"(What|Who|Whose|Whom|How|Where|When|Which|Whether)\b")
SPEECH = re.compile(
    r"\b(says|tells?|told|hears?|heard|knows?|asks|asked|stands?|stood|lies?|speaks?|goes on|go on)\b", re.IGNORECASE
)
QUOTED = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"]*\"|'[^']*'|>>>.*|\b\w+(?= :|[:(])")
PARTICIPLES = {
    "found", "held", "told", "asked", "said", "shown", "drawn", "given", "known", "seen", "made", "kept", "there",
}  # fmt: skip
EXCEPTIONS = {  # public names, and names of the field
    "mapping.py robustness told",
    "work.py run told",
    "entries.py kept",
    "contributions.py known",
    "contrasts.py known",
    "deck.py asked",
    "grid.py asked",
    "computed_grid.py drawn",
}


MOST_WORDS = 35  # a sentence of a document; numbers and signs are not counted
GUIDELINE = "data/newswire/GUIDELINE.md"  # labels were assigned under this wording, so that it stays as it is
IN_DOCUMENTS = re.compile(rf"{SPEECH.pattern}|\b(say|said)\b", re.IGNORECASE)
PHRASES = {  # what to write instead, by a pattern
    r"(?<!there )(?:is|was|are|were) no(?! longer)": "is not a",
    r"told apart": "significantly different",
    r"maps? of choices": "sensitivity analysis",
    r"mend|mends|mended|mending": "fine-tuning, correct, repair",
    r"alternative texts?": "alt text",
    r"so many(?! (?:as|that))": "this many, or the number",
    r"anew": "again",
    r"without a word": "silently",
    r"hangs? on": "depends on",
    r"the same(?=\s*(?:[.,;:)]|$))": "the same, with its noun",
}
PHRASE = re.compile("|".join(rf"\b(?:{pattern})(?!\w)" for pattern in PHRASES), re.IGNORECASE)
SPEAKING = [*FILES, *PAGES]  # whose messages, labels and help are checked
IN_QUOTES = re.compile(r"`[^`]*`|“[^”]*”|\"[^\"]*\"|\bfairviz mend\b")
ALLOWED = {  # values in addresses, a command, a parameter, and a column of a database
    "ui/annotators/accuracy.py told apart",
    "ui/audit/views.py Mended encoders",
    "cli/mend.py mend grep-biasir --ranker bi_encoder",
    "analyses/sensitivity/mapping.py told is x",
    "annotation/forms/answering.py INSERT INTO answers (token, number, said, label, comment, time) "
    "VALUES (?, ?, ?, ?, ?, ?)",
}
CLAUSE = re.compile(r"(What|Who|Whom|Whose|Whoever|Whatever)\b(?!-| would change our mind:)[^?]*[.:;]")


def documented(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of everything in a file that has one."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
            text = ast.get_docstring(node)
            if text:
                yield f"{path.name} {getattr(node, 'name', '')}".strip(), text


def names(path: Path) -> Iterator[str]:
    """Yield functions, parameters and module-level variables whose name is a bare participle."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            if node.name.strip("_") in PARTICIPLES:
                yield f"{path.name} {node.name}"
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if argument.arg in PARTICIPLES:
                    yield f"{path.name} {node.name} {argument.arg}"
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        for target in targets:
            if isinstance(target, ast.Name) and target.id.strip("_").lower() in PARTICIPLES:
                yield f"{path.name} {target.id}"


def assigned(path: Path) -> set[str]:
    """Return the bare participles that a file assigns a value to."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)} & PARTICIPLES


def local_names(path: Path) -> set[str]:
    """Return the bare participles that the functions of a file assign a value to, outside comprehensions."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    targets = [node.target for node in nodes if isinstance(node, ast.comprehension)]
    in_comprehensions = {id(name) for target in targets for name in ast.walk(target)}
    functions = [node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    stored = [
        node
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    return {node.id for node in stored if id(node) not in in_comprehensions} & PARTICIPLES


def spoken(text: str) -> list[str]:
    """Return the verbs of speech in a docstring, outside quotations, examples and names of parameters."""
    return SPEECH.findall(QUOTED.sub("", text))


def tracked_documents() -> list[str]:
    """Return the Markdown files that git tracks, by their paths in the repository; none where git is missing."""
    if shutil.which("git") is None:
        return []
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT.parent, capture_output=True, text=True, check=False)
    return listed.stdout.splitlines()


def sentences(markdown: str) -> list[str]:
    """Return the sentences outside code, quotations and addresses: of paragraphs, headings, items and table cells."""
    text = re.sub(r"^ *```\{glossary\}\n(.*?)^ *```$", r"\1", markdown, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^ *```.*?^ *```$", "\n\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`", "`code`", text)
    text = re.sub(r"“[^”]*”|\"[^\"\n]*\"", "“quotation”", text)
    text = re.sub(r"\]\([^)\s]*\)|<https?:[^>]*>|[*\[\]]", "", text)
    text = re.sub(r"^ *(?:#+|-|\d+\.) |\|", "\n\n", text, flags=re.MULTILINE)
    blocks = [" ".join(block.split()) for block in re.split(r"\n\s*\n", text)]
    return [part for block in blocks if block for part in re.split(r"(?<=[.?!])\s+(?=[^a-z\s])", block)]


def length(sentence: str) -> int:
    """Return the number of words that hold a letter."""
    return sum(re.search(r"[^\W\d]", word) is not None for word in sentence.split())


def faults(markdown: str) -> list[str]:
    """Return one line for each rule of language that a sentence breaks, with the sentence."""
    lines = []
    for sentence in sentences(markdown):
        wrong = [match.group() for pattern in (IN_DOCUMENTS, PHRASE) for match in pattern.finditer(sentence)]
        if CLAUSE.fullmatch(sentence):
            wrong.append(f"{sentence.split()[0]} …")
        if length(sentence) > MOST_WORDS:
            wrong.append(f"{length(sentence)} words")
        lines += [f"{word}: {sentence}" for word in wrong]
    return lines


def faults_of_texts(path: Path) -> list[str]:
    """Return one line for each sentence of a string that breaks a rule: its file and the sentence.

    Strings without a space are names. An f-string has FIELD for each value in it.
    """
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name
    plain = [TAG.sub("", IN_QUOTES.sub(FIELD, text)).strip() for _, text, _ in texts(path.read_text(encoding="utf-8"))]
    parts = [part for text in plain if " " in text for part in END.split(text)]
    return [
        f"{name} {part}" for part in parts if IN_DOCUMENTS.search(part) or PHRASE.search(part) or CLAUSE.fullmatch(part)
    ]


@pytest.mark.parametrize("path", SPEAKING, ids=lambda path: str(path.relative_to(ROOT.parent)))
def test_texts_of_the_program_follow_the_rules(path: Path) -> None:
    assert {*faults_of_texts(path)} <= ALLOWED


@pytest.mark.parametrize("path", sorted({*tracked_documents()} - {GUIDELINE}))
def test_documents_follow_the_rules(path: str) -> None:
    assert faults((ROOT.parent / path).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_docstrings_and_names_follow_the_rules(path: Path) -> None:
    for name, text in documented(path):
        assert not QUESTION.match(text), f"{name} begins with a question word: {text[:60]}"
        assert not spoken(text), f"{name} lets a thing speak: {spoken(text)}"
    assert not [name for name in names(path) if name not in EXCEPTIONS]
    assert local_names(path) == set()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_variables_of_a_page_are_nouns(path: Path) -> None:
    assert assigned(path) == set()


def test_the_exceptions_are_few_and_in_use() -> None:
    in_use = {name for path in FILES for name in names(path)}
    assert in_use >= EXCEPTIONS
    assert len(EXCEPTIONS) <= 10
    assert {fault for path in SPEAKING for fault in faults_of_texts(path)} == ALLOWED


def test_what_breaks_a_rule_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(
        '"""What it does."""\nTOLD = 1\n\n\ndef found(held):\n    """Return `says`; it says so."""\n'
        "    drawn = [seen for seen in held if (kept := seen)]\n    return drawn\n\n\nclass Record:\n    known: int\n"
    )
    assert [QUESTION.match(text) is not None for _, text in documented(path)] == [True, False]
    assert [spoken(text) for _, text in documented(path)] == [[], ["says"]]
    assert sorted(names(path)) == ["broken.py TOLD", "broken.py found", "broken.py found held"]
    assert local_names(path) == {"drawn", "kept"}
    assert assigned(path) == {"drawn", "kept", "known", "seen"}


def test_what_breaks_a_rule_in_a_text_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text(
        '"""It says so."""\nA = "says"\nB = "Short. The file says so."\nC = f"{B!r} is no file"\n'
        'D = "What is here counts."\nE = "run `it says` as “he said”"\nF = "<b>this is no</b> file"\n'
        'G = "Train it: fairviz mend STUDY"\nH = "What is it?"\n'
    )
    assert sorted(faults_of_texts(path)) == [
        f"broken.py {text}" for text in ("The file says so.", "What is here counts.", "this is no file", "x is no file")
    ]


def test_what_breaks_a_rule_in_markdown_is_noticed() -> None:
    text = (
        "# The file tells all\n\nWhat lies there counts. Who knows?\nRun `it says`, as “he said”.\n\n"
        "```python\nsays = 1\n```\n\n- It is no measure; see [it](says.md).\n- The other does the same.\n\n"
        "| a | told apart |\n\n```{glossary}\nnDCG\n  A value that hangs on qrels.\n```\n\n" + "word " * 36 + "20."
    )
    assert [line.partition(":")[0] for line in faults(text)] == [
        "tells", "lies", "What …", "knows", "is no", "the same", "told", "told apart", "hangs on", "36 words",
    ]  # fmt: skip
    assert faults("It is no longer than 35 words.") == []
