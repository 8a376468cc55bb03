#!/bin/sh
# SPDX-License-Identifier: MIT
# native_targets.sh FOLDER STAGE: sinter::native in targets of several kinds, from the package in STAGE and from a copy; a library
# that is installed and found; and header-only, if that is asked for.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$1 stage=$2
rm -rf "$folder"
mkdir -p "$folder"
build() {  # SOURCE BUILD OPTION..
  source=$1 build=$2
  shift 2
  cmake -S "$source" -B "$folder/$build" -G Ninja "$@"
  cmake --build "$folder/$build"
}

build "$here/native_targets" package -D CMAKE_PREFIX_PATH="$stage" -D CMAKE_BUILD_TYPE=Release
build "$here/native_targets" copy -D SINTER_FOLDER="$here/../.." -D CMAKE_BUILD_TYPE=Debug
for program in package/first package/second package/flags copy/first copy/second copy/flags; do "$folder/$program"; done
[ ! -e "$folder/package/CMakeFiles/second.dir/cmake_pch.hxx.gch" ] || { echo "wrong: second has a precompiled header of its own"; exit 1; }

cmake --install "$folder/package" --prefix "$folder/prefix"
build "$here/native_targets/user" user -D CMAKE_PREFIX_PATH="$stage;$folder/prefix"
"$folder/user/user"

build "$here/native" header_only -D CMAKE_PREFIX_PATH="$stage" -D SINTER_HEADER_ONLY=ON -D CMAKE_CXX_FLAGS="-UEXPECT_NATIVE -DEXPECT_HEADER_ONLY"
"$folder/header_only/consumer"
