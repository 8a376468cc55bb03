// SPDX-License-Identifier: MIT
// Must be refused: 96 numbers at once in the 64 registers that each of 1024 threads can have.
__global__ void __launch_bounds__(1024) spills(const float* x, float* y) {
  float kept[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) kept[i] = x[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; ++i) y[i * 1024 + threadIdx.x] = kept[i] * kept[(i + 1) % 96];
}
