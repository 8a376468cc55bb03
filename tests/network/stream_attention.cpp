// SPDX-License-Identifier: MIT
// labels: large sanitized
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <sinter/io/pack.hpp>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/network/network.hpp"
#include "sinter/network/stream.hpp"
#include "support/attention_streams.hpp"
#include "support/error_of.hpp"
#include "support/last_words.hpp"
#include "support/whole_sequence.hpp"

using namespace sinter_test;
using namespace sinter_test::streams;

namespace {

/// Lengths around a pack, heads of sizes below and beyond one, and attention of several moments in one block.
template <int Length>
struct OneHead : Sequential<Input<Length, 6>, MultiheadAttention<6, 1, Causal>> {};
struct ManyHeads : Sequential<Input<7, 36>, MultiheadAttention<36, 12, Causal, WithDropout<0.1>, NoBias>> {};
struct Wide
    : Sequential<Input<70, 40>, Residual<Path<MultiheadAttention<40, 2, Causal>>>, RMSNorm<NormalizedShape<40>>> {};
/// What numbers the positions.
struct Encoded : Sequential<Input<37, 5>, PositionalEncoding, Tanh, PositionwiseLinear<19>, ReLU, PositionalEncoding,
                            Residual<Path<PositionalEncoding, PositionwiseLinear<19>>>> {};
struct Placed : Sequential<Input<37, 5>, PositionEmbedding<37, 5>, ReLU, PositionwiseLinear<19>,
                           Residual<Path<PositionEmbedding<37, 19>>>, LSTM<4>> {};
/// Queries and keys that are turned.
struct Turned : Sequential<Input<37, 6>, PositionwiseLinear<24>, RotaryEmbedding<6>, Residual<Path<Tanh>>,
                           MultiheadAttention<24, 4, Causal, Rotary>,
                           TransformerEncoderLayer<24, 1, 20, NormFirst, Causal, Rotary>, PositionwiseLinear<5>> {};
/// Decoders of words.
struct Decoder : Sequential<Input<33>, Embedding<20, 12>, PositionEmbedding<33, 12>,
                            TransformerEncoderLayer<12, 3, 20, NormFirst, Causal>,
                            TransformerEncoderLayer<12, 2, 17, Causal, WithActivation<GELU>, NoBias>,
                            LayerNorm<NormalizedShape<12>>, PositionwiseLinear<20>, SoftmaxAlong<-1>> {};
/// Fewer positions than moments, and windows that look ahead, before it; a convolution and a cell after it.
struct Strided : Sequential<Input<3, 61>, Conv1d<8, 3, Stride<2>, Padding<1>>, Transpose<1, 2>, PositionalEncoding,
                            TransformerEncoderLayer<8, 2, 12, Causal>, Transpose<1, 2>, Conv1d<4, 3, Causal>,
                            Transpose<1, 2>, GRU<5>> {};
/// Attention made of its parts, of steps and of a series.
struct OfSteps
    : Sequential<Input<29, 6>, MatrixProduct<Path<Scores, SoftmaxAlong<-1>>, Path<PositionwiseLinear<9>>, Factor<2.0>>,
                 Tanh> {};
struct OfSeries : Sequential<Input<6, 29>, SumsOfSeries, Tanh> {};

}  // namespace

TEST_CASE("attention in blocks has the bits of the whole") {
  SUBCASE("1 position") { check_cuts<OneHead<1>>(9); }
  SUBCASE("7 positions and many heads") { check_cuts<ManyHeads>(60); }
  SUBCASE("9 positions") { check_cuts<OneHead<9>>(60); }
  SUBCASE("wide heads") { check_cuts<Wide>(60); }
  SUBCASE("sines of the position") { check_cuts<Encoded>(60); }
  SUBCASE("rotary positions") { check_cuts<Turned>(60); }
  SUBCASE("learned positions") { check_cuts<Placed>(60); }
  SUBCASE("a decoder") { check_cuts<Decoder>(90); }
  SUBCASE("with strides, convolutions and cells") { check_cuts<Strided>(60); }
  SUBCASE("made of its parts") {
    check_cuts<OfSteps>(60);
    check_cuts<OfSeries>(60);
  }
}

TEST_CASE("the first moments have the bits of a whole sequence, whatever follows") {
  const auto net = network_of<Decoder>();
  const auto weights = std::make_unique<const StreamWeights<Decoder>>(net);
  Stream<Decoder> stream(*weights);
  Whole<Decoder> whole(net), other(net, 9);
  std::copy_n(whole.x.begin(), 20, other.x.begin());
  auto workspace = net.workspace(1);
  other.forward(net, workspace);
  CHECK(same(whole.push(stream, 0, 20).data(), other.y.data(), 20 * 20));
}

TEST_CASE("streams of attention are saved in mid-sequence, copied, reset and given other weights") {
  const auto net = network_of<Decoder>();
  const auto weights = std::make_unique<const StreamWeights<Decoder>>(net);
  using S = Stream<Decoder>;
  auto stream = std::make_unique<S>(*weights), other = std::make_unique<S>(*weights);
  const Whole<Decoder> whole(net), another(net, 2);
  auto got = whole.push(*stream, 0, 13);
  std::vector<std::byte> state(S::state_bytes);
  stream->save(std::span<std::byte, S::state_bytes>(state));
  *other = *stream;
  another.push(*stream, 13, 20);  // does not change the copy
  const auto rest = whole.push(*other, 13, 20);
  stream->restore(state);
  CHECK(stream->moments() == 13);
  CHECK(rest == whole.push(*stream, 13, 20));
  got.insert(got.end(), rest.begin(), rest.end());
  CHECK(whole.is(got));
  stream->reset();
  CHECK(another.is(another.push(*stream, 0, 33)));

  auto changed = network_of<Decoder>();
  for (float& x : changed.parameter("1.weight")) x += 1;
  const auto changed_weights = std::make_unique<const StreamWeights<Decoder>>(changed);
  const Whole<Decoder> of_changed(changed);
  stream->reset();
  stream->use(*changed_weights);
  CHECK(of_changed.is(of_changed.push(*stream, 0, 33)));
  CHECK_FALSE(whole.is(of_changed.y));
}

TEST_CASE("the positions of a model end") {
  static_assert(Stream<Decoder>::max_moments == 33 && Stream<Encoded>::max_moments == 37);
  static_assert(Stream<Turned>::max_moments == 37);
  static_assert(Stream<Strided>::max_moments == 1 + 2 * 31);
  struct Endless : Sequential<Input<33, 5>, GRU<5>> {};
  static_assert(Stream<Endless>::max_moments == std::numeric_limits<std::uint64_t>::max());
  const auto net = network_of<OneHead<9>>();
  const StreamWeights<OneHead<9>> weights(net);
  using S = Stream<OneHead<9>>;
  S stream(weights);
  std::vector<float> x(12 * 6), y(12 * 6);
  CHECK(has(last_words_of([&] { stream.push(x, y); }),
            "push was given 12 moments after 0, and the positions of this model end with moment 9; call reset()"));
  const std::span<const float> first(x.data(), 9 * 6), one(x.data(), 6);
  CHECK(stream.push(first, y) == 9);
  CHECK(stream.push({}, y) == 0);
  CHECK(has(last_words_of([&] { stream.push(one, y); }), "given 1 moments after 9"));
  stream.reset();
  CHECK(stream.push(one, y) == 1);
  // A state that has gone further is none of this stream.
  std::vector<std::byte> state(S::state_bytes);
  stream.save(std::span<std::byte, S::state_bytes>(state));
  state[24] = std::byte{10};  // the moment
  CHECK(has(error_of([&] { stream.restore(state); }), "after 10 moments was given, and this one ends after 9"));
  CHECK(stream.moments() == 1);
}

TEST_CASE("of a View, attention has the bits of its forward") {
  using Model = OneHead<9>;
  const auto net = network_of<Model>();
  const std::vector<std::byte> bytes = internal::packed_bytes(net, Storage::int8);
  const View<Model, Storage::int8> view{std::span<const std::byte>(bytes)};
  const auto workspace = std::make_unique<FixedWorkspace<Model, 1>>();
  Whole<Model> whole(2);
  whole.forward(view, *workspace);
  const StreamWeights<Model> weights(view);
  Stream<Model> stream(weights);
  std::mt19937 random(1);
  CHECK(whole.is(in_blocks(stream, whole, random, 20)));
}

TEST_CASE("a NaN stays in what follows, until reset") {
  const auto net = network_of<OneHead<9>>();
  const StreamWeights<OneHead<9>> weights(net);
  Stream<OneHead<9>> stream(weights);
  const Whole<OneHead<9>> whole(net);
  const auto before = whole.push(stream, 0, 3);
  CHECK(same(before.data(), whole.y.data(), before.size()));
  const std::vector<float> bad(6, std::numeric_limits<float>::quiet_NaN());
  std::vector<float> y(6);
  stream.push(bad, y);
  CHECK(std::isnan(y[0]));
  CHECK(std::isnan(whole.push(stream, 4, 1)[0]));
  CHECK_FALSE(stream.finite());
  stream.reset();
  CHECK(stream.finite());
  CHECK(whole.is(whole.push(stream, 0, 9)));
}

TEST_CASE("sizes of streams of attention are constants, and nothing looks ahead") {
  static_assert(stream_latency<Decoder> == 0 && Stream<Decoder>::period == 1);
  static_assert(stream_bytes<OneHead<9>> < 8192);
  static_assert(noexcept(std::declval<Stream<Decoder>&>().push(std::span<const float>(), std::span<float>())));
  static_assert(std::is_trivially_copyable_v<Stream<Decoder>>);
}
