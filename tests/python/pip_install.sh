#!/usr/bin/env bash
# pip_install.sh SOURCE_DIR PREFIX PYTHON: `pip wheel .` makes a wheel, the set-up cell of a notebook installs it in a fresh
# environment, and that gives a package that gates and a pytest that knows it. The program is the one installed in PREFIX, and optimisation is left out: both are tested elsewhere.
set -euo pipefail
source_dir=$1 prefix=$2 python=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH ASSAY_PROGRAM
"$python" -m venv --system-site-packages "$work/venv"
config=$(find "$prefix" -name assayConfig.cmake -printf '%h\n')
SKBUILD_BUILD_DIR=$work/build SKBUILD_CMAKE_ARGS="-Dassay_DIR=$config;-DCMAKE_CXX_FLAGS_RELEASE=-O0" \
  "$work/venv/bin/python" -m pip wheel --quiet --no-deps --wheel-dir "$work" "$source_dir"

cd "$work"
ln -s "$source_dir/notebooks/teaching" teaching
"$work/venv/bin/python" -c '
import json, sys
cells = json.load(open(sys.argv[1]))["cells"]
exec("".join(next(cell["source"] for cell in cells if cell["cell_type"] == "code")))
' "$source_dir/notebooks/01-counting-alignments.ipynb"
rm teaching
cat >test_mine.py <<'EOF'
import assay, numpy

def mine(p):
    return numpy.linalg.svd(p.A, full_matrices=False)

test_mine = assay.pytest_gate("svd", mine, cases=5, checks_arguments=False)
EOF
"$work/venv/bin/python" -c '
import assay, sys
assert assay.__file__.startswith(sys.argv[1]), assay.__file__
assert str(assay.reference.svd([[3.0, 0.0], [4.0, 5.0]], digits=30).S[0]).startswith("6.7082039324993690892")
assert abs(assay.numpy.svd([[3.0, 0.0], [4.0, 5.0]]).S[0] - 45**0.5) < 1e-6
assert assay.gate("ctc", lambda p: 0, cases=1, real_input=True, filter="^loss$")["loss"].verdict == "error"
' "$work/venv"
"$work/venv/bin/python" -m pytest -q -p no:cacheprovider --assay-cases 2 test_mine.py -k "values or order"
