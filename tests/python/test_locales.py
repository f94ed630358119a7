"""Decimal points, and letters, are the same in every locale: a German one has commas, a Turkish one an i without a dot."""

import os
import subprocess
import sys

import pytest

import assay

PROGRAM = """
import locale, sys
import numpy as np
import assay
from assay import gallery
import kernels

if sys.argv[1] != "C":
    locale.setlocale(locale.LC_ALL, sys.argv[1])

def texts(result):
    print(str(result).rsplit(", in ", 1)[0])
    for failure in result.failures.values():
        print(failure.explanation, failure.reproducer, failure.errors)

print(assay.Real("1.25") / 3, assay.Real(0.1), float(assay.Real("2.5e-3")))
print(gallery.softmax.truth(np.array([[0.25, 1.5]]), digits=20)["outputs"])
print(assay.reference.ctc(logits=np.array([[[0.5, 0.25]], [[0.125, 1.5]]]), targets=[[1]], input_lengths=[2], target_lengths=[1]).loss)
texts(assay.gate(gallery.softmax, lambda p: p.x * p.x.dtype.type(1.0001), cases=3, reach="none", filter="outputs"))
wrong = assay.gate(gallery.softmax, lambda p: p.x * 0 + p.x.dtype.type(0.3), cases=5, reach="none", filter="outputs")
texts(wrong)
print(assay.replay(lambda p: p.x * 0 + p.x.dtype.type(0.3), wrong.failures["outputs"].reproducer, operation=gallery.softmax))
texts(assay.gate("ctc", lambda p: (kernels.ctc(p)[0] * 1.01, kernels.ctc(p)[1]), cases=3, filter="^loss$", reach="none", **kernels.CTC))
print(assay.gradcheck(lambda x: (x * x).sum(), np.array([1.5, 2.25]), gradient=np.array([3.0, 4.25])))
"""


NAMES = ("de_DE.UTF-8", "tr_TR.UTF-8")


@pytest.fixture(scope="module")
def locales(tmp_path_factory):
    """A folder of these locales, made from what Debian's package locales describes."""
    folder = tmp_path_factory.mktemp("locales")
    for name in NAMES:
        language, encoding = name.split(".")
        subprocess.run(["localedef", "-i", language, "-f", encoding, str(folder / name)], check=True, capture_output=True)
    return folder


def run(name, folder):
    paths = os.pathsep.join([os.path.dirname(os.path.dirname(assay.__file__)), os.path.dirname(__file__)])
    environment = {**os.environ, "PYTHONPATH": paths, "LC_ALL": name, "LOCPATH": str(folder), "PYTHONUTF8": "1"}
    return subprocess.run([sys.executable, "-c", PROGRAM, name], env=environment, capture_output=True, text=True, check=True).stdout


def test_all_output_is_the_same_in_every_locale(locales):
    expected = run("C", locales)
    assert "0.25" in expected and "exact" in expected
    for name in NAMES:
        assert run(name, locales) == expected, name
