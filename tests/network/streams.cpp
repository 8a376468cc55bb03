// SPDX-License-Identifier: MIT
// labels: large
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
#include "support/error_of.hpp"
#include "support/last_words.hpp"
#include "support/stream_weights.hpp"
#include "support/streams.hpp"

using namespace sinter_test;
using namespace sinter_test::streams;

namespace {

/// Compares N streams side by side with as many objects of Stream.
template <class Model, int N>
struct Both {
  std::unique_ptr<Streams<Model, N>> all;
  std::vector<Stream<Model>> each;
  static constexpr std::size_t inputs = Stream<Model>::input_size, outputs = Stream<Model>::output_size;

  explicit Both(const StreamWeights<Model>& weights)
      : all(std::make_unique<Streams<Model, N>>(weights)), each(N, Stream<Model>(weights)) {}
  /// Whether both give the same bits for the next moments.
  bool push(std::size_t moments, std::mt19937& random) {
    std::normal_distribution<float> normal;
    std::vector<float> x(N * moments * inputs), y(N * moments * outputs), expected(y.size());
    for (float& v : x) v = Model::input_dims.rank == 1 ? static_cast<float>(random() % 20) : normal(random);
    all->push(x, y);
    for (std::size_t i = 0; i < N; ++i)
      each[i].push(std::span<const float>(x).subspan(i * moments * inputs, moments * inputs),
                   std::span<float>(expected).subspan(i * moments * outputs, moments * outputs));
    return y.empty() || std::memcmp(y.data(), expected.data(), y.size() * sizeof(float)) == 0;
  }
  void reset(int i) {
    all->reset(i);
    each[static_cast<std::size_t>(i)].reset();
  }
};

template <class Model, int N>
void check() {
  const auto weights = std::make_unique<const StreamWeights<Model>>(network_of<Model>());
  Both<Model, N> both(*weights);
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

TEST_CASE("a copy of streams continues independently, and other weights continue from their states") {
  auto net = network_of<Policy>();
  const StreamWeights<Policy> weights(net);
  Both<Policy, 5> first(weights);
  std::mt19937 random(3);
  CHECK(first.push(4, random));
  Both<Policy, 5> second(weights);
  *second.all = *first.all;
  second.each = first.each;
  CHECK(first.push(9, random));
  CHECK(second.push(3, random));
  for (float& x : net.parameter("0.weight_ih_l0")) x = 0.5f;
  const StreamWeights<Policy> others(net);
  second.all->use(others);
  for (auto& stream : second.each) stream.use(others);
  CHECK(second.push(3, random));
  CHECK(first.push(2, random));
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
  using Plan = internal::host_kernels::LanePlan<internal::host_kernels::StreamPlan<Ahead, internal::isa::Native>>;
  static_assert(!Plan::possible);
}
