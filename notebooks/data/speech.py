"""Spoken phrases and what a recogniser hears of them: text -> espeak-ng -> samples -> log-mel features.

    samples   [n]      float64 in [-1, 1), 22050 Hz
    features  [T', 40] float32, one row of log filterbank energies per 10 ms
    labels    [S]      int64, blank 0, 'a'..'z' 1..26, space 27
"""

import random
import subprocess
from dataclasses import dataclass

import numpy as np

SAMPLE_RATE = 22050  # espeak-ng's own
WINDOW = 551  # 25 ms
HOP = 220  # 10 ms
FFT = 1024
BANDS = 40

ALPHABET = "_abcdefghijklmnopqrstuvwxyz "  # '_' is the blank; a label is an index into this string
BLANK = 0

# Many words double a letter, because there CTC must put a blank between two equal labels.
WORDS = """a across all and apple ball boat book bottle box bread butter call carry coffee cup dinner door egg fall
follow from garden glass good grass green happy hello hill house in is kitchen letter little milk moon of old on pepper
please puppy rabbit red river room see sheep sleep small spoon street summer table tall tell the to tree under valley
wall water week well will window winter with yellow""".split()

# The batch: phrases that no training phrase equals.
BATCH_PHRASES = [
    "hello",
    "a red apple",
    "tell all the sheep",
    "hello little green book",
    "the letter is on the kitchen table",
    "please follow the yellow boat across the river",
    "carry the butter and the coffee to the old house",
    "all summer the happy rabbit will sleep under the tree",
]

SEED = 1
TRAINED = 1000  # utterances to train on
HELD_OUT = 100  # utterances to test on, of phrases not trained on; those of the batch follow

ACCENTS = ["en-us", "en-gb", "en-gb-scotland", "en-gb-x-rp"]
TIMBRES = ["", "+m1", "+m3", "+m7", "+f1", "+f2", "+f4"]


@dataclass(frozen=True)
class Utterance:
    """A phrase and the way it is spoken."""

    text: str
    voice: str
    words_per_minute: int
    pitch: int  # espeak-ng's scale, 0..99


def random_utterance(rng: random.Random, text: str) -> Utterance:
    """The phrase in a random voice, at a random speed and pitch."""
    return Utterance(text, rng.choice(ACCENTS) + rng.choice(TIMBRES), rng.randint(150, 190), rng.randint(30, 70))


def random_phrase(rng: random.Random) -> str:
    """One to eight words in random order; never a phrase of the batch."""
    while True:
        phrase = " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 8)))
        if phrase not in BATCH_PHRASES:
            return phrase


def speak(utterance: Utterance) -> np.ndarray:
    """Samples [n] of the utterance, without the silence before and after it."""
    command = ["espeak-ng", "--stdout", "-v", utterance.voice, "-s", str(utterance.words_per_minute)]
    command += ["-p", str(utterance.pitch), utterance.text]
    wav = subprocess.run(command, check=True, capture_output=True).stdout
    samples = np.frombuffer(wav[44:], dtype="<i2") / 32768.0  # a plain 44-byte header precedes the samples
    loud = np.flatnonzero(np.abs(samples) > 1e-3)
    return samples[loud[0] : loud[-1] + 1]


def mel_filters() -> np.ndarray:
    """Triangles [FFT/2+1, BANDS], equally wide on the mel scale m = 2595 log10(1 + f/700), from 60 Hz to 8 kHz."""
    mels = np.linspace(2595 * np.log10(1 + 60 / 700), 2595 * np.log10(1 + 8000 / 700), BANDS + 2)
    corners = 700 * (10 ** (mels / 2595) - 1)
    hertz = np.fft.rfftfreq(FFT, 1 / SAMPLE_RATE)[:, None]
    rising = (hertz - corners[:-2]) / (corners[1:-1] - corners[:-2])
    falling = (corners[2:] - hertz) / (corners[2:] - corners[1:-1])
    return np.maximum(0, np.minimum(rising, falling))


MEL_FILTERS = mel_filters()


def log_mel(samples: np.ndarray) -> np.ndarray:
    """Features [T', BANDS] of samples [n]: log of the power spectrum's energy in each band, Hann window."""
    padded = np.pad(samples, (0, WINDOW))
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP] * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(windows, FFT)) ** 2
    return np.log(power @ MEL_FILTERS + 1e-6).astype(np.float32)


def labels_of(text: str) -> np.ndarray:
    """Labels [S] of a transcript."""
    return np.array([ALPHABET.index(letter) for letter in text], dtype=np.int64)


def text_of(labels) -> str:
    """The transcript of labels [S]."""
    return "".join(ALPHABET[label] for label in labels)
