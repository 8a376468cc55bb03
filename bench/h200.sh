#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# On a machine with an NVIDIA GPU: checks the numbers, measures, and prints tables. Three parts of under ten minutes each:
#     bench/h200.sh build              where nvcc and g++ are, also without a GPU: the programs, into build/h200
#     bench/h200.sh 1 [FOLDER]         numbers and sanitizers
#     bench/h200.sh 2 [FOLDER]         ceilings, times, and the cycles of each phase beside those that were counted
#     bench/h200.sh 3 [FOLDER]         PyTorch and JAX, where they are there, and the table of all
#     bench/h200.sh NAME.. [FOLDER]    single measurements of these parts, by the names in `parts` below
#     bench/h200.sh                    all of it
# FOLDER, build/h200_results at first, takes a log for each measurement and results.zip, which has all logs and is written
# again after each of them: what was measured when a command is cut off is there. Programs that are missing are built first.
# A measurement that fails does not stop the next; the last line says how many failed.
# SINTER_ARCH is the architecture that is compiled for (sm_90), SINTER_MARCH the host's (x86-64-v3).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
PATH=$PATH:/usr/local/cuda/bin
programs=$PWD/build/h200
arch=${SINTER_ARCH:-sm_90}
march=${SINTER_MARCH:-x86-64-v3}
failed=0

declare -A parts=(
  [1]="machine numbers devices thrust digits memcheck racecheck initcheck synccheck"
  [2]="machine ceilings times times_again phases"
  [3]="machine peers jax table")
declare -A limit=(
  [build]=600 [machine]=30 [numbers]=150 [devices]=40 [thrust]=40 [digits]=90 [memcheck]=60 [racecheck]=60 [initcheck]=60
  [synccheck]=60 [ceilings]=120 [times]=190 [times_again]=120 [phases]=120 [peers]=360 [jax]=160 [table]=20)

# All logs in one archive, which is whole at any time.
archive() {
  command -v python3 > /dev/null || return 0
  python3 - "$results" << 'PYTHON'
import os, pathlib, sys, zipfile
folder = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(folder / "results.new", "w", zipfile.ZIP_DEFLATED) as archive:
    for file in sorted(folder.iterdir()):
        if file.suffix in (".log", ".bin"):
            archive.write(file, file.name)
os.replace(folder / "results.new", folder / "results.zip")
PYTHON
}

# measure NAME: the function of that name, with its limit of time; its output also in a log.
measure() {
  local name=$1 start=$SECONDS code
  echo "== $name"
  timeout -k 5 "${limit[$name]}" bash -c "$name" 2>&1 | tee "$results/$name.log"
  code=${PIPESTATUS[0]}
  echo "-- $name: $((SECONDS - start)) s, exit $code" | tee -a "$results/$name.log"
  [ "$code" = 0 ] || failed=$((failed + 1))
  archive
}

machine() {
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv || true
  nvcc --version | tail -n 2
  g++ --version | head -n 1
  date -u +%F
  [ ! -f "$programs/commit" ] || echo "built from commit $(cat "$programs/commit")"
}

# Every source beside the others: nvcc takes one processor each. Where bits are compared no product is contracted into an
# addition unnoticed.
build() {
  local cuda flags=(-std=c++20 -O3 -arch="$arch" -Xcompiler "-march=$march,-static-libstdc++" -I include -I examples) jobs=()
  mkdir -p "$programs"
  git describe --always --dirty > "$programs/commit" 2> /dev/null || echo unknown > "$programs/commit"
  cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")/include
  [ -d "$cuda" ] || cuda=$(dirname "$cuda")/targets/x86_64-linux/include
  nvcc "${flags[@]}" bench/cuda/times.cu -o "$programs/times" & jobs+=($!)
  nvcc "${flags[@]}" bench/cuda/ceilings.cu -o "$programs/ceilings" & jobs+=($!)
  nvcc "${flags[@]}" bench/cuda/phases.cu -o "$programs/phases" & jobs+=($!)
  nvcc "${flags[@]}" -fmad=false -Xcompiler -ffp-contract=off bench/cuda/numbers.cu -o "$programs/numbers" & jobs+=($!)
  nvcc "${flags[@]}" examples/06_thrust.cu -o "$programs/06_thrust" & jobs+=($!)
  nvcc "${flags[@]}" -x cu examples/05_devices.cpp -o "$programs/05_devices" & jobs+=($!)
  nvcc "${flags[@]}" -x cu examples/02_mnist.cpp -o "$programs/02_mnist" & jobs+=($!)
  local on_host=(-std=c++20 -march="$march" -static-libstdc++ -DSINTER_KERNELS_ON_HOST -I include -I tests -isystem "$cuda"
    tests/support/fake_cuda/fake_cuda.cpp -pthread)
  g++ -O2 -ffp-contract=off bench/cuda/numbers_on_host.cpp "${on_host[@]}" -o "$programs/numbers_on_host" & jobs+=($!)
  g++ -O1 bench/cuda/counts.cpp "${on_host[@]}" -o "$programs/counts" & jobs+=($!)
  local job wrong=0
  for job in "${jobs[@]}"; do wait "$job" || wrong=1; done
  return $wrong
}
built() {
  local program
  for program in times ceilings phases numbers 06_thrust 05_devices 02_mnist numbers_on_host counts; do
    [ -x "$programs/$program" ] || return 1
  done
}

# The same kernels on the GPU and on the CPU: both sides always run, then they are compared word by word.
numbers() {
  local wrong=0
  "$programs/numbers_on_host" "$results/on_host.bin" > "$results/numbers_on_host.log" &
  "$programs/numbers" "$results/on_gpu.bin" || wrong=1
  wait $! || { echo "the host's side failed"; wrong=1; }
  python3 bench/compare_numbers.py "$results/on_gpu.bin" "$results/on_host.bin" || wrong=1
  return $wrong
}
devices() { "$programs/05_devices"; }
thrust() { "$programs/06_thrust"; }

# Training by every plan, single steps, and answers: few steps of small networks.
sanitize() {
  command -v compute-sanitizer > /dev/null || { echo "skipped: no compute-sanitizer here"; return 0; }
  compute-sanitizer --tool "$1" --error-exitcode 1 "$programs/numbers" /dev/null few
}
memcheck() { sanitize memcheck; }
racecheck() { sanitize racecheck; }
initcheck() { sanitize initcheck; }
synccheck() { sanitize synccheck; }

digits() {
  mkdir -p "$programs/mnist" && python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' \
    examples/data/mnist_subset.tar.xz "$programs/mnist" &&
    "$programs/02_mnist" --data "$(dirname "$(find "$programs/mnist" -name train-labels-idx1-ubyte | head -n 1)")" \
      --device all --epochs 10
}

ceilings() { "$programs/ceilings"; }
times() { "$programs/times"; }
times_again() { "$programs/times" --quick; }
phases() {
  "$programs/counts" > "$results/counts.log" &
  "$programs/phases" | tee "$results/cycles.log"
  local code=${PIPESTATUS[0]}
  wait $! && [ "$code" = 0 ] || return 1
  python3 bench/phases.py "$results/counts.log" "$results/cycles.log"
}

peers() {
  python3 -c 'import torch; assert torch.cuda.is_available()' || { echo "skipped: no PyTorch with CUDA here"; return 0; }
  python3 bench/peers/torch_gpu.py --compile "W1" "W3 mlp"
}
# In memory that it asks for as it needs it: JAX would take three quarters of the GPU's at once.
jax() {
  export XLA_PYTHON_CLIENT_PREALLOCATE=false
  python3 -c 'import jax; assert jax.default_backend() == "gpu"' || { echo "skipped: no JAX with CUDA here"; return 0; }
  python3 bench/peers/jax_gpu.py --seconds 100
}
table() {
  command -v python3 > /dev/null || { echo "skipped: no python3 here"; return 0; }
  python3 bench/table.py "$results"
}

# What is wanted, and where it goes: the last word is a folder unless it names a part or a measurement.
wanted=()
results=build/h200_results
for word; do
  if [ -n "${parts[$word]:-}" ]; then
    wanted+=(${parts[$word]})
  elif [ -n "${limit[$word]:-}" ]; then
    wanted+=("$word")
  elif [ "$word" = "${*: -1}" ] && { [[ $word = */* ]] || [ -d "$word" ]; }; then
    results=$word
  else
    echo "h200.sh: $word is no part (1 2 3 build) and no measurement (${!limit[*]}); a folder needs a / in its name" >&2
    exit 2
  fi
done
[ ${#wanted[@]} -gt 0 ] || wanted=(${parts[1]} ${parts[2]} ${parts[3]})
mkdir -p "$results"
results=$(cd "$results" && pwd)
export PATH programs results arch march
export -f machine build numbers devices thrust sanitize memcheck racecheck initcheck synccheck digits ceilings times \
  times_again phases peers jax table

[ "${wanted[*]}" = build ] || built || measure build
for name in "${wanted[@]}"; do measure "$name"; done
echo "$failed failed; logs in $results"
[ $failed = 0 ]
