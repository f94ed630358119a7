"""What a case is: a published kernel, how to call it, and the answers of NumPy."""

import collections

Case = collections.namedtuple("Case", "project file kernel run macros fault")
CASES = []


def case(project, file, kernel, macros=None, fault=""):
    """A case of the function below: from the library and a generator, a list of (got, expected, allowed error).

    An allowed error of 0 asks for the same bits. `fault` says what the kernel itself does wrong: a check that has to find it,
    or "wrong" if its numbers are.
    """

    def add(run):
        CASES.append(Case(project, file, kernel, run, macros or {}, fault))
        return run

    return add
