"""The page Mitigations: re-rankers and debiased rankers side by side, and encoders fine-tuned on the study.

May import shell, kept, state, kit and everything below the interface.
"""
