// SPDX-License-Identifier: MIT
// Activations against PyTorch (tests/fixtures/README.md), element by element.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sinter/fn/apply.hpp"
#include "sinter/fn/elu.hpp"
#include "sinter/fn/gelu.hpp"
#include "sinter/fn/hardswish.hpp"
#include "sinter/fn/leaky_relu.hpp"
#include "sinter/fn/silu.hpp"
#include "sinter/fn/softplus.hpp"
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
  CHECK(tensors == all.tensors().size());  // no case was forgotten
}
