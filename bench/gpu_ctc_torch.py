"""CTC loss and gradient by PyTorch on a GPU: gpu_ctc_torch.py DIRECTORY T B C REPETITIONS

Reads logits [T, B, C] float32, concatenated targets and target_lengths [B] int64 from files of these names in the
directory. Writes us, two float64: the device time of log_softmax + ctc_loss + backward by cuDNN and by PyTorch's own
kernels, as the sum of the kernels of a call; and gradient_cudnn and gradient_native [T, B, C] float32, each only where
PyTorch can use the implementation.
"""

import array
import sys

import torch
from torch.profiler import ProfilerActivity, profile


def read(path, dtype):
    with open(path, "rb") as file:
        return torch.frombuffer(bytearray(file.read()), dtype=dtype)


def kernels_of(work, repetitions):
    """The names of the kernels of a call, and the sum of their times in microseconds."""
    for _ in range(3):
        work()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as profiler:
        for _ in range(repetitions):
            work()
        torch.cuda.synchronize()
    events = [event for event in profiler.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    return {event.name for event in events}, sum(event.device_time for event in events) / repetitions


def main():
    directory, (T, B, C, repetitions) = sys.argv[1], [int(argument) for argument in sys.argv[2:]]
    logits = read(directory + "/logits", torch.float32).reshape(T, B, C).cuda().requires_grad_()
    targets = read(directory + "/targets", torch.int64)
    target_lengths = read(directory + "/target_lengths", torch.int64)
    input_lengths = torch.full((B,), T, dtype=torch.int64)
    times = array.array("d", [float("nan")] * 2)
    for n, name in enumerate(["cudnn", "native"]):
        # cuDNN takes labels and lengths of 32 bits on the CPU, and no more than 256 labels.
        place = (lambda x: x.int()) if name == "cudnn" else (lambda x: x.cuda())
        arguments = [place(x) for x in (targets, input_lengths, target_lengths)]

        def work():
            logits.grad = None
            with torch.backends.cudnn.flags(enabled=name == "cudnn", deterministic=False):
                log_probs = torch.log_softmax(logits, 2)
                torch.nn.functional.ctc_loss(log_probs, *arguments, reduction="none").sum().backward()

        kernels, times[n] = kernels_of(work, repetitions)
        if name == "cudnn" and any("ctc_loss_log_alpha" in kernel for kernel in kernels):
            continue  # PyTorch took its own
        with open(f"{directory}/gradient_{name}", "wb") as file:
            file.write(logits.grad.cpu().contiguous().numpy().tobytes())
    with open(directory + "/us", "wb") as file:
        times.tofile(file)


if __name__ == "__main__":
    main()
