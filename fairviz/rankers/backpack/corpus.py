"""MiniLM's states and vectors of the training passages, stored piece by piece."""

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

PIECE = 512  # passages of one file
BATCH = 32
LONGEST = 96  # WordPieces of a passage
Progress = Callable[[str, int, int], None]
READING = "reading the texts"
SETTLED = "read.json"


@dataclass(frozen=True, eq=False)
class Corpus:
    """N passages, their W WordPieces concatenated.

    tokens (W,): WordPieces; states (W, d): MiniLM's last states, in half precision; starts (N + 1,): each passage's
    first row; vectors (N, d): MiniLM's unit vectors of the passages. seconds: of reading them.
    """

    tokens: "Tensor"
    states: "Tensor"
    starts: np.ndarray
    vectors: "Tensor"
    seconds: float

    def __len__(self) -> int:
        return len(self.vectors)

    def batch(self, rows: Sequence[int]) -> Reading:
        """Return these passages, padded to the longest."""
        import torch

        spans = [(int(self.starts[row]), int(self.starts[row + 1])) for row in rows]
        tokens = torch.nn.utils.rnn.pad_sequence([self.tokens[a:b] for a, b in spans], batch_first=True)
        states = torch.nn.utils.rnn.pad_sequence([self.states[a:b].float() for a, b in spans], batch_first=True)
        lengths = torch.tensor([b - a for a, b in spans])
        mask = torch.arange(tokens.shape[1])[None, :] < lengths[:, None]
        return Reading(tokens.long(), states, mask, self.vectors[list(rows)])


def corpus_key(passages: Sequence[str]) -> str:
    """Return a hash of the passages in their order."""
    digest = hashlib.sha256(f"{Path(located(MINILM)).name} {LONGEST} {PIECE}\n".encode())
    for passage in passages:
        digest.update(passage.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()[:24]


def read_corpus(
    passages: Sequence[str],
    folder: Path,
    progress: Progress,
    until: float = float("inf"),
    start: Callable[[], Read] | None = None,
) -> Corpus:
    """Return MiniLM's reading of the passages, stored in the folder; stored pieces are not read again.

    The passages are shuffled by a fixed seed, so that those read before `until` (by time.monotonic) are a fair sample;
    at least one piece is read.
    """
    from safetensors.torch import load

    start_time, settled = time.monotonic(), _settled(folder)
    read: Read | None = None
    order = np.random.default_rng(0).permutation(len(passages))
    pieces = [order[place : place + PIECE] for place in range(0, len(order), PIECE)][: settled[0] if settled else None]
    loaded_pieces: list[dict] = []
    progress(READING, 0, len(passages))
    for number, rows in enumerate(pieces):
        path = folder / f"texts-{number:04d}.safetensors"
        piece = _load_piece(path)
        if piece is None:
            if loaded_pieces and time.monotonic() > until:
                break
            read = read or (start or (lambda: reader(LONGEST)))()
            content = _read_piece(read, [passages[row] for row in rows])
            write_whole(path, content)
            piece = load(content)
        loaded_pieces.append(piece)
        progress(READING, min((number + 1) * PIECE, len(passages)), len(passages))
    if settled is None:
        settled = len(loaded_pieces), time.monotonic() - start_time
        write_whole(folder / SETTLED, json.dumps(settled))
    return _join(loaded_pieces, settled[1])


def _settled(folder: Path) -> tuple[int, float] | None:
    """Return the number of pieces and the seconds of reading them, once reading has ended, so that a resumed training
    uses the same pieces; None before."""
    try:
        pieces, seconds = json.loads((folder / SETTLED).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return pieces, seconds


def _load_piece(path: Path) -> "dict[str, Tensor] | None":
    """Return the piece in the file; None for a missing or truncated file."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        return load(path.read_bytes())
    except (FileNotFoundError, SafetensorError):
        return None


def _read_piece(read: Read, passages: list[str]) -> bytes:
    """Return a piece as the content of a file, without passages that have no WordPiece."""
    import torch
    from safetensors.torch import save

    ordered = sorted(passages, key=len)
    parts: dict[str, list] = {"tokens": [], "states": [], "lengths": [], "vectors": []}
    for start in range(0, len(ordered), BATCH):
        reading = read(ordered[start : start + BATCH])
        has_token = reading.mask.any(dim=1)
        mask = reading.mask & has_token[:, None]
        parts["tokens"].append(reading.tokens[mask].int())
        parts["states"].append(reading.states[mask].half())
        parts["lengths"].append(reading.mask.sum(dim=1)[has_token].int())
        parts["vectors"].append(reading.vectors[has_token])
    return save({name: torch.cat(values) for name, values in parts.items()})


def _join(pieces: list[dict], seconds: float) -> Corpus:
    import torch

    joined = {name: torch.cat([piece[name] for piece in pieces]) for name in pieces[0]}
    starts = np.concatenate([[0], np.cumsum(joined["lengths"].numpy())])
    return Corpus(joined["tokens"], joined["states"], starts, joined["vectors"], seconds)
