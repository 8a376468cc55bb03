// SPDX-License-Identifier: MIT
// labels: large sanitized
#include "sinter/network/stream.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <sinter/io/pack.hpp>
#include <string>
#include <vector>

#include "sinter/network/network.hpp"
#include "support/error_of.hpp"
#include "support/last_words.hpp"
#include "support/streams.hpp"
#include "support/whole_sequence.hpp"

using namespace sinter_test;
using namespace sinter_test::streams;

TEST_CASE("a sequence in blocks has the bits of the whole: 1,000 cuts") {
  SUBCASE("causal") { check_cuts<Amplifier>(90); }
  SUBCASE("dilated, with gates, branches and normalisation") { check_cuts<WaveNet>(90); }
  SUBCASE("that looks ahead") { check_cuts<Ahead>(90); }
  SUBCASE("pools and groups") { check_cuts<Pools>(90); }
  SUBCASE("means") { check_cuts<Means>(90); }
  SUBCASE("recurrent") { check_cuts<Steps>(90); }
  SUBCASE("recurrent, with learned states") { check_cuts<Begun>(90); }
  SUBCASE("of one step at a time") { check_cuts<Policy>(90); }
  SUBCASE("rows and matrices of one step") { check_cuts<Table>(30); }
  SUBCASE("convolutions and cells") { check_cuts<Heard>(90); }
  SUBCASE("words") { check_cuts<Words>(90); }
  SUBCASE("words, every state") { check_cuts<Letters>(90); }
  SUBCASE("shared weights") { check_cuts<Again>(100); }
}

TEST_CASE("each moment of a FinalState is the end of a sequence") {
  // The same layers on the first 7 moments.
  struct Short : Sequential<Input<7, 4>, GRU<33, FinalState>, Linear<20>, LayerNorm<>, Tanh,
                            Concat<Path<>, Path<Linear<3>, ReLU>>, BatchNorm1d<>,
                            Maximum<Path<Linear<19>>, Path<Linear<19>>>, Linear<5>, LogSoftmax> {};
  const auto net = network_of<Policy>();
  Network<Short> first{{.seed = 1}};
  first.from_host({net.data(), internal::Program<Policy>::storage_size});
  const StreamWeights<Policy> weights(net);
  Stream<Policy> stream(weights);
  const Whole<Policy> whole(net);
  auto workspace = first.workspace(1);
  const auto y = first.forward(TensorView<const float, Shape<7, 4>>{whole.x.data(), 1}, workspace);
  const auto got = whole.push(stream, 0, 7);
  CHECK(same(y.data, got.data() + 6 * 5, 5));
}

TEST_CASE("a sequence continues beyond the length of the model") {
  struct Long : Sequential<Input<1, 500>, Conv1d<8, 16, Causal>, Tanh, Conv1d<1, 1>> {};
  const auto net = network_of<Amplifier>();
  Network<Long> longer{{.seed = 1}};
  longer.from_host({net.data(), internal::Program<Amplifier>::storage_size});
  const Whole<Long> whole(longer);
  const StreamWeights<Amplifier> weights(net);
  Stream<Amplifier> stream(weights);
  std::vector<float> y(500);
  CHECK(stream.push(std::span<const float>(whole.x), y) == 500);
  CHECK(same(whole.y.data(), y.data(), 500));
  // In place, too, sample by sample.
  stream.reset();
  y = whole.x;
  for (float& sample : y) stream.push({&sample, 1}, {&sample, 1});
  CHECK(same(whole.y.data(), y.data(), 500));
}

TEST_CASE("padding is zeros that take part in the sum") {
  auto net = network_of<Amplifier>();
  net.parameter("0.weight")[0] = std::numeric_limits<float>::infinity();  // times 0 is NaN
  for (float& x : net.parameter("0.bias")) x = -0.0f;
  const Whole<Amplifier> whole(net);
  REQUIRE(std::isnan(whole.y[0]));
  const StreamWeights<Amplifier> weights(net);
  Stream<Amplifier> stream(weights);
  const auto got = whole.push(stream, 0, whole.length);
  int wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    wrong += std::isnan(whole.y[i]) ? !std::isnan(got[i]) : !same(&whole.y[i], &got[i], 1);
  CHECK(wrong == 0);
  // Zeros keep their sign.
  auto zeros = network_of<Means>();
  for (const auto& p : zeros.parameters())
    for (float& x : p.value) x = -0.0f;
  const Whole<Means> of_zeros(zeros);
  const StreamWeights<Means> weights_of_zeros(zeros);
  Stream<Means> stream_of_zeros(weights_of_zeros);
  CHECK(of_zeros.is(of_zeros.push(stream_of_zeros, 0, of_zeros.length)));
}

namespace {
template <class Model, Storage Kind>
void check_storage() {
  const auto net = network_of<Model>();
  const std::vector<std::byte> bytes = internal::packed_bytes(net, Kind);
  const View<Model, Kind> view{std::span<const std::byte>(bytes)};
  const auto workspace = std::make_unique<FixedWorkspace<Model, 1>>();
  Whole<Model> whole(2);
  whole.forward(view, *workspace);
  const auto weights = std::make_unique<const StreamWeights<Model>>(view);
  Stream<Model> stream(*weights);
  std::mt19937 random(1);
  CHECK(whole.is(in_blocks(stream, whole, random, 20)));
}
template <class Model>
void check_storages() {
  check_storage<Model, Storage::float32>();
  check_storage<Model, Storage::float16>();
  check_storage<Model, Storage::int8>();
  check_storage<Model, Storage::panels>();
}
}  // namespace

TEST_CASE("of a View in every storage, the bits of its forward") {
  SUBCASE("convolutions") { check_storages<WaveNet>(); }
  SUBCASE("products and cells") { check_storages<Policy>(); }
  SUBCASE("tables") { check_storages<Words>(); }
}

TEST_CASE("a state is saved, restored and copied") {
  const auto net = network_of<Heard>();
  const StreamWeights<Heard> weights(net);
  Stream<Heard> stream(weights);
  const Whole<Heard> whole(net);
  auto got = whole.push(stream, 0, 21);
  std::vector<std::byte> state(Stream<Heard>::state_bytes);
  stream.save(std::span<std::byte, Stream<Heard>::state_bytes>(state));
  Stream<Heard> copy = stream;
  whole.push(stream, 0, 30);  // does not change the copy
  const auto rest = whole.push(copy, 21, whole.length - 21);
  Stream<Heard> restored(weights);
  whole.push(restored, 5, 12);
  restored.restore(state);
  CHECK(restored.moments() == 21);
  CHECK(rest == whole.push(restored, 21, whole.length - 21));
  got.insert(got.end(), rest.begin(), rest.end());
  CHECK(whole.is(got));

  // Others are refused, and nothing is lost.
  Stream<Heard> kept(weights);
  whole.push(kept, 0, 21);
  const StreamWeights<Words> words(network_of<Words>());
  std::vector<std::byte> other(state.size() - 1);
  CHECK(has(error_of([&] { kept.restore(other); }), "was given, and this one has " + std::to_string(state.size())));
  other = state;
  other[3] = std::byte{0};
  CHECK(has(error_of([&] { kept.restore(other); }), "is not the state of a stream"));
  struct Tanhs : Sequential<Input<1, 90>, Conv1d<8, 16, Causal>, ReLU, Conv1d<1, 1>> {};
  std::vector<std::byte> of_tanh(Stream<Tanhs>::state_bytes);
  const StreamWeights<Tanhs> tanhs(network_of<Tanhs>());
  Stream<Tanhs>(tanhs).save(std::span<std::byte, Stream<Tanhs>::state_bytes>(of_tanh));
  const StreamWeights<Amplifier> amplifiers(network_of<Amplifier>());
  Stream<Amplifier> amplifier(amplifiers);
  CHECK(has(error_of([&] { amplifier.restore(of_tanh); }), "belongs to a stream of another model"));
  CHECK(rest == whole.push(kept, 21, whole.length - 21));
}

TEST_CASE("other weights continue from the same state") {
  auto net = network_of<Amplifier>();
  const StreamWeights<Amplifier> before(net);
  net.parameter("2.bias")[0] += 1;
  StreamWeights<Amplifier> after(net);
  Stream<Amplifier> stream(before);
  const Whole<Amplifier> whole(net);
  whole.push(stream, 0, 20);
  stream.use(after);
  const auto got = whole.push(stream, 20, 70);
  CHECK(same(whole.y.data() + 20, got.data(), 70));
}

TEST_CASE("a NaN is found, and removed by reset") {
  const auto net = network_of<Steps>();
  const StreamWeights<Steps> weights(net);
  Stream<Steps> stream(weights);
  const Whole<Steps> whole(net);
  CHECK(stream.finite());
  const std::vector<float> bad(3, std::numeric_limits<float>::quiet_NaN());
  std::vector<float> y(17);
  stream.push(bad, y);
  CHECK(std::isnan(y[0]));
  whole.push(stream, 0, 50);
  CHECK_FALSE(stream.finite());
  stream.reset();
  CHECK(stream.finite());
  CHECK(whole.is(whole.push(stream, 0, 50)));
}

TEST_CASE("what push cannot do ends the program with a message") {
  const auto net = network_of<WaveNet>();
  const auto weights = std::make_unique<const StreamWeights<WaveNet>>(net);
  Stream<WaveNet> stream(*weights);
  std::vector<float> x(20), y(29);
  CHECK(has(last_words_of([&] { stream.push(x, y); }),
            "given 10 moments, which give 10 rows of outputs, and room for 9"));
  CHECK(has(last_words_of([&] { stream.push({x.data(), 5}, y); }), "given 5 numbers, and a moment has 2"));
}

TEST_CASE("sizes are constants") {
  static_assert(Stream<Amplifier>::latency == 0 && Stream<Amplifier>::period == 1);
  static_assert(stream_latency<Ahead> == 2 + 3 + 1 + 1 + 3);  // branches wait for the slower one
  static_assert(Stream<Pools>::period == 8);
  static_assert(std::is_same_v<Stream<WaveNet>::InputRow, Shape<2>> &&
                std::is_same_v<Stream<Policy>::OutputRow, Shape<5>>);
  static_assert(stream_bytes<Amplifier> == sizeof(Stream<Amplifier>) && stream_bytes<Amplifier> < 4096);
  static_assert(stream_weights_bytes<Amplifier> < 4096);
  static_assert(noexcept(std::declval<Stream<Amplifier>&>().push(std::span<const float>(), std::span<float>())));
  static_assert(std::is_trivially_copyable_v<Stream<Amplifier>>);
}
