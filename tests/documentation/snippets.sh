#!/bin/sh
# SPDX-License-Identifier: MIT
# snippets.sh FOLDER MNIST DOCUMENT..: compiles and runs every ```cpp block of the documents, paths inside the repository.
# What a block is, a comment in the line before it says:
#
#   (nothing)                        statements; those of one `## section` share a function, all see `digits`
#   <!-- declarations -->            for the scope of the file
#   <!-- program -->                 a whole program, compiled and run by itself
#   <!-- program with FILE [REGION] -->   the same, and the text of that region is part of it
#   <!-- using FILE [REGION] -->     statements, below the text of that region
#   <!-- from FILE [REGION] -->      the same text as FILE between `// [REGION]` and `// [/REGION]`; alone it is not
#                                    compiled here, as in `<!-- declarations from FILE [REGION] -->` it is
#
# A block of text after <!-- prints --> is what the program before it prints, numbers within 5 %.
#
# All but the programs are one translation unit, which parses sinter once: documents see the declarations of those before
# them. Programs run in FOLDER, where `mnist` is the folder MNIST. What README says that its program prints is what it prints.
set -eu
cd "$(dirname "$0")/../.."
root=$PWD folder=$1 mnist=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
ln -s "$mnist" "$folder/mnist"

awk -v root="$root" -v folder="$folder" '
  function broken(what) {
    printf "%s:%d: %s\n", document, FNR, what
    failed = 1
  }
  function put(file, text) { printf "#line %d \"%s\"\n%s", start, root "/" document, text > (folder "/" file) }
  function region_of(file, name,   line, text, inside, found) {
    while ((getline line < (root "/" file)) > 0) {
      if (line == "// [/" name "]") inside = 0
      if (inside) text = text line "\n"
      if (line == "// [" name "]") inside = found = 1
    }
    close(root "/" file)
    if (!found) broken(file " has no region [" name "]")
    return text
  }
  function declare(text) {
    if (!declared[text]++) put("declarations.inc", text)
  }
  function finish_block(   part, name, text) {
    if (match(kind, /(from|with|using) [^ ]+ \[[^]]+\]/)) {
      split(substr(kind, RSTART, RLENGTH), part, " ")
      name = substr(part[3], 2, length(part[3]) - 2)
      text = region_of(part[2], name)
      if (kind ~ /^using/) {
        declare(text)
        kind = ""
      } else if (kind ~ /with/ ? !index(block, text) : block != text)
        broken("the block above differs from the region [" name "] of " part[2])
    }
    if (kind ~ /program/) put("program_" (last_program = ++programs) ".cpp", block)
    else if (kind ~ /declarations/) declare(block)
    else if (kind == "") {
      if (!((document, section) in seen)) {
        seen[document, section] = 1
        printf "%s\nvoid section_%d(const Mnist& digits) {\n(void)digits; {\n", sections++ ? "}}" : "", sections > (folder "/statements.inc")
        printf "section_%d(digits);\n", sections > (folder "/calls.inc")
      }
      put("statements.inc", block)
    } else if (kind !~ /^from /) broken("unknown kind of block: " kind)
  }
  function finish_document() {
    if (inside) broken("a block does not end")
    inside = other = 0
    section = before = ""
    last_program = 0
  }
  BEGIN { printf "" > (folder "/declarations.inc"); printf "" > (folder "/statements.inc"); printf "" > (folder "/calls.inc") }
  FNR == 1 { finish_document(); document = FILENAME }
  inside && /^```/ { finish_block(); inside = 0; before = ""; next }
  inside { block = block $0 "\n"; next }
  /^```cpp/ {
    inside = 1
    block = ""
    start = FNR + 1
    kind = before ~ /^<!-- .* -->$/ ? substr(before, 6, length(before) - 9) : ""
    next
  }
  /^```/ {
    other = !other
    wanted = other && before == "<!-- prints -->" && last_program ? folder "/program_" last_program ".wanted" : ""
    before = ""
    next
  }
  other { if (wanted != "") print > wanted; next }
  /^## / { section = $0 }
  { before = $0 }
  END {
    finish_document()
    if (!sections) { print "no blocks of C++ found"; exit 1 }
    print "}}" > (folder "/statements.inc")
    exit failed
  }' "$@"

cat > "$folder/all.cpp" << END
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sinter/fixed_trainer.hpp>
#include <sinter/function.hpp>
#include <sinter/int8.hpp>
#include <sinter/io.hpp>
#include <sinter/ranks.hpp>
#include <sinter/sinter.hpp>
#include <sinter/sweep.hpp>
#include <string>
#include <thread>
#include <vector>
using namespace sinter;
#include "declarations.inc"
#include "statements.inc"
int main() {
  [[maybe_unused]] const Mnist digits = read_mnist("mnist");
#include "calls.inc"
}
END
cd "$folder"
for source in program_*.cpp all.cpp; do
  [ -e "$source" ] || continue
  echo "== $source"
  "${CXX:-g++}" -std=c++20 -O1 -I "$root/include" -pthread -c "$source" -o "${source%.cpp}.o"
  "${CXX:-g++}" -pthread "${source%.cpp}.o" -o "${source%.cpp}"
  "./${source%.cpp}" > "${source%.cpp}.txt" || { cat "${source%.cpp}.txt"; exit 1; }
  cat "${source%.cpp}.txt"
  [ ! -e "${source%.cpp}.wanted" ] || awk '
    function form(line) { gsub(/-?[0-9][0-9.,]*/, "#", line); return line }
    function close_to(a, b,   i, n, m, x, y, d) {
      gsub(/[^-0-9. ]/, " ", a)
      gsub(/[^-0-9. ]/, " ", b)
      n = split(a, x, " ")
      m = split(b, y, " ")
      for (i = 1; i <= n; ++i) {
        d = x[i] - y[i]
        if (d * d > 0.0025 * y[i] * y[i] + 0.0004) return 0
      }
      return n == m
    }
    FNR == NR { printed[FNR] = $0; lines = FNR; next }
    form(printed[FNR]) != form($0) || !close_to(printed[FNR], $0) {
      print "the document says that the program prints\n  " $0 "\nand it prints\n  " printed[FNR]
      wrong = 1
    }
    END {
      if (lines != FNR) print "the document says that the program prints " FNR " lines, and it prints " lines + 0
      exit wrong || lines != FNR
    }' "${source%.cpp}.txt" "${source%.cpp}.wanted"
done

# Its lines by their first characters: the same words, and losses that are close, as it is compiled for another machine here.
# A time is in s or ms, as that machine takes it.
awk '/the program prints:$/ { found = 1 } found && /^```/ { ++fence; next } fence == 1 && $0 != ".."' "$root/README.md" > wanted.txt
awk '
  function form(line) { gsub(/[0-9][0-9.]*k?/, "#", line); sub(/# ms/, "# s", line); return line }
  function loss(line) { sub(/.*loss /, "", line); return line + 0 }
  FNR == NR { printed[substr($0, 1, 11)] = $0; next }
  {
    line = printed[substr($0, 1, 11)]
    difference = loss(line) - loss($0)
    if (form(line) == form($0) && difference < 0.02 && difference > -0.02) next
    print "README says that its program prints\n  " $0 "\nand it prints\n  " line
    wrong = 1
  }
  END { exit wrong || FNR < 4 }' program_1.txt wanted.txt
