#!/usr/bin/env python3
"""Makes the page one file that needs nothing else: build.py ENGINE.js ENGINE.wasm DATA OUT.html

DATA is the folder of speech.npz and hello.wav.

The modules of script/ become one script, in the order that their imports ask for: they share one scope, so a name is
given once in all of them. The WebAssembly is compressed, which browsers can undo by themselves.
"""

import ast
import base64
import gzip
import json
import pathlib
import re
import struct
import sys
import zipfile

HERE = pathlib.Path(__file__).parent
IMPORT = re.compile(r'^import \{[\w, \n]*\} from "\./([\w.]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(async )?(function|const|class) )", re.MULTILINE)


def modules(name: str, done: dict[str, str]) -> dict[str, str]:
    """The module and, before it, all that it imports: name to text without imports and exports."""
    if name not in done:
        text = (HERE / "script" / name).read_text()
        for imported in IMPORT.findall(text):
            modules(imported, done)
        done[name] = EXPORT.sub("", IMPORT.sub("", text))
        left = re.search(r"^(import|export)\b.*", done[name], re.MULTILINE)
        if left:
            raise SystemExit(f"script/{name}: '{left[0]}': expected import {{...}} from './...' or export of one name")
    return done


def array(archive: zipfile.ZipFile, name: str) -> tuple[list[int], list[float]]:
    """Shape and elements of an array of a .npz file, of halves or 64-bit integers."""
    data = archive.read(name + ".npy")
    length = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10 : 10 + length].decode())
    letter = {"<f2": "e", "<i8": "q"}[header["descr"]]
    size = struct.calcsize(letter)
    elements = struct.unpack(f"<{(len(data) - 10 - length) // size}{letter}", data[10 + length :])
    if header["fortran_order"]:
        raise SystemExit(f"{name}: expected C order")
    return header["shape"], elements


def speech(path: str) -> list[list[float]]:
    """The logits of row 0, [13][28]: "hello"."""
    with zipfile.ZipFile(path) as archive:
        (_, B, C), logits = array(archive, "logits")
        frames = array(archive, "input_lengths")[1][0]
    return [list(logits[t * B * C : t * B * C + C]) for t in range(frames)]


def main(engine: str, wasm: str, data: str, out: str) -> None:
    machine_code = base64.b64encode(gzip.compress(pathlib.Path(wasm).read_bytes(), 9, mtime=0)).decode()
    parts = {
        "ASSAY_STYLE": (HERE / "style.css").read_text(),
        "ASSAY_SPEECH": json.dumps(speech(f"{data}/speech.npz"), separators=(",", ":")),
        "ASSAY_RECORDING": base64.b64encode(pathlib.Path(data, "hello.wav").read_bytes()).decode(),
        "ASSAY_MACHINE_CODE": machine_code,
        "ASSAY_ENGINE": pathlib.Path(engine).read_text(),
        "ASSAY_SCRIPT": "\n" + "\n".join(modules("main.js", {}).values()),
    }
    for name, text in parts.items():
        if "</script" in text or "</style" in text:
            raise SystemExit(f"{name}: it would end the element that it stands in")
    page = (HERE / "index.html").read_text()
    pathlib.Path(out).write_text(re.sub("|".join(parts), lambda match: parts[match[0]], page))


if __name__ == "__main__":
    main(*sys.argv[1:])
