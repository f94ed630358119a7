"""CTC, cross-entropy and the SVD of libraries, as people call them: for python3 -m assay.conformance."""

from __future__ import annotations

from typing import Any, Callable, List, Tuple


def torch_ctc(p: Any) -> Tuple[Any, Any]:
    """torch.nn.functional.ctc_loss of log_softmax(logits), and its gradient in the logits."""
    import torch

    return _torch_ctc(p, torch.float32)


def torch_ctc_float64(p: Any) -> Tuple[Any, Any]:
    """torch_ctc in float64, its results rounded to float32."""
    import torch

    loss, gradient = _torch_ctc(p, torch.float64)
    return loss.float(), gradient.float()


def _torch_ctc(p: Any, dtype: Any) -> Tuple[Any, Any]:
    import torch

    logits = torch.tensor(p.logits, dtype=dtype, requires_grad=True)
    loss = torch.nn.functional.ctc_loss(
        logits.log_softmax(-1),
        torch.from_numpy(p.targets),
        torch.from_numpy(p.input_lengths),
        torch.from_numpy(p.target_lengths),
        blank=p.blank,
        reduction=p.reduction,
        zero_infinity=p.zero_infinity,
    )
    return loss, _backward(loss, p.upstream, logits)[0]


def torch_cross_entropy(p: Any) -> Tuple[Any, Any, Any]:
    """torch.nn.functional.cross_entropy of hidden @ weight.T."""
    import torch

    hidden, weight = (torch.tensor(one, requires_grad=True) for one in (p.hidden, p.weight))
    loss = torch.nn.functional.cross_entropy(
        hidden @ weight.T,
        torch.from_numpy(p.targets),
        ignore_index=p.ignore_index,
        label_smoothing=p.label_smoothing,
        reduction=p.reduction,
    )
    return (loss, *_backward(loss, p.upstream, hidden, weight))


def _backward(loss: Any, upstream: Any, *inputs: Any) -> List[Any]:
    import torch

    if upstream is None:
        factor = torch.ones_like(loss)
    else:
        factor = torch.from_numpy(upstream).to(loss.dtype).reshape(loss.shape)
    gradients = torch.autograd.grad(loss, inputs, factor, allow_unused=True)
    return [torch.zeros_like(one) if g is None else g for one, g in zip(inputs, gradients)]


def torch_svd(p: Any) -> Any:
    """torch.linalg.svd, thin."""
    import torch

    return tuple(torch.linalg.svd(torch.from_numpy(p.A), full_matrices=False))


def numpy_svd(p: Any) -> Any:
    """numpy.linalg.svd, thin."""
    import numpy

    return numpy.linalg.svd(p.A, full_matrices=False)


def scipy_svd(driver: str) -> Callable[[Any], Any]:
    """scipy.linalg.svd, thin, by one of LAPACK's drivers."""

    def thin_svd(p: Any) -> Any:
        import numpy
        import scipy.linalg

        factors = [scipy.linalg.svd(A, full_matrices=False, lapack_driver=driver) for A in p.A]
        B, M, N = p.A.shape
        shapes = ((B, M, min(M, N)), (B, min(M, N)), (B, min(M, N), N))
        return tuple(
            numpy.array([one[i] for one in factors], p.A.dtype).reshape(shape) for i, shape in enumerate(shapes)
        )

    return thin_svd
