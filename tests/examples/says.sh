#!/bin/sh
# SPDX-License-Identifier: MIT
# says.sh SAYS DRAWS PROGRAM [ARGUMENT..]: runs an example in a new folder; it must end well, print lines that the regular
# expressions SAYS match (separated by |), and where DRAWS names words, write an SVG file that has each of them as a text.
set -eu
says=$1 draws=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
[ -z "$draws" ] || set -- "$@" --svg chart.svg
"$@" > out.txt || { cat out.txt; echo "ended with $?"; exit 1; }
cat out.txt

wrong=0
each() { printf '%s\n' "$1" | tr '|' '\n'; }
each "$says" > says.txt
while IFS= read -r line; do
  grep -Eq -- "$line" out.txt || { echo "not printed: $line"; wrong=1; }
done < says.txt
[ -n "$draws" ] || exit $wrong

each "$draws" > draws.txt
while IFS= read -r words; do
  grep -Fq -- ">$words</text>" chart.svg || { echo "not in the chart: $words"; wrong=1; }
done < draws.txt
head -c 4 chart.svg | grep -q '<svg' && tail -n 1 chart.svg | grep -q '</svg>' || { echo "no whole SVG file"; wrong=1; }
if grep -Eq 'nan|inf|-?[0-9]{6,}\.[0-9]' chart.svg; then echo "a number off the chart"; wrong=1; fi
if command -v python3 > /dev/null; then python3 -c 'import xml.dom.minidom as x; x.parse("chart.svg")' || wrong=1; fi
exit $wrong
