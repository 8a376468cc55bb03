// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <sinter/core/random.hpp>
#include <sinter/int8.hpp>
#include <sinter/layers/all.hpp>
#include <vector>

namespace sinter_test {

using namespace sinter;

/// Numbers between -1 and 1, the same on every machine.
inline void draw(std::span<float> numbers, std::uint32_t seed) {
  for (float& x : numbers) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(seed >> 8) / 8388608.0f - 1;
  }
}
template <class Model>
Tensor<float, typename Model::InputRow> rows_of(std::size_t count, std::uint32_t seed = 1) {
  Tensor<float, typename Model::InputRow> x(count);
  draw(x.values(), seed);
  return x;
}
/// A network whose batch normalisations are not the identity.
template <class Model>
Network<Model, Reference> network_of(std::uint64_t seed = 3) {
  Network<Model, Reference> net{{.seed = seed}};
  std::uint32_t number = 5;
  for (const auto& buffer : net.buffers()) {
    draw(buffer.value, ++number);
    for (float& x : buffer.value) x = buffer.name.ends_with("var") ? 0.6f + 0.4f * x : 0.3f * x;
  }
  return net;
}

template <class Quantized, class Rows>
std::vector<float> outputs_of(const Quantized& net, const Rows& x, std::size_t at_once) {
  auto workspace = net.workspace(at_once);
  std::vector<float> all;
  for (std::size_t i = 0; i < x.rows(); i += at_once) {
    const auto y = net.forward(x.view().slice(i, std::min(at_once, x.rows() - i)), workspace);
    all.insert(all.end(), y.data, y.data + y.rows * static_cast<std::size_t>(Quantized::output_size));
  }
  return all;
}
inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Outputs in 8 bits are near those in double, `share` of their range on the average, and the same bits by all
/// instructions and in batches of any size.
template <class Model>
void check_network(double share) {
  const auto net = network_of<Model>();
  const auto x = rows_of<Model>(71);
  const auto quantized = quantize(net, x);
  const std::vector<float> y = outputs_of(quantized, x, x.rows());
  CHECK(same_bits(y, outputs_of(quantized, x, 1)));
  for (const std::size_t at_once : {2u, 3u, 7u}) CHECK(same_bits(y, outputs_of(quantized, x, at_once)));
  CHECK(same_bits(y, outputs_of(QuantizedNetwork<Model, internal::int8::Plain>(quantized), x, 64)));
#if defined(__AVX2__)
  CHECK(same_bits(y, outputs_of(QuantizedNetwork<Model, internal::int8::Avx2>(quantized), x, 33)));
#elif defined(__aarch64__)
  CHECK(same_bits(y, outputs_of(QuantizedNetwork<Model, internal::int8::Neon>(quantized), x, 33)));
  CHECK(same_bits(y, outputs_of(QuantizedNetwork<Model, internal::int8::Neon>(quantized), x, 3)));
#endif
  const std::vector<double> parameters(net.data(), net.data() + internal::Program<Model>::storage_size),
      inputs(x.values().begin(), x.values().end());
  std::vector<double> wanted(y.size());
  internal::ReferenceEngine<Model, double>{}.forward(parameters.data(), inputs.data(), x.rows(), wanted.data());
  const auto [low, high] = std::minmax_element(wanted.begin(), wanted.end());
  double sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += std::abs(static_cast<double>(y[i]) - wanted[i]);
  const double mean = sum / static_cast<double>(y.size()) / (*high - *low);
  CAPTURE(mean);
  CHECK(mean < share);
  CHECK(mean > 0);
}

}  // namespace sinter_test
