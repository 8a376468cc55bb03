#!/bin/sh
# SPDX-License-Identifier: MIT
# meson.sh FOLDER PREFIX: the headers, and the C library, by Meson, if it is there. sinter is installed to PREFIX.
set -eu
folder=$1 prefix=$2
here=$(cd "$(dirname "$0")" && pwd)
PATH=$here/../../build/venv/bin:$PATH
command -v meson > /dev/null && command -v ninja > /dev/null || { echo "skipped: there is no meson, or no ninja"; exit 77; }
rm -rf "$folder"
meson setup "$folder" "$here/meson" -Dsinter="$prefix"
ninja -C "$folder"
"$here/model_library/run.sh" "$folder"
