#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# On a machine with an NVIDIA GPU: checks the numbers, measures, and prints tables. Three parts of under ten minutes each:
#     bench/h200.sh build              where nvcc and g++ are, also without a GPU: the programs, into build/h200
#     bench/h200.sh 1 [FOLDER]         numbers and sanitizers
#     bench/h200.sh 2 [FOLDER]         ceilings, times, all plans beside the cost model, the kernels of a step by Nsight Compute,
#                                      and the cycles of each phase beside those that were counted
#     bench/h200.sh 3 [FOLDER]         PyTorch and JAX, if they are installed, and the table of all
#     bench/h200.sh NAME.. [FOLDER]    single measurements of these parts, by the names in `parts` below
#     bench/h200.sh                    all of it: builds what is missing, then the three parts
# Only the first and the last compile; a command whose programs are missing says so and ends. To build on another machine, copy
# build/h200 to this one. FOLDER gets one file, results.tar.gz: by default it is the folder that OUT names, or build/h200_results.
# The archive has all logs, but not the numbers that were compared, and is replaced by a newer one after each measurement, so
# it is complete when a command is cut off. The logs themselves are in build/h200_logs. A measurement that fails does not stop
# the next; the last line says how many failed.
# SINTER_ARCH is the architecture that is compiled for (sm_90), SINTER_MARCH the host's (x86-64-v3).
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
PATH=$PATH:/usr/local/cuda/bin
programs=$PWD/build/h200
logs=$PWD/build/h200_logs
arch=${SINTER_ARCH:-sm_90}
march=${SINTER_MARCH:-x86-64-v3}
failed=0

declare -A parts=(
  [1]="machine numbers devices thrust digits memcheck racecheck initcheck synccheck"
  [2]="machine ceilings times times_again plans kernels phases"
  [3]="machine peers jax table")
declare -A limit=(
  [build]=900 [machine]=20 [numbers]=150 [devices]=40 [thrust]=40 [digits]=90 [memcheck]=60 [racecheck]=60 [initcheck]=60
  [synccheck]=60 [ceilings]=110 [times]=230 [times_again]=110 [plans]=60 [kernels]=110 [phases]=110 [peers]=370 [jax]=170 [table]=20)
# The programs that a measurement runs; other measurements need none.
declare -A programs_of=(
  [numbers]="numbers numbers_on_host" [devices]=05_devices [thrust]=06_thrust [digits]=02_mnist [memcheck]=numbers
  [racecheck]=numbers [initcheck]=numbers [synccheck]=numbers [ceilings]=ceilings [times]=times [times_again]=times
  [plans]=plans [kernels]=steps [phases]="phases counts")

# All logs in one archive, which is complete at any time.
archive() {
  tar -C "$logs" --exclude='*.bin' -czf "$results/results.new" . && mv "$results/results.new" "$results/results.tar.gz"
}

# measure NAME: the function of that name, with its limit of time; its output also in a log.
measure() {
  local name=$1 start=$SECONDS code
  echo "== $name"
  timeout -k 5 "${limit[$name]}" bash -c "$name" 2>&1 | tee "$logs/$name.log"
  code=${PIPESTATUS[0]}
  echo "-- $name: $((SECONDS - start)) s, exit $code" | tee -a "$logs/$name.log"
  [ "$code" = 0 ] || failed=$((failed + 1))
  archive
}

machine() {
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv || true
  date -u +%F
  [ ! -f "$programs/built" ] || sed '1s/^/built from commit /' "$programs/built"
}

# Every source beside the others: nvcc takes one processor each. Where bits are compared no product is contracted into an
# addition unnoticed.
build() {
  local cuda flags=(-std=c++20 -O3 -arch="$arch" -Xcompiler "-march=$march,-static-libstdc++" -I include -I examples) jobs=()
  mkdir -p "$programs"
  {
    git describe --always --dirty 2> /dev/null || echo unknown
    nvcc --version | tail -n 2
    g++ --version | head -n 1
  } > "$programs/built"
  cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")/include
  [ -d "$cuda" ] || cuda=$(dirname "$cuda")/targets/x86_64-linux/include
  nvcc "${flags[@]}" bench/cuda/times.cu -o "$programs/times" & jobs+=($!)
  nvcc "${flags[@]}" bench/cuda/plans.cu -o "$programs/plans" & jobs+=($!)
  nvcc "${flags[@]}" bench/cuda/steps.cu -o "$programs/steps" & jobs+=($!)
  nvcc "${flags[@]}" bench/cuda/ceilings.cu -o "$programs/ceilings" & jobs+=($!)
  nvcc "${flags[@]}" bench/cuda/phases.cu -o "$programs/phases" & jobs+=($!)
  nvcc "${flags[@]}" -fmad=false -Xcompiler -ffp-contract=off bench/cuda/numbers.cu -o "$programs/numbers" & jobs+=($!)
  nvcc "${flags[@]}" examples/06_thrust.cu -o "$programs/06_thrust" & jobs+=($!)
  nvcc "${flags[@]}" -x cu examples/05_devices.cpp -o "$programs/05_devices" & jobs+=($!)
  nvcc "${flags[@]}" -x cu examples/02_mnist.cpp -o "$programs/02_mnist" & jobs+=($!)
  local on_host=(-std=c++20 -march="$march" -static-libstdc++ -DSINTER_KERNELS_ON_HOST -I include -I tests -isystem "$cuda"
    tests/support/fake_cuda/fake_cuda.cpp -pthread)
  g++ -O1 -ffp-contract=off bench/cuda/numbers_on_host.cpp "${on_host[@]}" -o "$programs/numbers_on_host" & jobs+=($!)
  g++ -O1 bench/cuda/counts.cpp "${on_host[@]}" -o "$programs/counts" & jobs+=($!)
  local job wrong=0
  for job in "${jobs[@]}"; do wait "$job" || wrong=1; done
  return $wrong
}
# missing NAME..: the programs of these measurements that are not there.
missing() {
  local name program
  for name; do
    for program in ${programs_of[$name]:-}; do [ -x "$programs/$program" ] || echo "$program"; done
  done | sort -u
}

# The same kernels on the GPU and on the CPU: both sides always run, then they are compared word by word.
numbers() {
  local wrong=0
  "$programs/numbers_on_host" "$logs/on_host.bin" > "$logs/numbers_on_host.log" &
  "$programs/numbers" "$logs/on_gpu.bin" || wrong=1
  wait $! || { echo "the host's side failed"; wrong=1; }
  python3 bench/compare_numbers.py "$logs/on_gpu.bin" "$logs/on_host.bin" || wrong=1
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
plans() { "$programs/plans"; }
# Clocks are left as they are.
kernels() {
  command -v ncu > /dev/null || { echo "skipped: no ncu here"; return 0; }
  local name files=()
  for name in wide VGG ResNet-8 W3cnn W1; do
    files+=("$logs/kernels_$name.csv")
    ncu --clock-control none --launch-count 260 --csv --metrics gpu__time_duration.sum "$programs/steps" "$name" \
      > "${files[-1]}" || return 1
  done
  python3 bench/kernels.py "${files[@]}"
}
phases() {
  "$programs/counts" > "$logs/counts.log" &
  "$programs/phases" | tee "$logs/cycles.log"
  local code=${PIPESTATUS[0]}
  wait $! && [ "$code" = 0 ] || return 1
  python3 bench/phases.py "$logs/counts.log" "$logs/cycles.log"
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
  python3 bench/table.py "$logs"
}

# The requested parts, and the folder for results: the last word is a folder unless it names a part or a measurement.
wanted=()
results=${OUT:-build/h200_results}
for word; do
  if [ -n "${parts[$word]:-}" ]; then
    wanted+=(${parts[$word]})
  elif [ -n "${limit[$word]:-}" ]; then
    wanted+=("$word")
  elif [ "$word" = "${*: -1}" ] && { [[ $word = */* ]] || [ -d "$word" ]; }; then
    results=$word
  else
    echo "h200.sh: $word is neither a part (1 2 3 build) nor a measurement (${!limit[*]}); a folder needs a / in its name" >&2
    exit 2
  fi
done
if [ ${#wanted[@]} = 0 ]; then
  wanted=(${parts[1]} ${parts[2]} ${parts[3]})
  [ -z "$(missing "${wanted[@]}")" ] || wanted=(build "${wanted[@]}")
elif [ "${wanted[0]}" != build ] && [ -n "$(missing "${wanted[@]}")" ]; then
  echo "h200.sh: $programs lacks" $(missing "${wanted[@]}") >&2
  echo "h200.sh: run bench/h200.sh build where nvcc and g++ are, a GPU is not needed, and take the folder along" >&2
  exit 2
fi
mkdir -p "$results" "$logs"
results=$(cd "$results" && pwd)
export PATH programs logs results arch march
export -f machine build numbers devices thrust sanitize memcheck racecheck initcheck synccheck digits ceilings times \
  times_again plans kernels phases peers jax table

for name in "${wanted[@]}"; do measure "$name"; done
echo "$failed failed; all logs in $results/results.tar.gz"
[ $failed = 0 ]
