"""The order of systems after a correction, and the width of intervals over the number of labels."""

import numpy as np
import pytest

from fairviz.analyses.label_effects.correction import order_of, width_curves
from fairviz.annotation.forms import database
from fairviz.correction import corrected as corrections
from fairviz.correction.corrected import corrected
from fairviz.correction.sampling import draw_sample
from fairviz.evaluation.settings import Settings
from fairviz.measures import parse

GAP = parse("ExposureGap", 10)
SETTINGS = Settings(annotator="lexicon", corrected_by="project")


def test_the_order_has_bias_and_ranks_and_more_labels_narrow_both_designs(
    monkeypatch: pytest.MonkeyPatch, newswire
) -> None:
    """Newswire with a sample of twenty queries, as a form would keep it."""
    drawn = {"annotator": "lexicon", "systems": ["bm25", "w2v_add", "rrf"]}
    sample = draw_sample(newswire, "queries", "ExposureGap", 640, **drawn)
    monkeypatch.setattr(corrections, "sample_for", lambda *_: sample)
    order = order_of(corrected(newswire, GAP, SETTINGS), GAP).set_index("system")
    assert order.loc["bm25", "bias"] == pytest.approx(order.loc["bm25", "machine"] - order.loc["bm25", "corrected"])
    for name in ("machine", "corrected"):
        assert order[f"rank_{name}"].tolist() == order[name].abs().rank(method="min").tolist()

    curves = width_curves(newswire, SETTINGS, GAP, "bm25")
    assert set(curves["design"]) == {"queries", "documents"} == set(database.DESIGNS)
    for _, rows in curves.groupby("design"):
        assert (np.diff(rows["labels"]) > 0).all()
        assert (np.diff(rows["half_width"]) <= 1e-9).all()
    by_document = curves[curves["design"] == "documents"]
    row = corrected(newswire, GAP, SETTINGS, sample=draw_sample(newswire, "documents", GAP, 100, **drawn)).iloc[0]
    near = np.interp(100, by_document["labels"], by_document["half_width"])
    assert near == pytest.approx((row["ci_high"] - row["ci_low"]) / 2, rel=0.35)
    assert set(width_curves(newswire, SETTINGS, parse("CWEx", 10), "bm25")["design"]) == {"queries"}
