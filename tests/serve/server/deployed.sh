#!/bin/sh
# SPDX-License-Identifier: MIT
# deployed.sh SERVER FOLDER [BUILD]: the unit of systemd is right, where there is systemd; what serve/Containerfile copies is enough for
# what it runs: the first step is run here in other folders. With BUILD the program is built too.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
server=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
if command -v systemd-analyze > /dev/null; then
  sed "s|/usr/local/bin/sinter-serve|$server|" "$root/serve/sinter-serve.service" > "$folder/sinter-serve.service"
  if systemd-analyze verify --man=no "$folder/sinter-serve.service" 2>&1 | grep 'sinter-serve\.service'; then exit 1; fi
fi

grep '^COPY [^-]' "$root/serve/Containerfile" | while read -r _ files; do
  to=$folder${files##* }
  mkdir -p "$(dirname "$to/.")"
  for file in ${files% *}; do
    if [ -d "$root/$file" ]; then cp -R "$root/$file/." "$to"; else cp "$root/$file" "$to"; fi
  done
done
command=$(sed -n '/^RUN cmake -S/,/[^\\]$/p' "$root/serve/Containerfile" | sed 's/^RUN //; s/\\$//' | tr '\n' ' ' |
  sed "s|-S /sinter -B /build|-S $folder/sinter -B $folder/build|")
echo "$command"
eval "$command"
grep -q 'sinter_serve' "$folder/build/build.ninja"
if [ "${3-}" = BUILD ]; then
  cmake --build "$folder/build" --target sinter_serve
  "$folder/build/serve/sinter-serve" --help | grep -q -- --grpc
fi
