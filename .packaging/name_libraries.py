#!/usr/bin/env python3
"""name_libraries.py WHEEL [NAME=VERSION ...] [--without FILE ...]: the versions of the libraries in a wheel, in its metadata.

auditwheel writes a software bill of materials (PEP 770, CycloneDX) of those libraries that come from the system's packages.
This adds one of the libraries given here, such as one that was built from source. It fails where the wheel has more
libraries than its bills name, or has one whose file name begins with FILE.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Dict, List, Union

LIBRARY = re.compile(r"[^/]+\.libs/([^/]+)|.*\.dylibs/([^/]+)")
BILL = re.compile(r"[^/]+\.dist-info/sboms/[^/]+\.cdx\.json")


def bill(given: Dict[str, str]) -> bytes:
    components = [{"type": "library", "name": name, "version": version} for name, version in sorted(given.items())]
    return json.dumps({"bomFormat": "CycloneDX", "specVersion": "1.4", "version": 1, "components": components}).encode()


def add(path: Path, name: str, content: bytes) -> None:
    """Adds a file to the wheel's metadata, and to its RECORD."""
    with zipfile.ZipFile(path) as wheel:
        entries = [(entry, wheel.read(entry)) for entry in wheel.infolist()]
    (folder,) = {entry.filename.split("/")[0] for entry, _ in entries if ".dist-info/" in entry.filename}
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for entry, data in entries:
            if entry.filename == f"{folder}/RECORD":
                data += f"{folder}/{name},sha256={digest},{len(content)}\n".encode()
                wheel.writestr(f"{folder}/{name}", content)
            wheel.writestr(entry, data)


def libraries(wheel: zipfile.ZipFile) -> List[str]:
    return sorted(found[1] or found[2] for found in map(LIBRARY.fullmatch, wheel.namelist()) if found)


def named(wheel: zipfile.ZipFile) -> Dict[str, List[str]]:
    """The names in all bills with a version each; those of the wheel itself are not among them."""
    names: Dict[str, List[str]] = {}
    for entry in filter(BILL.fullmatch, wheel.namelist()):
        content = json.loads(wheel.read(entry))
        itself = content.get("metadata", {}).get("component", {}).get("name")
        for component in content["components"]:
            if component["name"] != itself and component.get("version"):
                names.setdefault(component["name"], []).append(component["version"])
    return names


def main() -> Union[int, str]:
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel", type=Path)
    parser.add_argument("given", nargs="*", metavar="NAME=VERSION")
    parser.add_argument("--without", action="append", default=[], metavar="FILE")
    asked = parser.parse_args()
    given = dict(one.split("=", 1) for one in asked.given)
    if given:
        add(asked.wheel, "sboms/assay.cdx.json", bill(given))
    with zipfile.ZipFile(asked.wheel) as wheel:
        files, names = libraries(wheel), named(wheel)
    print("\n".join(f"{name} {' '.join(sorted(set(versions)))}" for name, versions in sorted(names.items())))
    count = sum(map(len, names.values()))
    if count < len(files):
        return f"{asked.wheel}: {len(files)} libraries, and {count} are named with a version: {' '.join(files)}"
    unwanted = [file for file in files if file.startswith(tuple(asked.without))] if asked.without else []
    return f"{asked.wheel}: unwanted: {' '.join(unwanted)}" if unwanted else 0


if __name__ == "__main__":
    sys.exit(main())
