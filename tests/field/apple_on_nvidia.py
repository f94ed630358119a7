"""Kernels of MLX and PyTorch, as Apple's compiler made them, for an NVIDIA GPU that need not be in this machine.

    ninja -C BUILD ptx_of_library
    PYTHONPATH=BUILD/validation/python python3 tests/field/apple_on_nvidia.py survey --tool BUILD/tests/field/ptx_of_library
    PYTHONPATH=BUILD/validation/python python3 tests/field/apple_on_nvidia.py make FOLDER --tool ...
    python3 FOLDER/run_on_nvidia.py     # there: needs NumPy and libcuda.so.1

`survey` compiles every n-th kernel of MLX to PTX and says what is refused and why. `make` fills FOLDER with the PTX of some
kernels, their inputs, the results of NumPy in double with a bound, those of the emulator, and the script that runs them.
The wheels are those of apple_libraries.py. PyTorch's CTC is held against PyTorch's own, in double.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple, Union

import numpy as np

import assay.metal
from apple_libraries import BINARY, MATHEMATICS, UNARY, fetched, names_of
from assay.metal._compiled import _DTYPES, struct_bytes

UNIT = 2.0**-24  # the unit roundoff of float32
BUFFER = 0  # abi::ArgumentKind

Value = Union[str, int, float, Mapping[str, Any]]


@dataclass
class Step:
    kernel: str
    values: List[Value]  # of all arguments that are no positions: the name of an array, or what is passed by value
    grid: Sequence[int]
    group: Sequence[int]
    constants: Mapping[str, Any] = field(default_factory=dict)  # function constants by their names


@dataclass
class Case:
    name: str
    library: str
    arrays: Dict[str, np.ndarray]
    steps: List[Step]
    outputs: Dict[str, Tuple[np.ndarray, np.ndarray]]  # what must come, in double, and how far off it may be
    is_emulated: bool = True  # else the emulator refuses what it does, and the bits are those of the rounded truth


def of_one_step(kernel: str, inputs: Dict[str, np.ndarray], out: Tuple[np.ndarray, Any], values: List[Value],
                grid: Sequence[int], group: Sequence[int], dtype: type = np.float32,
                constants: Mapping[str, Any] = MappingProxyType({})) -> Case:  # fmt: skip
    """A kernel of MLX with one output, `out`: its values in double, and the bound."""
    truth = np.asarray(out[0], np.float64)
    arrays = {**inputs, "out": np.zeros(truth.shape, dtype)}
    bound = np.broadcast_to(np.asarray(out[1], np.float64), truth.shape).copy()
    return Case(kernel, "mlx-metal", arrays, [Step(kernel, values, grid, group, constants)], {"out": (truth, bound)})


def normal(*shape: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def elementwise(count: int = 3000) -> Iterator[Case]:
    """Within a few units in the last place, or exact on whole numbers."""
    x = np.random.default_rng(5).uniform(0.1, 3, count).astype(np.float32)
    for name in ("Exp", "Log", "Log2", "Sin", "Cos", "Tan", "Tanh", "Sinh", "Sqrt", "Rsqrt", "ArcTan"):
        truth = MATHEMATICS[name](x.astype(np.float64))
        bound = 16 * UNIT * np.maximum(np.abs(truth), 1)
        yield of_one_step(f"v_{name}float32float32", {"x": x}, (truth, bound), ["x", "out", count], [count], [64])
    h = x.astype(np.float16)
    truth = np.exp(h.astype(np.float64))
    yield of_one_step("v_Expfloat16float16", {"x": h}, (truth, truth / 1024), ["x", "out", count], [count], [64], np.float16)
    whole = np.random.default_rng(2).integers(-9, 9, (2, count))
    for name, kind in (("Add", "float32"), ("Multiply", "float16"), ("Subtract", "int32"), ("Maximum", "float16")):
        a, b = whole.astype(kind)
        values: List[Value] = ["a", "b", "out", count]
        truth = BINARY[name](a, b)
        yield of_one_step(f"vv_{name}{kind}", {"a": a, "b": b}, (truth, 0), values, [count], [64], np.dtype(kind).type)
    a, b = normal(2, count)
    bound = UNIT * np.abs(a / b.astype(np.float64))
    yield of_one_step("vv_Dividefloat32", {"a": a, "b": b}, (a / b.astype(np.float64), bound), ["a", "b", "out", count],
                      [count], [64])  # fmt: skip
    truth = UNARY["Square"](whole[0])
    yield of_one_step("v_Squarefloat32float32", {"x": whole[0].astype(np.float32)}, (truth, 0), ["x", "out", count],
                      [count], [64])  # fmt: skip
    yield of_one_step("arangefloat32", {}, (3 + 2.0 * np.arange(count), 0), [3.0, 2.0, "out"], [count], [64])


def by_rows(rows: int = 5, columns: int = 1000) -> Iterator[Case]:
    """Kernels with one threadgroup a row. A block's threads take four elements each; a looped one's go through the row."""
    x = normal(rows, columns)
    y = x.astype(np.float64)
    block, looped = 32 * -(-columns // 128), 1024
    exponentials = np.exp(y - y.max(-1, keepdims=True))
    softmax = exponentials / exponentials.sum(-1, keepdims=True)
    for kernel, threads in (("block_softmax_float32", block), ("looped_softmax_float32", looped)):
        yield of_one_step(kernel, {"x": x}, (softmax, 64 * UNIT * softmax), ["x", "out", columns], [rows * threads], [threads])
    h = x.astype(np.float16)
    z = np.exp(h.astype(np.float64))
    z /= z.sum(-1, keepdims=True)
    yield of_one_step("block_softmax_precise_float16", {"x": h}, (z, z / 512 + 2.0**-24), ["x", "out", columns],
                      [rows * block], [block], np.float16)  # fmt: skip
    sums = np.log(np.exp(y).sum(-1))
    for kernel, threads in (("block_logsumexp_float32", block), ("looped_logsumexp_float32", looped)):
        yield of_one_step(kernel, {"x": x}, (sums, 32 * UNIT * np.abs(sums)), ["x", "out", columns], [rows * threads], [threads])
    w, b = normal(columns, seed=2), normal(columns, seed=3)
    rms = y * w / np.sqrt((y * y).mean(-1, keepdims=True) + 1e-5)
    for kernel, threads in (("rmsfloat32", block), ("rms_loopedfloat32", looped)):
        yield of_one_step(kernel, {"x": x, "w": w}, (rms, 64 * UNIT * np.abs(rms)), ["x", "w", "out", 1e-5, columns, 1],
                          [rows * threads], [threads])  # fmt: skip


def layer_norms(rows: int = 5, columns: int = 1024) -> Iterator[Case]:
    """A block's threads take eight elements each. One that has none writes in front of its own array: so all have some."""
    x, w, b = normal(rows, columns), normal(columns, seed=2), normal(columns, seed=3)
    y = x.astype(np.float64)
    centred = y - y.mean(-1, keepdims=True)
    scale = w / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    bound = 64 * UNIT * (np.abs(scale) * (np.abs(y) + 1) + np.abs(b))
    for kernel, threads in (("layer_normfloat32", columns // 8), ("layer_norm_loopedfloat32", 1024)):
        yield of_one_step(kernel, {"x": x, "w": w, "b": b}, (centred * scale + b, bound),
                          ["x", "w", "b", "out", 1e-5, columns, 1, 1], [rows * threads], [threads])  # fmt: skip


def reductions(rows: int = 8, columns: int = 1000) -> Iterator[Case]:
    """A sum in any order is within the number of its terms times the unit roundoff of the sum of magnitudes."""
    x = normal(rows, columns)
    y = x.astype(np.float64)
    total = np.abs(y).sum()
    yield of_one_step("all_reduce_sumfloat32", {"x": x}, ([y.sum()], x.size * UNIT * total), ["x", "out", x.size, x.size],
                      [256, 1, 1], [256, 1, 1])  # fmt: skip
    yield of_one_step("all_reduce_maxfloat32", {"x": x}, ([y.max()], 0), ["x", "out", x.size, x.size], [256, 1, 1], [256, 1, 1])
    bound = columns * UNIT * np.abs(y).sum(-1)
    yield of_one_step("row_reduce_simple_sumfloat32", {"x": x}, (y.sum(-1), bound), ["x", "out", columns, rows],
                      [256, rows // 4, 1], [256, 1, 1])  # fmt: skip
    long = normal(2, 4096)  # a smaller group reads sums of simdgroups that are not there, and takes none of them
    z = long.astype(np.float64)
    yield of_one_step("contig_scan_inclusive_sum_float32_float32", {"x": long},
                      (z.cumsum(-1), 4096 * UNIT * np.abs(z).cumsum(-1)), ["x", "out", 4096],
                      [1024, 2, 1], [1024, 1, 1])  # fmt: skip
    few = x[:, :300].copy()
    yield of_one_step("c_block_sort_float32_float32_bn128_tn4", {"x": few}, (np.sort(few, -1), 0),
                      ["x", "out", 300, 1, 1, 300, 300], [128, rows, 1], [128, 1, 1])  # fmt: skip


def products(m: int = 64, n: int = 96, k: int = 128) -> Iterator[Case]:
    """Each sum has k products: (k + 2) units of the sum of their magnitudes."""
    a, b = normal(m, k), normal(k, n, seed=2)
    truth, magnitude = a.astype(np.float64) @ b, np.abs(a).astype(np.float64) @ np.abs(b)
    params = {"M": m, "N": n, "K": k, "lda": k, "ldb": n, "ldc": n, "tiles_n": n // 32, "tiles_m": m // 32,
              "split_k_partitions": 1, "split_k_partition_stride": m * n, "split_k_partition_size": k, "swizzle_log": 0,
              "gemm_k_iterations_aligned": k // 16}  # fmt: skip
    for kind in ("float32", "float16"):
        kernel = f"steel_gemm_splitk_nn_{kind}_float32_bm32_bn32_bk16_wm2_wn2_MN_taligned_K_taligned"
        inputs = {"a": a.astype(kind), "b": b.astype(kind)}
        exact = truth if kind == "float32" else inputs["a"].astype(np.float64) @ inputs["b"].astype(np.float64)
        yield of_one_step(kernel, inputs, (exact, 1.01 * (k + 2) * UNIT * magnitude), ["a", "b", "out", params],
                          [32 * (n // 32), 2 * (m // 32), 2], [32, 2, 2])  # fmt: skip
    fused: Dict[str, Any] = {"M": m, "N": n, "K": k, "lda": k, "ldb": n, "ldd": n, "tiles_n": n // 32, "tiles_m": m // 32,
                             "batch_stride_a": 0, "batch_stride_b": 0, "batch_stride_d": 0, "swizzle_log": 0,
                             "gemm_k_iterations_aligned": k // 16, "batch_ndim": 1}  # fmt: skip
    added = {"ldc": n, "fdc": 1, "batch_stride_c": 0, "alpha": 0.5, "beta": 2.0}
    c = normal(m, n, seed=5)
    constants = {"has_batch": True, "use_out_source": True, "do_axpby": True, "align_M": True, "align_N": True,
                 "align_K": True}  # fmt: skip
    bound = 1.01 * (k + 4) * UNIT * (magnitude + 2 * np.abs(c))
    yield of_one_step("steel_gemm_fused_nn_float32_float32_bm32_bn32_bk16_wm2_wn2",
                      {"a": a, "b": b, "c": c, "strides": np.zeros(3, np.int64)}, (0.5 * truth + 2.0 * c, bound),
                      ["a", "b", "c", "out", fused, added, 1, "strides"], [32 * (n // 32), 2 * (m // 32), 2], [32, 2, 2],
                      constants=constants)  # fmt: skip
    v = normal(n, seed=3)
    matrix = normal(m, n, seed=4)
    bound = (n + 2) * UNIT * (np.abs(matrix).astype(np.float64) @ np.abs(v))
    values: List[Value] = ["matrix", "v", "v", "out", n, m, n, 1.0, 0.0, 1, 1, 0, 0, 0, 1]
    yield of_one_step("gemv_float32_bm4_bn1_sm1_sn32_tm4_tn4_nc0_axpby0", {"matrix": matrix, "v": v},
                      (matrix.astype(np.float64) @ v, bound), values, [32 * (m // 16), 1, 4], [32, 1, 4])  # fmt: skip
    # Lanes without a row end early, and their neighbours shuffle values from them that they do not use.
    some = matrix[:13, :12].copy()
    exact, bound = some.astype(np.float64) @ v[:12], 14 * UNIT * (np.abs(some).astype(np.float64) @ np.abs(v[:12]))
    case = of_one_step("gemv_float32_bm1_bn1_sm8_sn4_tm1_tn4_nc0_axpby0", {"matrix": some, "v": v[:12].copy()}, (exact, bound),
                       ["matrix", "v", "v", "out", 12, 13, 12, *values[7:]], [64, 1, 1], [32, 1, 1])  # fmt: skip
    case.is_emulated = False
    yield case


def attention(heads: int = 2, length: int = 100, size: int = 64) -> Case:
    """One query: a group of 1024 threads for each head. Both masks and the sinks, so that no argument is absent."""
    q, keys, values = normal(heads, 1, size), normal(heads, length, size, seed=2), normal(heads, length, size, seed=3)
    random = np.random.default_rng(4)
    kept, mask, sinks = random.random(length) < 0.7, normal(length, seed=5), normal(heads, seed=6)
    scores = np.einsum("hqd,hkd->hqk", q.astype(np.float64), keys) * 0.125 + np.where(kept, mask, -np.inf)
    weights = np.exp(scores)
    weights /= weights.sum(-1, keepdims=True) + np.exp(sinks.astype(np.float64))[:, None, None]
    bound = 4 * length * UNIT * (weights @ np.abs(values))
    inputs = {"q": q, "keys": keys, "values": values, "kept": kept, "mask": mask, "sinks": sinks}
    given: List[Value] = ["q", "keys", "values", "out", 1, length, length * size, size, length * size, size, 0.125,
                          "kept", "mask", 1, 0, 0, "sinks", heads]  # fmt: skip
    constants = dict.fromkeys(("has_mask", "bool_mask", "float_mask", "has_sinks"), True)
    return of_one_step(f"sdpa_vector_float_{size}_{size}", inputs, (weights @ values, bound), given, [1024 * heads, 1, 1],
                       [1024, 1, 1], constants={**constants, "query_transposed": False, "do_causal": False})  # fmt: skip


def ctc(T: int = 50, C: int = 28, S: int = 20, threads: int = 64) -> Case:
    """PyTorch's three kernels one after the other, as its host calls them, on one row, in a group that holds all states."""
    import torch

    random, L = np.random.default_rng(0), 2 * S + 1
    x = torch.from_numpy(random.normal(size=(T, 1, C)))
    log_probs = torch.log_softmax(x, -1).float().double().requires_grad_()
    targets = random.integers(1, C, (1, S)).astype(np.int32)
    loss = torch.nn.functional.ctc_loss(log_probs, torch.from_numpy(targets).long(), torch.tensor([T]), torch.tensor([S]),
                                        reduction="none")  # fmt: skip
    loss.backward(torch.ones(1, dtype=torch.float64))
    assert log_probs.grad is not None
    arrays = {"log_probs": log_probs.detach().numpy().astype(np.float32), "targets": targets, "loss": np.zeros(1, np.float32),
              "upstream": np.ones(1, np.float32), "T": np.array([T], np.int32), "S": np.array([S], np.int32),
              "offsets": np.zeros(1, np.int32)}  # fmt: skip
    arrays.update({name: np.full((1, T, L), -np.inf, np.float32) for name in ("alpha", "beta")})
    arrays["gradient"] = np.full((T, 1, C), -np.inf, np.float32)
    params: Dict[str, Any] = {
        "BLANK": 0, "max_input_length": T, "max_target_length": S, "batch_size": 1, "tg_target_stride": 1,
        "log_probs_time_stride": C, "log_probs_batch_stride": C, "log_probs_token_stride": 1,
        "log_alpha_batch_stride": T * L, "log_alpha_time_stride": L, "log_alpha_target_stride": 1}  # fmt: skip
    collect = {name.replace("alpha", "alpha_beta"): value for name, value in params.items() if name != "batch_size"}
    collect.update({"num_labels": C, "grad_time_stride": C, "grad_batch_stride": C, "grad_token_stride": 1,
                    "grad_out_batch_stride": 1, "zero_infinity": False})  # fmt: skip
    rows: List[Value] = ["targets", "T", "S", "offsets"]
    of = "float_int_int32_t"
    steps = [Step(f"ctc_loss_{of}", ["loss", "alpha", "log_probs", *rows, params], [threads], [threads]),
             Step(f"ctc_loss_backward_log_beta_{of}", ["beta", "log_probs", *rows, params], [threads], [threads]),
             Step(f"ctc_loss_backward_collect_{of}", ["gradient", "upstream", "alpha", "beta", "log_probs", "targets", "T", "S",
                                                      "loss", "offsets", collect], [T, 1], [T, 1])]  # fmt: skip
    truth = loss.detach().numpy()
    gradient = log_probs.grad.numpy()
    outputs = {"loss": (truth, 1e-5 * truth), "gradient": (gradient, np.full(gradient.shape, 1e-3))}
    return Case("PyTorch's CTC, three kernels", "torch", arrays, steps, outputs)


def cases() -> Iterator[Case]:
    for some in (elementwise, by_rows, layer_norms, reductions, products):
        yield from some()
    yield attention()
    yield ctc()


def compiled(tool: Path, library: str, kernels: Sequence[str], architecture: str, folder: Path) -> List[Dict[str, Any]]:
    ended = subprocess.run([tool, library, architecture, folder], input="\n".join(kernels), stdout=subprocess.PIPE,
                           universal_newlines=True, check=True)  # fmt: skip
    return [json.loads(line) for line in ended.stdout.splitlines()]


def listed(names: Sequence[int]) -> List[int]:
    return [*names, *[1] * (3 - len(names))]


class Kit:
    """Writes the folder."""

    def __init__(self, folder: Path, libraries: Dict[str, Path], tool: Path, architecture: str) -> None:
        self._folder, self._tool, self._architecture = folder, tool, architecture
        self._paths = {"mlx-metal": str(libraries["mlx-metal"]), "torch": f"{libraries['torch']}#2"}
        self._libraries = {name: assay.metal.load(path) for name, path in self._paths.items()}
        self._arrays: Dict[str, np.ndarray] = {}
        self._cases: List[Dict[str, Any]] = []

    def add(self, case: Case) -> None:
        arrays = dict(case.arrays)
        steps = [self._step(case, step, arrays) for step in case.steps]
        emulated = {name: array.copy() for name, array in case.arrays.items()}
        emulated.update({name: truth.astype(case.arrays[name].dtype) for name, (truth, _) in case.outputs.items()
                         if not case.is_emulated})  # fmt: skip
        for step in case.steps if case.is_emulated else []:
            given = [emulated[value] if isinstance(value, str) else value for value in step.values]
            self._libraries[case.library][step.kernel](*given, grid=tuple(step.grid), group=tuple(step.group),
                                                       constants=step.constants)  # fmt: skip
        for name, (truth, bound) in case.outputs.items():
            arrays.update({f"{name}.truth": truth, f"{name}.bound": bound, f"{name}.emulated": emulated[name]})
        self._arrays.update({f"{case.name}/{name}": array for name, array in arrays.items()})
        memory = [name for name in arrays if name.rpartition(".")[2] not in ("truth", "bound", "emulated")]
        self._cases.append({"name": case.name, "arrays": memory, "steps": steps,
                            "outputs": {name: str(case.arrays[name].dtype) for name in case.outputs}})  # fmt: skip

    def _step(self, case: Case, step: Step, arrays: Dict[str, np.ndarray]) -> Dict[str, Any]:
        with tempfile.TemporaryDirectory() as work:
            (made,) = compiled(self._tool, self._paths[case.library], [step.kernel], self._architecture, Path(work))
            if "refused" in made:
                raise SystemExit(f"{step.kernel}: {made['refused']}")
            shutil.copy(Path(work) / made["ptx"], self._folder / f"{step.kernel}.ptx")
        buffers = [argument for argument in made["arguments"] if argument["kind"] == BUFFER]
        bound = []
        for argument, value in zip(buffers, step.values):
            if not isinstance(value, str):
                name = f"{step.kernel}.{argument['name']}"
                arrays[name] = self._memory_of(case, step, argument, value)
                value = name
            bound.append([argument["index"], value])
        constants = [np.asarray(step.constants[one["name"]]).tobytes().hex() for one in made["constants"]]
        return {"ptx": f"{step.kernel}.ptx", "grid": listed(step.grid), "group": listed(step.group), "buffers": bound,
                "threadgroup": [], "constants": constants}  # fmt: skip

    def _memory_of(self, case: Case, step: Step, argument: Mapping[str, Any], value: Value) -> np.ndarray:
        if isinstance(value, Mapping):
            fields = getattr(self._libraries[case.library][step.kernel], "fields")[argument["name"]]
            return struct_bytes(argument["name"], argument["bytes"], fields, value)
        return np.array([value], _DTYPES[argument["type"]])

    def write(self) -> None:
        np.savez_compressed(self._folder / "arrays.npz", **self._arrays)
        (self._folder / "cases.json").write_text(json.dumps(self._cases, indent=1))
        shutil.copy(Path(__file__).with_name("run_on_nvidia.py"), self._folder)
        print(f"{len(self._cases)} cases in {self._folder}")


def survey(library: Path, tool: Path, architecture: str, every: int) -> int:
    chosen = names_of(str(library))[::every]
    with tempfile.TemporaryDirectory() as folder:
        made = compiled(tool, str(library), chosen, architecture, Path(folder))
    refused = [one for one in made if "refused" in one]
    print(f"{len(made) - len(refused)} of {len(made)} kernels become PTX for {architecture}")
    for one in refused:
        print(f"  {one['kernel']}: {one['refused'].splitlines()[0]}")
    return 0 if len(refused) <= 0.05 * len(made) else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["survey", "make"])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("apple_on_nvidia"))
    parser.add_argument("--tool", type=Path, required=True)
    parser.add_argument("--wheels", type=Path, default=Path.home() / ".cache/assay-wheels")
    parser.add_argument("--architecture", default="sm_90")
    parser.add_argument("--every", type=int, default=100)
    given = parser.parse_args()
    libraries = fetched(given.wheels)
    if given.what == "survey":
        return survey(libraries["mlx-metal"], given.tool, given.architecture, given.every)
    given.folder.mkdir(parents=True, exist_ok=True)
    kit = Kit(given.folder, libraries, given.tool, given.architecture)
    for case in cases():
        kit.add(case)
    kit.write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
