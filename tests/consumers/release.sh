#!/bin/sh
# SPDX-License-Identifier: MIT
# release.sh FOLDER: a release of this tree, made twice from a tag: the same bytes, with the checksums that it says, and a
# bill of materials that lists them. Other tests use FOLDER/release.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
PATH=$root/build/venv/bin:$PATH
rm -rf "$1"
[ -e "$root/.git" ] || { echo "skipped: this is no clone"; exit 77; }
for tool in git python3 dpkg-source; do
  command -v $tool > /dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
mkdir -p "$1/tagged"
cd "$root"
git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'for file; do [ -e "$file" ] && printf "%s\0" "$file"; done' sh |
  tar --null -T - -cf - | tar -xf - -C "$1/tagged"
cd "$1/tagged"
version=$(sed -n 's/^#define SINTER_VERSION_[A-Z]* //p' include/sinter/version.hpp | paste -sd.)
git init -q
git add --all
git -c user.name=tests -c user.email=tests@example.org commit -q -m tagged
git tag "v$version"
git tag v99.0.0
release="python3 -B packaging/release.py"
$release "v$version" "$1/release"
(umask 077 && TZ=Asia/Tokyo $release "v$version" "$1/again")
diff -r "$1/release" "$1/again"
rm -rf "$1/again"

refused() {  # refused TEXT TAG FOLDER
  if $release "$2" "$3" > "$3.said" 2>&1 || ! grep -qF "$1" "$3.said"; then cat "$3.said"; echo "wrong: expected $1"; exit 1; fi
}
refused "there is no tag v0.0.1; expected a tag" v0.0.1 "$1/none"
refused "the tag is v99.0.0, and include/sinter/version.hpp there says $version" v99.0.0 "$1/none"
[ ! -e "$1/none" ]
refused "release exists already; expected a folder to be made" "v$version" "$1/release"

cd "$1/release"
sha256sum --check --strict SHA256SUMS
python3 - "sinter-$version.spdx.json" << 'END'
import hashlib, json, pathlib, sys
bill = json.loads(pathlib.Path(sys.argv[1]).read_text())
listed = {file["fileName"]: {sum["algorithm"]: sum["checksumValue"] for sum in file["checksums"]} for file in bill["files"]}
there = {f"./{file.name}": {name.upper(): hashlib.new(name, file.read_bytes()).hexdigest() for name in ("sha1", "sha256")}
         for file in pathlib.Path().iterdir() if file.name not in ("SHA256SUMS", sys.argv[1])}
assert listed == there, (listed, there)
END
if [ -n "${SINTER_CI:-}" ] || command -v pyspdxtools > /dev/null; then
  pyspdxtools --infile "sinter-$version.spdx.json"
fi
