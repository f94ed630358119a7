"""pytest --build BUILD: the build tree with the program and the Python package that the pages speak of."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path[:0] = [str(DOCS), str(DOCS / "site")]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--build", type=Path, required=True)


@pytest.fixture(scope="session")
def build(request: pytest.FixtureRequest) -> Path:
    return Path(request.config.getoption("--build")).resolve()
