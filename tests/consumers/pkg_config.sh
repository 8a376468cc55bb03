#!/bin/sh
# SPDX-License-Identifier: MIT
# pkg_config.sh FOLDER PREFIX: flags from the file for pkg-config, also after the installed tree was moved.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v pkg-config > /dev/null || { echo "skipped: there is no pkg-config"; exit 77; }
rm -rf "$1"
mkdir -p "$1/moved tree"
cp -R "$2/include" "$2/share" "$1/moved tree"
export PKG_CONFIG_PATH="$1/moved tree/share/pkgconfig"
pkg-config --exact-version="$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")$/\1/p' "$2/share/cmake/sinter/sinter-config-version.cmake")" sinter
eval "${CXX:-g++}" -std=c++20 '"$here/main.cpp"' -o '"$1/consumer"' "$(pkg-config --cflags --libs sinter)"
"$1/consumer"
