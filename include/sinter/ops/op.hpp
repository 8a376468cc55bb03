// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/shape.hpp"

SINTER_NAMESPACE_BEGIN

/// The closed vocabulary that every layer lowers to. A device has a kernel for each, forward and backward.
///
/// product  y = W x + b, x being the whole sample or a window of it that slides
/// map      y = f(x), element by element
/// mask     y = m x, m being 0 or 1 / (1 - p) by a counter-based random decision; the identity in inference
/// pool     y = the largest, or the mean, of a window of x in each channel
/// row      y = f(x), a function of all elements of a sample
/// add      y = a + b, element by element
/// elementwise  y = f(a, b), element by element: elementwise.hpp
/// matrix_product  y = factor A B, the matrices of two values multiplied pair by pair: matrix_product.hpp
/// index_map  y = A x, each number a small weighted sum of numbers of x by their positions: index_map.hpp
/// concat   y = the channels of several inputs, one input after another
/// statistics  mean and 1 / sqrt(variance + epsilon) of each channel of x, over all rows and pixels of the batch; in
///             inference those of the batches before
/// normalize   y = (x - mean) / sqrt(variance + epsilon) w + b, channel by channel
/// group_normalize  the same with mean and variance of groups of channels of the sample itself
/// lookup   y = rows of a table, x being their numbers
/// recurrence  y[t] = f(x[t], y[t - 1]): a cell with products of its own, step by step
enum class OpKind : unsigned char {
  product,
  map,
  mask,
  pool,
  row,
  add,
  concat,
  statistics,
  normalize,
  group_normalize,
  lookup,
  elementwise,
  index_map,
  recurrence,
  matrix_product
};

/// The window of an image that a product or a pool reads at a time.
struct Window {
  int height = 1, width = 1;
  int stride_height = 1, stride_width = 1;
  int padding_height = 0, padding_width = 0;
  int dilation_height = 1, dilation_width = 1;
  int groups = 1;
  bool causal = false;  // horizontal padding only before the first column

  constexpr int taps() const { return height * width; }
  constexpr int reach_height() const { return (height - 1) * dilation_height + 1; }
  constexpr int reach_width() const { return (width - 1) * dilation_width + 1; }
  constexpr int output_height(int input) const {
    return (input + 2 * padding_height - reach_height()) / stride_height + 1;
  }
  constexpr int padded_width(int input) const { return input + (causal ? 1 : 2) * padding_width; }
  constexpr Dims padded(Dims in) const {
    return {in.rank, in.channels, in.height + 2 * padding_height, padded_width(in.width)};
  }
  constexpr int output_width(int input) const { return (padded_width(input) - reach_width()) / stride_width + 1; }
  constexpr bool fits(Dims in) const {
    return in.height + 2 * padding_height >= reach_height() && padded_width(in.width) >= reach_width();
  }
  /// Adjacent windows that do not overlap, without padding.
  constexpr bool tiles() const {
    return stride_height == height && stride_width == width && padding_height == 0 && padding_width == 0 &&
           dilation_height == 1 && dilation_width == 1;
  }
  friend constexpr bool operator==(const Window&, const Window&) = default;
};

/// Region i of n regions of a length, as PyTorch cuts it: nearly equal, overlapping where n does not divide it.
SINTER_HOST_DEVICE constexpr int region_begin(int i, int n, int length) {
  return static_cast<int>(static_cast<long long>(i) * length / n);
}
SINTER_HOST_DEVICE constexpr int region_end(int i, int n, int length) {
  return static_cast<int>((static_cast<long long>(i + 1) * length + n - 1) / n);
}

/// One op of a network, as a value. Values and parameters are named by index: value 0 is the input of the network.
/// An op type (MatMul, Map<F>, ..) describes itself by such a value; its functor, if any, stays in the type.
struct Op {
  static constexpr int most_inputs = 4;

  OpKind kind = OpKind::map;
  const char* name = "";
  const char* onnx = "";      // elementwise: the operator of ONNX
  Dims in, out;               // of the first input, as the op sees it, and of the output
  int inputs[most_inputs]{};  // values
  int input_count = 1;
  int output = 0;              // value
  int weight = -1, bias = -1;  // parameters
  int layer = 0;               // number in its Sequential, the input not counted
  int part = 0;                // number among the ops of its layer

  bool whole = false;                  // product: of the whole sample, with no window
  bool transposed = false;             // product: the adjoint of one with its window; lookup: rows become columns
  bool with_bias = false;              // product, recurrence
  Window window{};                     // product, pool
  bool average = false;                // pool
  bool adaptive = false;               // pool: its windows are regions of the image
  bool per_channel = false;            // mask: one decision for a channel; product, group_normalize: one weight
  double probability = 0;              // mask: of a zero
  bool backward_reads_output = false;  // map: else its input
  bool of_position = false;            // map: its functor has a number for each position
  bool multiplies = false;             // elementwise: y = a b
  int begin = 0;                       // index_map that takes neighbouring channels: the first of them; of others -1
  int channels[most_inputs]{};         // concat: of each input; recurrence: numbers of each input after the first
  double epsilon = 0, momentum = 0;    // statistics; group_normalize: epsilon
  int mean = -1, variance = -1;        // statistics: buffers
  int groups = 1;                      // group_normalize: of channels; row: rows that the sample is taken apart to
  int hidden = 0, gates = 0;           // recurrence: units, and rows of the weights for each
  int kept = 0;                        // recurrence: numbers of a unit and step that its backward needs, besides h
  int directions = 1;                  // recurrence: 2 if a second one begins at the last step
  int projected = 0;                   // recurrence: numbers of h, where they are a product with the units' outputs
  int level = 0, levels = 1;           // recurrence: its number among the layers of a layer
  int given = 0, lengths = 0;          // recurrence: the inputs that are its first state and its lengths; 0: none
  int learned = 0;                     // recurrence: states before the first step that are parameters: h, or h and c
  Dims second{};                       // matrix_product: of the second input
  bool first_transposed = false, second_transposed = false;  // matrix_product
  bool causal = false;                                       // matrix_product: -infinity right of the diagonal
  double factor = 1;                                         // matrix_product
  double zeros = 0;                                          // expected fraction of exact zeros that its backward makes

  /// Whether the windows of a pool differ in size; `window` has then the largest sizes, and no stride.
  constexpr bool uneven() const { return adaptive && !window.tiles(); }
  /// The shape of input `k` as the op sees it.
  constexpr Dims seen(int k) const {
    if (kind == OpKind::matrix_product && k == 1) return second;
    if (kind == OpKind::recurrence && k > 0) return features(channels[k]);
    return kind == OpKind::concat ? Dims{in.rank, channels[k], in.height, in.width} : in;
  }
  /// Where input `k` of a concat begins in the output, in channels.
  constexpr int first_channel(int k) const {
    int first = 0;
    while (k > 0) first += channels[--k];
    return first;
  }
  /// Parameters of a recurrence follow one another: for each direction W_ih, W_hh, with a bias b_ih and b_hh, then
  /// W_hr, where h is projected, and its state before the first step, where that is learned.
  constexpr int parameters_of_direction() const { return first_state() + learned; }
  constexpr int projection() const { return with_bias ? 4 : 2; }
  constexpr int first_state() const { return projection() + (projected > 0 ? 1 : 0); }
  /// Numbers of h in a direction.
  constexpr int h_size() const { return projected > 0 ? projected : hidden; }
  /// Where the state of a direction begins in the one that is given, of all levels: h of each, then c of each.
  constexpr int given_state(bool is_c, int direction) const {
    const int place = level * directions + direction;
    return is_c ? levels * directions * h_size() + place * hidden : place * h_size();
  }
  /// The key of the random numbers of this op: the layer, and the part, if a layer has several.
  constexpr int stream() const { return layer + (part << 16); }
  /// As PyTorch counts them, by the shape of the weight alone.
  constexpr int fan_in() const {
    return whole ? in.size() : (transposed ? out : in).channels / window.groups * window.taps();
  }
  constexpr int fan_out() const { return whole ? out.size() : (transposed ? in : out).channels * window.taps(); }
  /// Multiply-adds of the forward product for one sample.
  constexpr std::int64_t multiply_adds() const {
    if (kind == OpKind::recurrence)
      return static_cast<std::int64_t>(in.channels) * directions * hidden * (gates * (in.width + h_size()) + projected);
    if (kind == OpKind::matrix_product) return static_cast<std::int64_t>(in.size()) * out.width;
    return kind == OpKind::product ? static_cast<std::int64_t>((transposed ? in : out).size()) * fan_in() : 0;
  }
};

SINTER_NAMESPACE_END
