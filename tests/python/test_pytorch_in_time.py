"""Rounds of the gate that end in time: the last finished one counts, a failure ends them, an interrupt of the user's is one."""

import time
from types import SimpleNamespace

import _thread
import pytest

pytest.importorskip("torch")

from assay.pytorch.in_time import judged_in_time  # noqa: E402


def judge(seconds_of_a_case, fails_at=None, calls=None, mistrusted_below=0):
    def judged(cases, reach):
        if calls is not None:
            calls.append((cases, reach))
        for _ in range(cases):
            end = time.monotonic() + seconds_of_a_case
            while time.monotonic() < end:
                time.sleep(0.001)
        failure = "it fails" if fails_at is not None and cases >= fails_at else None
        passed = failure is None and cases >= mistrusted_below
        return SimpleNamespace(passed=passed, cases=cases, properties=[SimpleNamespace(failure=failure)])

    return judged


def ran(judged, cases=40, seconds=0.6):
    said = []
    began = time.monotonic()
    found = judged_in_time(judged, cases, "quick", seconds, said.append)
    return found, said, time.monotonic() - began


def test_a_fast_run_is_whole_after_a_first_round():
    calls = []
    found, said, _ = ran(judge(0, calls=calls), seconds=30)
    assert calls == [(2, "none"), (40, "quick")] and found.is_whole and found.cases == 40 and found.result.passed


def test_a_slow_run_ends_in_time_with_its_last_round():
    found, said, took = ran(judge(0.02))
    assert not found.is_whole and found.cases == 8 and found.result.cases == 8 and took < 2
    assert "ended after 8 cases" in said[-1]


def test_a_run_without_a_round_in_time_has_no_result():
    found, said, took = ran(judge(2))
    assert found.result is None and found.cases == 0 and took < 2


@pytest.mark.parametrize("fails_at, cases", [(2, 2), (8, 8), (40, 40)])
def test_a_failure_ends_the_rounds(fails_at, cases):
    found, _, _ = ran(judge(0.004, fails_at=fails_at), seconds=20 if cases == 40 else 0.3)
    assert not found.result.passed and found.cases == cases


def test_few_cases_that_prove_too_little_are_followed_by_more():
    found, _, _ = ran(judge(0.0005, mistrusted_below=30), seconds=20)
    assert found.is_whole and found.result.passed


def test_an_interrupt_of_the_users_is_not_the_end_of_the_time():
    def interrupted(cases, reach):
        _thread.interrupt_main()
        time.sleep(1)

    with pytest.raises(KeyboardInterrupt):
        ran(interrupted, seconds=30)
