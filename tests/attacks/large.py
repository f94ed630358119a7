"""Kernels of the built-in operations that are right up to the sizes of generated cases, and zeros beyond: the gate as it is
by default takes every extent further, and extents together. Those of formulas are in large_together.py."""

from types import SimpleNamespace

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



def wrong_together(operation, wrong, filter, declared=(), **past):
    """A kernel whose results are `wrong` of the right ones where each of these extents is past its size."""

    def kernel(p):
        found, sizes = RIGHT[operation].assay_kernel(p), sizes_of(operation, p)
        return wrong(p, found) if all(sizes[extent] > size for extent, size in past.items()) else found

    kernel.__name__ = f"wrong_of_{operation}_past_{'_'.join(f'{extent}_{size}' for extent, size in past.items())}_{wrong.__name__}"
    attack("large", operation, cases=5, filter=filter, **{**RIGHT[operation].assay_declared, **dict(declared)})(kernel)


def a_doubled_loss(p, found):
    return (2 * found[0], *found[1:])


def no_option(p, found):
    """The options are left out."""
    plain = SimpleNamespace(**{**vars(p), "label_smoothing": 0.0, "z_loss": 0.0, "logit_softcap": 0.0})
    return RIGHT["cce"].assay_kernel(plain)


def no_vectors(p, found):
    return (*found[:2], np.zeros_like(found[2]))


for past in ({"T": 132, "B": 132}, {"B": 132, "C": 132}, {"T": 132, "C": 132}, {"S": 132, "B": 132}, {"S": 132, "C": 132},
             {"T": 250, "B": 140, "C": 32}):  # fmt: skip
    wrong_together("ctc", a_doubled_loss, "^loss$", LOGITS["ctc"], **past)
for past in ({"N": 66, "V": 66}, {"N": 66, "H": 66}, {"H": 66, "V": 66}, {"N": 128, "H": 128, "V": 512}):
    wrong_together("cce", no_option, "^(loss|dhidden)$", **past)
wrong_together("svd", no_vectors, "", M=100, N=100)
