"""A problem in KernelBench's form: a file with `Model`, `get_inputs` and `get_init_inputs`, at other sizes than its own.

The whole numbers that the file's constants and these two functions state are its sizes. The file is run anew with others in
their place, so that whatever it computes of them follows.
"""

from __future__ import annotations

import ast
import copy
import itertools
import types
from contextlib import nullcontext
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

import torch
from torch.overrides import TorchFunctionMode

from .._module_of_file import run_file
from .narrowed import Narrowing

_FUNCTIONS = ("get_inputs", "get_init_inputs")
_NEEDED = ("Model", *_FUNCTIONS)


def _whole(node: ast.AST) -> Any:
    """The value of an expression of whole numbers alone, such as 2048 * 2; None for another."""
    if not all(isinstance(one, (ast.BinOp, ast.Constant, ast.operator)) for one in ast.walk(node)):
        return None
    try:
        value = eval(compile(ast.Expression(node), "size", "eval"), {"__builtins__": {}})  # type: ignore[arg-type]
    except (ArithmeticError, TypeError):
        return None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 1 else None


def _single(node: ast.stmt) -> List[ast.stmt]:
    """height = width = 128 and height, width = 128, 64 as two assignments, so that the sizes may differ."""
    if not isinstance(node, ast.Assign):
        return [node]
    pairs = [(target, node.value) for target in node.targets]
    if len(pairs) == 1 and isinstance(pairs[0][0], ast.Tuple) and isinstance(node.value, ast.Tuple):
        pairs = list(zip(pairs[0][0].elts, node.value.elts))
    if len(pairs) < 2 or any(_whole(value) is None for _, value in pairs):
        return [node]
    return [ast.copy_location(ast.Assign([target], copy.deepcopy(value)), node) for target, value in pairs]


class _Sizes(ast.NodeTransformer):
    """Finds the sizes of a file by name, or puts others in their place."""

    def __init__(self, sizes: Dict[str, int]) -> None:
        self.sizes = sizes
        self.found: Dict[str, int] = {}
        self._name = "size"

    def visit_Module(self, node: ast.Module) -> ast.Module:
        node.body = [part for one in node.body for part in _single(one)]
        for one in node.body:
            if isinstance(one, (ast.Assign, ast.AnnAssign)):
                target = one.targets[0] if isinstance(one, ast.Assign) else one.target
                self._name = target.id if isinstance(target, ast.Name) else "size"
                if one.value is not None:
                    one.value = self.visit(one.value)
            elif isinstance(one, ast.FunctionDef) and one.name in _FUNCTIONS:
                self._name = "size"
                self.generic_visit(one)
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.keyword:
        return node

    def visit(self, node: ast.AST) -> Any:
        value = _whole(node) if isinstance(node, ast.expr) else None
        if value is None:
            return super().visit(node)
        name = self._name
        for k in itertools.count(2):
            if name not in self.found:
                break
            name = f"{self._name}_{k}"
        self.found[name] = value
        return ast.copy_location(ast.Constant(self.sizes.get(name, value)), node)


class Input(NamedTuple):
    """What get_inputs returns."""

    shape: Tuple[int, ...]
    kind: str  # "real", "flag", "index", "number" of a float, or "constant" of what is neither tensor nor float
    below: int  # of an index
    value: Any


class _Drawn(TorchFunctionMode):
    """Remembers the range of each torch.randint."""

    def __init__(self) -> None:
        super().__init__()
        self.below: Dict[int, int] = {}

    def __torch_function__(self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        if getattr(function, "__name__", "") == "randint":
            numbers = [one for one in args if isinstance(one, int)]
            self.below[id(result)] = (kwargs or {}).get("high", numbers[-1] if numbers else 2)
        return result


class Loaded:
    """The file at some sizes."""

    def __init__(self, module: types.ModuleType, narrowing: Optional[Narrowing]) -> None:
        self._module, self._narrowing = module, narrowing

    def init_inputs(self) -> List[Any]:
        return list(self._module.get_init_inputs())

    def model(self, of: Any = None) -> torch.nn.Module:
        """A new one, `Model` unless another class is given, from the same random numbers."""
        given = self.init_inputs()
        torch.manual_seed(1)
        with self._narrowing.applied(given) if self._narrowing else nullcontext():
            made: torch.nn.Module = (
                (of or self._module.Model)(**given[0])
                if given and isinstance(given[0], dict)
                else (of or self._module.Model)(*given)
            )
        return made.eval()

    def given(self) -> List[Any]:
        """What get_inputs returns."""
        torch.manual_seed(1)
        return list(self._module.get_inputs())

    def inputs(self) -> List[Input]:
        with _Drawn() as drawn:
            given = self.given()
        return [self._input(one, drawn.below) for one in given]

    @staticmethod
    def _input(one: Any, below: Dict[int, int]) -> Input:
        if not isinstance(one, torch.Tensor):
            return Input((), "number" if isinstance(one, float) else "constant", 0, one)
        kind = "flag" if one.dtype == torch.bool else "real" if one.dtype.is_floating_point else "index"
        return Input(
            tuple(one.shape), kind, below.get(id(one), int(one.max()) + 1 if kind == "index" and one.numel() else 1), one
        )


class BenchmarkFile:
    """The text of a problem. Raises ValueError for a file that has no Model, get_inputs or get_init_inputs."""

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, encoding="utf-8") as file:
            self._text = file.read()
        defined = [one.name for one in self._tree().body if isinstance(one, (ast.ClassDef, ast.FunctionDef))]
        for name in _NEEDED:
            if name not in defined:
                raise ValueError(f"{path} has no {name}: expected a file of KernelBench's form, with {', '.join(_NEEDED)}")
        finder = _Sizes({})
        finder.visit(self._tree())
        self.sizes = finder.found
        self.narrowing: Optional[Narrowing] = None

    def _tree(self) -> ast.Module:
        return ast.parse(self._text, self.path)

    def load(self, sizes: Dict[str, int], is_narrow: bool = True) -> Loaded:
        tree = ast.fix_missing_locations(_Sizes(sizes).visit(self._tree()))
        return Loaded(run_file(self.path, compile(tree, self.path, "exec")), self.narrowing if is_narrow else None)
