#!/bin/sh
# SPDX-License-Identifier: MIT
# csharp.sh FOLDER LIBRARY: trains by P/Invoke with libnets.so in the folder LIBRARY; 77 without Mono.
set -eu
folder=$1 library=$2
here=$(cd "$(dirname "$0")" && pwd)
for tool in mcs mono; do command -v $tool > /dev/null || { echo "no $tool"; exit 77; }; done
mkdir -p "$folder"
mcs -warnaserror -out:"$folder/train.exe" "$here/trainable_library/Train.cs"
said=$(LD_LIBRARY_PATH="$library" mono "$folder/train.exe")
echo "$said"
[ "$said" = "C#: trained" ]
