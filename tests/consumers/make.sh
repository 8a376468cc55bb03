#!/bin/sh
# SPDX-License-Identifier: MIT
# make.sh FOLDER PREFIX DATA: the C library by a Makefile, for all instruction sets and by one command for one; and what
# model_library refuses. sinter is installed to PREFIX; the weights and rows are in DATA.
set -eu
folder=$1 prefix=$2 data=$3
here=$(cd "$(dirname "$0")" && pwd)
cxx=${CXX:-g++}
command -v make > /dev/null || { echo "skipped: there is no make"; exit 77; }
rm -rf "$folder"
mkdir -p "$folder/one"
export CXXFLAGS=-O1  # at -O3 CMake and Meson compile it
make -C "$here/make" BUILD="$folder" SINTER="$prefix" CXX="$cxx"
make -q -C "$here/make" BUILD="$folder" SINTER="$prefix" CXX="$cxx"  # nothing is left to do
"$here/model_library/run.sh" "$folder" "$data"

machine=native
if [ "$(uname -m)" = x86_64 ]; then machine=x86-64; fi
"$cxx" -std=c++20 -O1 -march=$machine -fPIC -shared -fvisibility=hidden -DSINTER_LIBRARY_NAME=digits -I "$prefix/include" \
  "$here/model_library/digits.cpp" -o "$folder/one/libdigits.so" -pthread
cp "$folder/consumer" "$folder/x" "$folder/pixels" "$folder/y" "$folder"/*.safetensors "$folder/one"
"$folder/one/consumer" "$folder/one"

# Networks that train.
CXX=$cxx "$prefix/share/sinter/model_library" nets "$here/trainable_library/nets.cpp" "$folder/nets"
cc -std=c99 -I "$folder/nets" "$here/trainable_library/main.c" -o "$folder/nets/consumer" -L "$folder/nets" -Wl,-rpath,"$folder/nets" -lnets -lm
said=$("$folder/nets/consumer")
[ "$said" = trained ] || { echo "$said"; exit 1; }
[ -r "$folder/nets/nets.f90" ]

# refused WORDS ARGUMENT..: fails with these words, and leaves nothing.
refused() {
  words=$1
  shift
  mkdir "$folder/refused"
  if said=$(cd "$folder/refused" && CXX=$cxx "$prefix/share/sinter/model_library" "$@" 2>&1); then exit 1; fi
  case $said in *"$words"*) ;; *) echo "expected: $words, said: $said"; exit 1 ;; esac
  rmdir "$folder/refused"
}
refused "1 arguments were given" digits
refused 'the name "7up" was given' 7up "$here/model_library/digits.cpp"
refused 'cannot read the source "none.cpp"' digits none.cpp
echo 'int broken(' > "$folder/broken.cpp"
refused "error" digits "$folder/broken.cpp"
