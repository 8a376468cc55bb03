#!/bin/sh
# SPDX-License-Identifier: MIT
# meson_wrap.sh FOLDER RELEASE: sinter as a subproject of Meson, by the wrap file of a release and its source archive.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:$here/../../build/venv/bin
for tool in meson ninja; do
  command -v $tool > /dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
[ -e "$2/SHA256SUMS" ] || { echo "skipped: there is no release"; exit 77; }
rm -rf "$1"
mkdir -p "$1/subprojects/packagecache" "$1/pch"
printf '#include <sinter/io.hpp>\n#include <sinter/sinter.hpp>\n' > "$1/pch/headers.hpp"
cp "$here/meson_wrap/meson.build" "$here/main.cpp" "$1"
cp "$2/sinter.wrap" "$1/subprojects"
cp "$2/$(sed -n 's/^source_filename = //p' "$2/sinter.wrap")" "$1/subprojects/packagecache"  # where Meson looks before it downloads
meson setup --fatal-meson-warnings "$1/build" "$1"
ninja -C "$1/build"
"$1/build/consumer"
