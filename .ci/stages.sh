# SPDX-License-Identifier: MIT
# What .ci/run and .ci/nightly share, which read it with the name of a folder for logs below build: stages, each with its
# seconds, and counts of their tests.
logs=$PWD/build/$1 started=$(date +%s%N)
rm -rf "$logs"
mkdir -p "$logs"
passed=0 failed=0 summary=()

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

# stage NAME COMMAND..: runs it with its output in a log, and prints the end of the log if it fails.
stage() {
  local name=$1 start=$SECONDS result=ok lost=$failed seconds
  local log=$logs/$name.log
  shift
  "$@" < /dev/null > "$log" 2>&1 || result=FAILED
  seconds=$((SECONDS - start))
  count_tests "$log" || [ $result != ok ] || passed=$((passed + 1))
  [ $result = ok ] || [ "$failed" != "$lost" ] || failed=$((failed + 1))
  summary+=("$(printf '%-18s %5d s  %s' "$name" "$seconds" $result)")
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

# Builds a preset with further arguments, and runs its tests NAME even where something was not built.
built_and_tested() {
  local name=$1 wrong=0
  shift
  cmake --build "$@" -- -k 0 || wrong=1
  ctest --preset "$name" && [ $wrong = 0 ]
}
