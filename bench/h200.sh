#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# On a machine with an NVIDIA GPU: builds, checks the numbers, measures, and prints tables, in under nine minutes.
#     bench/h200.sh [FOLDER for programs and logs, default build/h200]
# Needs nvcc, g++ and the headers in include/; PyTorch and JAX where they are there to compare with. A part that fails does
# not stop the next; the last line says how many failed. SINTER_ARCH names another architecture than the GPU's own.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
out=${1:-build/h200}
arch=${SINTER_ARCH:-native}
mkdir -p "$out"
out=$(cd "$out" && pwd)
failed=0
seconds=520  # for all parts but the table

# part NAME SECONDS COMMAND..: with a limit of time, no longer than what is left; its output also in a log.
part() {
  local name=$1 limit=$2 start=$SECONDS code
  shift 2
  [ $((seconds - start)) -ge "$limit" ] || limit=$((seconds - start))
  echo "== $name"
  if [ "$limit" -gt 0 ]; then
    timeout -k 5 "$limit" bash -c '"$@"' part "$@" 2>&1 | tee "$out/$name.log"
    code=${PIPESTATUS[0]}
  else
    echo "no time left" | tee "$out/$name.log"
    code=124
  fi
  echo "-- $name: $((SECONDS - start)) s, exit $code"
  [ "$code" = 0 ] || failed=$((failed + 1))
}

machine() {
  nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv || true
  nvcc --version | tail -n 2
  g++ --version | head -n 1
  date -u +%F
  git log -1 --format='commit %h' 2> /dev/null || true
}

# Every source beside the others: nvcc takes one processor each.
build() {
  local cuda flags=(-std=c++20 -O3 -arch="$arch" -Xcompiler -march=native -I include -I examples) jobs=()
  cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")/include
  [ -d "$cuda" ] || cuda=$(dirname "$cuda")/targets/x86_64-linux/include
  nvcc "${flags[@]}" bench/cuda/times.cu -o "$out/times" & jobs+=($!)
  nvcc "${flags[@]}" bench/cuda/ceilings.cu -o "$out/ceilings" & jobs+=($!)
  nvcc "${flags[@]}" bench/cuda/numbers.cu -o "$out/numbers" & jobs+=($!)
  nvcc "${flags[@]}" examples/06_thrust.cu -o "$out/06_thrust" & jobs+=($!)
  nvcc "${flags[@]}" -x cu examples/05_devices.cpp -o "$out/05_devices" & jobs+=($!)
  nvcc "${flags[@]}" -x cu examples/02_mnist.cpp -o "$out/02_mnist" & jobs+=($!)
  g++ -std=c++20 -O2 -march=native -DSINTER_KERNELS_ON_HOST -I include -I tests -isystem "$cuda" \
    bench/cuda/numbers_on_host.cpp tests/support/fake_cuda/fake_cuda.cpp -o "$out/numbers_on_host" -pthread & jobs+=($!)
  local job wrong=0
  for job in "${jobs[@]}"; do wait "$job" || wrong=1; done
  return $wrong
}

# The same kernels on the GPU and on the CPU: bit by bit.
numbers() {
  "$out/numbers" "$out/on_gpu.bin" && "$out/numbers_on_host" "$out/on_host.bin" > /dev/null &&
    cmp "$out/on_gpu.bin" "$out/on_host.bin" && echo "GPU and CPU: the same bits"
}

sanitize() {
  local tool
  command -v compute-sanitizer > /dev/null || { echo "skipped: no compute-sanitizer here"; return 0; }
  for tool in memcheck racecheck initcheck synccheck; do
    compute-sanitizer --tool $tool --error-exitcode 1 "$out/05_devices" --device cuda --times 1 || return 1
  done
}

digits() {
  mkdir -p "$out/mnist" && tar -xf examples/data/mnist_subset.tar.xz -C "$out/mnist" &&
    "$out/02_mnist" --data "$(dirname "$(find "$out/mnist" -name train-labels-idx1-ubyte | head -n 1)")" --device all --epochs 10
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
  python3 bench/table.py "$out" | tee "$out/table.log"
}

export out arch
export -f machine build numbers sanitize digits peers jax
part machine 30 machine
part build 240 build
part ceilings 60 "$out/ceilings"
part devices 60 "$out/05_devices"
part numbers 90 numbers
part thrust 60 "$out/06_thrust"
part digits 90 digits
part sanitize 60 sanitize
part times 120 "$out/times"
part peers 200 peers
part jax 120 jax
table || failed=$((failed + 1))
echo "$failed parts failed; logs in $out"
[ $failed = 0 ]
