#!/bin/sh
# SPDX-License-Identifier: MIT
# meson.sh FOLDER PREFIX DATA: the headers, and the C library, by Meson, if it is there. sinter is installed to PREFIX; the
# weights and rows are in DATA.
set -eu
folder=$1 prefix=$2 data=$3
here=$(cd "$(dirname "$0")" && pwd)
PATH=$here/../../build/venv/bin:$PATH
if ! command -v meson > /dev/null || ! command -v ninja > /dev/null; then
  echo "skipped: there is no meson, or no ninja"
  exit 77
fi
rm -rf "$folder"
meson setup "$folder" "$here/meson" -Dsinter="$prefix"
ninja -C "$folder"
"$folder/headers"
"$here/model_library/run.sh" "$folder" "$data"
