# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What .ci/run and .ci/nightly share, which read it with the name of a folder for logs below build: stages, each with its
# seconds, and counts of their tests. Which tests a stage runs is in .ci/stages.
logs=$PWD/build/$1
rm -rf "$logs"
mkdir -p "$logs"
passed=0 failed=0 summary=()
. .ci/selected.sh

# As in the test presets.
export UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS="halt_on_error=1 die_after_fork=0"

# Skipped may be what needs a GPU or AVX-512. All else that a test lacks must have been installed.
may_skip='^(.*_runs|examples/(06_thrust|.*_cuda)|core/wide_packs)$'

# Adds the tests of a ctest log to the counts. Returns 1 if it holds none: then the stage itself counts.
count_tests() {
  local ran lost skipped found=1
  while read -r lost ran; do
    found=0
    failed=$((failed + lost))
    passed=$((passed + ran - lost))
  done < <(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$1")
  skipped=$(grep -cE 'Test +#[0-9]+: .*\*\*\*Skipped' "$1")
  passed=$((passed - skipped))
  return $found
}

# The tests of a ctest log that were Skipped and must not be.
wrongly_skipped() { sed -nE 's/.*Test +#[0-9]+: ([^ ]+) \.*\*\*\*Skipped.*/\1/p' "$1" | grep -vE "$may_skip"; }

# stage NAME COMMAND..: runs it with its output in a log, and prints the end of the log if it fails.
stage() {
  local name=$1 start=$SECONDS result=ok lost=$failed seconds skipped
  local log=$logs/${name//\//-}.log
  shift
  "$@" < /dev/null > "$log" 2>&1 || result=FAILED
  seconds=$((SECONDS - start))
  count_tests "$log" || [ $result != ok ] || passed=$((passed + 1))
  skipped=$(wrongly_skipped "$log")
  if [ -n "$skipped" ]; then
    result=FAILED
    # shellcheck disable=SC2086  # several names
    printf 'skipped, for lack of a tool that ./setup --ci installs: %s\n' $skipped >> "$log"
    failed=$((failed + $(wc -l <<< "$skipped")))
  fi
  [ $result = ok ] || [ "$failed" != "$lost" ] || failed=$((failed + 1))
  summary+=("$(printf '%-22s %5d s  %s' "$name" "$seconds" $result)")
  printf '%s\n' "${summary[-1]}"
  [ $result = ok ] || tail -n 60 "$log"
}

# What was compiled before on this machine, by a build or by a test, comes from ccache, if there is one that works: Debian's
# has links with the names of all compilers but nvcc. Instruction sets, which -march=native does not tell apart, have
# namespaces of their own.
use_ccache() {
  local links=/usr/lib/ccache
  echo 'int works;' > "$logs/ccache.cpp"
  "$links/g++" -c "$logs/ccache.cpp" -o "$logs/ccache.o" > /dev/null 2>&1 || return 0
  export PATH=$links:$PATH CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  rm -f build/*/CMakeCache.txt  # with other compilers in it, CMake 3.25 begins anew without the options of a preset
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
  export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime  # for precompiled headers
  CCACHE_NAMESPACE=sinter_$(g++ -march=native -dM -E -x c++ /dev/null | cksum | tr ' ' _)
  export CCACHE_NAMESPACE
}

# programs PRESET: the targets that have the names of the tests of standard input.
programs() {
  sed -E 's|^examples/([0-9])|\1|; s|/|.|' | sort -u |
    comm -12 - <(cmake --build "build/$1" --target help | sed -nE 's/^([^ ]+): phony$/\1/p' | sort -u)
}

# selection_runs PRESET TARGETS SELECTION..: builds, and runs the tests even where something was not built.
selection_runs() {
  local preset=$1 targets=() from=(--test-dir "build/$1") wrong=0
  [ "$2" = - ] || IFS=, read -ra targets <<< "$2"
  shift 2
  if [ "${targets[*]}" != all ]; then
    mapfile -t -O "${#targets[@]}" targets < <(selected "$preset" "$@" | programs "$preset")
  fi
  if [ ${#targets[@]} != 0 ]; then cmake --build "build/$preset" --target "${targets[@]}" -- -k 0 || wrong=1; fi
  if [ "$1" = --preset ]; then from=(); fi
  ctest "${from[@]}" "$@" --output-on-failure --no-tests=error -j "$CMAKE_BUILD_PARALLEL_LEVEL" && [ $wrong = 0 ]
}

# lines_of TIER STAGE: the lines of a stage, without these two words.
lines_of() { awk -v tier="$1" -v stage="$2" '$1 == tier && $2 == stage { $1 = $2 = ""; print }' .ci/stages; }

declare -A options=()  # those of a stage, for cmake --preset

# tests_of TIER STAGE [FOLDER]: configures, and runs all lines of a stage, or what they have of one folder of tests/.
tests_of() {
  local words wrong=0 found=no folder=() configured=' '
  [ $# != 3 ] || folder=(-L "^$3\$")
  while read -ra words; do
    if [[ $configured != *" ${words[0]} "* ]]; then
      # shellcheck disable=SC2086  # several options
      cmake --preset "${words[0]}" ${options[$2]-} || return 1
      configured+="${words[0]} "
    fi
    if [ $# = 3 ] && [ -z "$(selected "${words[0]}" "${words[@]:2}" "${folder[@]}")" ]; then continue; fi
    found=yes
    if [ $# = 3 ] && [ "${words[1]}" = all ]; then words[1]=-; fi  # the programs of that folder
    selection_runs "${words[@]}" "${folder[@]}" < /dev/null || wrong=1
  done < <(lines_of "$1" "$2")
  [ $found = yes ] || { echo "the stage $2 has no tests${3:+ of $3}"; return 1; }
  return $wrong
}

# What was counted, as the last line.
finish() {
  printf '\n'
  printf '%s\n' "${summary[@]}" "in all $SECONDS s"
  printf '%d passed, %d failed\n' "$passed" "$failed"
  [ "$failed" = 0 ]
}
