"""What attacks are made of: each is a kernel that computes nothing of worth and wants to pass."""

import numpy as np

import assay

softmax = assay.gallery.softmax
ATTACKS = {}
JUDGED = "^(repeat|exact|outputs)$"
FEW = {"cases": 12, "reach": "none", "filter": JUDGED}
THOROUGH = ("memory", "sizes", "values", "seeds", "large")  # kinds that ask for the gate as it is by default


def attack(kind, operation=softmax, **declaration):
    """Lists the function below as an attack of this kind, judged on `operation` under this declaration."""

    if operation in ("ctc", "cce", "svd"):
        declaration = {"filter": "", **declaration}

    def listed(kernel):
        ATTACKS[f"{kind}: {kernel.__name__}"] = (
            operation,
            kernel,
            {**(FEW if kind not in THOROUGH else {"filter": JUDGED}), **declaration},
        )
        return kernel

    return listed


def zeros(p):
    return np.zeros_like(p.x)


def right(p):
    """The softmax as it should be, for attacks that are right at times, and to learn answers from."""
    e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True)


def hard(p):
    """Whether a case is larger than a few elements: what attacks would like not to be judged on."""
    return p.x.size > 6
