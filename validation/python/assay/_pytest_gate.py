"""assay.pytest_gate: ``test_mine = assay.pytest_gate("ctc", my_ctc)`` is a test for each property."""

from __future__ import annotations

from typing import Any, Callable, Optional

import pytest

from ._file_kernel import kernel_in
from ._gate import gate, property_names
from ._gate_result import PropertyResult, failure_text
from ._references import with_operation
from ._typed import judges


def _conclude(result: PropertyResult, mistrust: str) -> None:
    """`mistrust` is of the run. Where no elements are compared with the reference, a right kernel may return one number alone."""
    if result.verdict == "skipped" and not sum(result.skipped.values()):
        pytest.fail(f"{result.name}: there was no case to judge it on: expected cases, a reach or an input", pytrace=False)
    if result.verdict == "skipped" and not mistrust:
        pytest.skip("; ".join(f"{reason} ({count} cases)" for reason, count in result.skipped.items()))
    if not result.passed:
        pytest.fail(failure_text(result), pytrace=False)
    if mistrust and (result.elements or result.verdict == "skipped"):
        pytest.fail(f"{result.name}: mistrusted: {mistrust}", pytrace=False)


@judges
def pytest_gate(
    operation: Any, fn: Callable[[Any], Any], *, cases: Optional[int] = None, **options: Any
) -> Callable[..., None]:
    """A test for each property of `operation`; assign it to a name that begins with test.

    `options` are those of assay.gate; 100 cases a property unless `cases` or --assay-cases says otherwise. A failure
    shows what was expected, what came, and how to replay it.
    """

    operation, options = with_operation(operation, options)
    fn = kernel_in(fn)

    def test(property_name: str, request: pytest.FixtureRequest) -> None:
        asked = request.config.getoption("--assay-cases", default=None)
        count = asked if asked is not None else 100 if cases is None else cases
        result = gate(operation, fn, cases=count, filter=f"^{property_name}$", **options)
        _conclude(result[property_name], result.mistrust)

    each: Callable[..., None] = pytest.mark.parametrize("property_name", property_names(operation, fn, **options))(test)
    return each
