"""MiniLM's reading of texts: the states for the Backpack's attention, and the vectors to learn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fairviz.models.sentence_encoder import MINILM, loaded, located

if TYPE_CHECKING:
    from torch import Tensor

LONGEST = 254  # WordPieces of a text in MiniLM: 256 less the two that frame it
Read = Callable[[Sequence[str]], "Reading"]


@dataclass(frozen=True, eq=False)
class Reading:
    """MiniLM's reading of B texts, T WordPieces in the longest.

    tokens (B, T): WordPieces, 0 for padding; states (B, T, d): the last states; mask (B, T): where there is a WordPiece
    other than the two that frame the text; vectors (B, d): unit vectors of the texts.
    """

    tokens: "Tensor"
    states: "Tensor"
    mask: "Tensor"
    vectors: "Tensor"


def reader(longest: int = LONGEST) -> Read:
    """Return a function from texts to MiniLM's reading of them, each cut after `longest` WordPieces. Raises
    FairvizError without MiniLM."""
    encoder = loaded("SentenceTransformer", located(MINILM))
    tokenizer, bert = encoder.tokenizer, encoder[0].auto_model

    def read(texts: Sequence[str]) -> Reading:
        import torch

        framed = tokenizer(list(texts), padding=True, truncation=True, max_length=longest + 2, return_tensors="pt")
        with torch.inference_mode():
            states = bert(input_ids=framed["input_ids"], attention_mask=framed["attention_mask"]).last_hidden_state
        return _reading(framed, states, (tokenizer.cls_token_id, tokenizer.sep_token_id))

    return read


def _reading(framed: Any, states: "Tensor", frame: tuple[int, int]) -> Reading:
    """Return the reading without the frame: the first token is dropped, and those after the last WordPiece masked."""
    import torch

    weights = framed["attention_mask"].to(states.dtype)
    mean = (states * weights[:, :, None]).sum(dim=1) / weights.sum(dim=1, keepdim=True)
    tokens = framed["input_ids"][:, 1:]
    places = torch.arange(tokens.shape[1])[None, :]
    mask = places < (framed["attention_mask"].sum(dim=1) - len(frame))[:, None]
    vectors = torch.nn.functional.normalize(mean, dim=1)
    return Reading(torch.where(mask, tokens, 0), states[:, 1:], mask, vectors)
