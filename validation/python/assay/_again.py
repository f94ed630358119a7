"""The lines of Python that judge a function again: what the program prints for a shell names no function."""

from __future__ import annotations

import inspect
import os
import shlex
import sys
from typing import Any, Dict, List, Optional

import numpy as np

from . import _numbers
from ._file_kernel import FileKernel, attribute_of, is_path


def words_of(line: str) -> str:
    """The words inside "./assay replay 'operation=...'"; the line itself where it is no such command."""
    return [*shlex.split(line), ""][2] if _numbers.text("reproducer", line).startswith("./assay replay ") else line


def pairs_of(words: str) -> Dict[str, str]:
    """The words "key=value" of a case. Raises ValueError for a word that is none."""
    for word in words.split():
        if "=" not in word:
            raise ValueError(f"{word!r}: expected key=value, as Failure.reproducer has them")
    return dict(word.split("=", 1) for word in words.split())  # type: ignore[misc,unused-ignore]


def _module_of_script() -> str:
    """The name by which one imports the file that Python runs; "" where it has none, as in a notebook, or where importing it
    would run it again, since it does not ask for __name__."""
    main = sys.modules["__main__"]
    spec, path = getattr(main, "__spec__", None), getattr(main, "__file__", None) or ""
    name, end = os.path.splitext(os.path.basename(path))
    if spec is not None:  # python -m NAME
        return str(spec.name)
    if end != ".py" or not name.isidentifier() or not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return name if "__name__" in file.read() else ""


class _Written:
    """Values as one writes them in a call, with the imports and the comments that the names among them need."""

    def __init__(self) -> None:
        self.imports, self.comments = "import assay; ", ""

    def name(self, value: Any, otherwise: str, what: str, function: Any = None) -> str:
        """The name of a function, or of what `function` has made; `otherwise`, explained as `what`, if there is none."""
        owner = attribute_of(value, "__self__")
        if inspect.isclass(owner) and isinstance(attribute_of(value, "__name__"), str):  # MyFunction.apply
            written = self.name(owner, otherwise, what)
            return written if written == otherwise else f"{written}.{value.__name__}"
        function = value if function is None else function
        name, module = attribute_of(function, "__name__", ""), attribute_of(function, "__module__", "__main__")
        qualified = attribute_of(function, "__qualname__", name)
        is_within = qualified != name and "<locals>" not in qualified
        if not isinstance(name, str) or not name.isidentifier() or inspect.ismethod(function) or is_within:  # m.forward, Model.forward
            self.comments += f"  # {otherwise}: {what}"
            return otherwise
        if getattr(sys.modules.get(module), name, None) is value:
            module = _module_of_script() if module == "__main__" else module
            self.imports += f"from {module} import {name}; " if module else ""
        return name

    def kernel(self, fn: Any) -> str:
        """The kernel's name, or the path of a plug-in."""
        path = fn if is_path(fn) else fn.path if isinstance(fn, FileKernel) else None
        return repr(os.fspath(path)) if path is not None else self.name(fn, "kernel", "the function that was judged")

    def value(self, key: str, value: Any) -> str:
        if isinstance(value, (tuple, list)):
            return f"({''.join(self.value(key, one) + ', ' for one in value).rstrip()})"
        if isinstance(value, np.generic):
            return repr(value.item())
        return self.name(value, key, f"the {key} that was declared") if inspect.isroutine(value) else repr(value)

    def arguments(self, keywords: Dict[str, Any]) -> str:
        return "".join(f", {key}={self.value(key, value)}" for key, value in keywords.items())

    def line(self, call: str) -> str:
        return self.imports + call + self.comments


def replay_call(words: str, fn: Any, declared: Dict[str, Any], operation: Optional[Any] = None) -> str:
    """The line of Python that replays the words of a case; `operation` is one's own."""
    written = _Written()
    call = f"assay.replay({written.kernel(fn)}, {words!r}"
    if operation is not None:
        call += f", operation={operation.written(written)}"
    return written.line(f"{call}{written.arguments(declared)})")


def run_call(line: str, kernel: Any, backward: Any, operation: Any, declared: Dict[str, Any], given: Any = None) -> str:
    """The line of Python for a run of one's own operation, "./assay gate ...": only its calls in turn lead to a failure."""
    written = _Written()
    functions = [repr(None) if one is None else written.kernel(one) for one in (kernel, backward)]
    if given is not None:
        declared = {**declared, "input": given if isinstance(given, (str, os.PathLike)) else written.name(given, "batch", "the batch")}
    call = f"{operation.written(written)}.gate({', '.join(functions)}"
    return written.line(f"print({call}{written.arguments({**run_options(line), **declared})}))")


def _options_in(words: List[str]) -> Dict[str, str]:
    return {key[2:]: value for key, value in zip(words[3:], words[4:]) if key.startswith("--")}


def run_options(line: str) -> Dict[str, Any]:
    """The keywords of assay.gate for the options of "./assay gate ..."."""
    options = _options_in(shlex.split(line))
    given: Dict[str, Any] = {key: int(options[key]) for key in ("cases", "seed", "digits")}
    given["filter"] = options.get("filter", "")
    return {**given, **{key: options[key] for key in ("reach", "input") if key in options}}


def call_of(line: str, fn: Any, declared: Dict[str, Any], digits: int = 50) -> str:
    """The line of Python for a line of the program: "./assay replay '...'", "./assay gate ..." or "./assay gradcheck ..."."""
    words = shlex.split(line)
    if words[1] == "gate":
        given = {**run_options(line), "real_input": words[-1] == "--quick"}
        written = _Written()
        call = f"assay.gate({words[2]!r}, {written.kernel(fn)}{written.arguments({**given, **declared})})"
        return written.line(f"print({call})")
    if words[1] == "gradcheck":
        options = _options_in(words)
        case = options["case"] if "case" in options else "file=" + options["input"]
        words[2] = f"operation={words[2]} {case}"
    return replay_call(words[2], fn, {**({} if digits == 50 else {"digits": digits}), **declared})
