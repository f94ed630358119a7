#!/usr/bin/python3
"""Two small models that are trained twice, with PyTorch's own losses and with assay's: they learn the same.

    PYTHONPATH=build/release/validation/python python3 notebooks/training/train.py recogniser
    PYTHONPATH=build/release/validation/python python3 notebooks/training/train.py language --steps 10

recogniser  mends what an acoustic model misheard: noisy log-posteriors of speech.npz [T, N, 28] -> logits of the letters,
            64 rows a step, trained with CTC. The program is PyTorch's; assay.patch_torch() changes what its loss computes.
language    predicts the next of 131,072 words, which follow one another by a rule, from the last two; the loss is linear
            cross-entropy, for which PyTorch's needs the logits [tokens, 131072] in memory.
"""

import argparse
import contextlib
import functools
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import assay

SPEECH = Path(__file__).resolve().parents[1] / "data" / "speech.npz"


class Recogniser:
    """Each step: 64 rows of the eight phrases, with noise of their own."""

    optimizer = functools.partial(torch.optim.Adam, lr=1e-3)

    def __init__(self, kernels):
        self._kernels = kernels
        speech = np.load(SPEECH)
        self._heard = torch.from_numpy(speech["logits"].astype(np.float32)).log_softmax(-1).clamp(min=-12)
        self._batch = [torch.from_numpy(speech[key]) for key in ("targets", "input_lengths", "target_lengths")]
        classes = self._heard.shape[2]
        self.model = nn.Sequential(
            nn.Conv1d(classes, 64, 5, padding=2), nn.ReLU(), nn.Conv1d(64, 64, 5, padding=2), nn.ReLU(), nn.Conv1d(64, classes, 1)
        )

    def loss(self):
        rows = torch.arange(64) % 8
        heard = self._heard[:, rows] + torch.randn(len(self._heard), 64, 28)
        logits = self.model(heard.permute(1, 2, 0)).permute(2, 0, 1)
        patch = assay.patch_torch() if self._kernels == "assay" else contextlib.nullcontext()
        with patch:
            return F.ctc_loss(logits.log_softmax(-1), *(one[rows] for one in self._batch))


class Language:
    """Each step: 512 tokens of a language in which the next word is (3 last + 5 last but one + 1) modulo 1000."""

    optimizer = functools.partial(torch.optim.SGD, lr=1.0, momentum=0.9)
    VOCABULARY, WIDTH, TOKENS = 131_072, 128, 512

    def __init__(self, kernels):
        self._kernels = kernels
        self.embed = nn.Embedding(self.VOCABULARY, self.WIDTH)
        self.mix = nn.Sequential(nn.Linear(2 * self.WIDTH, 256), nn.ReLU(), nn.Linear(256, self.WIDTH))
        self.entries = nn.Linear(self.WIDTH, self.VOCABULARY, bias=False)
        self.model = nn.ModuleList([self.embed, self.mix, self.entries])

    def loss(self):
        words = torch.randint(1000, (self.TOKENS, 2))
        targets = (3 * words[:, 1] + 5 * words[:, 0] + 1) % 1000
        hidden = self.mix(self.embed(words).flatten(1))
        if self._kernels == "assay":
            return assay.torch.linear_cross_entropy(hidden, self.entries.weight, targets)
        return F.cross_entropy(hidden @ self.entries.weight.T, targets)


TASKS = {"recogniser": Recogniser, "language": Language}


def peak_memory():
    """MiB that this process has taken at the most. (getrusage would count the process that started this one.)"""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def train(task, kernels, steps, threads):
    """Losses, seconds of each step's loss and backward pass, and the peak of memory."""
    torch.manual_seed(1)
    torch.set_num_threads(threads)
    example = TASKS[task](kernels)
    optimizer = example.optimizer(example.model.parameters())
    losses, seconds = [], []
    for _ in range(steps):
        optimizer.zero_grad()
        start = time.perf_counter()
        loss = example.loss()
        loss.backward()
        seconds.append(time.perf_counter() - start)
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses, "seconds": seconds, "memory": peak_memory()}


def compare(task, steps, threads):
    """Trains with both kernels, each in a process of its own, and prints how the losses fall, times and memory."""
    command = [sys.executable, __file__, task, "--steps", str(steps), "--threads", str(threads), "--kernels"]
    ours, theirs = (json.loads(subprocess.run([*command, one], check=True, capture_output=True).stdout) for one in ("assay", "pytorch"))
    print(f"{task}, PyTorch {torch.__version__}, {threads} threads\n\n| step | loss, assay | loss, PyTorch |\n|---|---|---|")
    for step in sorted({0, steps // 4, steps // 2, steps - 1}):
        print(f"| {step + 1} | {ours['losses'][step]:.5f} | {theirs['losses'][step]:.5f} |")
    ms, peer_ms = (1e3 * statistics.median(one["seconds"]) for one in (ours, theirs))
    print(f"\nforward and backward: {ms:.3g} ms a step, PyTorch {peer_ms:.3g} ms ({peer_ms / ms:.2f} times)")
    print(f"memory of the process: {ours['memory']:.0f} MiB, PyTorch {theirs['memory']:.0f} MiB")
    return ours, theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=TASKS)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--kernels", choices=["both", "assay", "pytorch"], default="both", help="those of both, side by side")
    given = parser.parse_args()
    if given.kernels == "both":
        compare(given.task, given.steps, given.threads)
    else:
        print(json.dumps(train(given.task, given.kernels, given.steps, given.threads)))


if __name__ == "__main__":
    main()
