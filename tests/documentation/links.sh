#!/bin/sh
# SPDX-License-Identifier: MIT
# links.sh DOCUMENT..: every link of these documents to a file leads to one, and to a heading where it names one, as GitHub
# makes anchors of headings. Prints those that do not. Web addresses are not visited. Exits 1 if one is broken.
awk '
  function directory(file) { return match(file, /.*\//) ? substr(file, 1, RLENGTH) : "" }
  function there(path) { return system("test -e \"" path "\"") == 0 }
  function read_anchors(file,   line, code, text, k) {
    if (file in read) return
    read[file] = 1
    while ((getline line < file) > 0) {
      if (line ~ /^```/) code = !code
      if (code || line !~ /^#+ /) continue
      sub(/^#+ +/, "", line)
      text = tolower(line)
      gsub(/\]\([^)]*\)/, "", text)
      gsub(/[^a-z0-9 _-]/, "", text)
      gsub(/ /, "-", text)
      k = count[file, text]++
      anchors[file, k ? text "-" k : text] = 1
    }
    close(file)
  }
  function check(link,   path, anchor) {
    if (link ~ /^[a-z]+:/) return
    checked++
    anchor = index(link, "#") ? substr(link, index(link, "#") + 1) : ""
    sub(/#.*/, "", link)
    path = link == "" ? FILENAME : directory(FILENAME) link
    if (!there(path)) print FILENAME ":" FNR ": no such file: " link
    else if (anchor != "") {
      read_anchors(path)
      if ((path, anchor) in anchors) return
      print FILENAME ":" FNR ": no heading #" anchor " in " path
    } else return
    broken = 1
  }
  FNR == 1 { code = 0 }
  /^```/ { code = !code }
  code { next }
  {
    line = $0
    gsub(/`[^`]*`/, "", line)
    while (match(line, /\]\([^) ]*\)/)) {
      link = substr(line, RSTART + 2, RLENGTH - 3)
      line = substr(line, RSTART + RLENGTH)
      check(link)
    }
  }
  END {
    print checked + 0 " links looked at"
    exit broken || !checked
  }' "$@"
