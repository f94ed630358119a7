"""What reports and refusals of `assay metal check` say to someone who has to mend the shader."""

import numpy as np
import pytest

from assay import metal
from assay._program import run_program

HEADER = "#include <metal_stdlib>\nusing namespace metal;\n"


def check(tmp_path, text, *arguments):
    (tmp_path / "x.metal").write_text(HEADER + text)
    ended = run_program("metal", "check", "x.metal", *arguments, folder=str(tmp_path))
    return ended.returncode, ended.stdout + ended.stderr


def test_an_update_by_several_threads_is_to_be_atomic(tmp_path):
    text = "kernel void f(device int* n, uint i [[thread_position_in_grid]]) {{ n[{}] += 1; }}"
    status, said = check(tmp_path, text.format("0"), "--grid", "64", "--buffer", "0=zero:64")
    assert status == 1 and "to mend it, make it one atomic operation, such as atomic_fetch_add_explicit" in said
    assert check(tmp_path, text.format("i"), "--grid", "64", "--buffer", "0=zero:64")[0] == 0


def test_a_race_of_two_lines_is_to_have_a_barrier(tmp_path):
    text = """kernel void f(device int* n, uint i [[thread_position_in_grid]]) {
  n[i] = 1;
  n[63 - i] += 1;
}"""
    status, said = check(tmp_path, text, "--grid", "64", "--buffer", "0=zero:64")
    assert status == 1 and "between the two accesses" in said


def test_a_sum_that_absorbed_its_terms_is_named_beside_the_subtraction(tmp_path):
    text = """kernel void f(device float* out, constant float& start, constant float& step) {
  float t = start;
  for (int n = 0; n < 100; ++n)
    t += step;
  out[0] = t - start;
}"""
    arguments = ("--numerics", "--grid", "1", "--buffer", "0=unset:1", "--buffer", "1=100000")
    _, said = check(tmp_path, text, *arguments, "--buffer", "2=0.00123")
    assert "x.metal:7:14" in said and "a term is absorbed, 100 times in all" in said and "x.metal:6:7" in said
    _, said = check(tmp_path, text, *arguments, "--buffer", "2=0.0123")  # rounded, and not absorbed
    assert "x.metal:7:14" in said and "absorbed" not in said


@pytest.mark.parametrize(
    "text, said",
    [
        (
            "kernel void f(imageblock<half4> b) {}",
            "parameter 'b' of the kernel is an imageblock, the tile memory of a render pass",
        ),
        ("kernel void f() { threadgroup int a[8]; int b = a; }", "'int[8]'"),
        ("half g(half3 x); kernel void f(device half* y) { y[0] = g(half3(1)); }", "'g(metal::vec<half, 3>)' is no function"),
    ],
)
def test_refusals_have_the_shaders_own_words(tmp_path, text, said):
    status, all_of_it = check(tmp_path, text, "--kernel", "f")
    assert status == 1 and said in all_of_it and "assay_type" not in all_of_it


@pytest.mark.parametrize("grid", ["3x3", "9" * 300 + "x3", "0", "-1"])
def test_a_grid_is_whole_numbers(tmp_path, grid):
    status, said = check(tmp_path, "kernel void f() {}", f"--grid={grid}")
    assert status == 2 and "with commas between them: 64,64,1" in said and len(said) < 300


def test_an_index_of_an_array_in_threadgroup_memory(tmp_path):
    text = "kernel void f(device int* y) { threadgroup int a[8]; a[y[0]] = 1; }"
    status, said = check(tmp_path, text, "--grid", "1", "--buffer", "0=9")
    assert status == 1 and "index 9 of `a`, 'int[8]'" in said


LINKED = "kernel void f(device float* y, uint i [[thread_position_in_grid]]) { add(y, i); }"


def test_files_of_a_library_are_linked(tmp_path):
    (tmp_path / "add.h").write_text("#pragma once\nvoid add(device float* y, uint i);\n")
    (tmp_path / "add.metal").write_text(HEADER + '#include "add.h"\nvoid add(device float* y, uint i) {\n  y[i] += 2;\n}\n')
    (tmp_path / "f.metal").write_text(HEADER + '#include "add.h"\n' + LINKED)
    with pytest.raises(metal.CompileError, match="is no function of Metal's, and this shader does not define it"):
        metal.compile(tmp_path / "f.metal")
    library = metal.compile(tmp_path / "f.metal", linked_files=[tmp_path / "add.metal", tmp_path / "f.metal"])
    y = np.zeros(4, np.float32)
    library.f(y, grid=4)
    assert y.tolist() == [2] * 4
    with pytest.raises(metal.CheckError) as caught:
        library.f(y, grid=5)
    event = caught.value.reports[0].event
    assert event.file.endswith("add.metal") and event.line == 5
    with pytest.raises(ValueError, match="linked_files: .*none: expected a file"):
        metal.compile(tmp_path / "f.metal", linked_files=[tmp_path / "none"])


def test_one_kernel_of_a_file_is_compiled_alone(tmp_path):
    text = HEADER + "kernel void f(device int* y) { y[0] = 1; }\nkernel void g(device int* y) { y = nothing; }\n"
    with pytest.raises(metal.CompileError, match="nothing"):
        metal.compile(text)
    library = metal.compile(text, kernel="f")
    assert library.function_names == ["f"] and library.f(metal.unset(1, "int32"), grid=1).tolist() == [1]
    for kernel in ("g", "h"):
        with pytest.raises(metal.CompileError):
            metal.compile(text, kernel=kernel)
