// SPDX-License-Identifier: MIT
// labels: large sanitized wide_vectors
// The plan `layer`: tiles in groups, and the weights' gradients of the whole batch at once.
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/host_check.hpp"

using namespace sinter::internal;
using namespace sinter_test;
using networks::Chain;

namespace {

template <class Model, class T = float>
using Plan = TilePlan<Model, T, isa::Native>;

// Outputs and inputs around the blocks of 12, 6, 4, 2 and 1, and around the panels of columns.
using Odd = TypeList<Chain<Input<1>, Linear<2>, ReLU, Linear<3>, Tanh, Linear<1>>,
                     Chain<Input<5>, Linear<12>, ReLU, Linear<13, NoBias>, ReLU, Linear<7>>,
                     Chain<Input<33>, Linear<25>, Tanh, Linear<10>, LogSoftmax>>;
// A weight with more columns and rows than a block of the product for the gradient of its input: sums wait in between.
using Waiting = Chain<Input<3>, Linear<197>, Tanh, Linear<131>, Tanh, Linear<2>>;
// Readers of one value wait for one another; a normalisation keeps its gradients in slots.
using Branches = Chain<Input<6>, Linear<9>, Residual<Path<Linear<9>, Tanh, Linear<9>>>, LayerNorm<>, Tanh,
                       Concat<Path<Linear<3>>, Path<Linear<25>, Sigmoid>>, Linear<4>>;

// After a convolution, tiles run one by one, and store what the gradients of wide weights need: of one of the two, with
// an odd number of columns, and of another path's, which reads the image itself.
using AfterConvolution =
    Chain<Input<1, 9, 9>, Concat<Path<Conv2d<7, 3>, ReLU, Flatten>, Path<Flatten, Linear<103>, Tanh>>, Linear<29>, Tanh,
          Linear<5>>;
using AfterConvolutionPlan = TilePlan<AfterConvolution::Model, float, isa::Native>;

static_assert(!AfterConvolutionPlan::layered && [] {
  int of_batch = 0;
  for (int s = 0; s < AfterConvolutionPlan::stage_count; ++s) of_batch += AfterConvolutionPlan::of_batch(s);
  return of_batch;
}() == 2);
static_assert(Plan<Waiting::Model>::layered && Plan<Branches::Model>::layered);
static_assert(!Plan<Chain<Input<1, 5, 5>, Conv2d<2, 3>, Flatten, Linear<3>>::Model>::layered);

template <class Case>
void check_groups(Case network) {
  // Up to one tile, groups of four with one, two and three left over, and several groups.
  constexpr std::size_t lanes = Plan<typename Case::Model, double>::lanes;
  check_host(network, {4 * lanes, 5 * lanes - 1, 6 * lanes, 7 * lanes + 1, 13 * lanes});
}

template <class Model>
std::vector<float> gradient_of(const Batch<float>& problem, int threads, double& loss) {
  HostUnderTest<Model, float> host(threads);
  std::vector<float> gradient(Program<Model>::arena_size);
  loss = host.accumulate_parameters(problem.parameters.data(), problem.batch(), GivenGradient{},
                                    {0.125f, gradient.data()});
  return gradient;
}

}  // namespace

TEST_CASE("groups of tiles, at odd sizes") {
  []<class... Cases>(TypeList<Cases...>) { (check_groups(Cases{}), ...); }(Odd{});
}
TEST_CASE("sums that wait") { check_groups(Waiting{}); }
TEST_CASE("branches and normalisation in groups") { check_groups(Branches{}); }
TEST_CASE("blocks of other registers") {
  check_host<Waiting::Model, GivenGradient, isa::Portable>(Waiting{}, {20, 27});
  check_host<Waiting::Model, GivenGradient, isa::Neon>(Waiting{}, {20, 27});
  check_host<Waiting::Model, GivenGradient, isa::Avx512Wide>(Waiting{}, {20, 27});
}
TEST_CASE("in float") { check_host_float(Waiting{}); }
TEST_CASE("wide weights after a convolution") {
  check_groups(AfterConvolution{});
  check_host_float(AfterConvolution{});
}

TEST_CASE_TEMPLATE("the same bits for any number of threads", Model, Waiting::Model, AfterConvolution::Model) {
  for (const std::size_t rows : {std::size_t{1}, std::size_t{40}, std::size_t{333}}) {
    CAPTURE(rows);
    const Batch<float> problem{Problem<Model>(rows, 1)};
    double loss = 0;
    const std::vector<float> one = gradient_of<Model>(problem, 1, loss);
    for (const int threads : {2, 3}) {
      double other_loss = 0;
      const std::vector<float> other = gradient_of<Model>(problem, threads, other_loss);
      CHECK(std::memcmp(one.data(), other.data(), one.size() * sizeof(float)) == 0);
      CHECK(other_loss == loss);
    }
  }
}

TEST_CASE_TEMPLATE("a gradient is overwritten, or added to a share of what is there", Model, Waiting::Model,
                   AfterConvolution::Model) {
  const Batch<float> problem{Problem<Model>(20, 1)};
  double loss = 0;
  const std::vector<float> fresh = gradient_of<Model>(problem, 1, loss);
  HostUnderTest<Model, float> host;
  std::vector<float> gradient(fresh.size(), std::numeric_limits<float>::quiet_NaN());
  host.accumulate_parameters(problem.parameters.data(), problem.batch(), GivenGradient{},
                             {0.125f, gradient.data(), nullptr, 0.0f});
  for (const Parameter& p : Program<Model>::parameters)
    CHECK(std::memcmp(gradient.data() + p.offset, fresh.data() + p.offset,
                      static_cast<std::size_t>(p.size) * sizeof(float)) == 0);
  gradient = fresh;
  host.accumulate_parameters(problem.parameters.data(), problem.batch(), GivenGradient{},
                             {0.125f, gradient.data(), nullptr, 0.5f});
  for (const Parameter& p : Program<Model>::parameters)
    for (int i = p.offset; i < p.offset + p.size; ++i) {
      const auto at = static_cast<std::size_t>(i);
      CHECK(gradient[at] == doctest::Approx(1.5f * fresh[at]).epsilon(1e-5));
    }
}
