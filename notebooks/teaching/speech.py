"""Words as labels, and the recorded batch: notebooks/data/README.md says how it was made."""

from __future__ import annotations

import wave
from dataclasses import dataclass
from pathlib import Path
from typing import List, Optional, Sequence, Tuple

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
    recording: Optional[Path]  # what was heard, where it is kept: rows 0 and 4


def speech(row: int) -> Utterance:
    """One of the eight phrases of the batch that every gate run judges; row 0 is "hello", 13 frames of 30 ms."""
    data = Path(__file__).parent.parent / "data"
    batch = np.load(data / "speech.npz")
    T, S = int(batch["input_lengths"][row]), int(batch["target_lengths"][row])
    labels = [int(k) for k in batch["targets"][row, :S]]
    recording = {0: data / "hello.wav", 4: data / "letter.wav"}.get(row)
    return Utterance(letters(labels), labels, batch["logits"][:T, row].astype(np.float32), recording)


def waveform(recording: Path) -> Tuple[np.ndarray, np.ndarray]:
    """Times in frames of 30 ms, and samples in [-1, 1)."""
    with wave.open(str(recording)) as file:
        rate, samples = file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768
    return np.arange(len(samples)) / rate / 0.03, samples
