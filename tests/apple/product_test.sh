#!/usr/bin/env bash
# product_test.sh PROGRAM SOURCE: the commands of the product reach Apple's device, here the model.
set -euo pipefail
program=$1 shaders=$2/tests/plugin_metal/shaders
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

expect() { # expect STATUS WORDS ARGUMENT...: runs the program, which must exit with STATUS and say WORDS
  local expected=$1 words=$2 status=0
  shift 2
  "$program" "$@" >out 2>&1 || status=$?
  if ((status != expected)) || ! grep -qF -- "$words" out; then
    cat out
    echo "FAILED: 'assay $*': exit status $status, expected $expected and the words '$words'"
    exit 1
  fi
}

expect 0 "Assay's model of a GPU" devices
for operation in ctc cce svd; do
  judged=(--device apple --filter '^(loss|reconstruction)$' --cases 3 --generated --reach none)
  expect 0 'metal-apple' gate $operation --kernel metal "${judged[@]}"
  expect 0 "$operation.json@apple" gate $operation --kernel "$shaders/$operation.json" "${judged[@]}"
done

# One kernel on two devices. Metal contracts what the emulator does not; the comparison shows it.
cat >on.metal <<'EOF'
#include <metal_stdlib>
using namespace metal;
kernel void rest(device float* y [[buffer(0)]], device const float* x [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  y[i] = x[i] * x[i] - 1.3f;
}
EOF
{ echo '#pragma METAL fp contract(off)' && cat on.metal; } >off.metal
run=(--device apple --against emulated --grid 64 --buffer 0=zero:64 --buffer 1=random:64)
expect 0 'elements are equal' metal run off.metal "${run[@]}"
! grep -q ' fma ' /proc/cpuinfo || expect 1 'elements differ' metal run on.metal "${run[@]}"
