"""
Labels
======

How far annotators agree, and what labels do to measures.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_labels.png"

import numpy as np
import pandas as pd

import fairviz
from fairviz.analyses.annotator_accuracy.comparisons import Comparison, table
from fairviz.analyses.annotator_accuracy.labellers import calibration
from fairviz.analyses.label_effects.replacing import label_noise, replaced
from fairviz.correction.corrected import half_widths
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator

study = fairviz.open_study("newswire")
settings = Settings()

# %%
# kappa_matrix
# ------------
# Cohen's kappa of every pair of annotators.

fairviz.plot.kappa_matrix(table(study, settings, Comparison(), "pairs"), 20)

# %%
# confusion
# ---------
# Which labels one annotator gives where the reference gives others.

cells = table(study, settings, Comparison(reference="project"), "confusion")
fairviz.plot.confusion(cells, "project", "lexicon")

# %%
# intervals
# ---------
# Any column with intervals: here all coefficients.

overall = table(study, Settings(voters=("all",)), Comparison(), "overall")
fairviz.plot.intervals("All annotators together", overall, "coefficient", [("all", "value", "ci_low", "ci_high")])

# %%
# annotator_values
# ----------------
# Each system's value by the labels of each annotator.

values = replaced(study, settings, "CWEx@10", ["lexicon", "mentions"], "project")
fairviz.plot.annotator_values(values, "project", "CWEx@10", "higher", study_systems=study.systems, height=420)

# %%
# label_ranges
# ------------
# The interval over queries, and the range of values under noise of labels.

summary = fairviz.summarise(fairviz.evaluate(study, "CWEx"))
noise = label_noise(study, Settings(voters=("all",)), "CWEx@10", 200)
fairviz.plot.label_ranges(summary, "CWEx@10", "higher", noise, study_systems=study.systems, height=420)

# %%
# corrected
# ---------
# A machine's labels corrected by a reader's labels of a random sample.

chosen = {"annotator": "lexicon", "corrected_by": "project"}
drawn = fairviz.draw_sample(study, design="queries", measure="CWEx@10", budget=120, annotator="lexicon")
table_of_means = fairviz.corrected(study, "CWEx@10", sample=drawn, **chosen)
fairviz.plot.corrected(table_of_means, "lexicon", "project")

# %%
# width_curve
# -----------
# The width of that interval had more queries been read.

row = table_of_means[table_of_means["system"] == "bm25"].iloc[0].to_dict()
queries = np.arange(4, int(row["frame"]) + 1)
widths = pd.DataFrame({"design": "queries", "labels": queries, "half_width": half_widths(row, queries)})
fairviz.plot.width_curve(widths, "CWEx@10 of bm25", int(row["drawn"]))

# %%
# calibration
# -----------
# How often an annotator is right, by its confidence. These labels are simulated: right as often as their confidence.

draw = np.random.default_rng(0)
confidence = draw.uniform(0.5, 1, 400)
is_right = draw.random(400) < confidence
documents = pd.Series(range(400)).astype("str")
true = pd.DataFrame({"doc_id": documents, "annotator": "people", "label": "male"})
simulated = pd.DataFrame(
    {"doc_id": documents, "annotator": "model", "label": np.where(is_right, "male", "female"), "confidence": confidence}
)
labelled = fairviz.make_study("simulated", labels=pd.concat([true, simulated], ignore_index=True))
result = calibration(labelled, "model", "people")
fairviz.plot.calibration(result.bins, result.error, "model")

# %%
# winning_rate
# ------------
# Against how many people a rule or model wins, by how much closer people may be. These people are simulated.

names = np.array(["neutral", "female", "male"])
true_labels = draw.choice(names, 120)
errors = {"anna": 0.1, "ben": 0.2, "cleo": 0.3, "dora": 0.4, "model": 0.15}
rows = [
    pd.DataFrame({
        "doc_id": documents[:120], "annotator": who,
        "label": np.where(draw.random(120) < error, draw.choice(names, 120), true_labels),
    })
    for who, error in errors.items()
]  # fmt: skip
who_labels = {who: Annotator(who, "model" if who == "model" else "person") for who in errors}
people = fairviz.make_study("people", labels=pd.concat(rows, ignore_index=True), annotators=who_labels)
fairviz.plot.winning_rate(fairviz.replace_people(people).curve, 0.15)
