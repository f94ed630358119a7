"""The thin SVD of a batch of matrices by PyTorch on the CPU: svd_torch.py TYPE BATCH N THREADS REPETITIONS

Writes the median of the seconds that torch.linalg.svd takes for Gaussian matrices of TYPE (float32, float64): of
processor time on one thread, else of time on the clock.
"""

import statistics
import sys
import time

import torch


def main():
    batch, n, threads, repetitions = (int(argument) for argument in sys.argv[2:])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    clock = time.process_time if threads == 1 else time.perf_counter
    matrices = torch.randn(batch, n, n, dtype=getattr(torch, sys.argv[1]))

    def run():
        start = clock()
        torch.linalg.svd(matrices, full_matrices=False)
        return clock() - start

    run()
    print(statistics.median(run() for _ in range(repetitions)))


if __name__ == "__main__":
    main()
