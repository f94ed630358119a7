"""./assay mutants my_operation.py, or python -m assay mutants my_operation.py: which faults in each operation of a file the gate would notice."""

from __future__ import annotations

import argparse
import runpy
import sys
from typing import List, Optional

from ._operation import Operation


def mutants_table(operation: Operation, cases: int) -> str:
    rows = operation.mutants(cases=cases)
    lines = [f"{operation.name}: {sum(killed for _, killed, _ in rows)} of {len(rows)} faults are noticed"]
    lines += [f"  {'killed' if killed else 'missed':<8}{by:<14}{name}" for name, killed, by in rows]
    return "\n".join(lines)


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m assay", description=__doc__)
    parser.add_argument("command", choices=["mutants"])
    parser.add_argument("file", help="a Python file that defines operations")
    parser.add_argument("--cases", type=int, default=60, help="for each property (60)")
    asked = parser.parse_args(arguments)
    operations = [one for one in runpy.run_path(asked.file).values() if isinstance(one, Operation)]
    if not operations:
        parser.error(f"{asked.file} defines no operation: decorate a formula with @assay.operation(x=\"N, D\")")
    print("\n".join(mutants_table(one, asked.cases) for one in operations))
    return 0


if __name__ == "__main__":
    sys.exit(main())
