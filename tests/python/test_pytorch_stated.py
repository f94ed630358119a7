"""The sizes that a problem states: right answers pass, faults that small sizes do not show fail, what has no bound says so."""

import json

import pytest

torch = pytest.importorskip("torch")

from pytorch_problems import PROBLEMS  # noqa: E402

from assay.pytorch.command import kernelbench, stated_text, with_stated  # noqa: E402
from assay.pytorch.feasible import weight_of, why_not  # noqa: E402
from assay.pytorch.kernelbench import BenchmarkOperation  # noqa: E402
from assay.pytorch.stated import judged_at_stated_sizes  # noqa: E402

CPU = torch.device("cpu")
SHRUNK = {"linear": {"1024": "256", "8192": "512", "4096": "384"}, "convolution": {"= 16, 32, 64": "= 4, 8, 24", "= 128": "= 96"}}


@pytest.fixture(scope="module")
def operation_of(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("stated"), {}

    def of(name):
        if name not in made:
            text = PROBLEMS[name]
            for old, new in SHRUNK[name].items():
                text = text.replace(old, new)
            (folder / f"{name}.py").write_text(text)
            made[name] = BenchmarkOperation(str(folder / f"{name}.py"))
        return made[name]

    return of


def model_new(operation, forward):
    return type(
        "ModelNew",
        (type(operation.reference),),
        {"forward": lambda self, x: forward(self, type(self).__base__.forward(self, x), x)},
    )


def by_parts(self, y, x):
    """The same in two halves of the batch."""
    half = len(x) // 2
    return torch.cat([type(self).__base__.forward(self, one) for one in (x[:half], x[half:])])


def changed(at, change):
    def forward(self, y, x):
        if len(x) > 3 and y.numel() > 90_000:  # only at large sizes
            y = y.clone()
            y[at] = change(y[at])
        return y

    return forward


@pytest.mark.parametrize("name", SHRUNK)
@pytest.mark.parametrize("forward", [lambda self, y, x: y, by_parts, changed((0,), lambda y: y)])
def test_right_answers_pass(operation_of, name, forward):
    operation = operation_of(name)
    found = judged_at_stated_sizes(operation, model_new(operation, forward), CPU)
    assert found.verdict == "pass" and found.judged > 100 and 0 < found.share < 1 and found.difference < 1e-5, found
    assert "pass" in stated_text(found)


ONE = {"linear": (170, 201), "convolution": (3, 7, 50, 61)}
FAULTS = {
    "one element is off": (lambda y: y + 0.02, True),
    "one element is NaN": (lambda y: y * float("nan"), False),
    "one element is infinite": (lambda y: y / 0, False),
    "one element is minus itself": (lambda y: -y - 0.02, None),
}


@pytest.mark.parametrize("name", SHRUNK)
@pytest.mark.parametrize("fault", FAULTS)
def test_one_wrong_element_at_the_stated_sizes_fails(operation_of, name, fault):
    operation = operation_of(name)
    change, is_judged = FAULTS[fault]
    found = judged_at_stated_sizes(operation, model_new(operation, changed(ONE[name], change)), CPU)
    assert found.verdict == "fail" and found.case["sizes"] == operation.file.sizes, found
    assert not is_judged or found.case["index"] == list(ONE[name])


@pytest.mark.parametrize("forward, text", [
    (changed((slice(None),), lambda y: y * 0), "off by 1 of the result's size"),
    (changed((slice(None),), lambda y: y * 1.001), "exact"),
    (lambda self, y, x: y[:3] if len(x) > 3 and y.numel() > 90_000 else y, "the results have the shapes"),
    (lambda self, y, x: y.view(7, -1), "the kernel raised RuntimeError"),
])  # fmt: skip
def test_other_faults_at_the_stated_sizes_fail(operation_of, forward, text):
    operation = operation_of("linear")
    found = judged_at_stated_sizes(operation, model_new(operation, forward), CPU)
    assert found.verdict == "fail" and text in found.text
    said = with_stated({"verdict": "pass"}, found)
    assert said["verdict"] == "fail" and said["stated_sizes"]["verdict"] == "fail" and said["advice"]


def test_a_result_of_too_many_terms_is_compared_and_has_no_bound(tmp_path):
    path = tmp_path / "loss.py"
    path.write_text(PROBLEMS["loss"].replace(".mean(dim=1)", ".mean()").replace("32768", "4096"))
    operation = BenchmarkOperation(str(path))
    found = judged_at_stated_sizes(operation, type(operation.reference), CPU)
    assert (found.verdict, found.judged, found.elements) == ("not judged", 0, 1) and "terms" in found.text
    assert "no bound" in stated_text(found) and with_stated({}, found)["stated_sizes"]["why"] == found.text
    zero = type(
        "ModelNew", (type(operation.reference),), {"forward": lambda self, *given: 0 * type(self).__base__.forward(self, *given)}
    )
    assert judged_at_stated_sizes(operation, zero, CPU).verdict == "fail"


def test_what_cannot_be_run_here_says_so(tmp_path):
    path = tmp_path / "large.py"
    path.write_text(PROBLEMS["linear"].replace("8192", "1000000").replace("4096", "1000000"))
    operation = BenchmarkOperation(str(path))
    assert any(why in why_not(weight_of(operation), CPU) for why in ("GB in float64", "did not end"))  # before PyTorch 2.1
    found = judged_at_stated_sizes(operation, type(operation.reference), CPU)
    assert found.verdict == "mistrusted" and found.elements == 0
    said = with_stated({"verdict": "pass"}, found)
    assert said["verdict"] == "mistrusted" and "--small" in said["advice"] and "mistrusted" in stated_text(found)


def test_the_command_judges_the_stated_sizes_last(tmp_path, capsys):
    text = PROBLEMS["loss"]
    (tmp_path / "reference.py").write_text(text)
    new = text.replace("class Model(", "class ModelNew(").replace(
        "return torch", "return (1 if len(targets) < 5000 else 2) * torch"
    )
    (tmp_path / "new.py").write_text(new)
    paths = [str(tmp_path / "reference.py"), str(tmp_path / "new.py"), "--cases", "4", "--json"]
    status = kernelbench(paths)
    line = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert status == 1 and (line["verdict"], line["property"]) == ("fail", "outputs at the sizes of the file"), line
