"""The one setting in which all right kernels of the gallery pass and all faulty ones fail."""

import os
import warnings

import pytest

CASES = 60
SEED = int(os.environ.get("ASSAY_SEED", "1"))  # any seed must do
warnings.filterwarnings("ignore", category=RuntimeWarning)


def each(kernels):
    """(operation, kernel) for each kernel of a list, or for each name of a dict."""
    return [pytest.param(name, one, id=f"{name}-{getattr(one, '__name__', one)}") for name, some in kernels.items() for one in some]


def failed(result):
    return [one.name for one in result.properties if one.verdict == "fail"]
