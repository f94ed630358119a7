"""The GitHub Action, as far as a machine without GitHub can run it: its commands, and the workflow of docs/reports.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Dict

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION: Dict[str, Any] = yaml.safe_load((ROOT / ".github/actions/gate/action.yml").read_text())
RACE = """#include <metal_stdlib>
using namespace metal;
kernel void race(device const float* in [[buffer(0)]], device float* sum [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  sum[0] = in[i];
}
"""
BUFFERS = "--buffer 0=random:64 --buffer 1=zero:1 --grid 64 --group 64"
RIGHT = "--quick --reach none --generated --cases 5 --filter '^(outside|inside|loss)$'"


def step(name: str) -> Dict[str, Any]:
    (found,) = [one for one in ACTION["runs"]["steps"] if one.get("id") == name]
    return found


class Runner:
    """Runs the commands of a step as GitHub does: expressions are put into its variables, never into its text."""

    def __init__(self, folder: Path, build: Path) -> None:
        self.folder, self.plugins = folder, build / "tests" / "plugin" / "plugins"
        (folder / "assay").symlink_to(build / "validation" / "assay")
        self.values = {"steps.source.outputs.root": str(folder), "github.action_path": str(ROOT / ".github/actions/gate")}

    def __call__(self, name: str, **inputs: str) -> subprocess.CompletedProcess[str]:
        given = {key: one["default"] for key, one in ACTION["inputs"].items()}
        values = {**self.values, **{f"inputs.{key}": value for key, value in {**given, **inputs}.items()}}
        assert set(inputs) <= set(given) and "${{" not in step(name)["run"]
        variables = {
            key: re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda found: values[found[1]], text) for key, text in step(name)["env"].items()
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step(name)["run"]]
        environment = {**os.environ, **variables, "GITHUB_OUTPUT": str(self.folder / "output")}
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True)

    def report(self, name: str) -> Path:
        return self.folder / "assay-report" / name


@pytest.fixture
def run(tmp_path: Path, build: Path) -> Runner:
    return Runner(tmp_path, build)


def test_a_right_kernel_passes_and_has_its_reports(run: Runner) -> None:
    done = run("gate", kernel=str(run.plugins / "full_ctc.so"), arguments=RIGHT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(run.report("gate.json").read_text())["complete"]
    assert run.report("gate.html").read_text().startswith("<!doctype html>") and run.report("gate.xml").is_file()


def test_a_wrong_kernel_fails_and_has_its_reports_all_the_same(run: Runner) -> None:
    done = run("gate", kernel=str(run.plugins / "gives_nan.so"), arguments=RIGHT)
    assert done.returncode == 1 and run.report("gate.html").is_file()


def test_a_race_in_a_shader_is_a_finding_at_its_line(run: Runner) -> None:
    (run.folder / "race.metal").write_text(RACE)
    done = run("gate", shader=f"race.metal {BUFFERS}")
    assert done.returncode == 1 and "::error file=race.metal,line=5" in done.stdout
    (finding,) = json.loads(run.report("shader.sarif").read_text())["runs"][0]["results"]
    place = finding["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("race.metal", 5)


def test_a_race_is_told_where_the_kernel_passes(run: Runner) -> None:
    (run.folder / "race.metal").write_text(RACE)
    done = run("gate", kernel=str(run.plugins / "full_ctc.so"), arguments=RIGHT, shader=f"race.metal {BUFFERS}")
    assert done.returncode == 1 and json.loads(run.report("gate.json").read_text())["complete"]


def test_without_kernel_and_shader_it_says_what_is_missing(run: Runner) -> None:
    done = run("gate")
    assert done.returncode == 2 and "::error::give the action a kernel or a shader" in done.stdout


def test_the_cache_follows_the_sources(run: Runner) -> None:
    assert run("source").returncode == 0
    said = dict(line.split("=", 1) for line in (run.folder / "output").read_text().splitlines())
    assert said["root"] == str(ROOT) and re.fullmatch(r"[0-9a-f]{16}", said["digest"])
    caches = [one for one in ACTION["runs"]["steps"] if one.get("uses", "").startswith("actions/cache@")]
    assert caches[0]["with"]["key"].endswith("${{ steps.source.outputs.digest }}")


def test_the_workflow_of_the_page_uses_it(run: Runner) -> None:
    page = (ROOT / "docs" / "reports.md").read_text()
    (text,) = [one for one in re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL) if "actions/gate" in one]
    workflow = yaml.safe_load(text)
    assert len(text.splitlines()) <= 12
    (job,) = workflow["jobs"].values()
    assert job["permissions"]["security-events"] == "write", "without this right SARIF is not taken"
    (gate,) = [one for one in job["steps"] if "actions/gate" in one.get("uses", "")]
    assert gate["uses"].split("@")[0].endswith("/assay/.github/actions/gate")
    assert set(gate["with"]) <= set(ACTION["inputs"])
