"""What is loaded to read text: the sentence encoder and what it made of texts.

May import study and what lies below it.
"""
