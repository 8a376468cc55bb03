// expected: sinter: the inputs of a dataset come as a Tensor, or as a TensorView
// SPDX-License-Identifier: MIT
#include <sinter/sinter.hpp>
using namespace sinter;
auto rows(const std::vector<float>& x, const std::vector<int>& labels, const std::vector<float>& weights) {
  return dataset(x, labels, weights);
}
