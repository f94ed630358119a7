"""No attack passes: kernels that compute nothing of worth, judged as a user's script judges them (docs/threats.md).

The attacks were written from the documentation alone. Right kernels of the same shapes pass: test_right_kernels.py.
"""

import os
import re
import subprocess
import sys

import assay
import pytest

from tests.attacks import ATTACKS

if sys.platform != "linux":
    pytest.skip("a kernel has a process of its own on Linux", allow_module_level=True)

try:
    import torch  # noqa: F401

    from tests.attacks import training, with_pytorch  # noqa: F401, which list their attacks
except ImportError:
    pass

# ctest divides the kinds among processors.
CHOSEN = [name for name in ATTACKS if re.match(os.environ.get("ATTACK_KINDS", ""), name)]
KINDS = list(dict.fromkeys(name.split(":")[0] for name in ATTACKS))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def ran(*arguments, folder=None):
    """What a program prints that knows the package and these tests."""
    paths = os.pathsep.join([os.path.dirname(os.path.dirname(assay.__file__)), ROOT, os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths}
    ended = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    return dict(line.split("\t") for line in ended.stdout.splitlines())


@pytest.fixture(scope="session")
def ends(tmp_path_factory):
    """How the attacks of a kind ended, by name: those of one kind are judged by one program."""
    found = {}

    def of(kind):
        if kind not in found:
            names = [name for name in ATTACKS if name.startswith(f"{kind}:")]
            found[kind] = ran("-m", "tests.attacks.run", *names, folder=tmp_path_factory.mktemp("attacks"))
        return found[kind]

    return of


@pytest.mark.parametrize("name", CHOSEN)
def test_it_does_not_pass(name, ends):
    how = ends(name.split(":")[0])[name]
    assert how not in ("passed", "hung"), how


def test_there_are_many_of_many_kinds():
    assert len(ATTACKS) >= 240 and len(KINDS) >= 12, (len(ATTACKS), KINDS)


@pytest.mark.parametrize(
    "name, declared",
    [
        ("judge: every_result_has_passed", {"own_process": False}),
        ("judge: leaves_at_exit_with_zero", {"own_process": False}),
        ("seeds: table_of_the_default_seed", {"seed": 1}),
        ("large: zeros_past_the_drawn_B_of_ctc", {"reach": "none"}),
        ("large: zeros_past_the_drawn_B_of_ctc_of_log_probs", {"reach": "none"}),
        ("large: zeros_past_the_drawn_V_of_cce", {"reach": "none"}),
        ("large: zeros_past_the_drawn_M_of_svd", {"reach": "none"}),
        ("values: wrong_for_words_by_frequency", {"reach": "none"}),
        ("values: wrong_for_log_probs_that_are_not_normalised", {"reach": "none"}),
        ("values: wrong_for_images", {"reach": "none"}),
    ],
)
def test_without_what_keeps_it_out_it_would_pass(name, declared):
    """A test that cannot fail is a defect."""
    program = f"import sys; from tests.attacks import ATTACKS, run; ATTACKS[sys.argv[1]][2].update({declared}); "
    assert ran("-c", program + "sys.exit(run.main(sys.argv[1:]))", name) == {name: "passed"}
