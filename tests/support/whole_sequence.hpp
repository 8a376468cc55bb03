// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "sinter/network/network.hpp"
#include "sinter/network/stream.hpp"
#include "support/stream_weights.hpp"

namespace sinter_test::streams {
using namespace sinter;

inline bool same(const float* a, const float* b, std::size_t count) {
  return std::memcmp(a, b, count * sizeof(float)) == 0;
}

/// A sequence, and what forward makes of it as a whole.
template <class Model>
struct Whole {
  using S = Stream<Model>;
  static constexpr int inputs = S::input_size, outputs = S::output_size;
  static constexpr internal::Dims in = Model::input_dims, out = Model::output_dims;
  static constexpr std::size_t length = static_cast<std::size_t>(in.size() / inputs);
  /// FinalState: forward gives what the stream gives after the last moment.
  static constexpr bool final_state =
      internal::Moments<Model>::timing[static_cast<std::size_t>(internal::Program<Model>::output_value)].each;
  static constexpr std::size_t count = final_state ? length : static_cast<std::size_t>(out.size() / outputs);

  std::vector<float> x = std::vector<float>(static_cast<std::size_t>(in.size())), y;
  TensorView<const float, typename S::InputRow> moments{};

  explicit Whole(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (float& v : x) v = in.rank == 1 ? static_cast<float>(random() % 20) : normal(random);
    moments = {x.data(), length};
    if (in.rank == 2 && in.channels == inputs)
      moments.row_stride = 1, moments.channel_stride = static_cast<std::ptrdiff_t>(length);
  }
  template <class Net, class Workspace>
  void forward(const Net& net, Workspace& workspace) {
    const auto all = net.forward(TensorView<const float, typename Model::InputRow>{x.data(), 1}, workspace);
    y.assign(all.data, all.data + out.size());
    if (final_state || out.rank == 1 || out.channels != outputs) return;
    for (std::size_t j = 0; j < count; ++j)  // number by number of a channel to channel by channel of a moment
      for (std::size_t c = 0; c < static_cast<std::size_t>(outputs); ++c) y[j * outputs + c] = all.data[c * count + j];
  }
  explicit Whole(const Network<Model>& net, unsigned seed = 1) : Whole(seed) {
    auto workspace = net.workspace(1);
    forward(net, workspace);
  }
  /// What a stream gives for the moments [first, first + n).
  std::vector<float> push(S& stream, std::size_t first, std::size_t n) const {
    std::vector<float> to(stream.outputs(n) * outputs);
    const std::size_t rows =
        stream.push(moments.slice(first, n), TensorView<float, typename S::OutputRow>{to.data(), to.size() / outputs});
    REQUIRE(rows * outputs == to.size());
    return to;
  }
  bool is(const std::vector<float>& got) const {
    const std::size_t rows = got.size() / outputs;
    const std::size_t expected =
        static_cast<std::size_t>(internal::host_kernels::StreamPlan<Model, internal::isa::Native>::count(
            internal::Program<Model>::output_value, length));
    if (rows != expected || rows == 0 || rows > count) return false;
    if (final_state) return same(y.data(), got.data() + got.size() - outputs, outputs);
    return same(y.data(), got.data(), got.size());
  }
};

/// A sequence in blocks of random sizes up to `most`, empty ones among them.
template <class Model>
std::vector<float> in_blocks(Stream<Model>& stream, const Whole<Model>& whole, std::mt19937& random, std::size_t most) {
  std::vector<float> got;
  for (std::size_t at = 0; at < whole.length;) {
    const std::size_t n = std::min<std::size_t>(whole.length - at, random() % (most + 1));
    const auto part = whole.push(stream, at, n);
    got.insert(got.end(), part.begin(), part.end());
    at += n;
  }
  return got;
}

template <class Model>
void check_cuts(int cuts) {
  const auto net = network_of<Model>();
  const auto weights = std::make_unique<const StreamWeights<Model>>(net);
  auto stream = std::make_unique<Stream<Model>>(*weights);
  const Whole<Model> whole(net);
  std::mt19937 random(7);
  int wrong = 0;
  for (int cut = 0; cut < cuts; ++cut) {
    stream->reset();
    wrong += !whole.is(in_blocks(*stream, whole, random, cut % 3 == 0 ? 1 : cut % 3 == 1 ? 9 : whole.length));
  }
  CHECK(wrong == 0);
  CHECK(stream->moments() == whole.length);
}

}  // namespace sinter_test::streams
