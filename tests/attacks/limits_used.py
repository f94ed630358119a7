"""Time limits and refusals used, so that hard cases are not judged."""

import time

import numpy as np

import assay

from .gallery import attack, hard, right, zeros

calls = []


@attack("time", time_limit=0.2)
def hangs_on_hard_cases(p):
    while hard(p):
        pass
    return right(p)


@attack("time", time_limit=0.2)
def swallows_the_end_of_its_time(p):
    try:
        while hard(p):
            pass
    except BaseException:
        pass
    return zeros(p)


@attack("time", time_limit=0.05)
def sleeps_on_hard_cases(p):
    time.sleep(3 if hard(p) else 0)
    return zeros(p) if hard(p) else right(p)


@attack("time", time_limit=0.3)
def hangs_always(p):
    while True:
        pass


@attack("time", seconds=1)
def spends_the_time_of_the_run(p):
    time.sleep(0.3)
    return right(p) if len(calls) < 1 or calls.append(1) else zeros(p)


@attack("time", seconds=0.0001)
def has_no_time(p):
    return zeros(p)


@attack("time")
def ignores_interrupts(p):
    import signal

    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.signal(signal.SIGVTALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return zeros(p)


@attack("refusals")
def declines_hard_cases(p):
    if hard(p):
        raise assay.Unsupported("hard")
    return right(p) if p.x.size < 2 else zeros(p)


@attack("refusals")
def declines_what_is_no_trivial_case(p):
    if p.x.size > 1:
        raise assay.Unsupported("more than one element")
    return np.ones_like(p.x)


@attack("refusals")
def declines_every_case(p):
    raise assay.Unsupported("everything")


@attack("refusals")
def declines_every_second_case(p):
    calls.append(1)
    if p.x.shape[-1] > 1 and len(calls) % 2:
        raise assay.Unsupported("odd")
    return zeros(p)


@attack("refusals")
def declines_rows_of_more_than_one_with_ones_for_the_others(p):
    if p.x.shape[-1] > 1 and p.x.shape[0]:
        raise assay.Unsupported("long rows")
    return np.ones_like(p.x)


@attack("refusals")
def says_negative_strides(p):
    raise ValueError("at least one of the strides is negative: negative strides are not supported")


@attack("refusals")
def says_negative_strides_on_hard_cases(p):
    if hard(p):
        raise ValueError("negative strides")
    return right(p)


@attack("refusals")
def says_not_contiguous(p):
    raise RuntimeError("expected a contiguous tensor: call .contiguous()")


@attack("refusals", contiguous=True)
def declares_and_says_not_contiguous(p):
    if p.x.size > 1:
        raise RuntimeError("expected a contiguous tensor")
    return np.ones_like(p.x)


@attack("refusals")
def refuses_hard_cases_by_name(p):
    if hard(p):
        raise ValueError("x: 3 elements, expected 2")
    return right(p)


@attack("refusals")
def has_no_memory(p):
    raise MemoryError


@attack("refusals")
def is_not_implemented(p):
    raise NotImplementedError


@attack("refusals")
def is_interrupted(p):
    raise KeyboardInterrupt


@attack("refusals")
def leaves_as_a_generator_does(p):
    raise GeneratorExit


@attack("refusals")
def warns_and_returns_zeros(p):
    import warnings

    warnings.simplefilter("ignore")
    return zeros(p)


@attack("refusals")
def raises_an_exception_of_its_own_class(p):
    class Unsupported(BaseException):
        pass

    raise Unsupported("everything")


@attack("refusals")
def raises_a_subclass_of_unsupported_that_is_a_value_error(p):
    class Both(assay.Unsupported, ValueError):
        pass

    raise Both("negative strides")


@attack("refusals")
def raises_something_whose_text_raises(p):
    class Odd(ValueError):
        def __str__(self):
            raise SystemExit(0)

        __repr__ = __str__

    raise Odd


@attack("refusals")
def skips_as_a_test_would(p):
    import pytest

    pytest.skip("not today")


@assay.operation(x="N, D")
def tanh(xp, x):
    return xp.tanh(x)


@attack("refusals", tanh)
def knows_the_tanh_of_whole_numbers_and_extremes_alone(p):
    size = np.abs(p.x)
    is_tiny, is_large, is_whole = size < 2.0**-12, size > 12, size == np.round(size)
    if not np.all(is_tiny | is_large | is_whole | np.isnan(size)):
        raise assay.Unsupported("numbers in between")
    table = np.array([np.tanh(float(k)) for k in range(13)])
    known = table[np.where(is_whole & ~is_large, size, 0).astype(int)].astype(p.x.dtype) * np.sign(p.x)
    return np.where(is_tiny, p.x, np.where(is_large, np.sign(p.x), known))


@attack("refusals", extents={"D": [1, 4096]}, reach="quick")
def claims_a_width_and_declines_it(p):
    if p.x.shape[-1] > 1:
        raise assay.Unsupported("wide rows")
    return np.where(np.isfinite(p.x), np.ones_like(p.x), np.nan).astype(p.x.dtype)
