#!/bin/sh
# SPDX-License-Identifier: MIT
# python.sh "MODULE.." SCRIPT [ARGUMENT..]: runs a script by the first Python that has these modules: SINTER_PYTHON, that of
# build/venv, SINTER_SERVE_PYTHON, that of build/venv_serve, or python3. Without one: 77, which CTest reports as Skipped.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
modules=$1
shift
for python in "${SINTER_PYTHON-}" "$root/build/venv/bin/python3" "${SINTER_SERVE_PYTHON-}" "$root/build/venv_serve/bin/python3" python3; do
  [ -n "$python" ] && command -v "$python" > /dev/null || continue
  "$python" -c "import $(echo "$modules" | tr ' ' ',')" 2> /dev/null || continue
  exec "$python" "$@"
done
echo "skipped: no Python with $modules found; ./setup --ci installs them into build"
exit 77
