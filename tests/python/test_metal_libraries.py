"""assay.metal.load: kernels of a library as Apple's compiler writes it, made here of LLVM's text."""

import json
import os
import shutil
import struct
import subprocess
import zipfile

import numpy as np
import pytest

import assay
from assay import metal
from assay._program import run_program

CLANG = os.environ.get("ASSAY_CLANG") or shutil.which("clang++-19") or shutil.which("clang++")

# out[i] = scale * in[i] if i < n, of a struct that has both, for a function constant `by` that is added.
MODULE = """
%struct.Params = type { i32, float }
@by = internal addrspace(2) global float undef, align 4
@by.INIT = internal addrspace(2) externally_initialized constant float undef, section "air.fc_initializer", align 4
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @_GLOBAL__sub_I_k, ptr null }]
define internal void @_GLOBAL__sub_I_k() section "air.static_init" {
  %v = load float, ptr addrspace(2) @by.INIT, align 4
  store float %v, ptr addrspace(2) @by, align 4
  ret void
}
define void @scale(ptr addrspace(1) %in, ptr addrspace(1) %out, ptr addrspace(2) dereferenceable(8) %params, <2 x i32> %at) {
  %i = extractelement <2 x i32> %at, i64 0
  %n = load i32, ptr addrspace(2) %params, align 4
  %inside = icmp ult i32 %i, %n
  br i1 %inside, label %write, label %end
write:
  %from = getelementptr inbounds float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %from, align 4
  %field = getelementptr inbounds %struct.Params, ptr addrspace(2) %params, i64 0, i32 1
  %factor = load float, ptr addrspace(2) %field, align 4
  %more = load float, ptr addrspace(2) @by, align 4
  %product = fmul float %x, %factor
  %y = fadd float %product, %more
  %to = getelementptr inbounds float, ptr addrspace(1) %out, i32 %i
  store float %y, ptr addrspace(1) %to, align 4
  br label %end
end:
  ret void
}
!air.kernel = !{!0}
!air.function_constants = !{!8}
!0 = !{ptr @scale, !1, !2}
!1 = !{}
!2 = !{!3, !4, !5, !7}
!3 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read", !"air.address_space", i32 1, \
!"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"in"}
!4 = !{i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read_write", !"air.address_space", i32 1, \
!"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"out"}
!5 = !{i32 2, !"air.buffer", !"air.buffer_size", i32 8, !"air.location_index", i32 2, i32 1, !"air.read", \
!"air.address_space", i32 2, !"air.struct_type_info", !6, !"air.arg_type_size", i32 8, !"air.arg_type_align_size", i32 4, \
!"air.arg_type_name", !"Params", !"air.arg_name", !"params"}
!6 = !{i32 0, i32 4, i32 0, !"uint", !"n", i32 4, i32 4, i32 0, !"float", !"factor"}
!7 = !{i32 3, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint2", !"air.arg_name", !"at"}
!8 = !{ptr addrspace(2) @by.INIT, !"float", !"by", i32 4, i1 true}
"""


def tag(name, data):
    return name + struct.pack("<H", len(data)) + data


def metallib(name, bitcode):
    entry = tag(b"NAME", name + b"\0") + tag(b"TYPE", b"\2") + tag(b"OFFT", bytes(24))
    entry += tag(b"MDSZ", struct.pack("<Q", len(bitcode)))
    entry += tag(b"VERS", struct.pack("<4H", 2, 8, 4, 0)) + b"ENDT"
    functions = struct.pack("<I", len(entry) + 4) + entry
    code = 88 + 4 + len(functions)
    header = struct.pack("<9Q", code + len(bitcode), 88, len(functions), 88, 0, 88, 0, code, len(bitcode))
    return b"MTLB".ljust(16, b"\0") + header + struct.pack("<I", 1) + functions + bitcode


def assembled(text, folder):
    if CLANG is None:
        pytest.skip("there is no clang")
    (folder / "k.ll").write_text(text)
    flags = ["-x", "ir", "-w", "-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes"]
    subprocess.run([CLANG, *flags, str(folder / "k.ll"), "-o", str(folder / "k.bc")], check=True)
    return (folder / "k.bc").read_bytes()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    (folder / "test.metallib").write_bytes(metallib(b"scale", assembled(MODULE, folder)))
    return folder / "test.metallib"


def test_a_kernel_takes_the_fields_of_a_struct(path):
    library = metal.load(path)
    assert library.function_names == ["scale"] and len(library) == 1
    x = np.arange(8, dtype=np.float32)
    out = np.full(8, -1, np.float32)
    library.scale(x, out, dict(n=6, factor=3.0), grid=(8, 1), group=(4, 1), constants={"by": 0.5})
    assert out.tolist() == [0.5, 3.5, 6.5, 9.5, 12.5, 15.5, -1, -1]


def test_what_does_not_fit_the_metadata_is_named(path):
    kernel = metal.load(path)["scale"]
    x = np.zeros(8, np.float32)
    with pytest.raises(ValueError, match="params: fields n: expected uint n, float factor"):
        kernel(x, x.copy(), dict(n=6), grid=8, constants={"by": 0})
    with pytest.raises(ValueError, match="function constant 4 `by`"):
        kernel(x, x.copy(), dict(n=6, factor=1), grid=8)
    with pytest.raises(KeyError, match="test.metallib has no kernel 'other'"):
        metal.load(path)["other"]


def test_an_access_out_of_bounds_is_an_error_at_its_instruction(path):
    kernel = metal.load(path).scale
    with pytest.raises(metal.CheckError) as error:
        kernel(np.zeros(8, np.float32), np.zeros(7, np.float32), dict(n=8, factor=1), grid=8, constants={"by": 0})
    report = error.value.reports[0]
    assert report.check == "memcheck" and report.address.startswith("buffer(1) `out` + 28")
    assert "scale, block write: store float %y" in report.event.file


def test_a_file_without_a_library_is_refused(tmp_path):
    (tmp_path / "empty.metallib").write_bytes(b"MTLB")
    with pytest.raises(metal.CompileError, match="header of 88 bytes"):
        metal.load(tmp_path / "empty.metallib")


@pytest.fixture(scope="module")
def wheel(path, tmp_path_factory):
    """Two files with a library: the second has the same kernel once more."""
    folder = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(folder / "k-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("k/__init__.py", "")
        archive.writestr("k/lib/one.metallib", path.read_bytes())
        archive.writestr("k/lib/two.dylib", b"\xcf\xfa\xed\xfe program" + path.read_bytes())
    return folder / "k-1.0-py3-none-any.whl"


def test_a_wheel_is_a_library(wheel):
    x, out = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    metal.load(f"{wheel}#2").scale(x, out, dict(n=8, factor=2.0), grid=8, constants={"by": 1})
    assert out.tolist() == (2 * x + 1).tolist()


def test_a_kernel_of_two_libraries_asks_for_one(wheel):
    x = np.zeros(8, np.float32)
    said = r"2 of its libraries have a kernel scale, expected one of .*any.whl#1 \(.* 1 kernels, in k/lib/one"
    with pytest.raises(ValueError, match=said):
        metal.load(wheel).scale(x, x.copy(), dict(n=8, factor=2.0), grid=8, constants={"by": 1})


def test_the_libraries_of_a_wheel_are_listed(wheel):
    ended = run_program("metal", "list", str(wheel))
    assert ended.returncode == 0
    names = [line.rpartition(", in ")[2] for line in ended.stdout.splitlines() if line.startswith("library ")]
    assert names == ["k/lib/one.metallib)", "k/lib/two.dylib)"]


def test_a_damaged_wheel_is_refused(wheel, tmp_path):
    whole = wheel.read_bytes()
    (tmp_path / "short.whl").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(metal.CompileError, match="short.whl': expected a zip archive"):
        metal.load(tmp_path / "short.whl")
    at = whole.index(b"one.metallib") + 60
    (tmp_path / "changed.whl").write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
    with pytest.raises(metal.CompileError, match="changed.whl': k/lib/one.metallib: "):
        metal.load(tmp_path / "changed.whl")


def test_what_reads_a_source_says_that_a_library_is_none(path):
    linted = run_program("metal", "lint", str(path))
    assert linted.returncode == 2 and "is a compiled library: lint takes a .metal source" in linted.stderr


# Two barriers: out[i] = in[i ^ 63] by way of threadgroup memory needs the first alone.
SWAP = """
@_ZZ4swapE6shared = internal addrspace(3) global [64 x float] undef, align 4
define void @swap(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %i) {
  %from = getelementptr inbounds float, ptr addrspace(1) %in, i32 %i
  %x = load float, ptr addrspace(1) %from, align 4
  %mine = getelementptr inbounds [64 x float], ptr addrspace(3) @_ZZ4swapE6shared, i64 0, i32 %i
  store float %x, ptr addrspace(3) %mine, align 4
  call void @air.wg.barrier(i32 2, i32 1)
  %other = xor i32 %i, 63
  %there = getelementptr inbounds [64 x float], ptr addrspace(3) @_ZZ4swapE6shared, i64 0, i32 %other
  %y = load float, ptr addrspace(3) %there, align 4
  call void @air.wg.barrier(i32 1, i32 1)
  %to = getelementptr inbounds float, ptr addrspace(1) %out, i32 %i
  store float %y, ptr addrspace(1) %to, align 4
  ret void
}
declare void @air.wg.barrier(i32, i32)
!air.kernel = !{!0}
!0 = !{ptr @swap, !1, !2}
!1 = !{}
!2 = !{!3, !4, !5}
!3 = !{i32 0, !"air.buffer", !"air.location_index", i32 0, i32 1, !"air.read", !"air.address_space", i32 1, \
!"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"in"}
!4 = !{i32 1, !"air.buffer", !"air.location_index", i32 1, i32 1, !"air.read_write", !"air.address_space", i32 1, \
!"air.arg_type_size", i32 4, !"air.arg_type_align_size", i32 4, !"air.arg_type_name", !"float", !"air.arg_name", !"out"}
!5 = !{i32 2, !"air.thread_position_in_grid", !"air.arg_type_name", !"uint", !"air.arg_name", !"i"}
"""


def test_each_barrier_of_a_library_is_swept(tmp_path):
    (tmp_path / "swap.metallib").write_bytes(metallib(b"swap", assembled(SWAP, tmp_path)))
    words = ["--grid", "64", "--group", "64", "--buffer", "0=random:64", "--buffer", "1=unset:64", "--json", "sweep.json"]
    ended = run_program("metal", "sweep", "swap.metallib", "--kernel", "swap", *words, folder=str(tmp_path))
    changes = json.loads((tmp_path / "sweep.json").read_text())["changes"]
    found = {(one["line"], one["change"]): one["check"] for one in changes}
    first, second = sorted({line for line, _ in found})
    noticed = {"deleted": "initcheck", "mem_threadgroup -> mem_none": "racecheck", "mem_threadgroup -> mem_device": "racecheck"}
    missed = ("deleted", "mem_device -> mem_none", "mem_device -> mem_threadgroup")
    expected = {(first, one): check for one, check in noticed.items()}
    assert found == {**expected, **{(second, one): None for one in missed}}, ended.stdout
    assert ended.returncode == 1 and "swap, block 0: call void @air.wg.barrier(i32 1, i32 1)" in ended.stdout


@assay.operation(x="N")
def double(xp, x):
    return 2 * x


def binding_of(wheel, folder, factor, by):
    """That of a kernel which computes factor x + by."""
    buffers = [{"index": 0, "array": "x"}, {"index": 1, "array": "output0"}, {"index": 2, "struct": "Params"}]
    fields = [{"type": "uint", "value": "N"}, {"type": "float", "value": factor}]
    run = {"grid": ["N"], "group": [32], "buffers": buffers, "constants": [{"index": 4, "type": "float", "value": by}]}
    binding = {"operation": "double", "source": f"{wheel}#1", "structs": {"Params": fields}, "passes": [run]}
    (folder / "double.json").write_text(json.dumps(binding))
    return folder / "double.json"


@pytest.mark.parametrize("factor", ["2", "3"])
def test_the_gate_judges_a_kernel_of_a_wheel(wheel, tmp_path, factor):
    result = assay.gate(double, binding_of(wheel, tmp_path, factor, "0"), cases=3, filter="^outputs$", empty=False)
    assert result.passed == (factor == "2"), str(result)


@pytest.mark.parametrize("by", ["0", "1e-12"])
def test_the_algebra_follows_a_kernel_of_a_wheel(wheel, tmp_path, by):
    options = {"cases": 3, "reach": "none", "filter": "^algebra$", "empty": False, "algebra": True}
    result = assay.gate(double, binding_of(wheel, tmp_path, "2", by), **options)
    assert set(result.failures) == (set() if by == "0" else {"algebra"}), str(result)
    assert by != "0" or result["algebra"].judged == result["algebra"].elements > 0, str(result)
