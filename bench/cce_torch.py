"""Linear cross-entropy and its gradients by PyTorch on the CPU: cce_torch.py N H V DTYPE THREADS REPETITIONS

Writes the median of the seconds that cross_entropy(hidden @ weight.T, targets), forward and backward, takes: of
processor time on one thread, else of time on the clock; and the MiB by which the process's memory grew at the most
beyond inputs and gradients.
"""

import resource
import statistics
import sys
import time

import torch


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def main():
    N, H, V = (int(argument) for argument in sys.argv[1:4])
    dtype, threads, repetitions = getattr(torch, sys.argv[4]), int(sys.argv[5]), int(sys.argv[6])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    clock = time.process_time if threads == 1 else time.perf_counter
    hidden = torch.randn(N, H).to(dtype).requires_grad_()
    weight = (torch.randn(V, H) * H**-0.5).to(dtype).requires_grad_()
    targets = torch.randint(V, (N,))
    gradients = (hidden.numel() + weight.numel()) * hidden.element_size()
    before = resident()

    def run():
        hidden.grad = weight.grad = None
        start = clock()
        torch.nn.functional.cross_entropy(hidden @ weight.T, targets).backward()
        return clock() - start

    try:
        run()
    except RuntimeError as error:
        sys.exit(f"PyTorch {torch.__version__} has no {dtype} here: {error}")
    seconds = statistics.median(run() for _ in range(repetitions))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(seconds, (peak - before - gradients) / 2**20)


if __name__ == "__main__":
    main()
