"""The command `assay` of the installed package, and python -m assay: the program, except for what only Python can do.

    assay mutants my_operation.py              which faults in each operation of a file the gate would notice
    assay init NAME                            writes NAME.py, a file to begin with
    assay conformance                          what the gate says of kernels of installed libraries, and of wheels
    assay corpus                               what everybody's rules make of published kernel bugs
    assay kernelbench REFERENCE.py NEW.py      whether ModelNew of one file is right, by Model of the other
"""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from typing import List

from ._init import init
from ._operation import Operation
from ._program import program


def mutants_table(operation: Operation, cases: int) -> str:
    rows = operation.mutants(cases=cases)
    lines = [f"{operation.name}: {sum(killed for _, killed, _ in rows)} of {len(rows)} faults are noticed"]
    lines += [f"  {'killed' if killed else 'missed':<8}{by:<14}{name}" for name, killed, by in rows]
    return "\n".join(lines)


def write_all(text: str) -> None:
    """Past Python's buffer, which would print an error of its own at the end. Raises OSError."""
    data = text.encode(errors="replace")
    while data:
        data = data[os.write(1, data) :]


def mutants(arguments: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="assay mutants")
    parser.add_argument("file", help="a Python file that defines operations")
    parser.add_argument("--cases", type=int, default=60, help="for each property (60)")
    asked = parser.parse_args(arguments)
    try:
        operations = [one for one in runpy.run_path(asked.file).values() if isinstance(one, Operation)]
    except SystemExit as error:
        parser.error(f"{asked.file} called sys.exit({error.code!r}): expected a file that can be imported")
    if not operations:
        parser.error(f"{asked.file} defines no operation: decorate a formula with @assay.operation(x=\"N, D\")")
    text = "\n".join(mutants_table(one, asked.cases) for one in operations) + "\n"
    try:
        write_all(text)
    except OSError as error:
        parser.error(f"standard output cannot be written, and what was to be printed is lost: {error.strerror}")
    return 0


def main() -> int:
    command, rest = sys.argv[1:2], sys.argv[2:]
    if command == ["mutants"] and rest and rest[0].endswith(".py"):
        return mutants(rest)
    if command == ["init"]:
        return init(rest)
    if command == ["kernelbench"]:
        from .pytorch.command import kernelbench

        return kernelbench(rest)
    if command == ["conformance"]:
        from .conformance import main as conformance

        return conformance(rest)
    if command == ["corpus"]:
        from .corpus.__main__ import main as corpus

        return corpus(rest)
    os.execv(program(), ["assay", *command, *rest])


if __name__ == "__main__":
    sys.exit(main())
