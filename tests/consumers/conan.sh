#!/bin/sh
# SPDX-License-Identifier: MIT
# conan.sh FOLDER: `conan create` with test_package, without any remote. Without Conan: 77, which CTest reports as Skipped.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$PATH:$root/build/venv/bin
if ! command -v conan > /dev/null; then
  echo "skipped: no conan found; ./setup --ci installs it into build/venv"
  exit 77
fi

rm -rf "$1"
mkdir -p "$1"
export CONAN_HOME="$1/home"
conan profile detect
conan create "$root" --no-remote --conf tools.cmake.cmake_layout:test_folder="$1/test_package"
