// SPDX-License-Identifier: MIT
// labels: cuda gpu
#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <limits>

#include "sinter/kernels/gpu/choose.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "support/networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

constexpr std::size_t h200 = 227 * 1024, ada = 99 * 1024, turing = 64 * 1024;

// W2, by the number of linear layers
struct Disc2 : Sequential<Input<2>, Linear<4>, ReLU, Linear<2>> {};
struct Disc3 : Sequential<Input<2>, Linear<4>, ReLU, Linear<8>, ReLU, Linear<2>> {};
struct Disc4 : Sequential<Input<2>, Linear<4>, ReLU, Linear<8>, ReLU, Linear<16>, ReLU, Linear<2>> {};
struct Disc5 : Sequential<Input<2>, Linear<4>, ReLU, Linear<8>, ReLU, Linear<16>, ReLU, Linear<32>, ReLU, Linear<2>> {};
struct Disc6 : Sequential<Input<2>, Linear<4>, ReLU, Linear<8>, ReLU, Linear<16>, ReLU, Linear<32>, ReLU, Linear<64>,
                          ReLU, Linear<2>> {};
struct Disc10
    : Sequential<Input<2>, Linear<4>, ReLU, Linear<8>, ReLU, Linear<16>, ReLU, Linear<32>, ReLU, Linear<64>, ReLU,
                 Linear<128>, ReLU, Linear<256>, ReLU, Linear<512>, ReLU, Linear<1024>, ReLU, Linear<2>> {};
// W3
struct GrayMlp : Sequential<Input<1024>, Linear<100>, ReLU, Linear<10>> {};
struct GrayCnn : Sequential<Input<1, 32, 32>, Conv2d<16, 3>, MaxPool2d<2>, ReLU, Conv2d<32, 2>, MaxPool2d<2>, ReLU,
                            Conv2d<64, 2>, MaxPool2d<2>, ReLU, Flatten, Linear<200>, ReLU, Linear<10>> {};
// W4
struct Small : Sequential<Input<256>, Linear<64>, ReLU, Linear<64>, ReLU, Linear<10>> {};
// W6
struct Dense : Sequential<Input<4096>, Linear<4096>, ReLU, Linear<4096>> {};

template <class Model>
constexpr CudaPlan plan(int batch, std::size_t shared = h200) {
  return gpu_kernels::Choose<Model, float, SGD::states>::plan(batch, shared);
}

static_assert(plan<networks::W1>(200) == CudaPlan::pair);
static_assert(plan<Disc2>(100) == CudaPlan::resident && plan<Disc3>(100) == CudaPlan::resident);
static_assert(plan<Disc4>(100) == CudaPlan::resident && plan<Disc5>(100) == CudaPlan::resident);
static_assert(plan<Disc6>(100) == CudaPlan::pair && plan<Disc6>(100, turing) == CudaPlan::pair);
static_assert(plan<Disc10>(100) == CudaPlan::layers);
static_assert(plan<GrayMlp>(128) == CudaPlan::pair);
static_assert(plan<GrayCnn>(128) == CudaPlan::pair && plan<GrayCnn>(80) == CudaPlan::pair);
static_assert(plan<GrayCnn>(128, turing) == CudaPlan::layers, "a sample does not fit");
static_assert(plan<Small>(8) == CudaPlan::resident && plan<Small>(32) == CudaPlan::pair &&
              plan<Small>(64) == CudaPlan::pair);

// A resident block keeps the optimizer's state where there is room for it, and a large network in few rows.
template <class Model>
using Resident = gpu_kernels::ResidentMemory<Model, float, SGD::states>;
static_assert(Resident<Disc5>::holds_state && Resident<Disc5>::expected_rows == gpu_kernels::Expected::resident);
static_assert(!Resident<Small>::holds_state && Resident<Small>::expected_rows == gpu_kernels::Expected::large);
static_assert(Resident<Small>::rows_in(h200) >= 16 && Resident<Small>::rows_in(ada) == 0);

// Weights are staged where a sample still fits the same devices.
struct ManyChannels : Sequential<Input<3, 16, 16>, Conv2d<64, 3, Padding<1>>, MaxPool2d<2>, ReLU,
                                 Conv2d<128, 3, Padding<1>>, MaxPool2d<2>, ReLU, Flatten, Linear<10>> {};
// The sums of a weight gradient: a few for the threads of a block, or as many pieces as keep a grid busy.
template <int Stage, int ExpectedRows>
using Weights = gpu_kernels::WeightWork<gpu_kernels::Geometry<ManyChannels, Stage>, ExpectedRows>;
using gpu_kernels::Expected;
static_assert(Weights<0, Expected::grid>::pieces && Weights<0, Expected::grid>::parts == 264);
static_assert(Weights<1, Expected::grid>::pieces && Weights<1, Expected::grid>::parts == 22);
static_assert(Weights<0, Expected::tile>::parts == 1 && Weights<0, Expected::alone>::parts == 1);
// A product with few weights is not computed in pieces.
using FewWeights = gpu_kernels::WeightWork<gpu_kernels::Geometry<networks::W1, 0>, Expected::grid>;
static_assert(!FewWeights::pieces && FewWeights::parts * FewWeights::items > 10'000 && FewWeights::parts <= 256);

template <class Model, bool Training = true>
using BlockMemory = gpu_kernels::TeamMemory<Model, float, Training, gpu_kernels::Expected::tile>;
static_assert(BlockMemory<networks::W1>::staged > 0 && BlockMemory<networks::W1>::bytes(1) <= turing);
static_assert(BlockMemory<ManyChannels>::staged == 0 && BlockMemory<ManyChannels>::bytes(1) <= ada);
static_assert(BlockMemory<ManyChannels, false>::staged == 0 && BlockMemory<ManyChannels, false>::bytes(1) <= turing);
// A model without parameters has plans too.
static_assert(plan<Sequential<Input<2, 4, 4>, MaxPool2d<2>>>(8) == CudaPlan::resident);

// What can never be the best plan is not compiled.
static_assert(!gpu_kernels::Choose<networks::W1, float, 1>::layers_compiled);
static_assert(!gpu_kernels::Choose<networks::W1, float, 1>::resident_compiled);
static_assert(!gpu_kernels::Choose<Disc2, float, 1>::layers_compiled &&
              gpu_kernels::Choose<Disc2, float, 1>::resident_compiled);
static_assert(gpu_kernels::Choose<GrayCnn, float, 1>::layers_compiled);

/// Pointers that only count.
struct Counting {
  template <class T>
  struct Pointer {
    long long at;
    Pointer operator+(long long n) const { return {at + n}; }
  };
};

template <class Model, int States>
void check_memory(std::initializer_list<std::size_t> limits = {turing, ada, h200}) {
  using Choose = gpu_kernels::Choose<Model, float, States>;
  for (const std::size_t limit : limits) {
    CAPTURE(limit);
    if (const int rows = Choose::resident_rows(limit); rows > 0)
      CHECK(gpu_kernels::ResidentMemory<Model, float, States>::bytes(rows) <= limit);
    if (const int rows = Choose::pair_rows(limit); rows > 0)
      CHECK(gpu_kernels::TeamMemory<Model, float, true, gpu_kernels::Expected::tile>::bytes(rows) <= limit);
    for (int batch = 1; batch < 1 << 20; batch = batch * 3 + 1) {
      const CudaPlan chosen = Choose::plan(batch, limit);
      if (chosen == CudaPlan::resident) CHECK(Choose::resident_rows(limit) > 0);
      if (chosen == CudaPlan::pair) CHECK(Choose::pair_rows(limit) > 0);
      if (chosen == CudaPlan::layers) CHECK(Choose::layers_compiled);
    }
  }
}

}  // namespace

TEST_CASE("a plan is chosen only where what it says fits does fit") {
  check_memory<networks::W1, 1>();
  check_memory<networks::W1, 2>();
  check_memory<Disc5, 0>({turing, turing + 1, turing + 15, ada, h200 - 1, h200});
  check_memory<Disc6, 2>();
  check_memory<Small, 1>();
  check_memory<Small, 2>();
  check_memory<GrayCnn, 1>();
  check_memory<GrayMlp, 1>();
}

TEST_CASE("tiles cover a batch once, in order, and no slot is empty") {
  for (const int fit : {1, 2, 7, 100})
    for (int batch = 1; batch < 5000; batch += batch < 300 ? 1 : 97) {
      const gpu_kernels::Cut cut = gpu_kernels::Cut::of(batch, fit);
      REQUIRE(cut.rows >= 1);
      REQUIRE(cut.rows <= fit);
      REQUIRE(cut.slot_count <= gpu_kernels::Cut::most_slots);
      REQUIRE((cut.tiles - 1) * cut.rows < batch);
      REQUIRE(cut.tiles * cut.rows >= batch);
      REQUIRE(cut.begin(0) == 0);
      REQUIRE(cut.begin(cut.slot_count) == cut.tiles);
      for (int slot = 0; slot < cut.slot_count; ++slot) REQUIRE(cut.begin(slot) < cut.begin(slot + 1));
    }
}

TEST_CASE("places in the gradient slots of the chosen plan are counted in int") {
  constexpr int batch = 4096;
  using Choose = gpu_kernels::Choose<Dense, float, 1>;
  const long long slots = Choose::pair_cut(batch, h200).slot_count;
  const bool pair = plan<Dense>(batch) == CudaPlan::pair;
  CHECK((!pair || slots * Program<Dense>::arena_size <= std::numeric_limits<int>::max()));
  CHECK((!pair || slots * Program<Dense>::arena_size * 4 < 1LL << 32));  // 17 GB of slots for 134 MB of weights
}

TEST_CASE("places in the records of a batch of 9 GB are counted in int") {
  using Tile = gpu_kernels::Tile<Counting, Sequential<Input<3>, Linear<16000>, Linear<4>>, float, true, false, 1>;
  constexpr int row = 70000;
  CHECK(Tile{}.record(row).at == static_cast<long long>(row) * Tile::Record::size);
}
