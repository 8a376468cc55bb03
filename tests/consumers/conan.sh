#!/bin/sh
# SPDX-License-Identifier: MIT
# conan.sh FOLDER: `conan create` with test_package, without any remote; compilers that are refused, and options. Without
# Conan: 77, which CTest reports as Skipped.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
PATH=$PATH:$root/build/venv/bin
if ! command -v conan > /dev/null; then
  echo "skipped: no conan found; ./setup --ci installs it into build/venv"
  exit 77
fi

folder=$1
rm -rf "$folder"
mkdir -p "$folder"
export CONAN_HOME="$folder/home"
conan profile detect
conan create "$root" --no-remote --conf tools.cmake.cmake_layout:test_folder="$folder/test_package"

cat > "$folder/platform" << END
[platform_requires]
nlohmann_json/3.11.2
openmpi/4.1.4
zlib/1.2.13
END
says() {  # says TEXT OPTION..: conan graph info
  text=$1
  shift
  conan graph info "$root" --no-remote --profile default --profile "$folder/platform" "$@" > "$folder/said" 2>&1 || true
  grep -qF "$text" "$folder/said" || { cat "$folder/said"; echo "wrong: expected $text"; exit 1; }
}
says 'sinter needs gcc >= 12 or clang >= 18, this profile has msvc 194;' -s os=Windows -s compiler=msvc -s compiler.version=194 \
  -s compiler.runtime=dynamic -s compiler.cppstd=20
says 'this profile has gcc 11;' -s compiler=gcc -s compiler.version=11
says 'homepage: http'
says 'nlohmann_json/3.11.2' -o '&:serve=True'
says 'openmpi/4.1.4' -o '&:mpi=True'
