// SPDX-License-Identifier: MIT
#include "sinter/layers/activation.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "sinter/model/program.hpp"

using namespace sinter::internal;

namespace {

/// The shape after a layer.
template <class L>
constexpr Dims out(Dims in) {
  return detail::output_of<L>(in);
}

static_assert(Layer<ReLU> && Layer<Tanh> && Layer<Sigmoid> && Layer<Softmax> && Layer<LogSoftmax>);

static_assert(Layer<GELU> && Layer<GELUTanh>);
static_assert(Layer<CELU<>> && Layer<SELU> && Layer<Mish> && Layer<Softsign> && Layer<LogSigmoid>);
static_assert(Layer<LeakyReLU<>> && Layer<ELU<>> && Layer<SiLU> && Layer<Softplus<>> && Layer<Hardswish>);
static_assert(std::is_same_v<LeakyReLU<>, LeakyReLU<0.01>> && std::is_same_v<ELU<>, ELU<1.0>> &&
              std::is_same_v<Softplus<>, Softplus<1.0, 20.0>>);

// Any shape, which stays; functions of a row take features.
static_assert(out<ReLU>(image(3, 7, 9)) == image(3, 7, 9) && out<Tanh>(features(5)) == features(5));
static_assert(out<Softmax>(features(5)) == features(5));
static_assert(ReLU::accepts(features(5)) && Sigmoid::accepts(image(3, 7, 9)));
static_assert(LogSoftmax::accepts(features(5)) && !LogSoftmax::accepts(image(3, 7, 9)) &&
              !Softmax::accepts(image(1, 1, 1)));

static_assert(Map<fn::Relu>::describe(features(5)).zeros == 0.5 && Map<fn::Tanh>::describe(features(5)).zeros == 0);
static_assert(Map<fn::Relu>::describe(features(5)).backward_reads_output);
static_assert(Row<fn::Softmax>::describe(features(5)).kind == OpKind::row);

/// A functor of a user, with nothing but what must be there.
struct Cube {
  static constexpr bool backward_reads_output = false;
  static double forward(double x) { return x * x * x; }
  static double backward(double x, double dy) { return 3 * x * x * dy; }
};
static_assert(Layer<Activation<Cube>>);
static_assert(!Map<Cube>::describe(features(5)).backward_reads_output && Map<Cube>::describe(features(5)).zeros == 0);

}  // namespace

TEST_CASE("activations are named as their functors") {
  CHECK(std::string_view(ReLU::name) == "ReLU");
  CHECK(std::string_view(LogSoftmax::name) == "LogSoftmax");
  CHECK(std::string_view(LeakyReLU<0.2>::name) == "LeakyReLU");
  CHECK(std::string_view(ELU<>::name) == "ELU");
  CHECK(std::string_view(GELU::name) == "GELU");
  CHECK(std::string_view(GELUTanh::name) == "GELUTanh");
  CHECK(std::string_view(SiLU::name) == "SiLU");
  CHECK(std::string_view(Softplus<>::name) == "Softplus");
  CHECK(std::string_view(Hardswish::name) == "Hardswish");
  CHECK(std::string_view(Activation<Cube>::name) == "Cube");
}
