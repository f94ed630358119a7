#!/usr/bin/env bash
# launcher_test.sh LAUNCHER: the launcher in a checkout of its own, with stand-ins for apt, CMake, Ninja and the program,
# so that neither network nor root is needed. Each case says what it expects; the first that is not so ends the test.
# The launcher runs in ASSAY_BASH, or bash-3.2 where there is one, as on macOS; else in the bash that there is.
set -euo pipefail
launcher=$1

# macOS has bash 3.2 and its own tools.
if newer=$(grep -nE 'exec \{|mapfile|readarray|coproc|wait -n|\|&|&>>|declare -[An]|local -[An]|\[\[ -v|\$\{[a-z_]+(,|\^|@[A-Z])' \
  "$launcher"); then
  printf 'FAILED: bash 3.2 does not have these:\n%s\n' "$newer"
  exit 1
fi
if linux=$(sed 's/ *#.*//' "$launcher" | grep -nE 'readlink -f|(^| )flock |-printf|-executable|sed -i|mktemp -p|nproc|stat -c'); then
  printf 'FAILED: macOS does not have these:\n%s\n' "$linux"
  exit 1
fi

shell=${ASSAY_BASH:-$(type -P bash-3.2 || type -P bash)}
if ! version=$("$shell" -c 'echo "$BASH_VERSION"') || [[ -z $version ]]; then
  printf 'FAILED: ASSAY_BASH = %s: expected a bash\n' "$shell"
  exit 1
fi
echo "the launcher runs in bash $version"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/checkout" "$work/bin" "$work/elsewhere"
# Debian's Python is where this test says, so that it can be absent.
sed "s|/usr/bin/python3|$work/python3|g; s|/usr/bin/xcrun|$work/xcrun|g" "$launcher" >"$work/checkout/assay"
chmod +x "$work/checkout/assay"
cd "$work/elsewhere"

# Everything the launcher may call: the system's own tools, and stand-ins that write down how they were called.
ln -s "$shell" "$work/bin/bash"
for tool in basename cat chmod dirname env find mkdir mv perl readlink sed sort tail touch tr; do
  ln -s "$(type -P "$tool")" "$work/bin/$tool"
done
stand_in() { # stand_in NAME: an executable whose body is standard input
  { printf '#!/usr/bin/env bash\necho "$PWD: %s $*" >>"%s/calls"\n' "$1" "$work" && cat; } >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
stand_in clang-format-19 </dev/null
stand_in clang-tidy-19 </dev/null
stand_in ctest </dev/null
stand_in cmake <<<"mkdir -p '$work/checkout/build/release' && touch '$work/checkout/build/release/build.ninja'"
stand_in ninja <<EOF
program=assay
[[ \$3 != assay_first ]] || program=assay_first
[[ ! -e "$work/checkout/build/release/validation/\$program" ]] || { echo 'ninja: no work to do.' && exit; }
mkdir -p "$work/checkout/build/release/validation"
printf '%s\n' '#!/usr/bin/env bash' "printf '<%s>' \$program "'"\$PWD" "\$@" && exit 7' \
  >"$work/checkout/build/release/validation/\$program"
chmod +x "$work/checkout/build/release/validation/\$program"
echo '  [1/1] Linking assay'
EOF

run() { # run STATUS ARGUMENT...: runs the launcher, which must exit with STATUS
  local expected=$1 status=0
  shift
  : >"$work/calls"
  env -i PATH="$work/bin" ASSAY_PRESET="${preset:-release}" "$work/checkout/assay" "$@" >"$work/out" 2>"$work/err" || status=$?
  ((status == expected)) || complain "'assay $*' exited with $status, not $expected"
}
complain() {
  printf 'FAILED: %s\n' "$1"
  for file in out err calls; do printf '%s\n' "--- $file" && cat "$work/$file"; done
  exit 1
}
says() { grep -qF -- "$2" "$work/$1" || complain "$1 should say '$2'"; }
is_silent() { [[ ! -s $work/$1 ]] || complain "$1 should be empty"; }

run 0 --help
says out './assay test'
is_silent calls

echo 'project(assay VERSION 1.2.3 LANGUAGES CXX)' >"$work/checkout/CMakeLists.txt"
run 0 --version
says out 'assay 1.2.3'
is_silent calls

preset=fast run 3 gate
says err "unknown ASSAY_PRESET 'fast'"
is_silent calls

# On a bare machine apt-get brings Python, CMake, Ninja and clang, and the same run uses them.
mkdir "$work/archive"
mv "$work/bin"/{cmake,ninja,clang-format-19,clang-tidy-19} "$work/archive"
stand_in dpkg-query </dev/null
stand_in apt-cache <<<'echo "Package: $2"'
stand_in apt-get <<<"[[ \$* != *install* ]] || { $(type -P cp) '$work/archive'/* '$work/bin' && $(type -P ln) -s '$(type -P python3)' '$work/python3'; }"
stand_in sudo <<<'"$@"'
run 0 test
says calls "cmake --preset release -DASSAY_BUILD_TESTS=ON"
says calls "-D Python_EXECUTABLE=$work/python3"
! grep -q 'ASSAY_CHECK_STYLE=OFF' "$work/calls" || complain "clang-format and clang-tidy have been installed"
for package in cmake g++ ninja-build python3-pytest git file dpkg-dev pkgconf clang-tidy-19; do
  [[ " $(grep 'apt-get .* install ' "$work/calls") " == *" $package "* ]] || complain "$package is not installed"
done
rm -r "$work/checkout/build" "$work/bin"/{apt-get,apt-cache,dpkg-query,sudo}

# The first verdict is built alone, with fewer packages, for these words and no others.
for words in gate 'gate ctc' 'gate --quick' 'gate ctc --quick'; do
  # shellcheck disable=SC2086 # a command's words
  run 7 $words
  quick=
  [[ $words != *--quick ]] || quick='<--quick>'
  [[ $(cat "$work/out") == "<assay_first><$work/elsewhere>$quick" ]] || complain "'$words' is not the first verdict"
done

# The first run of the program configures and builds, and says so; the second does neither and says nothing.
run 7 gate --cases 5 'two words'
says out "<assay><$work/elsewhere><gate><--cases><5><two words>"
says err 'configuring build/release'
says err 'building build/release'
run 7 gate
says out "<assay><$work/elsewhere><gate>"
is_silent err
! grep -q cmake "$work/calls" || complain "the second run should not configure"

# Notebooks need the Python package besides; one that is not there is refused with the names of those that are.
mkdir "$work/checkout/notebooks"
touch "$work/checkout/notebooks/01-alignments.ipynb"
run 2 notebooks 77
says calls 'ASSAY_BUILD_PYTHON=ON'
says calls 'assay assay_core'
says err "no notebook begins with '77'"
says err 'choose of: 01-alignments.ipynb'
run 7 gate
is_silent err

# What only Python can do is asked of the package.
mkdir -p "$work/checkout/build/release/validation/python/assay"
echo 'import sys; print("python", *sys.argv[1:])' >"$work/checkout/build/release/validation/python/assay/__main__.py"
for command in 'init mine' 'kernelbench old.py new.py' 'mutants mine.py'; do
  # shellcheck disable=SC2086 # a command's words
  run 0 $command
  says out "python $command"
done

# So does the site, and the lattice's page with it.
mkdir "$work/checkout/docs"
echo 'import sys; print(*sys.argv)' >"$work/checkout/docs/build.py"
run 0 docs --help
says calls 'ASSAY_BUILD_PAGES=ON'
says calls 'assay assay_core notebooks/all'
says out "docs/build.py --run-notebooks --help $work/checkout/build/release"
run 0 docs
is_silent err

# Tests need more than the program: configured once more, and then the program has all it needs as well.
run 0 test -R ctc
says calls 'ASSAY_BUILD_TESTS=ON'
says calls "$work/checkout: ctest --preset release -R ctc"
run 7 gate
is_silent err

# Another launcher at work is waited for, unless what is asked for is built and no source is newer.
mkdir "$work/checkout"/{reference,metal,validation}
touch "$work/checkout/CMakePresets.json" "$work/checkout/validation/changed.cpp"
flock "$work/checkout/build/lock" sleep 1 &
while flock --nonblock "$work/checkout/build/lock" true; do :; done
run 7 gate
says err 'waiting for another ./assay'
wait
(flock 8 && exec sleep 100) 8>"$work/checkout/build/lock" &
while flock --nonblock "$work/checkout/build/lock" true; do :; done
run 7 gate
is_silent err
! flock --nonblock "$work/checkout/build/lock" true || complain "the other launcher has ended"
kill $!

mkdir "$work/checkout/build/release/bench"
cp "$work/checkout/build/release/validation/assay" "$work/checkout/build/release/bench/bench_quick"
run 0 bench
says out 'quick'
run 7 bench quick --repetitions 3
says out "<$work/elsewhere><--repetitions><3>"
mkdir "$work/checkout/bench"
echo 'import sys; print(*sys.argv)' >"$work/checkout/bench/repeat.py"
run 0 bench --runs 3 quick
says out "bench/repeat.py --build $work/checkout/build/release --runs 3 quick"
run 2 bench no_such
says err "no benchmark is called 'no_such'"

# A build that fails, a configuration that fails.
stand_in ninja <<<"echo 'error: expected a semicolon' && exit 1"
run 3 gate
says err 'expected a semicolon'
says err 'the build failed'
rm -r "$work/checkout/build"
stand_in cmake <<<"[[ \$1 != --preset ]] || { echo 'Could NOT find Boost' && exit 1; }"
run 3 gate
says err 'Could NOT find Boost'
says err 'libboost-dev'

# Where there is Homebrew: what is missing is installed, and rapidcheck is built.
stand_in brew <<<'[[ $1 != list ]] || printf "cmake\nboost\n"'
stand_in git <<<"exit 1"
ln -s "$(type -P rm)" "$work/bin/rm"
run 3 gate
says calls 'brew install cli11 flint'
says calls 'git clone'
says err 'rapidcheck could not be built'
! grep -q 'brew install.* cmake' "$work/calls" || complain "installed too much"
mkdir -p "$work/checkout/build/prefix"
touch "$work/checkout/build/prefix/rapidcheck-master"
stand_in brew <<<"[[ \$1 == list ]] || { echo 'Error: no such formula' && exit 1; }"
run 3 gate
says err 'Error: no such formula'
says err 'the packages could not be installed'
rm "$work/bin/brew"

# With libc++, the libraries in C++ are built, each once.
preset=libcxx run 3 gate
says err 'rapidcheck could not be built'
stand_in git <<<"mkdir -p '$work/checkout/build/libcxx/prefix'"
preset=libcxx run 3 gate
says calls 'git clone --depth 1 --branch v1.17.0 https://github.com/google/googletest'
says calls 'cmake --preset libcxx'
(($(grep -c -- '-D CMAKE_CXX_FLAGS=-stdlib=libc++' "$work/calls") == 6)) || complain "six libraries should be built"
preset=libcxx run 3 gate
! grep -q 'git' "$work/calls" || complain "a library should be built once"

# A link to the launcher finds the checkout.
ln -s ../checkout/assay "$work/elsewhere/linked"
(cd "$work" && env -i PATH="$work/bin" elsewhere/linked --help >"$work/out") || complain "a link does not work"
says out './assay test'

# Where there is apt: what is missing is installed, by sudo unless root; the optional only where the archive has it.
stand_in dpkg-query <<<'[[ $4 == cmake ]] && echo -n installed'
stand_in apt-cache <<<'[[ $2 == libflint-arb-dev ]] || echo "Package: $2"'
stand_in apt-get </dev/null
stand_in sudo <<<'"$@"'
run 3 test
says calls 'apt-get update'
says calls 'install --yes --no-install-recommends g++ ninja-build'
says calls 'clang-tidy-19'
! grep -q 'install.* cmake\|libflint-arb-dev\|libc++' <(grep apt-get "$work/calls") || complain "installed too much"
preset=libcxx run 3 test
says calls 'libc++-19-dev'
stand_in apt-get <<<"echo 'E: Unable to locate package' && exit 100"
run 3 gate
says err 'Unable to locate package'
says err 'the packages could not be installed'
if ((EUID != 0)); then
  says calls 'sudo env DEBIAN_FRONTEND=noninteractive apt-get'
  rm "$work/bin/sudo"
  run 3 gate
  says err 'there is no sudo'
fi
echo passed
