"""fairviz atlas: what it refuses; its tables are among those of test_same_as_python."""

import pytest

from tests.conftest import Call


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("CWEx NFaiRR GSR --k 5 --systems bm25 rrf",
         "--systems A B belongs to --table queries\nWrite --table queries --systems bm25 tfidf.\n"),
        ("CWEx NFaiRR GSR --k 5 --table queries --systems bm25 up",
         "there is no system 'up' in the atlas\n"
         "Use two of bm25, tfidf, qlm, w2v_add, w2v_si, bi_encoder, rrf, perfect, random.\n"),
        ("CWEx", "the atlas has one measure\nGive two or more: CWEx NFaiRR TExFAIR.\n"),
    ],
)  # fmt: skip
def test_wrong_questions(line: str, said: str, call: Call) -> None:
    assert call("atlas newswire", line, status=2).err.endswith(said)
