// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/of_position.hpp"
#include "sinter/fn/onnx_functor.hpp"
#include "sinter/fn/output_kind.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// e^-x for x >= 0 in constant expressions: powers of 2, and a series for the rest.
constexpr double exp_of_minus(double x) {
  constexpr double ln2 = 0.69314718055994530942;
  double scale = 1, term = 1, sum = 1;
  for (; x > ln2; x -= ln2) scale /= 2;
  for (int k = 1; k < 24; ++k) {
    term *= -x / k;
    sum += term;
  }
  return scale * sum;
}

/// Number k of step t is the sine, for an even k, or the cosine, for an odd one, of t 10000^(-2 (k / 2) / Size). In
/// double and before the program runs: the same bits on all machines. Each step turns the angles of the one before it
/// by at most 1, which is good to 1e-12 after 5,000 steps.
template <class T, Dims In>
struct PositionalEncodingTable {
  static constexpr int steps = In.channels, size = In.width, angles = (size + 1) / 2;
  T at[steps * size + fn::beyond_positions]{};

  static constexpr PositionalEncodingTable made() {
    double turn_cosine[angles]{}, turn_sine[angles]{}, cosine[angles]{}, sine[angles]{};
    for (int i = 0; i < angles; ++i) {
      const double turn = exp_of_minus(2 * 9.21034037197618273607 * i / size);  // ln 10000
      double term = 1;
      for (int n = 0; n < 24; ++n) {
        (n % 2 == 0 ? turn_cosine : turn_sine)[i] += n % 4 < 2 ? term : -term;
        term *= turn / (n + 1);
      }
      cosine[i] = 1;
    }
    PositionalEncodingTable table;
    for (int t = 0; t < steps; ++t)
      for (int i = 0; i < angles; ++i) {
        table.at[t * size + 2 * i] = static_cast<T>(sine[i]);
        if (2 * i + 1 < size) table.at[t * size + 2 * i + 1] = static_cast<T>(cosine[i]);
        const double turned = cosine[i] * turn_cosine[i] - sine[i] * turn_sine[i];
        sine[i] = sine[i] * turn_cosine[i] + cosine[i] * turn_sine[i];
        cosine[i] = turned;
      }
    return table;
  }
};
template <class T, Dims In>
inline constexpr PositionalEncodingTable<T, In> positional_encoding = PositionalEncodingTable<T, In>::made();
#if defined(__CUDACC__)
template <class T, Dims In>
__device__ constexpr PositionalEncodingTable<T, In> positional_encoding_of_device =
    PositionalEncodingTable<T, In>::made();
#endif

}  // namespace detail

namespace fn {

/// y = x + a constant by its position, see detail::PositionalEncodingTable.   dx = dy.
struct PositionalEncoding {
  static constexpr const char* name = "positional encoding";
  static constexpr OutputKind output_kind = OutputKind::numbers;
  static constexpr OnnxFunctor onnx{"Add"};
  static constexpr bool backward_reads_output = true;
  static constexpr double zeros = 0;

  template <class T, Dims In>
  SINTER_FN static constexpr const T* numbers() {
#if defined(__CUDA_ARCH__)
    return internal::detail::positional_encoding_of_device<T, In>.at;
#else
    return internal::detail::positional_encoding<T, In>.at;
#endif
  }
  template <class V>
  SINTER_FN static V forward(V x, V number) {
    return x + number;
  }
  template <class V>
  SINTER_FN static V backward(V, V dy, V) {
    return dy;
  }
};

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
