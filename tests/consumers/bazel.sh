#!/bin/sh
# SPDX-License-Identifier: MIT
# bazel.sh FOLDER PREFIX DATA: the C library by Bazel, if it is there. sinter is installed to PREFIX; the weights and rows are
# in DATA.
set -eu
folder=$1 prefix=$2 data=$3
here=$(cd "$(dirname "$0")" && pwd)
command -v bazel > /dev/null || { echo "skipped: there is no bazel"; exit 77; }
if [ -d "$folder" ]; then chmod -R u+w "$folder"; fi  # Bazel makes what it wrote read-only
rm -rf "$folder"
mkdir -p "$folder/workspace"
cp "$here/bazel/BUILD" "$here/model_library/digits.cpp" "$here/model_library/digits.hpp" "$folder/workspace"
cat > "$folder/workspace/WORKSPACE" << END
new_local_repository(
    name = "sinter",
    build_file_content = """
exports_files(["share/sinter/model_library"])
filegroup(name = "headers", srcs = glob(["include/sinter/**"]), visibility = ["//visibility:public"])
""",
    path = "$prefix",
)
END
cd "$folder/workspace"
bazel --batch --output_user_root="$folder/cache" build --action_env=CXX="${CXX:-g++}" --action_env=CXXFLAGS=-O1 //:digits
cp bazel-bin/libdigits.so bazel-bin/digits.h "$folder"
bazel --batch --output_user_root="$folder/cache" query 'deps(//:digits)' | grep -q include/sinter/library.hpp ||
  { echo "the library does not depend on sinter's headers: Bazel would not build it again after an upgrade"; exit 1; }
cc -O2 -I "$folder" "$here/model_library/main.c" -o "$folder/consumer" -L "$folder" -Wl,-rpath,'$ORIGIN' -ldigits -lm
"$here/model_library/run.sh" "$folder" "$data"
