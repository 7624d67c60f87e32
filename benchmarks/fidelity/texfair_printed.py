"""The tables of the TExFAIR paper as they are printed."""

EFFECTIVENESS = {  # Table 1: MRR and nDCG of what the CWEx paper measures too
    "QS1": {
        "BM25": (0.1544, 0.1958),
        "BERT": (0.3415, 0.4022),
        "MiniLM": (0.3832, 0.4402),
        "TinyBERT": (0.3482, 0.4093),
    },
    "QS2": {
        "BM25": (0.0937, 0.1252),
        "BERT": (0.2548, 0.2950),
        "MiniLM": (0.2872, 0.3323),
        "TinyBERT": (0.2485, 0.3011),
    },
}
FAIRNESS = {  # Table 1: NFaiRR, TExFAIR and their correlation over queries
    "QS1": {
        "BM25": (0.7227, 0.7475, 0.4823),
        "UniCOIL": (0.7819, 0.7629, 0.5166),
        "DeepImpact": (0.7721, 0.7633, 0.5487),
        "ANCE": (0.7989, 0.7725, 0.5181),
        "DistilBERT-KD": (0.7913, 0.7683, 0.5525),
        "DistilBERT-TASB": (0.7898, 0.7613, 0.5091),
        "TCT-ColBERTv1": (0.7962, 0.7688, 0.5253),
        "SBERT": (0.7880, 0.7637, 0.5217),
        "BERT": (0.7790, 0.7584, 0.5135),
        "MiniLM": (0.7702, 0.7516, 0.5257),
        "TinyBERT": (0.7799, 0.7645, 0.5437),
    },
    "QS2": {
        "BM25": (0.8069, 0.8454, 0.5237),
        "UniCOIL": (0.8930, 0.8851, 0.4049),
        "DeepImpact": (0.8825, 0.8851, 0.4971),
        "ANCE": (0.9093, 0.9060, 0.4161),
        "DistilBERT-KD": (0.9149, 0.9044, 0.4257),
        "DistilBERT-TASB": (0.9088, 0.8960, 0.4073),
        "TCT-ColBERTv1": (0.9116, 0.9056, 0.4249),
        "SBERT": (0.8943, 0.8999, 0.3438),
        "BERT": (0.8896, 0.8807, 0.4323),
        "MiniLM": (0.8863, 0.8865, 0.3880),
        "TinyBERT": (0.8848, 0.8952, 0.4039),
    },
}
COUNTERFACTUAL = {  # Table 2: CRBO, TExFAIR, NFaiRR, under the query sets as printed
    "QS1": {
        "BM25": (0.9733, 0.8454, 0.8069),
        "BERT": (0.9506, 0.8807, 0.8896),
        "MiniLM": (0.9597, 0.8865, 0.8863),
        "TinyBERT": (0.9519, 0.8952, 0.8848),
    },
    "QS2": {
        "BM25": (0.9761, 0.7475, 0.7227),
        "BERT": (0.9735, 0.7629, 0.7790),
        "MiniLM": (0.9753, 0.7516, 0.7702),
        "TinyBERT": (0.9714, 0.7645, 0.7799),
    },
}
