#!/usr/bin/env python3
"""name_libraries_test.py SOURCES: each library of a wheel is named with its version in the wheel's metadata."""

import base64
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

SCRIPT = pathlib.Path(sys.argv[1]) / ".packaging" / "name_libraries.py"
RECORD = "assay-1.dist-info/RECORD"


def wheel(folder, *libraries):
    """A wheel as auditwheel leaves it, with libgmp in its bill."""
    path = pathlib.Path(folder) / "assay-1-py3-none-any.whl"
    gmp = {"type": "library", "name": "libgmp10", "version": "6.2"}
    itself = {"type": "library", "name": "assay", "version": "1"}
    with zipfile.ZipFile(path, "w") as out:
        program = zipfile.ZipInfo("assay/bin/assay")
        program.external_attr = 0o755 << 16
        out.writestr(program, "#!/bin/sh\n")
        for library in ("libgmp-0123abcd.so.10", *libraries):
            out.writestr(f"assay.libs/{library}", "ELF")
        bill = {"metadata": {"component": itself}, "components": [itself, gmp]}
        out.writestr("assay-1.dist-info/sboms/auditwheel.cdx.json", json.dumps(bill))
        out.writestr(RECORD, "assay/bin/assay,,\n")
    return path


def run(path, *arguments):
    return subprocess.run([sys.executable, SCRIPT, path, *arguments], capture_output=True, text=True)


def expect(condition, done):
    if not condition:
        sys.exit(f"FAILED: exit status {done.returncode}\n{done.stdout}{done.stderr}")


with tempfile.TemporaryDirectory() as folder:
    done = run(wheel(folder), "--without", "libcrypto")
    expect(done.returncode == 0 and done.stdout == "libgmp10 6.2\n", done)

    done = run(wheel(folder, "libzip-89ab.so.5"))
    expect(done.returncode == 1 and "2 libraries, and 1 are named" in done.stderr and "libzip-89ab" in done.stderr, done)

    path = wheel(folder, "libzip-89ab.so.5")
    done = run(path, "libzip=1.11.4")
    expect(done.returncode == 0 and done.stdout == "libgmp10 6.2\nlibzip 1.11.4\n", done)
    with zipfile.ZipFile(path) as read:
        content = read.read("assay-1.dist-info/sboms/assay.cdx.json")
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        line = f"assay-1.dist-info/sboms/assay.cdx.json,sha256={digest},{len(content)}\n"
        expect(read.read(RECORD).decode() == f"assay/bin/assay,,\n{line}", done)
        expect(read.getinfo("assay/bin/assay").external_attr == 0o755 << 16, done)
        expect(len(set(read.namelist())) == len(read.namelist()) == 6, done)

    done = run(wheel(folder, "libcrypto-01.so.3"), "openssl=3.0", "--without", "libcrypto", "--without", "libssl")
    expect(done.returncode == 1 and "unwanted: libcrypto-01.so.3" in done.stderr, done)
