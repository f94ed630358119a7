#!/usr/bin/env python3
"""layers.py SOURCE_DIR: which folders may include from which, and that each header of the reference has a test.

Includes run downwards only: reference knows nobody, metal knows the reference, validation both. And no two folders
include from each other, whatever their depth, directly or by way of others; so too a folder and its subfolder.
In reference and metal an operation's folders are included by that operation alone. The test of reference/X/y.h is
tests/reference/X/y_test.cpp. A CMakeLists.txt uses what it, or one of a folder above, has found by find_package.
"""

from __future__ import annotations

import os
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Dict, Iterator, List, Set, Tuple

FORBIDDEN = {
    "reference": ("metal", "validation", "tests", "bench"),
    "metal": ("validation", "tests", "bench"),
    "validation": ("tests", "bench"),
}
# Halves of big_float.h: either is tested through it.
WITHOUT_TEST = {"big_float_boost.h", "big_float_mpfr.h"}
CMAKE_FOLDERS = (*FORBIDDEN, "notebooks", "bench", "tests")
FIND = re.compile(r"find_(?:package|path|program|library)\((\w+)")
FOUND_VARIABLE = re.compile(r"\b([A-Za-z]\w*_(?:EXECUTABLE|FOUND|INCLUDE_DIRS?|LIBRAR(?:Y|IES)))\b")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)


def sources(folder: str) -> Iterator[Path]:
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and path.suffix in {".h", ".cpp", ".c", ".metal", ".in", ""}:
            yield path


def includes() -> Iterator[Tuple[Path, str]]:
    """Each source with each file of the tree that it includes."""
    for path in (path for folder in FORBIDDEN for path in sources(folder)):
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            beside = os.path.normpath(path.parent / name)
            yield path, beside if os.path.exists(beside) else name


def upward(edges: List[Tuple[Path, str]]) -> List[str]:
    return [
        f"{path} includes {name}: {path.parts[0]} must include nothing from {', '.join(FORBIDDEN[path.parts[0]])}"
        for path, name in edges
        if name.split("/")[0] in FORBIDDEN[path.parts[0]]
    ]


def foreign(edges: List[Tuple[Path, str]]) -> List[str]:
    """What shared code, or one operation, includes of another."""
    operations = {path.parent.name for path in Path("validation").glob("*/fields.cpp")}

    def operation(path: str) -> Set[str]:
        return operations.intersection(os.path.dirname(path).split("/"))

    return [
        f"{path} includes {name}: that is for {operation(name).pop()} alone"
        for path, name in edges
        if path.parts[0] != "validation" and operation(name) - operation(path.as_posix())
    ]


def reachable(graph: Dict[str, Set[str]], start: str) -> Set[str]:
    found: Set[str] = set()
    left = [start]
    while left:
        for folder in graph[left.pop()] - found:
            found.add(folder)
            left.append(folder)
    return found


def cycles(edges: List[Tuple[Path, str]]) -> List[str]:
    graph: Dict[str, Set[str]] = defaultdict(set)
    for path, name in edges:
        here, there = path.parent.as_posix(), os.path.dirname(name)
        if here != there and name.split("/")[0] in FORBIDDEN:
            graph[here].add(there)
    reached = {folder: reachable(graph, folder) for folder in list(graph)}
    groups = {
        frozenset(other for other in found if folder in reached.get(other, ())) for folder, found in reached.items()
    }
    return [
        f"these folders include from each other: {', '.join(sorted(group))}"
        for group in sorted(groups, key=sorted)
        if group
    ]


def untested() -> List[str]:
    headers = [path for path in sorted(Path("reference").rglob("*.h")) if path.name not in WITHOUT_TEST]
    tests = [Path("tests", path.parent, f"{path.stem}_test.cpp") for path in headers]
    return [f"{path} has no test: {test}" for path, test in zip(headers, tests) if not test.is_file()]


def uncompiled() -> List[str]:
    """Tests that the nearest CMakeLists.txt neither names nor finds by a pattern."""
    result = []
    for path in sorted(Path("tests").rglob("*_test.cpp")):
        lists = [folder / "CMakeLists.txt" for folder in path.parents if (folder / "CMakeLists.txt").is_file()]
        text = lists[0].read_text() if lists else ""
        if "file(GLOB" not in text and str(path.relative_to(lists[0].parent) if lists else path) not in text:
            result.append(f"{path} is compiled by no CMakeLists.txt")
    return result


def unfound() -> List[str]:
    """What a CMakeLists.txt uses of a package that only another folder looks for: it would be empty."""
    result = []
    for path in sorted(path for folder in CMAKE_FOLDERS for path in Path(folder).rglob("CMakeLists.txt")):
        files = [folder / "CMakeLists.txt" for folder in path.parents]
        found = {name for file in files if file.is_file() for name in FIND.findall(file.read_text())}
        for used in sorted(set(FOUND_VARIABLE.findall(path.read_text()))):
            if not any(used == name or used.startswith(f"{name}_") for name in found):
                result.append(f"{path} uses {used}, and looks for no such package (find_package)")
    return result


def main() -> int:
    os.chdir(sys.argv[1])
    for folder in FORBIDDEN:
        if not os.path.isdir(folder):
            print(f"there is no folder {folder}")
            return 1
    edges = list(includes())
    found = upward(edges) + foreign(edges) + cycles(edges) + untested() + uncompiled() + unfound()
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
