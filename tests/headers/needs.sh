#!/bin/sh
# SPDX-License-Identifier: MIT
# needs.sh PROGRAM: of the libraries of CUDA, a program with sinter needs cudart at most (by default that is in it).
set -eu
needed=$(readelf --dynamic "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
others=$(echo "$needed" | grep -vE '^(lib(cudart|c|m|stdc\+\+|gcc_s|pthread|rt|dl)|ld-linux.*)\.so' || true)
if [ -z "$needed" ] || [ -n "$others" ]; then
  echo "$1 needs, and should not: ${others:-nothing at all?}"
  exit 1
fi
echo "$1 needs $(echo "$needed" | tr '\n' ' ')"
