#!/usr/bin/env bash
# release_test.sh SOURCES: .ci/release stops at each item that does not hold, with what to do, and makes the files of a
# release. In a small repository, with stand-ins for what builds. The recipes name what the launcher installs.
set -euo pipefail
sources=$1
command -v git >/dev/null || { echo "git is not installed: apt-get install git" && exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/repository/.ci" "$work/repository/docs" "$work/bin"
cd "$work/repository"
cp "$sources/.ci/release" .ci/
cp -r "$sources/.packaging" .
cp "$sources/.gitignore" "$sources/CMakeLists.txt" .
cp "$sources/docs/CHANGELOG.md" docs/
stand_in() { printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod +x "$1"; }
stand_in .ci/run 'echo tests fail; exit 1'
stand_in assay 'exit 0'
stand_in "$work/bin/cpack" 'touch dist/assay.deb'
stand_in "$work/bin/python3" 'mkdir -p build/release-tools/bin && touch build/release-tools/bin/pip build/release-tools/bin/python && chmod +x build/release-tools/bin/*'
export PATH=$work/bin:$PATH GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init --quiet --initial-branch=main
git add -A && git commit --quiet -m first
version=$(sed -n 's/^project(assay VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

fail() { echo "FAILED: $*" && exit 1; }
stops() { # stops WHAT ARGUMENT...: the release stops, and says WHAT
  local said
  ! said=$(.ci/release "${@:2}" 2>&1) || fail "it should have stopped: $1"
  [[ $said == *"$1"* ]] || fail "expected '$1' in: $said"
}
url=https://example.org/me/assay
stops "usage: .ci/release URL"
stops "usage: .ci/release URL" "$url.git"
stops "usage: .ci/release URL" "$url" --all
stops "expected the heading '## $version (" "$url" --no-tests
sed -i "s/^## $version\$/## $version (2026-01-31)/" docs/CHANGELOG.md
stops "commit or remove these" "$url" --no-tests
git commit --quiet -am "a date"
git switch --quiet -c other
stops "git switch main" "$url" --no-tests
git switch --quiet main
git tag "v$version"
stops "raise the version" "$url" --no-tests
git tag -d "v$version" >/dev/null
stops "tests fail" "$url"
.ci/release "$url" --no-tests >"$work/said" || fail "$(cat "$work/said")"

sum=$(sha256sum "dist/assay-$version.tar.gz" | cut -d ' ' -f 1)
for file in assay.rb recipe.yaml; do
  grep -qF "$sum" "dist/$file" && grep -qF "$url/archive/refs/tags/v$version.tar.gz" "dist/$file" || fail "dist/$file: $(cat "dist/$file")"
done
[[ ! $(git status --porcelain) ]] || fail "it left $(git status --porcelain)"

# What the formula depends on is what the launcher installs by Homebrew, but for tests and for Python.
launcher=$(sed -n '/^brew_packages=(/,/)/p' "$sources/assay" | tr -d '()' | sed 's/brew_packages=//' | xargs -n 1 |
  grep -vxE 'google-benchmark|googletest|pybind11' | sort)
formula=$(sed -n 's/.*depends_on "\([^"]*\)".*/\1/p' .packaging/assay.rb.in | sort)
[[ $launcher == "$formula" ]] || fail "assay.rb.in and the launcher differ: $(diff <(echo "$formula") <(echo "$launcher"))"

# rapidcheck has no releases: both recipes take the same revision of it.
revisions=$(grep -ohE '\b[0-9a-f]{40}\b' .packaging/assay.rb.in .packaging/recipe.yaml.in | uniq -c)
[[ $(wc -w <<<"$revisions") == 2 && $revisions == *" 2 "* ]] || fail "not one revision of rapidcheck: $revisions"
