// SPDX-License-Identifier: MIT
#pragma once

#include <sinter/device/cuda_array.cuh>
#include <vector>

namespace sinter_test {
using sinter::Cuda, sinter::CudaArray;

template <class T>
CudaArray<T> to_device(const std::vector<T>& values) {
  CudaArray<T> array(Cuda{}, values.size());
  array.upload(values.data(), values.size());
  return array;
}
template <class T>
std::vector<T> here(const CudaArray<T>& array) {
  std::vector<T> values(array.size());
  array.download(values.data(), values.size());
  return values;
}

}  // namespace sinter_test
