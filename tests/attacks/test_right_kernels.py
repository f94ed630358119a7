"""Right kernels of the shapes that attacks have: they pass, and what their declarations excuse is printed."""

import os
import subprocess
import sys

import numpy as np
import pytest

import assay

from tests.attacks import large_together
from tests.attacks.gallery import right, softmax

TAKEN = {"cases": 20, "reach": "none"}
workspace = {}
doubled = []


def keeps_its_workspace(p):
    buffer = workspace.setdefault(p.x.shape, np.empty(p.x.shape, np.float32))
    np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf), out=buffer)
    return buffer / buffer.sum(-1, keepdims=True)


def returns_a_view_of_its_own_buffer(p):
    buffer = np.full((p.x.shape[0], p.x.shape[1] + 3), np.nan, np.float32)
    buffer[:, 1:-2] = right(p)
    return buffer[:, 1:-2]


def remembers_what_it_has_computed(p):
    key = (p.x.shape, p.x.tobytes())
    return workspace.setdefault(key, right(p)).copy()


def declines_honestly(p):
    if p.x.shape[-1] > 33:
        raise assay.Unsupported("rows of more than 33")
    return right(p)


def calls_a_library(p):
    special = pytest.importorskip("scipy.special")
    return special.softmax(p.x, axis=-1) if p.x.size else np.zeros_like(p.x)


def works_in_a_thread(p):
    import threading

    found = []
    thread = threading.Thread(target=lambda: found.append(right(p)))
    thread.start()
    thread.join()
    return found[0]


def works_in_a_child(p):
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return right(p)


table = open(__file__, "rb")


def reads_a_file_that_was_open_and_prints(p):
    table.seek(0)
    assert table.read(3) == b'"""'
    print("read")
    return right(p)


def make():
    shift = np.float32(0)

    class Kernel:
        __name__ = "closure"

        def __call__(self, p):
            return right(p) + shift

    return Kernel()


@pytest.mark.parametrize("kernel", [keeps_its_workspace, returns_a_view_of_its_own_buffer, remembers_what_it_has_computed,
                                    calls_a_library, works_in_a_thread, reads_a_file_that_was_open_and_prints, make(),
                                    lambda p: right(p)])  # fmt: skip
def test_it_passes(kernel):
    assay.gate(softmax, kernel, **TAKEN).raise_for_failure()
    assay.gate(softmax, kernel, own_process=False, **TAKEN).raise_for_failure()


def test_it_may_start_processes():
    assay.gate(softmax, works_in_a_child, cases=3, reach="none", filter="outputs").raise_for_failure()


def test_what_it_declines_is_printed():
    result = assay.gate(softmax, declines_honestly, **TAKEN)
    result.raise_for_failure()
    assert " % of the cases; skipped, for the kernel does not" in str(result) and "rows of more than 33" in str(result)


def test_a_kernel_in_this_process_is_named():
    assert "in this process, which a kernel can change: own_process=False" in str(
        assay.gate(softmax, right, own_process=False, **TAKEN)
    )
    assert "in this process" not in str(assay.gate(softmax, right, **TAKEN))


def test_a_kernel_by_file_and_name(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("import numpy as np\nfrom tests.attacks.gallery import right\n\ndef mine(p):\n    return right(p)\n")
    assay.gate(softmax, f"{path}:mine", **TAKEN).raise_for_failure()
    path.write_text("import os\nos._exit(0)\n")
    assert not assay.gate(softmax, f"{path}:mine", **TAKEN).passed
    path.write_text("def mine(p):\n    return 0 * p.x\n")
    failed = assay.gate(softmax, f"{path}:mine", **TAKEN)
    assert f"assay.replay('{path}:mine', " in str(failed)
    assert not assay.replay(f"{path}:mine", failed.failures["outputs"].reproducer, operation=softmax)
    path.write_text("import numpy as np\n\ndef backward(p):\n    y = np.exp(p.x - p.x.max(-1, keepdims=True))\n"
                    "    y /= y.sum(-1, keepdims=True)\n    g = p.upstream\n"
                    "    return y * (g - (g * y).sum(-1, keepdims=True))\n")  # fmt: skip
    assay.gradcheck(softmax, f"{path}:backward", cases=5, reach="none").raise_for_failure()
    assert assay.pytest_gate(softmax, f"{path}:backward")
    with pytest.raises(FileNotFoundError, match="no file 'nowhere.py'"):
        assay.gate(softmax, "nowhere.py:mine")


def test_a_file_imports_what_is_beside_it_in_the_process_of_the_kernel_alone(tmp_path, monkeypatch):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "beside_mine.py").write_text("from tests.attacks.gallery import right\n")
    (tmp_path / "kernels" / "later_beside_mine.py").write_text("def same(y):\n    return y\n")
    (tmp_path / "kernels" / "mine.py").write_text(
        "import beside_mine\n\ndef mine(p):\n    import later_beside_mine\n    return later_beside_mine.same(beside_mine.right(p))\n"
    )
    monkeypatch.chdir(tmp_path)
    before = list(sys.path)
    assay.gate(softmax, "kernels/mine.py:mine", **TAKEN).raise_for_failure()
    assert sys.path == before and "beside_mine" not in sys.modules


IMPORTED_AFTERWARDS = """
import sys, assay, numpy as np
from tests.attacks.gallery import right, softmax
seen = []
def kernel(p):
    seen.append(set(sys.modules))
    return right(p) if hasattr(p, "x") else np.linalg.svd(p.A, full_matrices=False)
for operation, more in ((softmax, {"certificate": "c.json"}), ("svd", {"filter": "order"})):
    seen.clear()
    assay.gate(operation, kernel, cases=2, reach="none", own_process=False, **more)
    print(operation, *sorted(name for name in set(sys.modules) - seen[0] if name.startswith("assay")), sep="\\t")
"""


def test_the_judge_imports_nothing_of_its_own_after_the_kernel_has_run(tmp_path):
    """A kernel has the rights to write over what is not loaded yet."""
    paths = os.pathsep.join([os.path.dirname(os.path.dirname(assay.__file__)), *sys.path])
    program = [sys.executable, "-c", IMPORTED_AFTERWARDS]
    ended = subprocess.run(program, env={**os.environ, "PYTHONPATH": paths}, cwd=tmp_path, capture_output=True, text=True)
    assert [line.count("\t") for line in ended.stdout.splitlines()] == [0, 0], ended.stdout + ended.stderr


def test_a_fresh_seed_is_another_each_time():
    seeds = {assay.gate(softmax, right, seed="fresh", cases=2, reach="none").record["runs"][0]["seed"] for _ in range(3)}
    assert len(seeds) == 3


@pytest.mark.parametrize("constant, verdict", [(0, False), (1, True)])
def test_results_that_are_all_one_number_prove_nothing(constant, verdict):
    @assay.operation(x="N")
    def difference(xp, x):
        return x - x if constant == 0 else x * 2

    kernel = (lambda p: np.zeros_like(p.x)) if constant == 0 else (lambda p: p.x * 2)
    result = assay.gate(difference, kernel, filter="outputs", cases=20, reach="none", limits={"N": 5})
    assert result.passed == verdict and ("every number that the kernel returned is 0" in str(result)) == (not verdict)


def in_blocks(p):
    y = np.zeros((p.a.shape[0], p.b.shape[1]), np.float32)
    for k in range(0, p.a.shape[1], 64):
        y += p.a[:, k : k + 64] @ p.b[k : k + 64]
    return y


@pytest.mark.parametrize(
    "operation, kernel, sizes",
    [
        (softmax, right, "D=1059 N=1063"),
        (large_together.product, in_blocks, "K=540 M=520 N=552"),
        (large_together.attention, large_together.attended, "E=221 S=226 T=213"),
    ],
)
def test_it_passes_where_extents_are_large_together(operation, kernel, sizes):
    result = assay.gate(operation, kernel, cases=5, filter="^outputs$")
    result.raise_for_failure()
    assert sizes in str(result)


def test_a_softmax_in_float16_that_flushes_small_numbers_passes():
    def flushed(p):
        x = p.x.astype(np.float32)
        e = np.exp(x - x.max(-1, keepdims=True, initial=-np.inf))
        y = (e / e.sum(-1, keepdims=True)).astype(np.float16)
        return np.where(np.abs(y) < np.finfo(np.float16).tiny, np.float16(0), y)

    assay.gate(softmax, flushed, dtype="float16", subnormals=False, cases=60, filter="^outputs$").raise_for_failure()


def test_a_small_limit_is_the_scope_of_the_verdict():
    narrow = assay.gate(softmax, right, limits={"N": 3, "D": 4}, **TAKEN)
    assert narrow.passed and str(narrow).rstrip().endswith("for D <= 4 and N <= 3 alone")
    assert not str(assay.gate(softmax, right, **TAKEN)).rstrip().endswith("alone")
