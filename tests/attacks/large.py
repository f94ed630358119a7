"""Kernels of the built-in operations that are right up to the sizes of generated cases, and zeros beyond: the gate as it is
by default takes every extent further."""

import numpy as np

from assay.numpy import ctc_loss, linear_cross_entropy, svd

from .gallery import attack

LOGITS = {"ctc": {"inputs": "logits", "gradient_of": "logits"}}
RIGHT = {"ctc": ctc_loss, "cce": linear_cross_entropy, "svd": svd}
# No generated case of the properties below has larger sizes (validation/NAME/generate.cpp).
DRAWN = {
    "ctc": {"T": 132, "B": 5, "C": 40, "S": 132},
    "cce": {"N": 65, "H": 33, "V": 2049},
    "svd": {"B": 4, "M": 66, "N": 66},
}
COMPARED = {"ctc": "^loss$", "cce": "^dhidden$", "svd": "^values$"}


def sizes_of(operation, p):
    if operation == "ctc":
        T, B, C = p.activations.shape
        return {"T": T, "B": B, "C": C, "S": int(p.target_lengths.max(initial=0))}
    if operation == "cce":
        return {"N": len(p.hidden), "H": p.hidden.shape[1], "V": len(p.weight)}
    return dict(zip("BMN", p.A.shape))


def zeros_past_the_drawn(operation, extent, name, declared):
    def kernel(p):
        found = RIGHT[operation].assay_kernel(p)
        if sizes_of(operation, p)[extent] <= DRAWN[operation][extent]:
            return found
        return tuple(None if one is None else np.zeros_like(one) for one in found)

    kernel.__name__ = f"zeros_past_the_drawn_{extent}_of_{name}"
    attack("large", operation, cases=5, filter=COMPARED[operation], **{**RIGHT[operation].assay_declared, **declared})(kernel)


for operation, drawn in DRAWN.items():
    for extent in drawn:
        zeros_past_the_drawn(operation, extent, operation, LOGITS.get(operation, {}))
        if operation == "ctc":
            zeros_past_the_drawn(operation, extent, "ctc_of_log_probs", {})

