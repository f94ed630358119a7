"""The thin SVD of a batch of matrices by PyTorch on the CPU: svd_torch.py BATCH N THREADS REPETITIONS

Writes the median of the seconds that torch.linalg.svd takes for float32 Gaussian matrices: of processor time on one
thread, else of time on the clock.
"""

import statistics
import sys
import time

import torch


def main():
    batch, n, threads, repetitions = (int(argument) for argument in sys.argv[1:])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    clock = time.process_time if threads == 1 else time.perf_counter
    matrices = torch.randn(batch, n, n)

    def run():
        start = clock()
        torch.linalg.svd(matrices, full_matrices=False)
        return clock() - start

    run()
    print(statistics.median(run() for _ in range(repetitions)))


if __name__ == "__main__":
    main()
