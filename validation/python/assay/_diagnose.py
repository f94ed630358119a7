"""assay.diagnose: what is wrong with a CTC batch whose loss is inf or NaN."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Union

import numpy as np

from . import _numbers
from ._arrays import carried_argument
from ._program import run_program


@dataclass(frozen=True)
class Symptom:
    ailment: str  # "infeasible"
    severity: str  # "note": harmless; "doubt": probably a mistake; "fault": the loss is inf, NaN or meaningless
    text: str  # what was found, and where


@dataclass(frozen=True)
class RowDiagnosis:
    row: int
    input_length: int
    target_length: int
    repeats: Optional[int]  # equal neighbours among the labels; None where the labels cannot be located
    kind: str  # of the loss: "finite", "infinite", "nan" or "undefined"
    loss: str  # "0.00311962157 ± 1e-11", "inf", "nan", "undefined"
    healthy: bool
    symptoms: List[Symptom]  # the gravest first


@dataclass(frozen=True)
class Diagnosis:
    """str() is the page that `assay diagnose` prints."""

    rows: List[RowDiagnosis]
    notes: List[str]  # what was changed or ignored when the batch was read: float64 rounded to float32
    text: str = field(repr=False)

    @property
    def healthy(self) -> bool:
        return all(row.healthy for row in self.rows)

    @property
    def symptoms(self) -> List[Symptom]:
        """The symptoms of all rows."""
        return [symptom for row in self.rows for symptom in row.symptoms]

    def __str__(self) -> str:
        return self.text


def _row(said: Mapping[str, Any]) -> RowDiagnosis:
    return RowDiagnosis(**{**said, "symptoms": [Symptom(**symptom) for symptom in said["symptoms"]]})


def _as_arrays(batch: Mapping[str, Any]) -> Dict[str, np.ndarray]:
    """The arrays as an .npz has them: bfloat16 as its bits, with the dtype beside them."""
    texts = {name: np.asarray(value) for name, value in batch.items() if isinstance(value, str)}
    carried = {name: carried_argument(name, value) for name, value in batch.items() if name not in texts}
    arrays = {**texts, **{name: one.array for name, one in carried.items()}}
    if any(one.dtype == "bfloat16" for one in carried.values()):
        arrays.setdefault("dtype", np.asarray("bfloat16"))
    return arrays


def diagnose(batch: Union[str, "os.PathLike[str]", Mapping[str, Any]], *, digits: int = 30) -> Diagnosis:
    """Says what is wrong with a batch, row by row.

    `batch` is the path of an .npz, or arrays by name: logits or log_probs [T, B, C] or [T, C], targets, input_lengths,
    target_lengths, and where the default will not do blank, reduction, upstream, zero_infinity. Losses come to `digits`
    significant digits. Raises ValueError where it is no batch, naming the array and what was expected.

    >>> batch = {"logits": np.zeros((2, 1, 3), np.float32), "targets": [[1, 1]]}
    >>> diagnosis = diagnose({**batch, "input_lengths": [2], "target_lengths": [2]})
    >>> diagnosis.healthy, diagnosis.symptoms[0].text
    (False, 'needs 3 frames: 2 labels + 1 repeat, has 2')
    """
    digits = _numbers.whole("digits", digits, 1, 10_000)
    if not isinstance(batch, (str, os.PathLike, Mapping)):
        raise TypeError(f"batch is {type(batch).__name__}: expected the path of an .npz, or arrays by name")
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        path, outcome = Path(folder) / "batch.npz", Path(folder) / "diagnosis.json"
        if isinstance(batch, Mapping):
            arrays: Dict[str, Any] = _as_arrays(batch)
            np.savez(path, **arrays)
        else:
            path = Path(os.fspath(batch))
        ended = run_program("diagnose", str(path), "--digits", str(digits), "--json", str(outcome))
        if ended.returncode not in (0, 1) or not outcome.is_file():
            said = (ended.stderr + ended.stdout).strip()
            raise ValueError(said.replace(f"{path}: ", "") if isinstance(batch, Mapping) else said)
        said = json.loads(outcome.read_text())
    return Diagnosis([_row(row) for row in said["rows"]], said["notes"], ended.stdout)
