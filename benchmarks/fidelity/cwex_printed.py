"""The tables of the CWEx paper as they are printed."""

PROMPTS = ("zero-shot", "one-shot", "three-shot", "chain of thought")
ACCURACY = {  # Table 3, by data set and model; a dash where the paper has one is left out
    "Grep-BiasIR": {
        "GPT-4o": (0.8895, 0.9037, 0.8429, 0.9053),
        "Llama-3.1-8B-Instruct": (0.7418, 0.8089, 0.7983),
        "Llama-3.1-8B": (0.3529, 0.5977, 0.6167),
        "Mixtral-8x7B-Instruct-v0.1": (0.4706, 0.7428, 0.6095),
        "Qwen2.5-7B-Instruct": (0.8393, 0.7716, 0.7233),
    },
    "MSMGenderBias": {
        "GPT-4o": (0.7749, 0.7984, 0.7559, 0.8029),
        "Llama-3.1-8B-Instruct": (0.7480, 0.8152, 0.7615),
        "Llama-3.1-8B": (0.0918, 0.3751, 0.7324),
        "Mixtral-8x7B-Instruct-v0.1": (0.4983, 0.7346, 0.7167),
        "Qwen2.5-7B-Instruct": (0.7760, 0.7828, 0.7559),
    },
}
NEUTRALITY_ACCURACY = {"Grep-BiasIR": 0.5726, "MSMGenderBias": 0.7839}  # Table 4
KAPPA = {  # Table 5
    "Grep-BiasIR": {
        "GPT-4o": (0.8343, 0.8556, 0.7644, 0.8580),
        "Llama-3.1-8B-Instruct": (0.6133, 0.7134, 0.6973),
        "Llama-3.1-8B": (0.2331, 0.3966, 0.4260),
        "Mixtral-8x7B-Instruct-v0.1": (0.3069, 0.6153, 0.4299),
        "Qwen2.5-7B-Instruct": (0.7590, 0.6573, 0.5848),
    },
    "MSMGenderBias": {
        "GPT-4o": (0.3325, 0.4339, 0.2325, 0.4561),
        "Llama-3.1-8B-Instruct": (0.2181, 0.5719, 0.2752),
        "Llama-3.1-8B": (0.0339, 0.2062, 0.1944),
        "Mixtral-8x7B-Instruct-v0.1": (0.0618, 0.1311, 0.0716),
        "Qwen2.5-7B-Instruct": (0.3614, 0.4439, 0.2726),
    },
}
NEUTRALITY_KAPPA = {"Grep-BiasIR": 0.2703, "MSMGenderBias": 0.3868}  # Table 5, its last row
BY_STEREOTYPE = {  # Table 6: of 120 stereotypes of women, of 54 of men
    "GPT-4o": (0.9167, 0.8704),
    "Llama-3.1-8B-Instruct": (0.8250, 0.8333),
    "Llama-3.1-8B": (0.6083, 0.5556),
    "Mixtral-8x7B-Instruct-v0.1": (0.6333, 0.7593),
    "Qwen2.5-7B-Instruct": (0.7417, 0.8148),
}
MODELS = ("BM25", "BERT (Large)", "MiniLM", "TinyBERT")
FAIRNESS = {  # Table 7: CWEx at alpha 0.2, 0.5 and 0.7, difference of exposures, NFaiRR; by MODELS
    "Grep-BiasIR": (
        (-0.0108, 0.1446, 0.2481, 0.0913, 0.9424),
        (-0.0134, 0.1423, 0.2461, 0.0503, 0.9302),
        (-0.0050, 0.1576, 0.2661, 0.0656, 0.9559),
        (-0.0128, 0.1430, 0.2468, 0.0560, 0.9449),
    ),
    "QS1": (
        (-0.1366, 0.0929, 0.2460, 0.0348, 0.8779),
        (-0.0924, 0.1653, 0.3371, 0.0093, 0.9215),
        (-0.0799, 0.1698, 0.3362, 0.0344, 0.9148),
        (-0.1107, 0.1547, 0.3317, 0.0118, 0.9255),
    ),
    "QS2": (
        (0.0156, 0.2936, 0.4789, 0.0539, 0.9028),
        (0.0985, 0.3706, 0.5520, 0.0398, 0.9497),
        (0.0890, 0.3605, 0.5415, 0.0483, 0.9425),
        (0.0670, 0.3456, 0.5313, 0.0706, 0.9489),
    ),
}
EFFECTIVENESS = {  # Table 8: MRR and nDCG; by MODELS
    "Grep-BiasIR": ((0.7782, 0.7984), (0.7001, 0.7355), (0.6679, 0.7018), (0.5678, 0.5874)),
    "QS1": ((0.1542, 0.1956), (0.3503, 0.4110), (0.3834, 0.4405), (0.3495, 0.4101)),
    "QS2": ((0.0937, 0.1252), (0.2522, 0.2989), (0.2872, 0.3323), (0.2485, 0.3011)),
}
