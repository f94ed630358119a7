"""The program beside the page: what `assay lattice` answers to a request."""

import json
import os
import pathlib
import shlex
import subprocess

PROGRAM = os.environ["ASSAY_PROGRAM"]
BUILT = pathlib.Path(os.environ["ASSAY_LATTICE"])
NODE = os.environ["ASSAY_NODE"]


def answered(request: str, *options: str) -> str:
    """The response's own text, without the end of the line."""
    return subprocess.run([PROGRAM, "lattice", "--request", "-", *options], input=request, text=True,
                          capture_output=True, check=True).stdout.rstrip("\n")


def printed(line: str) -> dict:
    """What a line such as the page shows prints as JSON."""
    words = shlex.split(line)
    assert words[:2] == ["./assay", "lattice"], line
    done = subprocess.run([PROGRAM, *words[1:], "--json"], text=True, capture_output=True, check=True)
    return json.loads(done.stdout)


def differences(page: dict, expected: dict, place: str = "") -> list[str]:
    """Each place at which two responses differ."""
    if isinstance(page, dict) and isinstance(expected, dict):
        names = page.keys() | expected.keys()
        return [d for name in sorted(names) for d in differences(page.get(name), expected.get(name), f"{place}.{name}")]
    if isinstance(page, list) and isinstance(expected, list) and len(page) == len(expected):
        return [d for i, (a, b) in enumerate(zip(page, expected)) for d in differences(a, b, f"{place}[{i}]")]
    return [] if page == expected else [f"{place}: {page!r} on the page, {expected!r} expected"]
