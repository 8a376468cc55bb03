// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "sinter/core/tensor.hpp"
#include "support/problem.hpp"

namespace sinter_test {

/// Random rows in (-limit, limit).
template <class Row>
sinter::Tensor<float, Row> inputs(std::size_t rows, double limit = 1, unsigned seed = 1) {
  Draw draw(seed);
  sinter::Tensor<float, Row> x(rows);
  for (float& v : x.values()) v = static_cast<float>(draw.symmetric(limit));
  return x;
}
inline std::vector<int> labels_for(std::size_t rows, std::size_t classes) {
  std::vector<int> all;
  for (std::size_t i = 0; i < rows; ++i) all.push_back(static_cast<int>(i * 7 % classes));
  return all;
}
/// The parameter arena of a network.
template <class Net>
std::vector<typename Net::Scalar> weights(const Net& net) {
  return {net.data(), net.data() + Net::Ops::arena_size};
}
/// The same bits.
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace sinter_test
