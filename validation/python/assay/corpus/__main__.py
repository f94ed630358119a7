"""./assay corpus: judges the published faults of the corpus by everybody's rules, and prints how many each rule kills.

Processor time, in seconds, is that of both kernels of all entries, with the reference that the rule needs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import warnings
from typing import List, Optional, Sequence

from . import ENTRIES
from .entry import Entry
from .judge import Judged, judge
from .table import listing, record, table


def _progress(done: int, total: int, name: str) -> None:
    """A line on standard error that is redrawn, where that is a terminal and no CI's: as the program's own."""
    if not sys.stderr.isatty() or os.environ.get("CI"):
        return
    bar = "=" * (40 * done // total)
    sys.stderr.write(f"\r\033[K  [{bar:<40}] {100 * done // total:3} %  {name}" if done < total else "\r\033[K")
    sys.stderr.flush()


def judged_in_turn(entries: Sequence[Entry]) -> List[Judged]:
    judged = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of kernels that are faulty, and of the emulator's
        for done, one in enumerate(entries):
            _progress(done, len(entries), f"{one.family}: {one.name}")
            judged.append(judge(one))
    _progress(len(entries), len(entries), "")
    return judged


def main(given: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="assay corpus", description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="", metavar="REGEX", help="only entries whose family and name match")
    parser.add_argument("--list", action="store_true", help="print the entries with threads and causes, and judge none")
    parser.add_argument("--json", metavar="FILE", help="also write all verdicts as JSON")
    arguments = parser.parse_args(given)
    try:
        wanted = re.compile(arguments.filter)
    except re.error as error:
        parser.error(f"--filter = {arguments.filter!r}: {error}: expected a regular expression")
    entries = [one for one in ENTRIES if wanted.search(f"{one.family}: {one.name}")]
    if not entries:
        parser.error(f"--filter = {arguments.filter!r} matches none of {len(ENTRIES)} entries: --list names them")
    if arguments.list:
        print("\n".join(listing(entries)))
        return 0
    judged = judged_in_turn(entries)
    print("\n".join(table(judged)))
    if arguments.json:
        try:
            with open(arguments.json, "w", encoding="utf-8") as file:
                json.dump(record(judged), file, indent=1)
        except OSError as error:
            parser.error(f"--json = {arguments.json!r}: {error.strerror}: expected a file that can be written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
