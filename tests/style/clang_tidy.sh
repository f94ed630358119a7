#!/usr/bin/env bash
# clang_tidy.sh SOURCE_DIR BUILD_DIR [PLUGIN]: clang-tidy 19 finds nothing in the libraries, the program and all headers.
# A source found clean is not looked at again until it, a header, the flags or the configuration change. Sources that are
# compiled together (assay_units) are looked at together, in a third of the time.
set -euo pipefail
source_dir=$1 build_dir=$2 plugin=${3-}
command -v clang-tidy-19 >/dev/null || { echo "clang-tidy-19 is not installed: apt-get install clang-tidy-19" && exit 1; }

cd "$source_dir"
clean=$build_dir/tests/style/clean
mkdir -p "$clean"
shared=$(find reference metal validation -name '*.h' -print0 | sort -z |
  xargs -0 cat .clang-tidy "$build_dir/compile_commands.json" | sha256sum)
mapfile -t files < <(
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build_dir/compile_commands.json" |
    grep -E "^($source_dir/(reference|metal|validation)|$build_dir/(metal|validation)/.*/Unity|$build_dir/tests/style)/" |
    sort -u
)
((${#files[@]})) || { echo "no sources in $build_dir/compile_commands.json" && exit 1; }

# Each source once, where several targets compile it; and without the precompiled header, which is the compiler's own and
# would hide an include that is missing.
commands=$build_dir/tests/style/compile_commands
mkdir -p "$commands"
sed -E 's/(-Xclang )?-include(-pch)? (-Xclang )?[^ ]*cmake_pch[^ ]*//g' "$build_dir/compile_commands.json" |
  awk -v RS='},?\n' 'match($0, /"file": "[^"]*"/) && !seen[substr($0, RSTART, RLENGTH)]++ {
    printf "%s%s}", n++ ? ",\n" : "", $0
  } END { print "\n]" }' >"$commands/compile_commands.json"

tidy() { # tidy FILE
  local mark
  mark=$clean/$( (echo "$shared" "$1" && cat "$1" && sed -n 's/^#include "\(.*\.cpp\)"$/\1/p' "$1" | xargs -r cat) |
    sha256sum | cut -c 1-64)
  [[ -e $mark ]] || { clang-tidy-19 --quiet --extra-arg=-Wno-error -p "$commands" \
    ${plugin:+-load "$plugin" -checks=assay-own-code} "$1" 2>/dev/null && touch "$mark"; }
}
export -f tidy
export clean shared commands plugin
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P 2 bash -c 'tidy "$1"' tidy || {
  printf 'clang-tidy found the above; one file again: clang-tidy-19 -p %s FILE\n' "$commands" && exit 1
}
echo "${#files[@]} sources are clean"
