"""A small acoustic model: log-mel features [B, T', 40] -> logits [T, B, 28], T = ceil(T'/3), trained with CTC.

One strided convolution (30 ms a frame) and six residual blocks of dilated convolutions, each block
x + W2 relu(conv(norm(x))), so a frame sees about one second of speech. Norms act within a frame, so a row's frames
do not depend on the rows beside it.
"""

import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from speech import ALPHABET, BANDS, BLANK

STRIDE = 3
CHANNELS = 96
DILATIONS = [1, 2, 4, 1, 2, 4]


class Block(nn.Module):
    """x [B, T, K] -> x + W2 relu(conv(norm(x)))."""

    def __init__(self, dilation: int):
        super().__init__()
        self.norm = nn.LayerNorm(CHANNELS)
        self.conv = nn.Conv1d(CHANNELS, CHANNELS, kernel_size=3, dilation=dilation, padding=dilation)
        self.out = nn.Linear(CHANNELS, CHANNELS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.conv(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.out(F.relu(hidden))


class AcousticModel(nn.Module):
    """Features [B, T', BANDS] -> logits [T, B, C]."""

    def __init__(self):
        super().__init__()
        self.subsample = nn.Conv1d(BANDS, CHANNELS, kernel_size=7, stride=STRIDE, padding=3)
        self.blocks = nn.Sequential(*[Block(dilation) for dilation in DILATIONS], nn.LayerNorm(CHANNELS))
        self.classify = nn.Linear(CHANNELS, len(ALPHABET))

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        hidden = self.subsample(features.transpose(1, 2)).transpose(1, 2)
        return self.classify(self.blocks(hidden)).transpose(0, 1)


def collate(features: list, labels: list):
    """Rows of unequal lengths as one batch: features [B, T', BANDS], targets [B, S], input_lengths, target_lengths [B].

    Features are padded with 0, which is their mean, and targets with the blank.
    """
    pad = nn.utils.rnn.pad_sequence
    input_lengths = torch.tensor([-(-len(row) // STRIDE) for row in features])
    target_lengths = torch.tensor([len(row) for row in labels])
    padded = pad([torch.from_numpy(row) for row in features], batch_first=True)
    targets = pad([torch.from_numpy(row) for row in labels], batch_first=True, padding_value=BLANK)
    return padded, targets, input_lengths, target_lengths


def batches_of(indices, size: int) -> list:
    """Consecutive runs of at most size indices."""
    return [indices[start : start + size] for start in range(0, len(indices), size)]


def train(features: list, labels: list, epochs: int, seed: int) -> AcousticModel:
    """The model fitted to features [T', 40] and labels [S]; random noise and gain keep it from learning them by heart."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model = AcousticModel()
    lengths = np.array([len(row) for row in features])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    steps = epochs * len(batches_of(lengths, 16))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=steps)
    started = time.monotonic()
    for epoch in range(epochs):
        total = 0.0
        by_length = np.argsort(lengths + rng.uniform(0, 30, len(lengths)))
        batches = batches_of(by_length, 16)
        rng.shuffle(batches)
        for batch in batches:
            padded, *rest = collate([features[i] for i in batch], [labels[i] for i in batch])
            noisy = padded + 0.2 * torch.randn_like(padded) + 0.2 * torch.randn(len(batch), 1, 1)
            loss = F.ctc_loss(model(noisy).log_softmax(-1), *rest, BLANK, zero_infinity=True)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            total += loss.item() * len(batch)
        progress = f"epoch {epoch + 1}/{epochs}, loss {total / len(features):.3f} per label"
        print(f"\rtraining: {progress}, {time.monotonic() - started:.0f} s ", end="", flush=True)
    print()
    return model.eval()


def greedy_decode(logits: np.ndarray) -> list:
    """Labels of logits [T, C]: the best class of each frame, repeats merged, blanks dropped."""
    best = logits.argmax(-1)
    return [int(k) for k, before in zip(best, [BLANK, *best[:-1]]) if k != before and k != BLANK]


def edit_distance(a, b) -> int:
    """Least number of insertions, deletions and substitutions from a to b (Levenshtein)."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]
