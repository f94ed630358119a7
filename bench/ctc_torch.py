"""CTC loss and gradient by PyTorch on the CPU: ctc_torch.py DIRECTORY T B C THREADS REPETITIONS

Reads logits [T, B, C] float32, concatenated targets and target_lengths [B] int64 from files of these names in the
directory; writes loss [B] and gradient [T, B, C] float32, and ms, the median time of log_softmax + ctc_loss + backward
as one float64: of processor time on one thread, else of time on the clock.
"""

import array
import ctypes
import statistics
import sys
import time

import torch


def read(path, dtype):
    with open(path, "rb") as file:
        return torch.frombuffer(bytearray(file.read()), dtype=dtype)


def write(path, tensor):
    tensor = tensor.detach().contiguous()
    with open(path, "wb") as file:
        file.write(ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size()))


def main():
    directory, sizes = sys.argv[1], [int(argument) for argument in sys.argv[2:]]
    T, B, C, threads, repetitions = sizes
    torch.set_num_threads(threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    logits = read(directory + "/logits", torch.float32).reshape(T, B, C).requires_grad_()
    targets = read(directory + "/targets", torch.int64)
    target_lengths = read(directory + "/target_lengths", torch.int64)
    input_lengths = torch.full((B,), T, dtype=torch.int64)

    def run():
        logits.grad = None
        start = clock()
        log_probs = torch.log_softmax(logits, 2)
        loss = torch.nn.functional.ctc_loss(log_probs, targets, input_lengths, target_lengths, reduction="none")
        loss.sum().backward()
        return clock() - start, loss

    _, loss = run()
    times = [run()[0] for _ in range(repetitions)]
    write(directory + "/loss", loss)
    write(directory + "/gradient", logits.grad)
    with open(directory + "/ms", "wb") as file:
        array.array("d", [1e3 * statistics.median(times)]).tofile(file)


if __name__ == "__main__":
    main()
