#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh PROGRAM: runs what another test built, or was Skipped instead of building.
[ -x "$1" ] || { echo "skipped: $1 was not built"; exit 77; }
exec "$1"
