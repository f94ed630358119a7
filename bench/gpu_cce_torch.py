"""Linear cross-entropy and its gradients by PyTorch on a GPU: gpu_cce_torch.py N H V DTYPE REPETITIONS

Writes the median of the milliseconds between CUDA events of cross_entropy(hidden @ weight.T, targets), forward and
backward, with TF32 off; and the MiB of the most memory beyond inputs and gradients.
"""

import statistics
import sys

import torch


def main():
    N, H, V = (int(argument) for argument in sys.argv[1:4])
    dtype, repetitions = getattr(torch, sys.argv[4]), int(sys.argv[5])
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.manual_seed(1)
    hidden = torch.randn(N, H, device="cuda").to(dtype).requires_grad_()
    weight = (torch.randn(V, H, device="cuda") * H**-0.5).to(dtype).requires_grad_()
    targets = torch.randint(V, (N,), device="cuda")

    def run():
        hidden.grad = weight.grad = None
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        torch.nn.functional.cross_entropy(hidden @ weight.T, targets).backward()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end)

    run()
    torch.cuda.reset_peak_memory_stats()
    ms = statistics.median(run() for _ in range(repetitions))
    own = 2 * (hidden.numel() + weight.numel()) * hidden.element_size()
    print(ms, (torch.cuda.max_memory_allocated() - own) / 2**20)


if __name__ == "__main__":
    main()
