"""One line in a test file: a test for each property, failures in words."""

import os

import pytest

import assay
import assay._pytest_gate

pytest_plugins = ["pytester"]

FILE = """
import assay, kernels, numpy
def halved(p):
    loss, gradient = kernels.ctc(p)
    return loss, gradient / 2
test_right = assay.pytest_gate("ctc", kernels.ctc, cases=2, reach="none", **kernels.CTC)
test_halved = assay.pytest_gate("ctc", halved, cases=5, reach="none", **kernels.CTC)
@assay.operation(x="N, D of nonzero")
def share(xp, x):
    return x / xp.sum(x, axis=-1, keepdims=True)
test_ones = assay.pytest_gate(share, lambda p: numpy.ones_like(p.x), cases=5, reach="none", extents={"D": [1]})
"""


@pytest.fixture
def run(pytester):
    def run(*arguments):
        paths = [os.path.dirname(os.path.dirname(assay.__file__)), os.path.dirname(__file__)]
        pytester.syspathinsert(paths[0])
        pytester.syspathinsert(paths[1])
        pytester.makepyfile(test_mine=FILE)
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "assay.pytest_plugin", *arguments)

    return run


def test_each_property_is_a_test(run):
    result = run("-k", "test_right and (loss or padding or reductions)", "-rs", "-v")
    result.stdout.fnmatch_lines(["*test_right[[]loss[]] PASSED*"])
    result.stdout.fnmatch_lines(["*SKIPPED*the kernel does not do reduction*cases*"])
    assert result.ret == 0
    assert result.parseoutcomes()["passed"] >= 2 and result.parseoutcomes()["skipped"] == 1


def test_a_failure_shows_the_case_and_no_internals(run):
    result = run("-k", "test_halved and gradient")
    assert result.ret == 1 and result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(["fail gradient: each gradient element within its derived bound"])
    result.stdout.fnmatch_lines(["*exact*", "*got*", "reproduce with", "*assay.replay(*, 'operation=ctc property=gradient*"])
    result.stdout.no_fnmatch_line("*pytest_plugin.py*Error*")
    result.stdout.no_fnmatch_line("*Traceback*")


def test_what_makes_a_whole_run_mistrusted_fails_what_is_compared(run):
    result = run("-k", "test_ones and outputs")
    assert result.ret == 1 and result.parseoutcomes()["failed"] == 1
    result.stdout.fnmatch_lines(["*outputs: mistrusted: the sizes and values that the kernel declares, and what it declined, leave *"])


def test_the_number_of_cases_can_be_given(run, monkeypatch):
    seen = []
    gate = assay._pytest_gate.gate

    def note(*arguments, **options):
        seen.append(options["cases"])
        return gate(*arguments, **options)

    monkeypatch.setattr(assay._pytest_gate, "gate", note)
    run("-k", "test_right and padding", "--assay-cases", "3")
    run("-k", "test_right and padding")
    assert seen == [3, 2]
