"""The terms of the pages with their definitions: tooltips of the app, and the glossary of the manual, are made of them.

A definition has at most 30 words, and no Markdown other than code in backticks.
"""

from collections.abc import Mapping

TERMS: Mapping[str, str] = {
    "accuracy": "The share of documents with the reference's label, of those that both labelled.",
    "achievable front": "The pairs of effectiveness and fairness that orders of each query's candidates reach and no "
    "other order exceeds on both.",
    "adapter": "Low-rank weights beside an encoder's attention, trained so that neither gender's wording scores "
    "higher.",
    "adjudication": "A reader's decision on a document, stored apart from the labels of annotators, as the annotator "
    "`adjudicated`.",
    "annotator": "The source of a label: a person, a model, a rule, or a model and a reader together (mixed).",
    "attention": "The weight p(i) of a rank i under a position bias.",
    "background": "The documents whose best order is the ideal of NFaiRR: all retrieved ones, the collection, or a "
    "run.",
    "baseline": "The system that others are compared with. It is named before the results are seen.",
    "candidate": "The system that `fairviz gate` checks against a baseline.",
    "capsule": "A zip of settings, hashes, scores, figures and versions, from which `fairviz replay` computes the "
    "numbers again.",
    "chance band": "The range that contains the values of 95 % of random orders of the same candidates.",
    "collection": "All documents that can be ranked, of which a study may contain a part.",
    "consensus": "One label a document from several annotators' labels: by majority, or by the model of Dawid and "
    "Skene.",
    "contribution": "The part of a value that a rank, a query or a word adds; the parts sum to the value.",
    "corrected p": "The p-value of a test, raised for all tests of its family, so that it is compared with .05 itself.",
    "coverage": "The share of ranks within the cutoff whose document has a label.",
    "CRBO": "Rank-biased overlap of two lists: before and after an edit, such as swapped genders.",
    "cutoff": "The number k of ranks that count from the top: nDCG@10 has the cutoff 10.",
    "debiasing": "Taking the gender direction out of word vectors: of all words (strong), or of all but those of "
    "gender itself (regular).",
    "document": "A text with an id, ranked by systems.",
    "draft": "A run that was added to a study with runs. It is drawn, and tests count it only when it is ticked.",
    "effect of a label": "The change of the difference of two systems if the document had the label that changes it "
    "most.",
    "effectiveness": "The degree to which a ranking serves relevance, by measures such as nDCG.",
    "entropy": "Disagreement on a document: 0 where all labels are equal, 1 where every label has equally many votes.",
    "equivalence": "A difference whose 90 % interval is within a margin. It is more than a difference that is not "
    "significant.",
    "exposure": "A group's share of the attention to all documents that count.",
    "family": "All tests that are corrected together, by default all pairs of systems within a measure.",
    "gender pairs": "Pairs of words such as she and he, whose differences give the direction of gender in word "
    "vectors.",
    "genderedness": "A word's place between female (+) and male (−) in word vectors, written g; of a text the mean of "
    "its words, without stop words and the query's.",
    "group": "A value of a label other than neutral, such as female or male. A study names its groups.",
    "held-out queries": "Queries drawn by a seed and not trained on: only they decide whether a mitigation helps.",
    "interval": "A range that contains the true value for 95 % of samples, mostly samples of queries.",
    "kappa": "Agreement beyond chance by Cohen's κ: 1 for equal labels, 0 for as many equal labels as by chance.",
    "label": "The group of a document by an annotator, or neutral.",
    "lexicon": "A list of words, each with its group; also called word list.",
    "majority agreement": "The share of labels equal to the majority, of documents with two or more voters and "
    "without a tie.",
    "margin of equivalence": "The largest difference that does not matter.",
    "maxT": "The correction of a family by the distribution of its largest t statistic under random signs.",
    "minimum detectable difference": "The smallest difference that a family of tests detects with a chosen power.",
    "neutral": "The label of a document about no group or all groups alike.",
    "neutrality": "A document's share of neutrality by its words, as NFaiRR counts it; τ is the number of gender words "
    "that a neutral document may have.",
    "Pareto front": "The systems that no other system exceeds on both axes.",
    "placebo": "An edit of the same size that has nothing to do with gender, to which the effect of gender is "
    "compared.",
    "position bias": "The fall of attention with the rank: log2, reciprocal, rbp, linear, uniform, or weights from a "
    "file.",
    "power": "The chance that a test finds a difference that is there.",
    "priority": "The effect of a label times its uncertainty: the documents to read first.",
    "protected group": "The group whose disadvantage a gap counts as positive; set in study.toml.",
    "qrels": "Relevance judgements: query, document, relevance.",
    "query": "The text that every system answers with a ranking, with an id.",
    "reference": "The annotator whose labels others are compared with.",
    "reference system": "`perfect` (the relevant documents first) and `random`: drawn in grey, and not tested.",
    "relative slope": "The slope over that of the system `perfect`, which ranks the relevant documents themselves.",
    "run": "The ranked documents of one system for all queries, as a file.",
    "sense weight": "The factor M of a Backpack's two most gendered senses: 1 leaves them as they are, 0 takes them "
    "out, 2 doubles them.",
    "sensitivity analysis": "The comparison of two systems under every combination of choices.",
    "shared documents": "Documents that all compared annotators labelled, so that none had easier ones.",
    "significance": "A difference is significant if its corrected p is below .05. Not significant does not mean equal.",
    "slope": "GSR: the change of a list's genderedness for each unit of its query's genderedness.",
    "stop words": "Frequent words, such as “the”, which GSR leaves out unless they have a gender, as “she” has.",
    "strength": "The smaller of two measures' differences on a query, each in standard deviations of its measure's "
    "differences.",
    "study": "All loaded data: queries, documents, runs, judgements, labels, words. Choices are not part of it.",
    "system": "The source of a run; also called ranker.",
    "target": "A group's intended share of exposure; equal shares by default.",
    "test question": "A document with a known label among those that people label.",
    "Theil-Sen slope": "The median of the slopes of all pairs of queries: single queries do not move it.",
    "tied scores": "Documents with the same score, whose order is arbitrary. `--tie-range` shows the effect of "
    "their order.",
    "tokenizer": "The rule that cuts text into words: by Unicode's word boundaries, by characters, or at spaces.",
    "uncertainty": "The entropy of a document's labels; 1 with fewer than two annotators, 0 after an adjudication.",
    "undefined": "Without a value, as a list without any label. Undefined queries are counted, and means leave them "
    "out.",
    "unlabelled": "Documents without a label: left out, counted as neutral, or the reason why their list is undefined.",
    "upload": "A file added on the page Data of the app. It stays in the session unless it is saved as a study.",
    "word vectors": "Words as points in space, such as GloVe. GSR and the page Words use them to measure genderedness.",
}
COLUMNS: Mapping[str, str] = {  # the term of a column that has one meaning in every table
    "ci_high": "interval",
    "ci_low": "interval",
    "entropy": "entropy",
    "equivalence": "equivalence",
    "minimum_detectable": "minimum detectable difference",
    "p_corrected": "corrected p",
    "theil_sen": "Theil-Sen slope",
}
CONTROLS: Mapping[str, str] = {  # the term of a setting's control
    "annotator": "annotator",
    "background": "background",
    "effectiveness": "effectiveness",
    "position_bias": "position bias",
    "tau": "neutrality",
    "ties": "tied scores",
    "tokenizer": "tokenizer",
    "unlabelled": "unlabelled",
}


def term(name: str) -> str:
    """Return the definition of a term, for a tooltip. Raises KeyError for a term that is not in TERMS.

    >>> term("coverage")
    'The share of ranks within the cutoff whose document has a label.'
    """
    return TERMS[name]


def control_help(setting: str) -> str | None:
    """Return the definition of a setting's term, for the tooltip of its control; None without a term.

    >>> control_help("ties") == term("tied scores"), control_help("alpha")
    (True, None)
    """
    return TERMS[CONTROLS[setting]] if setting in CONTROLS else None


def column_help(name: str) -> str | None:
    """Return the definition of a column's term, for the tooltip of its head; None without a term.

    >>> column_help("ci_low") == term("interval"), column_help("value")
    (True, None)
    """
    return TERMS[COLUMNS[name]] if name in COLUMNS else None
