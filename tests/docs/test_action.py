"""The GitHub Action, as far as a machine without GitHub can run it: its commands, and the workflow of docs/reports.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Dict, List

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
BUFFERS = "--buffer\n0=random:64\n--buffer=1=zero:1\n--grid=64\n--group=64"
RIGHT = "--quick\n--reach=none\n--generated\n--cases\n5\n\n--filter=^(outside|inside|loss)$\n"


def step(name: str) -> Dict[str, Any]:
    (found,) = [one for one in ACTION["runs"]["steps"] if one.get("id") == name]
    return found


def uses(action: str) -> List[Dict[str, Any]]:
    """The steps that use an action of others."""
    return [one for one in ACTION["runs"]["steps"] if one.get("uses", "").split("@")[0] == action]


class Runner:
    """Runs the commands of a step as GitHub does: expressions are put into its variables, never into its text."""

    def __init__(self, folder: Path, build: Path) -> None:
        self.folder, self.plugins = folder, build / "tests" / "plugin" / "plugins"
        (folder / "assay").symlink_to(build / "validation" / "assay")
        self.values = {
            "steps.source.outputs.name": "assay-report",
            "steps.source.outputs.root": str(folder),
            "github.action_path": str(ROOT / ".github/actions/gate"),
        }

    def __call__(self, name: str, /, **inputs: str) -> subprocess.CompletedProcess[str]:
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
    done = run("gate", shader=f"race.metal\n{BUFFERS}")
    assert done.returncode == 1 and "::error file=race.metal,line=5" in done.stdout
    (finding,) = json.loads(run.report("shader.sarif").read_text())["runs"][0]["results"]
    place = finding["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("race.metal", 5)


def test_a_race_is_told_where_the_kernel_passes(run: Runner) -> None:
    (run.folder / "race.metal").write_text(RACE)
    done = run("gate", kernel=str(run.plugins / "full_ctc.so"), arguments=RIGHT, shader=f"race.metal\n{BUFFERS}")
    assert done.returncode == 1 and json.loads(run.report("gate.json").read_text())["complete"]


def test_without_kernel_and_shader_it_says_what_is_missing(run: Runner) -> None:
    done = run("gate")
    assert done.returncode == 2 and "::error::give the action a kernel or a shader" in done.stdout


@pytest.mark.parametrize("word", ["$(touch evaluated)", "`touch evaluated`", "x; touch evaluated", "loss|gradient (", "'\"*"])
def test_a_line_is_one_argument_whatever_is_in_it(run: Runner, word: str) -> None:
    script = 'printf "<%s>" "$@" >>said\n'
    (run.folder / "assay").unlink()
    (run.folder / "assay").write_text(f"#!/bin/bash\n{script}")
    (run.folder / "assay").chmod(0o755)
    done = run("gate", kernel=word, arguments=f"--filter\n{word}", shader=f"{word}\n--grid=64")
    assert done.returncode == 0, done.stderr
    said = (run.folder / "said").read_text()
    assert f"<gate><ctc><--kernel><{word}><--filter><{word}><--json>" in said
    assert f"<metal><check><{word}><--grid=64><--github>" in said
    assert not (run.folder / "evaluated").exists()


def test_the_cache_follows_the_sources_and_the_release_of_the_system(run: Runner) -> None:
    assert run("source").returncode == 0
    said = dict(line.split("=", 1) for line in (run.folder / "output").read_text().splitlines())
    assert said["root"] == str(ROOT) and re.fullmatch(r"[0-9a-f]{16}", said["digest"])
    assert re.fullmatch(r"[a-z]+-[\w.]*", said["release"])
    (cache,) = uses("actions/cache")
    assert cache["with"]["key"].endswith("${{ steps.source.outputs.release }}-${{ steps.source.outputs.digest }}")


def test_a_build_from_the_cache_gets_its_packages(run: Runner) -> None:
    stamp = run.folder / "build" / "release" / "packages"
    stamp.parent.mkdir(parents=True)
    stamp.write_text("cmake g++")
    run("gate", kernel=str(run.plugins / "full_ctc.so"), arguments=RIGHT)
    assert not stamp.exists(), "the launcher would believe that they are installed"


def test_two_uses_have_names_of_their_own(run: Runner) -> None:
    assert run("source", name="cce.json").returncode == 0
    assert "name=cce.json\n" in (run.folder / "output").read_text()
    name = "${{ steps.source.outputs.name }}"
    (artifact,) = uses("actions/upload-artifact")
    (sarif,) = uses("github/codeql-action/upload-sarif")
    assert (artifact["with"], sarif["with"]) == ({"name": name, "path": name}, {"sarif_file": name, "category": name})
    assert ACTION["outputs"]["report"]["value"] == name


@pytest.mark.parametrize("name", ["", "..", "a/b", "-x", "a b", "a\nroot=/", "$(id)"])
def test_a_name_that_is_no_folder_is_refused(run: Runner, name: str) -> None:
    done = run("source", name=name)
    assert done.returncode == 2 and done.stdout.startswith("::error::name: expected letters")
    assert len(done.stdout.splitlines()) == 1 and not (run.folder / "output").exists()


def test_a_fork_without_the_right_to_upload_does_not_fail() -> None:
    (sarif,) = uses("github/codeql-action/upload-sarif")
    assert sarif["continue-on-error"] is True


def test_actions_of_others_are_pinned_by_commit() -> None:
    files = [ROOT / ".github/actions/gate/action.yml", *(ROOT / ".github/workflows").glob("*.yml")]
    used = [line for file in files for line in re.findall(r"uses: (.*)", file.read_text())]
    assert len(files) > 1 and len(used) > 10
    assert [line for line in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []


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
