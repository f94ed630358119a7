"""Kernels of libraries for the operations of assay.gallery, as people call them: for python3 -m assay.conformance."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

from ._gallery_roads import transducer_gradient


def _torch(formula: Callable[[Any, Dict[str, Any]], Any]) -> Tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """The kernel and its backward pass by autograd, of formula(torch, tensors by name)."""

    def tensors(p: Any) -> Dict[str, Any]:
        import torch

        named = {key: torch.from_numpy(one) for key, one in vars(p).items() if hasattr(one, "dtype")}
        return {key: one.requires_grad_() if one.is_floating_point() and key != "upstream" else one for key, one in named.items()}

    def forward(p: Any) -> Any:
        import torch

        with torch.no_grad():
            return formula(torch, tensors(p))

    def backward(p: Any) -> Any:
        import torch

        given = tensors(p)
        inputs = [one for one in given.values() if one.requires_grad]
        gradients = torch.autograd.grad(formula(torch, given), inputs, given["upstream"], allow_unused=True)
        return tuple(torch.zeros_like(one) if g is None else g for one, g in zip(inputs, gradients))

    forward.__name__ = backward.__name__ = formula.__name__
    return forward, backward


def _softmax(torch: Any, a: Dict[str, Any]) -> Any:
    return torch.softmax(a["x"], -1)


def _log_softmax(torch: Any, a: Dict[str, Any]) -> Any:
    return torch.log_softmax(a["x"], -1)


def _rms_norm(torch: Any, a: Dict[str, Any]) -> Any:
    return torch.nn.functional.rms_norm(a["x"], a["weight"].shape, a["weight"], 2.0**-17)


def _layer_norm(torch: Any, a: Dict[str, Any]) -> Any:
    return torch.nn.functional.layer_norm(a["x"], a["weight"].shape, a["weight"], a["bias"], 2.0**-17)


def _matmul(torch: Any, a: Dict[str, Any]) -> Any:
    return a["a"] @ a["b"]


def _attention(torch: Any, a: Dict[str, Any]) -> Any:
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(a["q"], a["k"], a["v"], is_causal=True, scale=0.25)


def _composed_attention(torch: Any, a: Dict[str, Any]) -> Any:
    size = a["q"].shape[1]
    scores = a["q"] @ a["k"].transpose(-1, -2) * 0.25
    later = torch.ones(size, size, dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(later, -torch.inf), -1) @ a["v"]


def _padded_attention(torch: Any, a: Dict[str, Any]) -> Any:
    scores = 8 * torch.tanh(a["q"] @ a["k"].transpose(-1, -2) * (0.25 / 8))
    weights = torch.softmax(scores.masked_fill(~a["keep"], -torch.inf), -1)
    return torch.where(a["keep"].any(), weights, torch.zeros_like(weights)) @ a["v"]


def _logcumsumexp(torch: Any, a: Dict[str, Any]) -> Any:
    return torch.logcumsumexp(a["x"], 1)


def _rnnt_loss(torch: Any, a: Dict[str, Any]) -> Any:
    """Of log_softmax, with the blank once more as a last entry: torchaudio takes no label that is the blank."""
    import torchaudio

    y, labels = torch.log_softmax(a["logits"], -1), a["labels"].int()
    y = torch.cat([y, y[..., :1]], -1)
    labels = torch.where(labels == 0, y.shape[-1] - 1, labels).int()
    lengths = [torch.tensor([n], dtype=torch.int32) for n in (y.shape[0], labels.shape[0])]
    loss = torchaudio.functional.rnnt_loss
    return loss(y[None].contiguous(), labels[None], *lengths, blank=0, reduction="sum", fused_log_softmax=False)


def _jax(formula: Callable[[Any, Any], Any]) -> Tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """The kernel, compiled, and its backward pass by jax.vjp, of formula(jax, arrays by name)."""

    def arrays(p: Any) -> Dict[str, Any]:
        return {key: one for key, one in vars(p).items() if hasattr(one, "dtype") and key != "upstream"}

    def forward(p: Any) -> Any:
        import jax
        import numpy

        return numpy.asarray(jax.jit(lambda a: formula(jax, a))(arrays(p)))

    def backward(p: Any) -> Any:
        import jax
        import numpy

        given = arrays(p)
        names = [key for key, one in given.items() if one.dtype.kind == "f"]
        _, pull = jax.vjp(lambda some: formula(jax, {**given, **some}), {key: given[key] for key in names})
        gradients = pull(jax.numpy.asarray(p.upstream))[0]
        return tuple(numpy.asarray(gradients[key]) for key in names)

    forward.__name__ = backward.__name__ = formula.__name__
    return forward, backward


def _jax_softmax(jax: Any, a: Any) -> Any:
    return jax.nn.softmax(a["x"], axis=-1)


def _jax_log_softmax(jax: Any, a: Any) -> Any:
    return jax.nn.log_softmax(a["x"], axis=-1)


def _jax_layer_norm(jax: Any, a: Any) -> Any:
    return jax.nn.standardize(a["x"], axis=-1, epsilon=2.0**-17) * a["weight"] + a["bias"]


def _jax_attention(jax: Any, a: Any) -> Any:
    q, k, v = (a[name].swapaxes(0, 1)[None] for name in "qkv")  # [1, T, H, D]
    return jax.nn.dot_product_attention(q, k, v, is_causal=True, scale=0.25)[0].swapaxes(0, 1)


def _mlx(formula: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """The kernel of formula(mlx.core, arrays by name)."""

    def forward(p: Any) -> Any:
        import mlx.core as mx
        import numpy

        return numpy.array(formula(mx, {key: mx.array(one) for key, one in vars(p).items() if hasattr(one, "dtype")}))

    forward.__name__ = formula.__name__
    return forward


def _mlx_softmax(mx: Any, a: Any) -> Any:
    return mx.softmax(a["x"], axis=-1)


def _mlx_rms_norm(mx: Any, a: Any) -> Any:
    return mx.fast.rms_norm(a["x"], a["weight"], 2.0**-17)


def _mlx_layer_norm(mx: Any, a: Any) -> Any:
    return mx.fast.layer_norm(a["x"], a["weight"], a["bias"], 2.0**-17)


def _mlx_attention(mx: Any, a: Any) -> Any:
    attend = mx.fast.scaled_dot_product_attention
    return attend(a["q"][None], a["k"][None], a["v"][None], scale=0.25, mask="causal")[0]


def numpy_matmul(p: Any) -> Any:
    return p.a @ p.b


def numpy_logaddexp_accumulate(p: Any) -> Any:
    import numpy

    return numpy.logaddexp.accumulate(p.x, axis=1)


def scipy_softmax(p: Any) -> Any:
    import scipy.special

    return scipy.special.softmax(p.x, axis=-1)


def scipy_log_softmax(p: Any) -> Any:
    import scipy.special

    return scipy.special.log_softmax(p.x, axis=-1)


# title, library, operation of the gallery, kernel, backward pass, what is declared, a function that not all versions have
_FLUSHED = {"empty": False, "subnormals": False}  # by XLA, and by the exponential of MLX
_CORE = {"empty": False}  # results of nothing are refused by some; what is judged is the arithmetic
KERNELS: Tuple[Any, ...] = (
    ("softmax", "torch", "softmax", *_torch(_softmax), {}, ""),
    ("special.softmax", "scipy", "softmax", scipy_softmax, None, _CORE, ""),
    ("log_softmax", "torch", "log_softmax", *_torch(_log_softmax), {}, ""),
    ("special.log_softmax", "scipy", "log_softmax", scipy_log_softmax, None, _CORE, ""),
    ("rms_norm", "torch", "rms_norm", *_torch(_rms_norm), _CORE, "torch.nn.functional.rms_norm"),
    ("layer_norm", "torch", "layer_norm", *_torch(_layer_norm), _CORE, ""),
    ("matmul", "torch", "matmul", *_torch(_matmul), {}, ""),
    ("matmul", "numpy", "matmul", numpy_matmul, None, {}, ""),
    ("scaled_dot_product_attention, causal", "torch", "causal_attention", *_torch(_attention), _CORE, "torch.nn.functional.scaled_dot_product_attention"),
    ("causal attention of matmul and softmax", "torch", "causal_attention", *_torch(_composed_attention), _CORE, ""),
    ("padded attention of matmul, tanh and softmax", "torch", "padded_attention", *_torch(_padded_attention), _CORE, ""),
    ("logcumsumexp", "torch", "cumulative_log_sum_exp", *_torch(_logcumsumexp), _CORE, ""),
    ("logaddexp.accumulate", "numpy", "cumulative_log_sum_exp", numpy_logaddexp_accumulate, None, _CORE, ""),
    ("nn.softmax", "jax", "softmax", *_jax(_jax_softmax), _FLUSHED, ""),
    ("nn.log_softmax", "jax", "log_softmax", *_jax(_jax_log_softmax), _FLUSHED, ""),
    ("nn.standardize, weight and bias", "jax", "layer_norm", *_jax(_jax_layer_norm), _FLUSHED, ""),
    ("nn.dot_product_attention, causal", "jax", "causal_attention", *_jax(_jax_attention), _FLUSHED, "jax.nn.dot_product_attention"),
    ("softmax", "mlx.core", "softmax", _mlx(_mlx_softmax), None, _FLUSHED, ""),
    ("fast.rms_norm", "mlx.core", "rms_norm", _mlx(_mlx_rms_norm), None, _CORE, ""),
    ("fast.layer_norm", "mlx.core", "layer_norm", _mlx(_mlx_layer_norm), None, _CORE, ""),
    ("fast.scaled_dot_product_attention, causal", "mlx.core", "causal_attention", _mlx(_mlx_attention), None, _FLUSHED, ""),
    ("rnnt_loss of log_softmax", "torchaudio", "transducer_loss", *_torch(_rnnt_loss), _CORE, "torchaudio.functional.rnnt_loss"),
    ("rnnt_loss of log_softmax, by its own road", "torchaudio", "transducer_loss", *_torch(_rnnt_loss),
     {**_CORE, "road": transducer_gradient}, "torchaudio.functional.rnnt_loss"),
)
