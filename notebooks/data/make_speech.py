#!/usr/bin/env python3
"""Makes speech.npz and broken.npz from nothing: speech -> features -> training -> batch.

    /usr/bin/python3 make_speech.py            both files, in this folder; two to three minutes on one core
    /usr/bin/python3 make_speech.py --tables   only prints the tables of README.md, from the files as they are

The recordings of two of its rows are made by make_audio.py. Needs espeak-ng, python3-torch and python3-numpy (Debian 12: apt install espeak-ng python3-torch python3-numpy).
Seeded and on one thread, so the same machine makes the same bytes again; another processor may round differently
in training and arrive at a slightly different model.
"""

import argparse
import random
import shutil
import sys
from pathlib import Path

import numpy as np
import torch

from acoustic import AcousticModel, edit_distance, greedy_decode, train
from batch import print_broken_table, print_speech_table, save_broken, save_speech
from speech import BATCH_PHRASES, HELD_OUT, SEED, TRAINED, labels_of, log_mel, random_phrase, random_utterance, speak

FOLDER = Path(__file__).resolve().parent
EPOCHS = 25


def record(phrases: list) -> list:
    """Features [T', 40] of each phrase, in a random voice."""
    rng = random.Random(SEED)
    features = []
    for phrase in phrases:
        features.append(log_mel(speak(random_utterance(rng, phrase))))
        print(f"\rspeech: {len(features)}/{len(phrases)} phrases ", end="", flush=True)
    print(f"of {sum(map(len, features)) / 100:.0f} s")
    return features


def choose_phrases() -> list:
    """Phrases to train on, then to test on, then those of the batch; none of the later ones is among the first."""
    rng = random.Random(SEED)
    trained = [random_phrase(rng) for _ in range(TRAINED)]
    held_out = []
    while len(held_out) < HELD_OUT:
        phrase = random_phrase(rng)
        if phrase not in trained:
            held_out.append(phrase)
    return trained + held_out + BATCH_PHRASES


def logits_of(model: AcousticModel, features: np.ndarray) -> np.ndarray:
    """Logits [T, C] of one utterance's features [T', 40]."""
    with torch.no_grad():
        return model(torch.from_numpy(features)[None])[:, 0].numpy()


def label_error_rate(model: AcousticModel, features: list, labels: list) -> float:
    """Edit distance between greedy decoding and transcript, over the number of labels."""
    decoded = [greedy_decode(logits_of(model, row)) for row in features]
    return sum(map(edit_distance, decoded, labels)) / sum(map(len, labels))


def make() -> None:
    """Writes both files."""
    if shutil.which("espeak-ng") is None:
        sys.exit("make_speech.py needs espeak-ng (Debian: apt install espeak-ng)")
    torch.set_num_threads(1)
    phrases = choose_phrases()
    labels = [labels_of(phrase) for phrase in phrases]
    features = record(phrases)
    heard = np.concatenate(features[:TRAINED])
    features = [(row - heard.mean(0)) / heard.std(0) for row in features]

    model = train(features[:TRAINED], labels[:TRAINED], EPOCHS, SEED)
    test = slice(TRAINED, TRAINED + HELD_OUT)
    error_rate = label_error_rate(model, features[test], labels[test])
    print(f"model: {sum(p.numel() for p in model.parameters())} parameters")
    print(f"label error rate on {HELD_OUT} held-out phrases: {100 * error_rate:.1f} %")

    batch = slice(TRAINED + HELD_OUT, None)
    save_speech(FOLDER / "speech.npz", [logits_of(model, row) for row in features[batch]], labels[batch])
    save_broken(FOLDER / "broken.npz", np.load(FOLDER / "speech.npz"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", action="store_true", help="print the tables of README.md and make nothing")
    if not parser.parse_args().tables:
        make()
    print_speech_table(np.load(FOLDER / "speech.npz"))
    print_broken_table(np.load(FOLDER / "broken.npz"))


if __name__ == "__main__":
    main()
