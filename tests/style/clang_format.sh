#!/usr/bin/env bash
# clang_format.sh SOURCE_DIR: every C and C++ file is as clang-format 19 writes it (other versions differ in places).
set -euo pipefail
cd "$1"
command -v clang-format-19 >/dev/null || { echo "clang-format-19 is not installed: apt-get install clang-format-19" && exit 1; }

mapfile -t files < <(find reference metal validation bench tests -name '*.h' -o -name '*.cpp' -o -name '*.c' | sort)
((${#files[@]})) || exit 1
complaints=$(clang-format-19 --dry-run -Werror "${files[@]}" 2>&1) && echo "${#files[@]} files are formatted" && exit
mapfile -t unformatted < <(sed -n 's/:[0-9]*:[0-9]*: error: code should be clang-formatted.*//p' <<<"$complaints" | sort -u)
((${#unformatted[@]})) || { echo "$complaints" && exit 1; }
printf 'not formatted; mend them with\n  clang-format-19 -i %s\n' "${unformatted[*]}"
exit 1
