"""Measures of exposure as metrics of LensKit: each list of items by the labels of a study.

    from fairviz import lenskit
    RunAnalysis(lenskit.Exposure("CWEx(alpha=0.5)@10", study), NDCG()).measure(recommendations, test)

Measures of words compare a list with others for its query, of which LensKit hands on none. LensKit requires pandas 2;
it was tried with pandas 3, installed without its dependencies.
"""

from typing import Any

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import Resolved, bias_to_depth
from fairviz.evaluation.questions import ask, chosen_settings
from fairviz.evaluation.scores import values_at
from fairviz.evaluation.settings import Settings
from fairviz.installed import require_package
from fairviz.measures.rankings import LabelEvidence, Rankings, no_words
from fairviz.study.record import Study

require_package("lenskit", "metrics of LensKit need", "--no-deps lenskit")
from lenskit.metrics import ListMetric  # noqa: E402 - after the sentence about its absence


class Exposure(ListMetric):
    """A measure of labels as a metric of lists; NaN where it is undefined, which LensKit's means leave out.

    measure: as text, such as `CWEx(alpha=0.5)@10`. study: with labels of the items, by their ids as text. choices:
    fields of Settings, as annotator="majority". Raises UsageError for a measure of words or of relevance, FairvizError
    for a study without labels.
    """

    default = None

    def __init__(self, measure: str, study: Study, settings: Settings | None = None, **choices: object) -> None:
        self._settings = chosen_settings(study, settings, choices)
        self._question = ask(measure, self._settings)
        if self._question.family != "labels":
            raise UsageError(f"{self._question.text} is not a measure of labels", "Use CWEx, ExposureGap or AWRF.")
        if "qrels" in self._question.needs:
            raise UsageError(
                f"{self._question.text} needs relevance judgements, which a list of items does not have",
                "Use CWEx, ExposureGap or AWRF.",
            )
        if not study.has("labels"):
            raise FairvizError(
                f"{study.name} has no labels", "Add labels.csv with the columns doc_id, annotator, label."
            )
        self._resolved = Resolved(study, self._settings)
        names = pd.Index(study.labels["doc_id"].unique())
        codes = self._resolved.labels(_rankings(names, np.arange(len(names)))).codes
        self._codes = dict(zip(names, codes.tolist(), strict=True))
        self._bias = bias_to_depth(self._settings, max(self._cutoff, len(self._settings.custom_bias)))

    @property
    def label(self) -> str:
        """The measure as text, for the columns of LensKit's tables."""
        return self._question.text

    @property
    def _cutoff(self) -> int:
        return self._question.cutoff or self._settings.cutoff

    def measure_list(self, output: Any, test: Any) -> float:
        """Return the measure of a list of items. test: what the user liked, which counts for nothing here."""
        items = [str(item) for item in output.ids()[: self._cutoff]]
        lists = _rankings(pd.Index(items, dtype="str"), np.arange(len(items)))
        labels = LabelEvidence(np.array([self._codes.get(item, -1) for item in items], dtype=np.int64))
        rankings = self._resolved.with_evidence(lists, labels, no_words(lists.doc_ids, self._resolved.study.groups))
        cutoffs = np.array([self._cutoff])
        return float(values_at(rankings, self._question, self._settings, cutoffs, self._bias)[0, 0, 0])


def _rankings(names: pd.Index, documents: np.ndarray) -> Rankings:
    """Return one list of one system as Rankings."""
    lengths = np.array([[len(documents)]])
    return Rankings(("list",), ("query",), names, documents[:, None, None].astype(np.int32), lengths)
