"""Calls that type checkers must refuse, each that begins with assay: test_typed_calls.py."""

from typing import Any

import assay
from assay import gallery


def f(p: Any) -> Any:
    return p


assay.gate("ctx", f)
assay.gate("ctc", f, case=10)
assay.gate("ctc", f, sweeps=10)
assay.gate("ctc", f, cases="10")
assay.gate("ctc", f, reach="qick")
assay.gate("ctc", f, dtype="fp16")
assay.gate("svd", f, real_input=True)
assay.gate("ctc", 3)
assay.gate(gallery.softmax, f, dtyp="float16")
assay.gate(gallery.softmax, f, limits=100)
assay.gate(gallery.softmax, f, atol=1e-5)
assay.gate(gallery.softmax, None)
assay.gate(f, f, x=("N", "D"))
assay.gate(f, f, x="N", reach="qick")
assay.gate(f, f, x="N", atol=1e-5)
assay.pytest_gate("ctc", f, case=10)
assay.pytest_gate("ctx", f)
assay.gradcheck("ctx", f)
assay.gradcheck("svd", f, arithmetic="log_space")
assay.gradcheck(gallery.softmax, f, case=5)
assay.gradcheck(f, 3.0, eps=1e-3)
