"""The SVD of a batch of square matrices by cuSOLVER through PyTorch: gpu_svd_torch.py DIRECTORY B N REPETITIONS

Reads matrices [B, N, N] float32 from a file of this name in the directory. Writes ms, two float64: medians of the time
between CUDA events of torch.linalg.svd by gesvdj and by gesvda; and S_gesvdj and S_gesvda [B, N] float32.
"""

import array
import statistics
import sys

import torch


def main():
    directory, (B, n, repetitions) = sys.argv[1], [int(argument) for argument in sys.argv[2:]]
    with open(directory + "/matrices", "rb") as file:
        matrices = torch.frombuffer(bytearray(file.read()), dtype=torch.float32).reshape(B, n, n).cuda()
    times = array.array("d")
    for driver in ["gesvdj", "gesvda"]:

        def run():
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            S = torch.linalg.svd(matrices, full_matrices=False, driver=driver).S
            end.record()
            torch.cuda.synchronize()
            return begin.elapsed_time(end), S

        run()
        runs = [run() for _ in range(repetitions)]
        times.append(statistics.median(ms for ms, _ in runs))
        with open(f"{directory}/S_{driver}", "wb") as file:
            file.write(runs[-1][1].cpu().contiguous().numpy().tobytes())
    with open(directory + "/ms", "wb") as file:
        times.tofile(file)


if __name__ == "__main__":
    main()
