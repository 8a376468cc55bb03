// SPDX-License-Identifier: MIT
// labels: large wide_vectors
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "sinter/layers/conv_transpose2d.hpp"
#include "sinter/network/network.hpp"
#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using networks::Chain;

// Processors with AVX512-FP16 have units as wide as their registers.
#if defined(__AVX512FP16__)
static_assert(std::is_same_v<isa::Native, isa::Avx512Wide>);
#else
static_assert(!std::is_same_v<isa::Native, isa::Avx512Wide>);
#endif

// The block sizes of other instruction sets, whatever this program is compiled for: fewer registers, fewer lanes.
using Dropped = Chain<Input<3, 9, 7>, Conv2d<5, Kernel<3, 2>>, Dropout2d<0.5>, MaxPool2d<2>, ReLU, Conv2d<4, 2>, Tanh>;
// One row computes several rows of a phase as one where a pack has more than a row.
using Grown = Chain<Input<6, 5, 3>, ConvTranspose2d<4, 4, Stride<2>, Padding<1>, Groups<2>>, Tanh>;
using Winograd = Chain<Input<16, 4, 5>, Conv2d<17, 3, Padding<1>>, MaxPool2d<Kernel<2, 1>>, Tanh>;

TEST_CASE_TEMPLATE("the plan for another instruction set", Isa, isa::Portable, isa::Avx2, isa::Avx512, isa::Avx512Wide,
                   isa::Neon, isa::Scalar) {
  check_host<networks::EveryOp, NLLLoss, Isa>(Case<networks::EveryOp, NLLLoss>{});
  check_host<Dropped::Model, Dropped::Loss, Isa>(Dropped{});
  check_host<Grown::Model, Grown::Loss, Isa>(Grown{});
  check_host<Winograd::Model, Winograd::Loss, Isa>(Winograd{});
  check_host_float<networks::EveryOp, NLLLoss, Isa>(Case<networks::EveryOp, NLLLoss>{});
}

TEST_CASE_TEMPLATE("a row in a workspace for one", Isa, isa::Portable, isa::Scalar) {
  struct Net : Sequential<Input<3>, Linear<5>, Tanh, Linear<2>> {};
  const Network<Net, HostFor<Isa>> net{{.seed = 1}};
  auto one = net.workspace(1);
  auto many = net.workspace(40);
  Tensor<float, Shape<3>> x(40);
  for (float& value : x.values()) value = 0.1f * static_cast<float>(&value - x.data());
  const auto all = net.forward(x, many);
  for (std::size_t row = 0; row < 40; ++row) {
    const auto y = net.forward(x.view().slice(row, 1), one);
    CHECK((y(0, 0) == all(row, 0) && y(0, 1) == all(row, 1)));
  }
}

// The values of one row share memory: a deeper network takes no more of it.
template <class Isa, class... Layers>
constexpr int memory_of = HostInference<Sequential<Input<9>, Layers...>, float, Isa>::Single::size;
template <class Isa>
constexpr bool shares_memory = memory_of<Isa, Linear<64>, Tanh, Linear<64>> ==
                               memory_of<Isa, Linear<64>, Tanh, Linear<64>, Tanh, Linear<64>, Tanh, Linear<64>>;
static_assert(shares_memory<isa::Scalar> && shares_memory<isa::Native>);

TEST_CASE_TEMPLATE(
    "one row without lanes, in memory that was used", Model,
    Sequential<Input<3, 6, 5>, Conv2d<4, 3, Padding<1>>, Tanh, Residual<Path<Conv2d<4, 3, Padding<1>>, BatchNorm2d<>>>,
               AvgPool2d<2, Padding<1>>, Conv2d<2, 3, Padding<2>, Groups<2>>, Flatten, Linear<5>, LogSoftmax>,
    Sequential<Input<2, 4, 3>, ConvTranspose2d<3, 3, Padding<1>>, ConvTranspose2d<2, 2, Stride<2>>, Tanh,
               Conv2d<16, 3, Padding<1>>, Conv2d<16, 3, Padding<1>>, MaxPool2d<2>, GroupNorm<2>, Conv2d<1, 3>>) {
  using Inference = HostInference<Model, double, isa::Scalar>;
  using Rows = TensorView<const double, typename Model::InputRow>;
  const Network<Model, HostFor<isa::Scalar>, Float64> net{{.seed = 1}};
  Tensor<double, typename Model::InputRow> x(2);
  for (double& value : x.values()) value = 0.1 * static_cast<double>(&value - x.data());
  auto workspace = net.workspace(2);
  const auto expected = net.forward(x, workspace);

  constexpr std::size_t outputs = Inference::outputs;
  const typename Inference::Memory parts(1);
  std::vector<double> memory(parts.size, std::numeric_limits<double>::quiet_NaN()), y(2 * outputs);
  Inference::forward_rows(net.data(), BatchInputs<Rows>{x.view()}, 0, 2, parts, memory.data(), y.data());
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == expected.data[i]);
}
