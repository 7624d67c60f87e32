"""`python -m benchmarks.fidelity STOPLIST`: docs/fidelity.md, every number in it computed here and now.

Needs published data: `fairviz fetch` google-news-subset, grep-biasir, msmarco-qs2 and genderbias-ir; and the file of
Indri's English stop list, as the GSR paper's authors publish it beside their code.
"""

import sys

from benchmarks.fidelity import TARGET, document
from fairviz.cli.record import stop_words_text

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Name the file of Indri's English stop list: python -m benchmarks.fidelity STOPLIST")
    TARGET.write_text(document(stop_words_text(sys.argv[1])), encoding="utf-8")
    print(f"wrote {TARGET}")
