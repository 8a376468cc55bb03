// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "sinter/network/streams.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/network/network.hpp"
#include "sinter/network/stream.hpp"
#include "support/attention_streams.hpp"
#include "support/error_of.hpp"
#include "support/last_words.hpp"
#include "support/stream_weights.hpp"
#include "support/streams.hpp"

using namespace sinter_test;
using namespace sinter_test::streams;

namespace {

using internal::isa::Native;

/// Decoders, whose positions are learned or sines.
struct Decoder : Sequential<Input<33>, Embedding<20, 12>, PositionEmbedding<33, 12>,
                            TransformerEncoderLayer<12, 3, 20, NormFirst, Causal>,
                            TransformerEncoderLayer<12, 2, 17, NormFirst, Causal, WithActivation<GELU>, NoBias>,
                            LayerNorm<NormalizedShape<12>>, PositionwiseLinear<20>, SoftmaxAlong<-1>> {};
struct Sines : Sequential<Input<21, 9>, PositionalEncoding, Residual<Path<MultiheadAttention<9, 3, Causal>>>, Tanh,
                          PositionalEncoding, GRU<5>> {};
/// Queries and keys that are turned.
struct Turned
    : Sequential<Input<21, 8>, RotaryEmbedding<4>, TransformerEncoderLayer<8, 2, 9, NormFirst, Causal, Rotary>,
                 PositionalEncoding, Transpose<1, 2>, Conv1d<3, 2, Causal>> {};
/// Positions without attention, and attention beyond a pack without positions.
struct Placed : Sequential<Input<21, 5>, PositionEmbedding<21, 5>, ReLU, PositionwiseLinear<19>,
                           Residual<Path<PositionEmbedding<21, 19>>>, LSTM<4, FinalState>, Linear<3>> {};
struct Wide : Sequential<Input<40, 40>, MultiheadAttention<40, 2, Causal, WithDropout<0.1>>> {};
/// Attention made of its parts: of steps, whose values need attention, and of a series.
struct OfSteps : Sequential<Input<29, 6>,
                            MatrixProduct<Path<Scores, SoftmaxAlong<-1>>,
                                          Path<MultiheadAttention<6, 2, Causal>, PositionwiseLinear<9>>, Factor<2.0>>,
                            Tanh> {};
struct OfSeries : Sequential<Input<6, 29>, SumsOfSeries, Conv1d<4, 3, Causal>> {};

/// Compares N streams side by side with as many objects of Stream.
template <class Model, int N, class Isa = Native>
struct Both {
  using All = Streams<Model, N, Isa>;
  using Each = Stream<Model, Isa>;
  std::unique_ptr<All> all;
  std::vector<Each> each;
  static constexpr std::size_t inputs = Each::input_size, outputs = Each::output_size;
  static_assert(All::max_moments == Each::max_moments);

  explicit Both(const StreamWeights<Model, Isa>& weights)
      : all(std::make_unique<All>(weights)), each(N, Each(weights)) {}
  /// Whether both give the same bits for the next moments. Streams that would go beyond the last position begin anew.
  bool push(std::size_t moments, std::mt19937& random) {
    for (int i = 0; i < N; ++i)
      if (moments > All::max_moments - all->moments(i)) reset(i);
    std::normal_distribution<float> normal;
    std::vector<float> x(N * moments * inputs), y(N * moments * outputs), expected(y.size());
    for (float& v : x) v = Model::input_dims.rank == 1 ? static_cast<float>(random() % 20) : normal(random);
    all->push(x, y);
    for (std::size_t i = 0; i < N; ++i)
      each[i].push(std::span<const float>(x).subspan(i * moments * inputs, moments * inputs),
                   std::span<float>(expected).subspan(i * moments * outputs, moments * outputs));
    for (int i = 0; i < N; ++i)
      if (all->moments(i) != each[static_cast<std::size_t>(i)].moments()) return false;
    return y.empty() || std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)) == 0;
  }
  void reset(int i) {
    all->reset(i);
    each[static_cast<std::size_t>(i)].reset();
  }
};

template <class Model, int N, class Isa = Native>
void check() {
  const auto weights = std::make_unique<const StreamWeights<Model, Isa>>(network_of<Model>());
  Both<Model, N, Isa> both(*weights);
  std::mt19937 random(7);
  int wrong = 0;
  for (int block = 0; block < 60; ++block) {
    wrong += !both.push(random() % 9, random);
    if (block % 3 == 1) both.reset(static_cast<int>(random() % N));
  }
  both.all->reset();
  for (auto& stream : both.each) stream.reset();
  wrong += !both.push(20, random);
  CAPTURE(N);
  CHECK(wrong == 0);
}
/// Numbers of streams around a pack.
template <class Model>
void check_packs() {
  constexpr int lanes = internal::host_kernels::StreamPlan<Model, Native>::Plan::lanes;
  check<Model, 1>();
  check<Model, 3>();
  check<Model, lanes>();
  check<Model, lanes + 1>();
}
}  // namespace

TEST_CASE("streams side by side have the bits of each, and one begins anew while the others continue") {
  SUBCASE("a convolution") {
    check<Amplifier, 1>();
    check<Amplifier, 32>();
  }
  SUBCASE("dilated, with gates, branches and normalisation") { check<WaveNet, 11>(); }
  SUBCASE("recurrent") { check<Steps, 11>(); }
  SUBCASE("recurrent, with learned states and projections") { check<Begun, 11>(); }
  SUBCASE("of one step at a time") { check<Policy, 11>(); }
  SUBCASE("words") { check<Words, 11>(); }
  SUBCASE("shared weights") { check<Again, 11>(); }
}

TEST_CASE("streams of attention have the bits of each, each at a position of its own") {
  SUBCASE("learned positions") { check_packs<Decoder>(); }
  SUBCASE("sines of the position") { check_packs<Sines>(); }
  SUBCASE("rotary positions") { check_packs<Turned>(); }
  SUBCASE("positions alone") { check<Placed, 11>(); }
  SUBCASE("attention alone") { check<Wide, 11>(); }
  SUBCASE("made of its parts") {
    check<OfSteps, 11>();
    check<OfSeries, 11>();
  }
  SUBCASE("without vectors") {
    check<Decoder, 3, internal::isa::Portable>();
    check<Sines, 3, internal::isa::Scalar>();
  }
}

namespace {

template <class Model>
void check_copied() {
  auto net = network_of<Model>();
  const StreamWeights<Model> weights(net);
  Both<Model, 5> first(weights);
  std::mt19937 random(3);
  CHECK(first.push(4, random));
  Both<Model, 5> second(weights);
  *second.all = *first.all;
  second.each = first.each;
  CHECK(first.push(9, random));
  CHECK(second.push(3, random));
  for (const auto& p : net.parameters()) p.value[0] += 0.5f;
  const StreamWeights<Model> others(net);
  second.all->use(others);
  for (auto& stream : second.each) stream.use(others);
  CHECK(second.push(3, random));
  CHECK(first.push(2, random));
}
}  // namespace

TEST_CASE("a copy of streams continues independently, and other weights continue from their states") {
  SUBCASE("a cell") { check_copied<Policy>(); }
  SUBCASE("attention") { check_copied<Decoder>(); }
}

namespace {

/// Streams that move to other places, at other moments, continue there with the bits of a Stream that goes on.
template <class Model>
void check_saved() {
  const auto weights = std::make_unique<const StreamWeights<Model>>(network_of<Model>());
  Both<Model, 11> from(*weights), to(*weights);
  std::mt19937 random(5);
  CHECK(from.push(7, random));
  CHECK(to.push(18, random));
  std::vector<std::byte> state(Streams<Model, 11>::state_bytes);
  const auto bytes = std::span(state).template first<Streams<Model, 11>::state_bytes>();
  for (const auto& [i, j] : {std::pair{0, 10}, std::pair{9, 0}, std::pair{4, 4}}) {
    from.all->save(i, bytes);
    to.all->restore(j, bytes);
    to.each[static_cast<std::size_t>(j)] = from.each[static_cast<std::size_t>(i)];
  }
  for (int block = 0; block < 5; ++block) CHECK(to.push(random() % 9, random));
  CHECK(from.push(3, random));
}
}  // namespace

TEST_CASE("a stream is saved, and continues in another place at another moment") {
  SUBCASE("convolutions") { check_saved<WaveNet>(); }
  SUBCASE("cells") { check_saved<Begun>(); }
  SUBCASE("both") { check_saved<Words>(); }
  SUBCASE("keys and values") { check_saved<Decoder>(); }
  SUBCASE("positions, attention and a cell") { check_saved<Sines>(); }
}

TEST_CASE("states of others are refused, and change nothing") {
  const StreamWeights<Policy> weights(network_of<Policy>());
  Both<Policy, 3> both(weights);
  std::mt19937 random(9);
  CHECK(both.push(4, random));
  using Pilots = Streams<Policy, 3>;
  std::vector<std::byte> state(Pilots::state_bytes), of_one(Stream<Policy>::state_bytes);
  both.each[0].save(std::span(of_one).first<Stream<Policy>::state_bytes>());
  CHECK(has(error_of([&] { both.all->restore(1, std::span(state).first(9)); }), "of 9 bytes was given"));
  CHECK(has(error_of([&] { both.all->restore(1, state); }), "this is not the state of a stream"));
  CHECK(error_of([&] { both.all->restore(1, of_one); }) != "");
  const StreamWeights<Steps> of_steps(network_of<Steps>());
  Streams<Steps, 1> other(of_steps);
  std::vector<std::byte> state_of_other(Streams<Steps, 1>::state_bytes);
  other.save(0, std::span(state_of_other).first<Streams<Steps, 1>::state_bytes>());
  CHECK(error_of([&] { both.all->restore(1, state_of_other); }) != "");
  CHECK(both.push(4, random));
  CHECK(has(last_words_of([&] { both.all->restore(-1, state); }), "restore was given stream -1 of 3"));
}

TEST_CASE("a state that is not finite is noticed, in its stream alone") {
  const StreamWeights<Policy> weights(network_of<Policy>());
  Streams<Policy, 3> pilots(weights);
  std::vector<float> x(3 * 4), y(3 * 5);
  x[4] = std::nanf("");  // of the second
  pilots.push(x, y);
  CHECK(pilots.finite(0));
  CHECK(!pilots.finite(1));
  CHECK(pilots.finite(2));
  pilots.reset(1);
  CHECK(pilots.finite(1));
}

TEST_CASE("a NaN stays in the attention of its stream, until reset") {
  const StreamWeights<Sines> weights(network_of<Sines>());
  Both<Sines, 3> both(weights);
  std::vector<float> x(3 * 9, 0.5f), y(3 * 5);
  x[9] = std::nanf("");  // of the second
  both.all->push(x, y);
  both.all->push(std::vector<float>(3 * 9, 0.5f), y);
  CHECK(std::isnan(y[5]));
  CHECK_FALSE((std::isnan(y[0]) || std::isnan(y[10])));
  CHECK(both.all->finite(0));
  CHECK_FALSE(both.all->finite(1));
  for (int i = 0; i < 3; ++i) both.reset(i);
  CHECK(both.all->finite(1));
  std::mt19937 random(1);
  CHECK(both.push(7, random));
}

TEST_CASE("the positions of each stream end by themselves") {
  struct Short : Sequential<Input<9, 6>, MultiheadAttention<6, 1, Causal>> {};
  static_assert(Streams<Short, 3>::max_moments == 9);
  const StreamWeights<Short> weights(network_of<Short>());
  Streams<Short, 3> streams(weights);
  std::vector<float> x(3 * 6 * 10), y(x.size());
  const auto push = [&](std::size_t moments) {
    streams.push(std::span(x).first(3 * 6 * moments), std::span(y).first(3 * 6 * moments));
  };
  CHECK(has(last_words_of([&] { push(10); }),
            "push was given 10 moments after 0 of stream 0, and the positions of this model end with moment 9; call "
            "reset(0) before the next sequence, or give the model a longer Input"));
  push(5);
  for (const int i : {0, 2}) streams.reset(i);
  push(4);
  CHECK((streams.moments(0) == 4 && streams.moments(1) == 9));
  push(0);
  CHECK(has(last_words_of([&] { push(1); }), "given 1 moments after 9 of stream 1"));
  streams.reset(1);
  push(5);
  CHECK((streams.moments(0) == 9 && streams.moments(1) == 5));
  // A state that has gone further is none of these streams.
  std::vector<std::byte> state(Streams<Short, 3>::state_bytes);
  streams.save(2, std::span(state).first<Streams<Short, 3>::state_bytes>());
  streams.restore(1, state);
  CHECK(streams.moments(1) == 9);
  state[24] = std::byte{10};  // the moment
  CHECK(has(error_of([&] { streams.restore(0, state); }), "after 10 moments was given, and this one ends after 9"));
  CHECK(streams.moments(0) == 9);
}

TEST_CASE("blocks that do not fit end the program with a message") {
  const StreamWeights<Policy> weights(network_of<Policy>());
  Streams<Policy, 3> streams(weights);
  std::vector<float> x(3 * 4 * 2), y(3 * 5 * 2);
  CHECK(
      has(last_words_of([&] { streams.push({x.data(), 23}, y); }),
          "push was given 23 numbers and room for 30, and 3 streams take 4 and give 5 each at a moment; pass blocks of "
          "the same moments of all"));
  CHECK(has(last_words_of([&] { streams.push(x, {y.data(), 29}); }), "24 numbers and room for 29"));
  CHECK(has(last_words_of([&] { streams.reset(3); }), "reset was given stream 3 of 3; give it one from 0 on"));
}

TEST_CASE("streams contain all of their memory") {
  using Voices = Streams<Amplifier, 16>;
  static_assert(noexcept(std::declval<Voices&>().push(std::span<const float>(), std::span<float>())));
  static_assert(std::is_trivially_copyable_v<Voices> && sizeof(Voices) < 16 * 1024);
  static_assert(std::is_trivially_copyable_v<Streams<Decoder, 3>>);
  using Plan = internal::host_kernels::LanePlan<internal::host_kernels::StreamPlan<Ahead, internal::isa::Native>>;
  static_assert(!Plan::possible);
}
