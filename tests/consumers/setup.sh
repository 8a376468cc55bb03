#!/bin/sh
# SPDX-License-Identifier: MIT
# setup.sh FOLDER: ./setup installs what lacks, waits for others that use apt, and says what apt says where it fails. Its
# apt-get is one of this test, and one tool is hidden from it.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder/bin"
PATH=$(printf %s "$PATH" | sed 's|[^:]*/ccache:||g')  # whose g++ looks for another one
for tool in g++ cmake env sh sed sort tr dirname chmod; do ln -s "$(command -v $tool)" "$folder/bin/$tool"; done
echo 'echo 0' > "$folder/bin/id"
# shellcheck disable=SC2016
echo 'echo "$@" >> "$FOLDER/slept"' > "$folder/bin/sleep"
cat > "$folder/bin/apt-get" << 'END'
echo "$@" >> "$FOLDER/asked"
for word; do case $word in update | install) step=$word ;; esac; done
left=0
read -r left < "$FOLDER/$step" || true
[ "$left" != broken ] || { echo "E: no space left"; exit 100; }
if [ "$left" -gt 0 ]; then
  echo $((left - 1)) > "$FOLDER/$step"
  echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"
  exit 100
fi
[ $step = update ] || { echo > "$FOLDER/bin/ninja"; chmod +x "$FOLDER/bin/ninja"; }
END
for tool in id sleep apt-get; do sed -i "1i#!/bin/sh" "$folder/bin/$tool" && chmod +x "$folder/bin/$tool"; done

run() {  # run STATUS UPDATE INSTALL: how often each of the two finds a lock
  rm -f "$folder/bin/ninja" "$folder/asked" "$folder/slept"
  echo "$2" > "$folder/update"
  echo "$3" > "$folder/install"
  status=0
  FOLDER=$folder PATH="$folder/bin" "$root/setup" > "$folder/said" 2>&1 || status=$?
  [ $status = "$1" ] || { cat "$folder/said"; echo "wrong: ended with $status, expected $1"; exit 1; }
}
says() { grep -qF -- "$1" "$folder/${2-said}" || { cat "$folder/${2-said}"; echo "wrong: expected $1"; exit 1; }; }

run 0 0 0
says "setup: installing ninja-build"
says "DPkg::Lock::Timeout=600 install -y --no-install-recommends ninja-build" asked
if grep -q clang "$folder/asked"; then echo "wrong: it wanted a clang that there is not"; exit 1; fi
if [ -e "$folder/slept" ] || grep -q waiting "$folder/said"; then echo "wrong: it waited"; exit 1; fi
run 0 2 1
says "setup: waiting until nobody else uses apt"
counts=$(grep -c . "$folder/slept"),$(grep -c waiting "$folder/said")
[ "$counts" = 3,1 ] || { cat "$folder/said"; echo "wrong: it waited $counts times, expected 3, and said so once"; exit 1; }
printf '#!/bin/sh\n[ "$2" = clang-19 ]\n' > "$folder/bin/apt-cache"
chmod +x "$folder/bin/apt-cache"
run 0 0 0
says "install -y --no-install-recommends ninja-build clang-19 libclang-rt-19-dev" asked
run 1 1000 0
says "It is held by process 7"
says "setup: apt-get update failed"
run 1 0 broken
says "E: no space left"
says "setup: apt-get install failed"
