"""The README's two commands are those that CI runs, on bare images of the releases that it names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, List

import yaml

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()


def commands() -> List[str]:
    """What the README tells its reader to run from its two commands on, without comments."""
    begin = README[README.index("\n## Two commands\n") :]
    blocks = re.findall(r"^```sh\n(.*?)^```$", begin, re.MULTILINE | re.DOTALL)
    lines = [re.sub(r"\s+#.*", "", line) for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("./assay")]


def bare_jobs() -> List[Dict[str, Any]]:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "linux.yml").read_text())
    return [one for one in workflow["jobs"]["tests"]["strategy"]["matrix"]["include"] if one["tests"] == ".ci/run"]


def test_the_first_command_gives_a_verdict_and_the_second_runs_the_tests() -> None:
    assert commands()[:2] == ["./assay gate", "./assay test"]


def test_ci_runs_the_command_for_the_tests() -> None:
    last = (ROOT / ".ci" / "run").read_text().splitlines()[-1]
    assert last == f"ASSAY_PRESET=ci {commands()[1]}"


def test_ci_starts_on_bare_images_of_the_releases_that_are_named() -> None:
    (named,) = re.findall(r"run on Debian (\d+) or later, or on Ubuntu ([\d.]+)", README)
    assert [job["image"] for job in bare_jobs()] == [f"debian:{named[0]}", f"ubuntu:{named[1]}"]
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "linux.yml").read_text())
    steps = workflow["jobs"]["tests"]["steps"]
    here = [step for step in steps if step.get("if") != "matrix.metal_cpp"]
    assert all("metal_cpp" not in job for job in bare_jobs())
    assert [step.get("run", "a checkout") for step in here] == ["a checkout", "${{ matrix.tests }}"]


def test_what_fails_on_purpose_is_said_before_its_command() -> None:
    (fault,) = [command for command in commands() if "fault:" in command]
    before = README[: README.index(fault)]
    assert "fails on purpose" in before[before.rindex("\n```\n") :]
