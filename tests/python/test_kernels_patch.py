"""assay.patch_torch: replaces, leaves to PyTorch what it must, says what it did, and undoes it."""

import pytest

torch = pytest.importorskip("torch")

import assay  # noqa: E402

ORIGINALS = torch.nn.functional.ctc_loss, torch.linalg.svd
BATCH = (torch.tensor([[1, 2]]), torch.tensor([4]), torch.tensor([2]))
LOG_PROBS = torch.zeros(4, 1, 3).log_softmax(-1)
CTC, SVD = "torch.nn.functional.ctc_loss", "torch.linalg.svd"


@pytest.fixture
def patch():
    with assay.patch_torch() as patch:
        yield patch


def test_it_replaces_and_undoes(patch):
    assert torch.nn.functional.ctc_loss is not ORIGINALS[0] and torch.linalg.svd is not ORIGINALS[1]
    patch.undo()
    patch.undo()
    assert (torch.nn.functional.ctc_loss, torch.linalg.svd) == ORIGINALS
    assert "PyTorch's own again" in str(patch)


def test_a_module_of_pytorch_computes_with_assay_and_learns_the_same(patch):
    x = LOG_PROBS.clone().requires_grad_()
    loss = torch.nn.CTCLoss()(x.log_softmax(-1), *BATCH)
    loss.backward()
    assert patch.calls[CTC] == [1, 0] and "1 calls by assay, 0 by PyTorch" in str(patch)
    y = LOG_PROBS.clone().requires_grad_()
    theirs = ORIGINALS[0](y.log_softmax(-1), *BATCH)
    theirs.backward()
    assert torch.allclose(loss, theirs) and torch.allclose(x.grad, y.grad, atol=1e-6)


def test_what_the_kernels_do_not_compute_stays_with_pytorch(patch):
    torch.nn.functional.ctc_loss(LOG_PROBS.double(), *BATCH)
    U, _, _ = torch.linalg.svd(torch.ones(3, 2))  # full factors
    assert U.shape == (3, 3) and patch.calls[CTC] == [0, 1] and patch.calls[SVD] == [0, 1]
    A = torch.ones(3, 2, dtype=torch.float64)
    U, S, Vh = torch.linalg.svd(A, full_matrices=False)
    assert torch.allclose((U * S) @ Vh, A) and patch.calls[SVD] == [1, 1]


def test_what_the_original_takes_still_works(patch):
    A = torch.ones(3, 2)
    if hasattr(torch, "func"):
        assert torch.func.vmap(lambda one: torch.linalg.svd(one, full_matrices=False)[1])(A.expand(4, 3, 2)).shape == (4, 2)
        assert patch.calls[SVD] == [1, 0]
    else:
        functorch = pytest.importorskip("functorch")
        assert functorch.vmap(lambda one: torch.linalg.svd(one, full_matrices=False)[1])(A.expand(4, 3, 2)).shape == (4, 2)
        assert patch.calls[SVD] == [0, 1]
    out = (A.new_empty(0), A.new_empty(0), A.new_empty(0))
    assert torch.linalg.svd(A, full_matrices=False, out=out)[1].data_ptr() == out[1].data_ptr()
    assert torch.linalg.svd(torch.ones(2, 2, dtype=torch.complex64))[1].dtype == torch.float32
    assert torch.linalg.svd(torch.empty(2, 2, device="meta"))[1].is_meta


def test_linear_cross_entropy_is_replaced_where_pytorch_has_it(patch):
    name = "torch.nn.functional.linear_cross_entropy"
    hidden, weight, targets = torch.ones(2, 3), torch.eye(3), torch.tensor([0, 2])
    if not hasattr(torch.nn.functional, "linear_cross_entropy"):
        assert f"{name}: not in PyTorch" in str(patch)
        return
    ours = torch.nn.functional.linear_cross_entropy(hidden, weight, targets, linear_bias=torch.ones(3))
    assert torch.allclose(ours, torch.tensor(3.0).log()) and patch.calls[name] == [1, 0]
    torch.nn.functional.linear_cross_entropy(hidden, weight, targets, weight=torch.ones(3))
    assert patch.calls[name] == [1, 1]


def test_it_is_not_laid_over_itself(patch):
    with pytest.raises(RuntimeError, match="ctc_loss is replaced already: expected undo()"):
        assay.patch_torch()
