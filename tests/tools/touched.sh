#!/bin/sh
# SPDX-License-Identifier: MIT
# touched.sh FOLDER: the stages that .ci/touched names for paths, for commits, and runs; that its mapping names stages that
# there are, and paths that there are.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
rm -rf "$folder"
mkdir -p "$folder/.ci"
touched=$root/.ci/touched

expect() {  # WHAT WANTED GIVEN
  [ "$2" = "$3" ] || { printf '%s: expected "%s", not "%s"\n' "$1" "$2" "$3"; exit 1; }
}
stages() { printf '%s\n' "$@" | "$touched" --paths | tr '\n' ' '; }
expect "a kernel for a GPU" "cuda nvcc ptx simulated " "$(stages include/sinter/kernels/gpu/anything.cuh)"
expect "a large test" "large/loss " "$(stages tests/loss/pytorch.cpp)"
expect "two folders" "large/io large/loss " "$(stages tests/io/a.cpp tests/loss/b.cpp)"
expect "a converter" "converters " "$(stages tools/from_onnx.py)"
expect "a page" "documentation " "$(stages docs/serving.md)"
expect "a stage and a folder of it" "large " "$(stages tests/loss/a.cpp tests/support/a.hpp)"
expect "what .ci/run tests whole" "" "$(stages LICENSE CHANGELOG.md)"

# Each header and each part of a converter is in the mapping, and each line of it finds a file.
(cd "$root" && find . -path ./build -prune -o -path ./.git -prune -o -type f -print | sed 's|^\./||') > "$folder/paths"
"$touched" --mapping | awk '{ print $1 }' > "$folder/expressions"
expect "headers without a stage" include/sinter/version.hpp "$(grep ^include/ "$folder/paths" | grep -vEf "$folder/expressions")"
expect "tools without a stage" "" "$(grep '^tools/.*[.]py' "$folder/paths" | grep -vEf "$folder/expressions")"
while read -r expression; do
  grep -qE "$expression" "$folder/paths" || echo "$expression"
done < "$folder/expressions" > "$folder/stale"
expect "lines of the mapping that find no file" "" "$(cat "$folder/stale")"
sed -nE 's/^#   ([a-z0-9-]+) .*/\1/p' "$root/.ci/nightly" > "$folder/known"
"$touched" --mapping | awk '{ for (k = 2; k <= NF; ++k) { sub(/\/.*/, "", $k); print $k } }' | sort -u | grep -vxFf "$folder/known" > "$folder/unknown" || true
expect "stages that .ci/nightly has not" "" "$(cat "$folder/unknown")"

# In a repository: what changed since the commit before, since another one, and what is not committed; and --run.
cp "$touched" "$folder/.ci/touched"
printf '#!/bin/sh\necho ran "$@"\n' > "$folder/.ci/nightly"
chmod +x "$folder/.ci/nightly"
cd "$folder"
commit() { git add -A . && git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm "$1"; }
git init -q .
commit first
mkdir -p docs serve
touch docs/page.md && commit second
expect "since the commit before" documentation "$(.ci/touched)"
touch serve/main.cpp && commit third
git update-ref refs/remotes/origin/main HEAD~2
expect "since origin/main" "documentation fuzz packages serve tsan/serve" "$(.ci/touched | tr '\n' ' ' | sed 's/ $//')"
expect "since another commit" "ran fuzz packages serve tsan/serve" "$(.ci/touched --run HEAD~1)"
git update-ref refs/remotes/origin/main HEAD
expect "on origin/main" "fuzz packages serve tsan/serve" "$(.ci/touched | tr '\n' ' ' | sed 's/ $//')"
touch LICENSE && commit fourth
git update-ref refs/remotes/origin/main HEAD
expect "nothing" "" "$(.ci/touched)"
expect "nothing to run" "nothing that .ci/nightly has more tests for" "$(.ci/touched --run)"
mkdir -p tools && touch tools/onnx_new.py
expect "not committed" converters "$(.ci/touched)"
if said=$(.ci/touched nonsense 2>&1); then echo "accepted: nonsense"; exit 1; fi
expect "no commit" 'touched: "nonsense" was given; expected a commit' "$said"
