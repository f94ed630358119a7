"""Judges attacks, each in a process of its own, as the script of a user would: run.py NAME ... prints how each ended.

`passed`, `did not pass`, `hung`, or by which status or signal the script ended.
"""

import os
import signal
import sys
import tempfile
import time

import assay

from tests.attacks import ATTACKS

PATIENCE = 300  # seconds for one


def judge(name):
    os.setsid()
    os.environ["ATTACK_SESSION"] = str(os.getpid())  # attacks on processes keep to those of this session
    operation, kernel, declaration = ATTACKS[name]
    if operation == "kernelbench":
        return judge_file(kernel, **declaration)
    if operation == "gradcheck":
        result = assay.gradcheck(*kernel, **declaration)
    else:
        result = assay.gate(*(kernel if operation == "gate" else (operation, kernel)), **declaration)
    print(result)
    return 0 if result.passed else 1


def judge_file(text, words=("--small",), reference=None):
    from assay.pytorch.command import kernelbench

    from tests.attacks import with_pytorch

    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("reference.py", reference or with_pytorch.REFERENCE), ("new.py", text)):
            with open(f"{folder}/{name}", "w") as file:
                file.write(content)
        return kernelbench([f"{folder}/reference.py", f"{folder}/new.py", "--cases", "8", *words])


def ended(pid):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return {0: "passed", 1: "did not pass"}.get(os.waitstatus_to_exitcode(status), str(os.waitstatus_to_exitcode(status)))
        time.sleep(0.005)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return "hung"


def main(names):
    if any(name.startswith("pytorch") for name in names):
        from tests.attacks import training, with_pytorch  # noqa: F401, which list their attacks
    for name in names:
        prepare = getattr(ATTACKS[name][1], "prepare", None)  # of what is compiled, or learnt beforehand
        if prepare:
            prepare()
        pid = os.fork()
        if pid == 0:
            sys.stdout = sys.stderr
            return judge(name)  # and ends as a script does
        print(f"{name}\t{ended(pid)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
