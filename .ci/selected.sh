# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# selected PRESET SELECTION..: the names of the tests that CTest selects in the build folder of a preset.
selected() {
  local from=(--test-dir "build/$1")
  shift
  case ${1-} in
    --preset) from=() ;;
    -) shift ;;
  esac
  ctest "${from[@]}" "$@" -N 2> /dev/null | sed -nE 's/^ *Test +#[0-9]+: ([^ ]+).*/\1/p'
}
