#!/usr/bin/env bash
# deb.sh BUILD_DIR SOURCES: cpack's Debian package names what it depends on, and its program runs where it is unpacked.
set -euo pipefail
for tool in dpkg-deb dpkg-shlibdeps file; do
  command -v $tool >/dev/null || { echo "$tool is not installed: apt-get install dpkg-dev file" && exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cpack --config "$1/CPackConfig.cmake" -G DEB -B "$work" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }
package=$(echo "$work"/assay_*.deb)
depends=$(dpkg-deb -f "$package" Depends)
for library in libc6 libgmp10 libmpfr6 libzip4 libopenblas; do
  [[ $depends == *"$library"* ]] || { echo "$library is not among: $depends" && exit 1; }
done
dpkg-deb -x "$package" "$work/unpacked"
"$(dirname "${BASH_SOURCE[0]}")/installed_program.sh" "$work/unpacked/usr" "$2"
