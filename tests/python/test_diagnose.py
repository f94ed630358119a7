"""assay.diagnose: the gravest thing about each row."""

import numpy as np
import pytest

import assay

BATCH = dict(logits=np.zeros((3, 2, 4), np.float32), targets=[[1, 1, 1], [1, 2, 3]], input_lengths=[3, 3], target_lengths=[3, 2])


def test_an_infeasible_row_is_told():
    diagnosis = assay.diagnose(BATCH)
    assert not diagnosis.healthy
    assert [row.healthy for row in diagnosis.rows] == [False, True]
    assert diagnosis.rows[0].symptoms[0].ailment == "infeasible" and diagnosis.rows[0].kind == "infinite"
    assert diagnosis.rows[0].repeats == 2 and diagnosis.rows[1].kind == "finite"
    assert diagnosis.rows[1].loss.startswith("2.") and "±" in diagnosis.rows[1].loss
    assert "infeasible" in str(diagnosis)


def test_a_file_says_the_same(tmp_path):
    np.savez(tmp_path / "batch.npz", **BATCH)
    assert assay.diagnose(tmp_path / "batch.npz").rows == assay.diagnose(BATCH).rows


def test_what_is_changed_is_noted():
    batch = {**BATCH, "logits": np.full((3, 2, 4), 0.1)}
    assert any("rounded to float32" in note for note in assay.diagnose(batch).notes)


def test_no_batch_is_refused_by_name():
    with pytest.raises(ValueError, match="no array 'targets'"):
        assay.diagnose({name: array for name, array in BATCH.items() if name != "targets"})
    with pytest.raises(ValueError, match="nowhere.npz"):
        assay.diagnose("nowhere.npz")
    for name, value, message in (
        ("targets", [[1, 2], [3]], r"^targets = \[\[1, 2\], \[3\]\]: expected rows of one length"),
        ("blank", 2**70, "^blank = 1180591620717411303424: expected numbers of at most 64 bits"),
        ("input_lengths", [99] * 9, "^input_lengths"),  # and no file that is not the caller's
    ):
        with pytest.raises(ValueError, match=message):
            assay.diagnose({**BATCH, name: value})


@pytest.mark.parametrize(
    "name, other, message",
    [
        ("target_lengths", "label_length", "TensorFlow and Keras: expected target_lengths"),
        ("targets", "labels", "Hugging Face: expected targets; padding such as -100"),
        ("logits", "y_pred", "Keras: expected log_probs, the logarithms"),
        ("blank", "blank_index", "TensorFlow: expected blank"),  # one that may be absent: 0 would be taken
    ],
)
def test_an_array_with_the_name_of_another_framework_is_told_ours(name, other, message):
    batch = {**BATCH, "blank": 0}
    batch[other] = batch.pop(name)
    with pytest.raises(ValueError, match=f"array {other} is the name in .*{message}"):
        assay.diagnose(batch)
    noted = assay.diagnose({**BATCH, "blank": 0, other: 0}).notes  # beside ours it is one of those left aside
    assert f"array '{other}' was left aside" in noted
