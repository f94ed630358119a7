"""Attacks the program with what nobody meant: attack.py PROGRAM shaders|bindings|scripts [--count N] [--seed N]

shaders    mutants of the shaders in metal/kernels, run by `metal check` on small grids
bindings   mutants of bindings, judged by `gate`
scripts    mutants of a script of dispatches, run by `metal run`

Each mutant is a function of the seed and its number. The program may find or refuse whatever it likes: it must end by
itself, with status 0, 1 or 2, and a refusal says something. A mutant that asks for a long time of work, such as a grid
of 2^31 threads, must end when it is interrupted. Prints a table, and keeps what did not end so in --keep.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 120  # after which a mutant is interrupted; one that takes as much more of processor time, or waits longer, hangs
MEGABYTES = 2048  # a mutant that occupies more takes too much memory, and four times as much is refused by the system
TOKEN = re.compile(r"//[^\n]*|\s+|[A-Za-z_]\w*|\d[\w.+-]*|[<>]{2}=?|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|::|.", re.S)
OPERATORS = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", ">", "<=", ">=", "==", "!=", "&&", "||"]
NUMBERS = ["0", "1", "2", "-1", "31", "32", "33", "64", "255", "0x7fffffff", "0x80000000", "4294967295u", "1e30f"]
NUMBERS_OF_JSON = [0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 127, 128, 1000, 1024, 65535, 65536, 2**20, 2**31 - 1, 2**32, 2**36]
TEXTS = ["N", "H", "V", "0", "1", "N * V", "N - V", "N / (V - V)", "2 ^ 40", "float", "half", "uint", "zero:64", "unset:4096",
         "random:1", "random:64x4", "random:4294967296", "1,2,3", "file:steps.json", "linear", "nearest,clamp_to_zero", "squares"]  # fmt: skip
VALUES = [None, True, 0, 1, -1, 3, 64, 1025, 2**31, 2**32, 2**53, 2**63, 10**30, 0.5, 1e308, float("nan"), "", "x", "0",
          "-1", "1/0", "N", "2^31", "((((", "x" * 5000, "é\u0000\u001b[31m", [], {}, [[]], [1, 2, 3, 4], {"": 0}]  # fmt: skip


def mutated_text(text, rng):
    """Changes one to three tokens of a C++ text."""
    tokens = TOKEN.findall(text)
    for _ in range(rng.randint(1, 3)):
        places = [n for n, token in enumerate(tokens) if token.strip() and not token.startswith("//")]
        at, other = rng.choice(places), rng.choice(places)
        barriers = [n for n in places if tokens[n].endswith("_barrier")]
        operators = [n for n in places if tokens[n] in OPERATORS]
        numbers = [n for n in places if tokens[n][0].isdigit()]
        kind = rng.choice(["delete", "duplicate", "swap", "operator", "operator", "number", "number", "barrier"])
        if kind == "delete":
            tokens[at] = ""
        elif kind == "duplicate":
            tokens[at] += " " + tokens[at]
        elif kind == "swap":
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == "operator" and operators:
            tokens[rng.choice(operators)] = rng.choice(OPERATORS)
        elif kind == "number" and numbers:
            tokens[rng.choice(numbers)] = rng.choice(NUMBERS)
        elif kind == "barrier" and barriers:
            tokens[rng.choice(barriers)] = "(void)"
    return "".join(tokens)


def mutated_bytes(data, rng):
    """Changes one to eight bytes or pieces."""
    data = bytearray(data)
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(data) + 1)
        piece = data[at : at + rng.randint(1, 20)]
        kind = rng.randrange(4)
        if kind == 0 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at : at + len(piece)]
        elif kind == 2:
            data[at:at] = piece * rng.choice([1, 2, 50])
        else:
            data[at:at] = bytes(rng.choice(b'{}[]",:0123456789eE+-.\\ntf\x00\xff') for _ in range(rng.randint(1, 4)))
    return bytes(data)


def nodes_of(value):
    """The containers and keys of all values inside."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in list(children):
        yield value, key
        yield from nodes_of(child)


def plausible(value, texts, rng):
    """Another value of the same kind, so that many mutants come as far as a dispatch."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([*NUMBERS_OF_JSON, value + 1, value - 1, 2 * value])
    if isinstance(value, str):
        return rng.choice(texts)
    entries = list(value.items()) if isinstance(value, dict) else list(value) if isinstance(value, list) else []
    rng.shuffle(entries)
    return dict(entries) if isinstance(value, dict) else entries[1:] + entries[:1] * rng.randint(0, 2)


def mutated_json(data, rng):
    """Changes one to three nodes of the tree, or bytes of its text."""
    if rng.random() < 0.1:
        return mutated_bytes(data, rng)
    tree = json.loads(data)
    texts = TEXTS + [node[key] for node, key in nodes_of(tree) if isinstance(node[key], str)]
    for _ in range(rng.randint(1, 3)):
        nodes = list(nodes_of(tree))
        if not nodes:
            break
        (node, key), (other, other_key) = rng.choice(nodes), rng.choice(nodes)
        kind = rng.choice(["plausible"] * 9 + ["value", "value", "delete", "copy", "rename", "deep"])
        if kind == "plausible":
            node[key] = plausible(node[key], texts, rng)
        elif kind == "value":
            node[key] = rng.choice(VALUES)
        elif kind == "copy":
            node[key] = json.loads(json.dumps(other[other_key]))
        elif kind == "deep":
            node[key] = json.loads("[" * 300 + "]" * 300)
        elif kind == "rename" and isinstance(node, dict):
            node[rng.choice(["", "x", "grid", "array", "index"])] = node.pop(key)
        elif isinstance(node, dict) or kind == "delete":
            del node[key]
    return json.dumps(tree).encode()


class Shaders:
    """Each operation's shader; a mutant changes one of the files that it includes, and runs one kernel."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.kernels = {}
        for path in sorted((ROOT / "metal/kernels").glob("*/*.metal")):
            listing = folder / f"{path.stem}.json"
            subprocess.run([program, "metal", "check", path, "--json", listing], check=True, capture_output=True)
            self.kernels[path.parent.name] = json.loads(listing.read_text())
        (folder / "bytes").write_bytes(bytes([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0] * 256))

    def command(self, rng, folder):
        shutil.copytree(ROOT / "metal/kernels", folder / "kernels")
        operation = rng.choice(sorted(self.kernels))
        files = sorted(path for path in (folder / "kernels").rglob("*") if path.parent.name in ("kernels", operation))
        file = rng.choice([path for path in files if path.is_file()])
        file.write_text(mutated_text(file.read_text(), rng))
        listing = self.kernels[operation]
        kernel = rng.choice(listing["kernels"])
        words = ["--kernel", kernel["name"], "--grid", "128", "--group", "64", "--step-limit", "2000000"]
        for argument in kernel["arguments"]:
            is_float = argument["element_type"] in ("float", "half", "bfloat")
            if argument["kind"] == "buffer":
                words += ["--buffer", f"{argument['index']}={'random:1024' if is_float else f'file:{self.folder}/bytes'}"]
            elif argument["kind"] == "threadgroup":
                words += ["--threadgroup-memory", f"{argument['index']}=4096"]
        words += [word for one in listing["function_constants"] for word in ("--constant", f"{one['index']}=1")]
        return ["metal", "check", str(next((folder / "kernels" / operation).glob("*.metal"))), *words]


class Bindings:
    def __init__(self, program, folder):
        self.files = sorted((ROOT / "tests/plugin_metal/shaders").glob("*.json"))

    def command(self, rng, folder):
        file = rng.choice(self.files)
        shutil.copy(file.with_suffix(".metal"), folder)
        (folder / file.name).write_bytes(mutated_json(file.read_bytes(), rng))
        what = ["--filter", "^(inside|loss|values)$", "--cases", "2", "--generated", "--reach", "none"]
        return ["gate", file.stem, "--kernel", str(folder / file.name), *what]


class Scripts:
    SHADER = """#include <metal_stdlib>
using namespace metal;
constant uint k [[function_constant(0)]];
kernel void squares(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant uint& n [[buffer(2)]],
                    threadgroup float* t [[threadgroup(0)]], uint i [[thread_position_in_grid]],
                    uint j [[thread_index_in_threadgroup]]) {
  if (i >= n) return;
  t[j] = x[i];
  y[i] = t[j] * x[i] + k;
}
kernel void read(texture2d<float> image [[texture(0)]], sampler s [[sampler(0)]], device float* y [[buffer(0)]],
                 uint i [[thread_position_in_grid]]) {
  y[i] = image.sample(s, float2(i, 0)).x;
}
"""
    SCRIPT = {
        "source": "steps.metal",
        "metal_version": 320,
        "macros": {"A": "1"},
        "seed": 3,
        "step_limit": 1000000,
        "arrays": {"x": "random:64", "y": "unset:64", "n": "64", "groups": "2,1,1", "image": "random:8x8x4"},
        "passes": [
            {"function": "squares", "grid": [64], "group": [32], "constants": [{"index": 0, "value": 1}],
             "threadgroup_memory": [{"index": 0, "bytes": 128}],
             "buffers": [{"index": 0, "array": "x", "offset": 0}, {"index": 1, "array": "y"}, {"index": 2, "array": "n"}]},
            {"function": "read", "threadgroups": {"array": "groups"}, "group": [4, 1, 1],
             "textures": [{"index": 0, "array": "image"}], "samplers": [{"index": 0, "sampler": "linear,repeat"}],
             "buffers": [{"index": 0, "array": "y"}]},
        ],
        "outputs": {"y": "y.npy"},
    }  # fmt: skip

    def __init__(self, program, folder):
        before = subprocess.run([program, *self.written(json.dumps(self.SCRIPT).encode(), folder)], cwd=folder, capture_output=True)
        assert before.returncode == 0, f"the script is not clean before it is mutated: {before.stdout + before.stderr!r}"

    def command(self, rng, folder):
        return self.written(mutated_json(json.dumps(self.SCRIPT).encode(), rng), folder)

    def written(self, script, folder):
        (folder / "steps.metal").write_text(self.SHADER)
        (folder / "steps.json").write_bytes(script)
        return ["metal", "run", str(folder / "steps.json"), "--device", "emulated"]


def run(program, command, folder):
    """How the program ended, and its largest memory in MiB."""
    limits = f"ulimit -t {2 * SECONDS} && ulimit -d {4 * MEGABYTES * 1024} && ulimit -c 0 && exec \"$@\""
    with open(folder / "stdout", "wb") as out, open(folder / "stderr", "wb") as problems:
        child = subprocess.Popen(["sh", "-c", limits, "sh", program, *command], cwd=folder, stdout=out, stderr=problems,
                                 stdin=subprocess.DEVNULL, start_new_session=True,
                                 env={**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache")})  # fmt: skip
        timers = [threading.Timer(SECONDS * times, os.killpg, (child.pid, number))
                  for times, number in ((1, signal.SIGINT), (10, signal.SIGALRM))]  # fmt: skip
        for timer in timers:
            timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        for timer in timers:
            timer.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    memory = usage.ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10)
    if child.returncode in (-signal.SIGXCPU, -signal.SIGALRM, -signal.SIGKILL):
        return "hangs", memory
    if child.returncode == -signal.SIGINT:
        return "is interrupted", memory
    if child.returncode not in (0, 1, 2):
        return f"ends with {child.returncode}", memory
    if memory > MEGABYTES:
        return "takes too much memory", memory
    words = (folder / "stdout").read_bytes() + (folder / "stderr").read_bytes()
    if child.returncode != 0 and not words.strip():
        return "says nothing", memory
    if b"std::bad_alloc" in words:
        return "says bad_alloc alone", memory
    return ("passes", "is reported", "is refused")[child.returncode], memory


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("what", choices=["shaders", "bindings", "scripts"])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the mutants that are not survived")
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    tally, largest, bad = collections.Counter(), 0, []
    with tempfile.TemporaryDirectory(prefix="assay-attack-") as folder:
        target = {"shaders": Shaders, "bindings": Bindings, "scripts": Scripts}[arguments.what](program, pathlib.Path(folder))

        def attack(number):
            place = pathlib.Path(folder) / str(number)
            place.mkdir()
            command = target.command(random.Random(f"{arguments.seed} {number}"), place)
            ending, memory = run(program, command, place)
            is_bad = ending not in ("passes", "is reported", "is refused", "is interrupted")
            if is_bad and arguments.keep:
                shutil.copytree(place, arguments.keep / f"{arguments.what}-{arguments.seed}-{number}")
                (arguments.keep / f"{arguments.what}-{arguments.seed}-{number}/command").write_text(" ".join(command))
            shutil.rmtree(place)
            return number, ending, memory, is_bad

        numbers = range(arguments.first, arguments.first + arguments.count)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for number, ending, memory, is_bad in pool.map(attack, numbers):
                tally[ending] += 1
                largest = max(largest, memory)
                if is_bad:
                    bad.append(number)
                    print(f"mutant {number} of seed {arguments.seed} {ending}", flush=True)
    print(f"| {arguments.what} | {arguments.count} | {', '.join(f'{n} {how}' for how, n in tally.most_common())} | {largest} MiB |")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
