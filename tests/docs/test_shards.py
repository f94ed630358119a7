"""The job array and the matrix of docs/reports.md: each is run shard by shard, and merges into the report of one run."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import pytest
import yaml

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reports.md").read_text()
SMALL = "--cases 450 --filter '^(outside|inside)$' --generated --reach none"  # in place of a night


def block(kind: str, word: str) -> str:
    """The block of this kind that has `word`."""
    (found,) = [text for text in re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL) if word in text]
    return found


@pytest.fixture
def folder(tmp_path: Path, build: Path) -> Path:
    (tmp_path / "assay").symlink_to(build / "validation" / "assay")
    (tmp_path / "libmine.so").symlink_to(build / "tests" / "plugin" / "plugins" / "full_ctc.so")
    return tmp_path


def run(folder: Path, commands: str, **variables: Any) -> None:
    commands, count = re.subn(r"--cases \d+", SMALL, commands)
    assert count or "merge" in commands, "the page judges a number of cases"
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    done = subprocess.run(["bash", "-ec", commands], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def report(path: Path) -> str:
    return re.sub(r'"seconds": .*', "", json.dumps(json.loads(path.read_text()), indent=1))


def expect_the_single_run(folder: Path) -> None:
    run(folder, block("sh", "merge").replace("--html run.html", "--html run.html --json merged.json"))
    assert (folder / "run.html").is_file()
    run(folder, "./assay gate ctc --kernel ./libmine.so --cases 1 --json single.json")
    assert report(folder / "merged.json") == report(folder / "single.json")


def test_the_job_array_of_slurm(folder: Path) -> None:
    script = block("sh", "SLURM_ARRAY_TASK_ID")
    first, last = map(int, re.search(r"^#SBATCH --array=(\d+)-(\d+)$", script, re.MULTILINE).groups())  # type: ignore[union-attr]
    assert script.startswith("#!/bin/bash\n#SBATCH ") and first == 0
    assert f"GTEST_TOTAL_SHARDS={last + 1} " in script
    for index in range(4):
        run(folder, script.replace(f"SHARDS={last + 1} ", "SHARDS=4 "), SLURM_ARRAY_TASK_ID=index)
    expect_the_single_run(folder)


def test_the_matrix_of_github_actions(folder: Path) -> None:
    job: Dict[str, Any] = yaml.safe_load(block("yaml", "matrix"))
    shards: List[int] = job["strategy"]["matrix"]["shard"]
    judge, upload = job["steps"]
    assert judge["env"]["GTEST_TOTAL_SHARDS"] == len(shards)
    for index in shards:
        given = {name: str(text).replace("${{ matrix.shard }}", str(index)) for name, text in judge["env"].items()}
        run(folder, judge["run"].replace("${{ matrix.shard }}", str(index)), **given)
        assert (folder / f"shard-{index}.json").is_file()
    assert upload["uses"].startswith("actions/upload-artifact@") and upload["with"]["path"] == "shard-*.json"
    expect_the_single_run(folder)
