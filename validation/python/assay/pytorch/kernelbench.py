"""A problem in KernelBench's form as an operation, and `ModelNew` as its kernel."""

from __future__ import annotations

import shlex
import sys
from functools import lru_cache
from typing import Any, Dict, List, Tuple

import torch

from .._again import run_options, words_of
from .._file_kernel import FileKernel, loaded
from .._own_process import Answer, OwnProcess
from .._traced import NotTraceable
from .benchmark_file import BenchmarkFile, Input, Loaded
from .benchmark_sizes import Shapes, base_sizes, free_extents, shapes_of
from .reference import TorchOperation, parameter_inputs
from .statistics import with_drawn_statistics
from .trace import source_of


def _text(shape: Tuple[int, ...], which: Any, places: Dict[Any, str]) -> str:
    return ", ".join(places.get((which, axis), str(size)) for axis, size in enumerate(shape))


def _kept(one: Input) -> Input:
    """A number as a constant, for a model that needs to know it."""
    return one._replace(kind="constant") if one.kind == "number" else one


class BenchmarkOperation(TorchOperation):
    """The Model of a file. Its sizes are the file's, smaller; those that vary are extents, and a model is built for each set."""

    largest_fixed = 2**18  # an image of 224 by 224 pixels, which some models need

    why_not_training = ""  # where Model has a training mode in which it cannot be judged

    def __init__(self, path: str, is_training: bool = False) -> None:
        self.file = BenchmarkFile(path)
        self.is_training = self.trains_kernels = is_training
        self.base = base_sizes(self.file)
        free = free_extents(self.file, self.base)
        shapes = shapes_of(self.file.load(self.base))
        self._model_at = lru_cache(64)(self._built)
        self._kernel_at = lru_cache(64)(self._kernel_built)
        self.reference = self._model_at(tuple(self.base.items()))
        self._function = source_of(self.reference)
        try:
            self._declare_inputs(shapes, free)
        except NotTraceable:
            if not self._numbers:
                raise
            self._declare_inputs(shapes._replace(inputs=[_kept(one) for one in shapes.inputs]), free)

    def _declare_inputs(self, shapes: Shapes, free: Dict[str, List[Any]]) -> None:
        self._constants = {k: one.value for k, one in enumerate(shapes.inputs) if one.kind == "constant"}
        inputs, limits = self._inputs_of(shapes, free)
        given = [one.kind for one in shapes.inputs if one.kind != "constant"]
        self._numbers = [name for name, kind in zip(inputs, given) if kind == "number"]
        self._declared_inputs = dict(inputs)
        of_parameters = self._parameter_texts(shapes, free, list(inputs))
        self._declare(self._function, "Model", {**inputs, **of_parameters}, "", "", limits)
        self._traced = lru_cache(48)(self._trace_at)  # of large graphs, whose sizes seldom come again
        self._begin()

    def __reduce__(self) -> Any:
        return BenchmarkOperation, (self.file.path, self.is_training), {
            "trains_kernels": self.trains_kernels, "also_evaluates": self.also_evaluates}  # fmt: skip

    def mode(self) -> str:
        return "training" if self.trains_kernels else "eval"

    def _draws_in_training(self) -> bool:
        return False  # the command compares such training, and says what it found

    def _inputs_of(self, shapes: Shapes, free: Dict[str, List[Any]]) -> Tuple[Dict[str, str], Dict[str, int]]:
        """Inputs by the names of forward's arguments."""
        places = {place: name for name, found in free.items() for place in found}
        names = self._argument_names(len(shapes.inputs))
        inputs = {}
        for k, one in enumerate(shapes.inputs):
            if one.kind == "constant":
                continue
            of = {"flag": " of flag", "index": f" of index {places.get((k, 'below'), one.below)}"}.get(one.kind)
            inputs[names[k]] = _text(one.shape, k, places) + (self._kind_of(k, shapes) if of is None else of)
        return inputs, {}

    def _argument_names(self, count: int) -> List[str]:
        code = self._function.__code__ if self._function is not None else None
        named = list(code.co_varnames[1 : code.co_argcount]) if code is not None else []
        taken = set(self.base)
        return [
            f"{one}_" if one in taken or one in ("seed", "file", "layout") else one
            for one in (named + [f"input{k}" for k in range(count)])[:count]
        ]

    def _kind_of(self, k: int, shapes: Shapes) -> str:
        """Numbers of any sign, unless the model makes NaN of such: then those above 0, or in [0, 1] where the file's are."""
        given = [one.value for one in shapes.inputs]
        value = torch.as_tensor(given[k])
        drawn = torch.randn(value.shape, generator=torch.Generator().manual_seed(1))
        given[k] = drawn if shapes.inputs[k].kind == "real" else -float(value)
        with torch.no_grad():
            result = self.reference(*given)
        outputs = [one for one in (result if isinstance(result, (tuple, list)) else [result]) if isinstance(one, torch.Tensor)]
        if not any(bool(torch.isnan(one).any()) for one in outputs):
            return ""
        return " of unit" if value.numel() and 0 <= value.min() and value.max() <= 1 else " of positive"

    def _parameter_texts(self, shapes: Shapes, free: Dict[str, List[Any]], taken: List[str]) -> Dict[str, str]:
        places = {place: name for name, found in free.items() for place in found}
        _, self.parameters = parameter_inputs(self.reference, [*taken, *self.base])
        return {name: _text(shapes.parameters[of], of, places) for name, of in self.parameters.items()}

    def _loaded(self, sizes: Tuple[Tuple[str, int], ...]) -> Loaded:
        return self.file.load(dict(sizes))

    def _built(self, sizes: Tuple[Tuple[str, int], ...]) -> torch.nn.Module:
        return with_drawn_statistics(self._loaded(sizes).model().train(self.is_training))

    def sizes_at(self, extents: Dict[str, int]) -> Tuple[Tuple[str, int], ...]:
        return tuple({**self.base, **{name: size for name, size in extents.items() if name in self.base}}.items())

    def module_at(self, sizes: Dict[str, int]) -> Any:
        return self._model_at(self.sizes_at(sizes))

    def kernel_at(self, kernel: Any, extents: Dict[str, int]) -> Any:
        kernel = loaded(kernel)
        return self._kernel_at(kernel, self.sizes_at(extents)) if isinstance(kernel, type) else kernel

    def _kernel_built(self, kernel: Any, sizes: Tuple[Tuple[str, int], ...]) -> torch.nn.Module:
        """The new model at these sizes, with the buffers of the reference."""
        made = self._loaded(sizes).model(kernel)
        named = dict(self._model_at(sizes).named_buffers())
        for name, buffer in made.named_buffers():
            if name in named and named[name].shape == buffer.shape:
                buffer.copy_(named[name])
        return made

    def arguments(self, tensors: Dict[str, Any]) -> List[Any]:
        """With what get_inputs returns beside tensors, in its place. Its floats are such for a kernel too."""
        given = [
            one.item() if name in self._numbers and type(one) is torch.Tensor else one
            for name, one in tensors.items()
            if name not in self.parameters
        ]
        for k, value in sorted(self._constants.items()):
            given.insert(k, value)
        return given

    def _takes_names(self) -> bool:
        return False

    def replay_line(self, words: str, fn: Any, declared: Dict[str, Any]) -> str:
        given = words_of(words)
        files = f"{shlex.quote(self.file.path)} {shlex.quote(_file_of(fn))}"
        return f"assay kernelbench {files} --replay {shlex.quote(given)}{self._option()}"

    def run_line(self, words: str, kernel: Any, backward: Any, declared: Dict[str, Any], given: Any) -> str:
        options = run_options(words)
        return (
            f"assay kernelbench {shlex.quote(self.file.path)} {shlex.quote(_file_of(kernel))} --cases {options['cases']} "
            f"--seed {options['seed']}{self._option()}"
        )

    def _option(self) -> str:
        return "" if self.also_evaluates else f" --mode {self.mode()}"


def _file_of(kernel: Any) -> str:
    if isinstance(kernel, FileKernel):
        return kernel.file
    return getattr(sys.modules.get(kernel.__module__), "__file__", None) or "NEW.py"


def new_model(path: str) -> FileKernel:
    """The class ModelNew of a file, which is run in the processes that call it. Raises ValueError where there is none, and
    KernelEnded where the file ends its process or does not end."""
    kernel = FileKernel(path, "ModelNew")

    def why_not() -> Answer:
        try:
            is_class = isinstance(loaded(kernel), type)
        except OSError as error:
            return {"text": str(error)}, []
        except SyntaxError as error:
            return {"text": f"{error.filename}:{error.lineno}: {error.msg}"}, []
        except ValueError:
            is_class = False
        missing = f"{path} has no class ModelNew: expected the kernel as a torch.nn.Module of this name"
        return {"text": "" if is_class else missing}, []

    text = OwnProcess(why_not)()[0]["text"]
    if text:
        raise ValueError(text)
    return kernel
