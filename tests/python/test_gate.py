"""assay.gate: healthy kernels pass, planted faults are caught, and whatever a kernel does becomes a verdict."""

import json
import math
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import assay
import kernels


def gate_ctc(fn, filter, cases=20, **declared):
    return assay.gate("ctc", fn, cases=cases, filter=filter, reach="none", **{**kernels.CTC, **declared})


def the_failure(result, name):
    assert result[name].verdict in ("fail", "error")
    return result.failures[name]


def test_a_right_ctc_passes_every_property():
    result = assay.gate("ctc", kernels.ctc, cases=10, reach="none", **kernels.CTC)
    assert result.passed, str(result)
    assert len(result.properties) == len(assay.property_names("ctc"))
    assert 0 < result["gradient"].worst <= 1
    assert result["gradient"].place.startswith("gradient[")
    assert result["reductions"].verdict == "skipped"
    result.raise_for_failure()


@pytest.mark.parametrize(
    "operation, fn, declared",
    [
        ("cce", kernels.cce, dict(reductions=("none", "sum", "mean"), upstream=True, dtype=("float32", "float16"))),
        ("svd", kernels.svd, dict(dtype=("float32", "float64"))),
    ],
)
def test_a_right_kernel_passes_every_property(operation, fn, declared):
    result = assay.gate(operation, fn, cases=10, reach="none", **declared)
    assert result.passed, str(result)


def test_rows_that_depend_on_the_size_of_the_batch_fail_where_the_contrary_is_declared():
    def another_last_bit_from_eight_rows_on(p):
        loss, gradient = kernels.ctc(p)
        return np.nextafter(loss, np.float32(np.inf)) if len(loss) >= 8 else loss, gradient

    result = gate_ctc(another_last_bit_from_eight_rows_on, "^batch$", batch_invariant=True)
    assert "other bits where B = " in the_failure(result, "batch").explanation
    assert gate_ctc(another_last_bit_from_eight_rows_on, "^batch$")["batch"].verdict == "skipped"


@pytest.mark.parametrize("results", ["float32", "float16"])
def test_a_ctc_of_float16_returns_float16_or_float32(results):
    seen = set()

    def halves(p):
        seen.add(p.logits.dtype.name)
        return tuple(one.astype(results) for one in kernels.ctc(p))

    result = gate_ctc(halves, "^(outside|inside|loss|gradient)$", dtype="float16", own_process=False)
    assert result.passed and seen == {"float16"}, str(result)


def test_real_input_is_judged_on_request():
    result = assay.gate("ctc", kernels.ctc, cases=1, filter="^loss$", reach="none", real_input=True, **kernels.CTC)
    assert result.passed and result["loss"].cases == 2
    assert "speech" in str(result)


def test_a_wrong_gradient_is_caught_shrunk_and_replayed(capsys):
    def halved(p):
        loss, gradient = kernels.ctc(p)
        return loss, gradient / 2

    result = gate_ctc(halved, "^(loss|gradient)$")
    assert not result.passed
    assert result["loss"].verdict == "pass"
    failure = the_failure(result, "gradient")
    assert "gradient[" in failure.explanation and "0x" in failure.explanation
    assert failure.reproducer.startswith("operation=ctc property=gradient kernel=halved ")
    with pytest.raises(AssertionError, match="assay.replay"):
        result.raise_for_failure()
    assert not assay.replay(halved, failure.reproducer, **kernels.CTC)
    assert "gradient" in capsys.readouterr().out
    assert assay.replay(kernels.ctc, failure.reproducer, **kernels.CTC)


def printed_calls(text):
    return [line.strip() for line in text.splitlines() if line.strip().startswith("import assay; ")]


def test_the_printed_line_judges_the_function_again(capsys):
    def halved(p):
        loss, gradient = kernels.ctc(p)
        return loss, gradient / 2

    result = gate_ctc(halved, "^(loss|gradient)$")
    assert "./assay" not in str(result)
    (line,) = printed_calls(str(result))
    exec(line, {"halved": halved})
    assert re.search(r"gradient +fail", capsys.readouterr().out)
    assert line == result.failures["gradient"].again
    exec(line, {"halved": kernels.ctc})
    assert re.search(r"gradient +pass", capsys.readouterr().out)


def half_the_loss(p):
    loss, gradient = kernels.ctc(p)
    return loss / 2, gradient


def test_the_printed_line_imports_the_function_of_a_module(capsys):
    (line,) = printed_calls(str(gate_ctc(half_the_loss, "^loss$")))
    exec(line, {})
    assert re.search(r"loss +fail", capsys.readouterr().out)


def test_a_function_without_a_name_is_called_kernel():
    fn = lambda p: half_the_loss(p)  # noqa: E731
    (line,) = printed_calls(str(gate_ctc(fn, "^loss$")))
    assert line.endswith("# kernel: the function that was judged")
    exec(line, {"kernel": fn})


def test_a_failure_that_depends_on_earlier_calls_is_reproduced_by_the_run(capsys):
    calls = []

    def moody(p):
        calls.append(1)
        loss, gradient = kernels.ctc(p)
        return (loss + 1 if len(calls) % 7 == 0 else loss), gradient

    result = gate_ctc(moody, "^loss$", cases=30)
    assert "this case alone passes: the kernel's result depends on earlier calls" in str(result)
    (line,) = printed_calls(str(result))
    assert line.startswith("import assay; print(assay.gate('ctc', moody, cases=30, seed=1, ")
    exec(line, {"moody": moody})
    assert "this case alone passes" in capsys.readouterr().out


def test_the_error_as_first_met_stands_beside_the_shrunk_one():
    def doubled(p):
        loss, gradient = kernels.ctc(p)
        return loss * 2, gradient

    failure = the_failure(gate_ctc(doubled, "^loss$", cases=50), "loss")
    assert re.match(r"  as first met  error .* of the bound, at loss\[", failure.errors)


def test_a_failure_says_its_usual_cause():
    def nan(p):
        loss, gradient = kernels.ctc(p)
        return loss * math.nan, gradient

    result = gate_ctc(nan, "^loss$", cases=20)
    assert "the logarithm of a sum of nothing" in the_failure(result, "loss").usual_cause
    with pytest.raises(AssertionError, match="usual cause\n  -inf \\+ inf"):
        result.raise_for_failure()


def test_nan_everywhere_fails():
    def nan(p):
        loss, gradient = kernels.ctc(p)
        return loss * math.nan, gradient * math.nan

    result = gate_ctc(nan, "^(loss|gradient)$")
    assert result["loss"].verdict == result["gradient"].verdict == "fail"


def test_a_changed_input_is_told():
    def scribbles(p):
        results = kernels.ctc(p)
        p.logits[...] = 0
        return results

    assert "changed its input activations" in the_failure(gate_ctc(scribbles, "^loss$"), "loss").explanation


@pytest.mark.parametrize(
    "spoil, told",
    [
        (lambda loss, gradient: (loss, gradient.astype(np.float64)), r"gradient: got float64 \[.*\], expected float32"),
        (lambda loss, gradient: (loss, gradient[..., None]), r"gradient: got float32 \[.*, 1\], expected float32 \["),
        (lambda loss, gradient: (loss.astype(np.float16), gradient), r"loss: got float16 \[.*\], expected float32"),
        (lambda loss, gradient: (loss[None], gradient), r"loss: got float32 \[1, .*\], expected float32 \["),
        (lambda loss, gradient: (loss, None), "gradient: .*not an array|gradient: nothing came"),
        (lambda loss, gradient: (loss, "zeros"), "gradient: str is not an array"),
        (lambda loss, gradient: loss, r"returned ndarray: expected \(loss, gradient\)"),
        (lambda loss, gradient: (loss, gradient, loss), r"returned 3 results: expected \(loss, gradient\)"),
    ],
)
def test_what_is_returned_is_checked(spoil, told):
    result = gate_ctc(lambda p: spoil(*kernels.ctc(p)), "^gradient$", cases=3)
    assert result["gradient"].verdict == "error"
    assert re.search(told, the_failure(result, "gradient").explanation)


def test_value_errors_are_refusals_and_other_exceptions_have_their_traceback():
    def refuses(p):
        raise ValueError("not today")

    def breaks(p):
        raise RuntimeError("out of memory")

    assert "a valid problem was refused: ValueError: not today" in the_failure(gate_ctc(refuses, "^loss$"), "loss").explanation
    explanation = the_failure(gate_ctc(breaks, "^loss$"), "loss").explanation
    assert "out of memory" in explanation and "in breaks" in explanation and "_pipe.py" not in explanation
    assert "_problems.py" not in explanation


class Model:
    def forward(self, p):
        return kernels.ctc(p)[0] + 1, kernels.ctc(p)[1]

    @staticmethod
    def apply(p):
        return Model().forward(p)


@pytest.mark.parametrize("kernel", [Model().forward, Model.apply])
def test_the_line_to_replay_a_method_names_no_function_that_is_not_there(kernel):
    failure = the_failure(gate_ctc(kernel, "^loss$"), "loss")
    assert "assay.replay(kernel, " in failure.again and "# kernel: the function that was judged" in failure.again


def test_a_kernel_that_closes_the_pipes_ends_the_run_with_a_word():
    script = "import sys; sys.path[:0] = {path!r}; import assay, test_gate; test_gate.judge_one_that_closes()"
    ended = subprocess.run([sys.executable, "-c", script.format(path=sys.path)], capture_output=True, text=True)
    assert ended.returncode == 1 and "the kernel closed the pipes to the judge" in ended.stderr


def judge_one_that_closes():
    def closes(p):
        os.closerange(3, 256)
        return kernels.ctc(p)

    gate_ctc(closes, "^loss$", own_process=False)


def test_what_shards_need_is_refused_without_it():
    with pytest.raises(TypeError, match="shards = 4 is for the shards of an executor"):
        gate_ctc(kernels.ctc, "^loss$", shards=4)


def test_unsupported_cases_are_skipped_and_counted():
    def small(p):
        if p.logits.shape[0] > 9:
            raise assay.Unsupported("more than 9 frames")
        return kernels.ctc(p)

    result = gate_ctc(small, "^loss$", cases=50)
    assert result.passed and result["loss"].skipped["the kernel does not do, as it answered: more than 9 frames"] > 0


def test_a_kernel_is_given_no_bad_argument_that_it_does_not_take():
    """The kernel of docs/python.md drops the upstream gradient, which it does not declare."""
    from assay.numpy import ctc_loss

    def my_ctc(p):
        return ctc_loss(p.logits, p.targets, p.input_lengths, p.target_lengths, p.blank, "none", logits=True)

    def refuses(**declared):
        return assay.gate("ctc", my_ctc, cases=2, reach="none", filter="^refusals$", **declared)["refusals"]

    assert refuses().passed
    assert "an upstream element too many: expected a refusal" in refuses(upstream=True).failure.explanation


def test_limits_are_kept():
    seen = []

    def small(p):
        seen.append(p.logits.shape)
        return kernels.ctc(p)

    result = gate_ctc(small, "^loss$", limits={"T": 20, "C": 20}, own_process=False)
    assert result.passed and result["loss"].skipped
    assert max(shape[0] for shape in seen) <= 20 and max(shape[2] for shape in seen) <= 20


def test_the_share_that_claims_leave_is_drawn_only_where_no_property_has_failed():
    def claimed(fn):
        return gate_ctc(fn, "^loss$", cases=3, limits={"T": 8, "C": 100}).record["runs"][0]["claimed"]

    assert 0.2 < claimed(kernels.ctc) < 0.9 and claimed(half_the_loss) == 1


def test_messages_of_a_kernel_are_no_commands_of_ci():
    def raises(p):
        raise RuntimeError("first\n::error::line\n\u00a0::add-mask::line\n##[group]")

    result = gate_ctc(raises, "^loss$", cases=1)
    texts = [str(result), result.failures["loss"].explanation, json.dumps(result.record)]
    for text in texts:
        assert ": :error::line" in text and ": :add-mask::line" in text and "## [group]" in text
        assert not re.search(r"^\s*::|##\[", text, re.MULTILINE)


def test_an_interrupt_ends_the_run():
    calls = []

    def interrupted(p):
        calls.append(1)
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        gate_ctc(interrupted, "^loss$", own_process=False)
    assert len(calls) == 1


def test_descriptors_are_not_leaked():
    gate_ctc(kernels.ctc, "^loss$", cases=1)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        gate_ctc(kernels.ctc, "^loss$", cases=1)
    assert len(os.listdir("/proc/self/fd")) == before


def test_equal_seeds_give_equal_cases():
    def shapes(seed):
        seen = []

        def note(p):
            seen.append((p.logits.shape, p.logits.tobytes()))
            return kernels.ctc(p)

        assay.gate("ctc", note, cases=5, seed=seed, filter="^loss$", reach="none", own_process=False, **kernels.CTC)
        return seen

    assert shapes(3) == shapes(3) != shapes(4)


def judge(operation="ctc", fn=kernels.ctc, **options):
    return lambda: assay.gate(operation, fn, **options)


@pytest.mark.parametrize(
    "call, error, told",
    [
        (judge("fft"), ValueError, "operation = 'fft': expected 'ctc', 'cce', 'svd'"),
        (lambda: assay.property_names("fft"), ValueError, "fft"),
        (judge(arithmetic="exact"), ValueError, "arithmetic = 'exact': expected one of log_space, probability"),
        (judge(arithmetic=("log_space",)), TypeError, "arithmetic = "),
        (judge(dtype="float64"), ValueError, "dtype = 'float64': expected any of float32, float16, bfloat16"),
        (judge(limits={"N": 3}), ValueError, "limits has 'N': expected sizes of T, B, C, S"),
        (judge(reductions=()), ValueError, "reductions is empty: expected at least one of none, sum, mean"),
        (judge(layout="padded"), TypeError, "layout"),
        (judge(fn=3), TypeError, "expected a function"),
        (judge(filter="nothing"), assay.JudgeError, "no property matches"),
    ],
)
def test_bad_arguments_are_named(call, error, told):
    with pytest.raises(error, match=told):
        call()


@pytest.mark.parametrize("operation", ["ctc", "cce", "svd"])
def test_the_page_lists_every_keyword_with_its_default(operation):
    page = (Path(__file__).parents[2] / "docs" / "python.md").read_text()
    rows = dict(re.findall(r"^\| (\S+) \| (.*=.*) \|$", page, re.MULTILINE))
    listed = re.findall(r"`(\w+)=([^`]+)`", rows[f'`"{operation}"`'] + rows["all"])
    defaults = {name: eval(value) for name, value in listed if name != "limits"}
    keywords = assay.declare.keywords(operation)
    assert {**defaults, "limits": {}} == {name: one["default"] for name, one in keywords.items()}


def test_a_batch_of_ones_own_is_judged_beside_or_in_place_of_generated_cases(tmp_path):
    np.savez(tmp_path / "batch.npz", A=np.arange(12, dtype=np.float32).reshape(1, 4, 3))
    judged = dict(filter="^(order|values)$", cases=0, reach="none", input=tmp_path / "batch.npz")
    right = assay.gate("svd", lambda p: np.linalg.svd(p.A, full_matrices=False), **judged)
    assert [one.verdict for one in right.properties] == ["pass", "pass"]

    def doubled(p):
        U, S, Vh = np.linalg.svd(p.A, full_matrices=False)
        return U, 2 * S, Vh

    assert assay.gate("svd", doubled, **judged)["values"].verdict == "fail"
    with pytest.raises(TypeError, match='input = dict: expected the path of an .npz for "svd"'):
        assay.gate("svd", doubled, input={"A": np.eye(2)})
