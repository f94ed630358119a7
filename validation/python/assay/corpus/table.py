"""The table of the corpus, in at most 100 columns, and its record as JSON."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Sequence

from .entry import Entry
from .judge import ALGEBRA, AUTHOR, GENERATED, OURS, Judged
from .rules import RULES

WIDTH = 100
KINDS = {AUTHOR: "random, the author's shape", GENERATED: "our generated cases"}


def rows() -> List[Any]:
    """(rule, kind of inputs) in the order of the table."""
    return [(rule.name, kind) for rule in RULES for kind in KINDS] + [(ALGEBRA, GENERATED), (OURS, GENERATED)]


def _share(count: int, total: int) -> str:
    return f"{count:>3} of {total:<3} {100 * count / total:>3.0f} %"


def _row(name: str, kind: str, judged: Sequence[Judged]) -> str:
    verdicts = [one.verdicts[name, kind] for one in judged]
    killed, accused = sum(one.kills for one in verdicts), sum(one.accuses for one in verdicts)
    seconds = sum(one.seconds for one in verdicts)
    return f"{name:<25} {KINDS[kind]:<27} {_share(killed, len(judged)):<16} {_share(accused, len(judged)):<16} {seconds:>6.1f} s"


def listing(entries: Sequence[Entry]) -> Iterator[str]:
    """Each entry with its thread and cause."""
    for one in entries:
        yield f"{one.family}: {one.name} ({one.thread})"
        yield f"    {one.cause}"


def _named(title: str, names: Sequence[str]) -> Iterator[str]:
    """A title and names, in lines that fit."""
    line = f"{title}:"
    for name in names or ["none"]:
        if len(line) + len(name) + 2 > WIDTH:
            yield line
            line = "   "
        line += f" {name}" + ("," if name != (names or ["none"])[-1] else "")
    yield line


def table(judged: Sequence[Judged]) -> Iterator[str]:
    families = dict.fromkeys(one.entry.family for one in judged)
    yield f"{len(judged)} published faults in {len(families)} families, and as many right kernels"
    yield ""
    yield f"{'rule':<25} {'inputs':<27} {'faults killed':<16} {'right accused':<16} {'time':>8}"
    for name, kind in rows():
        yield _row(name, kind, judged)
    yield ""
    yield f"our algebra follows {sum(one.is_followed for one in judged)} of {len(judged)} right kernels"
    yield from _named("our gate misses", [one.entry.name for one in judged if not one.verdicts[OURS, GENERATED].kills])
    yield from _named("it accuses", [one.entry.name for one in judged if one.verdicts[OURS, GENERATED].accuses])
    noticed: Dict[str, int] = {}
    for one in judged:
        for name in one.noticed_by:
            noticed[name] = noticed.get(name, 0) + 1
    most = sorted(noticed, key=lambda name: (-noticed[name], name))
    yield from _named("faults noticed by property", [f"{name} {noticed[name]}" for name in most])


def record(judged: Sequence[Judged]) -> Dict[str, Any]:
    """What --json writes: the rules with their sources, and each entry with the verdicts on it."""
    return {
        "rules": [{"name": one.name, "source": one.source} for one in RULES],
        "entries": [
            {
                "family": one.entry.family,
                "name": one.entry.name,
                "thread": one.entry.thread,
                "cause": one.entry.cause,
                "shape": one.entry.shape,
                "noticed_by": one.noticed_by,
                "accused_by": one.accused_by,
                "followed": one.is_followed,
                "verdicts": [
                    {"rule": name, "inputs": kind, **vars(said), "seconds": round(said.seconds, 3)}
                    for (name, kind), said in one.verdicts.items()
                ],
            }
            for one in judged
        ],
    }
