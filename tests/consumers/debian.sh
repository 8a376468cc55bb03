#!/bin/sh
# SPDX-License-Identifier: MIT
# debian.sh FOLDER RELEASE: Debian's source package of a release, built and found good by lintian; what is installed is found by
# CMake and pkg-config.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
for tool in dpkg-buildpackage dh lintian pkg-config; do
  command -v $tool > /dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
[ -e "$2/SHA256SUMS" ] || { echo "skipped: there is no release"; exit 77; }
rm -rf "$1"
mkdir -p "$1"
cd "$1"
dpkg-source --extract "$2"/sinter_*.dsc source
cp "$2"/sinter_*.orig.tar.gz "$2"/sinter_*.debian.tar.xz .
(cd source && dpkg-buildpackage --no-sign > ../build.log 2>&1) || { cat build.log; exit 1; }
lintian --allow-root --fail-on error,warning sinter_*.changes

dpkg-deb --extract libsinter-dev_*_all.deb extracted
PKG_CONFIG_SYSROOT_DIR=$1/extracted PKG_CONFIG_PATH=$1/extracted/usr/share/pkgconfig pkg-config --cflags sinter
cmake -S "$here/find_package" -B consumer -D CMAKE_CXX_COMPILER="${CXX:-g++}" -D CMAKE_PREFIX_PATH="$1/extracted/usr"
cmake --build consumer
consumer/consumer
