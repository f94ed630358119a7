"""The two files of this folder, and their tables.

    logits          [T, B, C]  float16: half the size of float32, and the same numbers in half, float and double
    targets         [B, S]     int64, padded with 0, the blank
    input_lengths   [B]        int64
    target_lengths  [B]        int64
    blank           []         int64, 0
"""

import numpy as np
import torch
from torch.nn import functional as F

from acoustic import greedy_decode
from speech import ALPHABET, BLANK, text_of

BROKEN_ROWS = [
    "nothing is wrong",
    "nothing is wrong: the target is empty",
    "nothing is wrong: a logit is NaN, but past the row's length",
    "more labels than frames: 5 labels, 4 frames",
    "5 labels in 5 frames, but a blank must part the two `l`: 6 frames needed",
    "label 2 is 28, out of range 0..27",
    "label 2 is 0, the blank",
    "logit NaN at frame 6, class 3",
    "logit +inf at frame 7, class 5",
    "every logit -inf at frame 8",
    "input length -1",
    "input length 39, frames before subsampling: more than T = 16",
    "label 4 (`o`, 15) has logit -inf at every frame: feasible, but of probability 0",
]


def save(path, logits: np.ndarray, targets, input_lengths, target_lengths) -> None:
    """Writes a batch; logits are rounded to half."""
    integers = dict(targets=targets, input_lengths=input_lengths, target_lengths=target_lengths, blank=BLANK)
    integers = {name: np.asarray(value, dtype=np.int64) for name, value in integers.items()}
    np.savez_compressed(path, logits=logits.astype(np.float16), **integers)


def save_speech(path, rows: list, labels: list) -> None:
    """Rows of logits [T_b, C] with their labels [S_b] as one batch.

    Past its own frames a row runs on into the rows after it, in a ring, as a packed buffer read as a padded one would.
    So every logit is the network's own, and a frame read too many is a letter that was never said. Had the features
    been padded instead, certain blanks would stand there, which a kernel can read and hardly be off.
    """
    T, S = max(map(len, rows)), max(map(len, labels))
    logits = np.stack([np.concatenate(rows[b:] + rows[:b])[:T] for b in range(len(rows))], axis=1)
    targets = np.stack([np.pad(row, (0, S - len(row)), constant_values=BLANK) for row in labels])
    save(path, logits, targets, [len(row) for row in rows], [len(row) for row in labels])


def save_broken(path, speech) -> None:
    """Row 0 of the speech batch ("hello"), once for each of BROKEN_ROWS and broken in that way alone."""
    B, T, frames, S = len(BROKEN_ROWS), 16, int(speech["input_lengths"][0]), int(speech["target_lengths"][0])
    logits = np.repeat(speech["logits"][:T, :1], B, axis=1)
    targets = np.repeat(speech["targets"][:1, :S], B, axis=0)
    input_lengths = np.full(B, frames)
    target_lengths = np.full(B, S)
    targets[1], target_lengths[1] = BLANK, 0
    logits[frames, 2, 0] = np.nan
    input_lengths[3] = 4
    input_lengths[4] = 5
    targets[5, 2] = len(ALPHABET)
    targets[6, 2] = BLANK
    logits[6, 7, 3] = np.nan
    logits[7, 8, 5] = np.inf
    logits[8, 9, :] = -np.inf
    input_lengths[10] = -1
    input_lengths[11] = 39
    logits[:, 12, targets[12, 4]] = -np.inf
    save(path, logits, targets, input_lengths, target_lengths)


def row_of(batch, b: int):
    """Logits [T_b, C] and labels [S_b] of row b."""
    return batch["logits"][: batch["input_lengths"][b], b], batch["targets"][b, : batch["target_lengths"][b]]


def loss(logits: np.ndarray, labels: np.ndarray) -> float:
    """-ln p(labels | logits [T_b, C]), PyTorch in float64."""
    log_probs = torch.from_numpy(logits.astype(np.float64)).log_softmax(-1)[:, None]
    lengths = [torch.tensor([len(logits)]), torch.tensor([len(labels)])]
    return F.ctc_loss(log_probs, torch.from_numpy(labels)[None], *lengths, BLANK, reduction="sum").item()


def print_speech_table(speech) -> None:
    """Row, transcript, what the best class of each frame spells, counts and loss, in Markdown."""
    print("| row | transcript | greedy decoding | frames | labels | repeats | loss |\n|---|---|---|---|---|---|---|")
    for b in range(len(speech["input_lengths"])):
        logits, labels = row_of(speech, b)
        repeats = int((labels[1:] == labels[:-1]).sum())
        decoded = text_of(greedy_decode(logits))
        counts = f"{len(logits)} | {len(labels)} | {repeats}"
        print(f"| {b} | {text_of(labels)} | {decoded} | {counts} | {loss(logits, labels):.12g} |")


def print_broken_table(broken) -> None:
    """Row, fault, and the loss of the rows that have one, in Markdown."""
    has_loss = [0, 1, 2, 3, 4, 12]
    print("| row | what is wrong | loss |\n|---|---|---|")
    for b, what in enumerate(BROKEN_ROWS):
        print(f"| {b} | {what} | {f'{loss(*row_of(broken, b)):.12g}' if b in has_loss else ''} |")
