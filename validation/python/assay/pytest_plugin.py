"""The pytest plug-in: the option --assay-cases of assay.pytest_gate."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("assay").addoption(
        "--assay-cases",
        type=int,
        default=None,
        metavar="N",
        help="generated cases for each property of assay.pytest_gate, whatever the test file says",
    )
