"""Small formats in Python: codes, packings and roundings, against ml_dtypes and PyTorch where these are installed."""

import numpy as np
import pytest
from quantised_numbers import decoded, encoded, encoded_by_search

from assay._arrays import carry
from assay._formats import (
    codes_of,
    format_called,
    formats,
    held,
    held_shape,
    held_types,
    numbers_of,
    packing_called,
    packing_of,
    rounded,
)

ML = {"e4m3fn": "float8_e4m3fn", "e4m3fnuz": "float8_e4m3fnuz", "e5m2": "float8_e5m2", "e5m2fnuz": "float8_e5m2fnuz",
      "e8m0": "float8_e8m0fnu", "e3m2": "float6_e3m2fn", "e2m3": "float6_e2m3fn", "e2m1": "float4_e2m1fn",
      "int8": "int8", "uint8": "uint8", "int4": "int4", "uint4": "uint4"}  # fmt: skip
FLOATS = [name for name in ML if "int" not in name]


def same(a, b):
    return np.array_equal(np.asarray(a, np.float64), np.asarray(b, np.float64), equal_nan=True)


def midpoints(of):
    grid = of.finite
    middle = grid[1:] / 2 + grid[:-1] / 2
    single = middle.astype(np.float32)  # through which other libraries convert
    assert np.array_equal(single, middle)
    return np.concatenate([grid, middle, np.nextafter(single, np.float32(np.inf)), np.nextafter(single, np.float32(-np.inf))])


def known_midpoints(of):
    """Both ml_dtypes 0.6 and PyTorch 2.15 round the number before 1.5 2^-127 to 2^-126 as e8m0, which is farther than 2^-127."""
    x = midpoints(of)
    return x[(x <= 2.0**-127) | (x >= 2.0**-126)] if of.name == "e8m0" else x


@pytest.mark.parametrize("name", ML)
def test_every_code_is_that_of_ml_dtypes(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype, of = getattr(ml_dtypes, ML[name], np.dtype(name) if name in ("int8", "uint8") else None), formats()[name]
    codes = np.arange(1 << of.bits, dtype=np.uint8)
    theirs = (
        codes.astype(dtype) if name == "uint4" else codes.view(np.int8).astype(dtype) if name == "int4" else codes.view(dtype)
    )
    assert same(of.numbers, theirs.astype(np.float64))


@pytest.mark.parametrize("name", FLOATS)
def test_rounding_is_that_of_ml_dtypes(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    of = formats()[name]
    x = known_midpoints(of)
    if name != "e8m0":
        x = np.concatenate([x, np.random.default_rng(1).normal(size=2000).astype(np.float32) * np.float32(of.largest / 3)])
    x = x[np.abs(x) <= of.largest].astype(np.float64)
    assert same(rounded(x, of, "nearest-even", True), x.astype(getattr(ml_dtypes, ML[name])).astype(np.float64))


@pytest.mark.parametrize("name", ["e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0"])
def test_codes_and_rounding_are_those_of_pytorch(name):
    torch = pytest.importorskip("torch")
    dtype = getattr(torch, ML[name], None)
    if dtype is None:
        pytest.skip("this PyTorch has no such type")
    of = formats()[name]
    codes = torch.arange(256, dtype=torch.int32).to(torch.uint8)
    assert same(of.numbers, codes.view(dtype).to(torch.float64).numpy())
    x = known_midpoints(of)
    x = x[np.abs(x) <= of.largest].astype(np.float32)
    assert same(rounded(x, of, "nearest-even", True), torch.from_numpy(x).to(dtype).to(torch.float64).numpy())


@pytest.mark.parametrize("name, short", [("e4m3fn", "e4m3"), ("e5m2", "e5m2"), ("e2m1", "e2m1")])
def test_codes_are_those_of_their_bits(name, short):
    of = formats()[name]
    finite = np.flatnonzero(np.isfinite(of.numbers)).astype(np.uint8)
    assert same(decoded(finite, short), of.numbers[finite])
    x = midpoints(of)
    for encode in (encoded, encoded_by_search):
        assert same(of.numbers[encode(x, short)], rounded(x, of, "nearest-even", True)), encode.__name__


@pytest.mark.parametrize("name", ML)
def test_the_graph_rounds_as_numpy_does(name):
    import assay

    for rounding in ("nearest-even", "nearest-away", "zero", "up"):
        for overflow in ("saturate", "nonfinite"):

            def formula(xp, x):
                return xp.cast(x, name, rounding=rounding, overflow=overflow)

            operation = assay.operation(x="N")(formula)
            x = np.concatenate([midpoints(formats()[name]), [3e38, -3e38, 0.3, 1e-40]])
            x = x[x >= formats()[name].finite[0]] if name == "e8m0" else x
            exact = [float(one) for one in operation.truth(x, dtype="float64")["outputs"][0]]
            assert same(exact, operation(x)), (rounding, overflow)


@pytest.mark.parametrize("name", ML)
@pytest.mark.parametrize(
    "word", ["", "uint8", "uint8 low-first", "uint8 high-first", "uint32 low-first", "int32 high-first axis 0"]
)
def test_what_is_held_is_read_again(name, word):
    of = formats()[name]
    values = np.random.default_rng(2).choice(of.finite, (3, 7)) + 0.0
    array = held(values, of, word)
    assert array.shape == held_shape(values.shape, of, word)
    dtype, returned = carry(array)
    assert dtype in held_types(of, word)
    assert same(numbers_of(returned, of, word, values.shape), values)


def test_orders_of_nibbles():
    of = formats()["uint4"]
    x = np.arange(1, 9, dtype=np.float64)
    assert held(x, of, "uint8 low-first").tolist() == [0x21, 0x43, 0x65, 0x87]
    assert held(x, of, "uint8 high-first").tolist() == [0x12, 0x34, 0x56, 0x78]
    assert held(x, of, "uint32 low-first").tolist() == [0x87654321]
    assert held(x, of, "uint32 02461357").tolist() == [0x86427531]  # AWQ's order
    assert held(x[:3], of, "uint8 low-first").tolist() == [0x21, 0x03]
    assert held(-x[:2], formats()["int4"], "uint8 low-first").tolist() == [0xEF]


@pytest.mark.parametrize("word", ["uint16", "uint8 lowfirst", "float32", "uint8 low-first axis", 3])
def test_a_word_that_says_nothing_is_refused(word):
    with pytest.raises(ValueError, match="dtypes.*: expected how codes are held, such as"):
        packing_called("dtypes['w']", word)


def test_places_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="which of 8 codes each place has"):
        packing_of(formats()["int4"], "uint32 0123")


def test_numbers_that_a_format_lacks_are_refused():
    with pytest.raises(ValueError, match="0.3: expected a number of e4m3fn"):
        codes_of([0.5, 0.3], formats()["e4m3fn"])
    with pytest.raises(ValueError, match="format"):
        format_called("xp.cast: format", "e9m9")
    assert format_called("format", "e4m3").name == "e4m3fn"


def test_a_batch_may_have_numbers_or_arrays_of_such_a_type():
    import assay

    @assay.operation(x="N of e4m3", s="1")
    def scaled(xp, x, s):
        return x * s

    def kernel(p):
        return decoded(np.asarray(p.x).view(np.uint8), "e4m3") * p.s

    numbers = np.array([0.5, -448, 0, 2.0**-9])
    given = [numbers]
    try:
        import ml_dtypes

        given.append(numbers.astype(ml_dtypes.float8_e4m3fn))
    except ImportError:
        pass
    for x in given:
        result = assay.gate(scaled, kernel, cases=0, reach="none", filter="outputs", input={"x": x, "s": np.ones(1)})
        assert result["outputs"].verdict == "pass", result.table
    with pytest.raises(ValueError, match="input has 'x' with 0.3: expected a number of e4m3fn; give numbers"):
        assay.gate(scaled, kernel, input={"x": np.array([0.3]), "s": np.ones(1)})
