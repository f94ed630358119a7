#!/usr/bin/env bash
# pip_install.sh SOURCE_DIR PREFIX PYTHON: `pip install .` in a fresh environment gives a package that gates and a pytest
# that knows it. The program is the one installed in PREFIX, and optimisation is left out: both are tested elsewhere.
set -euo pipefail
source_dir=$1 prefix=$2 python=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH ASSAY_PROGRAM
"$python" -m venv --system-site-packages "$work/venv"
config=$(find "$prefix" -name assayConfig.cmake -printf '%h\n')
SKBUILD_BUILD_DIR=$work/build SKBUILD_CMAKE_ARGS="-Dassay_DIR=$config;-DCMAKE_CXX_FLAGS_RELEASE=-O0" \
  "$work/venv/bin/python" -m pip install --quiet --no-deps "$source_dir"

cd "$work"
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
assert assay.gate("ctc", lambda p: 0, cases=1, real_input=True, filter="^loss$")["loss"].verdict == "error"
' "$work/venv"
"$work/venv/bin/python" -m pytest -q -p no:cacheprovider --assay-cases 2 test_mine.py -k "values or order"
