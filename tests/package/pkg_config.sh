#!/usr/bin/env bash
# pkg_config.sh PREFIX SOURCES COMPILER: a Makefile's project finds the reference and the plug-in's header by pkg-config,
# wherever the installation was moved to.
set -euo pipefail
command -v pkg-config >/dev/null || { echo "pkg-config is not installed: apt-get install pkgconf" && exit 1; }

moved=$(mktemp -d)
trap 'rm -rf "$moved"' EXIT
cp -r "$1/include" "$moved"
folder=$(cd "$1" && dirname "$(find . -name assay-reference.pc)")
mkdir -p "$moved/$folder"
cp "$1/$folder"/assay-*.pc "$moved/$folder"
export PKG_CONFIG_PATH=$moved/$folder
cd "$moved"
flags() { pkg-config --cflags --libs "$1"; }

# shellcheck disable=SC2046: each flag is a word
"$3" -std=c++20 "$2/tests/package/reference_alone/main.cpp" $(flags assay-reference) -o loss
[[ $(./loss) == 0.28768207245178* ]] || { echo "ln(4/3) is $(./loss)" && exit 1; }
# shellcheck disable=SC2046
cc -shared -fPIC -I "$2" "$2/tests/plugin/minimal.c" $(flags assay-plugin) -o minimal.so -lm
[[ $(pkg-config --modversion assay-reference) == $(pkg-config --modversion assay-plugin) ]]
