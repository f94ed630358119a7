"""assay.metal: kernels on NumPy arrays, what the checks find as exceptions, and the drop-ins for MLX and PyTorch."""

import warnings

import numpy as np
import pytest

import assay
from assay import metal

HEADER = "#include <metal_stdlib>\nusing namespace metal;\n"
SOURCE = HEADER + """
constant float by [[function_constant(4)]];
kernel void scale(device const float* x, device float* y, uint i [[thread_position_in_grid]]) { y[i] = by * x[i]; }
kernel void accumulate(device const float* x [[buffer(1)]], device float* y [[buffer(0)]], constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]]) { if (i < n) y[i] += x[i]; }
kernel void sum(device const float* x, device atomic_uint* count, device float* y, threadgroup float* part,
                uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]],
                uint g [[threadgroup_position_in_grid]], uint size [[threads_per_threadgroup]]) {
  part[t] = x[i];
#ifndef RACE
  threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
  if (t == 0) { float total = 0; for (uint k = 0; k < size; ++k) total += part[k]; y[g] = total; }
  atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
}
kernel void to_bfloat(device const float2* x, device bfloat2* y, uint i [[thread_position_in_grid]]) { y[i] = bfloat2(x[i]); }
kernel void lonely(device float* y, uint i [[thread_position_in_grid]]) { y[i] = 0; if (i < 3) y[i] = simd_sum(1.0f); }
"""


@pytest.fixture(scope="module")
def library():
    return metal.compile(SOURCE)


def test_a_library_says_what_it_has(library):
    assert library.function_names == ["scale", "accumulate", "sum", "to_bfloat", "lonely"]
    assert library.function_constants == {"by": 4}
    assert "sum" in dir(library) and "device const float*" in repr(library.sum)
    assert [argument.is_written for argument in library.scale.buffers] == [False, True]
    assert [argument.name for argument in library.accumulate.buffers] == ["y", "x", "n"]
    with pytest.raises(AttributeError, match="no kernel 'mean': it has scale"):
        library.mean


def test_arrays_that_are_written_change_in_place_and_others_do_not(library):
    x, y = np.arange(6, dtype=np.float32), np.ones(6, np.float32)
    assert library.accumulate(y, x, 4, grid=6) is None
    assert y.tolist() == [1, 2, 3, 4, 1, 1] and x.tolist() == [0, 1, 2, 3, 4, 5]
    rows = np.zeros((4, 6), np.float32)
    library.accumulate(rows[::2, ::3], np.ones((2, 2), np.float32), 4, grid=4)
    assert rows.sum() == 4 and rows[::2, ::3].all()


def test_outputs_are_returned_in_their_shape_and_type(library):
    x = np.arange(6, dtype=np.float32)
    y = library.scale(x, metal.unset((2, 3), "float32"), grid=6, constants={"by": 0.5})
    assert y.dtype == np.float32 and y.tolist() == [[0, 0.5, 1], [1.5, 2, 2.5]]
    count = np.zeros(1, np.uint32)
    sums = library.sum(x, count, metal.unset(3, np.float32), grid=6, group=2, threadgroup_memory=16)
    assert sums.tolist() == [1, 5, 9] and count[0] == 6
    bits = library.to_bfloat(x, metal.unset(6, "bfloat16"), grid=3)
    assert bits.view(np.uint16).tolist() == [0, 0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0]


def test_one_array_for_two_arguments_is_one_array(library):
    x = np.arange(3, dtype=np.float32)
    library.accumulate(x, x, 3, grid=3)
    assert x.tolist() == [0, 2, 4]


def test_findings_are_raised_with_their_places(library):
    x = np.zeros(4, np.float32)
    with pytest.raises(metal.CheckError, match="memcheck: scale") as caught:
        library.scale(x, metal.unset(5, "float32"), grid=5, constants={4: 1})
    (report,) = caught.value.reports
    assert (report.check, report.kernel, report.count) == ("memcheck", "scale", 1)
    assert report.event.line == 5 and report.event.thread_position_in_grid == (4, 0, 0)
    with pytest.raises(metal.CheckError, match="initcheck"):
        library.accumulate(metal.unset(4, "float32"), x, 4, grid=4)
    racy = metal.compile(SOURCE, macros={"RACE": 1})
    with pytest.raises(metal.CheckError, match="racecheck"):
        racy.sum(x, np.zeros(1, np.uint32), metal.unset(2, "float32"), grid=4, group=2, threadgroup_memory={0: 16})
    assert x.tolist() == [0, 0, 0, 0]


def test_what_ended_the_emulator_is_reported():
    library = metal.compile(HEADER + """
kernel void remainder(device int* x, constant int& width, uint i [[thread_position_in_grid]]) { x[i] = i % width; }
kernel void endless(device int* x) { while (x[0] == 0) x[1] += 1; }
kernel void idle(device int* x) { int n = x[0]; while (n >= 0) n |= 1; }
""")
    with pytest.raises(metal.CheckError, match="intcheck: remainder"):
        library.remainder(np.zeros(2, np.int32), 0, grid=2)
    with pytest.raises(metal.CheckError, match="after 5000 steps: an endless loop"):
        library.endless(np.zeros(2, np.int32), grid=1, step_limit=5000)
    with pytest.raises(metal.CheckError, match="after 5000 steps: an endless loop"):  # which C++ lets compilers remove
        library.idle(np.zeros(2, np.int32), grid=1, step_limit=5000)
    with pytest.raises(ValueError, match="step_limit = 0"):
        library.endless(np.zeros(2, np.int32), grid=1, step_limit=0)


def test_textures_come_after_buffers_and_samplers_after_textures():
    library = metal.compile(HEADER + """
kernel void blur(texture2d<float> in, sampler s, texture2d<float, access::write> out, constant float& by,
                 uint2 at [[thread_position_in_grid]]) {
  out.write(by * in.sample(s, float2(at) + float2(1, 0.5)), at);
}""")
    image = np.array([[0, 4, 8], [100, 104, 108]], np.float32)
    out = library.blur(2.0, image, metal.unset((2, 2), "float32"), "linear,pixel", grid=(2, 2))
    assert out.tolist() == [[4, 12], [204, 212]]
    with pytest.raises(metal.CheckError, match=r"texture\(1\) `out` at \(2, 0\): its size is 2 x 2"):
        library.blur(2.0, image, metal.unset((2, 2), "float32"), "linear,pixel", grid=(3, 2))
    with pytest.raises(ValueError, match="blur: 1 arguments: expected 4: constant float& by, texture2d<float> in"):
        library.blur(image, grid=1)


def test_a_warning_is_a_warning(library):
    with pytest.warns(metal.MetalWarning, match="simdcheck: lonely"):
        library.lonely(metal.unset(32, "float32"), grid=32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        library.scale(np.zeros(1, np.float32), metal.unset(1, "float32"), grid=1, constants={"by": 1})


def test_what_does_not_compile_is_told_with_its_line(tmp_path):
    with pytest.raises(metal.CompileError, match=r"source\.metal:1:.*\n?.*nonsense"):
        metal.compile("kernel void k(device nonsense* x) {}")
    file = tmp_path / "mine.metal"
    file.write_text(SOURCE)
    assert "sum" in metal.compile(file).function_names
    with pytest.raises(metal.CompileError, match="none.metal"):
        metal.compile(tmp_path / "none.metal")


def test_a_text_is_compiled_once_for_all_processes(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    text = HEADER + "kernel void twice(device float* x, uint i [[thread_position_in_grid]]) { x[i] *= 2; }"
    x = np.ones(3, np.float32)
    metal.compile(text).twice(x, grid=3)
    compiled = set(tmp_path.glob("assay/*.so"))
    metal.compile(text).twice(x, grid=3)
    assert compiled and set(tmp_path.glob("assay/*.so")) == compiled and x[0] == 4


def test_arguments_that_do_not_fit_are_refused_by_name(library):
    x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
    frozen = np.zeros(4, np.float32)
    frozen.flags.writeable = False
    for message, arguments in {
        r"scale: 1 arguments: expected 2: device const float\* x, device float\* y": (x,),
        "dtype 'float64'": (x.astype(np.float64), y),
        r"float16 \[4\]: expected numbers of type float32": (x.astype(np.float16), y),
        "y: the kernel may write .*: expected an array that can be written": (x, frozen),
        r"shares its memory: expected the same array, or a copy": (x[1:], x[:3]),
        r"float32 \[0\]: expected at least one number": (x[:0], y),
    }.items():
        with pytest.raises(ValueError, match=message):
            library.scale(*arguments, grid=4, constants={"by": 1})
    for message, arguments in {
        r"y: the kernel may write device float\*: expected an array, or unset\(...\), and not list": (x, [0.0] * 4),
        "y: the kernel may write .*, and not float$": (x, 0.0),
        r"x = None: expected an array or a number for device const float\*": (None, y),
        "x = 'x': expected an array": ("x", y),
        "masked": (np.ma.masked_equal(x, 1), y),
    }.items():
        with pytest.raises(TypeError, match=message):
            library.scale(*arguments, grid=4, constants={"by": 1})
    with pytest.raises(ValueError, match="function constant 'on': the shader has by"):
        library.scale(x, y, grid=4, constants={"on": 1})
    with pytest.raises(ValueError, match="grid"):
        library.scale(x, y, grid=0, constants={"by": 1})
    with pytest.raises(ValueError, match="expected a value for constant uint"):
        library.accumulate(y, x, metal.unset(1, "uint32"), grid=4)
    with pytest.raises(ValueError, match="gpu"):
        metal.compile(SOURCE, device="gpu").scale(x, y, grid=4, constants={"by": 1})


def test_what_is_no_source_is_refused_by_name():
    for source in (None, b"kernel void f() {}"):
        with pytest.raises(TypeError, match="source is .*: expected the text of a shader, or its pathlib.Path"):
            metal.compile(source)
    with pytest.raises(ValueError, match=r"source = 'a/b.metal': .* is pathlib.Path\('a/b.metal'\)"):
        metal.compile("a/b.metal")


# The drop-in for MLX.

EXP = "uint elem = thread_position_in_grid.x; T tmp = inp[elem]; out[elem] = metal::exp(tmp);"


def call(kernel, *inputs, shape, dtype=np.float32, grid, group=None, **more):
    (out,) = kernel(inputs=list(inputs), output_shapes=[shape], output_dtypes=[dtype], grid=grid,
                    threadgroup=group or (256, 1, 1), **more)
    return out


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_mlx_kernel_of_a_template(dtype, capsys):
    kernel = metal.mlx.metal_kernel("myexp", ["inp"], ["out"], EXP)
    a = np.linspace(-1, 1, 12).astype(dtype).reshape(3, 4)
    out = call(kernel, a, shape=a.shape, dtype=dtype, grid=(a.size, 1, 1), template=[("T", dtype)], verbose=True)
    assert out.shape == a.shape and out.dtype == dtype
    np.testing.assert_allclose(out, np.exp(a), rtol=2e-3 if dtype == np.float16 else 1e-6)
    said = capsys.readouterr().out
    assert "const device " + {"float32": "float", "float16": "float16_t"}[dtype.__name__] + "* inp [[buffer(0)]]" in said
    assert "template <typename T>" in said and "uint3 thread_position_in_grid" in said


def test_mlx_strides_are_those_of_the_array():
    body = "uint i = thread_position_in_grid.x; out[i] = x[elem_to_loc(i, x_shape, x_strides, x_ndim)] + x_strides[0];"
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    for ensure, stride in ((True, 3), (False, 1)):
        kernel = metal.mlx.metal_kernel("walk", ["x"], ["out"], body, ensure_row_contiguous=ensure)
        out = call(kernel, x.T, shape=(4, 3), dtype="int32", grid=(12, 1, 1))
        assert (out == x.T + stride).all()
    with pytest.raises(ValueError, match="x: expected an array without gaps"):
        call(metal.mlx.metal_kernel("walk", ["x"], ["out"], body, ensure_row_contiguous=False), x[:, ::2], shape=(3, 2),
             dtype="int32", grid=(6, 1, 1))


def test_mlx_scalars_constants_headers_and_several_outputs():
    body = "uint i = thread_position_in_grid.x; a[i] = twice(x[i]) * s; b[i] = int(i) + N + (FLAG ? 100 : 0) + v[1];"
    kernel = metal.mlx.metal_kernel("two", ["x", "s", "v"], ["a", "b"], body, "float twice(float x) { return 2 * x; }")
    x = np.arange(16, dtype=np.float32)
    a, b = kernel(inputs=[x, 0.5, np.array([7, 8], np.int32)], template=[("N", 10), ("FLAG", True)], grid=(16, 1, 1),
                  threadgroup=(8, 1, 1), output_shapes=[(16,), (4, 4)], output_dtypes=[np.float32, np.int32])
    assert (a == x).all() and (b == np.arange(16).reshape(4, 4) + 118).all()


def test_mlx_atomic_outputs_and_initial_values():
    body = "atomic_fetch_add_explicit(&out[thread_position_in_grid.x % 2], x[thread_position_in_grid.x], memory_order_relaxed);"
    kernel = metal.mlx.metal_kernel("add", ["x"], ["out"], body, atomic_outputs=True)
    x = np.arange(10, dtype=np.float32)
    assert call(kernel, x, shape=(2,), grid=(10, 1, 1), init_value=1).tolist() == [21, 26]


def test_mlx_kernels_are_checked_and_refused():
    kernel = metal.mlx.metal_kernel("myexp", ["inp"], ["out"], EXP)
    a = np.zeros(9, np.float32)
    with pytest.raises(metal.CheckError, match=r"memcheck: custom_kernel_myexp"):
        call(kernel, a, shape=(9,), grid=(10, 1, 1), template=[("T", np.float32)])
    with pytest.raises(metal.CompileError, match="T"):
        call(kernel, a, shape=(9,), grid=(9, 1, 1))
    with pytest.raises(ValueError, match="inputs: 2: expected 1, for inp"):
        call(kernel, a, a, shape=(9,), grid=(9, 1, 1))
    with pytest.raises(ValueError, match="inp: dtype complex64"):
        call(kernel, a.astype(np.complex64), shape=(9,), grid=(9, 1, 1))


def test_mlx_compile_options_are_known():
    assert metal.mlx.metal_kernel("k", ["x"], ["y"], "", compile_options={"math_mode": "fast"})
    for options in ({"math_mode": "exact"}, {"speed": 1}):
        with pytest.raises(ValueError, match="expected math_mode alone"):
            metal.mlx.metal_kernel("k", ["x"], ["y"], "", compile_options=options)


def test_mlx_arrays_give_mlx_arrays(monkeypatch):
    mx = pytest.importorskip("mlx.core")
    monkeypatch.setattr(mx.fast, "metal_kernel", metal.mlx.metal_kernel)
    kernel = mx.fast.metal_kernel(name="myexp", input_names=["inp"], output_names=["out"], source=EXP)
    for dtype in (mx.float32, mx.float16, mx.bfloat16):
        a = mx.arange(12).reshape(3, 4).astype(dtype) / 8
        out = call(kernel, a.T, shape=(4, 3), dtype=dtype, grid=(a.size, 1, 1), template=[("T", dtype)])
        assert isinstance(out, mx.array) and out.dtype == dtype
        assert mx.allclose(out, mx.exp(a.T), rtol=1e-2)


# The drop-in for PyTorch.

FULL = HEADER + """
kernel void full(device float* t, constant float& value, constant long2& shape, uint2 i [[thread_position_in_grid]]) {
  t[i.y * uint(shape.x) + i.x] = value;
}
kernel void add(device const float* x, device float* y, constant int& n, uint i [[thread_position_in_grid]]) {
  y[i] += x[i] + float(n);
}
"""


def test_torch_kernels_change_arrays_in_place():
    library = metal.torch.compile_shader(FULL)
    assert dir(library) == ["add", "full"]
    t = np.zeros((3, 5), np.float32)
    assert library.full(t, 2.5, [5, 3], threads=(5, 3), group_size=(2, 2)) is None
    assert (t == 2.5).all()
    library.add(np.ones((3, 5), np.float32), t, 1)
    assert (t == 4.5).all()
    with pytest.raises(metal.CheckError, match="memcheck: add"):
        library.add(np.ones(3, np.float32), t, 1, threads=15)
    with pytest.raises(ValueError, match="expected threads"):
        library.full(1, 2.5, [5, 3])
    with pytest.raises(metal.CompileError):
        metal.torch.compile_shader("kernel void k(")


def test_torch_kernels_change_tensors_in_place():
    torch = pytest.importorskip("torch")
    x, y = torch.ones(4), torch.zeros(4, requires_grad=True)
    metal.torch.compile_shader(FULL).add(x, y, 1)
    assert y.tolist() == [2, 2, 2, 2]
    to_bfloat = metal.torch.compile_shader(SOURCE).to_bfloat
    out = torch.zeros(4, dtype=torch.bfloat16)
    to_bfloat(torch.tensor([1.0, 2.0, 3.0, 0.5]), out, threads=2)
    assert out.tolist() == [1, 2, 3, 0.5]


def test_it_is_a_part_of_the_package():
    assert assay.metal is metal
