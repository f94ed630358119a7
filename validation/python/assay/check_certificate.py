#!/usr/bin/env python3
"""Checks a certificate of bounds, step by step, in exact rational arithmetic: python3 check_certificate.py FILE.

For each step of a kernel's way to the results of a case, a certificate has an enclosure of its exact value and a bound on its
error. Both are derived anew from those of the step's arguments; what the results are is defined here. Nothing of Assay is used.

    u = 2^-p, s the smallest number, v the exact value, e the bound on its error, k = exp_error      (docs/bounds.md)
    largest             e = max e_i
    subtract            e = d + u (|v| + d),               d = e_a + e_b
    divide              e = d + max(u (|v| + d), s / 2),   d = (e_a + |a/b| e_b) / (|b| - e_b)
    exp                 e = d + max(k u (|v| + d), s),     d = v (exp(e_a) - 1)
    sum, in any order   e = d + gamma(N) (sum |x_i| + d),  d = sum e_i,  gamma(n) = n u / (1 - n u)
    store               e = d + max(u (|v| + d), s / 2),   d = e_a, u and s of the type in which results are stored

Of exact arguments e = 0 for a number of the type, for exp(0), and for a sum of multiples of q whose sizes are at most q / u.
"""

from __future__ import annotations

import json
import math
import sys
from fractions import Fraction
from typing import Any, Dict, Iterable, List, NamedTuple, Sequence, Tuple

TYPES = {"float64": (53, 1074), "float32": (24, 149), "float16": (11, 24)}  # u = 2^-p, s = 2^-q
DIGITS = 80  # of enclosures, outward
RULES = ("input", "largest", "subtract", "divide", "exp", "sum", "store")


class Refused(ValueError):
    """A step, a bound or a result that does not follow."""


class Known(NamedTuple):
    """Of a step: its exact value lies in [low, high], and what is computed within `error` of it."""

    low: Fraction
    high: Fraction
    error: Fraction


def rounded(x: Fraction, up: bool) -> Fraction:
    """To DIGITS significant digits, down or up."""
    if x == 0:
        return x
    shift = DIGITS - math.floor((abs(x.numerator).bit_length() - x.denominator.bit_length()) * math.log10(2))
    scale = Fraction(10) ** shift
    return Fraction(math.ceil(x * scale) if up else math.floor(x * scale)) / scale


def exp(x: Fraction) -> Tuple[Fraction, Fraction]:
    """An enclosure: Taylor's series at |x| / 2^k <= 1/2, squared k times; the rest of the series is below its last term."""
    if x == 0:
        return Fraction(1), Fraction(1)
    if x < -4000:
        return Fraction(0), Fraction(1, 10**1700)
    k = (2 * math.ceil(abs(x))).bit_length()
    r = abs(x) / 2**k
    term = low = Fraction(1)
    for n in range(1, 60):
        term = rounded(term * r / n, True)
        low += rounded(term * (1 - Fraction(1, 10 ** (DIGITS - 5))), False)
    high = low + 2 * term + Fraction(60, 10 ** (DIGITS - 7))
    for _ in range(k):
        low, high = rounded(low * low, False), rounded(high * high, True)
    return (low, high) if x >= 0 else (rounded(1 / high, False), rounded(1 / low, True))


def total(terms: Iterable[Fraction]) -> Fraction:
    return sum(terms, Fraction(0))


def value_of(rule: str, a: Sequence[Known]) -> Tuple[Fraction, Fraction]:
    """The enclosure of a step's exact value, from those of its arguments."""
    if rule in ("largest", "store"):
        return max(one.low for one in a), max(one.high for one in a)
    if rule == "sum":
        return total(one.low for one in a), total(one.high for one in a)
    if rule == "exp":
        return exp(a[0].low)[0], exp(a[0].high)[1]
    if rule == "subtract":
        return a[0].low - a[1].high, a[0].high - a[1].low
    if a[1].low <= 0 <= a[1].high:
        raise Refused("the divisor may be 0")
    ends = [x / y for x in a[0][:2] for y in a[1][:2]]
    return min(ends), max(ends)


def is_number(x: Fraction, p: int, q: int) -> bool:
    """Whether a type of p bits has it; 2^-q is its smallest number, and all are below 2^(q - p + 3)."""
    bits = (abs(x.numerator) // (x.numerator & -x.numerator or 1)).bit_length()
    return 2**q % x.denominator == 0 and bits <= p and abs(x) < 2 ** (q - p + 3)


def is_exact(rule: str, a: Sequence[Known], p: int, q: int) -> bool:
    """Whether rounding changes nothing, in any order: the arguments and the value are numbers."""
    if any(one.error != 0 or one.low != one.high for one in a):
        return False
    if rule == "exp":
        return a[0].low == 0
    terms = [one.low for one in a if one.low != 0]
    if rule == "sum" and len(terms) > 2:
        grid = max(one.denominator for one in terms)  # powers of two, as all numbers have them
        unit = math.gcd(*(int(one * grid) for one in terms))
        return grid & (grid - 1) == 0 and total(map(abs, terms)) * grid <= (unit & -unit) * 2**p
    return is_number(value_of(rule, a)[0], p, q)


def of_additions(sizes: Sequence[Fraction], u: Fraction) -> Fraction:
    """gamma(N) sum |x_i|, with N of bounds.md: tiny terms cost little."""
    whole, n = total(sizes) or Fraction(1), len(sizes)
    tiny = 1 + 2 * n * u / (1 - n * u)
    count = min(total(min(Fraction(1), tiny * x / (u * whole)) for x in sizes), Fraction(max(sum(x > 0 for x in sizes) - 1, 0)))
    return count * u / (1 - count * u) * whole


def error_of(rule: str, a: Sequence[Known], size: Fraction, p: int, q: int, exp_error: Fraction) -> Fraction:
    """The bound on a step's error, from those of its arguments."""
    u, s = Fraction(1, 2**p), Fraction(1, 2**q)
    if rule == "largest":
        return max(one.error for one in a)
    if is_exact(rule, a, p, q):
        return Fraction(0)
    carried = total(one.error for one in a)
    if rule == "sum":
        if len(a) * u >= 1:
            raise Refused(f"a sum of {len(a)} terms has no bound in this type")
        return carried + of_additions([max(abs(one.low), abs(one.high)) + one.error for one in a], u)
    if rule == "divide":
        least = min(abs(a[1].low), abs(a[1].high))
        if a[1].error >= least:
            raise Refused("the divisor may be computed as 0")
        carried = (a[0].error + size * a[1].error) / (least - a[1].error)
    if rule == "exp":
        carried = size * (exp(a[0].error)[1] - 1) if a[0].error else Fraction(0)
        return carried + max(exp_error * u * (size + carried), s)
    return carried + max(u * (size + carried), Fraction(0) if rule == "subtract" else s / 2)


def checked_step(number: int, said: Dict[str, Any], known: List[Known], inputs: List[List[Fraction]], arithmetic: Any) -> Known:
    rule, arguments = said["rule"], said["of"]
    if rule == "input":
        x = inputs[arguments[0]][arguments[1]]
        return Known(x, x, Fraction(0))
    if rule not in RULES or not arguments or not all(isinstance(one, int) and 0 <= one < number for one in arguments):
        raise Refused(f"step {number}: {rule} of {arguments}: expected one of {', '.join(RULES)} of steps before it")
    due = arithmetic["stored"] if rule == "store" else arithmetic["type"]
    if said["type"] != due:
        raise Refused(f"step {number}: {rule} is rounded to {said['type']}: expected {due}, as declared")
    a = [known[one] for one in arguments]
    low, high = (Fraction(one) for one in said["value"])
    least, most = value_of(rule, a)
    if not low <= least <= most <= high:
        raise Refused(f"step {number}: {rule}: the exact value may lie outside [{float(low)}, {float(high)}]")
    low, high = (least, most) if least == most else (low, high)
    error = error_of(rule, a, max(abs(low), abs(high)), *TYPES[due], Fraction(arithmetic["exp_error"]))
    if not Fraction(said["error"]) >= error:
        raise Refused(f"step {number}: {rule}: the error may be {float(error)}, more than {float(Fraction(said['error']))}")
    return Known(low, high, Fraction(said["error"]))


def softmax(row: List[Fraction]) -> List[Tuple[Fraction, Fraction]]:
    powers = [exp(x - max(row)) for x in row]
    low, high = (total(one[end] for one in powers) for end in (0, 1))
    return [(one[0] / high, one[1] / low) for one in powers]


DEFINITIONS: Dict[str, Any] = {"softmax": softmax, "sum": lambda row: [(total(row), total(row))]}  # of a row's results


def checked_case(case: Dict[str, Any], definition: Any, arithmetic: Any) -> Tuple[int, int]:
    """How many bounds of the case follow, and how many results it has."""
    inputs = [[Fraction(x) for x in row] for row in case["inputs"]]
    if not all(is_number(x, *TYPES[arithmetic["stored"]]) for row in inputs for x in row):
        raise Refused(f"an input is no number of {arithmetic['stored']}")
    known: List[Known] = []
    for number, said in enumerate(case["steps"]):
        known.append(checked_step(number, said, known, inputs, arithmetic))
    due = [one for row in inputs for one in definition(row)]
    if len(case["outputs"]) != len(due) or min(said["step"] for said in case["outputs"]) < 0:
        raise Refused(f"{len(case['outputs'])} results: expected {len(due)}, each the number of a step")
    proven = 0
    for k, (said, (low, high)) in enumerate(zip(case["outputs"], due)):
        step = known[said["step"]]
        if arithmetic["stored"] != arithmetic["type"] and case["steps"][said["step"]]["rule"] != "store":
            raise Refused(f"result {k} is of {arithmetic['type']}: expected a step that stores it in {arithmetic['stored']}")
        if not max(step.high, high) - min(step.low, low) <= max(abs(low), abs(high)) / 10**50 + Fraction(1, 10**1600):
            raise Refused(f"result {k}: its step gives {float(step.low)} to {float(step.high)}, and by definition it is {float(low)}")
        if said["bound"] is not None and not step.error <= Fraction(said["bound"]):
            raise Refused(f"result {k}: the error may be {float(step.error)}, more than {float(Fraction(said['bound']))}")
        proven += said["bound"] is not None
    return proven, len(due)


def check(certificate: Dict[str, Any]) -> str:
    """What is proven, in a line. Raises Refused with the first thing that does not follow."""
    name, arithmetic = certificate["definition"], certificate["arithmetic"]
    if name not in DEFINITIONS or arithmetic["type"] not in TYPES or arithmetic["stored"] not in TYPES:
        raise Refused(f"{name} in {arithmetic['type']}: expected {', '.join(DEFINITIONS)} in one of {', '.join(TYPES)}")
    if not Fraction(arithmetic["exp_error"]) >= 0:
        raise Refused(f"exp_error {arithmetic['exp_error']}: expected 0 or more")
    counts = [checked_case(one, DEFINITIONS[name], arithmetic) for one in certificate["cases"]]
    proven, results = (sum(one[k] for one in counts) for k in (0, 1))
    if proven == 0:
        raise Refused("no bound is stated: expected at least one")
    assumed = f"{arithmetic['type']} with exp_error {arithmetic['exp_error']}"
    return f"{proven} bounds of {results} results of {name} follow, in {len(counts)} cases, from {assumed}"


if __name__ == "__main__":
    try:
        print(check(json.loads(open(sys.argv[1], encoding="utf-8").read())))
    except (OSError, LookupError, TypeError, ValueError, AttributeError) as refused:
        sys.exit(f"{' '.join(sys.argv[1:])}: {type(refused).__name__}: {refused}")
