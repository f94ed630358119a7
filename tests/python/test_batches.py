"""Batches of users that are damaged or of another kind: refused in words, whatever NumPy raises."""

import io
import random
import zipfile

import numpy as np
import pytest

import assay
from assay import gallery

X = np.ones((2, 3), np.float32)


def softmax(p):
    e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True)


def judge(given):
    return assay.gate(gallery.softmax, softmax, cases=1, reach="none", filter="outputs", input=given)


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def archive(path, content):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("x.npy", content)
    return path


@pytest.mark.parametrize(
    "name, content, says",
    [
        ("x.npy", npy(X), "this is a .npy file, which holds one array; to make an .npz of it: numpy.savez"),
        ("x.csv", b"1,2,3", "this is a text"),
        ("empty", b"", "this is an empty file"),
        ("x.pt", b"PK\3\4" + bytes(22) + b"\x10\0\0\0archive/data.pkl", "this is a file of PyTorch"),
    ],
)
def test_another_kind_of_file_is_named(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=says):
        judge(tmp_path / name)


def test_a_folder_and_nothing_are_named(tmp_path):
    with pytest.raises(ValueError, match="this is a folder"):
        judge(tmp_path)
    with pytest.raises(FileNotFoundError, match="no file .*expected an .npz of arrays"):
        judge(tmp_path / "none.npz")


def test_a_header_that_is_cut_short_is_refused(tmp_path):
    content = npy(X).replace(b", }", b", (")
    with pytest.raises(ValueError, match="expected an .npz of arrays of numbers"):
        judge(archive(tmp_path / "x.npz", content))


def test_random_damage_is_refused_in_words(tmp_path):
    source, content = random.Random(1), npy(X)
    for _ in range(100):
        damaged = bytearray(content)
        for _ in range(source.randint(1, 3)):
            damaged[source.randrange(len(damaged))] = source.randrange(256)
        try:
            judge(archive(tmp_path / "x.npz", bytes(damaged[: source.choice([len(damaged), source.randrange(len(damaged))])])))
        except ValueError as refusal:
            assert "expected" in str(refusal), refusal


def test_numbers_of_types_that_numpy_lacks_are_explained():
    with pytest.raises(ValueError, match="of bfloat16 or float8, store array.astype"):
        judge({"x": X.view("V2")})
    with pytest.raises(ValueError, match="input has 'x' of object: expected numbers"):
        judge({"x": np.array([[None]])})
