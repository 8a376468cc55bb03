// SPDX-License-Identifier: MIT
// labels: large
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
#include "support/stream_weights.hpp"
#include "support/streams.hpp"

using namespace sinter_test;
using namespace sinter_test::streams;

namespace {

bool same(const float* a, const float* b, std::size_t count) { return std::memcmp(a, b, count * sizeof(float)) == 0; }

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

}  // namespace

TEST_CASE("a sequence in blocks has the bits of the whole: 1,000 cuts") {
  SUBCASE("causal") { check_cuts<Amplifier>(90); }
  SUBCASE("dilated, with gates, branches and normalisation") { check_cuts<WaveNet>(90); }
  SUBCASE("that looks ahead") { check_cuts<Ahead>(90); }
  SUBCASE("pools and groups") { check_cuts<Pools>(90); }
  SUBCASE("means") { check_cuts<Means>(90); }
  SUBCASE("recurrent") { check_cuts<Steps>(90); }
  SUBCASE("recurrent, with learned states") { check_cuts<Begun>(90); }
  SUBCASE("of one step at a time") { check_cuts<Policy>(90); }
  SUBCASE("convolutions and cells") { check_cuts<Heard>(90); }
  SUBCASE("words") { check_cuts<Words>(90); }
  SUBCASE("words, every state") { check_cuts<Letters>(90); }
  SUBCASE("shared weights") { check_cuts<Again>(100); }
}

TEST_CASE("each moment of a FinalState is the end of a sequence") {
  // The same layers on the first 7 moments.
  struct Short : Sequential<Input<7, 4>, GRU<33, FinalState>, Linear<20>, LayerNorm<>, Tanh,
                            Concat<Path<>, Path<Linear<3>, ReLU>>, BatchNorm1d<>, Linear<5>, LogSoftmax> {};
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
