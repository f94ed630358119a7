"""assay.torch's launches on Apple GPUs, which are not here: the emulator's compile_shader and tensors of the CPU stand in."""

import contextlib

import pytest

torch = pytest.importorskip("torch")

import assay  # noqa: E402
from assay import _shader_text  # noqa: E402
from assay._kernel_calls import gpu_module  # noqa: E402
from assay.torch import _mps, ctc_loss, linear_cross_entropy, svd  # noqa: E402

LOGITS = torch.randn(9, 3, 5, generator=torch.Generator().manual_seed(1))
BATCH = (torch.tensor([[1, 2, 2], [3, 0, 0], [4, 4, 1]]), torch.tensor([9, 5, 7]), torch.tensor([3, 1, 2]))
SHADERS = ["ctc/ctc.metal", "cce/cce.metal", "svd/svd.metal"]


def emulated():
    return _mps.standing_in(assay.metal.torch.compile_shader)


def ctc_of(logits):
    """Loss and gradient."""
    x = logits.clone().requires_grad_()
    loss = ctc_loss(x, *BATCH, logits=True)
    loss.backward()
    return [loss.detach(), x.grad]


def cce_of(hidden, weight, bias):
    inputs = [one.clone().requires_grad_() for one in (hidden, weight, bias)]
    targets = torch.tensor([1, 6, -100, 0, 2])
    loss = linear_cross_entropy(inputs[0], inputs[1], targets, inputs[2], label_smoothing=0.1, logit_softcap=20.0)
    loss.backward()
    return [loss.detach(), *(one.grad for one in inputs)]


def agrees(compute, *arguments):
    """Whether it has the results that the kernel for CPUs has."""
    expected = compute(*arguments)
    with emulated():
        results = compute(*arguments)
    assert [one.shape for one in results] == [one.shape for one in expected]
    return all(torch.allclose(one, other, rtol=1e-5, atol=3e-6) for one, other in zip(results, expected))


def without_offsets(memory, contents):
    """_Memory._keep, but all tables begin at 0."""
    memory._host.append(contents)
    return slice(0, len(contents))


def test_ctc_agrees_with_the_kernel_for_cpus_and_without_offsets_it_does_not(monkeypatch):
    assert agrees(ctc_of, LOGITS)
    monkeypatch.setattr(_mps._Memory, "_keep", without_offsets)
    with contextlib.suppress(assay.metal.CheckError, assay.metal.MetalError):  # it may read what is not there
        assert not agrees(ctc_of, LOGITS)


def test_the_gate_passes_it():
    declared = {"dtype": "float32", "reductions": "none", "inputs": "logits", "gradient_of": "logits"}
    with emulated():
        assay.gate("ctc", ctc_loss, cases=1, reach="none", filter="^gradient$", **declared).raise_for_failure()


def test_cross_entropy_agrees_with_the_kernel_for_cpus():
    random = torch.Generator().manual_seed(2)
    assert agrees(cce_of, *(torch.randn(*shape, generator=random) for shape in ((5, 8), (50, 8), (50,))))


def test_the_svd_agrees_with_the_kernel_for_cpus():
    A = torch.randn(2, 4, 3, generator=torch.Generator().manual_seed(3))
    assert agrees(svd, A)


def test_what_the_kernel_for_cpus_refuses_is_refused_before_anything_is_compiled():
    x = LOGITS.clone()
    x[2, 1, 3] = float("nan")
    with _mps.standing_in(lambda text: pytest.fail("compiled")):
        with pytest.raises(ValueError, match=r"targets\[b=0, s=0\] = 5: expected a label in \[0, C=5\)"):
            ctc_loss(LOGITS, torch.full((3, 3), 5), *BATCH[1:], logits=True)
        with pytest.raises(ValueError, match=r"hidden\[n=0, h=1\] = nan: expected a finite number"):
            linear_cross_entropy(torch.tensor([[0.0, float("nan")]]), torch.ones(3, 2), torch.tensor([1]))
        with pytest.raises(ValueError, match=r"A\[b=0, i=1, j=0\] = inf: expected a finite number"):
            svd(torch.tensor([[1.0, 0.0], [float("inf"), 1.0]]))
    with _mps.standing_in(lambda text: Launches([], 1024)):
        with pytest.raises(ValueError, match=r"logits\[t=2, b=1, c=3\] = nan: expected a finite number or -inf"):
            ctc_loss(x, *BATCH, logits=True)


@pytest.mark.parametrize("shader", SHADERS)
def test_the_text_has_nothing_that_compile_shader_cannot_set(shader):
    text = gpu_module().shader_text(shader)
    assert "[[function_constant(" in text
    text = _shader_text.with_threadgroup_memory(_shader_text.with_constants(text, {0: b"\1"}), {0: 64})
    code = "\n".join(line.split("//")[0] for line in text.splitlines())
    assert "[[function_constant(" not in code and "[[threadgroup(" not in code and '#include "' not in code


def test_constants_and_lengths_are_in_the_text():
    text = "enum { a_constant = 0, b_constant = 1 };\nconstant bool a [[function_constant(a_constant)]];\n"
    text += "constant bool b [[function_constant(b_constant)]];\n"
    assert "bool a = false;\nconstant bool b = true;" in _shader_text.with_constants(text, {0: b"\0", 1: b"\1"})
    kernel = "kernel void k(threadgroup float4* held [[threadgroup(0)]],\n uint i) {\n held[i]; }"
    assert _shader_text.with_threadgroup_memory(kernel, {0: 64}) == "kernel void k(uint i) { threadgroup float4 held[4];\n held[i]; }"
    text = "INSTANTIATE_FOR(float)\nINSTANTIATE_FOR(half)\nINSTANTIATE_FOR(bfloat)\n"
    assert _shader_text.with_type(text, "float16") == "\nINSTANTIATE_FOR(half)\n\n"


class Launches:
    """A library whose kernels remember how they are launched."""

    def __init__(self, done, most):
        self.done, self.most = done, most

    def __getattr__(self, name):
        def kernel(*arguments, threads, group_size):
            self.done.append((name, [one.storage_offset() for one in arguments], threads, group_size))

        kernel.max_threads_per_threadgroup = self.most
        return kernel


@pytest.mark.parametrize("logits", [False, True])
@pytest.mark.parametrize("with_gradient", [False, True])
def test_each_set_of_constants_has_its_text(logits, with_gradient):
    texts = []
    with _mps.standing_in(lambda text: texts.append(text) or Launches([], 1024)):
        ctc_loss(LOGITS.clone().requires_grad_(with_gradient), *BATCH, logits=logits)
    assert len(texts) == 1
    for name, value in (("from_logits", logits), ("of_logits", logits), ("with_gradient", with_gradient)):
        assert f"constant bool {name} = {str(value).lower()};" in texts[0]


@pytest.mark.parametrize("most, frames", [(1024, 8), (64, 2)])
def test_groups_have_as_many_threads_as_a_kernel_takes(most, frames):
    done = []
    with _mps.standing_in(lambda text: Launches(done, most)):
        ctc_loss(LOGITS, *BATCH, logits=True)
    name, offsets, threads, group = done[0]
    assert name == "ctc_emissions_float" and group == [32 * frames, 1, 1]
    assert threads == [3 * 32 * frames, -(-9 // frames), 1]
    assert [name for name, *_ in done] == ["ctc_emissions_float", "ctc_recursion_2", "ctc_reduce"]
    assert len({offsets[0] for _, offsets, *_ in done}) == 3  # each dispatch has its own Shape


def test_the_longest_rows_of_classes_take_threadgroup_memory():
    texts, done = [], []
    with _mps.standing_in(lambda text: texts.append(text) or Launches(done, 1024)):
        ctc_loss(torch.randn(9, 3, 300), *BATCH, logits=True)
        ctc_loss(torch.randn(9, 3, 9000), *BATCH, logits=True)
    assert all(len(offsets) == 14 for _, offsets, *_ in done)  # the kernels take a gradient, though there is none
    assert "threadgroup float4 held[75];" in texts[0]
    assert [name for name, *_ in done if "emissions" in name] == ["ctc_emissions_held_float", "ctc_emissions_wide_float"]


def test_rows_that_are_not_aligned_are_copied():
    done = []
    x = torch.zeros(9 * 3 * 8 + 1)[1:].view(9, 3, 8)
    with _mps.standing_in(lambda text: Launches(done, 1024)):
        ctc_loss(x, *BATCH, logits=True)
    assert done[0][1][2] == 0  # of the activations


def test_offsets_are_views_and_what_is_not_bound_is_a_tensor_of_its_own():
    A = torch.arange(6.0)
    dispatch = {"kernel": "k", "bytes": {0: b"12345678"}, "buffers": {2: (1, 8), 4: (0, 0)}}
    plan = {"buffers": [("table", 2, b"ab"), ("A", 24, None)], "commands": [[dispatch]]}
    memory = _mps._Memory(plan, {"A": A}, A.device)
    ((one, bound),) = memory.commands[0]
    arguments = memory.arguments(one, bound, 6)
    assert [tuple(one.tolist()) for one in (arguments[0], arguments[2], arguments[4])] == [
        tuple(b"12345678"), (2.0, 3.0, 4.0, 5.0), tuple(b"ab"),
    ]  # fmt: skip
    assert arguments[2].data_ptr() == A.data_ptr() + 8 and arguments[0].storage_offset() % 256 == 0
    assert len({one.data_ptr() for one in arguments}) == 6
