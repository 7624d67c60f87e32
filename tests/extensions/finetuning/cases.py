"""A small study with texts in three wordings, and an encoder of one small layer with weights drawn by lot."""

import shutil
from pathlib import Path

import pandas as pd

from fairviz.study.record import Study
from fairviz.study.study import make_study

THINGS = ("engine", "garden", "town", "house", "bridge", "boat", "book", "letter", "song", "lamp", "road", "clock")


def study(things: tuple[str, ...] = THINGS) -> Study:
    """A query for each thing, and one relevant text of it in three wordings; and a text that four documents have."""
    rows = [
        (f"{place}{label[0]}", f"q{place}", f"The {word} looked at the {thing} for a while", label)
        for place, thing in enumerate(things)
        for word, label in (("person", "neutral"), ("woman", "female"), ("man", "male"))
    ]
    table = pd.DataFrame(rows, columns=["doc_id", "query_id", "text", "label"])
    alike = pd.DataFrame({"doc_id": [f"alike{number}" for number in range(4)], "text": "Nothing of all this"})
    return make_study(
        "threefold",
        documents=pd.concat(
            [table[["doc_id", "text", "query_id"]], alike.assign(query_id="")], ignore_index=True
        ).assign(title=""),
        queries=pd.DataFrame({"query_id": [f"q{place}" for place in range(len(things))], "text": list(things)}),
        labels=table[["doc_id", "label"]].assign(annotator="gold"),
        qrels=table[["query_id", "doc_id"]].assign(relevance=1),
    )


def tiny_encoder(folder: Path) -> Path:
    """A SentenceTransformer of one layer and 16 numbers, with the tokenizer of MiniLM."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel

    from fairviz.models.sentence_encoder import located

    torch.manual_seed(0)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    plain = folder / "plain"
    BertModel(BertConfig(vocab_size=30522, initializer_range=0.3, **size)).save_pretrained(plain)
    for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        shutil.copyfile(Path(located("minilm")) / name, plain / name)
    layers = Transformer(str(plain))
    SentenceTransformer(modules=[layers, Pooling(16)], device="cpu").save(str(folder / "tiny"))
    return folder / "tiny"
