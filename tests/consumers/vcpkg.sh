#!/bin/sh
# SPDX-License-Identifier: MIT
# vcpkg.sh FOLDER RELEASE: the overlay port of a release, by CMake. vcpkg itself is not needed: the functions of the port are
# here as its documentation describes them, without a network.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$2/SHA256SUMS" ] || { echo "skipped: there is no release"; exit 77; }
rm -rf "$1"
mkdir -p "$1/ports"
tar -xf "$2"/sinter-*-vcpkg.tar.gz -C "$1/ports"
port=$1/ports/sinter

# https://learn.microsoft.com/vcpkg/reference/vcpkg-json: what a port must have, and no field that does not exist
python3 - "$port/vcpkg.json" << 'END'
import json, re, sys
port = json.load(open(sys.argv[1]))
known = {"name", "version-semver", "description", "homepage", "license", "supports", "dependencies"}
assert set(port) == known, set(port) ^ known
assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", port["name"]) and re.fullmatch(r"\d+\.\d+\.\d+", port["version-semver"])
assert all(set(part) == {"name", "host"} and part["host"] is True for part in port["dependencies"])
END

packages=$1/installed
cmake -D PORT=sinter -D CURRENT_PORT_DIR="$port" -D CURRENT_BUILDTREES_DIR="$1/buildtrees" -D CURRENT_PACKAGES_DIR="$packages" \
  -D RELEASE="$2" -D COMPILER="${CXX:-g++}" -P "$here/vcpkg/run_port.cmake"

# What vcpkg's checks after the build want: https://learn.microsoft.com/vcpkg/maintainers/handbook
for file in copyright usage sinter-config.cmake; do
  [ -e "$packages/share/sinter/$file" ] || { echo "wrong: there is no share/sinter/$file"; exit 1; }
done
for none in debug share/cmake lib; do
  [ ! -e "$packages/$none" ] || { echo "wrong: there is $none"; exit 1; }
done
[ -z "$(find "$packages" -type d -empty)" ] || { echo "wrong: there are empty folders"; exit 1; }
if grep -rl "$1" "$packages"; then echo "wrong: these name folders of the build"; exit 1; fi

cmake -S "$here/find_package" -B "$1/consumer" -D CMAKE_CXX_COMPILER="${CXX:-g++}" -D CMAKE_PREFIX_PATH="$packages"
cmake --build "$1/consumer"
"$1/consumer/consumer"
