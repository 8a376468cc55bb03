// SPDX-License-Identifier: MIT
// labels: large optimised sanitized
// Activations against PyTorch (tests/fixtures/README.md), element by element.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sinter/fn/absolute.hpp"
#include "sinter/fn/apply.hpp"
#include "sinter/fn/elu.hpp"
#include "sinter/fn/exp.hpp"
#include "sinter/fn/gelu.hpp"
#include "sinter/fn/hardsigmoid.hpp"
#include "sinter/fn/hardswish.hpp"
#include "sinter/fn/hardtanh.hpp"
#include "sinter/fn/leaky_relu.hpp"
#include "sinter/fn/log.hpp"
#include "sinter/fn/negation.hpp"
#include "sinter/fn/pow.hpp"
#include "sinter/fn/reciprocal.hpp"
#include "sinter/fn/silu.hpp"
#include "sinter/fn/softplus.hpp"
#include "sinter/fn/square.hpp"
#include "sinter/fn/square_root.hpp"
#include "support/close.hpp"
#include "support/safetensors.hpp"

namespace fn = sinter::fn;
using sinter_test::Safetensors;

namespace {

template <class F, class T>
void check(const Safetensors& all, const std::string& name, double most) {
  const auto x = all.values<T>(name + ".x"), dy = all.values<T>(name + ".dy");
  std::vector<T> y, dx;
  for (std::size_t i = 0; i < x.size(); ++i) {
    y.push_back(fn::forward<F>(x[i]));
    dx.push_back(fn::backward<F>(F::backward_reads_output ? y[i] : x[i], dy[i]));
  }
  CAPTURE(name);
  CHECK(closeness::relative_error(y, all.values<double>(name + ".y")) < most);
  CHECK(closeness::relative_error(dx, all.values<double>(name + ".dx")) < most);
}

}  // namespace

TEST_CASE("activations give the numbers of PyTorch") {
  const Safetensors all(std::string(SINTER_FIXTURES) + "/activations.safetensors");
  std::size_t tensors = 0;
  const auto activation = [&]<class F>(const std::string& name, F) {
    check<F, double>(all, name, 6e-8);  // the fixtures are rounded to float
    check<F, float>(all, name, 1e-6);
    tensors += 4;
  };
  activation("leaky_relu", fn::LeakyRelu<0.01>{});
  activation("leaky_relu_0.25", fn::LeakyRelu<0.25>{});
  activation("elu", fn::Elu<1.0>{});
  activation("elu_0.5", fn::Elu<0.5>{});
  activation("gelu", fn::Gelu{});
  activation("gelu_tanh", fn::GeluTanh{});
  activation("silu", fn::Silu{});
  activation("softplus", fn::Softplus<1.0, 20.0>{});
  activation("softplus_2_3", fn::Softplus<2.0, 3.0>{});
  activation("hardswish", fn::Hardswish{});
  activation("hardsigmoid", fn::Hardsigmoid{});
  activation("hardtanh", fn::Hardtanh<-1.0, 1.0>{});
  activation("hardtanh_-2_0.5", fn::Hardtanh<-2.0, 0.5>{});
  activation("relu6", fn::Hardtanh<0.0, 6.0>{});
  activation("exp", fn::Exp{});
  activation("log", fn::Log{});
  activation("sqrt", fn::Sqrt{});
  activation("square", fn::Square{});
  activation("neg", fn::Negation{});
  activation("pow_3", fn::Pow<3.0>{});
  activation("pow_-2", fn::Pow<-2.0>{});
  activation("pow_1.7", fn::Pow<1.7>{});
  activation("abs", fn::Abs{});
  activation("reciprocal", fn::Reciprocal{});
  CHECK(tensors == all.tensors().size());  // no case was forgotten
}
