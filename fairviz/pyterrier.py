"""Re-rankers of this program in pipelines of PyTerrier, and runs of pipelines as a study.

    from fairviz import ir_measures as fair, pyterrier

    fair.bind(study)
    pt.Experiment([bm25, bm25 >> pyterrier.Balanced(loss=0.1)], topics, qrels, [fair.CWEx(alpha=0.5) @ 10], baseline=0)

Retrieval by Terrier itself, which needs Java, was not tried here: pipelines of frames were.
"""

from dataclasses import replace
from typing import Any

import pandas as pd

from fairviz.errors import UsageError, expect, use_one_of
from fairviz.installed import require
from fairviz.ir_measures import bound
from fairviz.parameters import Call, format_call, values_of
from fairviz.rankers import RANKERS, RankerChoice
from fairviz.rankers.ranking import rank
from fairviz.rankers.record import Ranker
from fairviz.study.record import Study
from fairviz.study.tables import QUERIES, RUNS, conform

require("pyterrier", "re-rankers of PyTerrier need")
from pyterrier import Transformer  # noqa: E402 - after the sentence about its absence

_RUN = "pipeline"
_KEYS = ["qid", "docno"]


class Reranker(Transformer):
    """A re-ranker of this program, as a stage after a retriever.

    study: whose labels and texts it reads; by default the one that is bound (`fairviz.ir_measures.bind`) when a list
    is ranked. parameters: the ranker's own, as `fairviz rank --help` lists them. Raises UsageError for another one.
    """

    def __init__(self, name: str, study: Study | None = None, **parameters: Any) -> None:
        ranker = RANKERS.get(name)
        if ranker is None or not _reorders(ranker):
            others = [other.name for other in RANKERS.values() if _reorders(other)]
            raise UsageError(f"there is no re-ranker {name!r}", use_one_of(others, name))
        expect("study", study, (Study, type(None)), "Give a study, or bind one: fairviz.ir_measures.bind(study).")
        self.ranker, self.study, self.parameters = ranker, study, parameters
        self._values = values_of(Call(name, {"run": _RUN, **parameters}), ranker.parameters)

    def __repr__(self) -> str:
        return format_call(self.ranker.name, self.parameters)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with each list in its new order: score and rank are new, other columns are kept.

        inp: qid, docno and score, as retrievers return. Tied documents count in the order of the frame. Raises
        FairvizError where the study lacks what the re-ranker needs, UsageError for a frame without these columns.
        """
        if lacking := [name for name in (*_KEYS, "score") if name not in inp.columns]:
            raise UsageError(f"the frame has no column {lacking[0]!r}", "Put the re-ranker after a retriever.")
        if not len(inp):
            return inp.assign(rank=pd.Series(dtype="int64"))
        study, values = self._bound() if self.study is None else (self.study, self._values)
        ids = inp[_KEYS].astype("str")
        place = inp.assign(**ids).groupby("qid", sort=False).cumcount() + 1
        runs = pd.DataFrame(
            {"system": _RUN, "query_id": ids["qid"], "doc_id": ids["docno"], "rank": place, "score": inp["score"]}
        )
        texts = ids["qid"].drop_duplicates()
        queries = conform(pd.DataFrame({"query_id": texts, "text": ""}), QUERIES)
        alone = replace(study, runs=conform(runs, RUNS), queries=queries, drafts=())
        ordered = rank(alone, [RankerChoice(self.ranker, values)], depth=int(place.max())).runs
        new = pd.DataFrame(
            {
                "qid": ordered["query_id"].astype("str"),
                "docno": ordered["doc_id"].astype("str"),
                "score": ordered["score"],
                "rank": ordered["rank"] - 1,
            }
        )
        frame = inp.drop(columns=["score", "rank"], errors="ignore").assign(**ids)
        merged = new.merge(frame, on=_KEYS, how="left", validate="1:1")
        return merged[[*frame.columns, "score", "rank"]]

    def _bound(self) -> tuple[Study, dict[str, Any]]:
        """Return the bound study, and the parameters with the annotator of the binding where none is named."""
        binding = bound()
        is_open = "annotator" in self._values and "annotator" not in self.parameters
        return binding.study, self._values | ({"annotator": binding.settings.annotator} if is_open else {})


def _reorders(ranker: Ranker) -> bool:
    """Return whether the ranker reorders one run, without its judgements."""
    return ranker.reorders and "qrels" not in ranker.needs


class Balanced(Reranker):
    """Lists with exposure nearer to the targets, at a bounded loss. parameters: loss, k, gain, position_bias,
    annotator."""

    def __init__(self, study: Study | None = None, **parameters: Any) -> None:
        super().__init__("balanced", study, **parameters)


class Neutral(Reranker):
    """Lists with neutral documents first, of words. parameters: see `fairviz rank --help`, neutral."""

    def __init__(self, study: Study | None = None, **parameters: Any) -> None:
        super().__init__("neutral", study, **parameters)


class DetConstSort(Reranker):
    """Lists with shares of groups in every prefix (Geyik and others, 2019). parameters: see `fairviz rank --help`,
    detconstsort."""

    def __init__(self, study: Study | None = None, **parameters: Any) -> None:
        super().__init__("detconstsort", study, **parameters)
