#!/bin/sh
# SPDX-License-Identifier: MIT
# files.sh FOLDER MNIST DOCUMENT: writes the blocks of a document that follow <!-- file NAME --> to FOLDER, runs the one after
# <!-- run --> there, where `mnist` and `sinter` are what the document says, and compares the output with the block after
# <!-- prints -->: the same words, and numbers within 5 %.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1 mnist=$2 document=$root/$3
rm -rf "$folder"
mkdir -p "$folder"
ln -s "$mnist" "$folder/mnist"
ln -s "$root" "$folder/sinter"
awk -v folder="$folder" '
  /^```/ {
    inside = !inside
    if (inside && match(before, /^<!-- file [^ ]+ -->$/)) to = folder "/" substr(before, 11, length(before) - 14)
    else if (inside && before == "<!-- run -->") to = folder "/run"
    else if (inside && before == "<!-- prints -->") to = folder "/wanted"
    else to = ""
    before = ""
    next
  }
  inside && to != "" { print > to }
  { before = $0 }' "$document"
cd "$folder"
sh -eu ./run > printed
cat printed
awk '
  function form(line) { gsub(/[0-9]+/, "#", line); return line }
  FNR == NR { wanted[FNR] = $0; count = FNR; next }
  {
    same = form($0) == form(wanted[FNR])
    numbers = split($0, printed_words, " ")
    split(wanted[FNR], wanted_words, " ")
    for (i = 1; same && i <= numbers; ++i) {
      difference = printed_words[i] - wanted_words[i]
      if (difference < 0) difference = -difference
      if (difference > 0.05 * wanted_words[i]) same = 0
    }
    if (!same) { print "expected: " wanted[FNR]; wrong = 1 }
  }
  END { if (FNR != count) print count + 0 " lines were expected"; exit wrong || FNR != count }' wanted printed
