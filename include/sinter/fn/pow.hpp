// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/core/pack_sqrt.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// x^p for a constant p: x^n by multiplications, n being p rounded towards 0, times the root of x, or e^((p - n) ln x)
/// with a relative error of about |ln x| units of the last place. NaN below 0 unless p is whole.
template <double p, class V>
SINTER_FN V power(V x) {
  constexpr long long whole = static_cast<long long>(p);
  constexpr double rest = p - static_cast<double>(whole);
  if constexpr (rest == 0.5)
    return product(power<static_cast<double>(whole)>(x), fn::sqrt(x));
  else if constexpr (rest == -0.5)
    return power<static_cast<double>(whole)>(x) / fn::sqrt(x);
  else if constexpr (rest != 0)
    return product(power<static_cast<double>(whole)>(x), fn::exp(product(constant<V>(rest), fn::log(x))));
  else if constexpr (whole < 0)
    return V(1) / power<-p>(x);
  else if constexpr (whole == 0)
    return V(1);
  else if constexpr (whole == 1)
    return x;
  else if constexpr (whole % 2 == 1)
    return product(power<p - 1>(x), x);
  else {
    const V root = power<p / 2>(x);
    return product(root, root);
  }
}

/// y = x^p.   dx = p x^(p - 1) dy.
template <double p>
struct Pow {
  static_assert(p > -1e9 && p < 1e9, "sinter: Pow<p> takes a power between -1e9 and 1e9");
  using OfLibrary = Pow;
  static constexpr const char* name = "Pow";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"x p", p};
  static constexpr double options[] = {p};
  static constexpr bool backward_reads_output = false;
  static constexpr double zeros = 0;

  template <class V>
  SINTER_FN static V forward(V x) {
    return power<p>(x);
  }
  template <class V>
  SINTER_FN static V backward([[maybe_unused]] V x, [[maybe_unused]] V dy) {
    if constexpr (p == 0)
      return V(0);
    else
      return product(product(constant<V>(p), power<p - 1>(x)), dy);
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
