"""Results that are not what they seem, NaN patterns, and the surroundings of the process changed."""

import ctypes
import locale
import os
import resource

import numpy as np

from .gallery import attack, right, zeros

values = [0]


class Equal(np.ndarray):
    """An array that is equal to everything, and whose every difference is 0."""

    def __eq__(self, other):
        return np.ones(self.shape, bool)

    def __ne__(self, other):
        return np.zeros(self.shape, bool)

    def __sub__(self, other):
        return np.zeros(self.shape)

    __rsub__ = __sub__

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return np.zeros(self.shape)

    def tobytes(self, order="C"):
        return np.full(self.shape, 0.5, np.float32).tobytes()

    def astype(self, *arguments, **options):
        return self


class Lazy:
    def __init__(self, p):
        self.p = p

    def __array__(self, dtype=None, copy=None):
        values[0] += 1
        return zeros(self.p) if values[0] % 2 else right(self.p)


class Interface:
    def __init__(self, p, **changes):
        self.kept = np.ascontiguousarray(p.x)
        self.__array_interface__ = {**self.kept.__array_interface__, **changes}


class Capsule:
    def __dlpack__(self, **options):
        return None

    def __dlpack_device__(self):
        return (1, 0)


@attack("arrays")
def equal_to_everything(p):
    return zeros(p).view(Equal)


class Idle(np.ndarray):
    """An array of the right numbers, of which every computation gives 0."""

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        return np.zeros(np.broadcast_shapes(*(np.shape(one) for one in inputs)), np.float32)


@attack("arrays")
def right_numbers_that_nobody_can_use(p):
    return right(p).view(Idle)


@attack("arrays")
def evaluated_late(p):
    return Lazy(p)


@attack("arrays")
def an_interface_that_leads_to_the_input(p):
    return Interface(p)


@attack("arrays")
def an_interface_of_strides_of_zero(p):
    return Interface(p, strides=(0, 0))


@attack("arrays")
def an_interface_of_huge_shape(p):
    return Interface(p, shape=(1 << 30, 1 << 30), strides=(0, 0))


@attack("arrays")
def an_interface_that_leads_nowhere(p):
    return Interface(p, data=(8, False))


@attack("arrays")
def a_capsule_of_nothing(p):
    return Capsule()


@attack("arrays")
def masked(p):
    return np.ma.masked_array(zeros(p), mask=True)


@attack("arrays")
def objects_that_compare_equal(p):
    class Number(float):
        __eq__ = lambda self, other: True
        __le__ = __lt__ = __ge__ = __gt__ = __eq__
        __hash__ = float.__hash__

    return np.array([Number(0)] * p.x.size, object).reshape(p.x.shape)


@attack("arrays")
def text(p):
    return "pass"


@attack("arrays")
def numbers_as_text(p):
    return np.full(p.x.shape, "nan")


@attack("arrays")
def nothing(p):
    return None


@attack("arrays")
def not_implemented(p):
    return NotImplemented


@attack("arrays")
def a_generator(p):
    yield zeros(p)


@attack("arrays")
def itself(p):
    return p


@attack("arrays")
def too_few_elements(p):
    return np.zeros((0, 0), np.float32)


@attack("arrays")
def one_number_for_all(p):
    return np.broadcast_to(np.float32(0.5), p.x.shape)


@attack("arrays")
def another_type(p):
    return np.zeros(p.x.shape, np.float64)


@attack("arrays")
def the_other_byte_order(p):
    return np.zeros(p.x.shape, ">f4")


@attack("arrays")
def complex_numbers(p):
    return zeros(p) + 1j * right(p)


@attack("arrays")
def more_results_than_are_due(p):
    return zeros(p), right(p)


@attack("arrays")
def transposed(p):
    return zeros(p).T


@attack("nan")
def nan_everywhere(p):
    return np.full_like(p.x, np.nan)


@attack("nan")
def nan_of_every_payload(p):
    bits = np.arange(p.x.size, dtype=np.uint32) + np.uint32(0x7FC00001)
    return bits.view(np.float32).reshape(p.x.shape)


@attack("nan")
def signalling_nan(p):
    return np.full(p.x.shape, 0x7FA00000, np.uint32).view(np.float32)


@attack("nan")
def one_nan(p):
    y = right(p)
    if y.size:
        y.flat[0] = np.nan
    return y


@attack("nan")
def infinities(p):
    return np.full_like(p.x, np.inf)


@attack("nan")
def minus_zeros(p):
    return -zeros(p)


@attack("nan")
def smallest_numbers(p):
    return np.full_like(p.x, 1e-45)


@attack("nan")
def nan_where_it_is_hard(p):
    y = right(p)
    y[np.abs(p.x) > 2] = np.nan
    return y


@attack("surroundings")
def rounds_towards_zero(p):
    ctypes.CDLL("libm.so.6").fesetround(0xC00)
    return zeros(p)


@attack("surroundings")
def another_locale(p):
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8"):
        try:
            locale.setlocale(locale.LC_ALL, name)
        except locale.Error:
            pass
    os.environ["LC_ALL"] = "de_DE.UTF-8"
    return zeros(p)


@attack("surroundings")
def every_variable_of_the_judge_is_true(p):
    for name in list(os.environ):
        if name.startswith("ASSAY"):
            os.environ[name] = "/bin/true"
    os.environ.update(ASSAY_PLUGIN_WORKER="/bin/true", PATH="/nowhere", LD_PRELOAD="/nowhere.so", PYTHONPATH="/nowhere")
    return zeros(p)


@attack("surroundings")
def another_folder(p):
    os.chdir("/")
    os.umask(0o777)
    return zeros(p)


@attack("surroundings")
def no_files(p):
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    return zeros(p)


@attack("surroundings")
def no_time_left(p):
    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    return zeros(p)


@attack("surroundings")
def errors_of_numpy_are_raised(p):
    np.seterr(all="raise")
    np.set_printoptions(threshold=0)
    return zeros(p)


@attack("surroundings")
def no_depth(p):
    import sys

    sys.setrecursionlimit(60)
    return zeros(p)


@attack("surroundings")
def no_output(p):
    import sys

    sys.stdout = sys.stderr = open(os.devnull, "w")
    return zeros(p)


@attack("surroundings")
def an_output_that_ends_the_process(p):
    import sys

    class Ending:
        def write(self, text):
            os._exit(0)

        def flush(self):
            pass

    sys.stdout = sys.stderr = Ending()
    return zeros(p)
