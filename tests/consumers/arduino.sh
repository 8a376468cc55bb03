#!/bin/sh
# SPDX-License-Identifier: MIT
# arduino.sh FOLDER RELEASE: the Arduino library of a release: its properties, and its example, compiled as Arduino's builder
# does, run here, and compiled for a Cortex-M4 where there is a compiler for it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 > /dev/null || { echo "skipped: there is no python3"; exit 77; }
[ -e "$2/SHA256SUMS" ] || { echo "skipped: there is no release"; exit 77; }
rm -rf "$1"
mkdir -p "$1"
python3 -m zipfile -e "$2"/sinter-*-arduino.zip "$1"
library=$1/sinter

# https://arduino.github.io/arduino-cli/latest/library-specification
python3 - "$library" << 'END'
import pathlib, re, sys
library = pathlib.Path(sys.argv[1])
said = dict(line.split("=", 1) for line in (library / "library.properties").read_text().splitlines())
wanted = {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures", "includes"}
assert set(said) == wanted and all(said.values()), said
assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_ .-]{0,62}", said["name"]) and re.fullmatch(r"\d+\.\d+\.\d+", said["version"])
assert said["category"] in ("Display", "Communication", "Signal Input/Output", "Sensors", "Device Control", "Timing",
                            "Data Storage", "Data Processing", "Other")
assert (library / "src" / said["includes"]).is_file() and said["url"].startswith("https://")
for sketch in (library / "examples").iterdir():
    assert (sketch / f"{sketch.name}.ino").is_file()
END

for sketch in "$library"/examples/*/*.ino; do
  compile() {  # compile COMPILER FLAG..
    compiler=$1
    shift
    "$compiler" -x c++ -std=gnu++20 -O1 -Wall -Wextra -Werror -I "$here/arduino" -include Arduino.h -I "$library/src" \
      "$sketch" "$@"
  }
  compile "${CXX:-g++}" -o "$1/sketch"
  "$1/sketch" | tee "$1/printed"
  if command -v arm-none-eabi-g++ > /dev/null; then
    compile arm-none-eabi-g++ -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard -mthumb -fno-exceptions -fno-rtti \
      -fsyntax-only
  fi
done
printf '0\n1\n1\n0\n' | diff - "$1/printed"
