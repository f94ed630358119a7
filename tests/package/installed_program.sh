#!/usr/bin/env bash
# installed_program.sh PREFIX: the installed program gates, on the data installed beside it, wherever it was moved to.
set -euo pipefail

moved=$(mktemp -d)
trap 'rm -rf "$moved"' EXIT
cp -r "$1/bin" "$1/share" "$moved"
"$moved/bin/assay" gate --quick --cases 5

echo "no batch" >"$moved/share/assay/speech.npz"
if message=$("$moved/bin/assay" gate --quick 2>&1); then
  echo "the gate passed without reading what is installed in share/assay" && exit 1
fi
[[ $message == *"$moved/share/assay/speech.npz"* ]] || { echo "unexpected: $message" && exit 1; }
