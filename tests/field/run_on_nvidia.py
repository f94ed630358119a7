"""Runs what apple_on_nvidia.py has made on an NVIDIA GPU: needs NumPy and the driver's libcuda.so.1, nothing else.

    python3 run_on_nvidia.py [FOLDER] [--json RESULT]

Each kernel's outputs are held against NumPy's in double, within a bound that stands in the folder, and against the bits
that the emulator gave. `error/bound` is the worst share of the bound, `other bits` the share of elements that differ from
the emulator's, whose mathematical functions are others than the GPU's. Exit status: 0 if all are within their bounds.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import sys
from pathlib import Path
from typing import Any, Dict, List, Tuple

import numpy as np

Extents = List[int]
ARGUMENTS = 31  # of a kernel: metal/emulator/abi/shader_abi.h


class GpuCall(ctypes.Structure):
    """The parameter of each entry, laid out as abi::GpuCall."""

    _fields_ = [("buffers", ctypes.c_uint64 * ARGUMENTS), ("threadgroup", ctypes.c_uint32 * ARGUMENTS),
                ("threads", ctypes.c_uint32 * 3), ("group", ctypes.c_uint32 * 3), ("groups", ctypes.c_uint32 * 3),
                ("origin", ctypes.c_uint32 * 3)]  # fmt: skip


class Gpu:
    def __init__(self) -> None:
        self._cuda = ctypes.CDLL("libcuda.so.1")
        self._context = ctypes.c_void_p()
        device = ctypes.c_int()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), device)
        self.call("cuCtxSetCurrent", self._context)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        self.name = name.value.decode()

    def call(self, function: str, *arguments: Any) -> None:
        status = getattr(self._cuda, function)(*arguments)
        if status == 0:
            return
        text = ctypes.c_char_p()
        self._cuda.cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError(f"{function}: {status} {(text.value or b'').decode()}")

    def module(self, ptx: str) -> ctypes.c_void_p:
        module = ctypes.c_void_p()
        log = ctypes.create_string_buffer(1 << 14)
        options = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), len(log))
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), ptx.encode() + b"\0", 2, options, values)
        except RuntimeError as error:
            raise RuntimeError(f"{error}\n{log.value.decode()}") from None
        return module

    def allocated(self, memory: np.ndarray) -> int:
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(memory.nbytes, 16)))
        self.call("cuMemcpyHtoD_v2", address, memory.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(memory.nbytes))
        return address.value

    def read(self, address: int, memory: np.ndarray) -> None:
        target = memory.ctypes.data_as(ctypes.c_void_p)
        self.call("cuMemcpyDtoH_v2", target, ctypes.c_uint64(address), ctypes.c_size_t(memory.nbytes))

    def free(self, address: int) -> None:
        self.call("cuMemFree_v2", ctypes.c_uint64(address))

    def launch(self, module: ctypes.c_void_p, entry: str, grid: Extents, threads: int, shared: int, parameter: Any) -> None:
        kernel = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(kernel), module, entry.encode())
        parameters = (ctypes.c_void_p * 1)(ctypes.addressof(parameter))
        self.call("cuLaunchKernel", kernel, *grid, threads, 1, 1, shared, None, parameters, None)
        self.call("cuCtxSynchronize")


def call_of(step: Dict[str, Any], addresses: Dict[str, int]) -> Tuple[GpuCall, int]:
    """What is passed to the entry, and the bytes of dynamic shared memory."""
    call, shared = GpuCall(), 0
    for index, array in step["buffers"]:
        call.buffers[index] = addresses[array]
    for index in range(ARGUMENTS):
        call.threadgroup[index] = shared
        shared += dict(step["threadgroup"]).get(index, 0)
    for axis in range(3):
        call.threads[axis], call.group[axis] = step["grid"][axis], step["group"][axis]
        call.groups[axis] = -(-step["grid"][axis] // step["group"][axis])
    return call, shared


def set_constants(gpu: Gpu, module: ctypes.c_void_p, constants: List[str]) -> None:
    """Each is 16 bytes, whether it is set, and 12 bytes that are not used: abi::GpuConstant."""
    memory = np.zeros((len(constants), 32), np.uint8)
    for row, value in zip(memory, constants):
        row[: len(value) // 2] = np.frombuffer(bytes.fromhex(value), np.uint8)
        row[16] = 1
    address = gpu.allocated(memory)
    gpu.launch(module, "assay_set_constants", [1, 1, 1], 1, 0, ctypes.c_uint64(address))
    gpu.free(address)


def run(gpu: Gpu, folder: Path, case: Dict[str, Any], arrays: Dict[str, np.ndarray]) -> Dict[str, np.ndarray]:
    memory = {name: arrays[f"{case['name']}/{name}"].copy() for name in case["arrays"]}
    addresses = {name: gpu.allocated(array) for name, array in memory.items()}
    for step in case["steps"]:
        module = gpu.module((folder / step["ptx"]).read_text())
        if step["constants"]:
            set_constants(gpu, module, step["constants"])
        call, shared = call_of(step, addresses)
        gpu.launch(module, "assay_launch_0", list(call.groups), int(np.prod(step["group"])), shared, call)
        gpu.call("cuModuleUnload", module)
    for name, address in addresses.items():
        gpu.read(address, memory[name])
        gpu.free(address)
    return memory


def value_of(array: np.ndarray, kind: str) -> np.ndarray:
    if kind == "bfloat":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def judged(case: Dict[str, Any], got: Dict[str, np.ndarray], arrays: Dict[str, np.ndarray]) -> Dict[str, Any]:
    """The worst share of the bound, and the share of elements whose bits are not the emulator's."""
    worst, other, count = 0.0, 0, 0
    for name, kind in case["outputs"].items():
        truth, bound, emulated = (arrays[f"{case['name']}/{name}.{what}"] for what in ("truth", "bound", "emulated"))
        error = np.abs(value_of(got[name], kind) - truth)
        share = np.where((error == 0) | (value_of(got[name], kind) == truth), 0, error / np.where(bound == 0, 1e-300, bound))
        worst = max(worst, float(np.where(np.isnan(share), np.inf, share).max()))
        bits = np.dtype(f"u{got[name].itemsize}")
        other += int((got[name].view(bits) != emulated.view(bits)).sum())
        count += got[name].size
    return {"kernel": case["name"], "share": worst, "other": other, "count": count, "passed": bool(worst <= 1)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).resolve().parent)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    cases = json.loads((given.folder / "cases.json").read_text())
    arrays = dict(np.load(given.folder / "arrays.npz"))
    gpu = Gpu()
    print(f"{gpu.name}\n{'kernel':66} {'elements':>9} {'error/bound':>12} {'other bits':>11}")
    results = []
    for case in cases:
        results.append(judged(case, run(gpu, given.folder, case, arrays), arrays))
        one = results[-1]
        share = one["other"] / one["count"]
        print(f"{one['kernel']:66} {one['count']:9} {one['share']:12.3g} {share:11.2%} {'' if one['passed'] else 'WRONG'}")
    right = sum(one["passed"] for one in results)
    print(f"{right} of {len(results)} kernels are within their bounds")
    if given.json:
        given.json.write_text(json.dumps({"device": gpu.name, "results": results}, indent=1))
    return 0 if right == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
