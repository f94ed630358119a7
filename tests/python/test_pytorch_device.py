"""Tensors on a device as kernels in PyTorch get them: memory, what is written, what is returned. Here the device is the CPU."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from assay._arrays import to_numpy  # noqa: E402
from assay._layouts import laid_out  # noqa: E402
from assay._own_memory import SharedMemory  # noqa: E402
from assay._pipe import ReturnedWrong  # noqa: E402
from assay.pytorch.calls import tensor_of  # noqa: E402
from assay.pytorch.device import DeviceMemory, bytes_of, device_called  # noqa: E402


def memory():
    return DeviceMemory(torch.device("cpu"))


def given(device, layout=0):
    array = laid_out(np.arange(12, dtype=np.float32).reshape(3, 4), layout)
    return device.give({"x": tensor_of(array)})["x"]


@pytest.mark.parametrize("layout", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
def test_the_tensors_have_the_values_the_strides_and_the_alignment_of_the_gates_arrays(layout):
    host = tensor_of(laid_out(np.arange(12, dtype=np.float32).reshape(3, 4), layout))
    device = memory()
    x = device.give({"x": host})["x"]
    assert torch.equal(x, host) and x.stride() == host.stride()
    assert (x.storage_offset() * 4 - host.data_ptr()) % 64 == 0
    device.require_inputs()


def test_rows_that_repeat_have_a_stride_of_zero():
    host = torch.ones(5, 3).as_strided((5, 3), (0, 1))
    assert memory().give({"x": host})["x"].stride() == (0, 1)


@pytest.mark.parametrize("kind", [torch.bool, torch.int64, torch.float16, torch.bfloat16])
def test_other_types_too(kind):
    device, host = memory(), torch.ones(3, 4).to(kind)
    assert torch.equal(device.give({"x": host})["x"], host)
    device.require_inputs()
    assert device.give({"x": torch.ones(0, 4).to(kind)})["x"].shape == (0, 4)
    device.require_inputs()


@pytest.mark.parametrize("layout", [0, 3, 6])
@pytest.mark.parametrize("value", [0.5, float("nan"), float("inf")])
def test_a_write_to_an_input_is_an_error(layout, value):
    device = memory()
    given(device, layout)[1, 2] = value
    with pytest.raises(SharedMemory, match="the kernel changed its input x: expected its memory as before"):
        device.require_inputs()


@pytest.mark.parametrize("at", [-1, 12])
def test_a_write_beside_an_input_is_an_error(at):
    device = memory()
    x = given(device)
    x.as_strided((1,), (1,), x.storage_offset() + at)[0] = 3
    with pytest.raises(SharedMemory, match="the kernel wrote outside of its input x"):
        device.require_inputs()


def test_a_view_of_an_input_and_a_result_that_is_used_again_are_errors():
    device = memory()
    x = given(device)
    with pytest.raises(SharedMemory, match="output 0 is a view of the input x"):
        device.take([x[1:]], "output")
    kept = x * 2
    assert torch.equal(device.take([kept], "output")[0], x * 2)
    kept += 1
    with pytest.raises(SharedMemory, match="gradient 0 of the call before was overwritten|output 0 of the call before was overwritten"):
        device.take([x * 3], "output")
    assert torch.equal(device.take([x * 3], "output")[0], x * 3), "told once"


def test_a_result_on_another_device_is_an_error():
    with pytest.raises(ReturnedWrong, match="output 0 is on meta: expected cpu, where the inputs are"):
        memory().take([torch.empty(3, device="meta")], "output")


def test_a_launch_that_failed_is_told_where_the_kernel_is_waited_for(monkeypatch):
    def fails():
        raise RuntimeError("CUDA error: an illegal memory access was encountered\nmore")

    device = memory()
    monkeypatch.setattr(torch, "cpu", type("Device", (), {"synchronize": staticmethod(fails)}), raising=False)
    with pytest.raises(ReturnedWrong, match="a launch on cpu failed: CUDA error: an illegal memory access was encountered; what is called"):
        device.wait()


@pytest.mark.parametrize("name", ["nowhere", "cuda:99", 3.5])
def test_a_device_that_there_is_not_is_refused_by_name(name):
    with pytest.raises(ValueError, match="expected a device that PyTorch has here, such as 'cpu' or 'cuda'"):
        device_called(name)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 2)])
@pytest.mark.parametrize("stride", [0, 1, 4])
def test_the_bytes_of_a_result_are_those_of_its_elements(shape, stride):
    result = torch.tensor([0.0] + [1.0] * 12).as_strided(shape, [stride] * len(shape), 1)
    assert bytes_of(result).tolist() == [0, 0, 128, 63] * result.numel()


def test_the_bytes_of_one_element_of_a_larger_tensor_are_its_own():
    assert bytes_of(torch.tensor([0.0, 1.0, 0.0]).as_strided((1,), (0,), 1)).tolist() == [0, 0, 128, 63]


def test_a_tensor_on_a_gpu_becomes_an_array():
    class OnGpu:
        device = torch.device("cuda")

        def detach(self):
            return self

        def cpu(self):
            return torch.arange(3)

    class OfCupy:
        __cuda_array_interface__ = {}

        def get(self):
            return np.arange(3)

    assert to_numpy(OnGpu()).tolist() == to_numpy(OfCupy()).tolist() == [0, 1, 2]
