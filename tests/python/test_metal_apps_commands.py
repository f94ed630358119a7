"""What `assay metal lint`, `check` and `sweep` say of forms that apps' shaders have."""

import json

import pytest

from assay._program import run_program

HEADER = "#include <metal_stdlib>\nusing namespace metal;\n"


def lint(tmp_path, text):
    (tmp_path / "linted.metal").write_text(HEADER + text)
    done = run_program("metal", "lint", "linted.metal", folder=str(tmp_path))
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "text, status, said",
    [
        (
            "kernel void f(device float* x, constant uint& n) { float y[n]; y[0] = 1; x[0] = y[0]; }",
            1,
            ":3:60: error: variable length",
        ),
        (
            "kernel void g(device float* x) { x[0] = 1; }\nkernel void f(device float* x) { g(x); }",
            1,
            ":4:34: error: 'g' is a kernel",
        ),
        ("void g(device float** x) {}\nkernel void f(device float* x) {}", 1, ":3:8: error: pointer type must have explicit"),
        (
            "kernel void f(device float* x) { thread_local float y = 1; x[0] = y; }",
            1,
            ":3:34: error: Metal has no 'thread_local'",
        ),
        (
            "kernel void f(device float* x, constant bool& b) { mem_flags m = b ? mem_flags::mem_device : mem_flags::mem_none;\n"
            "  threadgroup_barrier(m); x[0] = 1; }",
            0,
            ":4:23: warning: the flags of this barrier depend on the variable 'm'",
        ),
        (
            "template <typename T> using P = device T*;\nvoid g(P<float> x) { *x = 1; }\n"
            "kernel void f(device float* x) { g(x); }",
            0,
            "",
        ),
        ("kernel void f(device uint* x) { x[0] = pack_float_to_unorm4x8(float4(1)); }", 0, ""),
        (
            "struct S { float x; float get() const device { return x; } float get() const thread { return 2 * x; } };\n"
            "kernel void f(device S* s) { const S mine = *s; s->x = mine.get() + s->get(); }",
            0,
            "",
        ),
        (
            "constexpr constant mem_flags m = mem_flags::mem_none;\n"
            "kernel void f(device float* x) { threadgroup_barrier(m); x[0] = 1; }",
            0,
            "",
        ),
    ],
)
def test_lint_of_what_apps_have(tmp_path, text, status, said):
    returned, printed = lint(tmp_path, text)
    assert returned == status and said in printed, printed
    assert said or "warning" not in printed


def test_races_of_one_cause_are_told_as_one(tmp_path):
    stages = "\n".join(f"  s[(t + {n}) % 64] += 1;" for n in range(1, 8))
    (tmp_path / "races.metal").write_text(
        HEADER + "kernel void f(device float* x, uint t [[thread_index_in_threadgroup]]) {\n  threadgroup float s[64];\n"
        f"  s[t] = 1;\n{stages}\n  x[t] = s[t];\n}}\n"
    )
    words = ("--grid", "64", "--group", "64", "--buffer", "0=unset:64", "--json", "found.json")
    done = run_program("metal", "check", "races.metal", *words, folder=str(tmp_path))
    reports = json.loads((tmp_path / "found.json").read_text())["reports"]
    races = [one for one in reports if one["check"] == "racecheck"]
    assert done.returncode == 1 and len(races) > 4
    assert f"and {len(races) - 1} more of threadgroup variable `s`" in done.stdout, done.stdout
    assert done.stdout.count("racecheck: kernel f") == 1 and "races.metal:7:19 and races.metal:8:19" in done.stdout


def test_only_the_barriers_of_the_swept_kernel_change(tmp_path):
    one = "threadgroup float s[64];\n  s[t] = x[t];\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n  x[t] = s[63 - t];\n"
    head = "(device float* x, uint t [[thread_index_in_threadgroup]]) {\n  "
    (tmp_path / "two.metal").write_text(f"{HEADER}kernel void a{head}{one}}}\nkernel void b{head}{one}}}\n")
    words = ("--kernel", "b", "--grid", "64", "--group", "64", "--buffer", "0=random:64")
    done = run_program("metal", "sweep", "two.metal", *words, folder=str(tmp_path))
    assert done.returncode == 0 and ":12:3: deleted" in done.stdout and ":6:3" not in done.stdout, done.stdout + done.stderr
