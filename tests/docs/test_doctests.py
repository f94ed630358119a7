"""Every >>> in the package's docstrings and in the pages gives what stands below it."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path
from types import ModuleType
from typing import Iterator, Optional

import assay
import pytest

ROOT = Path(__file__).resolve().parents[2]


def modules() -> Iterator[str]:
    for module in pkgutil.walk_packages(assay.__path__, "assay."):
        if module.name != "assay.pytest_plugin":
            yield module.name


def failures_in(text: str, name: str) -> int:
    examples = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    return doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples).failed


def imported(name: str) -> Optional[ModuleType]:
    """The module, or None where the framework that it is for is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as missing:
        if missing.name not in ("jax", "mlx", "torch"):
            raise
        return None


def test_docstrings_give_what_they_show() -> None:
    tried = 0
    for name in modules():
        module = imported(name)
        if module is None:
            continue
        failed, attempted = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
        assert failed == 0, name
        tried += attempted
    assert tried >= 15


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_pages_give_what_they_show(page: Path) -> None:
    assert failures_in(page.read_text(), page.name) == 0


def test_a_wrong_result_is_noticed() -> None:
    assert failures_in(">>> 1 + 1\n3\n", "planted") == 1
