// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

namespace reference_kernels {

/// The terms of a convolution from `in` to `out`: visit(output, weight, input).   W [Out, In / groups, kH, kW]
template <class Visit>
void each_term_of_windows(const Window& w, Dims in, Dims out, Visit visit) {
  const int inputs = in.channels / w.groups, outputs = out.channels / w.groups;  // channels of one group
  for (int o = 0; o < out.channels; ++o)
    for (int c = 0; c < inputs; ++c)
      for (int ky = 0; ky < w.height; ++ky)
        for (int kx = 0; kx < w.width; ++kx) {
          const int weight = ((o * inputs + c) * w.height + ky) * w.width + kx;
          const int channel = o / outputs * inputs + c;
          for (int y = 0; y < out.height; ++y)
            for (int x = 0; x < out.width; ++x) {
              const int row = y * w.stride_height + ky * w.dilation_height - w.padding_height;
              const int column = x * w.stride_width + kx * w.dilation_width - w.padding_width;
              if (row < 0 || row >= in.height || column < 0 || column >= in.width) continue;  // W times 0
              visit((o * out.height + y) * out.width + x, weight, (channel * in.height + row) * in.width + column);
            }
        }
}

/// A product is a sum of terms, y[output] += W[weight] x[input]. Calls visit(output, weight, input) for each of them.
/// Its adjoint has the same terms: dx[input] += W[weight] dy[output], dW[weight] += x[input] dy[output].
template <class Visit>
void each_term(const Op& op, Visit visit) {
  if (op.transposed) {  // from out to in: the same terms with their ends exchanged
    each_term_of_windows(op.window, op.out, op.in,
                         [&](int input, int weight, int output) { visit(output, weight, input); });
  } else if (!op.whole) {
    each_term_of_windows(op.window, op.in, op.out, visit);
  } else {  // W [Out, In]
    for (int o = 0; o < op.out.size(); ++o)
      for (int i = 0; i < op.in.size(); ++i) visit(o, o * op.in.size() + i, i);
  }
}

/// y = W x + b. Without a bias, b is null.
template <class T>
void product_forward(const Op& op, const T* W, const T* b, const T* x, T* y) {
  for (int o = 0; o < op.out.size(); ++o) y[o] = b ? b[o / op.out.pixels()] : T(0);
  each_term(op, [&](int output, int weight, int input) { y[output] += W[weight] * x[input]; });
}

/// dx += W^T dy, dW += dy x^T, db += the sum of dy over the pixels of a channel.
template <class T>
void product_backward(const Op& op, const T* W, const T* x, const T* dy, T* dx, T* dW, T* db) {
  each_term(op, [&](int output, int weight, int input) {
    dx[input] += W[weight] * dy[output];
    dW[weight] += x[input] * dy[output];
  });
  if (!db) return;
  for (int o = 0; o < op.out.size(); ++o) db[o / op.out.pixels()] += dy[o];
}

}  // namespace reference_kernels

SINTER_NAMESPACE_END
