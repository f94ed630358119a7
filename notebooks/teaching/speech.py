"""Words as labels, and the recorded batch: notebooks/data/README.md says how it was made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import List, Sequence

import numpy as np

BLANK = 0
_ALPHABET = "-abcdefghijklmnopqrstuvwxyz "  # class 0 is the blank, 27 the space


def labels_of(text: str) -> List[int]:
    """The labels of a text of a to z and spaces."""
    unknown = sorted(set(text) - set(_ALPHABET[1:]))
    if unknown:
        raise ValueError(f"text = {text!r}: expected letters a to z and spaces, not {' '.join(unknown)}")
    return [_ALPHABET.index(letter) for letter in text]


def letters(classes: Sequence[int]) -> str:
    """Classes as text, the blank as -."""
    return "".join(_ALPHABET[k] for k in classes)


@dataclass(frozen=True)
class Utterance:
    text: str
    labels: List[int]
    logits: np.ndarray  # [T, 28] float32, the very halves that are stored


def speech(row: int) -> Utterance:
    """One of the eight phrases of the batch that every gate run judges; row 0 is "hello", 13 frames of 30 ms."""
    batch = np.load(Path(__file__).parent.parent / "data" / "speech.npz")
    T, S = int(batch["input_lengths"][row]), int(batch["target_lengths"][row])
    labels = [int(k) for k in batch["targets"][row, :S]]
    return Utterance(letters(labels), labels, batch["logits"][:T, row].astype(np.float32))
