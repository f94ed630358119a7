"""What type checkers are told: a result whose type depends on a flag has an overload for each value of the flag."""

import inspect
import sys
import typing

import numpy as np
import pytest

import assay
import assay.numpy

if sys.version_info < (3, 11):
    pytest.skip("typing.get_overloads came with Python 3.11", allow_module_level=True)

X = np.zeros((2, 1, 3), np.float32)
CALLS = {
    "ctc_loss": ("with_gradient", lambda **flag: assay.numpy.ctc_loss(X, [[1]], [2], [1], **flag)),
    "linear_cross_entropy": ("with_gradient", lambda **flag: assay.numpy.linear_cross_entropy(X[0], X[1], [0], **flag)),
    "svd": ("compute_uv", lambda **flag: assay.numpy.svd(X, **flag)),
}


def overloads(function):
    return [inspect.signature(one) for one in typing.get_overloads(inspect.unwrap(function))]


def is_of(type_name, result):
    """Whether a result has the type that an annotation names."""
    expected = eval(type_name, {**vars(typing), "np": np, "Svd": assay.numpy.Svd, "Any": object})
    if typing.get_origin(expected) is tuple:
        kinds = typing.get_args(expected)
        kinds = kinds[:1] * len(result) if kinds[-1] is ... else kinds
        return len(kinds) == len(result) and all(map(isinstance, result, kinds))
    return isinstance(result, expected)


@pytest.mark.parametrize("name", CALLS)
def test_the_result_has_the_type_of_its_overload(name):
    flag, call = CALLS[name]
    found = {one.parameters[flag].annotation: one.return_annotation for one in overloads(getattr(assay.numpy, name))}
    assert is_of(found["Literal[True]"], call(**{flag: True})) and is_of(found["Literal[True]"], call())
    assert is_of(found.get("Literal[False]", found["bool"]), call(**{flag: False}))
    assert not is_of(found["Literal[True]"], call(**{flag: False}))


@pytest.mark.parametrize("module", [assay, assay.numpy, assay.reference, assay.steps])
def test_no_function_leaves_it_to_the_user_which_of_two_types_a_flag_gives(module):
    for name in module.__all__:
        function = getattr(module, name)
        if not inspect.isfunction(function):
            continue
        signature = inspect.signature(function)
        has_flag = any(isinstance(one.default, bool) for one in signature.parameters.values())
        if has_flag and any(word in str(signature.return_annotation) for word in ("Optional", "Union")):
            assert overloads(function), f"{module.__name__}.{name} returns {signature.return_annotation} by a flag"
