#!/usr/bin/env python3
"""Makes hello.wav and letter.wav: what was heard in rows 0 and 4 of speech.npz, to be played and drawn beside them.

    /usr/bin/python3 make_audio.py      needs espeak-ng and python3-numpy

Frame t of a row is about the 25 ms from 30 t ms on. 16 bits, 11025 Hz: half the rate that the network heard.
"""

import random
import wave
from pathlib import Path

import numpy as np

from speech import BATCH_PHRASES, HELD_OUT, SAMPLE_RATE, SEED, TRAINED, log_mel, random_utterance, speak

FOLDER = Path(__file__).resolve().parent
FILES = {0: "hello.wav", 4: "letter.wav"}


def spoken() -> list:
    """The utterances of the batch, as make_speech.py draws them: after those that were trained and tested on."""
    rng = random.Random(SEED)
    return [random_utterance(rng, text) for text in [""] * (TRAINED + HELD_OUT) + BATCH_PHRASES][-len(BATCH_PHRASES) :]


def halved(samples: np.ndarray) -> np.ndarray:
    """Samples at half the rate: the lower half of the spectrum."""
    n = len(samples) // 2
    return np.fft.irfft(np.fft.rfft(samples[: 2 * n])[: n // 2 + 1], n) / 2


def main() -> None:
    batch = np.load(FOLDER / "speech.npz")
    for row, name in FILES.items():
        samples = speak(spoken()[row])
        frames = -(-len(log_mel(samples)) // 3)
        assert frames == batch["input_lengths"][row], f"{name}: {frames} frames, not those of row {row}: another espeak-ng?"
        with wave.open(str(FOLDER / name), "wb") as file:
            file.setparams((1, 2, SAMPLE_RATE // 2, 0, "NONE", ""))
            file.writeframes(np.round(32767 * halved(samples)).astype("<i2").tobytes())
        print(f"{name}: {len(samples) / SAMPLE_RATE:.2f} s")


if __name__ == "__main__":
    main()
