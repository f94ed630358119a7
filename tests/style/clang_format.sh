#!/usr/bin/env bash
# clang_format.sh SOURCE_DIR: every C and C++ file is as clang-format 19 writes it (other versions differ in places).
set -euo pipefail
cd "$1"
command -v clang-format-19 >/dev/null || { echo "clang-format-19 is not installed: apt-get install clang-format-19" && exit 1; }

mapfile -t files < <(find reference metal validation bench tests -name '*.h' -o -name '*.cpp' -o -name '*.c' | sort)
unformatted=()
for file in "${files[@]}"; do
  clang-format-19 --dry-run -Werror "$file" 2>/dev/null || unformatted+=("$file")
done
echo "${#files[@]} files, ${#unformatted[@]} not formatted"
((${#files[@]})) || exit 1
((${#unformatted[@]} == 0)) || { printf 'mend them with\n  clang-format-19 -i %s\n' "${unformatted[*]}" && exit 1; }
