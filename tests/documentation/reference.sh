#!/bin/sh
# SPDX-License-Identifier: MIT
# reference.sh DOXYGEN FOLDER [DOXYFILE]: makes the API reference in FOLDER/html. Every warning is an error, but that a member
# of a class has no comment of its own, or a specialisation or a deduction guide: what the class or template says is enough.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$2"
{ cat "${3:-Doxyfile}"; echo "OUTPUT_DIRECTORY = \"$2\""; } | "$1" - > "$2/warnings.txt" 2>&1 || { cat "$2/warnings.txt"; exit 1; }
if grep -vE '^$|Member (.* of (class|struct|union) .*|.* -> .*|[a-z_]+<.*) is not documented\.$' "$2/warnings.txt" | sort -u | grep .; then exit 1; fi
[ -s "$2/html/index.html" ] || { echo "no pages were made in $2/html"; exit 1; }
