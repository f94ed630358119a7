"""What kernels return: arrays of any framework, by whichever protocol they have."""

import subprocess
import sys

import numpy as np
import pytest

import assay
import kernels
from assay._arrays import carry, to_numpy
from assay._built import require_numpy
from assay._core import pybind11_version


class OnlyDlpack:
    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class OnlyArray:
    def __init__(self, array):
        self._array = array

    def __array__(self, dtype=None, copy=None):
        return self._array


class Tracked(OnlyArray):
    """As a tensor that requires a gradient: it has no numbers until it is detached."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("detach first")

    def detach(self):
        return OnlyArray(self._array)


@pytest.mark.parametrize("wrap", [OnlyDlpack, OnlyArray, Tracked, memoryview])
def test_every_protocol_is_judged_alike(wrap):
    def wrapped(p):
        return tuple(wrap(array) for array in kernels.ctc(p))

    result = assay.gate("ctc", wrapped, cases=5, reach="none", filter="^(loss|gradient)$", **kernels.CTC)
    assert result.passed and result["gradient"].cases == 5, str(result)


@pytest.mark.parametrize("wrap", [OnlyDlpack, OnlyArray, Tracked, memoryview])
def test_elements_and_types_are_kept(wrap):
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert (to_numpy(wrap(array)) == array).all() and to_numpy(wrap(array)).dtype == np.float32


def test_transposed_and_big_endian_arrays_are_read_by_their_elements():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert carry(array.T).array.tobytes() == array.T.copy().tobytes()
    assert carry(array.astype(">f4")).array.tobytes() == array.tobytes()


def test_python_numbers_are_float32():
    assert carry(0.5).dtype == "float32" and carry(0.5).array.shape == ()
    assert carry(np.float64(0.5)).dtype == "float64"


def test_what_is_no_array_is_named():
    with pytest.raises(TypeError, match="object is not an array"):
        to_numpy(object())


def test_bfloat16_comes_and_goes_as_bits():
    types = set()

    def halves(p):
        types.add((p.hidden.dtype.itemsize, p.hidden.shape))
        wide = (np.asarray(p.hidden).view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        assert np.isfinite(wide).all()
        return np.zeros(len(p.hidden), np.float32), p.hidden, p.weight

    result = assay.gate("cce", halves, dtype="bfloat16", cases=3, reach="none", filter="^inside$", empty=False, own_process=False)
    assert types and {size for size, _ in types} == {2}
    assert "got" not in str(result.failures), result.failures


def test_bfloat16_of_a_module_without_integer_types_is_taken_by_array():
    class Jax:
        dtype = "bfloat16"

        def __array__(self, dtype=None, copy=None):
            return np.array([0x3F80, 0x4000], np.uint16)  # as ml_dtypes.bfloat16 there: 1 and 2

    carried = carry(Jax())
    assert carried.dtype == "bfloat16" and carried.array.tolist() == [0x3F80, 0x4000]


def test_numpy_2_is_refused_by_a_package_that_misreads_its_arrays():
    for version, pybind11 in (("1.26.4", (2, 10)), ("2.1.0", (2, 12)), ("2.1.0", (3, 0))):
        require_numpy(version, pybind11)
    with pytest.raises(ImportError, match=r"NumPy 2\.1\.0: .* pybind11 2\.10, .* expected NumPy below 2"):
        require_numpy("2.1.0", (2, 10))


def test_numpy_2_is_refused_at_import():
    code = "import numpy; numpy.__version__ = '2.1.0'; import assay"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ("NumPy 2.1.0" in run.stderr) == (pybind11_version < (2, 12)), run.stderr
