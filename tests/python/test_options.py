"""The options of an operation are stated once; every function that takes them has them all."""

import inspect

import numpy as np
import pytest

import assay
import assay.numpy
from assay import reference, steps
from assay._options import DEFAULTS, CceOptions, CtcOptions, with_options

LOGITS, BATCH = np.zeros((2, 1, 3), np.float32), ([[1]], [2], [1])


@with_options(CceOptions, reduction="none")
def tokens(hidden, weight, *, bias=None, z_loss=1.0, **options):
    """Takes

    z_loss           its own
    {options}
    """
    return hidden, weight, bias, z_loss, options


@with_options(CtcOptions)
def frames(log_probs, **options):
    return log_probs, options


def test_the_signature_has_the_options_where_pytorch_has_them():
    assert str(inspect.signature(frames)) == (
        "(log_probs, blank: int = 0, reduction: str = 'mean', zero_infinity: bool = False, *, logits: bool = False)"
    ).replace("int", "'int'").replace("str =", "'str' =").replace("bool", "'bool'")
    assert [*inspect.signature(tokens).parameters] == [
        *("hidden", "weight", "ignore_index", "label_smoothing", "logit_softcap", "reduction", "bias", "z_loss")
    ]
    assert inspect.signature(tokens).parameters["reduction"].default == "none"


def test_a_call_gets_every_option_in_order():
    own = {name: one for name, one in {**DEFAULTS[CceOptions], "reduction": "none"}.items() if name != "z_loss"}
    assert tokens(1, 2) == (1, 2, None, 1.0, own)
    assert tokens(1, weight=2, bias=3, label_smoothing=0.5) == (1, 2, 3, 1.0, {**own, "label_smoothing": 0.5})
    assert list(tokens(1, 2, reduction="sum", ignore_index=0)[-1]) == list(own)
    assert frames(1, 2, "sum", logits=True)[1] == {**DEFAULTS[CtcOptions], "blank": 2, "reduction": "sum", "logits": True}


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: frames(1, blank_index=2), "blank_index is the name in TensorFlow: expected blank"),
        (lambda: reference.ctc(logits=LOGITS, labels=[[1]]), "labels is the name in TensorFlow, Optax and Hugging Face: expected targets"),
        (lambda: assay.numpy.ctc_loss(LOGITS, *BATCH[:2], label_length=[1]), "TensorFlow and Keras: expected target_lengths"),
        (lambda: assay.numpy.linear_cross_entropy([[1.0]], [[0.0]], [0], softcap=1.0), "in Liger: expected logit_softcap"),
        (lambda: tokens(1, 2, label_length=1), "unexpected keyword argument 'label_length'"),
        (lambda: tokens(1, 2, smoothing=1), "unexpected keyword argument 'smoothing'"),
        (lambda: tokens(1, 2, 3), "too many positional arguments"),
        (lambda: tokens(1), "weight"),
        (lambda: reference.ctc(logits=LOGITS, input_lengths=[2], target_lengths=[1]), "missing a required .*argument: 'targets'"),
        (lambda: frames(1, 2, blank=2), "multiple values for argument 'blank'"),
        (lambda: assay.numpy.ctc_loss(LOGITS, *BATCH, blank="0"), "blank = '0': expected an integer of 64 bits"),
        (lambda: assay.numpy.ctc_loss(LOGITS, *BATCH, blank=2**63), "blank = 9223372036854775808: expected an integer"),
        (lambda: reference.cce([[1.0]], [[0.0]], [0], z_loss=None), "z_loss = None: expected a number"),
    ],
)
def test_a_mistake_is_a_type_error(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_functions_without_options_know_the_names_too():
    pytest.importorskip("torch")
    with pytest.raises(TypeError, match="blank_index is the name in TensorFlow: expected blank"):
        assay.torch.ctc_loss(LOGITS, *BATCH, blank_index=0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        assay.torch.ctc_loss(LOGITS, *BATCH, colour=0)


def test_the_documentation_has_the_lines_on_the_options_that_a_function_does_not_have_itself():
    lines = tokens.__doc__.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("    ") and line.strip()] == [
        *("z_loss", "label_smoothing", "logit_softcap", "reduction")
    ]
    assert "z_loss           times the square" in assay.numpy.linear_cross_entropy.__doc__


@pytest.mark.parametrize("function, options", [(reference.ctc, CtcOptions), (reference.cce, CceOptions), (steps.cce, CceOptions)])
def test_the_references_reduce_nothing_unless_told_to(function, options):
    parameters = inspect.signature(function).parameters
    assert {*DEFAULTS[options]} <= {*parameters} and parameters["reduction"].default == "none"
