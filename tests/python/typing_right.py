"""Calls that type checkers must accept: test_typed_calls.py."""

from typing import Any, Callable, Tuple

import numpy as np

import assay
from assay import gallery


def my_ctc(p: assay.CtcProblem) -> Tuple[Any, Any]:
    return p.logits, p.logits


def mine(p: Any) -> Any:
    return p.x


def reference(x: Any, weight: Any) -> Any:
    return x * weight


@assay.operation(x="N, D", properties="rows=N")
def scaled(xp: Any, x: Any) -> Any:
    return x * 2


any_function: Callable[..., Any] = reference
result: assay.GateResult = assay.gate(
    "ctc", my_ctc, cases=10, reach="quick", dtype=("float32", "float16"), arithmetic="probability"
)
assay.gate("svd", lambda p: np.linalg.svd(p.A, full_matrices=False), sweeps=12, limits={"M": 3})
assay.gate("cce", "./libmine.so")
assay.gate(gallery.softmax, mine, rounds={"e": "bfloat16", "d": 2}, extents={"D": [64], "N": "at least 2"}, road=reference)
assay.gate(scaled, mine, dtype="float16", compute="float32", seconds=60)
assay.gate(reference, reference, x="N, D", weight="D", device="cuda", largest=1e12, sizes=12)
assay.gate(any_function, any_function, x="N, D", weight="D")
assay.gate(lambda x: x, lambda x: x, x="N")
test_mine: Callable[..., None] = assay.pytest_gate(scaled, mine, cases=50)
print(result.passed, result["loss"].worst, scaled(np.zeros((2, 3))))
for name, failure in result.failures.items():
    print(name, failure.again)

checked: assay.GradcheckResult = assay.gradcheck(lambda x: np.exp(x).sum(), np.zeros(3), gradient=np.ones(3), digits=50)
of_kernel: assay.GradcheckResult = assay.gradcheck("ctc", my_ctc, cases=5, gradient_of="log_probs")
of_backward: assay.GateResult = assay.gradcheck(scaled, mine, cases=5)
of_reference: assay.GateResult = assay.gradcheck(reference, reference, x="N, D", weight="D", largest=1e12)
print(checked.patterns, of_kernel.variable, of_backward.table, of_reference.passed)
