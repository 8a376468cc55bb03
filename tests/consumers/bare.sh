#!/bin/sh
# SPDX-License-Identifier: MIT
# bare.sh FOLDER: no build system at all.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
"${CXX:-g++}" -std=c++20 -I "$root/include" -pthread "$root/tests/consumers/main.cpp" -o "$1/consumer"
"$1/consumer"
