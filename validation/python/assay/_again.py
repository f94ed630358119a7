"""The lines of Python that judge a function again: what the program prints for a shell names no function."""

from __future__ import annotations

import shlex
import sys
from typing import Any, Callable, Dict


def words_of(line: str) -> str:
    """The words inside "./assay replay 'operation=...'"; the line itself where it is no such command."""
    return shlex.split(line)[2] if line.startswith("./assay replay ") else line


def _name_of(fn: Callable[..., Any]) -> tuple[str, str, str]:
    """The import that `fn` needs, the name of `fn` after the import, and a comment where `fn` has no name."""
    name, module = getattr(fn, "__name__", ""), getattr(fn, "__module__", "__main__")
    if not name.isidentifier():
        return "", "kernel", "  # kernel: the function that was judged"
    is_of_module = module != "__main__" and getattr(sys.modules.get(module), name, None) is fn
    return f"from {module} import {name}; " if is_of_module else "", name, ""


def _call(function: str, fn: Callable[..., Any], before: str, keywords: Dict[str, Any], after: str = "{}") -> str:
    imports, name, comment = _name_of(fn)
    arguments = "".join(f", {key}={value!r}" for key, value in keywords.items())
    return f"import assay; {imports}" + after.format(function + "(" + before.format(name) + arguments + ")") + comment


def call_of(line: str, fn: Callable[..., Any], declared: Dict[str, Any], digits: int = 50) -> str:
    """The line of Python for a line of the program: "./assay replay '...'", "./assay gate ..." or "./assay gradcheck ..."."""
    words = shlex.split(line)
    options = {key[2:]: value for key, value in zip(words[3:], words[4:]) if key.startswith("--")}
    if words[1] == "gate":
        given = {key: int(options[key]) for key in ("cases", "seed", "digits")}
        given.update({"filter": options.get("filter", ""), "real_input": words[-1] == "--quick", "reach": options.get("reach", "none")})
        return _call("assay.gate", fn, f"{words[2]!r}, {{}}", {**given, **declared}, "print({})")
    if words[1] == "gradcheck":
        case = options["case"] if "case" in options else "file=" + options["input"]
        words[2] = f"operation={words[2]} {case}"
    return _call("assay.replay", fn, "{}, " + repr(words[2]), {**({} if digits == 50 else {"digits": digits}), **declared})
