"""Inputs changed so that the comparison agrees, and results that are somebody else's memory."""

import ctypes
import threading
import time

import numpy as np

from .gallery import attack, right, zeros

kept = {}


def poke(address, value, count):
    ctypes.memmove(address, (ctypes.c_float * count)(*[value] * count), 4 * count)


@attack("inputs")
def sets_the_input_to_its_result(p):
    p.x.flags.writeable = True
    p.x[...] = -1000
    p.x[:, :1] = 0
    return (p.x == 0).astype(np.float32)


@attack("inputs")
def writes_through_the_address(p):
    for row in p.x:
        poke(row.__array_interface__["data"][0], 0.0, row.size if p.x.flags.c_contiguous else 0)
    return np.full_like(p.x, 1 / max(p.x.shape[-1], 1))


@attack("inputs")
def writes_through_the_base(p):
    base = p.x
    while getattr(base, "base", None) is not None:
        base = base.base
    memory = np.frombuffer(base, np.uint8) if not isinstance(base, np.ndarray) else base
    memory.flags.writeable = True
    memory[...] = 0
    return np.full_like(p.x, 1 / max(p.x.shape[-1], 1))


@attack("inputs")
def replaces_the_attribute(p):
    p.x = np.zeros_like(p.x)
    return np.full_like(p.x, 1 / max(p.x.shape[-1], 1))


@attack("inputs")
def reshapes_the_input(p):
    p.x.shape = (p.x.size,)
    return np.zeros(p.x.size, p.x.dtype)


@attack("inputs")
def empties_the_input(p):
    p.x.resize((0, 0), refcheck=False)
    return np.zeros((0, 0), np.float32)


@attack("inputs")
def changes_the_extents(p):
    for name in ("N", "D"):
        if hasattr(p, name):
            setattr(p, name, 0)
    return np.zeros((0, 0), np.float32)


@attack("inputs")
def changes_the_type(p):
    p.x.dtype = np.int32
    return np.zeros(p.x.shape, np.int32)


@attack("inputs")
def writes_and_restores(p):
    saved = p.x.copy()
    p.x.flags.writeable = True
    p.x[...] = 0
    y = right(p)
    p.x[...] = saved
    return y


@attack("inputs")
def writes_after_the_return(p):
    x = p.x

    def later():
        time.sleep(0.002)
        try:
            x.flags.writeable = True
            x[...] = 0
        except ValueError:
            pass

    threading.Thread(target=later, daemon=True).start()
    return np.full_like(p.x, 1 / max(p.x.shape[-1], 1))


@attack("aliases")
def the_input_itself(p):
    return p.x


@attack("aliases")
def a_view_of_the_input(p):
    return p.x[::1]


@attack("aliases")
def the_input_as_a_memoryview(p):
    return memoryview(np.ascontiguousarray(p.x))


@attack("aliases")
def one_buffer_of_the_first_answer(p):
    buffer = kept.setdefault("buffer", np.zeros(1 << 20, np.float32))
    view = buffer[: p.x.size].reshape(p.x.shape)
    if not kept.setdefault(p.x.shape, None):
        kept[p.x.shape] = True
        view[...] = right(p)
    return view


@attack("aliases")
def the_previous_result_is_overwritten(p):
    if "result" in kept and kept["result"].shape == p.x.shape:
        kept["result"][...] = right(p)
        return zeros(p)
    kept["result"] = zeros(p)
    return kept["result"]


@attack("aliases")
def whatever_memory_was_free(p):
    return np.empty_like(p.x)


@attack("aliases")
def memory_behind_the_input(p):
    x = np.ascontiguousarray(p.x)
    address = p.x.__array_interface__["data"][0] + x.nbytes
    return np.frombuffer((ctypes.c_char * x.nbytes).from_address(address), x.dtype).reshape(x.shape)
