"""./assay bench --runs and --against: figures with their spread, ratios run by run, by programs that print what we say."""

import subprocess
import sys
from pathlib import Path

import pytest

REPEAT = Path(__file__).parents[2] / "bench" / "repeat.py"
sys.path.insert(0, str(REPEAT.parent))
import repeat  # noqa: E402

HEAD = ["Times", "", "| batch | ours | torch |", "|---|---|---|"]


def runs(*rows):
    return [[*HEAD, row] for row in rows]


def test_a_figure_is_its_median_and_how_far_the_furthest_run_is():
    assert list(repeat.merged(runs("| B=1 | 1.0 | - |", "| B=1 | 1.1 | - |", "| B=1 | 0.8 | - |"))) == [*HEAD, "| B=1 | 1 ±20 % | - |"]


def test_equal_figures_have_no_spread():
    assert list(repeat.merged(runs("| B=1 | 0.50 | 0 |", "| B=1 | 0.50 | 0 |")))[-1] == "| B=1 | 0.50 | 0 |"


def test_ratios_are_taken_run_by_run():
    ours, theirs = runs("| B=1 | 1 | 5 |", "| B=1 | 2 | 5 |"), runs("| B=1 | 2 | 0 |", "| B=1 | 4 | 5 |")
    assert list(repeat.merged(ours, theirs))[-1] == "| B=1 | 0.5 ±0 % |  |", "load that slows both is not seen; 0 has no ratio"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (runs("| B=1 | 1 | 1 |", "| B=2 | 1 | 1 |"), "two runs print different rows: B=1, B=2"),
        ([["nothing"], ["nothing"]], "printed no table"),
    ],
)
def test_what_cannot_be_compared_is_refused(lines, words):
    with pytest.raises(SystemExit, match=words):
        list(repeat.merged(lines))


def command(folder, *arguments):
    return subprocess.run([sys.executable, REPEAT, "--build", folder, *arguments], capture_output=True, text=True)


@pytest.fixture
def build(tmp_path):
    """A build whose benchmark takes longer at each run, and prints its own arguments."""
    program = tmp_path / "bench" / "bench_slower"
    program.parent.mkdir()
    program.write_text(
        f"#!/bin/sh\necho >> {tmp_path}/count\necho \"options: $*\"\necho '| batch | ms |'\necho '|---|---|'\n"
        f'echo "| B=1 | $(wc -l < {tmp_path}/count) |"\n'
    )
    program.chmod(0o755)
    return tmp_path


def test_the_command_repeats_a_benchmark_and_says_the_load(build):
    done = command(build, "--runs", "3", "slower", "--benchmark_filter=B=1")
    assert "options: --benchmark_filter=B=1" in done.stdout
    assert "| B=1 | 2 ±50 % |" in done.stdout
    assert "3 runs, " in done.stdout and "Other programs took" in done.stdout
    assert not done.returncode


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--runs", "1", "slower"], "--runs 1: expected at least 2"),
        (["faster"], "no benchmark is called 'faster'"),
        (["--against", "no-such", "slower"], "--against no-such: expected a commit of this repository"),
    ],
)
def test_bad_arguments_are_named(build, arguments, words):
    done = command(build, *arguments)
    assert done.returncode and words in done.stderr


def test_a_benchmark_that_fails_ends_the_command(build):
    (build / "bench" / "bench_slower").write_text("#!/bin/sh\necho 'no device' >&2\nexit 3\n")
    done = command(build, "slower")
    assert done.returncode == 1 and "exited with 3" in done.stderr and "no device" in done.stderr
