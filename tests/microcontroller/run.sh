#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh CXX FOLDER FLAG..: weights made by CXX with these flags; programs of them and sinter/inference.hpp for Cortex-M4F,
# M7 and M55, which QEMU runs. Of one network alone: its size, and what it needs of other libraries.
set -eu
cxx=$1 folder=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../include
for tool in arm-none-eabi-g++ arm-none-eabi-nm qemu-system-arm; do
  if ! command -v $tool > /dev/null; then
    [ -z "${SINTER_CI:-}" ] || { echo "$tool is not installed: ./setup --platforms"; exit 1; }
    echo "skipped: $tool is not installed: ./setup --platforms"
    exit 77
  fi
done
rm -rf "$folder"
mkdir -p "$folder"
"$cxx" -std=c++20 -O1 "$@" -pthread -I "$include" -I "$here" -c "$here/make.cpp" -o "$folder/make.o"
"$cxx" -pthread "$folder/make.o" -o "$folder/make"
"$folder/make" "$folder"

# cross SOURCE OUTPUT FLAG..
cross() {
  source=$1 output=$2
  shift 2
  arm-none-eabi-g++ -std=c++20 -O2 -mthumb -mfloat-abi=hard -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-math-errno \
    -ffunction-sections -fdata-sections -Wall -Wextra -Werror -Wdouble-promotion -I "$include" -I "$here" -I "$folder" \
    "$here/$source" -o "$folder/$output" "$@"
}
# run PROGRAM PATTERN FLAG..: on the board; the pattern is of what may not be linked
run() {
  program=$1 pattern=$2
  shift 2
  cross "$program.cpp" "$program.elf" "$@" -Dnanoseconds_of_a_tick="$nanoseconds" "$here/start.cpp" -T "$here/memory.ld" \
    -nostdlib -Wl,--gc-sections -lc -lm -lgcc
  found=$(arm-none-eabi-nm "$folder/$program.elf" | awk '{ print $NF }' | grep -E "$pattern" || true)
  [ -z "$found" ] || { echo "$board: $program contains $found"; exit 1; }
  timeout 60 qemu-system-arm -M "$board" -icount shift=0 -display none -monitor none -serial none \
    -semihosting-config enable=on,target=native -kernel "$folder/$program.elf" || { echo "$board: $program failed"; exit 1; }
}
# try BOARD NANOSECONDS FLAG..: of a tick of its clock
try() {
  board=$1 nanoseconds=$2
  shift 2
  cross size.cpp size.o "$@" -c
  needs=$(arm-none-eabi-nm -u "$folder/size.o" | awk '{ print $2 }' | grep -vxE 'memcpy|memset|memmove' || true)
  [ -z "$needs" ] || { echo "$board: a network alone needs $needs"; exit 1; }
  arm-none-eabi-size "$folder/size.o" | awk -v board="$board" -v weights=3136 'NR == 2 {
    print board ": " $1 - weights " bytes of code, " $3 " of memory"
    exit $1 - weights > 2048 || $3 > 1024 }' || { echo "that is more than 2048 or 1024"; exit 1; }

  cross size_int8.cpp size_int8.o "$@" -c
  needs=$(arm-none-eabi-nm -u "$folder/size_int8.o" | awk '{ print $2 }' | grep -vxE 'memcpy|memset|memmove' || true)
  [ -z "$needs" ] || { echo "$board: a network in 8 bits alone needs $needs"; exit 1; }
  constants=$(arm-none-eabi-nm -S -t d "$folder/size_int8.o" | awk '$4 == "controller_int8" { print $2 + 0 }')
  arm-none-eabi-size "$folder/size_int8.o" | awk -v board="$board" -v constants="$constants" 'NR == 2 {
    print board ": in 8 bits " $1 - constants " bytes of code, " constants " of constants, " $3 " of memory"
    exit $1 - constants > 2048 || $3 > 512 }' || { echo "that is more than 2048 or 512"; exit 1; }

  run use 'printf|malloc|^free|^_Z(n|d)[wal]|basic_string|^__cxa|abort|^__aeabi_(d|[a-z]*2d)' "$@"
  run use_int8 'printf|malloc|^free|^_Z(n|d)[wal]|basic_string|^__cxa|abort|^__aeabi_(d|[a-z]*2d)' "$@"
  run train 'printf|malloc|^free|^_Z(n|d)[wal]|basic_string|^__cxa|abort' "$@"
}
try mps2-an386 40 -mcpu=cortex-m4 -mfpu=fpv4-sp-d16
try mps2-an500 40 -mcpu=cortex-m7 -mfpu=fpv5-sp-d16
try mps3-an547 31 -mcpu=cortex-m55
[ -z "${SINTER_PLATFORMS:-}" ] || cat > "$SINTER_PLATFORMS/cortex_m" << END
Cortex-M4F, M7, M55, [\`inference.hpp\` and \`fixed_trainer.hpp\`](embedding.md#microcontrollers) | g++ @arm-none-eabi-g++@ | QEMU @qemu-system-arm@ | those of x86-64 with FMA
END
