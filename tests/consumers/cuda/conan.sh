#!/bin/sh
# SPDX-License-Identifier: MIT
# conan.sh HOME FOLDER [option of CMake..]: builds a .cu file with the package that ../conan.sh left in HOME, for C++20.
set -eu
home=$1 folder=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:$here/../../../build/venv/bin
if ! command -v conan > /dev/null; then
  echo "skipped: no conan found; ./setup --ci installs it into build/venv"
  exit 77
fi

rm -rf "$folder"
export CONAN_HOME="$home"
conan install --requires='sinter/[*]' --no-remote -s compiler.cppstd=20 --generator CMakeToolchain --output-folder "$folder"
cmake -S "$here/conan" -B "$folder" -D CMAKE_TOOLCHAIN_FILE="$folder/conan_toolchain.cmake" -D CMAKE_BUILD_TYPE=Release "$@"
cmake --build "$folder"
"$here/../../headers/needs.sh" "$folder/consumer"
