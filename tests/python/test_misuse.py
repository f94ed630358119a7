"""What a user does wrong before anything is judged: each message names the argument, its value, what was expected, and the
nearest right word."""

import numpy as np
import pytest

import assay
from assay import gallery
from formula_right_kernels import softmax_plain as mine


def identity(p):
    return p.x


def gate(**options):
    return lambda: assay.gate(gallery.softmax, mine, **options)


def ctc(**options):
    return lambda: assay.gate("ctc", identity, **options)


def declared(**words):
    return lambda: assay.operation(**words)(lambda xp, x: xp.exp(x))


MISUSES = {
    "a name in capitals": (
        lambda: assay.gate("CTC", mine),
        ValueError,
        "operation = 'CTC': expected 'ctc', .*; did you mean 'ctc'",
    ),
    "a gallery's name": (lambda: assay.gate("softmax", mine), ValueError, "'softmax': .*; did you mean assay.gallery.softmax"),
    "a function of NumPy": (lambda: assay.gate(np.linalg.svd, mine), TypeError, r"operation = svd\(a, .*; did you mean 'svd'"),
    "a lambda": (
        lambda: assay.gate(lambda x: x, mine),
        TypeError,
        r"<lambda>\(x\), a function without its inputs: .* x=\"N, D\"",
    ),
    "a formula": (lambda: assay.gate(lambda xp, x: x, mine), TypeError, r'a formula: .*assay.operation\(x="N, D"\)\(<lambda>\)'),
    "swapped": (
        lambda: assay.gate(mine, "ctc"),
        TypeError,
        r"softmax_plain\(p\), and the kernel is the operation 'ctc': expected",
    ),
    "swapped operation": (lambda: assay.gate(mine, gallery.softmax), TypeError, "the kernel is the operation 'softmax'"),
    "a name for property_names": (lambda: assay.property_names("ctx"), ValueError, "operation = 'ctx': expected 'ctc'"),
    "replay of another": (lambda: assay.replay(mine, "operation=svd T=1", operation="ctc"), ValueError, "operation = 'ctc', and"),
    "replay without": (lambda: assay.replay(mine, "operation=softmax N=1"), ValueError, "did you mean assay.gallery.softmax"),
    "reach": (gate(reach="qick"), ValueError, "reach = 'qick': expected one of .*; did you mean 'quick'"),
    "reach of ctc": (ctc(reach="Full"), ValueError, "reach = 'Full': .*; did you mean 'full'"),
    "cases as text": (gate(cases="10"), TypeError, "cases = '10': expected a whole number"),
    "case": (gate(case=10), TypeError, "case= is not known: .*; did you mean 'cases'"),
    "case of ctc": (ctc(case=10), TypeError, "'case' is no keyword of 'ctc': .*; did you mean 'cases'"),
    "dtyp": (gate(dtyp="float16"), TypeError, "dtyp= is not known: .*; did you mean 'dtype'"),
    "atol": (gate(atol=1e-5), TypeError, "atol= is not known: .*; there is no tolerance"),
    "rtol of ctc": (ctc(rtol=1e-5), TypeError, "'rtol' is no keyword .*; there is no tolerance"),
    "dtype": (gate(dtype="fp16"), ValueError, "dtype = 'fp16': expected one of .*; did you mean 'float16'"),
    "dtype of ctc": (ctc(dtype="bf16"), ValueError, "dtype = 'bf16': expected any of .*; did you mean 'bfloat16'"),
    "a class as dtype": (gate(dtype=np.float16), TypeError, "dtype = <class 'numpy.float16'>: .*; did you mean 'float16'"),
    "a class as dtype of ctc": (ctc(dtype=np.float32), TypeError, "float32'>: expected any of .*; did you mean 'float32'"),
    "device": (gate(device="cuda"), TypeError, "device= is not known: .*; device= is for references of PyTorch or JAX"),
    "limits": (gate(limits=100), TypeError, "limits = 100: expected the largest size of extents by name"),
    "a name in limits": (gate(limits={"n": 3}), ValueError, "limits has 'n': .* N, D; did you mean 'N'"),
    "arithmetic": (ctc(arithmetic="logspace"), ValueError, "arithmetic = 'logspace': .*; did you mean 'log_space'"),
    "no kernel": (
        lambda: assay.gate(gallery.softmax, None),
        TypeError,
        "the kernel is None: expected a function of the problem p",
    ),
    "an array as kernel": (
        lambda: assay.gate(gallery.softmax, np.zeros(3)),
        TypeError,
        r"the kernel is array\(.*: expected a function",
    ),
    "an array for ctc": (lambda: assay.gate("ctc", np.zeros(3)), TypeError, r"the kernel is array\(.*: expected a function"),
    "an array as backward": (lambda: assay.gradcheck(gallery.softmax, np.zeros((2, 2))), TypeError, r"the kernel is array\("),
    "an array as input": (gate(input=np.zeros((2, 2))), TypeError, "input is ndarray: expected the path of an .npz, or a dict"),
    "a text as input": (gate(input="batch.txt"), FileNotFoundError, "no file 'batch.txt': expected an .npz"),
    "no commas": (declared(x="N D"), ValueError, "x='N D': the extent 'N D': .*; between extents stand commas alone: 'N, D'"),
    "brackets": (declared(x="[N, D]"), ValueError, r"x='\[N, D\]': .*; between extents stand commas alone: 'N, D'"),
    "a negative extent": (
        declared(x="N, -1"),
        ValueError,
        "x='N, -1': the extent '-1': expected a name such as N, or a whole number",
    ),
    "a kind": (declared(x="N of flags"), ValueError, "x='N of flags': .*; did you mean 'flag'"),
    "a relation": (declared(x="N", properties="row=N"), ValueError, "'row': expected one of .*; did you mean 'rows'"),
    "framework": (declared(x="N", framework="pytorch"), ValueError, "framework = 'pytorch': .*; did you mean 'torch'"),
    "no parentheses": (
        lambda: assay.operation(lambda xp, x: x),
        TypeError,
        r"operation is given .*<lambda>.*: expected the inputs by name",
    ),
    "no inputs of gradcheck": (lambda: assay.gradcheck(mine, []), ValueError, r"inputs = \[\]: expected an array"),
    "a function as inputs": (lambda: assay.gradcheck(mine, mine), TypeError, r"inputs has softmax_plain\(p\): expected an array"),
    "None as inputs": (lambda: assay.gradcheck(mine, None), TypeError, "inputs has None: expected an array"),
    "tolerances": (lambda: assay.gradcheck(mine, 1.0, tolerence=3), TypeError, "tolerence: .*; did you mean 'tolerance'"),
}


@pytest.mark.parametrize("name", MISUSES)
def test_a_misuse_is_refused_in_a_sentence(name):
    call, kind, says = MISUSES[name]
    with pytest.raises(kind, match=says) as refusal:
        call()
    assert "\n" not in str(refusal.value) and refusal.type is kind


def test_of_references():
    torch = pytest.importorskip("torch")

    def reference(x, weight):
        return torch.relu(x) * weight

    def by_name(x, *, weight):
        return reference(x, weight)

    both = dict(x="N, D", weight="D")
    for call, kind, says in (
        (lambda: assay.gate(reference, reference, x="N, D"), ValueError, "the reference takes weight, which is not declared"),
        (lambda: assay.gate(by_name, by_name, x="N, D"), ValueError, "the reference takes weight, which is not declared"),
        (lambda: assay.gate(reference, reference, x="N, D", wight="D"), ValueError, "wight='D': .*; did you mean 'weight'"),
        (
            lambda: assay.gate(reference, reference, **both, dtyp="float16"),
            ValueError,
            "dtyp='float16': .*; did you mean 'dtype'",
        ),
        (
            lambda: assay.gate(reference, reference, **both, atol=1e-5),
            TypeError,
            "atol= is not known: .*device.*; there is no tolerance",
        ),
        (lambda: assay.gate(reference, reference, **both, largest="1"), TypeError, "largest = '1': expected a number"),
        (lambda: assay.gate(reference, reference, **both, device="gpu"), ValueError, "device = 'gpu': .*; did you mean 'cuda'"),
        (lambda: assay.gate(reference, reference, x=(3, 4), weight="D"), TypeError, r"x = \(3, 4\): expected the extents"),
        (
            lambda: assay.gate(reference, reference, x=torch.ones(3, 4), weight="D"),
            TypeError,
            r"x = tensor\(.*: expected the extents",
        ),
        (lambda: assay.gate(reference, lambda x: x, **both), TypeError, r"the kernel <lambda>\(x\) does not take x, weight"),
        (
            lambda: assay.gate(reference, by_name, **both),
            TypeError,
            r"the kernel by_name\(x, \*, weight\) does not take x, weight",
        ),
        (lambda: assay.gate(reference, None, **both), TypeError, "the kernel is None: expected"),
        (lambda: assay.gate(torch.relu, torch.relu), ValueError, "no input is declared: .* of relu"),
    ):
        with pytest.raises(kind, match=says):
            call()


def test_a_reference_is_called_by_name_where_it_takes_names_alone_and_in_its_own_order():
    torch = pytest.importorskip("torch")

    def shifted(x, *, by):
        return torch.relu(x) - 2 * by

    def scaled(x, by):
        return x / (1 + by * by)

    few = dict(cases=5, reach="none", largest=1e6, empty=False)
    for function in (shifted, scaled):
        for inputs in (dict(x="N, D", by="D"), dict(by="D", x="N, D")):
            assay.gate(function, function, **inputs, **few).raise_for_failure()
    assert not assay.gate(shifted, lambda x, *, by: torch.relu(x) - by, x="N, D", by="D", **few).passed
