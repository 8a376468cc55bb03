// SPDX-License-Identifier: MIT
// labels: large sanitized
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <sinter/inference.hpp>
#include <sinter/io.hpp>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/sinter.hpp"
#include "support/allocations.hpp"
#include "support/error_of.hpp"
#include "support/last_words.hpp"
#include "support/sanitized.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

// By tiles and by single rows, with an edge; by tiles alone, with buffers; by the plan `layer`.
struct Images : Sequential<Input<2, 8, 7>, Conv2d<5, 3, Padding<1>>, MaxPool2d<2>, ReLU, Conv2d<6, 2>, Tanh, Flatten,
                           Linear<9>, ReLU, Linear<4>, LogSoftmax> {};
struct Normalized : Sequential<Input<2, 6, 6>, Conv2d<4, 3>, BatchNorm2d<>, ReLU, Flatten, Linear<3>> {};
struct Wide : Sequential<Input<20>, Linear<33>, ReLU, Linear<5>> {};
struct OtherActivation : Sequential<Input<20>, Linear<33>, Tanh, Linear<5>> {};
// Every kernel that reads weights of a row alone: convolutions and transposed ones with groups and steps, scales of channels, normalisations with
// weights of one dimension and of three, products with and without a rest and a bias.
struct Compact : Sequential<Input<4, 9, 8>, Conv2d<8, 3, Padding<1>, Groups<2>>, BatchNorm2d<>, PReLU<PerChannel>,
                            Conv2d<6, Kernel<2, 3>, Stride<2>, NoBias>, LayerNorm<>, Residual<Path<Conv2d<6, 1>, ReLU>>,
                            ConvTranspose2d<4, Kernel<2, 3>, Stride<2>, Groups<2>>, Conv2d<16, 1>,
                            Conv2d<17, 3, Padding<1>>, Flatten, Linear<19, NoBias>, Tanh, Linear<3>> {};
// Panels of 16 outputs: several at a time, a rest of them, of one and of all, with a bias and without; one set of weights
// in two places.
struct Again : Shared<Linear<20>, Tanh> {};
struct Panels : Sequential<Input<7>, Linear<150>, ReLU, Linear<64, NoBias>, Tanh, Linear<17>, ReLU, Linear<20>, Again,
                           Again, Linear<1>> {};
struct Steps : Sequential<Input<9, 3>, GRU<13, Bidirectional>, LSTM<7, FinalState>, Linear<2>> {};
struct Texts : Sequential<Input<5>, Embedding<11, 21>, Transpose<1, 2>, LayerNorm<>, Flatten, Linear<3>> {};
// A table of [Steps, Size] that is the weight of one product.
struct Positions : Sequential<Input<17, 12>, PositionEmbedding<17, 12>, PositionwiseLinear<5>, Flatten, Linear<3>> {};
// Nothing of one dimension.
struct Plain : Sequential<Input<16>, Linear<4, NoBias>> {};

/// Packed weights at an address as that of a file that is mapped.
struct Mapped {
  explicit Mapped(std::vector<std::byte> bytes) : numbers((bytes.size() + 3) / 4), size(bytes.size()) {
    std::memcpy(numbers.data(), bytes.data(), size);
  }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span<const float>(numbers)).first(size); }
  std::vector<float> numbers;
  std::size_t size;
};

template <class Model, std::size_t Rows>
void check_view(const Network<Model>& net) {
  CAPTURE(Rows);
  const Mapped file(packed_bytes(net));
  const View<Model> view(file.bytes());
  const auto* const data = reinterpret_cast<const std::byte*>(view.data());
  CHECK(data > file.bytes().data());
  CHECK(data + parameter_bytes<Model> <= file.bytes().data() + file.bytes().size());

  const auto x = inputs<typename Model::InputRow>(Rows);
  auto workspace = net.workspace(Rows);
  const auto wanted = net.forward(x, workspace);
  static FixedWorkspace<Model, Rows> fixed;
  TensorView<const float, typename Model::OutputRow> y;
  const auto run = [&] { y = view.forward(x.view(), fixed); };
  CHECK(counted::allocations_in(run) == 0);
  CHECK(counted::locks_in(run) == 0);
  CHECK(y.rows == Rows);
  CHECK(std::memcmp(y.data, wanted.data, Rows * Network<Model>::output_size * sizeof(float)) == 0);

  CHECK(counted::bytes_in([&] { net.workspace(Rows); }) == static_cast<long>(workspace_bytes<Model, Rows>));
  CHECK(sizeof fixed == (workspace_bytes<Model, Rows> + 63) / 64 * 64);
}
/// A View of weights in fewer bits and one of their Unpacked; it copies nothing.
template <Storage Kind, std::size_t Rows, class Model>
void check_in_place(const Network<Model>& net,
                    const Tensor<float, typename Model::InputRow>& x = inputs<typename Model::InputRow>(Rows)) {
  CAPTURE(Rows);
  const Mapped file(packed_bytes(net, Kind));
  const View<Model, Kind> view(file.bytes());
  const Unpacked<Model> unpacked(file.bytes());
  static FixedWorkspace<Model, Rows> one, other;
  const auto wanted = View<Model>(unpacked).forward(x.view(), other);
  TensorView<const float, typename Model::OutputRow> y;
  const auto run = [&] { y = view.forward(x.view(), one); };
  CHECK(counted::allocations_in(run) == 0);
  CHECK(y.rows == Rows);
  CHECK(std::memcmp(y.data, wanted.data, Rows * Network<Model>::output_size * sizeof(float)) == 0);
  CHECK(sizeof view <= 2 * sizeof(void*));

  const auto size = detail::StoragePlan<Model>::size(Kind);
  const std::size_t bytes = size.numbers * detail::bytes_of(Kind) + size.floats * sizeof(float);
  CHECK(stored_bytes<Model, Kind> >= bytes);
  CHECK(stored_bytes<Model, Kind> < bytes + 128);
}
template <class Model>
void check_views() {
  Network<Model> net{{.seed = 5}};
  for (std::size_t i = 0; i < static_cast<std::size_t>(Program<Model>::buffers.size()); ++i) {
    const Parameter& p = Program<Model>::buffers[i];
    for (int k = 0; k < p.size; ++k) net.data()[p.offset + k] = 0.5f + 0.1f * static_cast<float>(k);
  }
  check_view<Model, 1>(net);
  check_view<Model, 4>(net);
  check_view<Model, 5>(net);
  check_view<Model, 43>(net);
  CHECK(counted::bytes_in([&] { const AlignedArray<float> copy = net.to_host(); }) ==
        static_cast<long>(parameter_bytes<Model>));
  CHECK(sizeof(Unpacked<Model>) == parameter_bytes<Model>);
}

static_assert(workspace_bytes<Images, 1> < workspace_bytes<Images, 8>);
static_assert(parameter_bytes<Wide, Float64> == 2 * parameter_bytes<Wide>);
static_assert(stored_bytes<Wide, Storage::float32> == parameter_bytes<Wide>);
static_assert(stored_bytes<Wide, Storage::int8> < stored_bytes<Wide, Storage::float16> &&
              stored_bytes<Wide, Storage::float16> < parameter_bytes<Wide>);
static_assert(fingerprint<Wide> != fingerprint<OtherActivation>);
template <class Activation>
struct Activated : Sequential<Input<4>, Linear<3>, Activation> {};
static_assert(fingerprint<Activated<LeakyReLU<0.2>>> != fingerprint<Activated<LeakyReLU<0.01>>>);
static_assert(fingerprint<Activated<ELU<0.5>>> != fingerprint<Activated<ELU<1.0>>>);
static_assert(fingerprint<Activated<ELU<0.5>>> == fingerprint<Activated<ELU<0.5>>>);
/// Functors without names.
struct Twice {
  static constexpr bool backward_reads_output = false;
  static double forward(double x) { return 2 * x; }
  static double backward(double, double dy) { return 2 * dy; }
};
struct Cubed {
  static constexpr bool backward_reads_output = false;
  static double forward(double x) { return x * x * x; }
  static double backward(double x, double dy) { return 3 * x * x * dy; }
};
static_assert(fingerprint<Activated<Activation<Twice>>> != fingerprint<Activated<Activation<Cubed>>>);
static_assert(!std::is_constructible_v<View<Wide>, std::vector<std::byte>> &&
              std::is_constructible_v<View<Wide>, std::vector<std::byte>&>);

/// Refused, with such words.
template <class Work>
void refused(const char* words, Work work) {
  const std::string error = error_of(work);
  CAPTURE(error);
  CHECK(error.find(words) != std::string::npos);
}

}  // namespace

TEST_CASE("a view computes what its network computes, to the bit, in memory that is known beforehand") {
  SUBCASE("images") { check_views<Images>(); }
  SUBCASE("buffers") { check_views<Normalized>(); }
  SUBCASE("a perceptron") { check_views<Wide>(); }
  SUBCASE("recurrent layers") { check_views<Steps>(); }
}

TEST_CASE("weights in fewer bits or in panels are read in place, and give the same bits as floats") {
  Network<Compact> net{{.seed = 8}};
  for (auto& buffer : net.buffers())
    for (std::size_t i = 0; i < buffer.value.size(); ++i) buffer.value[i] = 0.5f + 0.1f * static_cast<float>(i);
  for (auto& parameter : net.parameters())  // none that is the same for all
    for (std::size_t i = 0; i < parameter.value.size(); ++i) parameter.value[i] += 0.01f * static_cast<float>(i % 7);
  SUBCASE("halves") { check_in_place<Storage::float16, 1>(net); }
  SUBCASE("halves, more rows than a tile has") { check_in_place<Storage::float16, 19>(net); }
  SUBCASE("bytes") { check_in_place<Storage::int8, 5>(net); }
  SUBCASE("panels") {
    check_in_place<Storage::panels, 3>(net);
    check_in_place<Storage::panels, 1>(Network<Images>{NetworkOptions{.seed = 3}});
    check_in_place<Storage::panels, 1>(Network<Panels>{NetworkOptions{.seed = 3}});
  }
  SUBCASE("recurrent layers") {
    check_in_place<Storage::float16, 1>(Network<Steps>{{.seed = 3}});
    check_in_place<Storage::int8, 3>(Network<Steps>{{.seed = 3}});
    check_in_place<Storage::panels, 2>(Network<Steps>{{.seed = 3}});
  }
  SUBCASE("rows of a table") {
    Tensor<float, Shape<5>> words(3);
    for (std::size_t i = 0; i < 15; ++i) words.data()[i] = static_cast<float>(7 * i % 11);
    check_in_place<Storage::float16, 3>(Network<Texts>{{.seed = 3}}, words);
    check_in_place<Storage::int8, 3>(Network<Texts>{{.seed = 3}}, words);
    check_in_place<Storage::panels, 3>(Network<Texts>{{.seed = 3}}, words);
  }
  SUBCASE("learned positions") {
    check_in_place<Storage::float16, 2>(Network<Positions>{{.seed = 3}});
    check_in_place<Storage::int8, 2>(Network<Positions>{{.seed = 3}});
    check_in_place<Storage::panels, 2>(Network<Positions>{{.seed = 3}});
  }
  SUBCASE("nothing but weights") {
    check_in_place<Storage::float16, 2>(Network<Plain>{{.seed = 3}});
    check_in_place<Storage::int8, 2>(Network<Plain>{{.seed = 3}});
    check_in_place<Storage::panels, 2>(Network<Plain>{{.seed = 3}});
  }
}

TEST_CASE_TEMPLATE("halves and bytes of a row are converted as one by one", V, Pack<float, 4>, Pack<float, 8>) {
  std::vector<std::uint16_t> halves;
  for (unsigned bits = 0; bits < 0x10000; ++bits)
    if ((bits & 0x7fff) <= 0x7c00) halves.push_back(static_cast<std::uint16_t>(bits));  // of NaNs there are several
  std::vector<std::int8_t> bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<std::int8_t>(i - 128));
  const auto check = [](auto row, std::size_t size, auto wanted) {
    for (std::size_t i = 0; i + V::lanes <= size; ++i) {
      const V pack = host_kernels::load_weights<V>(row, static_cast<int>(i));
      for (int lane = 0; lane < V::lanes; ++lane) {
        const float one = wanted(i + static_cast<std::size_t>(lane));
        REQUIRE(std::bit_cast<std::uint32_t>(pack[lane]) == std::bit_cast<std::uint32_t>(one));
        REQUIRE(row[static_cast<int>(i) + lane] == one);
      }
    }
  };
  check(host_kernels::HalfRow{halves.data()}, halves.size(), [&](std::size_t i) { return half_to_float(halves[i]); });
  check(host_kernels::ByteRow{bytes.data(), 0.3f}, bytes.size(),
        [&](std::size_t i) { return 0.3f * static_cast<float>(bytes[i]); });
}

TEST_CASE("any flipped bit of packed weights is noticed, and those without a checksum are taken") {
  const Network<Wide> net{{.seed = 3}};
  const auto check = [&]<Storage Kind>() {
    const std::vector<std::byte> whole = packed_bytes(net, Kind);
    Mapped file(whole);
    auto* const bytes = reinterpret_cast<unsigned char*>(file.numbers.data());
    for (std::size_t bit = 0; bit < 8 * file.size; bit += unless_sanitized<std::size_t>(1, 13)) {
      bytes[bit / 8] ^= static_cast<unsigned char>(1u << bit % 8);
      CAPTURE(bit);
      REQUIRE(error_of([&] { View<Wide, Kind>{file.bytes()}; }) != "(no error)");
      if (bit >= 8 * sizeof(detail::PackedHeader))
        REQUIRE(error_of([&] { Unpacked<Wide>{file.bytes()}; }) ==
                "the packed weights are damaged: their checksum is wrong; get them again");
      bytes[bit / 8] ^= static_cast<unsigned char>(1u << bit % 8);
    }
    std::memset(bytes + offsetof(detail::PackedHeader, checksum), 0, 8);
    CHECK(error_of([&] { View<Wide, Kind>{file.bytes()}; }) == "(no error)");
    CHECK(error_of([&] { Unpacked<Wide>{file.bytes()}; }) == "(no error)");
  };
  check.operator()<Storage::float32>();
  check.operator()<Storage::float16>();
  check.operator()<Storage::int8>();
  check.operator()<Storage::panels>();
}

TEST_CASE("halves are converted exactly, and to the nearest") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = half_to_float(half);
    if ((bits & 0x7fff) > 0x7c00) {
      REQUIRE((float_to_half(value) & 0x7fff) > 0x7c00);
      continue;
    }
    REQUIRE(float_to_half(value) == half);
    if ((bits & 0x7fff) >= 0x7bff) continue;
    // Between two halves: the nearer one, and the even one from the middle.
    const float next = half_to_float(static_cast<std::uint16_t>(bits + 1)), middle = (value + next) / 2;
    REQUIRE(float_to_half(middle) == half + (half & 1));
    REQUIRE(float_to_half(std::nextafter(middle, value)) == half);
    REQUIRE(float_to_half(std::nextafter(middle, next)) == half + 1);
  }
  CHECK(float_to_half(65519.0f) == 0x7bff);
  CHECK(float_to_half(65520.0f) == 0x7c00);
  CHECK(float_to_half(-1e30f) == 0xfc00);
  CHECK(float_to_half(1e-30f) == 0);
}

TEST_CASE("weights in panels are those of the network") {
  const Network<Panels> net{{.seed = 3}};
  const Mapped file(packed_bytes(net, Storage::panels));
  const Unpacked<Panels> back(file.bytes());
  for (const Parameter& p : Program<Panels>::parameters)
    CHECK(std::memcmp(back.data() + p.offset, net.data() + p.offset,
                      static_cast<std::size_t>(p.size) * sizeof(float)) == 0);
}

TEST_CASE("weights in fewer bits are as near as those bits let them be") {
  const Network<Normalized> net{{.seed = 5}};
  const Mapped halves(packed_bytes(net, Storage::float16)), bytes(packed_bytes(net, Storage::int8));
  const Unpacked<Normalized> from_halves(halves.bytes()), from_bytes(bytes.bytes());
  using Ops = Program<Normalized>;
  for (const Parameter& p : Ops::parameters) {
    CAPTURE(p.name);
    const int rows = p.rank > 1 ? p.shape[0] : 1, columns = p.size / rows;
    for (int row = 0; row < rows; ++row) {
      const float* const exact = net.data() + p.offset + row * columns;
      float most = 0;
      for (int i = 0; i < columns; ++i) most = std::fmax(most, std::fabs(exact[i]));
      for (int i = 0; i < columns; ++i) {
        const int at = p.offset + row * columns + i;
        if (p.rank == 1) {
          CHECK(from_bytes.data()[at] == exact[i]);
          CHECK(from_halves.data()[at] == exact[i]);
        } else {
          CHECK(std::fabs(from_bytes.data()[at] - exact[i]) <= most / 127 * 0.5001f);
          CHECK(from_halves.data()[at] == half_to_float(float_to_half(exact[i])));
        }
      }
    }
  }
  for (const Parameter& p : Ops::buffers)
    for (int i = 0; i < p.size; ++i) CHECK(from_bytes.data()[p.offset + i] == net.data()[p.offset + i]);
  CHECK(bytes.size < halves.size);
  CHECK(halves.size < packed_bytes(net).size());

  // A row of zeros stays one.
  Network<Wide> zeros;
  std::fill_n(zeros.data(), parameter_bytes<Wide> / sizeof(float), 0.0f);
  const Mapped of_zeros(packed_bytes(zeros, Storage::int8));
  const Unpacked<Wide> back(of_zeros.bytes());
  for (std::size_t i = 0; i < parameter_bytes<Wide> / sizeof(float); ++i) CHECK(back.data()[i] == 0);
}

TEST_CASE("packed weights travel through a file") {
  const TemporaryFolder folder;
  const Network<Wide> net{{.seed = 2}};
  save_packed(net, folder / "wide.bin");
  const std::string text = read_text(folder / "wide.bin");
  const auto bytes = packed_bytes(net);
  REQUIRE(text.size() == bytes.size());
  CHECK(std::memcmp(text.data(), bytes.data(), bytes.size()) == 0);
}

TEST_CASE("weights that are not whole ones of the model are refused") {
  const Network<Wide> net;
  const Mapped file(packed_bytes(net)), of_bytes(packed_bytes(net, Storage::int8));
  refused("belong to another model", [&] { View<OtherActivation>{file.bytes()}; });
  refused("belong to another model", [&] { Unpacked<OtherActivation>{file.bytes()}; });
  refused("too few for their header", [&] { View<Wide>{file.bytes().first(63)}; });
  refused("are damaged", [&] { View<Wide>{file.bytes().first(file.size - 1)}; });
  std::vector<std::byte> longer = packed_bytes(net);
  longer.resize(file.size + 4);
  const Mapped with_more(longer);
  const std::string both = "are damaged: " + std::to_string(file.size + 4) + " bytes were given, and this model has " +
                           std::to_string(file.size) + "; pack the network again";
  refused(both.c_str(), [&] { View<Wide>{with_more.bytes()}; });
  refused("are damaged", [&] { Unpacked<Wide>{with_more.bytes()}; });
  refused("are stored as int8, and this View reads float32", [&] { View<Wide>{of_bytes.bytes()}; });
  refused("are stored as int8, and this View reads float16", [&] { View<Wide, Storage::float16>{of_bytes.bytes()}; });
  refused("are stored as float32, and this View reads int8", [&] { View<Wide, Storage::int8>{file.bytes()}; });
  Mapped damaged = file;
  damaged.numbers[0] = 0;
  refused("are not packed weights", [&] { View<Wide>{damaged.bytes()}; });
  std::vector<std::byte> shifted(file.size + 1);
  std::memcpy(shifted.data() + 1, file.bytes().data(), file.size);
  refused("not a multiple of 4", [&] { View<Wide>{std::span<const std::byte>(shifted).subspan(1)}; });

  refused("too large for half precision", [] {
    Network<Wide> large;
    large.data()[0] = 1e6f;
    packed_bytes(large, Storage::float16);
  });
  refused("0.weight has numbers that are not finite", [] {
    Network<Wide> broken;
    broken.data()[3] = std::numeric_limits<float>::quiet_NaN();
    header_text(broken);
  });
  refused("name of a constant", [&] { header_text(net, {.name = "2nd"}); });
}

TEST_CASE("more rows than the workspace has end the program with a message") {
  CHECK(last_words_of([] {
          static FixedWorkspace<Wide, 2> workspace;
          const Network<Wide> net;
          const Mapped file(packed_bytes(net));
          const auto x = inputs<Wide::InputRow>(3);
          View<Wide>{file.bytes()}.forward(x.view(), workspace);
        }).find("3 rows and a workspace for 2") != std::string::npos);
}

TEST_CASE("rows at a null pointer end the program with a message") {
  CHECK(last_words_of([] {
          static FixedWorkspace<Wide, 2> workspace;
          const Network<Wide> net;
          const Mapped file(packed_bytes(net));
          View<Wide>{file.bytes()}.forward(TensorView<const float, Wide::InputRow>{nullptr, 2}, workspace);
        }).find("2 rows at a null pointer; give the address of the first number") != std::string::npos);
}

TEST_CASE("a report says what each way to store weights costs") {
  const Network<Images> net{{.seed = 4}};
  const auto x = inputs<Images::InputRow>(100);
  const auto y = predict(net, x);
  std::vector<int> labels;
  for (std::size_t i = 0; i < x.rows(); ++i) labels.push_back(predicted_class(&y(i, 0), 4));
  labels[7] = (labels[7] + 1) % 4;  // one that the network gets wrong
  const auto data = dataset(x, labels);
  const auto costs = storage_costs(net, data);
  CHECK(costs[0].accuracy == doctest::Approx(0.99));
  CHECK(costs[0].error == 0);
  CHECK(costs[1].error > 1e-6);
  CHECK(costs[1].error < 1e-3);
  CHECK(costs[2].error > costs[1].error);
  CHECK(costs[2].error < 2e-2);
  CHECK(costs[0].bytes == parameter_bytes<Images>);
  CHECK(costs[2].bytes < costs[1].bytes);
  const std::string report = storage_report(net, data);
  CAPTURE(report);
  CHECK(report.find(" " + std::to_string(costs[0].bytes)) != std::string::npos);
  CHECK(report.find("0.9900") != std::string::npos);
  CHECK(report.find("\nint8 ") != std::string::npos);
}

TEST_CASE("a report has no accuracy of several outputs, and refuses data without a meaning") {
  struct Several : Sequential<Input<4>, Heads<Path<Linear<3>>, Path<Linear<2>>>> {};
  const Network<Several> several;
  struct One : Sequential<Input<4>, Linear<5>> {};
  const Network<One> one;
  auto x = inputs<Shape<4>>(10);
  std::vector<int> labels(10, 4);
  const auto data = dataset(x, labels);
  CHECK(storage_report(several, data).find("accuracy") == std::string::npos);
  CHECK(std::isnan(storage_costs(several, data)[0].accuracy));
  CHECK(storage_report(one, data).find("accuracy") != std::string::npos);
  labels[7] = 5;
  CHECK(has(error_of([&] { storage_costs(one, data); }), "row 7 of the labels is 5, expected 0 to 4"));
  x(3, 1) = std::numeric_limits<float>::quiet_NaN();
  CHECK(has(error_of([&] { storage_costs(several, data); }), "row 3, feature 1 of the inputs is nan"));
}
