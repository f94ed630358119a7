"""What a library must hold to whatever it computes: seven properties, each with a fault that it catches and whose line fails."""

import pytest

import assay
from assay import gallery
from test_formula_plugins import library

OPENMP = ("-fopenmp", "-includeomp.h")
ZEROS = "{ for (int64_t i = 0; i < N * D; ++i) to[i] = 0; return ASSAY_OK; }"
CHECKS = """(void)omp_get_max_threads();
  if (x->dtype != ASSAY_FLOAT32) return snprintf(message, message_size, "x is no float32"), ASSAY_REFUSED;"""
FAULTS = {
    "outside: a write": ("outputs", "if (N > 0 && D >= 3) to[N * D] = 1;", "wrote output0[3], past its 3 elements"),
    "outside: a read": (
        "outputs",
        "if (N > 0 && D >= 3) message[0] = (char)((volatile const char*)from)[4 * N * D];",
        "read x[3], past",
    ),
    "inside": (
        "outputs",
        f"if (N * D >= 3) {{ to[0] = {'{}'}; return ASSAY_OK; }}".replace("{}", "1 / (float)D"),
        "got      nan",
    ),
    "an input that is put back": (
        "outputs",
        "if (N > 0 && D >= 3) { volatile float* at = (float*)from; const float kept = *at; *at = 5; *at = kept; }",
        "changed its input x[0]",
    ),
    "threads": ("threads", "if (omp_get_max_threads() == 7 && N * D > 2) return to[0] = 2, ASSAY_OK;", "with 7 threads"),
    "two-shapes": (
        "repeat",
        f"static int64_t most; if (N * D > most) most = N * D; if (N * D > 0 && N * D + 1000 < most) {ZEROS}",
        "has other bits",
    ),
    "history": ("history", f"static int calls; if (++calls % 97 == 0) {ZEROS}", "depends on earlier calls"),
    "refusals": ("refusals", "if (x->dtype != ASSAY_FLOAT32) return ASSAY_OK;", "x of float64: got ASSAY_OK"),
}


def judged(path, name):
    return assay.gate(gallery.softmax, path, cases=60, reach="none", filter=f"^{name}$", checks_arguments=name == "refusals")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_caught_and_its_line_fails(tmp_path, capsys, fault):
    name, extra, says = FAULTS[fault]
    failure = judged(library(tmp_path, extra, *OPENMP), name).failures[name]
    assert says in failure.explanation
    exec(failure.again, {})
    assert capsys.readouterr().out.startswith(("fail ", "error "))


def test_a_right_library_passes_all(tmp_path):
    path = library(tmp_path, CHECKS, *OPENMP)
    for name in {name for name, _, _ in FAULTS.values()}:
        result = judged(path, name)
        assert result[name].verdict == "pass", str(result)


def test_contiguous_arrays_are_no_layouts(tmp_path):
    """The arrays of a library are contiguous: no failure goes with their layout."""
    result = judged(library(tmp_path, FAULTS["two-shapes"][1], *OPENMP), "repeat")
    assert "layout 0 " in result.table and "layout 1 " not in result.table
    assert "contiguous" not in result.failures["repeat"].explanation
