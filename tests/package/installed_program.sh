#!/usr/bin/env bash
# installed_program.sh PREFIX SOURCES: the installed program gates, on the data installed beside it and with plug-ins built
# with its header, wherever it was moved to.
set -euo pipefail

moved=$(mktemp -d)
trap 'rm -rf "$moved"' EXIT
cp -r "$1/bin" "$1/libexec" "$1/share" "$moved"
"$moved/bin/assay" gate --quick --reach none --cases 5
"$moved/bin/assay" gate --quick --reach none --cases 5 --kernel metal-emulated

cc -O2 -shared -fPIC -I "$1/include" -I "$2" "$2/tests/plugin/minimal.c" -o "$moved/minimal.so" -lm
"$moved/bin/assay" gate --quick --reach none --cases 5 --kernel "$moved/minimal.so"

echo "no batch" >"$moved/share/assay/speech.npz"
if message=$("$moved/bin/assay" gate --quick 2>&1); then
  echo "the gate passed without reading what is installed in share/assay" && exit 1
fi
[[ $message == *"$moved/share/assay/speech.npz"* ]] || { echo "unexpected: $message" && exit 1; }
