"""What the gate says of other libraries' kernels: what is known of them is found, and what is right passes."""

import json
from importlib.metadata import version

import pytest

from assay import _apple_kernels
from assay.conformance import ENTRIES, Row, compiled, judge_entry, report, rows, rows_of


def judged(title, library, cases, filter="", **options):
    pytest.importorskip(library)
    (entry,) = [one for one in ENTRIES if one.title == title and one.library == library]
    return judge_entry(entry, cases, 1, filter=filter, **options)


def test_torch_ctc_has_no_error_contract():
    result = judged("ctc_loss, all that it documents", "torch", 3, "^refusals$")
    assert result["refusals"].verdict == "error"
    assert "a label" in result.failures["refusals"].explanation


def test_torch_ctc_breaks_where_there_are_no_frames_up_to_2_3():
    """pytorch/pytorch#123193 mended it."""
    result = judged("ctc_loss, all that it documents", "torch", 10, "^empty$")
    is_mended = tuple(map(int, version("torch").split(".")[:2])) >= (2, 4)
    assert result["empty"].verdict in (("pass",) if is_mended else ("error", "fail"))


def test_torch_ctc_as_log_space_keeps_its_bound_of_the_loss():
    result = judged("ctc_loss, as log space in float32", "torch", 10, "^(loss|repeat)$", limits={"T": 12})
    assert result["repeat"].verdict == "pass"


def test_torch_ctc_in_float32_loses_digits():
    strict = judged("ctc_loss, held to what float32 can do", "torch", 40, "^(loss|gradient)$")
    assert strict["loss"].verdict == "fail" and strict["loss"].worst > 1
    assert strict["gradient"].verdict == "fail"


def test_torch_cross_entropy_is_right_but_for_ignored_tokens():
    result = judged("cross_entropy of hidden @ weight.T", "torch", 10, "^(loss|dhidden|dweight|permutation|ignored)$", empty=False)
    assert result["loss"].verdict == result["permutation"].verdict == "pass", str(result)


@pytest.mark.parametrize(
    "title, library",
    [
        ("linalg.svd", "torch"),
        ("linalg.svd", "numpy"),
        ("linalg.svd, lapack_driver gesdd", "scipy"),
        ("linalg.svd, lapack_driver gesvd", "scipy"),
    ],
)
def test_lapack_keeps_its_bounds(title, library):
    result = judged(title, library, 10, "^(values|orthonormal-u|orthonormal-v|reconstruction|specials)$")
    assert {one.name for one in result.properties if not one.passed} <= {"specials"}, str(result)


def test_the_table_names_every_library():
    lines = list(report(rows(2, 1, [one for one in ENTRIES if one.library == "numpy"])))
    assert lines[0].startswith("| library") and lines[2].startswith("| numpy ")
    assert any(line.startswith("- specials: ") for line in lines)


def test_versions_stand_beside_each_other_and_what_one_environment_has_is_not_called_missing():
    told = [Row("torch 1", "softmax", judged=9), Row("torch 2", "softmax", judged=9, failed={"exact": "1 for 2"}),
            Row("torch 2", "softmax", judged=9), Row("jax", "nn.softmax", missing="no jax"), Row("jax 3", "nn.softmax"),
            Row("mlx.core", "softmax", missing="no mlx"), Row("mlx.core", "softmax", missing="no mlx")]  # fmt: skip
    text = "\n".join(report(told))
    assert [line.split(" | ")[0] for line in text.splitlines()[2:5]] == ["| torch 1", "| torch 2", "| jax 3"]
    assert text.count("torch 2 softmax:\n\n- exact: 1 for 2") == 1
    assert "nn.softmax: not judged" not in text and text.count("`mlx.core` softmax: not judged (no mlx)") == 1


def test_rows_of_another_interpreter(tmp_path):
    python = tmp_path / "python"
    python.write_text("""#!/bin/sh\necho '{"library": "torch 2", "title": "softmax", "judged": 9}'\nexit "$STATUS"\n""")
    python.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STATUS", "0")
        assert list(rows_of(str(python), 1, 1)) == [Row("torch 2", "softmax", judged=9)]
        patch.setenv("STATUS", "1")
        with pytest.raises(RuntimeError, match="expected an environment with assay"):
            list(rows_of(str(python), 1, 1))


def test_layer_norm_of_torch_cancels_and_its_softmax_does_not():
    assert judged("layer_norm", "torch", 40, "^(exact|outputs)$").failures
    assert judged("softmax", "torch", 20).passed


def test_the_wheels_of_two_packages_have_bindings(tmp_path):
    wheels = ["mlx_metal-0.32.4-py3-none-macosx_14_0_arm64.whl", "torch-2.15.0-cp311-cp311-macosx_14_0_arm64.whl"]
    for wheel in wheels:
        (tmp_path / wheel).touch()
    entries = compiled([str(tmp_path / wheel) for wheel in wheels], tmp_path)
    assert len({entry.fn for entry in entries}) == len(entries) == len(_apple_kernels.APPLE_KERNELS)
    packages = {entry.library for entry in entries}
    assert packages == {"mlx-metal 0.32.4, as Apple compiled it", "torch 2.15.0, as Apple compiled it"}
    for entry in entries:
        binding = json.loads(open(entry.fn).read())
        assert binding["source"].partition("#")[0].endswith(".whl") and binding["passes"]
    (long,) = [entry for entry in entries if entry.title == "ctc_loss, 512 labels"]
    assert long.declared["input"].endswith("ctc_loss-512_labels.npz") and long.declared["cases"] == 0


@pytest.mark.parametrize("name", ["numpy-2.0-x.whl", "torch-2.15.0.zip"])
def test_another_wheel_is_refused_by_name(tmp_path, name):
    with pytest.raises(ValueError, match=f"{name}': expected one of mlx_metal-\\*.whl, torch-\\*.whl, for macOS"):
        compiled([name], tmp_path)
    with pytest.raises(ValueError, match="'torch-2.15.0-x.whl': there is no such file"):
        compiled(["torch-2.15.0-x.whl"], tmp_path)
