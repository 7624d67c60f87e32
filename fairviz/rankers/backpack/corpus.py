"""What MiniLM makes of the passages that a Backpack learns from, read piece by piece onto the disk."""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fairviz.home import write_whole
from fairviz.models.sentence_encoder import MINILM, located
from fairviz.rankers.backpack.teacher import Read, Reading, reader

if TYPE_CHECKING:
    from torch import Tensor

PIECE = 512  # passages that are read before they are stored
BATCH = 32
LONGEST = 96  # WordPieces of a passage
Progress = Callable[[str, int, int], None]
READING = "reading the texts"
SETTLED = "read.json"


@dataclass(frozen=True, eq=False)
class Corpus:
    """N passages, their W WordPieces one behind the other.

    tokens (W,): WordPieces; states (W, d): MiniLM's last states, in half precision; starts (N + 1,): where each
    passage begins; vectors (N, d): MiniLM's unit vectors of the passages. seconds: what reading them took.
    """

    tokens: "Tensor"
    states: "Tensor"
    starts: np.ndarray
    vectors: "Tensor"
    seconds: float

    def __len__(self) -> int:
        return len(self.vectors)

    def batch(self, rows: Sequence[int]) -> Reading:
        """These passages, laid side by side."""
        import torch

        spans = [(int(self.starts[row]), int(self.starts[row + 1])) for row in rows]
        tokens = torch.nn.utils.rnn.pad_sequence([self.tokens[a:b] for a, b in spans], batch_first=True)
        states = torch.nn.utils.rnn.pad_sequence([self.states[a:b].float() for a, b in spans], batch_first=True)
        lengths = torch.tensor([b - a for a, b in spans])
        mask = torch.arange(tokens.shape[1])[None, :] < lengths[:, None]
        return Reading(tokens.long(), states, mask, self.vectors[list(rows)])


def corpus_key(passages: Sequence[str]) -> str:
    """A name for what is read: a hash of the passages in their order."""
    total = hashlib.sha256(f"{Path(located(MINILM)).name} {LONGEST} {PIECE}\n".encode())
    for passage in passages:
        total.update(passage.encode("utf-8", "surrogatepass") + b"\0")
    return total.hexdigest()[:24]


def read_corpus(
    passages: Sequence[str],
    folder: Path,
    progress: Progress,
    until: float = float("inf"),
    start: Callable[[], Read] | None = None,
) -> Corpus:
    """MiniLM's reading of the passages, kept in the folder: what lies there already is not read again.

    The passages are taken in an order drawn alike at every call, so that where the time (`until`, as time.monotonic
    counts) is over before the last, those that were read are a fair sample; one piece is read in any case.
    """
    from safetensors.torch import load

    begun, known = time.monotonic(), _settled(folder)
    read: Read | None = None
    order = np.random.default_rng(0).permutation(len(passages))
    pieces = [order[place : place + PIECE] for place in range(0, len(order), PIECE)][: known[0] if known else None]
    held: list[dict] = []
    progress(READING, 0, len(passages))
    for number, rows in enumerate(pieces):
        path = folder / f"texts-{number:04d}.safetensors"
        piece = _kept(path)
        if piece is None:
            if held and time.monotonic() > until:
                break
            read = read or (start or (lambda: reader(LONGEST)))()
            content = _read(read, [passages[row] for row in rows])
            write_whole(path, content)
            piece = load(content)
        held.append(piece)
        progress(READING, min((number + 1) * PIECE, len(passages)), len(passages))
    if known is None:
        known = len(held), time.monotonic() - begun
        write_whole(folder / SETTLED, json.dumps(known))
    return _joined(held, known[1])


def _settled(folder: Path) -> tuple[int, float] | None:
    """How many pieces there are and the seconds that they took, once reading has ended: a training that goes on goes
    on with the same."""
    try:
        pieces, seconds = json.loads((folder / SETTLED).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return pieces, seconds


def _kept(path: Path) -> "dict[str, Tensor] | None":
    """The piece in the file; None where there is none, and for one that is cut off."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        return load(path.read_bytes())
    except (FileNotFoundError, SafetensorError):
        return None


def _read(read: Read, passages: list[str]) -> bytes:
    """A piece as a file: passages without a WordPiece are left out."""
    import torch
    from safetensors.torch import save

    ordered = sorted(passages, key=len)
    parts: dict[str, list] = {"tokens": [], "states": [], "lengths": [], "vectors": []}
    for start in range(0, len(ordered), BATCH):
        found = read(ordered[start : start + BATCH])
        kept = found.mask.any(dim=1)
        mask = found.mask & kept[:, None]
        parts["tokens"].append(found.tokens[mask].int())
        parts["states"].append(found.states[mask].half())
        parts["lengths"].append(found.mask.sum(dim=1)[kept].int())
        parts["vectors"].append(found.vectors[kept])
    return save({name: torch.cat(values) for name, values in parts.items()})


def _joined(held: list[dict], seconds: float) -> Corpus:
    import torch

    joined = {name: torch.cat([piece[name] for piece in held]) for name in held[0]}
    starts = np.concatenate([[0], np.cumsum(joined["lengths"].numpy())])
    return Corpus(joined["tokens"], joined["states"], starts, joined["vectors"], seconds)
